import type { KnownHosts } from './known-hosts.ts'

/** Media that goes to addresses from which nothing ever comes, in a leg's whole life. */
export const unansweredMediaMs = 5000

/**
 * Keeps a session from flooding a third party (reflection): SDP may name any address, in one offer after the other. A
 * host that sends RTP or RTCP from there wants our packets; so do the SIP remote itself and hosts that the operator
 * lists. All others share a few seconds of media.
 */
export class ReflectionGuard {
  readonly #hosts: KnownHosts
  #answeredAddress = 0
  #answeredPort = 0
  #unansweredMs = 0
  /** Packets that would have gone to a third party. */
  withheld = 0

  constructor(hosts: KnownHosts) {
    this.#hosts = hosts
  }

  /** True when one more packet may go to `address`:`port`. */
  maySend(address: number, port: number): boolean {
    if (address === this.#answeredAddress && port === this.#answeredPort) return true
    if (this.#unansweredMs < unansweredMediaMs || this.#hosts.isParty(address)) return true
    this.withheld++
    return false
  }

  /** A packet that lasts `ms` went to `address`:`port`. */
  sent(address: number, port: number, ms: number): void {
    if (address === this.#answeredAddress && port === this.#answeredPort) return
    if (!this.#hosts.isParty(address)) this.#unansweredMs += ms
  }

  /** Something valid came from the remote, whose media goes to `address`:`port`. */
  answered(address: number, port: number): void {
    this.#answeredAddress = address
    this.#answeredPort = port
  }
}
