/**
 * What a media engine asks of the network. An IPv4 address is the signed 32-bit integer of its four bytes, one of IPv6 a
 * number that this thread gives it (`Ipv6Table`): small integers pass through calls without allocation, strings and objects
 * do not.
 */

/** The packet begins at `packet[0]`; the buffer is only lent until the next `flush`, and may be altered in place. */
export type DatagramReceiver = (packet: Uint8Array, length: number, address: number, port: number) => void

/** Packets that keep their order among each other, and may be taken back together: those of a leg. */
export interface DatagramFlow {
  /** For the network: when something of it was held last. */
  heldRound: number
}

export interface DatagramSocket {
  readonly port: number
  /** Undefined = what arrives is read and thrown away: the socket is drained. */
  receiver: DatagramReceiver | undefined
  /** Reads what `receiver` will read, and does nothing with it; returns any number. */
  readAhead?: (() => number) | undefined
  /** Many legs receive on it: it may be read for longer in a tick than a leg's own. */
  isShared?: boolean
  /**
   * Queues `length` bytes of `packet`, which must be a received packet or a slot and stay untouched until `flush`. `flow`:
   * the leg, on a socket that many legs share.
   */
  send(packet: Uint8Array, length: number, address: number, port: number, flow?: DatagramFlow): void
  /** What is held of this socket will not be sent; returns how many packets. Of one that many legs share, only a flow's. */
  takeBack?(flow?: DatagramFlow): number
  /** How its packets leave, for support: `srtp → udp:10002`. Default: `udp:` and the port. */
  describe?(): string
  close(): void
}

export interface NetworkCounters {
  received: number
  sent: number
  /** The system would not take a packet: buffer full, no route. */
  unsent: number
  /** Datagrams larger than a slot. */
  oversized: number
}

export interface DatagramNetwork {
  readonly kind: 'mmsg' | 'dgram' | 'virtual'
  readonly counters: Readonly<NetworkCounters>
  /**
   * Binds a UDP port of `address`, by default the network's own, of its family alone; 0 = any. `done` gets undefined when the port is not to
   * be had, or the address not this machine's.
   */
  bind(port: number, done: (socket: DatagramSocket | undefined) => void, address?: number): void
  /** The last port was not to be had because this process may open no more files. */
  readonly hasNoDescriptors?: boolean
  /** Room for one outgoing packet, of at least `slotBytes`; valid until it was sent and flushed. */
  slot(): Uint8Array
  /** Hands everything that has arrived to the sockets' receivers. Bounded per socket; the rest waits for the next call. */
  receive(): void
  /** Sends what is queued, but for what is held. */
  flush(): void
  /** While true, what is sent waits for `release`, in its order; slots that are taken meanwhile are valid until then. */
  hold(isHolding: boolean): void
  /** While true, what is sent by a socket, or a flow, of which something is held waits after that. */
  keepsOrder?: boolean
  /** Sends what was held. */
  release(): void
  close(): void
}

/** Size of a packet's buffer; larger datagrams are cut and counted. */
export const slotBytes = 2048

/**
 * So many sessions are read ahead before the first of them has its turn. What a session needs for a packet lies in some
 * forty places that were last read a packet ago, and most have left the processor's caches by then. When several sessions
 * are read in a row, the processor fetches their places at the same time; else it waits for each.
 */
export const readAheadOf = 8

/** How the packets of a socket leave: `udp:10002`. */
export const describeSocket = (socket: DatagramSocket): string => socket.describe?.() ?? `udp:${socket.port}`
