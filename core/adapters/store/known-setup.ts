import type { Rate } from '../../model/rate.ts'
import type { Trunk } from '../../model/trunk.ts'
import { beyondDefaults, type DestinationLists, type DestinationStore } from './destinations.ts'
import type { Rates } from './rates.ts'
import type { Served } from './served.ts'
import type { TrunkFields, Trunks } from './trunks.ts'

// What calls are routed and priced by, in the memory of the signalling thread. The thread that owns the database sends
// the whole of what has changed before it answers the change.

export type TrunkAccess = Pick<Trunks, 'current' | 'get' | 'watch' | 'create' | 'change' | 'remove'>
export type RateAccess = Pick<Rates, 'current' | 'replace'>
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
  readonly #rows: Served['rates']
  #current: readonly Rate[]

  constructor(rows: Served['rates'], rates: readonly Rate[]) {
    this.#rows = rows
    this.#current = rates
  }

  changed(rates: readonly Rate[]): void {
    this.#current = rates
  }

  readonly current = (): readonly Rate[] => this.#current

  replace(rates: readonly Rate[]): Promise<void> {
    return this.#rows.replace(rates)
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
