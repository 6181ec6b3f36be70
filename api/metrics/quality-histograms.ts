import { Histogram, type Registry } from 'prom-client'

const labelNames = ['codec'] as const

/** What is read of an entry of `quality` in the event of a call's end. */
interface ReceivedAudio {
  readonly codec: string
  readonly mos: number
  readonly loss_percent: number
  readonly jitter_ms: number
  readonly round_trip_ms: number | null
}

/** Media quality of legs, each counted once, when its call has ended. Returns what counts the `quality` of an event. */
export function qualityHistograms(registers: Registry[]): (quality: unknown) => void {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `sauti_leg_${name}`, help, labelNames, buckets, registers })
  const mos = histogram(
    'mos',
    'Estimated opinion score of legs whose call has ended, 1 to 4.4.',
    [1.5, 2, 2.5, 3, 3.25, 3.5, 3.75, 4, 4.2, 4.3, 4.41],
  )
  const loss = histogram(
    'loss_ratio',
    'RTP packets that the network lost, of legs whose call has ended.',
    [0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5],
  )
  const jitter = histogram(
    'jitter_seconds',
    'Interarrival jitter at the end of legs.',
    [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2],
  )
  const roundTrip = histogram(
    'round_trip_seconds',
    'Last round trip by RTCP of legs whose remote reports.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1],
  )
  return quality => {
    if (!Array.isArray(quality)) return
    for (const leg of quality.filter(hasReceivedAudio)) {
      const { codec } = leg
      mos.observe({ codec }, leg.mos)
      loss.observe({ codec }, leg.loss_percent / 100)
      jitter.observe({ codec }, leg.jitter_ms / 1000)
      if (leg.round_trip_ms !== null) roundTrip.observe({ codec }, leg.round_trip_ms / 1000)
    }
  }
}

const hasReceivedAudio = (leg: Partial<ReceivedAudio>): leg is ReceivedAudio =>
  typeof leg.codec === 'string' && typeof leg.mos === 'number'
