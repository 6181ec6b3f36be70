import { formatPlace } from '../address/address.ts'
import type { AwaitedSource } from '../contract/event.ts'
import type { DatagramFlow, DatagramReceiver, DatagramSocket } from '../net/network.ts'
import type { PortPair } from '../net/port-pool.ts'
import { KnownHosts } from '../receive/known-hosts.ts'
import type { UnknownSenders } from './unknown-senders.ts'

/** The ports that a leg shares, and what these do for it. */
export interface SharedHome {
  readonly ports: PortPair
  readonly unknown: UnknownSenders
  /** No other leg that is here has that source. */
  isFree(address: number, port: number, rtcpPort: number, leg?: SharedLeg): boolean
  /** Packets of that source are the leg's from now on. False: they are another's, and the leg has none. */
  claim(leg: SharedLeg, address: number, port: number, rtcpPort: number, now: number): boolean
  /** The leg has ended, or has ports of its own. */
  quit(leg: SharedLeg, now: number): void
}

/** A leg on a shared pair of ports. To its session it looks like a pair of sockets. */
export class SharedLeg implements PortPair {
  readonly rtp: SharedSocket
  readonly rtcp: SharedSocket
  /** The hosts that signalling names for it: only for what is reported, since nothing is learned here. */
  readonly hosts = new KnownHosts()
  /** Undefined: it has ports of its own by now. */
  pair: SharedHome | undefined
  own: PortPair | undefined
  /** Where its packets come from; port 0 = it holds no source. */
  address = 0
  port = 0
  rtcpPort = 0
  /** Its remote's address and port are another leg's too: packets of that source are dropped. */
  isAmbiguous = false
  /** A datagram has come from that source. */
  hasReceived = false
  /** Since when RTP is awaited from there; Infinity = it is not. */
  awaitedSince = Number.POSITIVE_INFINITY
  hasEnded = false

  constructor(pair: SharedHome) {
    this.pair = pair
    this.rtp = new SharedSocket(pair.ports.rtp)
    this.rtcp = new SharedSocket(pair.ports.rtcp)
  }

  /** From now on it sends and receives on ports of its own. */
  moveTo(own: PortPair): void {
    this.pair = undefined
    this.own = own
    this.rtp.moveTo(own.rtp)
    this.rtcp.moveTo(own.rtcp)
  }

  /** What is missed when nothing comes; undefined: it is not bound to one source. */
  get awaited(): AwaitedSource | undefined {
    const { pair, address, port } = this
    if (pair === undefined || port === 0 || this.isAmbiguous) return undefined
    const seen = pair.unknown.best(host => this.hosts.rankOf(host))
    return {
      from: formatPlace(address, port),
      seen: seen && formatPlace(seen.address, seen.port),
    }
  }
}

/** One of the two sockets that a session believes to have. */
class SharedSocket implements DatagramSocket, DatagramFlow {
  receiver: DatagramReceiver | undefined = undefined
  heldRound = -1
  #socket: DatagramSocket
  #isShared = true

  constructor(socket: DatagramSocket) {
    this.#socket = socket
  }

  get port(): number {
    return this.#socket.port
  }

  send(packet: Uint8Array, length: number, address: number, port: number): void {
    this.#socket.send(packet, length, address, port, this)
  }

  takeBack(): number {
    return this.#socket.takeBack?.(this) ?? 0
  }

  moveTo(own: DatagramSocket): void {
    this.#socket = own
    this.#isShared = false
    own.receiver = (packet, length, address, port) => this.receiver?.(packet, length, address, port)
  }

  describe(): string {
    return `${this.#isShared ? 'shared ' : ''}udp:${this.port}`
  }

  /** It stays open for the others. */
  close(): void {
    this.receiver = undefined
  }
}
