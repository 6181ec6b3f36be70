import { messageLimits } from '../message/limits.ts'

/** How much the network may hold of us. */
export interface TransportLimits {
  /** Stream connections at once, both directions. Default 10,000. */
  readonly connections: number
  /** Connections of these kept for trunks (by their `inbound_hosts`) and for those that we open. Default 500. */
  readonly reservedConnections: number
  /** From one address, or one /64 of IPv6. Default 200. */
  readonly connectionsPerAddress: number
  /** Connections, TLS handshakes included, over which no known peer has sent yet; a further one takes the oldest's place. Default 1,000. */
  readonly unknownConnections: number
  /** Unknown connections from one address, or one /64; a further one is refused. Default 50. */
  readonly unknownConnectionsPerAddress: number
  /** Time without a whole message or a ping after which a connection is closed. Default 15 minutes. */
  readonly idleMs: number
  /** Time that a message may take to arrive once it has begun. Default 20 s. */
  readonly partialMs: number
  /** Time to connect, and for a TLS or WebSocket handshake that a client begins. Default 8 s. */
  readonly connectMs: number
  /** Time that a peer of a refused stream has to read our last response. Default 2 s. */
  readonly lingerMs: number
  /** Octets of what it still sends that are read meanwhile, and thrown away. Default 4 MB. */
  readonly lingerBytes: number
  /** WebSockets at once. Default 10,000. */
  readonly webSockets: number
  /** WebSockets that have not signed in; a further one takes the oldest's place. Default 2,000. */
  readonly unknownWebSockets: number
  /** From one address, or one /64 of IPv6; a further one is refused. Default 200. */
  readonly unknownPerAddress: number
  /** Time without a message of a known peer after which a connection or WebSocket is closed. Default 10 s. */
  readonly unknownMs: number
  /** Silence after which a WebSocket is pinged; it is closed after twice that. Default 30 s. */
  readonly pingMs: number
  /** Messages and pings in a row from one WebSocket, TCP or TLS connection, and how many more each second brings. Default 400 and 100. */
  readonly messageBurst: number
  readonly messagesPerSecond: number
  /** So much more may come over a TCP or TLS connection that is known and no phone's; of a trunk's address, any. Default 10. */
  readonly knownMessageTimes: number
  /** Octets of one WebSocket message. Default 65,535. */
  readonly messageBytes: number
  /** Fragments of one WebSocket message. Each is kept with what came in one read, and costs a hundred times its octets. Default 256. */
  readonly messageFragments: number
  /** Reads in which one WebSocket frame may come. Default 1,024, eight times those of 64 KB in TCP's smallest usual segments. */
  readonly frameReads: number
  /** Bytes that a peer does not take before its connection is closed. Default 1 MB. */
  readonly unsentBytes: number
}

export const defaultTransportLimits: TransportLimits = Object.freeze({
  connections: 10_000,
  reservedConnections: 500,
  connectionsPerAddress: 200,
  unknownConnections: 1_000,
  unknownConnectionsPerAddress: 50,
  idleMs: 900_000,
  partialMs: 20_000,
  connectMs: 8_000,
  lingerMs: 2_000,
  lingerBytes: 4 * 1024 * 1024,
  webSockets: 10_000,
  unknownWebSockets: 2_000,
  unknownPerAddress: 200,
  unknownMs: 10_000,
  pingMs: 30_000,
  messageBurst: 400,
  messagesPerSecond: 100,
  knownMessageTimes: 10,
  messageBytes: messageLimits.bytes,
  messageFragments: 256,
  frameReads: 1024,
  unsentBytes: 1024 * 1024,
})
