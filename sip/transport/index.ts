// The door of SIP's sockets.

export type { ArrivalFigures } from './arrivals.ts'
export type { Datagrams, OpenDatagrams } from './datagrams.ts'
export { SipDriver } from './driver.ts'
export type { DriverClock, DriverConfig, ListenAddress, SipTap } from './driver-config.ts'
export { defaultTransportLimits, type TransportLimits } from './limits.ts'
export { type Dns, everyHop, type ResolvedHop, resolveHop } from './resolve.ts'
export type { Upgraded, WebSocketTransport } from './web-sockets.ts'
