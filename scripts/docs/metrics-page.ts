import { Registry } from 'prom-client'
import { registerMetrics } from '../../api/metrics/registry.ts'
import { code, generated, page, table } from './markdown.ts'

/** `docs/metrics.md`: every name that `GET /metrics` shows, from the registry itself. */
export function metricsPage(): string {
  const registry = new Registry()
  registerMetrics(registry, () => 0)
  // The library's type of a metric hides what every kind of metric has.
  const metrics = registry.getMetricsAsArray() as unknown as readonly Described[]
  const [own, others] = [metrics.filter(isOwn), metrics.filter(metric => !isOwn(metric))]
  registry.clear()
  return page(
    '# Metrics',
    generated,
    '`GET /metrics` answers in the text format of Prometheus: with the operator key, or without one from the addresses in `SAUTI_METRICS_HOSTS`. Histograms have `_bucket`, `_sum` and `_count`; totals begin again with the process. What to watch, and when, is in [Operations](operations.md#what-to-watch).',
    '## Of the switch',
    table(heads, own.map(row)),
    '## Of the process',
    table(heads, others.map(row)),
  )
}

interface Described {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

const heads = ['Name', 'Kind', 'Labels', 'Meaning']
const isOwn = ({ name }: Described): boolean => name.startsWith('sauti_')
const row = ({ name, help, type, labelNames }: Described): readonly string[] => [
  code(name),
  type,
  labelNames.map(code).join(', '),
  help,
]
