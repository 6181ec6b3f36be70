export { RtpMedia, type RtpMediaCounters, type RtpMediaOptions } from './rtp-media.ts'
