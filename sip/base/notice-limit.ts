/** Each key is reported so often at most. */
export const noticeEveryMs = 60_000
/** Keys that are kept in mind: a flood of forged addresses makes no more lines than this in that time. */
export const mostNoticed = 64

/** What is worth a line to the operator: the first of a key, and one a minute while it goes on. Bounded, whatever is forged. */
export class NoticeLimit {
  readonly #noticed = new Map<string, { at: number; count: number }>()

  /** How many there were since the last line about that key; undefined = say nothing now. */
  count(key: string, now: number): number | undefined {
    const known = this.#noticed.get(key)
    if (known === undefined) {
      if (this.#noticed.size >= mostNoticed) this.#forget(now)
      if (this.#noticed.size >= mostNoticed) return undefined
      this.#noticed.set(key, { at: now, count: 0 })
      return 1
    }
    known.count++
    if (now - known.at < noticeEveryMs) return undefined
    const { count } = known
    known.at = now
    known.count = 0
    return count
  }

  #forget(now: number): void {
    for (const [key, { at }] of this.#noticed) if (now - at >= noticeEveryMs) this.#noticed.delete(key)
  }
}
