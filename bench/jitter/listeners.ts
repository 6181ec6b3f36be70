import { codecFacts } from '../../rtp/codec/codec-name.ts'
import type { OpusCoders } from '../../rtp/codec/opus.ts'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { headerLength } from '../../rtp/packet/header.ts'
import { PlayoutReader, type SampleListener } from '../../rtp/playout/playout-reader.ts'
import type { Stream } from './stream.ts'
import { packetMs, type Trace } from './traces.ts'

/** What came out at the listener's end. */
export interface Outcome {
  /** From the moment on at which the first packet was sent. */
  readonly pcm: Int16Array
  /** By how much the audio played at a time was older than on a network without obstacles and without a buffer. */
  readonly delays: readonly { readonly atMs: number; readonly delayMs: number }[]
  /** Packets that were not played. */
  readonly unheard: number
  readonly concealedMs: number
  readonly acceleratedMs: number
  readonly expandedMs: number
}

export type Listening = (stream: Stream, trace: Trace, coders: OpusCoders) => Outcome

/** Packets are looked for as often as a media thread does. */
const tickMs = 5
/** When within the first frame the listener's clock begins: anything but even with the sender's. */
const phaseMs = 10
const tailMs = 600

const roomOf = (stream: Stream): Int16Array =>
  new Int16Array(stream.whole.length + ((tailMs + 1000) * stream.sampleRate) / 1000)

/** Packet numbers in the order of their arrival, without those that never arrive. */
const arrivalsOf = (trace: Trace, count: number): number[] =>
  Array.from({ length: count }, (_, n) => n)
    .filter(n => Number.isFinite(trace.arrivalMs[n]))
    .sort((a, b) => trace.arrivalMs[a]! - trace.arrivalMs[b]!)

/** Runs a listener that reads a frame every 20 ms. `read` says at which ms of the sender's time what it has read ends, if it knows. */
const everyFrame = (
  stream: Stream,
  trace: Trace,
  take: (packet: Uint8Array, now: number) => void,
  read: (pcm: Int16Array, at: number, now: number) => number | undefined,
): Pick<Outcome, 'pcm' | 'delays'> => {
  const pcm = roomOf(stream)
  const delays: { atMs: number; delayMs: number }[] = []
  const arrivals = arrivalsOf(trace, stream.packets.length)
  const slowness = trace.sentMs[1]! / packetMs
  const endMs = stream.packets.length * packetMs * slowness + tailMs
  let next = 0
  for (let now = phaseMs; now + packetMs < endMs; now += packetMs) {
    for (; next < arrivals.length; next++) {
      const tick = Math.ceil(trace.arrivalMs[arrivals[next]!]! / tickMs) * tickMs
      if (tick > now) break
      take(stream.packets[arrivals[next]!]!, tick)
    }
    const endsAt = read(pcm, (now * stream.sampleRate) / 1000, now)
    if (endsAt === undefined) continue
    delays.push({ atMs: now + packetMs, delayMs: now + packetMs - (endsAt * slowness + trace.baseMs) })
  }
  return { pcm, delays }
}

/** Ours: an adaptive buffer that stretches time and hides losses. */
export const adaptive: Listening = (stream, trace, coders) => adaptively(stream, trace, coders, false)

const adaptively = (stream: Stream, trace: Trace, coders: OpusCoders, isBare: boolean): Outcome => {
  const codecs = new Array<Stream['codec'] | undefined>(128).fill(undefined)
  codecs[stream.payloadType] = stream.codec
  const reader = new PlayoutReader(stream.sampleRate, codecs, coders)
  let endTime: number | undefined
  // After the last packet there is nothing to conceal.
  let concealedMs = 0
  const endMs = trace.sentMs.at(-1)! + trace.baseMs
  const listener: SampleListener = {
    samples: (pcm, from, count, time) => {
      endTime = time
      if (isBare && time === undefined) pcm.fill(0, from, from + count)
    },
  }
  reader.listener = listener
  const unitsPerMs = codecFacts[stream.codec].clockRate / 1000
  const count = (stream.sampleRate * packetMs) / 1000
  const { pcm, delays } = everyFrame(
    stream,
    trace,
    (packet, now) => reader.push(packet, packet.length, now),
    (into, at, now) => {
      reader.readInto(into, at, count, now)
      if (now < endMs) concealedMs = reader.playout.concealedMs
      return endTime === undefined ? undefined : endTime / unitsPerMs - reader.heldMs
    },
  )
  const { lost = 0, dropped = 0, acceleratedMs = 0, expandedMs = 0 } = reader.buffer?.counters ?? {}
  reader.free()
  return { pcm, delays, unheard: lost + dropped, concealedMs, acceleratedMs, expandedMs }
}

/** Ours, with silence in place of concealment. */
export const nothingHidden: Listening = (stream, trace, coders) => adaptively(stream, trace, coders, true)

/** Every packet is played `delayMs` after the place that the first one gives it, or never; losses are hidden as we do. */
export const fixedDelay =
  (delayMs: number): Listening =>
  (stream, trace, coders) => {
    const decoder = new StreamDecoder(stream.sampleRate, coders)
    const perMs = stream.sampleRate / 1000
    const count = packetMs * perMs
    const pcm = roomOf(stream)
    const first = arrivalsOf(trace, stream.packets.length)[0] ?? 0
    const startMs = Math.ceil(trace.arrivalMs[first]! / tickMs) * tickMs - first * packetMs + delayMs
    const delays: { atMs: number; delayMs: number }[] = []
    let unheard = 0
    for (const [n, packet] of stream.packets.entries()) {
      const at = startMs + n * packetMs
      const bytes = packet.length - headerLength
      if (trace.arrivalMs[n]! <= at) {
        decoder.frameInto(pcm, at * perMs, stream.codec, packet, headerLength, bytes, false)
        delays.push({ atMs: at, delayMs: at - trace.sentMs[n]! - trace.baseMs })
        continue
      }
      unheard++
      const next = stream.packets[n + 1]
      if (next !== undefined && trace.arrivalMs[n + 1]! <= at) {
        decoder.recoverInto(pcm, at * perMs, count, stream.codec, next, headerLength, next.length - headerLength)
      } else decoder.concealInto(pcm, at * perMs, count)
    }
    decoder.free()
    return { pcm, delays, unheard, concealedMs: unheard * packetMs, acceleratedMs: 0, expandedMs: 0 }
  }
