import { cpus } from 'node:os'
import { machine, writeSection } from '../page-section.ts'
import { loadMedia, type MediaOrder, type MediaReport, type SubjectReport, usualPacketMs } from './rounds.ts'

/** The standard table: against what else relays first, then the points of the scale, then what else a packet may go through. */
const plan: readonly Omit<MediaOrder, 'progress'>[] = [
  { kind: 'relay', calls: 300, seconds: 4, rounds: 5, baselines: true },
  { kind: 'relay', calls: 100, seconds: 4, rounds: 3, baselines: false },
  { kind: 'relay', calls: 1000, seconds: 4, rounds: 3, baselines: false },
  // As many packets a second as 1,000 calls of 20 ms: more than one media thread bears could not be measured.
  { kind: 'relay', calls: 3000, packetMs: 60, seconds: 4, rounds: 3, baselines: false },
  { kind: 'play', calls: 100, seconds: 4, rounds: 3, baselines: false },
  { kind: 'play', calls: 600, seconds: 4, rounds: 3, baselines: false },
  { kind: 'record', calls: 100, seconds: 4, rounds: 3, baselines: false },
  { kind: 'transcode', calls: 50, seconds: 4, rounds: 3, baselines: false },
  { kind: 'conference', calls: 100, seconds: 4, rounds: 3, baselines: false },
]
const packetsPerCall = 2 * (1000 / usualPacketMs)
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
  Object.values(report.subjects).every(rounds => rounds.every(it => it.generatorKeptUp))

/** Measures the standard table and writes it into the page. Returns what was written. */
export async function writeMedia(progress: (line: string) => void): Promise<string> {
  const reports: MediaReport[] = []
  const failed: string[] = []
  for (const [at, order] of plan.entries()) {
    try {
      reports.push(await loadMedia({ ...order, progress: line => progress(`${at + 1}/${plan.length} ${line}`) }))
    } catch (fault) {
      // A busy machine may not set up the largest of them: the other points count without it.
      failed.push(
        `Not measured: ${order.kind}, ${order.calls} calls (${fault instanceof Error ? fault.message : fault}).`,
      )
    }
  }
  const section = sectionOf(reports, failed)
  writeSection('media', section)
  return section
}

function sectionOf(reports: readonly MediaReport[], failed: readonly string[]): string {
  const rows = reports.flatMap(report => {
    const own = medianOf(report.subjects.sauti ?? [], it => it.microsPerPacket)
    return Object.entries(report.subjects).map(([name, rounds]) => rowOf(report, name, rounds, own))
  })
  const fell = reports.filter(report => !keptUp(report))
  return [
    `${machine}, ${cpus().length} cores; medians of the rounds.`,
    ...(fell.length === 0
      ? []
      : [`The generator fell behind in ${fell.map(nameOf).join('; ')}: the machine did other things.`]),
    ...failed,
    '',
    '| load | program | µs a packet | Sauti’s against it | of a processor | lost | later than 5 ms | inside p50 | inside p99 |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    scaleOf(reports),
  ].join('\n')
}

const nameOf = ({ kind, calls, packetMs }: MediaReport): string =>
  `${kind}, ${calls} calls${packetMs === usualPacketMs ? '' : ` of ${packetMs} ms packets`}`

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
    nameOf(report),
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
  const usual = points.findLast(({ packetMs }) => packetMs === usualPacketMs)
  if (largest === undefined || usual === undefined) return ''
  const mediaMicros = (report: MediaReport) => medianOf(report.subjects.sauti ?? [], it => it.threads.media ?? 0)
  const otherMicros = (report: MediaReport) =>
    medianOf(report.subjects.sauti ?? [], it => it.microsPerPacket - (it.threads.media ?? 0))
  const ofAThread = (1_000_000 * mostBusy) / (packetsPerCall * mediaMicros(usual))
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
    '| bridged calls measured | packets sent | media thread, µs a packet | all other threads | memory a call | descriptors | event loop p99 |',
    '|---|---|---|---|---|---|---|',
    ...points.map(
      report =>
        `| ${report.calls} | ${sentBy(report)} | ${mediaMicros(report).toFixed(1)} | ${otherMicros(report).toFixed(1)} | ` +
        `${report.kilobytesPerCall.toFixed(0)} KB | ${Math.round(report.descriptors * report.calls)} | ${report.eventLoopDelayMs.p99.toFixed(0)} ms |`,
    ),
    '',
    ...(largest === usual ? [] : [aboutLongPackets(largest, usual, mediaMicros), '']),
    `By the cost of a packet at ${usual.calls} calls and the memory and descriptors of a call at ${largest.calls}: a media thread that works ${100 * mostBusy} % of its time bears ${Math.floor(ofAThread)} bridged G.711 calls.`,
    'One core is left to signalling, HTTP and the store; each other one has a media thread of its own.',
    '',
    '| cores | media threads | bridged calls by processors | memory of calls | descriptors | first wall |',
    '|---|---|---|---|---|---|',
    ...walls,
  ].join('\n')
}

function sentBy({ packetMs, subjects }: MediaReport): string {
  const rounds = subjects.sauti ?? []
  const perSecond = medianOf(rounds, ({ sent, seconds }) => sent / seconds)
  return `${(Math.round(perSecond / 100) * 100).toLocaleString('en')} a second, of ${packetMs} ms`
}

/** What a call itself costs, apart from its packets, shows when as many packets come from more calls. */
function aboutLongPackets(largest: MediaReport, usual: MediaReport, micros: (report: MediaReport) => number): string {
  return [
    `Of the ${largest.calls} calls each side sent a packet every ${largest.packetMs} ms (ptime ${largest.packetMs}), since a media thread does not bear as many at ${usualPacketMs} ms.`,
    `A packet took ${(micros(largest) / micros(usual)).toFixed(2)} of the time that it takes with ${usual.calls} calls of ${usualPacketMs} ms.`,
  ].join(' ')
}
