/** Too much waits already. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

export interface FairQueueOptions {
  /** Tasks that run at once. */
  readonly width: number
  /** Tasks that may wait, all owners together. */
  readonly maxWaiting: number
}

/** Runs tasks a few at a time. Owners take turns: one that asks for much waits for itself, not for the others. */
export class FairQueue {
  readonly #options: FairQueueOptions
  /** In the order of their turns; a Map keeps it. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>()
  #waitingCount = 0
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** What the task gives, or rejects with; `QueueFull` when it could not even wait. What `hasBegun` always can. */
  run<Result>(owner: string, task: () => Promise<Result>, hasBegun = false): Promise<Result> {
    if (!hasBegun && this.#waitingCount >= this.#options.maxWaiting)
      return Promise.reject(new QueueFull('too much is waiting'))
    return new Promise((resolve, reject) => {
      const job = () => task().then(resolve, reject)
      const own = this.#waiting.get(owner)
      if (own === undefined) this.#waiting.set(owner, [job])
      else own.push(job)
      this.#waitingCount++
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < this.#options.width) {
      const first = this.#waiting.entries().next()
      if (first.done === true) return
      const [owner, jobs] = first.value
      const job = jobs.shift()
      // Back to the end of the line, behind everyone who waits.
      this.#waiting.delete(owner)
      if (jobs.length > 0) this.#waiting.set(owner, jobs)
      if (job === undefined) continue
      this.#waitingCount--
      this.#running++
      void job().finally(() => {
        this.#running--
        this.#next()
      })
    }
  }
}
