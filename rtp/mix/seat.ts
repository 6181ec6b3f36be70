import type { AudioCodecName } from '../codec/codec-name.ts'
import type { OpusWishes } from '../codec/stream-encoder.ts'
import type { MixRate } from './mix-rate.ts'

/** What a member is sent. Another object whenever something in it has changed. */
export interface SeatFormat {
  readonly codec: AudioCodecName
  readonly opus?: OpusWishes
  /** Audio in a packet, 10 to 60 ms. */
  readonly frameMs: number
}

/** One leg's place in a room: what the room reads of it, and reports to it. */
export interface Seat {
  /** Undefined until something is agreed on. */
  readonly format: SeatFormat | undefined
  /** False while it plays something else, or nothing: a frame for it would be thrown away. */
  readonly receivesMix: boolean
  /** What its remote loses, 0 to 100. */
  readonly lossPercent: number
  /** The next `count` samples of its remote's audio. */
  readInto(pcm: Int16Array, count: number, rate: MixRate, now: number): void
  /** `length` bytes of what it receives, in its codec, for a packet due at `at`; 0 = there is none for this frame. */
  sendMix(payload: Uint8Array, length: number, at: number, now: number): void
  /** It is read no more. */
  release(): void
}
