/** What leads to a peer, and what a SIP URI may name. */
export const hopTransports = ['udp', 'tcp', 'tls'] as const
export type HopTransport = (typeof hopTransports)[number]
/** Connections without frames of their own. */
export type StreamTransport = Exclude<HopTransport, 'udp'>
export type WebSocketTransport = 'ws' | 'wss'
export type TransportName = HopTransport | WebSocketTransport
/** What we listen on ourselves; a `ws` connection comes by an HTTP server. */
export type ListenTransport = Exclude<TransportName, 'ws'>

/** Where a peer's messages come from and go to. Made by the transport, which keeps one object per peer. */
export interface Flow {
  readonly transport: TransportName
  /** IP literal, IPv6 without brackets. */
  readonly address: string
  readonly port: number
  /** The listener (UDP) or the connection (streams); undefined = the driver picks one or connects. */
  readonly socket: number | undefined
  /** What we write into Via and Contact towards this peer; IPv6 in brackets. */
  readonly localHost: string
  readonly localPort: number
  /** Where to connect when the connection `socket` is gone; undefined = nowhere, as behind an ephemeral port. */
  readonly connectPort?: number
  /** The name that a TLS certificate must be for; undefined = the address. */
  readonly serverName?: string
}

/** A WebSocket's remote is a softphone, never a peer that is known by its address. */
export const isWebSocket = (transport: TransportName): transport is WebSocketTransport =>
  transport === 'ws' || transport === 'wss'

export const isStream = (transport: TransportName): transport is StreamTransport =>
  transport !== 'udp' && !isWebSocket(transport)

/** Encrypted, with a certificate that says who the remote is. */
export const isSecure = (transport: TransportName): boolean => transport === 'tls' || transport === 'wss'

export const isReliable = (transport: TransportName): boolean => transport !== 'udp'

export const defaultPort = (transport: TransportName): number => (isSecure(transport) ? 5061 : 5060)
