export { isAllowedOrigin } from './allowed-origin.ts'
export { namesPrivateHost } from './customer-targets.ts'
export {
  type PhoneUpgrade,
  type RegisteredPhone,
  type SignalingCounters,
  SipSignaling,
  type TrunkHealth,
  type TrunkTest,
} from './signaling.ts'
export { sipDns } from './sip-dns.ts'
