interface Entry<Key, Value> {
  readonly key: Key
  value: Value
  next: Entry<Key, Value> | undefined
}

/** Texts of one hash beyond so many, which only an attacker finds, go to a `Map`: looking one up then costs no more. */
const longestChain = 8
/** V8 keeps integers of 30 bits in place. */
const hashMask = 0x3fffffff
/** The offset of FNV-1a, until a process has its own. */
let processSeed = 0x811c9dc5

/** Maps that are made from now on have hashes that begin with these 32 bits: random ones are not known to a sender of texts. */
export function seedTextMaps(seed: number): void {
  processSeed = seed
}

/**
 * A map by the texts of calls, such as their Call-IDs and UUIDs. A `Map` enters each text that it is asked for in V8's table of
 * strings, where it stays until the next collection of the old space, and each of these goes through the whole table,
 * twice, while calls wait (docs/garbage.md). This one takes a hash of its own. Entries are listed in the order in which
 * they came, as far as their hashes differ.
 */
export class TextMap<Key extends string, Value> {
  readonly #chains = new Map<number, Entry<Key, Value>>()
  #crowded: Map<Key, Value> | undefined
  readonly #seed: number
  #size = 0

  /** `seed`: 32 bits; default: that of the process. */
  constructor(seed = processSeed) {
    this.#seed = seed
  }

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    return this.#size === 0 ? undefined : (this.#find(key)?.value ?? this.#crowded?.get(key))
  }

  has(key: Key): boolean {
    return this.#size > 0 && (this.#find(key) !== undefined || this.#crowded?.has(key) === true)
  }

  set(key: Key, value: Value): void {
    const hash = hashOf(key, this.#seed)
    const first = this.#chains.get(hash)
    let length = 0
    for (let entry = first; entry !== undefined; entry = entry.next, length++) {
      if (entry.key !== key) continue
      entry.value = value
      return
    }
    if (this.#crowded?.has(key) !== true) {
      this.#size++
      if (length < longestChain) {
        this.#chains.set(hash, { key, value, next: first })
        return
      }
    }
    this.#crowded ??= new Map()
    this.#crowded.set(key, value)
  }

  /** False: there was none. */
  delete(key: Key): boolean {
    if (this.#size === 0 || !this.#remove(key)) return false
    this.#size--
    return true
  }

  clear(): void {
    this.#chains.clear()
    this.#crowded = undefined
    this.#size = 0
  }

  *entries(): IterableIterator<[Key, Value]> {
    for (const { key, value } of this.#entries()) yield [key, value]
    if (this.#crowded !== undefined) yield* this.#crowded
  }

  *keys(): IterableIterator<Key> {
    for (const { key } of this.#entries()) yield key
    if (this.#crowded !== undefined) yield* this.#crowded.keys()
  }

  *values(): IterableIterator<Value> {
    for (const { value } of this.#entries()) yield value
    if (this.#crowded !== undefined) yield* this.#crowded.values()
  }

  *#entries(): IterableIterator<Entry<Key, Value>> {
    for (const first of this.#chains.values()) {
      for (let entry: Entry<Key, Value> | undefined = first; entry !== undefined; entry = entry.next) yield entry
    }
  }

  #find(key: Key): Entry<Key, Value> | undefined {
    for (let entry = this.#chains.get(hashOf(key, this.#seed)); entry !== undefined; entry = entry.next) {
      if (entry.key === key) return entry
    }
    return undefined
  }

  #remove(key: Key): boolean {
    const hash = hashOf(key, this.#seed)
    let before: Entry<Key, Value> | undefined
    for (let entry = this.#chains.get(hash); entry !== undefined; before = entry, entry = entry.next) {
      if (entry.key !== key) continue
      if (before !== undefined) before.next = entry.next
      else if (entry.next !== undefined) this.#chains.set(hash, entry.next)
      else this.#chains.delete(hash)
      return true
    }
    return this.#crowded?.delete(key) === true
  }
}

/** FNV-1a over the UTF-16 units, folded to 30 bits. */
function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) & hashMask
}
