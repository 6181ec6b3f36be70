import type { LegMediaStats, LegQuality } from '../model/leg-quality.ts'

const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places
const roundedOrNull = (value: number | undefined, places: number): number | null =>
  value === undefined ? null : rounded(value, places)

/** A leg's figures as people are shown them, while it lives and after its end. */
export const mediaResource = (media: Omit<LegMediaStats, 'codec'>) => ({
  mos: roundedOrNull(media.mos, 2),
  r_factor: roundedOrNull(media.rFactor, 1),
  loss_percent: rounded(media.lossPercent, 2),
  burst_ratio: rounded(media.burstRatio, 2),
  jitter_ms: rounded(media.jitterMs, 1),
  round_trip_ms: roundedOrNull(media.roundTripMs, 1),
  one_way_ms: rounded(media.oneWayMs, 1),
  packets_received: media.packetsReceived,
  packets_sent: media.packetsSent,
  packets_lost: media.packetsLost,
  packets_late: media.packetsLate,
  packets_dropped: media.packetsDropped,
  far:
    media.far === undefined
      ? null
      : {
          loss_percent: rounded(media.far.lossPercent, 2),
          jitter_ms: rounded(media.far.jitterMs, 1),
          mos: roundedOrNull(media.far.mos, 2),
        },
})

/** An entry of `quality` of a call that has ended. */
export const qualityResource = ({ legUuid, role, number, media }: LegQuality) => ({
  leg: legUuid,
  role,
  number,
  codec: media.codec ?? null,
  ...mediaResource(media),
})
