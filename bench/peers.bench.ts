import { type FarCodec, type PeersResult, peers } from './peers/peers.ts'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { showProgress } from './soak/progress.ts'

// Question: the soak's, with peers that others wrote, and the switch as it is served: do fifty calls from sipp in PCMU
// to sipp in G.722 or Opus, each recorded by Dial in two channels, run on one media thread for minutes without a gap in
// any file, every packet on time? Times are the kernel's, seen by tcpdump on the loopback; a packet's lateness is counted
// from the earliest of its stream. Baselines are what is demanded.
const usual = { calls: 50, minutes: 5, minutesAmongOthers: 0.5, shortCalls: 20, shortSeconds: 5 }
/** More are not listed at once. */
const mostCalls = 200
const codecs = ['G722', 'opus'] as const satisfies readonly FarCodec[]

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  if (process.getuid?.() !== 0) {
    const why = 'tcpdump needs root'
    if (options.isNamed === true) throw new Error(why)
    process.stderr.write(`left out: ${why}\n`)
    return []
  }
  const calls = Math.min(mostCalls, options.calls ?? (short ? usual.shortCalls : usual.calls))
  const minutes = options.minutes ?? (options.isNamed === true ? usual.minutes : usual.minutesAmongOthers)
  const seconds = short && options.minutes === undefined ? usual.shortSeconds : Math.ceil(minutes * 60)
  const figures: Figure[] = []
  for (const codec of codecs) {
    const result = await peers({ calls, seconds, codec, progress: process.stderr.isTTY ? showProgress : () => {} })
    figures.push(...figuresOf(`${calls} calls PCMU → ${codec}, ${seconds} s`, calls, seconds, result))
  }
  return figures
}

function figuresOf(name: string, calls: number, seconds: number, result: PeersResult): Figure[] {
  const { lateness, files } = result
  const sum = (of: (file: (typeof files)[number]) => number) => files.reduce((all, file) => all + of(file), 0)
  const demanded = 'at most, as demanded of p99.9'
  const late = (what: string, value: number) =>
    figureOf(`${name}: lateness of a packet, ${what}`, value, 'ms', 5, demanded)
  return [
    late('p50', lateness.percentile(0.5)),
    late('p99', lateness.percentile(0.99)),
    late('p99.9', lateness.percentile(0.999)),
    late('max', lateness.worst),
    figureOf('packets sent', result.packets, '', 2 * calls * 50 * seconds, 'what there is to send'),
    figureOf('… numbers or times that skip', result.holes + result.timeJumps, '', 0, 'none'),
    figureOf('… streams', result.streams, '', 2 * calls, 'two a call'),
    figureOf('recordings', files.length, '', calls, 'one a call'),
    figureOf('… the shortest', Math.min(...files.map(file => file.seconds)), 's', seconds, 'the time of a call'),
    figureOf(
      '… frames of their sides that jump, or are silent',
      sum(file => file.jumps + file.silent),
      '',
      0,
      'none',
    ),
    figureOf(
      '… sides moved by single samples',
      sum(file => file.moved),
      '',
      0,
      'none',
    ),
    figureOf('… by so many at most', Math.max(...files.map(file => file.movedSamples)), 'samples', 1, 'less than one'),
    figureOf('ticks missed', result.missedTicks, '', 0, 'none'),
  ]
}
