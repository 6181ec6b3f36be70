import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LatencyListener, LoggedEvent } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'
import { processGauges } from './process-gauges.ts'
import { qualityHistograms } from './quality-histograms.ts'
import { RateMeter } from './rate-meter.ts'
import { switchSamples } from './switch-samples.ts'

const secondsOf = {
  commit: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  webhook: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
} as const

export interface Metrics {
  /** Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
  close(): void
}

/**
 * The operator's metrics. Calls are counted from the event log, durations as the switch reports them, and all other
 * values are read at each scrape; nothing here is on the path of a call.
 */
export function openMetrics(door: SwitchDoor, streams: () => number): Metrics {
  const registry = new Registry()
  const { count, time, sample } = registerMetrics(registry, streams)
  const stops = [door.repositories.events.subscribe(count), door.latencies?.subscribe(time)]
  return {
    contentType: registry.contentType,
    text: async () => {
      await sample(door)
      return registry.metrics()
    },
    close: () => {
      for (const stop of stops) stop?.()
      registry.clear()
    },
  }
}

/** Every metric that there is. Returns what feeds them. */
export function registerMetrics(registry: Registry, streams: () => number) {
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 10 })
  processGauges(registry)

  const started = new Counter({
    name: 'sauti_calls_started_total',
    help: 'Calls that came in or were placed.',
    labelNames: ['direction'],
    registers,
  })
  const ended = new Counter({
    name: 'sauti_calls_ended_total',
    help: 'Calls that ended, by their reason_code.',
    labelNames: ['reason'],
    registers,
  })
  const commit = new Histogram({
    name: 'sauti_store_commit_seconds',
    help: 'A transaction of the store, from BEGIN until it is on the disk.',
    buckets: [...secondsOf.commit],
    registers,
  })
  const webhook = new Histogram({
    name: 'sauti_webhook_seconds',
    help: 'A call-control request (document) or a try of a status callback (callback), whatever came of it.',
    labelNames: ['kind'],
    buckets: [...secondsOf.webhook],
    registers,
  })
  const meter = new RateMeter()
  new Gauge({
    name: 'sauti_calls_per_second',
    help: 'Calls begun a second, mean of the last 10 seconds.',
    registers,
    collect() {
      this.set(meter.perSecond(performance.now()))
    },
  })
  new Gauge({
    name: 'sauti_stream_subscribers',
    help: 'Event streams that are open.',
    registers,
    collect() {
      this.set(streams())
    },
  })

  const observeQuality = qualityHistograms(registers)
  return {
    count: ({ event: { code, data } }: LoggedEvent): void => {
      if (code === 'CALL.0100') {
        started.inc({ direction: String(data.direction) })
        meter.count(performance.now())
      } else if (code === 'CALL.0300' || code === 'CALL.0400') {
        ended.inc({ reason: String(data.reason_code) })
        observeQuality(data.quality)
      }
    },
    time: (timed: Parameters<LatencyListener>[0], durationMs: number): void => {
      if (timed === 'commit') commit.observe(durationMs / 1000)
      else webhook.observe({ kind: timed }, durationMs / 1000)
    },
    sample: switchSamples(registers),
  }
}
