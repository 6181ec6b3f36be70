import type { AudioCodec } from '../codec/codec.ts'
import type { RecordingEnd, RecordRules } from '../engine/command.ts'
import type { Concealment } from '../jitter/concealment.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { timestampAfter, timestampDelta } from '../packet/sequence.ts'
import type { RecordingSink } from './recording-sink.ts'

const samplesPerMs = 8
/** Longest packet that is taken: 60 ms of G.711. */
const maxFrame = 480
/** Holes up to this are concealed, longer ones are silence. */
const maxConcealed = 60 * samplesPerMs
/** What `trimSilence` leaves before the first sound and after the last. */
const trimMargin = 100 * samplesPerMs
/** A timestamp further ahead of the clock than this is a new beginning, to be placed by the clock. */
const maxLeadMs = 1000
/** The stream may rest for so long before its rest counts as silence: packets on their way. */
const restMs = 200
/** The order to stop follows on a key within this: then the key, and all after it, is not part of the recording. */
const keyReactionMs = 500
/** Far in the future: what the jitter buffer still waits for has not come. */
const atLast = 60_000

export interface RecorderTools {
  /** Decodes what comes under a payload type; undefined = not audio that was agreed on. */
  codecOf(payloadType: number): AudioCodec | undefined
  /** Hides lost samples, or their want; each piece of the recording passes through one of its three doors. */
  readonly concealment: Concealment
  /** True while a voice is heard. Sees every frame, in order. */
  isAudible(pcm: Int16Array, at: number, count: number): boolean
}

/**
 * Writes down what a far end says. The recording begins with the first packet after it was ordered; from then on the
 * stream is laid out by its timestamps: what is lost is concealed, what was not sent is silence. Not one sample that
 * arrived is altered, stretched or left out.
 */
export class Recorder {
  readonly recordingId: string
  readonly #sink: RecordingSink
  readonly #rules: RecordRules
  readonly #tools: RecorderTools
  readonly #buffer = new JitterBuffer({ keepAll: true, slotLength: maxFrame })
  readonly #pcm = new Int16Array(maxFrame)
  /** With `trimSilence`: the last silence before the first sound. */
  readonly #margin = new Int16Array(trimMargin)
  #marginLength = 0
  readonly #begunAt: number
  #hasBegun = false
  #hasSound: boolean
  /** The RTP timestamp of the next sample, and when its predecessor was taken from the buffer. */
  #nextTime = 0
  #takenAt = 0
  #lost = 0
  #samples = 0
  /** Samples up to the end of the last sound. */
  #soundUntil = 0
  #isCut = false
  #key: { readonly timestamp: number; readonly at: number } | undefined

  constructor(recordingId: string, sink: RecordingSink, rules: RecordRules, tools: RecorderTools, now: number) {
    this.recordingId = recordingId
    this.#sink = sink
    this.#rules = rules
    this.#tools = tools
    this.#begunAt = now
    this.#takenAt = now
    this.#hasSound = !rules.trimSilence
  }

  get late(): number {
    return this.#buffer.counters.late
  }

  /** A packet of audio. */
  push(packet: Uint8Array, length: number, now: number): void {
    this.#buffer.push(packet, length, now)
  }

  /** A packet of the stream that holds no audio: it is not lost. */
  note(packet: Uint8Array, now: number): void {
    this.#buffer.note(packet, now)
  }

  /** A key was pressed that began at `timestamp`, and has just been told. */
  key(timestamp: number, now: number): void {
    this.#key = { timestamp, at: now }
  }

  /** Writes what is ready. Returns why the recording is over, if it is. */
  tick(now: number): RecordingEnd | undefined {
    this.#drain(now, now)
    if (this.#sink.hasFailed) return 'failed'
    const { silenceMs, maxLengthMs } = this.#rules
    if (this.#isCut || now - this.#begunAt >= maxLengthMs + maxLeadMs) return 'max-length'
    if (silenceMs > 0 && this.#silentMs(now) >= silenceMs) return 'silence'
    return undefined
  }

  /** Ends it. `done` gets the length kept and the file's size. */
  finish(
    endedBy: RecordingEnd,
    now: number,
    done: (durationMs: number, sizeBytes: number, hasFailed: boolean) => void,
  ): void {
    this.#drain(now + atLast, now)
    let samples = this.#samples
    if (endedBy === 'silence') samples = Math.min(samples, this.#soundUntil + this.#rules.silenceMs * samplesPerMs)
    if (endedBy === 'stopped') samples = Math.min(samples, this.#beforeKey(now))
    if (this.#rules.trimSilence) samples = this.#soundUntil === 0 ? 0 : Math.min(samples, this.#soundUntil + trimMargin)
    this.#sink.close(samples, (sizeBytes, hasFailed) => {
      done(hasFailed ? 0 : Math.round(samples / samplesPerMs), sizeBytes, hasFailed)
    })
  }

  #silentMs(now: number): number {
    const restingMs = now - this.#takenAt - restMs
    const silentSamples = this.#hasSound ? this.#samples - this.#soundUntil : 0
    if (!this.#hasSound) return now - this.#begunAt
    return silentSamples / samplesPerMs + Math.max(0, restingMs)
  }

  #beforeKey(now: number): number {
    const key = this.#key
    if (key === undefined || !this.#hasBegun || now - key.at > keyReactionMs) return this.#samples
    const place = this.#samples + timestampDelta(key.timestamp, this.#nextTime)
    return place >= 0 ? place : this.#samples
  }

  /** Takes from the buffer what is due at `pullAt`. */
  #drain(pullAt: number, now: number): void {
    const buffer = this.#buffer
    for (;;) {
      const pulled = buffer.pull(pullAt)
      switch (pulled) {
        case 'waiting':
          return
        case 'lost':
        case 'gap':
          this.#pass(buffer.units, pulled === 'lost')
          break
        case 'frame':
          this.#frame(now)
          break
      }
    }
  }

  #frame(now: number): void {
    const buffer = this.#buffer
    const codec = this.#tools.codecOf(buffer.framePayloadType)
    if (codec === undefined) return
    if (this.#hasBegun) this.#place(buffer.frameTimestamp, buffer.frameJoins, now)
    else this.#nextTime = buffer.frameTimestamp
    this.#hasBegun = true
    this.#takenAt = now
    const count = codec.decodeInto(this.#pcm, 0, buffer.payload, buffer.frameFrom, buffer.frameLength)
    this.#tools.concealment.hear(this.#pcm, 0, count)
    this.#nextTime = timestampAfter(this.#nextTime, count)
    this.#write(count)
  }

  /** Fills the hole between what was written and a frame at `timestamp`. */
  #place(timestamp: number, isOther: boolean, now: number): void {
    const lost = this.#buffer.counters.lost
    const isLoss = lost > this.#lost
    this.#lost = lost
    let hole = timestampDelta(timestamp, this.#nextTime)
    if (hole === 0) return
    const passedMs = now - this.#takenAt
    if (isOther || hole < 0 || hole > (passedMs + maxLeadMs) * samplesPerMs) {
      hole = passedMs > restMs ? Math.round(passedMs * samplesPerMs) : 0
      this.#nextTime = timestampAfter(timestamp, -hole)
    }
    while (hole > 0) {
      const count = Math.min(hole, maxFrame)
      this.#pass(count, isLoss && hole <= maxConcealed)
      hole -= count
    }
  }

  /** Time of which nothing came. */
  #pass(units: number, isLoss: boolean): void {
    for (let left = units; left > 0; left -= maxFrame) {
      const count = Math.min(left, maxFrame)
      if (isLoss) this.#tools.concealment.concealInto(this.#pcm, 0, count)
      else this.#tools.concealment.silenceInto(this.#pcm, 0, count)
      this.#nextTime = timestampAfter(this.#nextTime, count)
      this.#write(count)
    }
  }

  #write(count: number): void {
    if (this.#isCut) return
    const isAudible = this.#tools.isAudible(this.#pcm, 0, count)
    if (!this.#hasSound) {
      if (!isAudible) {
        this.#keepMargin(count)
        return
      }
      this.#hasSound = true
      this.#append(this.#margin, this.#marginLength)
    }
    this.#append(this.#pcm, count)
    if (isAudible) this.#soundUntil = this.#samples
  }

  #append(pcm: Int16Array, count: number): void {
    const room = this.#rules.maxLengthMs * samplesPerMs - this.#samples
    const kept = Math.min(count, room)
    this.#sink.write(pcm, 0, kept)
    this.#samples += kept
    if (kept === room) this.#isCut = true
  }

  #keepMargin(count: number): void {
    const kept = Math.min(this.#marginLength, trimMargin - count)
    this.#margin.copyWithin(0, this.#marginLength - kept, this.#marginLength)
    this.#margin.set(this.#pcm.subarray(0, count), kept)
    this.#marginLength = kept + count
  }
}
