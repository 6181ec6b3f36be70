import type { Flow } from '../../network/flow.ts'
import type { HopName } from './call-command.ts'

const rememberedHops = 5_000
/** DNS records live for minutes; so does what we remember of them. */
const rememberedMs = 60_000

/** In the order in which they are tried; none = unreachable, or with `isRefused` an address that a customer may not name. */
export type UseHops = (hops: readonly Flow[], now: number, isRefused: boolean) => void

/** Next hops that have been looked up, and those that are being looked up. */
export class HopCache {
  readonly #known = new Map<string, { readonly hops: readonly Flow[]; readonly until: number }>()
  readonly #open = new Map<number, { readonly key: string; readonly isCustomers: boolean; readonly uses: UseHops[] }>()
  readonly #byKey = new Map<string, number>()
  readonly #mostLookups: number
  #next = 1

  constructor(mostLookups: number) {
    this.#mostLookups = mostLookups
  }

  /** Calls `use` at once, or begins a lookup: then its number is returned, and `ask` says whether to start it. */
  resolve(hop: HopName, now: number, use: UseHops): { readonly lookup: number; readonly ask: boolean } | undefined {
    const key = `${hop.transport ?? ''} ${hop.host} ${hop.port ?? ''} ${hop.customer ?? ''}`
    const known = this.#known.get(key)
    if (known !== undefined && known.until > now) {
      use(known.hops, now, false)
      return undefined
    }
    const running = this.#byKey.get(key)
    const open = running === undefined ? undefined : this.#open.get(running)
    if (running !== undefined && open !== undefined) {
      open.uses.push(use)
      return { lookup: running, ask: false }
    }
    if (this.#open.size >= this.#mostLookups) {
      use([], now, false)
      return undefined
    }
    const lookup = this.#next++
    this.#open.set(lookup, { key, isCustomers: hop.customer !== undefined, uses: [use] })
    this.#byKey.set(key, lookup)
    return { lookup, ask: true }
  }

  resolved(lookup: number, hops: readonly Flow[], isRefused: boolean, now: number): void {
    const open = this.#open.get(lookup)
    if (open === undefined) return
    this.#open.delete(lookup)
    this.#byKey.delete(open.key)
    // What a customer may reach can change from call to call, with the operator's trunks.
    if (hops.length > 0 && !open.isCustomers) {
      if (this.#known.size >= rememberedHops) this.#known.clear()
      this.#known.set(open.key, { hops, until: now + rememberedMs })
    }
    for (const use of open.uses) use(hops, now, isRefused)
  }
}
