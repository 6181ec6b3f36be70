/** Too much waits already. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

interface FairQueueOptions {
  /** Tasks that run at once. */
  readonly width: number
  /** Places for one owner; the others stay free for other owners' tasks. Default: all. */
  readonly widthPerOwner?: number
  /** Tasks that may wait, all owners together. */
  readonly maxWaiting: number
  /** Waiting tasks of one owner. Default: all. */
  readonly maxWaitingPerOwner?: number
}

/** Runs tasks a few at a time. Owners take turns: one that asks for much waits for itself, not for the others. */
export class FairQueue {
  readonly #options: FairQueueOptions
  /** In the order of their turns; a Map keeps it. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>()
  readonly #runningOf = new Map<string, number>()
  #waitingCount = 0
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** What the task gives, or rejects with; `QueueFull` when it could not even wait. What `hasBegun` always can. */
  run<Result>(owner: string, task: () => Promise<Result>, hasBegun = false): Promise<Result> {
    const { maxWaiting, maxWaitingPerOwner = maxWaiting } = this.#options
    const own = this.#waiting.get(owner)
    if (!hasBegun && (this.#waitingCount >= maxWaiting || (own?.length ?? 0) >= maxWaitingPerOwner))
      return Promise.reject(new QueueFull('too much is waiting'))
    return new Promise((resolve, reject) => {
      const job = () => task().then(resolve, reject)
      if (own === undefined) this.#waiting.set(owner, [job])
      else own.push(job)
      this.#waitingCount++
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < this.#options.width) {
      const first = this.#nextOwner()
      if (first === undefined) return
      const [owner, jobs] = first
      const job = jobs.shift()
      // Back to the end of the line, after everyone who waits.
      this.#waiting.delete(owner)
      if (jobs.length > 0) this.#waiting.set(owner, jobs)
      if (job === undefined) continue
      this.#waitingCount--
      this.#running++
      this.#runningOf.set(owner, (this.#runningOf.get(owner) ?? 0) + 1)
      void job().finally(() => {
        this.#running--
        const left = (this.#runningOf.get(owner) ?? 1) - 1
        if (left === 0) this.#runningOf.delete(owner)
        else this.#runningOf.set(owner, left)
        this.#next()
      })
    }
  }

  #nextOwner(): [owner: string, jobs: (() => Promise<void>)[]] | undefined {
    const { widthPerOwner = Number.POSITIVE_INFINITY } = this.#options
    for (const entry of this.#waiting) if ((this.#runningOf.get(entry[0]) ?? 0) < widthPerOwner) return entry
    return undefined
  }
}
