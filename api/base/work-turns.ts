import { BytePace } from '../../core/index.ts'

/** After this much work, in one piece or in several, the thread is left to calls for as long as the work took. */
const pauseFromMs = 1
const longestPauseMs = 50
/**
 * Bytes of bodies and files that an owner may move: sockets and disks take kernel time on the processor that calls
 * need.
 */
const moved = { bytesPerSecond: 8 * 1024 * 1024, burstBytes: 2 * 1024 * 1024 }

interface LoopClock {
  readonly now: () => number
  /** In the next turn of the event loop, after what has arrived was read. */
  readonly soon: (fire: () => void) => void
  readonly later: (fire: () => void, ms: number) => void
}

const systemLoop: LoopClock = {
  now: () => performance.now(),
  soon: fire => void setImmediate(fire),
  later: (fire, ms) => void setTimeout(fire, ms),
}

/**
 * Does the HTTP work of the signalling thread in pieces, one in a turn of the event loop, so that calls have their
 * turn between two pieces and HTTP never takes more than half of the time. Owners take turns: an owner with much work
 * delays only its own.
 */
export class WorkTurns {
  readonly #loop: LoopClock
  /** In the order of their turns; a Map keeps it. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isDue = false
  /** Work since the last pause. */
  #workedMs = 0
  readonly #pace = new BytePace(moved)

  constructor(loop: LoopClock = systemLoop) {
    this.#loop = loop
  }

  /** Resolves when it is the turn of this piece of the owner's work, which is what runs until the next `await`. */
  next(owner: string): Promise<void> {
    return new Promise(resolve => {
      const own = this.#waiting.get(owner)
      if (own === undefined) this.#waiting.set(owner, [resolve])
      else own.push(resolve)
      if (this.#isDue) return
      this.#isDue = true
      this.#loop.soon(() => this.#turn())
    })
  }

  /** The same for a piece of a long body or file: an owner that moves many bytes waits until its average is within the limit. */
  async nextBytes(owner: string, bytes: number): Promise<void> {
    const waitMs = this.#pace.waitMs(owner, bytes, this.#loop.now())
    if (waitMs > 0) await new Promise<void>(resolve => this.#loop.later(resolve, waitMs))
    await this.next(owner)
  }

  #turn(): void {
    const first = this.#waiting.entries().next().value
    if (first === undefined) {
      this.#isDue = false
      return
    }
    const [owner, pieces] = first
    const piece = pieces.shift()
    // Back to the end of the line, after everyone who waits.
    this.#waiting.delete(owner)
    if (pieces.length > 0) this.#waiting.set(owner, pieces)
    const begun = this.#loop.now()
    piece?.()
    // What the piece does is done by then: it runs before anything else does.
    this.#loop.soon(() => this.#pause(this.#loop.now() - begun))
  }

  #pause(tookMs: number): void {
    this.#workedMs += tookMs
    if (this.#workedMs < pauseFromMs) {
      this.#turn()
      return
    }
    const pauseMs = Math.min(longestPauseMs, this.#workedMs)
    this.#workedMs = 0
    this.#loop.later(() => this.#turn(), pauseMs)
  }
}
