interface Entry<Key, Value> {
  readonly key: Key
  value: Value
}

/**
 * A map of a few entries in the order in which their keys came; it looks through them one by one. An empty one takes hardly any
 * memory, where a `Map` makes a table at once, and another one whenever its last entry is deleted.
 */
export class SmallMap<Key, Value> {
  #entries: Entry<Key, Value>[] | undefined

  get size(): number {
    return this.#entries?.length ?? 0
  }

  get entries(): readonly Readonly<Entry<Key, Value>>[] {
    return this.#entries ?? none
  }

  get(key: Key): Value | undefined {
    return this.#find(key)?.value
  }

  has(key: Key): boolean {
    return this.#find(key) !== undefined
  }

  set(key: Key, value: Value): void {
    const entry = this.#find(key)
    if (entry !== undefined) entry.value = value
    else if (this.#entries === undefined) this.#entries = [{ key, value }]
    else this.#entries.push({ key, value })
  }

  /** False: there was none. */
  delete(key: Key): boolean {
    const entry = this.#find(key)
    if (this.#entries === undefined || entry === undefined) return false
    for (let place = this.#entries.indexOf(entry) + 1; place < this.#entries.length; place++) {
      this.#entries[place - 1] = this.#entries[place]!
    }
    this.#entries.pop()
    return true
  }

  clear(): void {
    this.#entries = undefined
  }

  #find(key: Key): Entry<Key, Value> | undefined {
    for (const entry of this.#entries ?? none) if (entry.key === key) return entry
    return undefined
  }
}

const none: readonly never[] = []
