import type { TickSlots } from './tick-slots.ts'

/** Most frames sent at once after a stall. Frames beyond these are skipped; their timestamps still advance. */
export const maxCatchUpFrames = 10
/** Half a tick of the media clock. */
const earlyMs = 2.5
/** A tick may come this much before its time, where ticks are only as exact as timers. */
const tickEarlyMs = 1
const pullShare = 0.05
/** Frames are made one tick before they are sent: a stall of less than this makes no packet late. */
export const aheadMs = 5

/** When a leg's frames of our own are due: one every `frameMs`, by the clock. */
export class FrameClock {
  frameMs = 20
  /** Times that a stall was too long to be caught up. */
  stalls = 0
  readonly #slots: TickSlots
  #slot = 0
  #cost = 0
  #dueAt = -1
  #isPaused = true
  /** Since the tick began. */
  #frames = 0
  #idleUntil = 0
  /** Called by `wake`. */
  onWake: () => void = () => {}

  constructor(slots: TickSlots) {
    this.#slots = slots
  }

  /** Due time of the next frame; −1 before the first. */
  get dueAt(): number {
    return this.#dueAt
  }
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** No frame of ours is due until something happens: most legs only forward most of the time. */
  isIdle(now: number): boolean {
    return now < this.#idleUntil
  }
  get idleUntil(): number {
    return this.#idleUntil
  }
  set idleUntil(at: number) {
    this.#idleUntil = at
  }
  /** Frames go on as they do: nothing is due before the next one. */
  idleUntilDue(): void {
    this.#idleUntil = this.#dueAt - earlyMs - tickEarlyMs
  }
  /** Something has happened. */
  wake(): void {
    this.#idleUntil = 0
    this.onWake()
  }

  /** Stops sending by the clock until `resume`. */
  pause(): void {
    this.#isPaused = true
  }

  /** Returns the frames that have gone by meanwhile. `cost` of a frame: the first one may wait for a lighter tick. */
  resume(cost: number, now: number): number {
    this.#isPaused = false
    const wasDueAt = this.#dueAt
    const frames = Math.max(0, Math.floor((now - wasDueAt) / this.frameMs))
    if (wasDueAt >= 0 && frames === 0) return 0
    this.close()
    this.#cost = cost
    this.#slot = this.#slots.join(cost, now)
    this.#dueAt = now + this.#slots.delayMsOf(this.#slot, now)
    return wasDueAt < 0 ? 0 : frames
  }

  beginTick(): void {
    this.#frames = 0
  }

  /** What is due between two ticks goes out with the nearer one. */
  isDue(now: number): boolean {
    return this.#frames < maxCatchUpFrames && this.#dueAt - earlyMs <= now
  }

  /**
   * A frame is out. It moves towards the tick that it went with: else a tick that comes a little sooner or later than
   * the last would make the difference of a whole tick.
   */
  next(now: number): void {
    const off = now - this.#dueAt
    this.#frames++
    this.#dueAt += this.frameMs + (Math.abs(off) <= earlyMs ? off * pullShare : 0)
  }

  /**
   * What is still owed is left out. The leg keeps its place in the frame; otherwise all are due at once after a stall. Returns
   * the frames that are left out: their time has gone by.
   */
  endTick(now: number): number {
    if (this.#dueAt > now) return 0
    const frames = Math.floor((now - this.#dueAt) / this.frameMs) + 1
    this.stalls++
    this.#dueAt += this.frameMs * frames
    return frames
  }

  /** A frame went out that others have paced, at `at`. */
  follow(at: number): void {
    this.#dueAt = at + this.frameMs
  }

  close(): void {
    this.#slots.leave(this.#slot, this.#cost)
    this.#cost = 0
  }
}
