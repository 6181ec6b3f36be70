import type { VoipMetrics } from '../rtcp/extended-report.ts'
import type { ReceptionStatistics } from '../rtcp/reception-statistics.ts'
import { gapMinimum } from '../stats/loss-pattern.ts'
import { qualityOf } from '../stats/quality.ts'
import type { ReceiveQuality } from './score.ts'

/** The longest that our jitter buffer waits. */
const bufferMaximumMs = 200

/** How well a source is received: the VoIP metrics of RFC 3611 §4.7. */
export const voipMetricsOf = ({ ssrc, losses }: ReceptionStatistics, quality: ReceiveQuality): VoipMetrics => {
  const { codec, burstRatio, packetMs } = quality
  const expected = Math.max(1, quality.received + quality.lost)
  const bufferMs = quality.bufferMs ?? 0
  const endSystemMs = bufferMs + packetMs
  const lossRatio = (quality.lost + quality.late) / expected
  const { burstDensity, gapDensity, burstPackets, gapPackets } = losses.burstGap
  const listening = qualityOf(lossRatio, 0, { codec, burstRatio })
  const conversational = qualityOf(lossRatio, (quality.roundTripMs ?? 0) / 2 + endSystemMs, { codec, burstRatio })
  return {
    ssrc,
    lossRate: quality.lost / expected,
    discardRate: quality.late / expected,
    burstDensity,
    gapDensity,
    burstMs: burstPackets * packetMs,
    gapMs: gapPackets * packetMs,
    roundTripMs: quality.roundTripMs ?? 0,
    endSystemMs,
    gapMinimum,
    rFactor: Math.round(conversational.r),
    listeningMos: listening.mos,
    conversationalMos: conversational.mos,
    bufferMs,
    bufferMaximumMs: bufferMs === 0 ? 0 : bufferMaximumMs,
  }
}
