interface Entry {
  readonly at: number
  readonly act: () => void
}

/** Timers as data: a table of names and monotonic times. Nothing here runs by itself. */
export class Deadlines {
  readonly #entries = new Map<string, Entry>()
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
    for (const name of this.#entries.keys()) if (name.startsWith(prefix)) this.#entries.delete(name)
    this.#find()
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Clears all but those whose name starts with `prefix`. */
  keepOnly(prefix: string): void {
    for (const name of this.#entries.keys()) if (!name.startsWith(prefix)) this.#entries.delete(name)
    this.#find()
  }

  /** For support. */
  get entries(): readonly { readonly name: string; readonly at: number }[] {
    return [...this.#entries].map(([name, { at }]) => ({ name, at }))
  }

  next(): number | undefined {
    return this.#earliest
  }

  /** Acts on every deadline at or before `now`, earliest first; what acting sets for now or earlier acts too. */
  expire(now: number): void {
    while (this.#earliest !== undefined && this.#earliest <= now) {
      let due: [string, Entry] | undefined
      for (const entry of this.#entries) if (due === undefined || entry[1].at < due[1].at) due = entry
      if (due === undefined) return
      this.clear(due[0])
      due[1].act()
    }
  }

  #find(): void {
    let earliest: number | undefined
    for (const { at } of this.#entries.values()) if (earliest === undefined || at < earliest) earliest = at
    this.#earliest = earliest
  }
}
