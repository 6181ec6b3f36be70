/** What is timed: a transaction of the store, a call-control request, a try of a status callback. */
export type Timed = 'commit' | 'document' | 'callback'
export type LatencyListener = (timed: Timed, durationMs: number) => void

/** Durations as they are measured, for metrics. A listener must not throw. */
export class Latencies {
  #listeners: readonly LatencyListener[] = []

  observe(timed: Timed, durationMs: number): void {
    for (const listener of this.#listeners) listener(timed, durationMs)
  }

  /** Returns what ends it. */
  subscribe(listener: LatencyListener): () => void {
    this.#listeners = [...this.#listeners, listener]
    return () => {
      this.#listeners = this.#listeners.filter(each => each !== listener)
    }
  }
}
