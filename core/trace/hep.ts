import { addressBytes, mostPayload, oneFamily } from './ip-packet.ts'
import type { SipRecord } from './sip-record.ts'

/** HEP3: `HEP3`, whole length, then chunks of vendor, type, length, value (github.com/sipcapture/HEP). */
const chunkTypes = {
  family: 1,
  protocol: 2,
  sourceAddress4: 3,
  destinationAddress4: 4,
  sourceAddress6: 5,
  destinationAddress6: 6,
  sourcePort: 7,
  destinationPort: 8,
  seconds: 9,
  microseconds: 10,
  kind: 11,
  agent: 12,
  payload: 15,
} as const
/** The number of the IP protocol: UDP or TCP. */
const ipProtocols: Readonly<Record<SipRecord['transport'], number>> = { udp: 17, tcp: 6, tls: 6, ws: 6, wss: 6 }
const sipKind = 1
const agentId = 2026
const chunkHeadBytes = 6

export function hepPacket(sip: SipRecord, unixMs: number): Uint8Array {
  const [remote, local] = oneFamily(addressBytes(sip.address), addressBytes(sip.localHost))
  const [from, to] = sip.isSent ? [local, remote] : [remote, local]
  const [fromPort, toPort] = sip.isSent ? [sip.localPort, sip.port ?? 0] : [sip.port ?? 0, sip.localPort]
  const is6 = remote.length === 16
  const chunks: (readonly [type: number, value: Uint8Array])[] = [
    [chunkTypes.family, Uint8Array.of(is6 ? 10 : 2)],
    [chunkTypes.protocol, Uint8Array.of(ipProtocols[sip.transport])],
    [is6 ? chunkTypes.sourceAddress6 : chunkTypes.sourceAddress4, from],
    [is6 ? chunkTypes.destinationAddress6 : chunkTypes.destinationAddress4, to],
    [chunkTypes.sourcePort, number16(fromPort)],
    [chunkTypes.destinationPort, number16(toPort)],
    [chunkTypes.seconds, number32(Math.floor(unixMs / 1000))],
    [chunkTypes.microseconds, number32(Math.floor((unixMs % 1000) * 1000))],
    [chunkTypes.kind, Uint8Array.of(sipKind)],
    [chunkTypes.agent, number32(agentId)],
    [chunkTypes.payload, sip.message.subarray(0, mostPayload)],
  ]
  const length = chunks.reduce((sum, [, value]) => sum + chunkHeadBytes + value.length, 6)
  const packet = new Uint8Array(length)
  const view = new DataView(packet.buffer)
  packet.set([0x48, 0x45, 0x50, 0x33])
  view.setUint16(4, length)
  let at = 6
  for (const [type, value] of chunks) {
    view.setUint16(at + 2, type)
    view.setUint16(at + 4, chunkHeadBytes + value.length)
    packet.set(value, at + chunkHeadBytes)
    at += chunkHeadBytes + value.length
  }
  return packet
}

const number16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 0xff)
const number32 = (value: number): Uint8Array =>
  Uint8Array.of((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff)
