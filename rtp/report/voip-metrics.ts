import type { VoipMetrics } from '../rtcp/extended-report.ts'
import type { Reception } from '../rtcp/reception.ts'
import { gapMinimum } from '../stats/loss-pattern.ts'
import { qualityOf } from '../stats/quality.ts'
import type { ReceiveQuality } from './score.ts'

/** The longest that our jitter buffer waits. */
const bufferMaximumMs = 200

/** How a source is heard, as RFC 3611 §4.7 tells it. */
export const voipMetricsOf = ({ ssrc, losses }: Reception, heard: ReceiveQuality): VoipMetrics => {
  const { codec, burstRatio, packetMs } = heard
  const expected = Math.max(1, heard.received + heard.lost)
  const bufferMs = heard.bufferMs ?? 0
  const endSystemMs = bufferMs + packetMs
  const lossRatio = (heard.lost + heard.late) / expected
  const { burstDensity, gapDensity, burstPackets, gapPackets } = losses.burstGap
  const listening = qualityOf(lossRatio, 0, { codec, burstRatio })
  const conversational = qualityOf(lossRatio, (heard.roundTripMs ?? 0) / 2 + endSystemMs, { codec, burstRatio })
  return {
    ssrc,
    lossRate: heard.lost / expected,
    discardRate: heard.late / expected,
    burstDensity,
    gapDensity,
    burstMs: burstPackets * packetMs,
    gapMs: gapPackets * packetMs,
    roundTripMs: heard.roundTripMs ?? 0,
    endSystemMs,
    gapMinimum,
    rFactor: Math.round(conversational.r),
    listeningMos: listening.mos,
    conversationalMos: conversational.mos,
    bufferMs,
    bufferMaximumMs: bufferMs === 0 ? 0 : bufferMaximumMs,
  }
}
