interface Slot<Key> {
  at: number
  readonly key: Key
  /** Its place in the heap. */
  place: number
}

/**
 * The earliest deadline of many: a binary heap with one slot for each key. A slot that moves or goes is moved or taken out
 * at once: a key that is gone must not stay in memory until its deadline, which may be hours away.
 */
export class DeadlineHeap<Key> {
  readonly #heap: Slot<Key>[] = []
  readonly #slots = new Map<Key, Slot<Key>>()

  get size(): number {
    return this.#heap.length
  }

  /** Undefined takes the key out. */
  set(key: Key, at: number | undefined): void {
    const slot = this.#slots.get(key)
    if (at === undefined) {
      if (slot !== undefined) this.#remove(slot)
      return
    }
    if (slot === undefined) {
      const added = { at, key, place: this.#heap.length }
      this.#slots.set(key, added)
      this.#heap.push(added)
      this.#up(added)
      return
    }
    slot.at = at
    this.#up(slot)
    this.#down(slot)
  }

  next(): number | undefined {
    return this.#heap[0]?.at
  }

  /** Takes a key whose deadline is at or before `now`. */
  takeDue(now: number): Key | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.at > now) return undefined
    this.#remove(first)
    return first.key
  }

  #remove(slot: Slot<Key>): void {
    this.#slots.delete(slot.key)
    const last = this.#heap.pop()
    if (last === undefined || last === slot) return
    this.#put(last, slot.place)
    this.#up(last)
    this.#down(last)
  }

  #up(slot: Slot<Key>): void {
    for (;;) {
      const parent = this.#heap[(slot.place - 1) >> 1]
      if (slot.place === 0 || parent === undefined || parent.at <= slot.at) return
      this.#swap(slot, parent)
    }
  }

  #down(slot: Slot<Key>): void {
    for (;;) {
      const left = this.#heap[2 * slot.place + 1]
      const right = this.#heap[2 * slot.place + 2]
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left
      if (child === undefined || child.at >= slot.at) return
      this.#swap(slot, child)
    }
  }

  #swap(one: Slot<Key>, other: Slot<Key>): void {
    const { place } = one
    this.#put(one, other.place)
    this.#put(other, place)
  }

  #put(slot: Slot<Key>, place: number): void {
    slot.place = place
    this.#heap[place] = slot
  }
}
