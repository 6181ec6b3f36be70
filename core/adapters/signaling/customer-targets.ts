import { networkInterfaces } from 'node:os'
import {
  addressBytes,
  defaultPort,
  hopOf,
  isForbiddenTarget,
  parseAddressRange,
  parseUri,
  rangeHolds,
  subscriberOf,
  withoutTrailing,
} from '../../../sip/index.ts'
import { type Dns, everyHop, type ListenAddress, type ResolvedHop } from '../../../sip/transport/index.ts'
import type { SipTarget } from '../../contract/environment.ts'
import type { Trunk } from '../../model/trunk.ts'
import type { Log } from '../../ports/log.ts'
import { isPublicAddress } from '../http/index.ts'
import { trunkPort } from './dial-target.ts'

/** What customers' documents may not name, beside trunks. */
interface CustomerTargetOptions {
  readonly trunks: () => readonly Trunk[]
  readonly dns: Dns
  readonly clock: { now(): number }
  readonly log: Log
  /** Private and loopback addresses may be named; trunks and this switch still not. */
  readonly allowPrivate: boolean
  readonly externalAddresses: readonly string[]
  /** What is really bound. */
  readonly listeners: () => readonly Pick<ListenAddress, 'address' | 'port'>[]
  /** Names under which this switch is known: its SIP domain, the host of its public URL. */
  readonly ownNames: readonly string[]
  /** Default: what the system says. */
  readonly localAddresses?: () => readonly string[]
}

/** Carriers change the addresses of their names; those that a name had within this time stay theirs. */
const rememberedMs = 24 * 3600 * 1000
/** So old may what is known of the names be; DNS itself is asked as often as its answers' lifetimes say. */
const freshMs = 30_000
/** The same for the addresses of this machine: to ask for them takes the system longer than all else here. */
const localFreshMs = 5_000

interface Owned {
  readonly address: string
  readonly port: number
  readonly seenAt: number
}

/**
 * Where a `<Sip>` may lead: not to a trunk, whose carrier would take our word for the call, not to this switch, and to a
 * private network only where the operator allows it. Loopback is then distinguished by port, so that a telephone system on
 * the same machine can be tried; every other address is the trunk's whatever the port, since a caller chooses the port.
 */
export class CustomerTargets {
  readonly #options: CustomerTargetOptions
  /** What each name has led to, by address and port: trunks' names, and our own. */
  readonly #byName = new Map<string, Map<string, Owned>>()
  #local: { readonly addresses: readonly string[]; readonly at: number } | undefined
  #isRefreshedAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  constructor(options: CustomerTargetOptions) {
    this.#options = options
  }

  /** The operator has changed trunks. */
  trunksChanged(): void {
    this.#isRefreshedAt = Number.NEGATIVE_INFINITY
  }

  /** Whether a call may go to all of these. Rejects while a trunk's own addresses cannot be found. */
  async mayReach(hops: readonly ResolvedHop[]): Promise<boolean> {
    await this.#refreshed()
    return hops.every(hop => !this.#isRefused(hop))
  }

  /** What the URI of a `<Sip>` says by itself; undefined: it is no SIP URI. */
  read(uri: string): SipTarget | undefined {
    const parsed = parseUri(uri)
    if (!parsed.ok || parsed.value.kind !== 'sip') return undefined
    const { host, port } = parsed.value
    return { user: subscriberOf(parsed.value), host: plainName(host), port, isRefused: this.isRefused(uri) }
  }

  /** What a document alone shows: the URI names a trunk, this switch or a private network without asking DNS. */
  isRefused(uri: string): boolean {
    const hop = hopOf(uri)
    if (hop === undefined) return false
    const host = plainName(hop.host)
    const port = hop.port ?? defaultPort(hop.transport ?? 'udp')
    if (addressBytes(host) !== undefined) return this.#isRefused({ address: host, port })
    if (!this.#options.allowPrivate && isLoopbackName(host)) return true
    return !isLoopbackName(host) && this.#options.trunks().some(trunk => plainName(trunk.host) === host)
  }

  #isRefused({ address, port }: Pick<ResolvedHop, 'address' | 'port'>): boolean {
    const { allowPrivate, trunks, externalAddresses } = this.#options
    if (!allowPrivate && !isPublicAddress(address)) return true
    const forms = formsOf(address)
    // Unspecified, which the system would connect to itself, and multicast.
    if (forms.length === 0 || forms.some(isForbiddenTarget)) return true
    if (forms.some(isLoopback)) return this.#isOwnLoopback(forms, port)
    const own = [...externalAddresses, ...this.#localAddresses()]
    const isSame = (text: string) => formsOf(text).some(bytes => forms.some(form => sameBytes(form, bytes)))
    if (own.some(isSame)) return true
    for (const owned of this.#byName.values())
      for (const { address: its } of owned.values()) if (isSame(its)) return true
    return trunks().some(
      trunk =>
        isSame(plainName(trunk.host)) ||
        trunk.inboundHosts.some(text => {
          const range = parseAddressRange(text)
          return range !== undefined && forms.some(form => rangeHolds(range, form))
        }),
    )
  }

  /** Only where private addresses may be reached. */
  #isOwnLoopback(forms: readonly Uint8Array[], port: number): boolean {
    if (this.#options.listeners().some(listener => listener.port === port)) return true
    for (const owned of this.#byName.values())
      for (const { address, port: its } of owned.values())
        if (its === port && isLoopback(addressBytes(address))) return true
    return this.#options
      .trunks()
      .some(trunk => forms.some(() => isLoopback(addressBytes(plainName(trunk.host)))) && portOf(trunk) === port)
  }

  #localAddresses(): readonly string[] {
    const { localAddresses = systemAddresses, clock } = this.#options
    const now = clock.now()
    if (this.#local === undefined || now - this.#local.at >= localFreshMs)
      this.#local = { addresses: localAddresses(), at: now }
    return this.#local.addresses
  }

  /** Waits only for names of which nothing is known yet; what is known is looked up again meanwhile. */
  async #refreshed(): Promise<void> {
    const { clock, trunks } = this.#options
    if (clock.now() - this.#isRefreshedAt < freshMs) return
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    // A trunk that only calls in has no host.
    const isKnown = (name: string) =>
      name === '' || addressBytes(name) !== undefined || (this.#byName.get(name)?.size ?? 0) > 0
    if (trunks().every(trunk => isKnown(plainName(trunk.host)))) this.#refreshing.catch(() => {})
    else await this.#refreshing
  }

  async #refresh(): Promise<void> {
    const { trunks, ownNames, clock, log } = this.#options
    const now = clock.now()
    const named = trunks().filter(trunk => addressBytes(plainName(trunk.host)) === undefined)
    const names = new Set([...named.map(trunk => plainName(trunk.host)), ...ownNames.map(plainName)])
    for (const name of this.#byName.keys()) if (!names.has(name)) this.#byName.delete(name)
    const unknown: string[] = []
    await Promise.all([
      ...ownNames.map(name => this.#learn(plainName(name), undefined, now)),
      ...named.map(async trunk => {
        const isKnown = await this.#learn(plainName(trunk.host), trunkPort(trunk), now)
        if (!isKnown) unknown.push(trunk.name)
      }),
    ])
    if (unknown.length > 0) {
      // It is not known whether the target is this carrier's: better no call than one at the operator's cost.
      log.warn({ trunks: unknown.slice(0, 10) }, 'no <Sip> is dialled while the addresses of these trunks are unknown')
      throw new Error(`the addresses of ${unknown.length} trunks are unknown`)
    }
    this.#isRefreshedAt = now
  }

  /**
   * `port`: undefined where DNS chooses it. False: DNS fails, and has never said. A name that it says has no address is
   * known: it leads nowhere.
   */
  async #learn(name: string, port: number | undefined, now: number): Promise<boolean> {
    if (name === '' || addressBytes(name) !== undefined) return true
    const known = this.#byName.get(name) ?? new Map<string, Owned>()
    const found = await everyHop(name, this.#options.dns)
    for (const [key, { seenAt }] of known) if (now - seenAt > rememberedMs) known.delete(key)
    for (const hop of found.hops) {
      const owned = { address: hop.address, port: port ?? hop.port, seenAt: now }
      known.set(`${owned.address} ${owned.port}`, owned)
    }
    this.#byName.set(name, known)
    return known.size > 0 || !found.hasFailed
  }
}

const portOf = (trunk: Trunk): number => trunkPort(trunk) ?? defaultPort(trunk.transport)

/** RFC 1035: a dot at the end changes nothing, nor does the case. */
const plainName = (host: string): string => withoutTrailing(host.toLowerCase().replace(/^\[|\]$/g, ''), '.')

/** The URI names a private or loopback address by itself. */
export function namesPrivateHost(uri: string): boolean {
  const host = plainName(hopOf(uri)?.host ?? '')
  return isLoopbackName(host) || (addressBytes(host) !== undefined && !isPublicAddress(host))
}

/** RFC 6761 §6.3. */
const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost')

const isLoopback = (bytes: Uint8Array | undefined): boolean =>
  bytes !== undefined &&
  (bytes.length === 4 ? bytes[0] === 127 : bytes[15] === 1 && bytes.subarray(0, 15).every(byte => byte === 0))

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])

const embedding4 = ['64:ff9b::/96', '2002::/16', '::/96'].map(text => parseAddressRange(text))

/** The address, and the IPv4 address within it where it only carries one (NAT64, 6to4, RFC 4291 §2.5.5.1). */
function formsOf(address: string): readonly Uint8Array[] {
  const bytes = addressBytes(address)
  if (bytes === undefined) return []
  const [nat64, sixToFour, compatible] = embedding4
  if (sixToFour !== undefined && rangeHolds(sixToFour, bytes)) return [bytes, bytes.slice(2, 6)]
  const isCarrier = [nat64, compatible].some(range => range !== undefined && rangeHolds(range, bytes))
  // ::1 and :: are addresses of their own.
  return isCarrier && !(isLoopback(bytes) || isForbiddenTarget(bytes)) ? [bytes, bytes.slice(12)] : [bytes]
}

const systemAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap(all => (all ?? []).map(({ address }) => address))
