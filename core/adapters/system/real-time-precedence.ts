import { allowedProcessors, goInRealTime, leaveRealTime, loadLibC } from '../../../rtp/io/index.ts'
import { IdleTime } from './idle-time.ts'
import { areV8ThreadsKnown, v8GivesWay, v8GoesBefore, v8InRealTime, v8LeavesRealTime } from './v8-threads.ts'

/** How often the processors are looked at: a container's may change, and taskset(1) changes a program's. */
const lookEveryMs = 1000

/** What a thread in real time asks of the system. */
interface Precedence {
  /** Whether it should be in real time now; asked at each look. */
  isDue(): boolean
  /** Returns false where the system does not allow it. */
  goInRealTime(): boolean
  leaveRealTime(): void
}

/** Lets the calling thread be in real time while that is due. */
export class RealTimePrecedence {
  readonly #precedence: Precedence
  #isRealTime = false

  constructor(precedence: Precedence) {
    this.#precedence = precedence
  }

  /** Now and every second. Returns the end of that. */
  keep(): () => void {
    this.look()
    const timer = setInterval(() => this.look(), lookEveryMs)
    timer.unref()
    return () => clearInterval(timer)
  }

  look(): void {
    const isDue = this.#precedence.isDue()
    if (isDue === this.#isRealTime) return
    if (isDue) this.#isRealTime = this.#precedence.goInRealTime()
    else {
      this.#precedence.leaveRealTime()
      this.#isRealTime = false
    }
  }
}

/**
 * For the thread that signals: after media, while there is a processor more than media threads. With fewer, signalling would take
 * its processor from the database, and each call waits for that.
 */
export function signallingPrecedence(mediaThreads: number): Precedence {
  return precedenceOf('signalling', hasOwnProcessor(mediaThreads), { follow: v8GoesBefore, release: v8GivesWay })
}

/** For the thread that writes the database. V8's threads come after it, and with it. */
export function writerPrecedence(mediaThreads: number): Precedence {
  return precedenceOf('store', hasTimeToSpare(mediaThreads), { follow: v8InRealTime, release: v8LeavesRealTime })
}

/** For the thread that looks up what calls wait for. */
export function readerPrecedence(mediaThreads: number): Precedence {
  return precedenceOf('store', hasTimeToSpare(mediaThreads))
}

/** What V8's threads do with the thread. */
interface Followers {
  follow(): void
  release(): void
}

function precedenceOf(rank: 'signalling' | 'store', isDue: () => boolean, v8?: Followers): Precedence {
  return {
    isDue,
    goInRealTime() {
      const isAllowed = goInRealTime(rank)
      if (isAllowed) v8?.follow()
      return isAllowed
    },
    leaveRealTime() {
      // First, or V8's threads would go before this one for a moment.
      v8?.release()
      leaveRealTime()
    },
  }
}

function hasOwnProcessor(mediaThreads: number): () => boolean {
  const native = loadLibC()
  const processors = native === undefined ? () => 0 : allowedProcessors(native)
  // Without media threads, media is in the thread that signals.
  return () => mediaThreads > 0 && processors() > mediaThreads
}

/**
 * The database and V8 leave real time when the processors are busy, before Linux would stop all threads in real time, media
 * among them, for 50 ms of each second (sched(7), sched_rt_runtime_us); then all else that runs on the machine would hardly run.
 * Where V8's threads cannot follow, the database's would only take the processor from them.
 */
function hasTimeToSpare(mediaThreads: number): () => boolean {
  if (!areV8ThreadsKnown()) return () => false
  const hasOwn = hasOwnProcessor(mediaThreads)
  const idle = new IdleTime()
  return () => idle.look() && hasOwn()
}
