import { machine } from '../page-section.ts'

/** One rate of full calls at a served switch, as it was measured. */
export interface RatePoint {
  readonly callsPerSecond: number
  readonly seconds: number
  readonly answered: number
  /** With 503. */
  readonly refused: number
  /** With another answer. */
  readonly failed: number
  readonly unanswered: number
  readonly setUpMs: { readonly p50: number; readonly p99: number }
  readonly refusedP99Ms: number
  /** Processor time of each kind of thread by the scheduler's own count, ms an answered call: refusals are paid by those. */
  readonly threads: Readonly<Record<string, number>>
  /** Share of one core, of the whole process. */
  readonly busy: number
  readonly residentMb: number
  /** Most at once. */
  readonly descriptors: number
  /** What the process gave to the disk, KB an answered call (proc(5), /proc/pid/io, write_bytes). */
  readonly writtenKb: number
  readonly generatorKeptUp: boolean
}

export interface Wall {
  readonly cores: number
  readonly callsPerSecond: number
  readonly name: string
}

/** A core that works more of its time than this has no room for bursts. */
const mostBusy = 0.85
/** Of the calls offered. A pause of the machine may refuse a few (docs/performance.md, Overload, has the same bound). */
const mayBeRefused = 0.005
/** Threads of which there is one, however many cores there are. */
const single = ['signalling', 'store', 'trace'] as const
const coresOnPaper = [2, 8, 32]

export const isBorne = ({ answered, refused, failed, unanswered, generatorKeptUp }: RatePoint): boolean =>
  generatorKeptUp && failed + unanswered === 0 && refused < mayBeRefused * (answered + refused)

const costOf = ({ threads }: RatePoint): number => Object.values(threads).reduce((sum, ms) => sum + ms, 0)

/** Calls a second that this many cores carry by the costs of a point, and what is full first. */
export function wallOf(point: RatePoint, cores: number): Wall {
  const perSecond = (ms: number, share: number) => Math.floor((1000 * mostBusy * share) / ms)
  const walls = [
    { cores, callsPerSecond: perSecond(costOf(point), cores), name: 'all cores' },
    ...single.flatMap(name => {
      const ms = point.threads[name] ?? 0
      return ms > 0 ? [{ cores, callsPerSecond: perSecond(ms, 1), name: `the ${name} thread: one core` }] : []
    }),
  ]
  return walls.reduce((least, wall) => (wall.callsPerSecond < least.callsPerSecond ? wall : least))
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`

function rowOf(point: RatePoint): string {
  const { threads, setUpMs } = point
  const named = ['signalling', 'store', 'media']
  const others = Object.entries(threads).reduce((sum, [name, value]) => (named.includes(name) ? sum : sum + value), 0)
  return `| ${[
    `${point.callsPerSecond}`,
    `${point.answered} (${(point.answered / point.seconds).toFixed(0)})`,
    point.refused === 0 ? '0' : `${point.refused}, ${ms(point.refusedP99Ms)}`,
    `${point.failed}`,
    `${point.unanswered}`,
    `${ms(setUpMs.p50)}, ${ms(setUpMs.p99)}`,
    ms(costOf(point)),
    `${[...named.map(name => threads[name] ?? 0), others].map(value => value.toFixed(2)).join(' + ')}`,
    `${(100 * point.busy).toFixed(0)} %`,
    `${point.residentMb.toFixed(0)} MB`,
    `${point.descriptors}`,
    `${point.writtenKb.toFixed(0)} KB`,
  ].join(' | ')} |`
}

/** The section of the page: rates in their order, also those beyond what is borne. */
export function callSection(points: readonly RatePoint[]): string {
  const borne = points.filter(isBorne)
  const largest = borne.at(-1)
  const beyond = points.filter(point => point.generatorKeptUp && !isBorne(point))
  const behind = points.filter(({ generatorKeptUp }) => !generatorKeptUp)
  return [
    `One core for the switch, sipp on the others (${machine}). A full call: a trunk calls, a hosted document dials on to a trunk; hold, settlement, rows, events.`,
    'Costs are those of an answered call; beyond the capacity they include what the refused ones cost.',
    '',
    '| calls a second | answered (a second) | 503, p99 of the time to it | failed | without answer | set-up p50, p99 | processor time a call | signalling + store + media + others, ms | of a core | memory | descriptors | written to disk a call |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...points.map(rowOf),
    '',
    ...behind.map(
      ({ callsPerSecond }) =>
        `sipp could not offer ${callsPerSecond} a second: that row says nothing about the switch.`,
    ),
    ...(beyond.length === 0
      ? []
      : [`Beyond what this core bears: ${beyond.map(({ callsPerSecond }) => callsPerSecond).join(', ')} a second.`]),
    ...(largest === undefined ? [] : onPaper(largest)),
  ].join('\n')
}

function onPaper(largest: RatePoint): readonly string[] {
  return [
    '',
    `By the costs at ${largest.callsPerSecond} a second, with cores that work ${100 * mostBusy} % of their time:`,
    '',
    '| cores | calls a second | first wall | written to disk |',
    '|---|---|---|---|',
    ...coresOnPaper.map(cores => {
      const wall = wallOf(largest, cores)
      const written = (wall.callsPerSecond * largest.writtenKb) / 1024
      return `| ${cores} | ${wall.callsPerSecond} | ${wall.name} | ${written.toFixed(1)} MB a second |`
    }),
  ]
}
