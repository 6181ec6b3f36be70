import { codecFacts } from '../codec/codec-name.ts'
import { opusFrameMs } from '../codec/opus.ts'
import type { EngineCodec } from '../contract/agreement.ts'
import { timestampAfter } from '../packet/sequence.ts'
import type { FrameClock } from './frame-clock.ts'
import type { OutgoingStream } from './outgoing-stream.ts'

/** Work of an encoder, against that of passing bytes on. */
const opusCost = 4

/** The clock of what is sent: when frames are due, and what the stream's timestamps count meanwhile. */
export class StreamClock {
  readonly frames: FrameClock
  readonly #stream: OutgoingStream
  #codec: EngineCodec | undefined
  #unitsPerMs = 8

  constructor(frames: FrameClock, stream: OutgoingStream) {
    this.frames = frames
    this.#stream = stream
  }

  get unitsPerMs(): number {
    return this.#unitsPerMs
  }
  /** What a frame's time adds to a timestamp. */
  get frameUnits(): number {
    return this.frames.frameMs * this.#unitsPerMs
  }

  /** Where the stream's clock stands, for sender reports. */
  rtpTimeAt(now: number): number {
    const { dueAt } = this.frames
    const aheadMs = dueAt < 0 ? 0 : dueAt - now
    return timestampAfter(this.#stream.timestamp, Math.round(-aheadMs * this.#unitsPerMs))
  }

  /** Frames of `ptimeMs`; of Opus always of 20 ms, several of which may become one packet. Returns true when the stream goes on as another source. */
  agree(codec: EngineCodec, ptimeMs: number): boolean {
    const unitsPerMs = codecFacts[codec].clockRate / 1000
    const isOther = this.#codec !== undefined && unitsPerMs !== this.#unitsPerMs
    this.#codec = codec
    this.#unitsPerMs = unitsPerMs
    this.frames.frameMs = codec === 'opus' ? opusFrameMs : ptimeMs
    if (isOther) this.#stream.renew()
    return isOther
  }

  /** The media clock has gone on while nothing was sent. */
  resume(now: number): void {
    const frames = this.frames.resume(this.#codec === 'opus' ? opusCost : 1, now)
    if (frames > 0) this.pass(frames)
  }

  /** Advances by `frames` without sending. */
  pass(frames: number): void {
    this.#stream.skip(frames * this.frameUnits)
    this.#stream.mark()
  }
}
