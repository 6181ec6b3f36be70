/** What a second hand needs of the page. */
export interface Watched {
  readonly isSeen: () => boolean
  /** Calls back whenever that may have changed. */
  readonly onSeen: (changed: () => void) => void
  readonly every: (ms: number, beat: () => void) => () => void
}

/**
 * One timer for all that counts in a page: it runs while something counts and the page is seen. It beats at once when
 * the page is seen again, as what it shows is old by then.
 */
export class SecondHand {
  readonly #beats = new Set<() => void>()
  readonly #watched: Watched
  #stop: (() => void) | undefined

  constructor(watched: Watched) {
    this.#watched = watched
    watched.onSeen(() => {
      const stood = this.#stop === undefined
      if (this.#wind() && stood) this.#beat()
    })
  }

  /** Calls `beat` every second; returns how to end it. */
  follow(beat: () => void): () => void {
    this.#beats.add(beat)
    this.#wind()
    return () => {
      this.#beats.delete(beat)
      this.#wind()
    }
  }

  /** Whether it runs now. */
  #wind(): boolean {
    const isNeeded = this.#beats.size > 0 && this.#watched.isSeen()
    if (isNeeded) this.#stop ??= this.#watched.every(1000, () => this.#beat())
    else {
      this.#stop?.()
      this.#stop = undefined
    }
    return isNeeded
  }

  #beat(): void {
    for (const beat of this.#beats) beat()
  }
}
