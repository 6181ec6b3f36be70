import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { RateDeck } from '../../billing/rate-deck.ts'
import { DeckPacker, type PackedDeck, piecesOf, ratesIn } from '../../deck/index.ts'
import type { Rate } from '../../model/rate.ts'
import type { Trunk } from '../../model/trunk.ts'
import { beyondDefaults, type DestinationLists, type DestinationStore } from './destinations.ts'
import type { Rates } from './rates.ts'
import type { Served } from './served.ts'
import type { TrunkFields, Trunks } from './trunks.ts'

// What calls are routed and priced by, in the memory of the signalling thread. The thread that owns the database sends
// the whole of what has changed before it answers the change.

export type TrunkAccess = Pick<Trunks, 'current' | 'get' | 'watch' | 'create' | 'change' | 'remove'>
export interface RateAccess extends Pick<Rates, 'current' | 'replace' | 'replacePacked'> {
  /** What calls are rated by: `current`, by prefix. */
  deck(): RateDeck
}
export type DestinationAccess = Pick<DestinationStore, 'get' | 'current' | 'replace'>

export class KnownTrunks implements TrunkAccess {
  readonly #rows: Served['trunks']
  readonly #watchers = new Set<() => void>()
  #current: readonly Trunk[]

  constructor(rows: Served['trunks'], trunks: readonly Trunk[]) {
    this.#rows = rows
    this.#current = trunks
  }

  changed(trunks: readonly Trunk[]): void {
    this.#current = trunks
    for (const changed of this.#watchers) changed()
  }

  /** As they are now, after changes that may not have been reported. */
  reload(trunks: readonly Trunk[]): void {
    if (!isDeepStrictEqual(trunks, this.#current)) this.changed(trunks)
  }

  readonly current = (): readonly Trunk[] => this.#current

  get(uuid: string): Trunk | undefined {
    return this.#current.find(trunk => trunk.uuid === uuid)
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  create(...order: Parameters<Trunks['create']>): Promise<Trunk> {
    return this.#rows.create(...order)
  }

  change(uuid: string, set: Partial<TrunkFields>): Promise<Trunk | undefined> {
    return this.#rows.change(uuid, set)
  }

  remove(uuid: string): Promise<boolean> {
    return this.#rows.remove(uuid)
  }
}

export class KnownRates implements RateAccess {
  readonly #rows: Pick<Served['rates'], 'replacePacked'>
  readonly #nextTurn: () => Promise<unknown>
  #current: readonly Rate[] = []
  #deck = new RateDeck()
  /** Resolves when the last change is in memory. */
  #taken: Promise<void> = Promise.resolve()

  /** `nextTurn` resolves once what has arrived meanwhile has been dealt with. */
  constructor(
    rows: Pick<Served['rates'], 'replacePacked'>,
    packed: PackedDeck,
    turn: () => Promise<unknown> = nextTurn,
  ) {
    this.#rows = rows
    this.#nextTurn = turn
    // At the start, before the first call.
    const rates = [...ratesIn(packed)].flat()
    this.#current = rates
    this.#deck = new RateDeck(rates)
  }

  changed(packed: PackedDeck): void {
    this.#taken = this.#taken.then(() => this.#take(packed))
  }

  readonly current = (): readonly Rate[] => this.#current

  readonly deck = (): RateDeck => this.#deck

  /** Some rates in a turn of the event loop, as calls wait for no deck. */
  async replace(rates: readonly Rate[]): Promise<void> {
    const packer = new DeckPacker()
    for (const piece of piecesOf([...rates])) {
      packer.add(piece)
      await this.#nextTurn()
    }
    return this.replacePacked(packer.packed())
  }

  async replacePacked(packed: PackedDeck): Promise<void> {
    await this.#rows.replacePacked(packed)
    // The change was reported before its answer.
    await this.#taken
  }

  /** Calls are rated by the deck before until all of this one is there. */
  async #take(packed: PackedDeck): Promise<void> {
    const rates: Rate[] = []
    const deck = new RateDeck()
    for (const piece of ratesIn(packed)) {
      for (const rate of piece) {
        rates.push(rate)
        deck.add(rate)
      }
      await this.#nextTurn()
    }
    this.#current = rates
    this.#deck = deck
  }
}

export class KnownDestinations implements DestinationAccess {
  readonly #rows: Served['destinations']
  #lists: DestinationLists
  #current: DestinationLists

  constructor(rows: Served['destinations'], lists: DestinationLists) {
    this.#rows = rows
    this.#lists = lists
    this.#current = beyondDefaults(lists)
  }

  changed(lists: DestinationLists): void {
    this.#lists = lists
    this.#current = beyondDefaults(lists)
  }

  get(): DestinationLists {
    return this.#lists
  }

  readonly current = (): DestinationLists => this.#current

  replace(lists: DestinationLists): Promise<void> {
    return this.#rows.replace(lists)
  }
}
