import type { CapRefusal, Caps } from './caps.ts'

/** A place under a cap. */
export interface Place {
  /** It is free again. Twice is no fault. */
  release(): void
  /** It was never used: not even its moment counts against the calls a second. */
  giveBack(): void
}

/** The places that one call has taken under caps; what it forgot to give back is given back when it is gone. */
export class CallSlots {
  readonly #now: () => number
  readonly #taken = new Set<Place>()

  /** `now`: monotonic ms. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A place of `key`, or which cap forbids it. */
  take(caps: Caps, key: string, maxLive: number, maxPerSecond = Number.POSITIVE_INFINITY): Place | CapRefusal {
    const at = this.#now()
    const refused = caps.take(key, maxLive, maxPerSecond, at)
    if (refused !== undefined) return refused
    const leave = (end: () => void) => {
      if (this.#taken.delete(place)) end()
    }
    const place: Place = {
      release: () => leave(() => caps.release(key, this.#now())),
      giveBack: () => leave(() => caps.giveBack(key, at, this.#now())),
    }
    this.#taken.add(place)
    return place
  }

  releaseAll(): void {
    for (const place of [...this.#taken]) place.release()
  }
}
