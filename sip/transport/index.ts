// The door of SIP's sockets.

export { type DriverClock, type DriverConfig, type ListenAddress, SipDriver } from './driver.ts'
export { defaultTransportLimits, type TransportLimits } from './limits.ts'
export { type Dns, type ResolvedHop, resolveHop, systemDns } from './resolve.ts'
export type { Upgraded, WebSocketTransport } from './web-sockets.ts'
