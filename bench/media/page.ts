import { cpus } from 'node:os'
import { machine, writeSection } from '../page-section.ts'
import { loadMedia, type MediaOrder, type MediaReport, type SubjectReport } from './rounds.ts'

/** The standard table: against what else relays first, then the points of the scale, then what else a packet may go through. */
const plan: readonly Omit<MediaOrder, 'progress'>[] = [
  { kind: 'relay', calls: 300, seconds: 4, rounds: 5, baselines: true },
  { kind: 'relay', calls: 100, seconds: 4, rounds: 3, baselines: false },
  { kind: 'relay', calls: 1000, seconds: 4, rounds: 3, baselines: false },
  { kind: 'play', calls: 100, seconds: 4, rounds: 3, baselines: false },
  { kind: 'play', calls: 600, seconds: 4, rounds: 3, baselines: false },
  { kind: 'record', calls: 100, seconds: 4, rounds: 3, baselines: false },
  { kind: 'transcode', calls: 50, seconds: 4, rounds: 3, baselines: false },
  { kind: 'conference', calls: 100, seconds: 4, rounds: 3, baselines: false },
]
const packetsPerCall = 100
/** A media thread that works more of its time takes no new calls (`admission.media_busy_percent`). */
const mostBusy = 0.85
/** UDP ports from 10000 up, of one address; a bridged call takes four. */
const portsOfAnAddress = 55_536
const portsPerCall = 4

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
export const medianOf = (reports: readonly SubjectReport[], pick: (report: SubjectReport) => number): number =>
  median(reports.map(pick))
export const keptUp = (report: MediaReport): boolean =>
  Object.values(report.subjects).every(rounds => rounds.every(it => it.generatorKeptUp && it.droppedAtGenerator === 0))

/** Measures the standard table and writes it into the page. Returns what was written. */
export async function writeMedia(progress: (line: string) => void): Promise<string> {
  const reports: MediaReport[] = []
  for (const [at, order] of plan.entries())
    reports.push(await loadMedia({ ...order, progress: line => progress(`${at + 1}/${plan.length} ${line}`) }))
  const section = sectionOf(reports)
  writeSection('media', section)
  return section
}

function sectionOf(reports: readonly MediaReport[]): string {
  const rows = reports.flatMap(report => {
    const own = medianOf(report.subjects.sauti ?? [], it => it.microsPerPacket)
    return Object.entries(report.subjects).map(([name, rounds]) => rowOf(report, name, rounds, own))
  })
  const fell = reports.filter(report => !keptUp(report))
  return [
    `${machine}, ${cpus().length} cores; medians of the rounds.`,
    ...(fell.length === 0
      ? []
      : [
          `The generator fell behind in ${fell.map(({ kind, calls }) => `${kind} of ${calls}`).join(', ')}: the machine did other things.`,
        ]),
    '',
    '| load | program | µs a packet | Sauti’s against it | of a processor | lost | later than 5 ms | inside p50 | inside p99 |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    scaleOf(reports),
  ].join('\n')
}

function rowOf(report: MediaReport, name: string, rounds: readonly SubjectReport[], own: number): string {
  const value = (pick: (it: SubjectReport) => number) => medianOf(rounds, pick)
  const share = (pick: (it: SubjectReport) => number) => {
    const received = rounds.reduce((sum, it) => sum + it.expected, 0)
    return `${((100 * rounds.reduce((sum, it) => sum + pick(it), 0)) / Math.max(1, received)).toFixed(2)} %`
  }
  const micros = value(it => it.microsPerPacket)
  const inside = (pick: (it: { readonly p50: number; readonly p99: number }) => number) =>
    rounds.some(it => it.insideMs === undefined)
      ? ''
      : `${value(it => (it.insideMs === undefined ? 0 : pick(it.insideMs))).toFixed(2)} ms`
  return `| ${[
    `${report.kind}, ${report.calls} calls`,
    name === 'sauti' ? '**Sauti**' : name,
    micros.toFixed(1),
    name === 'sauti' ? '' : (own / micros).toFixed(2),
    `${(100 * value(it => it.busy)).toFixed(0)} %`,
    share(it => it.lost),
    share(it => it.late),
    inside(it => it.p50),
    inside(it => it.p99),
  ].join(' | ')} |`
}

/** What the measured points mean for larger machines. */
function scaleOf(reports: readonly MediaReport[]): string {
  const points = reports.filter(({ kind }) => kind === 'relay').sort((one, other) => one.calls - other.calls)
  const largest = points.at(-1)
  if (largest === undefined) return ''
  const mediaMicros = (report: MediaReport) => medianOf(report.subjects.sauti ?? [], it => it.threads.media ?? 0)
  const otherMicros = (report: MediaReport) =>
    medianOf(report.subjects.sauti ?? [], it => it.microsPerPacket - (it.threads.media ?? 0))
  const ofAThread = (1_000_000 * mostBusy) / (packetsPerCall * mediaMicros(largest))
  const ports = Math.floor(portsOfAnAddress / portsPerCall)
  const walls = [2, 8, 32].map(cores => {
    const threads = cores - 1
    const calls = Math.floor(ofAThread * threads)
    const most = Math.min(calls, ports)
    const wall = calls <= ports ? 'processors: a core for each media thread' : `ports: ${ports} calls an address`
    const gigabytes = (most * largest.kilobytesPerCall) / 1e6
    return `| ${cores} | ${threads} | ${calls} | ${gigabytes.toFixed(1)} GB | ${Math.ceil(most * largest.descriptors)} | ${wall} |`
  })
  return [
    '### Scale on paper',
    '',
    '| bridged calls measured | media thread, µs a packet | all other threads | memory a call | descriptors a call | event loop p99 |',
    '|---|---|---|---|---|---|',
    ...points.map(
      report =>
        `| ${report.calls} | ${mediaMicros(report).toFixed(1)} | ${otherMicros(report).toFixed(1)} | ` +
        `${report.kilobytesPerCall.toFixed(0)} KB | ${report.descriptors.toFixed(1)} | ${report.eventLoopDelayMs.p99.toFixed(0)} ms |`,
    ),
    '',
    `By the cost at ${largest.calls} calls, a media thread that works ${100 * mostBusy} % of its time bears ${Math.floor(ofAThread)} bridged G.711 calls.`,
    'One core is left to signalling, HTTP and the store; each other one has a media thread of its own.',
    '',
    '| cores | media threads | bridged calls by processors | memory of calls | descriptors | first wall |',
    '|---|---|---|---|---|---|',
    ...walls,
  ].join('\n')
}
