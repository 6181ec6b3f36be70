import { parseAddress } from '../address/address.ts'
import type { DatagramNetwork, DatagramSocket } from './network.ts'

interface PortPoolConfig {
  /** Inclusive; even ports carry RTP, the next odd one RTCP. */
  readonly ports: readonly [first: number, last: number]
  /** How long the ports of an ended session stay bound and are read empty. Default 2000. */
  readonly drainMs?: number
}

export interface PortPair {
  readonly rtp: DatagramSocket
  readonly rtcp: DatagramSocket
}

const defaultDrainMs = 2000
/** Pairs tried for one session: others on this machine may hold some ports of the range, hardly so many. */
const maxTries = 64

/**
 * Pairs of ports for sessions. Begins at a random place, so that a restart does not meet the late senders of the calls
 * before; the pair that was free for longest comes next. Freed pairs are kept bound and drained first.
 */
export class PortPool {
  readonly #network: DatagramNetwork
  readonly #drainMs: number
  /** A ring of the even ports that are free. */
  readonly #ring: Uint16Array
  #head = 0
  #free: number
  readonly #draining: { readonly pair: PortPair; readonly until: number }[] = []

  /** `random` in [0, 1). Throws when the range holds no pair. */
  constructor(network: DatagramNetwork, config: PortPoolConfig, random: () => number) {
    const [first, last] = config.ports
    const even = first + (first % 2)
    const pairs = Math.floor((last - even + 1) / 2)
    if (pairs < 1) throw new RangeError(`media ports ${first}-${last} hold no pair of an even and an odd port`)
    this.#network = network
    this.#drainMs = config.drainMs ?? defaultDrainMs
    const begin = Math.floor(random() * pairs)
    this.#ring = Uint16Array.from({ length: pairs }, (_, i) => even + 2 * ((begin + i) % pairs))
    this.#free = pairs
  }

  /** Pairs that are neither used nor drained. */
  get free(): number {
    return this.#free
  }
  get draining(): number {
    return this.#draining.length
  }

  /** `done` gets undefined when no pair is to be had. `isIpv6`: of all IPv6 addresses of this machine. */
  take(done: (pair: PortPair | undefined) => void, isIpv6 = false): void {
    this.#try(Math.min(maxTries, this.#free), isIpv6 ? parseAddress('::') : undefined, done)
  }

  /** From now on what arrives on the pair is thrown away. */
  release(pair: PortPair, now: number): void {
    pair.rtp.receiver = undefined
    pair.rtp.readAhead = undefined
    pair.rtcp.receiver = undefined
    this.#draining.push({ pair, until: now + this.#drainMs })
  }

  /** A pair that was taken and whose sockets are closed by anyone who took it: there is nothing to drain. */
  giveBack(pair: PortPair): void {
    this.#putBack(pair.rtp.port)
  }

  /** Closes the pairs that were drained for long enough. */
  tick(now: number): void {
    for (let next = this.#draining[0]; next !== undefined && next.until <= now; next = this.#draining[0]) {
      this.#draining.shift()
      next.pair.rtp.close()
      next.pair.rtcp.close()
      this.#putBack(next.pair.rtp.port)
    }
  }

  #try(tries: number, address: number | undefined, done: (pair: PortPair | undefined) => void): void {
    if (tries <= 0 || this.#free === 0) {
      done(undefined)
      return
    }
    const port = this.#ring[this.#head]!
    this.#head = (this.#head + 1) % this.#ring.length
    this.#free--
    const again = () => {
      this.#putBack(port)
      this.#try(this.#network.hasNoDescriptors === true ? 0 : tries - 1, address, done)
    }
    const rtpBound = (rtp: DatagramSocket | undefined) => {
      if (rtp === undefined) return again()
      const rtcpBound = (rtcp: DatagramSocket | undefined) => {
        if (rtcp !== undefined) return done({ rtp, rtcp })
        rtp.close()
        again()
      }
      this.#network.bind(port + 1, rtcpBound, address)
    }
    this.#network.bind(port, rtpBound, address)
  }

  #putBack(port: number): void {
    this.#ring[(this.#head + this.#free) % this.#ring.length] = port
    this.#free++
  }
}
