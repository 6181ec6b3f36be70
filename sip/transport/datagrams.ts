/**
 * The system's own calls on a bound UDP socket, beside those of node:dgram: many datagrams at once, and a fraction of the
 * time for each. The socket belongs to the listener that opened it; nothing is called once that is closed.
 */
export interface Datagrams {
  /** Bound, and given to node:dgram to listen on. */
  readonly descriptor: number
  /** Takes what waits, at most `most`; `bytes` are only lent. How many there were. */
  receive(most: number, received: (bytes: Uint8Array, address: string, port: number) => void): number
  /** So many may be queued at once. */
  readonly mostQueued: number
  /** Copies it, to go with the next `flush`. False: not to such an address, or it is too long. */
  queue(bytes: Uint8Array, address: string, port: number): boolean
  /** Sends what is queued, in its order. Those that could not go at once come back. */
  flush(): readonly UnsentDatagram[]
}

/** `at`: its place among those that were queued. */
export interface UnsentDatagram {
  readonly at: number
  readonly bytes: Uint8Array
  readonly address: string
  readonly port: number
}

/** Undefined: not for this address, or not on this machine; node:dgram binds it then, and says why it cannot. */
export type OpenDatagrams = (address: string, port: number) => Datagrams | undefined
