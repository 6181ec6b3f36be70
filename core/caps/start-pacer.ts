const windowMs = 1000

/**
 * Start times at a limited rate: at most this many starts within any second. A turn in the future is reserved for its
 * caller, so turns follow the order of the requests.
 */
export class StartPacer {
  /** Turns of the last second and of the time to come, earliest first. */
  readonly #turns = new Map<string, number[]>()

  /** The time of the next turn, which is taken; undefined when it is further away than `patienceMs`. */
  take(key: string, maxPerSecond: number, now: number, patienceMs: number): number | undefined {
    const turns = this.#turns.get(key) ?? []
    while (turns.length > 0 && turns[0]! <= now - windowMs) turns.shift()
    const before = maxPerSecond <= 0 ? Number.POSITIVE_INFINITY : turns[turns.length - maxPerSecond]
    const at = before === undefined ? now : Math.max(now, before + windowMs)
    if (at - now <= patienceMs) {
      // Only where the limit was raised meanwhile do later ones stand before it.
      let place = turns.length
      while (place > 0 && turns[place - 1]! > at) place--
      if (place === turns.length) turns.push(at)
      else turns.splice(place, 0, at)
    }
    this.#keep(key, turns)
    return at - now <= patienceMs ? at : undefined
  }

  /** A turn that was not used. */
  giveBack(key: string, at: number): void {
    const turns = this.#turns.get(key)
    const index = turns?.indexOf(at) ?? -1
    if (turns === undefined || index < 0) return
    turns.splice(index, 1)
    this.#keep(key, turns)
  }

  #keep(key: string, turns: number[]): void {
    if (turns.length === 0) this.#turns.delete(key)
    else this.#turns.set(key, turns)
  }
}
