const windowMs = 1000

interface Load {
  live: number
  /** When the last placements were, oldest first; never more than the rate cap. */
  readonly placedAt: number[]
}

export type CapRefusal = 'LIMIT.0429' | 'LIMIT.0430'

/**
 * How many calls are live under a key (an account, a trunk) and how many began in the last second. A limit of 0 is
 * none where the caller says so; here a limit is a number or Infinity.
 */
export class Caps {
  readonly #loads = new Map<string, Load>()

  /** Takes a place, or says which cap forbids it. LIMIT.0429: concurrency, LIMIT.0430: calls a second. */
  take(key: string, maxLive: number, maxPerSecond: number, now: number): CapRefusal | undefined {
    const load = this.#loads.get(key) ?? { live: 0, placedAt: [] }
    if (load.live >= maxLive) return 'LIMIT.0429'
    while (load.placedAt.length > 0 && load.placedAt[0]! <= now - windowMs) load.placedAt.shift()
    if (load.placedAt.length >= maxPerSecond) return 'LIMIT.0430'
    load.live++
    if (maxPerSecond !== Number.POSITIVE_INFINITY) load.placedAt.push(now)
    this.#loads.set(key, load)
    return undefined
  }

  release(key: string, now: number): void {
    const load = this.#loads.get(key)
    if (load === undefined) return
    load.live--
    const recent = load.placedAt.at(-1)
    if (load.live <= 0 && (recent === undefined || recent <= now - windowMs)) this.#loads.delete(key)
  }

  /** A place that was never used: the moment when it was taken does not count against the calls a second. */
  giveBack(key: string, placedAt: number, now: number): void {
    const placed = this.#loads.get(key)?.placedAt
    const index = placed?.lastIndexOf(placedAt) ?? -1
    if (placed !== undefined && index >= 0) placed.splice(index, 1)
    this.release(key, now)
  }

  live(key: string): number {
    return this.#loads.get(key)?.live ?? 0
  }

  /** Places that are taken, of all keys. */
  get size(): number {
    let size = 0
    for (const { live } of this.#loads.values()) size += live
    return size
  }
}

/** A place under a cap. */
export interface Place {
  /** It is free again. Twice is no fault. */
  release(now: number): void
  /** It was never used: not even its moment counts against the calls a second. */
  giveBack(now: number): void
}

class TakenPlace implements Place {
  readonly #taken: Place[]
  readonly #caps: Caps
  readonly #key: string
  readonly #at: number

  constructor(taken: Place[], caps: Caps, key: string, at: number) {
    this.#taken = taken
    this.#caps = caps
    this.#key = key
    this.#at = at
  }

  release(now: number): void {
    if (this.#leave()) this.#caps.release(this.#key, now)
  }

  giveBack(now: number): void {
    if (this.#leave()) this.#caps.giveBack(this.#key, this.#at, now)
  }

  /** False: it has left. */
  #leave(): boolean {
    const at = this.#taken.indexOf(this)
    if (at < 0) return false
    this.#taken.splice(at, 1)
    return true
  }
}

/** The places that one call has taken under caps; what it forgot to give back is given back when it is gone. */
export class CallSlots {
  readonly #taken: Place[] = []

  /** A place of `key`, or which cap forbids it. */
  take(
    caps: Caps,
    key: string,
    at: number,
    maxLive: number,
    maxPerSecond = Number.POSITIVE_INFINITY,
  ): Place | CapRefusal {
    const refused = caps.take(key, maxLive, maxPerSecond, at)
    if (refused !== undefined) return refused
    const place = new TakenPlace(this.#taken, caps, key, at)
    this.#taken.push(place)
    return place
  }

  releaseAll(now: number): void {
    for (const place of [...this.#taken]) place.release(now)
  }
}
