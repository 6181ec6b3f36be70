interface MediaClockConfig {
  /** Default 5. */
  readonly tickMs?: number
  readonly now?: () => number
  /** Holds the thread for so long, to a fraction of a millisecond, where no other work needs it. Default: ticks are as exact as timers. */
  readonly sleep?: (ms: number) => void
  /** What is done every millisecond between two ticks, while it is wanted; only where the thread is the clock's own. */
  readonly between?: { isWanted(): boolean; run(now: number): void }
}

export interface ClockCounters {
  ticks: number
  /** Ticks that were due while the thread did something else; their work was done by the next one. */
  missed: number
  /** Longest delay of a tick after its time. */
  worstLateMs: number
  /** How long ticks took in all, where the thread is the clock's own. */
  workedMs: number
}

export const defaultTickMs = 5
/** It is looked over so long how much of its time the thread has left to others. */
const windowMs = 100
/** Nearer to the next tick nothing is done between. */
const betweenMs = 1
/**
 * A thread with more to do than it has time leaves so much of it to the others of the machine, who may have to end what
 * overloads it. One of real time that leaves less than a twentieth is stopped for all of that at once (sched(7)).
 */
const leftShare = 0.08

/**
 * `tickAt`: the place on the grid that the tick belongs to; `now` is later by what held it up, or sooner by part of a
 * millisecond where ticks are only as exact as timers.
 */
type MediaTick = (now: number, tickAt: number) => void

/**
 * One tick for all sessions of a thread, on a grid of the monotonic clock: an error of one timer does not move the
 * next. After a stall it ticks once, not once for every tick missed; sessions see from the time what they owe.
 */
export class MediaClock {
  readonly counters: ClockCounters = { ticks: 0, missed: 0, worstLateMs: 0, workedMs: 0 }
  readonly #tickMs: number
  readonly #now: () => number
  readonly #sleep: ((ms: number) => void) | undefined
  readonly #between: MediaClockConfig['between']
  readonly #tick: MediaTick
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueAt = 0
  /** Where the present window began, how long ticks took in it, and whether the one before left too little. */
  #windowFrom = 0
  #workedMs = 0
  #wasFull = false

  constructor(tick: MediaTick, config: MediaClockConfig = {}) {
    this.#tick = tick
    this.#tickMs = config.tickMs ?? defaultTickMs
    this.#now = config.now ?? (() => performance.now())
    this.#sleep = config.sleep
    this.#between = config.sleep === undefined ? undefined : config.between
  }

  get running(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    if (this.#timer !== undefined) return
    this.#windowFrom = this.#now()
    this.#workedMs = 0
    this.#dueAt = this.#windowFrom + this.#tickMs
    this.#arm(this.#tickMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly #fire = (): void => {
    const woken = this.#now()
    if (this.#between !== undefined && this.#dueAt - woken >= betweenMs) {
      this.#runBetween(this.#between, woken)
      return
    }
    const now = this.#waitedOut(woken)
    const lateMs = now - this.#dueAt
    this.counters.ticks++
    if (lateMs > this.counters.worstLateMs) this.counters.worstLateMs = lateMs
    const missed = Math.max(0, Math.floor(lateMs / this.#tickMs))
    this.counters.missed += missed
    const tickAt = this.#dueAt + missed * this.#tickMs
    this.#dueAt = tickAt + this.#tickMs
    // Armed first: a tick that stops the clock must find its timer.
    this.#arm(this.#between?.isWanted() === true ? betweenMs : this.#dueAt - now)
    this.#tick(now, tickAt)
    if (this.#sleep !== undefined) this.#leaveTime(now, this.#sleep)
  }

  /** A timer that fired early, or one that was set for what is done between ticks. */
  #runBetween(between: NonNullable<MediaClockConfig['between']>, began: number): void {
    const isWanted = between.isWanted()
    this.#arm(isWanted ? betweenMs : this.#dueAt - began)
    if (!isWanted) return
    between.run(began)
    const tookMs = this.#now() - began
    this.#workedMs += tookMs
    this.counters.workedMs += tookMs
  }

  /** After a tick that began then. */
  #leaveTime(began: number, sleep: (ms: number) => void): void {
    const now = this.#now()
    this.#workedMs += now - began
    this.counters.workedMs += now - began
    const passedMs = now - this.#windowFrom
    if (passedMs < windowMs) return
    const owedMs = this.#workedMs - (1 - leftShare) * passedMs
    // One alone may be a stall, after which there is nothing to wait for.
    if (owedMs > 0 && this.#wasFull) sleep(owedMs)
    this.#wasFull = owedMs > 0
    this.#windowFrom = this.#now()
    this.#workedMs = 0
  }

  /** Timers count whole milliseconds: what is left of the last one is slept, or ticks come up to half of one off. */
  #arm(ms: number): void {
    this.#timer = setTimeout(this.#fire, Math.max(1, this.#sleep === undefined ? Math.round(ms) : Math.floor(ms)))
  }

  #waitedOut(now: number): number {
    if (this.#sleep === undefined || now >= this.#dueAt) return now
    this.#sleep(this.#dueAt - now)
    return this.#now()
  }
}
