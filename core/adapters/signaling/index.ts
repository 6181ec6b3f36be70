export { isAllowedOrigin } from './allowed-origin.ts'
export { namesPrivateHost } from './customer-targets.ts'
export {
  type PhoneUpgrade,
  type SignalingCounters,
  SipSignaling,
  type SipSignalingOptions,
  type TrunkHealth,
} from './signaling.ts'
export { sipDns } from './sip-dns.ts'
