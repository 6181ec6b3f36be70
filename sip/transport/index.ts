// The door of SIP's sockets.

export type { ArrivalFigures } from './arrivals.ts'
export type { Datagrams, OpenDatagrams } from './datagrams.ts'
export { defaultTransportLimits, type TransportLimits } from './limits.ts'
export { type Dns, everyHop, type ResolvedHop, resolveHop } from './resolve.ts'
export { SipTransport } from './sip-transport.ts'
export type { ListenAddress, SipTap, SipTransportConfig, TransportClock } from './sip-transport-config.ts'
export type { Upgraded, WebSocketTransport } from './web-sockets.ts'
