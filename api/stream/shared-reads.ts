interface Reads<T> {
  running: Promise<T>
  next: Promise<T> | undefined
}

/**
 * Reads of the same thing that are asked for together are one read. A read that has begun is not shared with a reader who asks
 * later: it may miss what was written in between. Those wait for one more, which begins when it has ended.
 */
export class SharedReads<T> {
  readonly #reads = new Map<string, Reads<T>>()

  read(key: string, begin: () => Promise<T>): Promise<T> {
    const reads = this.#reads.get(key)
    if (reads === undefined) return this.#begin(key, begin)
    reads.next ??= reads.running.then(
      () => this.#begin(key, begin),
      () => this.#begin(key, begin),
    )
    return reads.next
  }

  #begin(key: string, begin: () => Promise<T>): Promise<T> {
    const running = begin()
    const reads: Reads<T> = { running, next: undefined }
    this.#reads.set(key, reads)
    const ended = () => {
      if (this.#reads.get(key) === reads && reads.next === undefined) this.#reads.delete(key)
    }
    running.then(ended, ended)
    return running
  }
}
