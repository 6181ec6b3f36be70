import { SmallMap } from '../model/small-map.ts'

interface Entry {
  readonly at: number
  readonly act: () => void
}

/** Timers as data: a table of names and monotonic times. Nothing here runs by itself. */
export class Deadlines {
  readonly #entries = new SmallMap<string, Entry>()
  #earliest: number | undefined

  /** Replaces a deadline of the same name. */
  set(name: string, at: number, act: () => void): void {
    this.#entries.set(name, { at, act })
    this.#find()
  }

  clear(name: string): void {
    if (this.#entries.delete(name)) this.#find()
  }

  /** Those whose name starts with `prefix`. */
  clearAll(prefix: string): void {
    this.#deleteThose(prefix, true)
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Clears all but those whose name starts with `prefix`. */
  keepOnly(prefix: string): void {
    this.#deleteThose(prefix, false)
  }

  /** For support. */
  get entries(): readonly { readonly name: string; readonly at: number }[] {
    return this.#entries.entries.map(({ key: name, value: { at } }) => ({ name, at }))
  }

  next(): number | undefined {
    return this.#earliest
  }

  /** Acts on every deadline at or before `now`, earliest first; what acting sets for now or earlier acts too. */
  expire(now: number): void {
    while (this.#earliest !== undefined && this.#earliest <= now) {
      let due: { readonly key: string; readonly value: Entry } | undefined
      for (const entry of this.#entries.entries) if (due === undefined || entry.value.at < due.value.at) due = entry
      if (due === undefined) return
      this.clear(due.key)
      due.value.act()
    }
  }

  #find(): void {
    let earliest: number | undefined
    for (const { value } of this.#entries.entries) {
      if (earliest === undefined || value.at < earliest) earliest = value.at
    }
    this.#earliest = earliest
  }

  #deleteThose(prefix: string, isStart: boolean): void {
    const { entries } = this.#entries
    for (let place = entries.length - 1; place >= 0; place--) {
      const { key } = entries[place]!
      if (key.startsWith(prefix) === isStart) this.#entries.delete(key)
    }
    this.#find()
  }
}
