import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'

/** A room's audio goes in frames of this, on one clock. */
export const mixFrameMs = 20
/** Rates at which members speak and hear, in Hz. */
export const mixRates = [8000, 16_000, 48_000] as const
export type MixRate = (typeof mixRates)[number]

export const samplesOfFrame = (rate: MixRate): number => (rate * mixFrameMs) / 1000

/** The highest rate that is of use to a member of this codec: nobody's sound is brought up to one that he cannot hear. */
export const mixRateOf = (codec: AudioCodecName): 8000 | 16_000 => codecFacts[codec].sampleRate
