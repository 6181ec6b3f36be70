import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { timestampDelta } from '../packet/sequence.ts'
import type { TrackCodecs, TrackDecoder } from './track-decoder.ts'
import type { TrackLine } from './track-line.ts'
import { TrackWriter } from './track-writer.ts'

const rate = 8000
/** Ticks vary a little; sent audio continues as its timestamps say, and is played so. */
const toleratedSamples = 0.008 * rate
/** Beyond it there was a pause. */
const pauseSamples = 0.02 * rate
const longestPacket = 0.12 * rate

/**
 * What we send, on its way into a recording: laid by its timestamps, which follow each other without a hole however
 * unevenly the packets left. Where their time leaves ours it is followed in a pause, as after what was passed on, and
 * else by a sample a packet.
 */
export class SentTrack {
  readonly #codecs: TrackCodecs
  readonly #decoder: TrackDecoder
  readonly #writer: TrackWriter
  readonly #pcm = new Int16Array(longestPacket)
  #hasBegun = false
  #ssrc = 0
  #clockRate = 0
  /** A timestamp, and its place. */
  #timestamp = 0
  #place = 0

  constructor(line: TrackLine, side: 'left' | 'right', codecs: TrackCodecs) {
    this.#codecs = codecs
    this.#decoder = codecs.decoder()
    this.#writer = new TrackWriter(line, side)
  }

  /** A packet that is played from `place` on, as far as we know. */
  push(packet: Uint8Array, length: number, place: number): void {
    const type = payloadTypeOf(packet)
    const codec = this.#codecs.codecOf(type)
    if (codec === undefined) return
    this.#follow(packet, codec.clockRate, place)
    const bytes = payloadLengthOf(packet, length)
    const count = this.#decoder.frameInto(this.#pcm, 0, type, packet, payloadOffsetOf(packet), bytes)
    this.#writer.write(this.#place, this.#pcm, count)
  }

  free(): void {
    this.#decoder.free()
  }

  #follow(packet: Uint8Array, clockRate: number, place: number): void {
    const timestamp = timestampOf(packet)
    const isSame = this.#hasBegun && ssrcOf(packet) === this.#ssrc && clockRate === this.#clockRate
    const passed = (timestampDelta(timestamp, this.#timestamp) * rate) / clockRate
    const expected = Math.round(this.#place + passed)
    const error = place - expected
    const { end } = this.#writer
    const isOff = Math.abs(error) > toleratedSamples
    const isPause = Math.abs(error) > pauseSamples || (isOff && expected > end)
    if (!isSame || isPause) this.#place = Math.max(place, end)
    else this.#place = expected + (isOff ? Math.sign(error) : 0)
    this.#hasBegun = true
    this.#ssrc = ssrcOf(packet)
    this.#clockRate = clockRate
    this.#timestamp = timestamp
  }
}
