import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/**
 * Turns after which the thread pauses: it may have precedence over the whole machine, and a long file takes seconds.
 */
const turnsInARow = 4
const pauseMs = 1

/**
 * The prompts that are made on a thread take turns of about a ms: between two of them, of whichever prompt, the thread has
 * its ticks. Those that have not begun yet go first, but for every fourth turn: others are being played.
 */
export class PromptTurns {
  readonly #beginning: (() => void)[] = []
  readonly #begun: (() => void)[] = []
  #isRunning = false
  #turns = 0

  next(isBeginning: boolean): Promise<void> {
    return new Promise(resolve => {
      const waiting = isBeginning ? this.#beginning : this.#begun
      waiting.push(resolve)
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#beginning.length + this.#begun.length > 0) {
      const isLast = ++this.#turns % turnsInARow === 0
      await (isLast ? pause(pauseMs) : nextTurn())
      const [sooner, later] = isLast ? [this.#begun, this.#beginning] : [this.#beginning, this.#begun]
      const turn = sooner.shift() ?? later.shift()
      turn?.()
    }
    this.#isRunning = false
  }
}
