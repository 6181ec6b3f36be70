import { Concealment } from '../jitter/concealment.ts'
import { sharedFilter } from '../resample/filter.ts'
import { Resampler } from '../resample/resampler.ts'
import type { AudioDecoder } from './codec.ts'
import { type AudioCodecName, codecFacts, type StreamRate } from './codec-name.ts'
import { pcma, pcmu } from './g711.ts'
import { G722Decoder } from './g722.ts'
import { isOpusDtx, type OpusCoders, type OpusDecoder } from './opus.ts'

/** The longest packet that is taken: 120 ms. */
export const longestPacketMs = 120
/** Opus conceals losses in steps of this. */
const concealStepMs = 10
const leastConcealMs = 2.5
/** Longest concealment; then there is silence. DTX of a remote is another matter. */
const longestConcealedMs = 100

/**
 * A stream's payloads, of whatever codec each is, as samples of one rate; and what hides that some are missing:
 * G.711 appendix I's manner, or Opus' own.
 */
export class StreamDecoder {
  readonly sampleRate: StreamRate
  readonly #coders: OpusCoders
  readonly #keepsArrived: boolean
  readonly #concealment: Concealment
  /** Room for samples of another rate, made at the first need. */
  #native: Int16Array | undefined
  #g722: G722Decoder | undefined
  #opus: OpusDecoder | undefined
  #hasAsked = false
  #isFree = false
  #resampler: Resampler | undefined
  #resamplesFrom = 0
  /** The last that was decoded was Opus, and how long since then. */
  #isOpus = false
  #isDtx = false
  #concealedMs = 0
  /** The last audio fills a wait. */
  #waits = false

  /** `keepsArrived`: what is concealed fits on what comes after it, not the other way round. */
  constructor(sampleRate: StreamRate, coders: OpusCoders, keepsArrived = false) {
    this.sampleRate = sampleRate
    this.#coders = coders
    this.#keepsArrived = keepsArrived
    this.#concealment = new Concealment(sampleRate)
  }

  /** The remote is silent (DTX) as Opus reported. */
  get isDtx(): boolean {
    return this.#isDtx
  }

  /** Samples that are still in the filter when a codec of another rate follows: its audio is delayed by as much. */
  lagOf(codec: AudioCodecName): number {
    return codec === 'opus' || codecFacts[codec].sampleRate === this.sampleRate
      ? 0
      : Math.ceil(
          (sharedFilter(codecFacts[codec].sampleRate, this.sampleRate).half * this.sampleRate) /
            codecFacts[codec].sampleRate,
        )
  }

  samplesOf(units: number, clockRate: number): number {
    return Math.round((units * this.sampleRate) / clockRate)
  }

  /** Payloads of this codec are to be decoded soon: a decoder of Opus takes a moment to be made. */
  prepare(codec: AudioCodecName): void {
    if (codec === 'opus' && !this.#hasAsked) this.#askForOpus()
  }

  /**
   * Decodes a payload into `pcm[at]` on and returns the samples. `joins`: audio before it was left out. After a wait it
   * begins where it fits on. There must be room for 120 ms and the filter's length.
   */
  frameInto(
    pcm: Int16Array,
    at: number,
    codec: AudioCodecName,
    payload: Uint8Array,
    from: number,
    length: number,
    joins: boolean,
  ): number {
    if (codec === 'opus') return this.#opusInto(pcm, at, payload, from, length)
    const count = this.#plainInto(pcm, at, codec, payload, from, length)
    if (this.#keepsArrived) {
      this.#concealment.keep(pcm, at, count)
      return count
    }
    if (this.#waits) {
      this.#waits = false
      return this.#concealment.resume(pcm, at, count)
    }
    this.#concealment.receive(pcm, at, count, joins)
    return count
  }

  /** What should be played now may still come: fills `count` samples of waiting, after which nothing is missing. */
  waitInto(pcm: Int16Array, at: number, count: number): void {
    this.concealInto(pcm, at, count)
    this.#waits = !this.#isOpus
  }

  /** What was waited for was lost: its time is over. */
  passOver(): void {
    this.#waits = false
  }

  #plainInto(
    pcm: Int16Array,
    at: number,
    codec: Exclude<AudioCodecName, 'opus'>,
    payload: Uint8Array,
    from: number,
    length: number,
  ): number {
    this.#isOpus = false
    this.#isDtx = false
    const nativeRate = codecFacts[codec].sampleRate
    const decoder = this.#decoderOf(codec)
    if (nativeRate === this.sampleRate) return decoder.decodeInto(pcm, at, payload, from, length)
    this.#native ??= new Int16Array(longestPacketMs * 16)
    const decoded = decoder.decodeInto(this.#native, 0, payload, from, length)
    return this.#resamplerFrom(nativeRate).pushInto(pcm, at, this.#native, 0, decoded)
  }

  /** Hides a loss of `count` samples. */
  concealInto(pcm: Int16Array, at: number, count: number): void {
    if (!this.#isOpus) {
      this.#concealment.concealInto(pcm, at, count)
      return
    }
    const step = (concealStepMs * this.sampleRate) / 1000
    let done = 0
    while (done < count && (this.#isDtx || this.#concealedMs < longestConcealedMs)) {
      const added =
        count - done >= step ? this.#ownInto(pcm, at + done, step) : this.#partInto(pcm, at + done, count - done)
      if (added === 0) break
      done += added
      this.#concealedMs += concealStepMs
    }
    pcm.fill(0, at + done, at + count)
  }

  /** `count` samples by Opus' own means; 0 = it cannot. */
  #ownInto(pcm: Int16Array, at: number, count: number): number {
    return this.#opus?.concealInto(pcm, at, count) === count ? count : 0
  }

  /** Less than a step of that, cut off one that is a little longer. */
  #partInto(pcm: Int16Array, at: number, count: number): number {
    const least = (leastConcealMs * this.sampleRate) / 1000
    this.#native ??= new Int16Array(longestPacketMs * 16)
    if (this.#ownInto(this.#native, 0, Math.ceil(count / least) * least) === 0) return 0
    for (let i = 0; i < count; i++) pcm[at + i] = this.#native[i]!
    return count
  }

  /** Hides a loss of `count` samples just before a packet that is at hand, and may hold a copy of what it was. */
  recoverInto(
    pcm: Int16Array,
    at: number,
    count: number,
    codec: AudioCodecName,
    payload: Uint8Array,
    from: number,
    length: number,
  ): void {
    const isWhole = count % ((2.5 * this.sampleRate) / 1000) === 0
    if (codec === 'opus' && this.#isOpus && isWhole) {
      if (this.#opus?.recoverInto(pcm, at, count, payload, from, length) === count) return
    }
    this.concealInto(pcm, at, count)
  }

  /** Silence that the remote meant. */
  silenceInto(pcm: Int16Array, at: number, count: number): void {
    this.#concealment.silenceInto(pcm, at, count)
  }

  free(): void {
    this.#isFree = true
    this.#opus?.free()
    this.#opus = undefined
  }

  #decoderOf(codec: Exclude<AudioCodecName, 'opus'>): AudioDecoder {
    switch (codec) {
      case 'PCMU':
        return pcmu
      case 'PCMA':
        return pcma
      case 'G722':
        this.#g722 ??= new G722Decoder()
        return this.#g722
    }
  }

  #opusInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number {
    const expected = this.samplesOf(codecFacts.opus.unitsIn(payload, from, length), codecFacts.opus.clockRate)
    this.prepare('opus')
    this.#isOpus = true
    const count = this.#opus?.decodeInto(pcm, at, payload, from, length) ?? 0
    if (count === 0) {
      this.concealInto(pcm, at, expected)
      return expected
    }
    this.#isDtx = isOpusDtx(length)
    this.#concealedMs = 0
    return count
  }

  #askForOpus(): void {
    this.#hasAsked = true
    this.#coders.decoder(this.sampleRate, decoder => {
      if (this.#isFree) decoder?.free()
      else this.#opus = decoder
    })
  }

  #resamplerFrom(rate: number): Resampler {
    if (this.#resampler === undefined || this.#resamplesFrom !== rate) {
      this.#resampler = new Resampler(rate, this.sampleRate, sharedFilter(rate, this.sampleRate))
      this.#resamplesFrom = rate
    }
    return this.#resampler
  }
}
