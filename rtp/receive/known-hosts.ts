import { parseAddress } from '../address/address.ts'
import {
  isInRange,
  isPrivateAddress,
  type NetworkRange,
  parseNetworkRange,
  rangeAround,
} from '../address/network-range.ts'
import type { MediaSources } from '../contract/agreement.ts'

/** A host that sends SIP may send media from neighbouring addresses of this prefix. */
const sipNetwork = { ipv4: 24, ipv6: 64 } as const

/** How close a host is to what signalling says; 0 = not at all. */
type Rank = 0 | 1 | 2 | 3
export const ranks = { unknown: 0, network: 1, sip: 2, signalled: 3 } as const satisfies Record<string, Rank>

/** The hosts that signalling and the trunk name for a leg's media. */
export class KnownHosts {
  #signalled = 0
  #sip: number | undefined
  #hosts: readonly NetworkRange[] = []
  /**
   * The network that SIP comes from; undefined where addresses are private and may belong to any host behind the NAT.
   */
  #sipNetwork: NetworkRange | undefined

  signal(address: number, sources: MediaSources | undefined): void {
    const sip = sources?.sip === undefined ? undefined : parseAddress(sources.sip)
    this.#signalled = address
    this.#sip = sip
    this.#hosts = (sources?.hosts ?? []).map(parseNetworkRange).filter(range => range !== undefined)
    const isPublic = sip !== undefined && !isPrivateAddress(sip) && !isPrivateAddress(address)
    this.#sipNetwork = isPublic ? rangeAround(sip, sipNetwork) : undefined
  }

  rankOf(address: number): Rank {
    if (address === this.#signalled) return ranks.signalled
    if (address === this.#sip) return ranks.sip
    if (this.#sipNetwork !== undefined && isInRange(address, this.#sipNetwork)) return ranks.network
    return this.#isListed(address) ? ranks.network : ranks.unknown
  }

  /** It is the SIP peer itself, or the operator has listed it: not a third party that SDP names without its consent. */
  isParty(address: number): boolean {
    return address === this.#sip || this.#isListed(address)
  }

  #isListed(address: number): boolean {
    for (const range of this.#hosts) if (isInRange(address, range)) return true
    return false
  }
}
