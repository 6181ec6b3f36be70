import { codecFacts } from '../rtp/codec/codec-name.ts'
import type { OpusCoders } from '../rtp/codec/opus.ts'
import { StreamDecoder } from '../rtp/codec/stream-decoder.ts'
import { headerLength, writeHeader } from '../rtp/packet/header.ts'
import { PlayoutReader } from '../rtp/playout/playout-reader.ts'
import { type Figure, ratioOf } from './report.ts'

// Question: what does it cost to put a 20 ms packet in its place, wait, decode it and hide what is missing?

const readers = 100
const frames = 100
const payloadLength = 160
/** Until the machine code is there. */
const warmRounds = 10
const noOpus: OpusCoders = { encoder: (_settings, done) => done(undefined), decoder: (_rate, done) => done(undefined) }

interface Case {
  readonly what: string
  readonly codec: 'PCMU' | 'G722'
  /** By how much a packet comes late, ms; Infinity = never. */
  readonly way: (n: number) => number
}

const cases: readonly Case[] = [
  { what: 'G.711, steady', codec: 'PCMU', way: () => 0 },
  { what: 'G.722, steady', codec: 'G722', way: () => 0 },
  { what: 'G.711, one in twenty lost', codec: 'PCMU', way: n => (n % 20 === 19 ? Infinity : 0) },
  { what: 'G.711, stalls of 160 ms every 2 s', codec: 'PCMU', way: n => (n % 100 < 8 ? (8 - (n % 100)) * 20 : 0) },
]

export async function run(short: boolean): Promise<Figure[]> {
  const rounds = short ? 6 : 60
  return cases.map(({ what, codec, way }) => {
    const listen = listening(codec, way)
    const decode = decoding(codec)
    const costs: { received: number[]; decoded: number[] } = { received: [], decoded: [] }
    // In turn, so that the machine's moods meet both.
    for (let round = -warmRounds; round < rounds; round++) {
      if (round === 0) costs.received.length = costs.decoded.length = 0
      costs.received.push(listen())
      costs.decoded.push(decode())
    }
    const value = median(costs.received)
    const baseline = median(costs.decoded)
    const of = 'the same packets in order, only decoded'
    return { what: `packet heard, ${what}`, value, unit: 'µs', baseline, of, ratio: ratioOf({ value, baseline }) }
  })
}

/** A voice of harmonics, so that pitches are found. */
const payloadByte = (n: number): number => 0xff & Math.round(128 + 60 * Math.sin(n / 8) + 40 * Math.sin(n / 4))

const packetOf = (codec: Case['codec'], n: number): Uint8Array => {
  const packet = new Uint8Array(headerLength + payloadLength)
  const payloadType = codec === 'PCMU' ? 0 : 9
  writeHeader(packet, { payloadType, marker: false, sequence: n & 0xffff, timestamp: n * payloadLength, ssrc: 1 })
  for (let i = 0; i < payloadLength; i++) packet[headerLength + i] = payloadByte(n * payloadLength + i)
  return packet
}

/** µs a packet, of `readers` readers for `frames` frames each time. */
const listening = (codec: Case['codec'], way: (n: number) => number) => {
  const codecs: (Case['codec'] | undefined)[] = new Array(128).fill(undefined)
  codecs[codec === 'PCMU' ? 0 : 9] = codec
  const { sampleRate } = codecFacts[codec]
  const listeners = Array.from({ length: readers }, () => new PlayoutReader(sampleRate, codecs, noOpus))
  const out = new Int16Array((sampleRate * 20) / 1000)
  let n = 0
  let waiting: { at: number; packet: Uint8Array }[] = []
  return (): number => {
    let spent = 0
    for (const until = n + frames; n < until; n++) {
      const now = n * 20
      waiting.push({ at: now + way(n), packet: packetOf(codec, n) })
      const due = waiting.filter(one => one.at <= now)
      waiting = waiting.filter(one => one.at > now && one.at !== Infinity)
      const began = performance.now()
      for (const reader of listeners) {
        for (const { packet } of due) reader.push(packet, packet.length, now)
        reader.readInto(out, 0, out.length, now + 5)
      }
      spent += performance.now() - began
    }
    return (spent * 1000) / (readers * frames)
  }
}

const decoding = (codec: Case['codec']) => {
  const { sampleRate } = codecFacts[codec]
  const decoders = Array.from({ length: readers }, () => new StreamDecoder(sampleRate, noOpus))
  const out = new Int16Array((sampleRate * 20) / 1000)
  let n = 0
  return (): number => {
    let spent = 0
    for (const until = n + frames; n < until; n++) {
      const packet = packetOf(codec, n)
      const began = performance.now()
      for (const decoder of decoders) decoder.frameInto(out, 0, codec, packet, headerLength, payloadLength, false)
      spent += performance.now() - began
    }
    return (spent * 1000) / (readers * frames)
  }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0
