import { CredentialScope } from '../../digest/credential-scope.ts'
import { type AddressRange, addressBytes, parseAddressRange, rangeHolds } from '../../network/address-range.ts'
import { type HopTransport, isSecure } from '../../network/flow.ts'
import type { Credentialed } from '../services/services.ts'

/** A carrier or another switch that we know. */
export interface PeerConfig {
  readonly id: string
  readonly host: string
  readonly port: number
  readonly transport: HopTransport
  readonly username: string
  readonly password: string
  /** Register there, and stay registered. */
  readonly register: boolean
  /** Addresses and CIDR ranges whose calls are taken. */
  readonly inboundHosts: readonly string[]
  /** 0 = no pings. */
  readonly optionsPingSeconds: number
}

/** Where it is asked for: at its port, or where DNS leads. */
export const hopOfPeer = ({ host, port, transport }: PeerConfig) => ({
  host,
  port: port === 0 ? undefined : port,
  transport,
})

/** The user of the Contact that we register there: calls of a carrier that retargets to it name it (RFC 3261 §16.5). */
export const contactUserOf = ({ id }: PeerConfig): string => `sauti-${id.replace(/[^0-9a-z]/gi, '').slice(0, 32)}`

/** A wider network in `inboundHosts` says who may call, not where a password may go. */
const ownNetworkBits = { 4: 24, 16: 64 } as const

/** The settings of a peer that decide where its password may go; while they stay, what was learnt is valid. */
const scopeKey = (peer: PeerConfig): string =>
  JSON.stringify([peer.host, peer.port, peer.transport, peer.username, peer.password, peer.inboundHosts])

/** How many source addresses are remembered with their verdict. */
const rememberedSources = 10_000

/** The peers, and which of them an address belongs to. */
export class PeerTable {
  #peers: readonly PeerConfig[] = []
  #ranges: readonly { readonly range: AddressRange; readonly peer: PeerConfig }[] = []
  #bySource = new Map<string, PeerConfig | undefined>()
  #byContactUser = new Map<string, PeerConfig>()
  #challenged: readonly PeerConfig[] = []
  #scopes = new Map<string, { readonly key: string; readonly scope: CredentialScope }>()

  get all(): readonly PeerConfig[] {
    return this.#peers
  }

  /** Peers whose calls are taken by digest credentials from any address: they have some, and no addresses. */
  get byCredentials(): readonly PeerConfig[] {
    return this.#challenged
  }

  replace(peers: readonly PeerConfig[]): void {
    this.#peers = peers
    this.#bySource = new Map()
    this.#byContactUser = new Map(peers.filter(({ register }) => register).map(peer => [contactUserOf(peer), peer]))
    this.#ranges = peers.flatMap(peer =>
      peer.inboundHosts.flatMap(text => {
        const range = parseAddressRange(text)
        return range === undefined ? [] : [{ range, peer }]
      }),
    )
    const known = this.#scopes
    this.#scopes = new Map(
      peers
        .filter(peer => peer.username !== '')
        .map(peer => {
          const before = known.get(peer.id)
          const key = scopeKey(peer)
          return [peer.id, before?.key === key ? before : { key, scope: scopeOfPeer(peer) }]
        }),
    )
    this.#challenged = peers.filter(
      peer => peer.username !== '' && peer.password !== '' && peer.inboundHosts.length === 0,
    )
  }

  /** Where the credentials of a target may go; undefined: it has none. A trunk's are of all its calls. */
  scopeOf({ peerId, username, password, hop }: Credentialed): CredentialScope | undefined {
    if (username === '') return undefined
    const known = peerId === undefined ? undefined : this.#scopes.get(peerId)?.scope
    if (known?.credentials.username === username && known.credentials.password === password) return known
    const rules = { peerId, needsTls: hop.transport !== undefined && isSecure(hop.transport), isListed: () => false }
    return new CredentialScope({ username, password }, rules)
  }

  /** The peer sends from that address; several peers may share one. */
  isOf(peerId: string, address: string): boolean {
    const bytes = addressBytes(address)
    return bytes !== undefined && this.#ranges.some(({ range, peer }) => peer.id === peerId && rangeHolds(range, bytes))
  }

  /** The peer to which we have registered a Contact with that user, and that sends from `address`. */
  byContact(user: string, address: string): PeerConfig | undefined {
    const peer = this.#byContactUser.get(user)
    return peer !== undefined && this.isOf(peer.id, address) ? peer : undefined
  }

  /** The peer that sends from `address`; undefined for an unknown source. */
  bySource(address: string): PeerConfig | undefined {
    const known = this.#bySource.get(address)
    if (known !== undefined || this.#bySource.has(address)) return known
    const bytes = addressBytes(address)
    const peer = bytes && this.#ranges.find(entry => rangeHolds(entry.range, bytes))?.peer
    if (this.#bySource.size >= rememberedSources) this.#bySource.clear()
    this.#bySource.set(address, peer)
    return peer
  }
}

function scopeOfPeer({ id, username, password, transport, inboundHosts }: PeerConfig): CredentialScope {
  const own = inboundHosts.flatMap(text => {
    const range = parseAddressRange(text)
    return range !== undefined && range.prefixLength >= ownNetworkBits[range.bytes.length === 4 ? 4 : 16] ? [range] : []
  })
  const isListed = (address: string): boolean => {
    const bytes = addressBytes(address)
    return bytes !== undefined && own.some(range => rangeHolds(range, bytes))
  }
  return new CredentialScope({ username, password }, { peerId: id, needsTls: isSecure(transport), isListed })
}
