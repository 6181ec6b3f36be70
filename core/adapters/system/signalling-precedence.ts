import { allowedProcessors, goAfterMedia, leaveRealTime, loadLibC } from '../../../rtp/io/index.ts'
import { v8GivesWay, v8GoesBefore } from './v8-threads.ts'

/** How often the processors are counted: a container's may change, and taskset(1) changes a program's. */
const lookEveryMs = 1000

interface Precedence {
  /** Processors that the program may run on. */
  processors(): number
  /** Returns false where the system does not allow it. */
  goAfterMedia(): boolean
  leaveRealTime(): void
  /** V8's threads go before all that is not in real time. */
  v8GoesBefore(): void
  /** V8's threads are as others. */
  v8GivesWay(): void
}

function ofSystem(): Precedence {
  const native = loadLibC()
  const processors = native === undefined ? () => 0 : allowedProcessors(native)
  return { processors, goAfterMedia, leaveRealTime, v8GoesBefore, v8GivesWay }
}

/**
 * Lets the calling thread, which signals, go in real time after media while there is a processor more than media threads.
 * With fewer, it would take its processor from the database, and each call waits for that. V8's threads come next:
 * what they do not collect, this thread collects itself, and it waits for them where they have begun.
 */
export class SignallingPrecedence {
  readonly #mediaThreads: number
  readonly #precedence: Precedence
  #isRealTime = false

  constructor(mediaThreads: number, precedence: Precedence = ofSystem()) {
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
    // Without media threads, media is in this one.
    const hasOwn = this.#mediaThreads > 0 && this.#precedence.processors() > this.#mediaThreads
    if (hasOwn === this.#isRealTime) return
    if (hasOwn) {
      this.#isRealTime = this.#precedence.goAfterMedia()
      if (this.#isRealTime) this.#precedence.v8GoesBefore()
    } else {
      // First, or V8's threads would go before signalling for a moment.
      this.#precedence.v8GivesWay()
      this.#precedence.leaveRealTime()
      this.#isRealTime = false
    }
  }
}
