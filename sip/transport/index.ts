// The door of SIP's sockets.

export type { ArrivalFigures } from './arrivals.ts'
export type { Datagrams, OpenDatagrams, UnsentDatagram } from './datagrams.ts'
export { defaultTransportLimits } from './limits.ts'
export { ListenFault } from './listen-fault.ts'
export { type Dns, everyHop, type ResolvedHop } from './resolve.ts'
export { SipTransport } from './sip-transport.ts'
export type { ListenAddress, SipTap } from './sip-transport-config.ts'
export { Turn } from './turn.ts'
export type { Upgraded } from './web-sockets.ts'
