import { type AudioCodecName, codecFacts, type StreamRate } from '../codec/codec-name.ts'

/** A room's audio goes in frames of this, on one clock. */
export const mixFrameMs = 20
/** Rates at which members send and receive, in Hz. */
export const mixRates = [8000, 16_000, 48_000] as const satisfies readonly StreamRate[]
export type MixRate = StreamRate

export const samplesOfFrame = (rate: MixRate): number => (rate * mixFrameMs) / 1000

/**
 * The highest rate that is of use to a member of this codec. It does not depend on the other members: a new encoder
 * at each join or leave would be audible.
 */
export const mixRateOf = (codec: AudioCodecName): MixRate => (codec === 'opus' ? 48_000 : codecFacts[codec].sampleRate)
