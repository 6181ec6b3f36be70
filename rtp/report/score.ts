import type { AudioCodecName } from '../codec/codec-name.ts'
import type { SessionStats } from '../contract/session-stats.ts'
import { qualityOf } from '../stats/quality.ts'

/** What the score of a stream is made of. */
export interface ReceiveQuality {
  readonly codec: AudioCodecName | undefined
  readonly received: number
  readonly lost: number
  /** Came too late to be played. */
  readonly late: number
  readonly burstRatio: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
  /** Delay of our jitter buffer; undefined where packets are forwarded and another buffer holds them. */
  readonly bufferMs: number | undefined
  readonly packetMs: number
}

/** The quality of a received stream, by the E-model. */
export const scoreOf = (
  quality: ReceiveQuality,
): Pick<SessionStats, 'lossPercent' | 'burstRatio' | 'oneWayMs' | 'rFactor' | 'mos'> => {
  const expected = quality.received + quality.lost
  const oneWayMs = (quality.roundTripMs ?? 0) / 2 + (quality.bufferMs ?? usualBufferMs(quality)) + quality.packetMs
  const shares = {
    lossPercent: expected === 0 ? 0 : (100 * quality.lost) / expected,
    burstRatio: quality.burstRatio,
    oneWayMs,
  }
  if (quality.received === 0) return { ...shares, rFactor: undefined, mos: undefined }
  const { codec, burstRatio } = quality
  const { r, mos } = qualityOf((quality.lost + quality.late) / expected, oneWayMs, { codec, burstRatio })
  return { ...shares, rFactor: r, mos }
}

/** What a buffer has to wait that hides such a jitter. */
const usualBufferMs = ({ jitterMs, packetMs }: ReceiveQuality): number => Math.max(packetMs, 2 * jitterMs)
