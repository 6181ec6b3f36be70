import { assertNever } from '../base/assert-never.ts'
import { ClockStep } from '../jitter/clock-step.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { timestampDelta } from '../packet/sequence.ts'
import { SourceClock } from './source-clock.ts'
import type { TrackCodecs, TrackDecoder } from './track-decoder.ts'
import type { TrackLine } from './track-line.ts'
import { TrackWriter } from './track-writer.ts'

const samplesPerMs = 8
/** The longest packet, and the longest loss that is hidden: what is missing for longer is silence. */
const longestMs = 120
/** A recording is not played while it is made, so late packets are waited for. */
const patienceMs = 200
/** Packets that wait until it is known where the first ones lie: half of what there is room for. */
const mostHeld = 32
/** A frame whose samples are no louder is a pause: −58 dB of full scale. */
const quietPeak = 40
/** Far in the future: packets that are still missing will not come. */
const atLastMs = 60_000

/**
 * Writes one remote's packets into a recording: reordered, decoded, losses concealed, at the place on the time line
 * where they were received. Received audio is not altered: where clocks differ pauses become longer or shorter, and
 * only when a remote never pauses a sample is dropped or duplicated.
 */
export class TrackStream {
  readonly #writer: TrackWriter
  readonly #codecs: TrackCodecs
  readonly #decoder: TrackDecoder
  /** Room for a loss, and the packet after it. */
  readonly #pcm = new Int16Array(2 * longestMs * samplesPerMs)
  #buffer: JitterBuffer | undefined
  #clock: SourceClock | undefined
  #step: ClockStep | undefined
  #clockRate = 0
  #ssrc = -1
  /** RTP time after the last piece; undefined where what comes does not follow it. */
  #nextTime: number | undefined
  /** Packets that were lost up to the last piece. */
  #lost = 0
  /** When the last packet came, and where that is on the line. */
  #receivedAt = 0
  #receivedPlace = 0

  constructor(line: TrackLine, side: 'left' | 'right', codecs: TrackCodecs) {
    this.#writer = new TrackWriter(line, side)
    this.#codecs = codecs
    this.#decoder = codecs.decoder()
  }

  get late(): number {
    return this.#buffer?.counters.late ?? 0
  }

  /** A packet of audio, at `place` of the line. */
  push(packet: Uint8Array, length: number, place: number, now: number): void {
    const codec = this.#codecs.codecOf(payloadTypeOf(packet))
    if (codec === undefined) return
    if (codec.unitsIn(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length)) === 0) return
    const isOther = ssrcOf(packet) !== this.#ssrc || codec.clockRate !== this.#clockRate
    const step = this.#step?.judge(sequenceOf(packet), timestampOf(packet), now) ?? 'none'
    if (isOther || this.#clock?.isForeign(timestampOf(packet), place, step) === true) {
      // Another source, or another time: what waits belongs to the one before.
      this.#drain(now + atLastMs)
      this.#clock?.restart()
      this.#writer.discontinue()
      this.#nextTime = undefined
    }
    if (this.#buffer === undefined || this.#clock === undefined || codec.clockRate !== this.#clockRate) {
      const { clockRate, longestPayload } = codec
      this.#clockRate = clockRate
      this.#clock = new SourceClock(clockRate)
      this.#step = new ClockStep(clockRate)
      this.#buffer = new JitterBuffer({
        keepAll: true,
        clockRate,
        slotLength: longestPayload,
        unitsIn: (payload, from, bytes) => codec.unitsIn(payload, from, bytes),
      })
      this.#lost = 0
    }
    this.#decoder.prepare(payloadTypeOf(packet))
    this.#ssrc = ssrcOf(packet)
    this.#receivedAt = now
    this.#receivedPlace = place
    this.#clock.packetArrived(timestampOf(packet), place)
    this.#buffer.push(packet, length, now)
  }

  /** A packet of the stream that holds no audio: it is not lost. */
  note(packet: Uint8Array, now: number): void {
    if (ssrcOf(packet) === this.#ssrc) this.#buffer?.note(packet, now)
  }

  /** Lays down what is ready, once it is known where. */
  tick(now: number): void {
    const place = this.#receivedPlace + (now - this.#receivedAt) * samplesPerMs
    const isFull = (this.#buffer?.size ?? 0) >= mostHeld
    if (isFull || this.#clock?.settles(place) === true) this.#drain(now - patienceMs)
  }

  /** Lays down what is left. */
  finish(now: number): void {
    this.#drain(now + atLastMs)
    this.#decoder.free()
  }

  #drain(pullAt: number): void {
    const buffer = this.#buffer
    const clock = this.#clock
    if (buffer === undefined || clock === undefined) return
    clock.settle()
    for (;;) {
      const pulled = buffer.pull(pullAt)
      switch (pulled) {
        case 'waiting':
          return
        case 'lost':
          // Hidden with the packet after it.
          break
        case 'gap':
          this.#decoder.silenceInto(this.#pcm, 0, this.#samplesIn(buffer.units))
          clock.follow(this.#samplesIn(buffer.units) >> 1)
          if (this.#nextTime !== undefined) this.#nextTime = (this.#nextTime + buffer.units) >>> 0
          break
        case 'frame':
          this.#frame(buffer, clock)
          break
        default:
          assertNever(pulled)
      }
    }
  }

  #frame(buffer: JitterBuffer, clock: SourceClock): void {
    const { payload, frameFrom, frameLength, framePayloadType, frameTimestamp } = buffer
    const pcm = this.#pcm
    const hidden = this.#lostBefore(buffer)
    if (hidden > 0) this.#decoder.concealInto(pcm, 0, hidden)
    const count = this.#decoder.frameInto(pcm, hidden, framePayloadType, payload, frameFrom, frameLength)
    clock.follow(isQuiet(pcm, hidden, count) ? count >> 1 : 0)
    this.#nextTime = (frameTimestamp + buffer.units) >>> 0
    if (count > 0) this.#writer.write(clock.placeOf(frameTimestamp) - hidden, pcm, hidden + count)
  }

  /** Samples that are missing just before the buffer's frame, since packets were lost. */
  #lostBefore(buffer: JitterBuffer): number {
    const { lost } = buffer.counters
    const isLoss = lost > this.#lost
    this.#lost = lost
    if (!isLoss || buffer.frameJoins || this.#nextTime === undefined) return 0
    const units = timestampDelta(buffer.frameTimestamp, this.#nextTime)
    return units > 0 && units <= (longestMs * this.#clockRate) / 1000 ? this.#samplesIn(units) : 0
  }

  #samplesIn(units: number): number {
    return Math.min(longestMs * samplesPerMs, Math.round((units * samplesPerMs * 1000) / this.#clockRate))
  }
}

function isQuiet(pcm: Int16Array, from: number, count: number): boolean {
  for (let i = from; i < from + count; i++) if (pcm[i]! > quietPeak || pcm[i]! < -quietPeak) return false
  return true
}
