import type { MixBus } from './mix-bus.ts'
import { mixFrameMs, mixRates, samplesOfFrame } from './mix-rate.ts'

/** Frames that lie between threads; a power of two. */
const slots = 8
/** Frames by which a part is read later than it was made: threads tick at different moments, and may stall. */
export const linkLagFrames = 2
/** The slot is being written. */
const unsettled = -1
const samplesOfSlot = mixRates.reduce((sum, rate) => sum + samplesOfFrame(rate), 0)
/** Words of a slot: the number of its frame, which rates in it are not silent, then the sums. */
const wordsOfSlot = 2 + samplesOfSlot
const offsets = mixRates.map((_, at) => mixRates.slice(0, at).reduce((sum, rate) => sum + samplesOfFrame(rate), 0))

/** Bytes of the memory that the parts of a room on `threads` threads share. Untouched parts of it cost nothing. */
export const linkBytesOf = (threads: number): number => threads * slots * wordsOfSlot * 4

/** Plain data: the memory of a room, and which part of it is this thread's to write. */
export interface SharedRoom {
  readonly memory: SharedArrayBuffer
  readonly part: number
  readonly parts: number
  /** When its frames are due, from those moments on that are whole frames of the common clock. */
  readonly phaseMs: number
}

/**
 * One room on several threads: each writes the sum of its own members into shared memory, a frame every 20 ms of a
 * clock that all share, and reads those of the others two frames later. No RTP and no message goes between threads; a
 * thread that stalls or dies is silent for the others.
 */
export class RoomLink {
  readonly #words: Int32Array
  readonly #part: number
  readonly #parts: number
  /** The room's clock when this thread's shows 0. */
  readonly #clockOffsetMs: number

  /** `clockOffsetMs`: what is to be added to this thread's times for those that all threads share. */
  constructor(shared: SharedRoom, clockOffsetMs: number) {
    this.#words = new Int32Array(shared.memory)
    this.#part = shared.part
    this.#parts = shared.parts
    this.#clockOffsetMs = clockOffsetMs - shared.phaseMs
  }

  /** The first time of this thread, from `now` on, at which all threads make a frame. */
  frameAfter(now: number): number {
    return Math.ceil((now + this.#clockOffsetMs) / mixFrameMs) * mixFrameMs - this.#clockOffsetMs
  }

  /** Writes what is said on this thread in the frame of `at`, and adds what was said on the others. */
  exchange(bus: MixBus, at: number): void {
    const frame = Math.round((at + this.#clockOffsetMs) / mixFrameMs)
    this.#write(bus, frame)
    for (let part = 0; part < this.#parts; part++) if (part !== this.#part) this.#read(bus, part, frame - linkLagFrames)
  }

  #write(bus: MixBus, frame: number): void {
    const slot = this.#slotOf(this.#part, frame)
    const words = this.#words
    Atomics.store(words, slot, unsettled)
    let sounding = 0
    for (let i = 0; i < mixRates.length; i++) {
      const rate = mixRates[i]!
      if (bus.isSilentAt(rate)) continue
      sounding |= 1 << i
      words.set(bus.sumOf(rate), slot + 2 + offsets[i]!)
    }
    words[slot + 1] = sounding
    Atomics.store(words, slot, stampOf(frame))
  }

  #read(bus: MixBus, part: number, frame: number): void {
    const slot = this.#slotOf(part, frame)
    const words = this.#words
    // It will not be written again before this thread has stalled for five frames more.
    if (Atomics.load(words, slot) !== stampOf(frame)) return
    const sounding = words[slot + 1]!
    for (let i = 0; i < mixRates.length; i++) {
      if ((sounding & (1 << i)) !== 0) bus.addSum(mixRates[i]!, words, slot + 2 + offsets[i]!)
    }
  }

  #slotOf(part: number, frame: number): number {
    return (part * slots + (frame & (slots - 1))) * wordsOfSlot
  }
}

/** Never 0, which is what fresh memory holds, and never `unsettled`. */
const stampOf = (frame: number): number => (frame & 0x3fff_ffff) + 1
