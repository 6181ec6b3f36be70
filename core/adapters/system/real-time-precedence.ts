import { allowedProcessors, goInRealTime, leaveRealTime, loadLibC } from '../../../rtp/io/index.ts'
import { areV8ThreadsKnown, v8GivesWay, v8GoesBefore } from './v8-threads.ts'

/** How often the processors are counted: a container's may change, and taskset(1) changes a program's. */
const lookEveryMs = 1000

/** What a thread in real time goes before and after; what it asks of the system. */
interface Precedence {
  /** Processors that the thread may run on. */
  processors(): number
  /** Returns false where the system does not allow it. */
  goInRealTime(): boolean
  leaveRealTime(): void
}

/** After media. V8's threads come after the database's: what they do not collect, signalling collects itself, and it waits for them where they have begun. */
export function signallingPrecedence(): Precedence {
  return {
    processors: processorsOfSystem(),
    goInRealTime() {
      const isAllowed = goInRealTime('signalling')
      if (isAllowed) v8GoesBefore()
      return isAllowed
    },
    leaveRealTime() {
      // First, or V8's threads would go before signalling for a moment.
      v8GivesWay()
      leaveRealTime()
    },
  }
}

/** After signalling, before V8's threads: where these cannot be in real time, the database's thread would only take the processor from them. */
export function storePrecedence(): Precedence {
  const isAllowed = areV8ThreadsKnown()
  return { processors: processorsOfSystem(), goInRealTime: () => isAllowed && goInRealTime('store'), leaveRealTime }
}

function processorsOfSystem(): () => number {
  const native = loadLibC()
  return native === undefined ? () => 0 : allowedProcessors(native)
}

/**
 * Lets the calling thread, which signals or writes the database, go in real time after media while there is a processor more than
 * media threads. With fewer, signalling would take its processor from the database, and each call waits for that.
 */
export class RealTimePrecedence {
  readonly #mediaThreads: number
  readonly #precedence: Precedence
  #isRealTime = false

  constructor(mediaThreads: number, precedence: Precedence) {
    this.#mediaThreads = mediaThreads
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
    // Without media threads, media is in the thread that signals.
    const hasOwn = this.#mediaThreads > 0 && this.#precedence.processors() > this.#mediaThreads
    if (hasOwn === this.#isRealTime) return
    if (hasOwn) this.#isRealTime = this.#precedence.goInRealTime()
    else {
      this.#precedence.leaveRealTime()
      this.#isRealTime = false
    }
  }
}
