import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'
import { ComfortNoise, noiseLevelOf } from '../codec/comfort-noise.ts'
import type { OpusCoders } from '../codec/opus.ts'
import { longestPacketMs, StreamDecoder } from '../codec/stream-decoder.ts'
import { JitterBuffer } from '../jitter/jitter-buffer.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, timestampOf } from '../packet/header.ts'
import { timestampDelta } from '../packet/sequence.ts'

/** What is asked for at once, at most, and what the longest packet may add to it, with some for a filter's length. */
const longestReadMs = 60
const roomMs = longestReadMs + longestPacketMs + 20
/** Opus makes up losses in steps of this. */
const fillStepMs = 10
/** Who has not listened for so long goes on with what comes then. */
const deafMs = 200
const none = 128

/** Hears what an ear reads, as it is read. */
export interface Listener {
  /** `count` samples from `pcm[from]` on; `endTime`: the RTP time where they end, undefined for what was made up. */
  hear(pcm: Int16Array, from: number, count: number, endTime: number | undefined): void
}

/**
 * A leg's far end as samples, read by somebody's clock: its packets put in order, decoded, losses hidden, rests filled.
 * Whoever reads gets as much as was asked for, always.
 */
export class Ear {
  readonly sampleRate: 8000 | 16_000
  /** Hears all that is read. */
  listener: Listener | undefined
  readonly #decoder: StreamDecoder
  readonly #noise = new ComfortNoise()
  readonly #codecs: readonly (AudioCodecName | undefined)[]
  readonly #pcm: Int16Array
  #held = 0
  #buffer: JitterBuffer | undefined
  #clockRate = 0
  /** The filter's length was made up for, for packets of this payload type. */
  #lagFor = none
  #readAt = -1
  #isNoisy = false
  #noiseTime = 0

  /** `codecs`: by payload type, as agreed on. */
  constructor(sampleRate: 8000 | 16_000, codecs: readonly (AudioCodecName | undefined)[], coders: OpusCoders) {
    this.sampleRate = sampleRate
    this.#codecs = codecs
    this.#decoder = new StreamDecoder(sampleRate, coders)
    this.#pcm = new Int16Array((roomMs * sampleRate) / 1000)
  }

  /** Lost, late and dropped packets of this stream; undefined before the first. */
  get buffer(): JitterBuffer | undefined {
    return this.#buffer
  }

  /** When it was last read; −1 = never. */
  get readAt(): number {
    return this.#readAt
  }

  /** A packet of audio. */
  push(packet: Uint8Array, length: number, now: number): void {
    const codec = this.#codecs[payloadTypeOf(packet)]
    if (codec === undefined) return
    const { clockRate, unitsIn, longestPayload } = codecFacts[codec]
    if (unitsIn(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length)) === 0) return
    if (this.#buffer === undefined || clockRate !== this.#clockRate) {
      this.#clockRate = clockRate
      this.#buffer = new JitterBuffer({ clockRate, unitsIn, slotLength: longestPayload })
      this.#readAt = now
    }
    if (now - this.#readAt > deafMs) {
      this.#buffer.skip()
      this.#held = 0
      this.#readAt = now
    }
    this.#buffer.push(packet, length, now)
  }

  /** A packet of the stream that holds no audio: it is not lost. */
  note(packet: Uint8Array, now: number): void {
    this.#buffer?.note(packet, now)
  }

  /** The far end rests, and tells how its silence sounds (RFC 3389). */
  rest(packet: Uint8Array, length: number, now: number): void {
    this.note(packet, now)
    this.#noise.level = noiseLevelOf(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length))
    this.#noiseTime = timestampOf(packet)
    this.#isNoisy = true
  }

  /** The next `count` samples, up to 60 ms, at `pcm[at]`. */
  readInto(pcm: Int16Array, at: number, count: number, now: number): void {
    this.#readAt = now
    while (this.#held < count) this.#pull(count - this.#held, now)
    const own = this.#pcm
    for (let i = 0; i < count; i++) pcm[at + i] = own[i]!
    own.copyWithin(0, count, this.#held)
    this.#held -= count
  }

  free(): void {
    this.#decoder.free()
  }

  /** Adds at least a sample; what has to be made up is made up for `wanted`. */
  #pull(wanted: number, now: number): void {
    const buffer = this.#buffer
    if (buffer === undefined) {
      this.#silence(wanted)
      return
    }
    switch (buffer.pull(now)) {
      case 'frame':
        this.#frame(buffer)
        return
      case 'lost': {
        const { payload, frameFrom, frameLength, framePayloadType } = buffer
        const codec = this.#codecs[framePayloadType]
        const count = this.#room(this.#decoder.samplesOf(buffer.units, this.#clockRate))
        if (frameLength === 0 || codec === undefined) this.#decoder.concealInto(this.#pcm, this.#held, count)
        else this.#decoder.recoverInto(this.#pcm, this.#held, count, codec, payload, frameFrom, frameLength)
        this.#add(count)
        return
      }
      case 'gap':
        this.#rest(this.#room(this.#decoder.samplesOf(buffer.units, this.#clockRate)))
        return
      case 'waiting':
        this.#wait(wanted)
        return
    }
  }

  #frame(buffer: JitterBuffer): void {
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
    const count = this.#decoder.frameInto(this.#pcm, this.#held, codec, payload, frameFrom, frameLength, frameJoins)
    this.#add(count, (frameTimestamp + buffer.units) >>> 0)
  }

  /** Nothing came in time: as after a loss, unless the far end rests. */
  #wait(wanted: number): void {
    if (this.#isNoisy) {
      this.#rest(wanted)
      return
    }
    const step = (fillStepMs * this.sampleRate) / 1000
    const count = this.#room(Math.ceil(wanted / step) * step)
    this.#decoder.concealInto(this.#pcm, this.#held, count)
    this.#add(count)
  }

  /** The far end sent nothing and meant it. */
  #rest(count: number): void {
    if (this.#isNoisy) this.#noise.fillInto(this.#pcm, this.#held, count)
    else if (this.#decoder.rests) this.#decoder.concealInto(this.#pcm, this.#held, count)
    else this.#decoder.silenceInto(this.#pcm, this.#held, count)
    this.#add(count)
  }

  #silence(count: number): void {
    const fits = this.#room(count)
    this.#decoder.silenceInto(this.#pcm, this.#held, fits)
    this.#add(fits)
  }

  #room(count: number): number {
    return Math.max(0, Math.min(count, this.#pcm.length - this.#held))
  }

  #add(count: number, endTime?: number): void {
    this.listener?.hear(this.#pcm, this.#held, count, endTime)
    this.#held += count
  }
}
