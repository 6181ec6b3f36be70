export type { MediaLegDump } from './leg-media.ts'
export { codecsIn } from './offered-codecs.ts'
export { RtpMedia } from './rtp-media.ts'
export type { RtpMediaCounters } from './rtp-media-options.ts'
