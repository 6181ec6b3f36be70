import { assertNever } from '../base/assert-never.ts'
import { codecFacts } from '../codec/codec-name.ts'
import { longestPacketMs, StreamDecoder } from '../codec/stream-decoder.ts'
import type { RecordRules } from '../contract/command.ts'
import type { RecordingEnd } from '../contract/event.ts'
import type { RecordingSink } from '../contract/recording-sink.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf } from '../packet/header.ts'
import { timestampAfter, timestampDelta } from '../packet/sequence.ts'
import { SilenceDetector } from '../silence/silence-detector.ts'
import { LeadingSilence } from './leading-silence.ts'
import type { RecordingFormat } from './recording-format.ts'
import { SilenceGap, shortestGapMs } from './silence-gap.ts'

/** Holes up to this are concealed, longer ones are silence, in pieces of it. */
const maxConcealedMs = 60
/** Late packets are waited for, unless this many others wait: a recording is not played while it is made. */
const patienceMs = 200
const mostWaiting = 32
/** What `trimSilence` leaves before the first sound and after the last. */
const trimMarginMs = 100
/** Extra samples that a filter may give beyond a packet. */
const filterSlackMs = 20
/** A timestamp further ahead of the clock than this is a new beginning, to be placed by the clock. */
const maxLeadMs = 1000
/**
 * Delay after which a longer gap is written while it lasts: written at once when the remote speaks again, it would
 * exceed what can wait for the disk.
 */
const longestUnwrittenMs = 20_000
const gapPieceMs = 1000
/** The order to stop follows on a digit within this: then the digit, and all after it, is not part of the recording. */
const digitReactionMs = 500
/** Far in the future: what the jitter buffer still waits for has not come. */
const atLast = 60_000

/**
 * Writes down what a remote says. The recording begins with the first packet after it was ordered; from then on the
 * stream is laid out by its timestamps: what is lost is concealed, what was not sent is silence. Not one sample that
 * arrived is altered, stretched or left out, but for the change of rate where the codec's is not the file's.
 */
export class MessageRecorder {
  readonly recordingId: string
  readonly #sink: RecordingSink
  readonly #rules: RecordRules
  readonly #format: RecordingFormat
  readonly #perMs: number
  readonly #decoder: StreamDecoder
  readonly #detector: SilenceDetector
  /** For timestamps of `#clockRate`. */
  #buffer: JitterBuffer | undefined
  #clockRate = 8000
  /** Another clock: what comes next is placed by ours. */
  #isNewClock = false
  #lateBefore = 0
  readonly #pcm: Int16Array
  /** With `trimSilence`. It counts for the longest length, though most of it is not kept. */
  readonly #leading: LeadingSilence
  readonly #begunAt: number
  #hasBegun = false
  #hasSound: boolean
  /** The RTP timestamp of the next sample, and when its predecessor was taken from the buffer. */
  #nextTime = 0
  #takenAt = 0
  readonly #gap = new SilenceGap()
  #lost = 0
  #samples = 0
  /** Samples at the end that belong to an open silence gap: if no audio follows they are not kept. */
  #gapSamples = 0
  /** Samples up to the end of the last sound. */
  #soundUntil = 0
  #isCut = false
  #digit: { readonly timestamp: number; readonly at: number } | undefined

  constructor(recordingId: string, sink: RecordingSink, rules: RecordRules, format: RecordingFormat, now: number) {
    this.recordingId = recordingId
    this.#sink = sink
    this.#rules = rules
    this.#format = format
    this.#perMs = format.rate / 1000
    this.#decoder = new StreamDecoder(format.rate, format.opus, true)
    this.#detector = new SilenceDetector({ sampleRate: format.rate })
    this.#pcm = new Int16Array((maxConcealedMs + longestPacketMs + filterSlackMs) * this.#perMs)
    this.#leading = new LeadingSilence(trimMarginMs * this.#perMs)
    this.#begunAt = now
    this.#takenAt = now
    this.#hasSound = !rules.trimSilence
  }

  get late(): number {
    return this.#lateBefore + (this.#buffer?.counters.late ?? 0)
  }

  get #waiting(): number {
    return this.#buffer?.size ?? 0
  }

  /** A packet of audio. */
  push(packet: Uint8Array, length: number, now: number): void {
    const codec = this.#format.codecs[payloadTypeOf(packet)]
    if (codec === undefined) return
    const { clockRate, unitsIn, longestPayload } = codecFacts[codec]
    if (unitsIn(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length)) === 0) return
    if (this.#buffer === undefined || clockRate !== this.#clockRate) {
      this.#drain(now + atLast, now)
      this.#lateBefore = this.late
      this.#isNewClock = this.#hasBegun
      this.#clockRate = clockRate
      this.#lost = 0
      this.#buffer = new JitterBuffer({ keepAll: true, clockRate, unitsIn, slotLength: longestPayload })
    }
    this.#gap.packetArrived(now)
    this.#decoder.prepare(codec)
    this.#buffer.push(packet, length, now)
  }

  /** A packet of the stream that holds no audio: it is not lost. */
  note(packet: Uint8Array, now: number): void {
    this.#buffer?.note(packet, now)
  }

  /** A digit that began at `timestamp` has just been reported. */
  digit(timestamp: number, now: number): void {
    this.#digit = { timestamp, at: now }
  }

  /** Writes what is ready. Returns why the recording is over, if it is. */
  tick(now: number): RecordingEnd | undefined {
    const isPatient = this.#hasBegun && this.#waiting < mostWaiting
    this.#drain(isPatient ? now - patienceMs : now, now)
    if (this.#hasBegun && now - this.#takenAt >= longestUnwrittenMs + gapPieceMs) this.#writeGapPiece()
    if (this.#sink.hasFailed) return 'failed'
    const { silenceMs, maxLengthMs } = this.#rules
    // Waits for packets on their way, but not for a silent remote.
    const leadMs = this.#hasBegun && this.#hasSound && now - this.#takenAt <= shortestGapMs ? maxLeadMs : 0
    if (this.#isCut || now - this.#begunAt >= maxLengthMs + leadMs) return 'max-length'
    return silenceMs > 0 && this.#silentMs(now) >= silenceMs ? 'silence' : undefined
  }

  /** Ends it. `done` gets the length kept and the file's size. */
  finish(
    endedBy: RecordingEnd,
    now: number,
    done: (durationMs: number, sizeBytes: number, hasFailed: boolean) => void,
  ): void {
    this.#drain(now + atLast, now)
    let samples = this.#samples - this.#gapSamples
    if (endedBy === 'silence') samples = Math.min(samples, this.#soundUntil + this.#rules.silenceMs * this.#perMs)
    if (endedBy === 'stopped') samples = Math.min(samples, this.#beforeDigit(now))
    if (this.#rules.trimSilence)
      samples = this.#soundUntil === 0 ? 0 : Math.min(samples, this.#soundUntil + trimMarginMs * this.#perMs)
    this.#decoder.free()
    this.#sink.close(samples, (sizeBytes, hasFailed) => {
      done(hasFailed ? 0 : Math.round(samples / this.#perMs), sizeBytes, hasFailed)
    })
  }

  #silentMs(now: number): number {
    if (!this.#hasSound) return now - this.#begunAt
    // What waits may be sound.
    if (this.#waiting > 0) return 0
    const restingMs = now - this.#takenAt - shortestGapMs
    return (this.#samples - this.#soundUntil) / this.#perMs + Math.max(0, restingMs)
  }

  #beforeDigit(now: number): number {
    const key = this.#digit
    if (key === undefined || !this.#hasBegun || now - key.at > digitReactionMs) return this.#samples
    const place = this.#samples + this.#samplesOf(timestampDelta(key.timestamp, this.#nextTime))
    return place >= 0 ? place : this.#samples
  }

  /** Takes from the buffer what is due at `pullAt`. */
  #drain(pullAt: number, now: number): void {
    const buffer = this.#buffer
    if (buffer === undefined) return
    for (;;) {
      const pulled = buffer.pull(pullAt)
      switch (pulled) {
        case 'waiting':
          return
        case 'lost':
          this.#recover(buffer)
          break
        case 'gap':
          this.#writeGap(buffer.units, false)
          break
        case 'frame':
          this.#frame(buffer, now)
          break
        default:
          assertNever(pulled)
      }
    }
  }

  #frame(buffer: JitterBuffer, now: number): void {
    const codec = this.#format.codecs[buffer.framePayloadType]
    if (codec === undefined) return
    if (!this.#hasBegun) this.#nextTime = buffer.frameTimestamp
    const hidden = this.#place(buffer, now)
    this.#hasBegun = true
    this.#isNewClock = false
    this.#gapSamples = 0
    this.#gap.frameWritten((buffer.units * 1000) / this.#clockRate)
    this.#takenAt = now
    const { payload, frameFrom, frameLength } = buffer
    const count = this.#decoder.frameInto(this.#pcm, hidden, codec, payload, frameFrom, frameLength, false)
    this.#nextTime = timestampAfter(this.#nextTime, buffer.units)
    this.#write(hidden + count)
  }

  /** A piece of what was lost. Just before a packet that is at hand only Opus needs it: the others are led up to it. */
  #recover(buffer: JitterBuffer): void {
    const { payload, frameFrom, frameLength, framePayloadType, units } = buffer
    const codec = this.#format.codecs[framePayloadType]
    const count = this.#samplesOf(units)
    if (frameLength === 0 || codec === undefined || count > this.#pcm.length) {
      this.#writeGap(units, true)
    } else if (codec === 'opus') {
      this.#decoder.recoverInto(this.#pcm, 0, count, codec, payload, frameFrom, frameLength)
      this.#nextTime = timestampAfter(this.#nextTime, units)
      this.#write(count)
    }
  }

  #samplesOf(units: number): number {
    return this.#decoder.samplesOf(units, this.#clockRate)
  }

  /**
   * Fills the hole between what was written and the buffer's frame. What is concealed for a loss lies in `#pcm` then, to be
   * written with the frame: returns the samples.
   */
  #place(buffer: JitterBuffer, now: number): number {
    const { frameTimestamp: timestamp } = buffer
    const isOther = buffer.frameJoins || this.#isNewClock
    const unitsPerMs = this.#clockRate / 1000
    const lost = buffer.counters.lost
    const isLoss = lost > this.#lost
    this.#lost = lost
    let hole = timestampDelta(timestamp, this.#nextTime)
    if (hole === 0) return 0
    const passedMs = now - this.#takenAt
    if (isOther || hole < 0 || hole > (passedMs + maxLeadMs) * unitsPerMs) {
      hole = Math.round(this.#gap.leftMs(this.#gapSamples / this.#perMs) * unitsPerMs)
      this.#nextTime = timestampAfter(timestamp, -hole)
    }
    if (isLoss && hole > 0 && hole <= maxConcealedMs * unitsPerMs) {
      const count = this.#samplesOf(hole)
      this.#decoder.concealInto(this.#pcm, 0, count)
      this.#nextTime = timestampAfter(this.#nextTime, hole)
      return count
    }
    this.#writeGap(Math.max(0, hole), false)
    return 0
  }

  /** A piece of a long gap. */
  #writeGapPiece(): void {
    const before = this.#samples
    this.#writeGap((gapPieceMs * this.#clockRate) / 1000, false)
    this.#gapSamples += this.#samples - before
    this.#takenAt += gapPieceMs
  }

  /** Time of which nothing came. */
  #writeGap(units: number, isLoss: boolean): void {
    const piece = (maxConcealedMs * this.#clockRate) / 1000
    for (let left = units; left > 0; left -= piece) {
      const count = this.#samplesOf(Math.min(left, piece))
      if (isLoss) this.#decoder.concealInto(this.#pcm, 0, count)
      else this.#decoder.silenceInto(this.#pcm, 0, count)
      this.#nextTime = timestampAfter(this.#nextTime, Math.min(left, piece))
      this.#write(count)
    }
  }

  #write(count: number): void {
    if (this.#isCut) return
    const isAudible = this.#detector.analyze(this.#pcm, 0, count)
    if (!this.#hasSound) {
      if (!isAudible) {
        this.#leading.add(this.#pcm, count)
        this.#isCut = this.#leading.passed >= this.#rules.maxLengthMs * this.#perMs
        return
      }
      this.#hasSound = true
      this.#append(this.#leading.kept, this.#leading.length)
    }
    this.#append(this.#pcm, count)
    if (isAudible) this.#soundUntil = this.#samples
  }

  #append(pcm: Int16Array, count: number): void {
    const { length, passed } = this.#leading
    const room = this.#rules.maxLengthMs * this.#perMs - (passed - length) - this.#samples
    const kept = Math.min(count, room)
    this.#sink.write(pcm, 0, kept)
    this.#samples += kept
    if (kept === room) this.#isCut = true
  }
}
