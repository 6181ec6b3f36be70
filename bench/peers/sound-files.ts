import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { G722Encoder, pcmu, writeHeader } from '../../rtp/index.ts'
import { headerLength } from '../../rtp/packet/header.ts'
import { opusPayloadType } from '../soak/soak-plan.ts'
import { hum, humLoop } from '../soak/sounds.ts'
import { fileHeaderBytes, linkBytes, networkBytes, recordHeaderBytes, transportBytes } from './capture-format.ts'

const secondRound = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.length / 2)

const unitsPerFrame = 960

/** What sipp plays, made in `folder`: payload by payload without a header, or with Opus as a capture of packets. */
interface SoundFiles {
  readonly pcmu: string
  readonly g722: string
  /** `seconds` long: captures are not repeated. */
  opus(seconds: number): Promise<string>
}

export function soundFiles(folder: string): SoundFiles {
  const narrow = hum(8000)
  const law = new Uint8Array(narrow.length)
  pcmu.encodeInto(law, 0, narrow, 0, narrow.length)
  const wide = hum(16_000)
  const coded = new Uint8Array(wide.length / 2)
  new G722Encoder().encodeInto(coded, 0, wide, 0, wide.length)
  const at = (name: string, bytes: Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return path
  }
  return {
    pcmu: at('hum.pcmu', secondRound(law)),
    g722: at('hum.g722', secondRound(coded)),
    opus: async seconds => at('hum.pcap', capture(await humLoop(), seconds * 50)),
  }
}

/** A capture in the format of libpcap: Ethernet, IPv4, UDP, RTP. sipp puts its own addresses in. */
function capture(payloads: readonly Uint8Array[], count: number): Uint8Array {
  const head = new Uint8Array(fileHeaderBytes)
  const file = new DataView(head.buffer)
  file.setUint32(0, 0xa1b2_c3d4, true)
  file.setUint16(4, 2, true)
  file.setUint16(6, 4, true)
  file.setUint32(16, 65_535, true)
  file.setUint32(20, 1, true)
  return Buffer.concat([head, ...Array.from({ length: count }, (_, n) => frame(payloads[n % payloads.length]!, n))])
}

function frame(payload: Uint8Array, n: number): Uint8Array {
  const headers = linkBytes + networkBytes + transportBytes + headerLength
  const bytes = new Uint8Array(recordHeaderBytes + headers + payload.length)
  const view = new DataView(bytes.buffer)
  const atMicros = n * 20_000
  view.setUint32(0, 1 + Math.floor(atMicros / 1e6), true)
  view.setUint32(4, atMicros % 1e6, true)
  view.setUint32(8, headers + payload.length, true)
  view.setUint32(12, headers + payload.length, true)
  const network = recordHeaderBytes + linkBytes
  view.setUint16(network - 2, 0x0800)
  view.setUint8(network, 0x45)
  view.setUint16(network + 2, headers - linkBytes + payload.length)
  view.setUint8(network + 8, 64)
  view.setUint8(network + 9, 17)
  const transport = network + networkBytes
  view.setUint16(transport + 4, transportBytes + headerLength + payload.length)
  const rtp = bytes.subarray(transport + transportBytes)
  const timestamp = n * unitsPerFrame
  writeHeader(rtp, { payloadType: opusPayloadType, marker: n === 0, sequence: n & 0xffff, timestamp, ssrc: 7 })
  rtp.set(payload, headerLength)
  return bytes
}
