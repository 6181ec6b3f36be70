import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import type { OpusCoders, OpusDecoder, OpusEncoder } from '../../rtp/codec/opus.ts'
import { longestPacketMs, StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { StreamEncoder } from '../../rtp/codec/stream-encoder.ts'
import type { LibOpus } from '../../rtp/io/libopus.ts'
import { headerLength, writeHeader } from '../../rtp/packet/header.ts'
import { packetMs } from './traces.ts'

export type BenchCodec = Extract<AudioCodecName, 'PCMU' | 'opus'>

/** Speech as packets, and how it sounds when every one of them arrives. */
export interface Stream {
  readonly codec: BenchCodec
  readonly sampleRate: 8000 | 16_000
  readonly payloadType: number
  readonly packets: readonly Uint8Array[]
  readonly whole: Int16Array
}

export const payloadTypes: Readonly<Record<BenchCodec, number>> = { PCMU: 0, opus: 111 }

/** Timestamp units from packet to packet. */
export const stepOf = (codec: BenchCodec): number => (codecFacts[codec].clockRate * packetMs) / 1000

/** Codes speech. `lossPercent`: the loss that Opus is told to expect. */
export async function streamOf(
  codec: BenchCodec,
  speech: Int16Array,
  lossPercent: number,
  opus: LibOpus,
): Promise<Stream> {
  const { sampleRate } = codecFacts[codec]
  const payloadType = payloadTypes[codec]
  const coders = await codersOf(codec, sampleRate, opus)
  const encoder = new StreamEncoder(codec, sampleRate, coders, { fec: true, dtx: false, maxBitrate: undefined })
  encoder.tune(lossPercent)
  const decoder = new StreamDecoder(sampleRate, coders)
  const count = (sampleRate * packetMs) / 1000
  const whole = new Int16Array(speech.length + (longestPacketMs * sampleRate) / 1000)
  const packets: Uint8Array[] = []
  const payload = new Uint8Array(1300)
  for (let at = 0; at + count <= speech.length; at += count) {
    const length = encoder.encodeInto(payload, 0, speech, at, count)
    const packet = new Uint8Array(headerLength + length)
    const n = packets.length
    writeHeader(packet, { payloadType, marker: n === 0, sequence: n & 0xffff, timestamp: n * stepOf(codec), ssrc: 1 })
    packet.set(payload.subarray(0, length), headerLength)
    packets.push(packet)
    decoder.frameInto(whole, at, codec, payload, 0, length, false)
  }
  encoder.free()
  decoder.free()
  return { codec, sampleRate, payloadType, packets, whole: whole.subarray(0, packets.length * count) }
}

/** One encoder and one decoder that are there at once, where Opus' own take a moment. */
export async function codersOf(codec: BenchCodec, sampleRate: 8000 | 16_000, opus: LibOpus): Promise<OpusCoders> {
  if (codec !== 'opus')
    return { encoder: (_settings, done) => done(undefined), decoder: (_rate, done) => done(undefined) }
  const settings = { sampleRate, bitrate: 28_000, fec: true, dtx: false }
  const encoder = await new Promise<OpusEncoder | undefined>(resolve => opus.encoder(settings, resolve))
  const decoder = await new Promise<OpusDecoder | undefined>(resolve => opus.decoder(sampleRate, resolve))
  return { encoder: (_settings, done) => done(encoder), decoder: (_rate, done) => done(decoder) }
}
