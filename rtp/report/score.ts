import type { AudioCodecName } from '../codec/codec-name.ts'
import type { SessionStats } from '../contract/session-stats.ts'
import { qualityOf } from '../stats/quality.ts'

/** What the score of a stream is made of. */
export interface ReceiveQuality {
  readonly codec: AudioCodecName | undefined
  readonly received: number
  readonly lost: number
  /** Came too late to be heard. */
  readonly late: number
  readonly burstRatio: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
  /** Of our jitter buffer; undefined where packets are passed on and another buffer waits for them. */
  readonly bufferMs: number | undefined
  readonly packetMs: number
}

/** How well a stream was heard, by the E-model. */
export const scoreOf = (
  heard: ReceiveQuality,
): Pick<SessionStats, 'lossPercent' | 'burstRatio' | 'oneWayMs' | 'rFactor' | 'mos'> => {
  const expected = heard.received + heard.lost
  const oneWayMs = (heard.roundTripMs ?? 0) / 2 + (heard.bufferMs ?? usualBufferMs(heard)) + heard.packetMs
  const shares = {
    lossPercent: expected === 0 ? 0 : (100 * heard.lost) / expected,
    burstRatio: heard.burstRatio,
    oneWayMs,
  }
  if (heard.received === 0) return { ...shares, rFactor: undefined, mos: undefined }
  const { codec, burstRatio } = heard
  const { r, mos } = qualityOf((heard.lost + heard.late) / expected, oneWayMs, { codec, burstRatio })
  return { ...shares, rFactor: r, mos }
}

/** What a buffer has to wait that hides such a jitter. */
const usualBufferMs = ({ jitterMs, packetMs }: ReceiveQuality): number => Math.max(packetMs, 2 * jitterMs)
