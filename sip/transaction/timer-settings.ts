/** Durations of RFC 3261 table 4, in milliseconds. They come in as a value; nothing reads a default of its own. */
export interface TimerSettings {
  /** Estimated round trip. Default 500. */
  readonly t1: number
  /** Longest wait between retransmissions of non-INVITE requests and INVITE responses. Default 4000. */
  readonly t2: number
  /** Longest time that a message stays in the network. Default 5000. */
  readonly t4: number
}

export const defaultTimers: TimerSettings = Object.freeze({ t1: 500, t2: 4000, t4: 5000 })

/** How often a request is given up: after 64 × T1 (RFC 3261 §17.1.1.2). */
export const giveUpAfter = (t: TimerSettings): number => 64 * t.t1

/** RFC 3261 §17.1.1.2: Timer D is at least 32 s over an unreliable transport. */
const timerDMs = 32_000

export type TimerName = 'a' | 'b' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm'

/** The timers that send again. */
export type RepeatTimer = 'a' | 'e' | 'g'

/** First duration of each timer; undefined = this timer does not run over a reliable transport. */
export function timerDuration(name: TimerName, t: TimerSettings, reliable: boolean): number | undefined {
  switch (name) {
    case 'a':
    case 'e':
    case 'g':
      return reliable ? undefined : t.t1
    case 'b':
    case 'f':
    case 'h':
    case 'l':
    case 'm':
      return giveUpAfter(t)
    case 'd':
      return reliable ? 0 : Math.max(timerDMs, giveUpAfter(t))
    case 'i':
    case 'k':
      return reliable ? 0 : t.t4
    case 'j':
      return reliable ? 0 : giveUpAfter(t)
  }
}

/** The wait after a retransmission: A doubles without end (§17.1.1.2), E and G up to T2 (§17.1.2.2, §17.2.1). */
export function nextInterval(name: RepeatTimer, last: number, state: string, t: TimerSettings): number {
  if (name === 'a') return 2 * last
  if (name === 'e' && state === 'proceeding') return t.t2
  return Math.min(2 * last, t.t2)
}
