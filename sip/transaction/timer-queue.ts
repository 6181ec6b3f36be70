/** A deadline that somebody owns: set and stopped again and again without a new object. `slot` -1 = not running. */
export class Timer<Owner> {
  readonly owner: Owner
  name: string
  at = 0
  slot = -1

  constructor(owner: Owner, name: string) {
    this.owner = owner
    this.name = name
  }

  get running(): boolean {
    return this.slot !== -1
  }
}

/**
 * All deadlines of a machine in one binary heap, by time. Deadlines are mostly set in rising order, so setting is
 * nearly constant; stopping is logarithmic and leaves nothing in the queue.
 */
export class TimerQueue<Owner> {
  readonly #heap: Timer<Owner>[] = []

  /** In no order but that the first is due first. */
  get running(): readonly Timer<Owner>[] {
    return this.#heap
  }

  deadline(): number | undefined {
    return this.#heap[0]?.at
  }

  set(timer: Timer<Owner>, at: number): void {
    if (timer.slot === -1) {
      timer.at = at
      timer.slot = this.#heap.length
      this.#heap.push(timer)
      this.#up(timer)
      return
    }
    const earlier = at < timer.at
    timer.at = at
    if (earlier) this.#up(timer)
    else this.#down(timer)
  }

  stop(timer: Timer<Owner>): void {
    if (timer.slot === -1) return
    const last = this.#heap.pop()
    if (last !== undefined && last !== timer) {
      last.slot = timer.slot
      this.#heap[last.slot] = last
      this.#up(last)
      this.#down(last)
    }
    timer.slot = -1
  }

  /** The earliest timer that is due at `now`, stopped; undefined when none is. */
  takeExpired(now: number): Timer<Owner> | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.at > now) return undefined
    this.stop(first)
    return first
  }

  #up(timer: Timer<Owner>): void {
    const heap = this.#heap
    let slot = timer.slot
    while (slot > 0) {
      const parent = heap[(slot - 1) >> 1]!
      if (parent.at <= timer.at) break
      heap[slot] = parent
      const above = parent.slot
      parent.slot = slot
      slot = above
    }
    heap[slot] = timer
    timer.slot = slot
  }

  #down(timer: Timer<Owner>): void {
    const heap = this.#heap
    let slot = timer.slot
    for (;;) {
      let at = 2 * slot + 1
      if (at >= heap.length) break
      if (at + 1 < heap.length && heap[at + 1]!.at < heap[at]!.at) at++
      const child = heap[at]!
      if (child.at >= timer.at) break
      heap[slot] = child
      child.slot = slot
      slot = at
    }
    heap[slot] = timer
    timer.slot = slot
  }
}
