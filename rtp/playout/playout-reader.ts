import { assertNever } from '../base/assert-never.ts'
import { type AudioCodecName, codecFacts, type StreamRate } from '../codec/codec-name.ts'
import { ComfortNoise, noiseLevelOf } from '../codec/comfort-noise.ts'
import { isOpusRepair, type OpusCoders } from '../codec/opus.ts'
import { longestPacketMs, StreamDecoder } from '../codec/stream-decoder.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { noPlayout, type PlayoutCounters, playoutSum } from '../jitter/playout-counters.ts'
import { leastCutMs, mostCutMs, repeatMs, Stretch } from '../jitter/stretch.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, timestampOf } from '../packet/header.ts'
import { timestampDelta } from '../packet/sequence.ts'

/** What is asked for at once, at most, and what the longest packet may add, with some for a filter's length and a repeat. */
const longestReadMs = 60
const roomMs = longestReadMs + longestPacketMs + 40
/** Little enough that a quiet network needs no stretching, once it is known to be quiet. */
const firstDelayMs = 20
/** After a longer wait the remote counts as silent, and nothing more is concealed. */
const longestConcealedMs = 100
/** A reader that pauses for longer continues with the packets that arrive then. */
const longestReadGapMs = 200
const none = 128

/**
 * Where samples come from: the remote sent them, or meant their silence; they stand in for a packet that is lost; or they
 * fill the time until the next packet comes, and what it holds follows what was sent before.
 */
export type SampleOrigin = 'sent' | 'lost' | 'late'

/** Receives the audio of a `PlayoutReader` as it is read. */
export interface SampleListener {
  /** `count` samples from `pcm[from]` on; `endTime`: the RTP time where they end, undefined for what no packet holds. */
  samples(pcm: Int16Array, from: number, count: number, endTime: number | undefined, origin: SampleOrigin): void
}

/**
 * The read side of a leg's jitter buffer: puts packets in order, decodes them, conceals losses and fills silence.
 * Every read returns as many samples as were asked for.
 */
export class PlayoutReader {
  readonly sampleRate: StreamRate
  /** Receives all that is read. */
  listener: SampleListener | undefined
  readonly #decoder: StreamDecoder
  readonly #noise = new ComfortNoise()
  readonly #codecs: readonly (AudioCodecName | undefined)[]
  readonly #stretch: Stretch
  /** What was read last, as much as a repeat looks back, and from `#past` on `#held` samples that were not yet. */
  readonly #pcm: Int16Array
  readonly #past: number
  #held = 0
  #buffer: JitterBuffer | undefined
  #clockRate = 0
  /** Payload type for which the resampler's delay has already been filled with silence. */
  #lagFor = none
  #readAt = -1
  #isNoisy = false
  #noiseTime = 0
  /** What became of packets in buffers before the present one. */
  #previousCounters = noPlayout
  /** Samples that were concealed for what was lost or late, in all and since the last packet. */
  #concealed = 0
  #concealedInWait = Infinity
  /** The last frame was concealed for a loss. */
  #isAfterLoss = false
  /** Packets that were lost before the wait. */
  #lostBefore = 0

  /** `codecs`: by payload type, as agreed on. */
  constructor(sampleRate: StreamRate, codecs: readonly (AudioCodecName | undefined)[], coders: OpusCoders) {
    this.sampleRate = sampleRate
    this.#codecs = codecs
    this.#decoder = new StreamDecoder(sampleRate, coders)
    this.#stretch = new Stretch(sampleRate)
    this.#past = (mostCutMs * sampleRate) / 1000
    this.#pcm = new Int16Array(this.#past + (roomMs * sampleRate) / 1000)
  }

  /** Lost, late and dropped packets of this stream; undefined before the first. */
  get buffer(): JitterBuffer | undefined {
    return this.#buffer
  }

  /** When it was last read; −1 = never. */
  get readAt(): number {
    return this.#readAt
  }

  /** What became of the remote's sound so far. */
  get playout(): PlayoutCounters {
    const { lost, late, dropped, acceleratedMs, expandedMs } = this.#buffer?.counters ?? noPlayout
    const concealedMs = (this.#concealed * 1000) / this.sampleRate
    return playoutSum(this.#previousCounters, { lost, late, dropped, concealedMs, acceleratedMs, expandedMs })
  }

  /** Sound that is ready to be read. */
  get heldMs(): number {
    return (this.#held * 1000) / this.sampleRate
  }

  /** A packet of audio. */
  push(packet: Uint8Array, length: number, now: number): void {
    const codec = this.#codecs[payloadTypeOf(packet)]
    if (codec === undefined) return
    const { clockRate, unitsIn, longestPayload } = codecFacts[codec]
    if (unitsIn(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length)) === 0) return
    if (this.#buffer === undefined || clockRate !== this.#clockRate) {
      this.#clockRate = clockRate
      this.#previousCounters = this.playout
      this.#concealed = 0
      this.#buffer = new JitterBuffer({
        stretches: true,
        firstDelayMs,
        clockRate,
        unitsIn,
        slotLength: longestPayload,
        ...(codec === 'opus' ? { repairs: isOpusRepair } : {}),
      })
      this.#readAt = now
    }
    if (now - this.#readAt > longestReadGapMs) {
      this.#buffer.skip()
      this.#held = 0
      this.#readAt = now
    }
    this.#decoder.prepare(codec)
    this.#buffer.push(packet, length, now)
  }

  /** A packet of the stream that holds no audio: it is not lost. */
  noteWithoutAudio(packet: Uint8Array, now: number): void {
    this.#buffer?.note(packet, now)
  }

  /** The remote is silent (DTX), and describes how its silence sounds (RFC 3389). */
  comfortNoise(packet: Uint8Array, length: number, now: number): void {
    this.noteWithoutAudio(packet, now)
    this.#noise.level = noiseLevelOf(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length))
    this.#noiseTime = timestampOf(packet)
    this.#isNoisy = true
  }

  /** The next `count` samples, up to 60 ms, at `pcm[at]`. */
  readInto(pcm: Int16Array, at: number, count: number, now: number): void {
    this.#readAt = now
    for (;;) {
      if (this.#held < count) this.#pull(count - this.#held, now)
      else if (this.#isTooShortToCut) this.#pull(1, now + (count * 1000) / this.sampleRate)
      else break
    }
    const own = this.#pcm
    const past = this.#past
    for (let i = 0; i < count; i++) pcm[at + i] = own[past + i]!
    own.copyWithin(0, count, past + this.#held)
    this.#held -= count
  }

  free(): void {
    this.#decoder.free()
  }

  /** Something is to be left out, and a packet more would give a place for it. */
  get #isTooShortToCut(): boolean {
    const buffer = this.#buffer
    return buffer?.wish === 'shrink' && this.heldMs < mostCutMs && buffer.isNextReady
  }

  /** Where the next sample belongs. */
  get #end(): number {
    return this.#past + this.#held
  }

  /** Adds at least a sample, which is needed at `now`; what has to be concealed is concealed for `wanted`. */
  #pull(wanted: number, now: number): void {
    const buffer = this.#buffer
    if (buffer === undefined) {
      this.#silence(wanted)
      return
    }
    const pulled = buffer.pull(now, this.#readAt + this.heldMs)
    switch (pulled) {
      case 'frame':
        this.#frame(buffer, now)
        return
      case 'lost': {
        const { payload, frameFrom, frameLength, framePayloadType } = buffer
        const codec = this.#codecs[framePayloadType]
        const count = this.#room(this.#decoder.samplesOf(buffer.units, this.#clockRate))
        this.#endWait(buffer)
        this.#isAfterLoss = true
        if (frameLength === 0 || codec === undefined) this.#decoder.concealInto(this.#pcm, this.#end, count)
        else this.#decoder.recoverInto(this.#pcm, this.#end, count, codec, payload, frameFrom, frameLength)
        this.#concealed += count
        this.#add(count, undefined, 'lost')
        return
      }
      case 'gap':
        this.#fillSilence(this.#room(this.#decoder.samplesOf(buffer.units, this.#clockRate)))
        return
      case 'waiting':
        this.#wait(wanted)
        return
      default:
        assertNever(pulled)
    }
  }

  #frame(buffer: JitterBuffer, now: number): void {
    const { payload, frameFrom, frameLength, framePayloadType, frameTimestamp, frameJoins } = buffer
    const codec = this.#codecs[framePayloadType]
    // Agreed on no more.
    if (codec === undefined) {
      this.#silence(this.#decoder.samplesOf(buffer.units, this.#clockRate))
      return
    }
    if (framePayloadType !== this.#lagFor) {
      this.#lagFor = framePayloadType
      this.#silence(this.#decoder.lagOf(codec))
    }
    if (timestampDelta(frameTimestamp, this.#noiseTime) > 0) this.#isNoisy = false
    this.#endWait(buffer)
    const joins = frameJoins || this.#isAfterLoss
    this.#isAfterLoss = false
    const count = this.#decoder.frameInto(this.#pcm, this.#end, codec, payload, frameFrom, frameLength, joins)
    this.#add(count, (frameTimestamp + buffer.units) >>> 0)
    if (buffer.wish !== 'keep') this.#stretchFor(buffer, now)
  }

  /** Sound goes on; what was waited for may have been lost. */
  #endWait(buffer: JitterBuffer): void {
    if (this.#concealedInWait > 0 && buffer.counters.lost > this.#lostBefore) {
      this.#decoder.passOver()
      this.#isAfterLoss = true
    }
    this.#concealedInWait = 0
  }

  /** Leaves out or repeats a period of what was not read yet, where it fits. */
  #stretchFor(buffer: JitterBuffer, now: number): void {
    const { heldMs } = this
    let samples = 0
    if (buffer.wish === 'grow') {
      if (heldMs >= repeatMs) samples = this.#stretch.repeat(this.#pcm, this.#end, buffer.isUrgent(now))
    } else if (heldMs >= mostCutMs || (heldMs >= leastCutMs && !buffer.isNextReady)) {
      samples = -this.#stretch.cut(this.#pcm, this.#past, this.#end, buffer.isUrgent(now))
    }
    if (samples === 0) return
    this.#held += samples
    buffer.stretched((samples * 1000) / this.sampleRate, now)
  }

  /** No packet came in time: as after a loss, unless the remote is silent (DTX). */
  #wait(wanted: number): void {
    const count = this.#room(wanted)
    if (this.#concealedInWait === Infinity) {
      this.#silence(count)
      return
    }
    if (this.#isNoisy || this.#decoder.isDtx) {
      this.#fillSilence(count)
      return
    }
    this.#decoder.waitInto(this.#pcm, this.#end, count)
    if (this.#concealedInWait === 0) this.#lostBefore = this.#buffer?.counters.lost ?? 0
    this.#concealedInWait += count
    if (this.#concealedInWait <= (longestConcealedMs * this.sampleRate) / 1000) {
      this.#concealed += count
    }
    this.#add(count, undefined, 'late')
  }

  /** The remote sent nothing and meant it. */
  #fillSilence(count: number): void {
    if (this.#isNoisy) this.#noise.fillInto(this.#pcm, this.#end, count)
    else if (this.#decoder.isDtx) this.#decoder.concealInto(this.#pcm, this.#end, count)
    else this.#decoder.silenceInto(this.#pcm, this.#end, count)
    this.#add(count)
  }

  #silence(count: number): void {
    const fits = this.#room(count)
    this.#decoder.silenceInto(this.#pcm, this.#end, fits)
    this.#add(fits)
  }

  #room(count: number): number {
    return Math.max(0, Math.min(count, this.#pcm.length - this.#end))
  }

  #add(count: number, endTime?: number, origin: SampleOrigin = 'sent'): void {
    this.listener?.samples(this.#pcm, this.#end, count, endTime, origin)
    this.#held += count
  }
}
