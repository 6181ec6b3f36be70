export { type SignalingCounters, SipSignaling, type SipSignalingOptions, type TrunkHealth } from './signaling.ts'
