interface MediaClockConfig {
  /** Default 5. */
  readonly tickMs?: number
  readonly now?: () => number
  /** Holds the thread for so long, to a fraction of a millisecond, where no other work needs it. Default: ticks are as exact as timers. */
  readonly sleep?: (ms: number) => void
  /** What is done again and again between two ticks, while it is wanted; only where the thread is the clock's own. */
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
/** From one beginning to the next of what is done between ticks. */
const betweenMs = 0.8
/** Longer work is followed by so long a rest: each visit of the sockets has its price, however little it finds. */
const restMs = 0.4
/** Nearer to the next tick nothing is done between. */
const nearMs = 1
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
  /** While the thread paces itself, in place of the timer. */
  #turn: ReturnType<typeof setImmediate> | undefined
  #dueAt = 0
  /** When what is done between ticks has its turn. */
  #betweenAt = 0
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
    return this.#timer !== undefined || this.#turn !== undefined
  }

  start(): void {
    if (this.running) return
    this.#windowFrom = this.#now()
    this.#workedMs = 0
    this.#dueAt = this.#windowFrom + this.#tickMs
    this.#arm(this.#tickMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#timer = undefined
    this.#turn = undefined
  }

  /** By the timer, which comes up to a millisecond before the tick. */
  readonly #fire = (): void => {
    this.#timer = undefined
    this.#runTick(this.#waitedOut(this.#now(), this.#dueAt))
  }

  /**
   * While there is work between ticks the thread sleeps by itself, to the microsecond: timers count whole milliseconds from
   * the end of the work. Messages of other threads are taken before each sleep, which is shorter than 2 ms.
   */
  readonly #pace = (): void => {
    this.#turn = undefined
    const isTick = this.#dueAt - this.#betweenAt < nearMs
    const now = this.#waitedOut(this.#now(), isTick ? this.#dueAt : this.#betweenAt)
    if (isTick || this.#between === undefined) this.#runTick(now)
    else this.#runBetween(this.#between, now)
  }

  #runTick(now: number): void {
    const lateMs = now - this.#dueAt
    this.counters.ticks++
    if (lateMs > this.counters.worstLateMs) this.counters.worstLateMs = lateMs
    const missed = Math.max(0, Math.floor(lateMs / this.#tickMs))
    this.counters.missed += missed
    const tickAt = this.#dueAt + missed * this.#tickMs
    this.#dueAt = tickAt + this.#tickMs
    // Armed first: a tick that stops the clock must find its timer.
    this.#armNext(now)
    this.#tick(now, tickAt)
    if (this.#sleep !== undefined) this.#leaveTime(now, this.#sleep)
    this.#rest(now, this.#now())
  }

  #runBetween(between: NonNullable<MediaClockConfig['between']>, began: number): void {
    this.#armNext(began)
    between.run(began)
    const ended = this.#now()
    this.#workedMs += ended - began
    this.counters.workedMs += ended - began
    this.#rest(began, ended)
  }

  #armNext(now: number): void {
    if (this.#between?.isWanted() === true) this.#turn = setImmediate(this.#pace)
    else this.#arm(this.#dueAt - now)
  }

  #rest(began: number, ended: number): void {
    this.#betweenAt = Math.max(began + betweenMs, ended + restMs)
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

  #waitedOut(now: number, until: number): number {
    if (this.#sleep === undefined || now >= until) return now
    this.#sleep(until - now)
    return this.#now()
  }
}
