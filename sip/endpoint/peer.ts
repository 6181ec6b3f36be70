import { type AddressRange, addressBytes, parseAddressRange, rangeHolds } from './address-range.ts'

/** A carrier or another switch that we know. */
export interface PeerConfig {
  readonly id: string
  readonly host: string
  readonly port: number
  readonly transport: 'udp' | 'tcp' | 'tls'
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

/** How many source addresses are remembered with their verdict. */
const rememberedSources = 10_000

/** The peers, and which of them an address belongs to. */
export class PeerTable {
  #peers: readonly PeerConfig[] = []
  #ranges: readonly { readonly range: AddressRange; readonly peer: PeerConfig }[] = []
  #bySource = new Map<string, PeerConfig | undefined>()
  #challenged: readonly PeerConfig[] = []

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
    this.#ranges = peers.flatMap(peer =>
      peer.inboundHosts.flatMap(text => {
        const range = parseAddressRange(text)
        return range === undefined ? [] : [{ range, peer }]
      }),
    )
    this.#challenged = peers.filter(
      peer => peer.username !== '' && peer.password !== '' && peer.inboundHosts.length === 0,
    )
  }

  /** The peer that sends from `address`; undefined for a stranger. */
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
