interface Slot<Key> {
  readonly at: number
  readonly key: Key
}

/**
 * The earliest deadline of many. A key whose deadline moves is pushed again; the old slot is recognised as stale when
 * it comes up. Never more than one live slot per key, and stale ones leave at their time.
 */
export class DeadlineHeap<Key> {
  readonly #slots: Slot<Key>[] = []
  readonly #current = new Map<Key, number>()

  /** Undefined takes the key out. */
  set(key: Key, at: number | undefined): void {
    if (this.#current.get(key) === at) return
    if (at === undefined) {
      this.#current.delete(key)
      return
    }
    this.#current.set(key, at)
    this.#push({ at, key })
  }

  next(): number | undefined {
    this.#dropStale()
    return this.#slots[0]?.at
  }

  /** Takes a key whose deadline is at or before `now`. */
  takeDue(now: number): Key | undefined {
    this.#dropStale()
    const top = this.#slots[0]
    if (top === undefined || top.at > now) return undefined
    this.#pop()
    this.#current.delete(top.key)
    return top.key
  }

  #dropStale(): void {
    for (let top = this.#slots[0]; top !== undefined && this.#current.get(top.key) !== top.at; top = this.#slots[0]) {
      this.#pop()
    }
  }

  #push(slot: Slot<Key>): void {
    const slots = this.#slots
    let at = slots.length
    slots.push(slot)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (slots[parent]!.at <= slot.at) break
      slots[at] = slots[parent]!
      at = parent
    }
    slots[at] = slot
  }

  #pop(): void {
    const slots = this.#slots
    const last = slots.pop()
    if (last === undefined || slots.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= slots.length) break
      if (child + 1 < slots.length && slots[child + 1]!.at < slots[child]!.at) child++
      if (slots[child]!.at >= last.at) break
      slots[at] = slots[child]!
      at = child
    }
    slots[at] = last
  }
}
