import type { CallHost } from '../leg/call-host.ts'
import type { Leg, LegOptions } from '../leg/leg.ts'
import { refusesOffer, triesNextTrunk } from '../leg/reason-of.ts'
import type { LegCause } from '../model/end-reason.ts'
import type { Trunk } from '../model/trunk.ts'
import type { LegTarget } from '../ports/signaling.ts'
import { numberForTrunk } from '../routing/routes.ts'
import type { BranchOptions, Route } from './branch-options.ts'

/** The routes of one destination, taken one after the other; what is taken of a trunk is given back. */
export class RouteTrials {
  readonly #host: CallHost
  readonly #options: BranchOptions
  readonly #left: Route[]
  #route: Route | undefined
  #trunk: Trunk | undefined
  /** The next attempt is by the same trunk, for the same place in it. */
  #stays = false

  constructor(host: CallHost, options: BranchOptions) {
    this.#host = host
    this.#options = options
    this.#left = [...options.routes]
  }

  /** Takes the next route that has room for a call; undefined: there is none. */
  next(): Route | undefined {
    this.#route = this.#takeNext()
    return this.#route
  }

  /** No attempt follows. */
  end(): void {
    this.#stays = false
    this.leave()
  }

  /** What it was reached by is free again, unless the next attempt is by the same. */
  leave(): void {
    if (this.#stays) return
    if (this.#trunk !== undefined) this.#host.trunkLoads.release(this.#trunk, this.#host.now())
    this.#trunk = undefined
  }

  /** An end that another route may do better than. */
  goesOnAfter(cause: LegCause): boolean {
    if (this.#left.length === 0) return false
    if (this.#route?.kind === 'phone') return refusesOffer(cause)
    if (this.#isSameTrunk(this.#left[0])) {
      this.#stays = refusesOffer(cause)
      if (this.#stays) return true
      // It would not do better in the clear.
      this.#left.shift()
    }
    return this.#left.length > 0 && triesNextTrunk(cause)
  }

  /** The next attempt is one that others than this switch get to see; phones are known to it. */
  get leavesSwitch(): boolean {
    const kind = this.#left[0]?.kind
    return kind === 'trunk' || kind === 'uri'
  }

  /** Sends the leg out by the present route. */
  dial(leg: Leg): void {
    const route = this.#route
    const { from, hops } = this.#options
    if (route === undefined) return
    if (route.kind === 'on-net') leg.dialOnNet(from, hops)
    else leg.dial(this.#target(route), from, hops)
  }

  #isSameTrunk(route: Route | undefined): boolean {
    return route?.kind === 'trunk' && this.#route?.kind === 'trunk' && route.trunk.uuid === this.#route.trunk.uuid
  }

  #takeNext(): Route | undefined {
    if (this.#stays) {
      this.#stays = false
      return this.#left.shift()
    }
    for (let route = this.#left.shift(); route !== undefined; route = this.#left.shift()) {
      if (route.kind !== 'trunk') return route
      if (this.#host.trunkLoads.take(route.trunk, this.#host.now())) {
        this.#trunk = route.trunk
        return route
      }
    }
    return undefined
  }

  #target(route: Exclude<Route, { kind: 'on-net' }>): LegTarget {
    if (route.kind !== 'trunk') return route.target
    const { to: dialled } = this.#options
    const number = numberForTrunk(dialled, route.trunk)
    return { kind: 'trunk', trunk: route.trunk, number, ...(number === dialled ? {} : { dialled }) }
  }
}

/** Options of a leg that takes that route. */
export function legBy(
  route: Route,
): Pick<LegOptions, 'direction' | 'isLoop' | 'isBrowser' | 'trunkName' | 'codecs'> &
  Pick<LegOptions, 'toward' | 'srtp' | 'mediaHosts' | 'mediaSource'> {
  const isTrunk = route.kind === 'trunk'
  return {
    direction: route.kind === 'on-net' || route.kind === 'phone' ? 'on-net' : 'outbound',
    isLoop: route.kind === 'on-net',
    isBrowser: route.kind === 'phone' && route.webrtc,
    trunkName: isTrunk ? route.trunk.name : '',
    codecs: isTrunk ? route.trunk.codecs : [],
    ...towardOf(route),
  }
}

/**
 * The host that a route leads to, where it is known: our address on the way there goes into the offer. And whether
 * media is protected there.
 */
function towardOf(route: Route): Pick<LegOptions, 'toward' | 'srtp' | 'mediaHosts' | 'mediaSource'> {
  if (route.kind === 'trunk') {
    const { host, mediaHosts, mediaSource } = route.trunk
    return { toward: host, srtp: route.srtp, mediaHosts, mediaSource }
  }
  if (route.kind === 'uri') return { toward: route.host }
  return route.kind === 'phone' ? { toward: route.target.binding.address, srtp: route.srtp } : {}
}
