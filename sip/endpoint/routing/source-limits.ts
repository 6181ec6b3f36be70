import { ownText } from '../../base/own-text.ts'
import { type Flow, isReliable } from '../../network/flow.ts'
import { neighbourhoodKey, sourceKey } from '../../network/source-network.ts'

/** Requests allowed at once, and how many more each second brings. */
interface Allowance {
  readonly burst: number
  readonly perSecond: number
}

/** Requests of an address without a sign-in; of one network (/24, IPv6: /56). */
const asksOfAddress: Allowance = { burst: 100, perSecond: 2 }
const asksOfNetwork: Allowance = { burst: 400, perSecond: 8 }
/** For a name, from an address from which it has signed in; and by datagrams of one port of a phone or a trunk. */
const asksOfKnown: Allowance = { burst: 20, perSecond: 0.5 }
const asksOfPort: Allowance = { burst: 100, perSecond: 20 }
/** Wrong digests of an address, of a network, and for one name: from addresses that were wrong before, and from new ones. */
const wrongOfAddress: Allowance = { burst: 20, perSecond: 0.2 }
const wrongOfNetwork: Allowance = { burst: 60, perSecond: 0.6 }
const wrongOfName: Allowance = { burst: 50, perSecond: 0.5 }
const wrongOfNameByNew: Allowance = { burst: 100, perSecond: 1 }
/** Wrong digests for a name from an address from which it has signed in: no other name of that address can use them up. */
const wrongOfKnown: Allowance = { burst: 20, perSecond: 0.2 }
/** Keys of each kind that are remembered; the oldest go first. */
const mostKeys = 20_000

/** Token buckets by key; one that is full is forgotten. */
class Buckets {
  readonly #allowance: Allowance
  readonly #levels = new Map<string, { level: number; at: number }>()

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  level(key: string, now: number): number {
    const { burst, perSecond } = this.#allowance
    const known = this.#levels.get(key)
    if (known === undefined) return burst
    return Math.min(burst, known.level + ((now - known.at) * perSecond) / 1000)
  }

  isFull(key: string, now: number): boolean {
    return this.level(key, now) >= this.#allowance.burst
  }

  /** Negative `cost` gives back. */
  take(key: string, now: number, cost = 1): void {
    const level = Math.min(this.#allowance.burst, this.level(key, now) - cost)
    this.#levels.delete(key)
    if (level >= this.#allowance.burst) return
    for (const oldest of this.#levels.keys()) {
      if (this.#levels.size < mostKeys) break
      this.#levels.delete(oldest)
    }
    this.#levels.set(ownText(key), { level, at: now })
  }
}

type Source = Pick<Flow, 'address' | 'port' | 'transport'>

const asks = () => [new Buckets(asksOfAddress), new Buckets(asksOfNetwork)] as const

/** Limits what unknown sources may ask, and how often an address may fail: counted before any digest is computed. */
export class SourceLimits {
  /** Anybody can write any address into a datagram: what datagrams use up is no connection's. */
  readonly #asks = { datagram: asks(), connection: asks() } as const
  readonly #asksOfKnown = new Buckets(asksOfKnown)
  readonly #asksOfPort = new Buckets(asksOfPort)
  readonly #wrong = [new Buckets(wrongOfAddress), new Buckets(wrongOfNetwork)] as const
  readonly #wrongOfName = { again: new Buckets(wrongOfName), first: new Buckets(wrongOfNameByNew) } as const
  readonly #wrongOfKnown = new Buckets(wrongOfKnown)
  /** The addresses from which each name has signed in, the latest last. */
  readonly #known = new Set<string>()

  /** Counts a request of an unknown source, which names itself so; false: it gets no answer. */
  mayAsk(source: Source, name: string, now: number): boolean {
    const keys = keysOf(source.address)
    const key = knownKey(name, keys[0])
    if (this.#known.has(key) && this.#asksOfKnown.level(key, now) >= 1) {
      this.#asksOfKnown.take(key, now)
      return true
    }
    const asks = this.#asksBy(source)
    if (asks.some((buckets, at) => buckets.level(keys[at]!, now) < 1)) return false
    for (const [at, buckets] of asks.entries()) buckets.take(keys[at]!, now)
    return true
  }

  /** The same for a datagram that says it is from a phone or a trunk, and proves nothing. */
  mayAskAgain({ address, port }: Source, now: number): boolean {
    const key = `${address} ${port}`
    if (this.#asksOfPort.level(key, now) < 1) return false
    this.#asksOfPort.take(key, now)
    return true
  }

  /**
   * Credentials for these names may be compared. Guessing does not lock the phone out: a name stays open to addresses from
   * which it has signed in, whatever others there do, and to new addresses longer than to those that were wrong.
   */
  mayTry(address: string, names: readonly string[], now: number): boolean {
    const keys = keysOf(address)
    if (names.every(name => this.#known.has(knownKey(name, keys[0]))))
      return names.every(name => this.#wrongOfKnown.level(knownKey(name, keys[0]), now) >= 1)
    if (this.#wrong.some((buckets, at) => buckets.level(keys[at]!, now) < 1)) return false
    const buckets = this.#bucketsOf(keys[0], now)
    return names.every(name => buckets.level(name, now) >= 1)
  }

  wasWrong(address: string, names: readonly string[], now: number): void {
    const keys = keysOf(address)
    if (names.every(name => this.#known.has(knownKey(name, keys[0])))) {
      for (const name of names) this.#wrongOfKnown.take(knownKey(name, keys[0]), now)
      return
    }
    const buckets = this.#bucketsOf(keys[0], now)
    for (const [at, wrong] of this.#wrong.entries()) wrong.take(keys[at]!, now)
    for (const name of names) buckets.take(name, now)
  }

  /** The name has signed in from there: earlier requests count for nothing. */
  wasRight(source: Source, name: string, now: number): void {
    const keys = keysOf(source.address)
    for (const [at, buckets] of this.#asksBy(source).entries()) buckets.take(keys[at]!, now, -signInCost)
    this.#asksOfPort.take(`${source.address} ${source.port}`, now, -signInCost)
    const key = ownText(knownKey(name, keys[0]))
    this.#asksOfKnown.take(key, now, -signInCost)
    this.#known.delete(key)
    this.#known.add(key)
    for (const oldest of this.#known) {
      if (this.#known.size <= mostKeys) break
      this.#known.delete(oldest)
    }
  }

  #asksBy({ transport }: Source): readonly [Buckets, Buckets] {
    return this.#asks[isReliable(transport) ? 'connection' : 'datagram']
  }

  #bucketsOf(addressKey: string, now: number): Buckets {
    return this.#wrong[0].isFull(addressKey, now) ? this.#wrongOfName.first : this.#wrongOfName.again
  }
}

const knownKey = (name: string, addressKey: string): string => `${addressKey} ${name}`

/** The challenge, and the answer to it. */
const signInCost = 2

const keysOf = (address: string): readonly [string, string] => [sourceKey(address), neighbourhoodKey(address)]
