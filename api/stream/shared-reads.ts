interface Reads<T> {
  running: Promise<T>
  next: Promise<T> | undefined
}

/**
 * Readers that ask for the same thing together share one read. A read that has begun is not shared with a later
 * reader, as it may miss what was written in between: later readers share the next one, which begins when this one
 * has ended.
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
