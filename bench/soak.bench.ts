import { loadavg } from 'node:os'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { showProgress } from './soak/progress.ts'
import { inHandMs } from './soak/remotes.ts'
import { soak } from './soak/soak.ts'

// Question: do fifty calls between PCMU and Opus, each recorded in two channels, run on one media thread for minutes
// without a gap in any file, every packet on time? Times are the kernel's, taken when a packet is sent; a packet's
// lateness is counted from the earliest of its stream. Baselines are what is demanded.
const usual = { calls: 50, minutes: 5, minutesAmongOthers: 1, shortSeconds: 10 }

let before = 0

/** Whether others had the machine meanwhile. */
export const table = (): string =>
  `Load average before ${before.toFixed(1)}, after ${loadavg()[0]?.toFixed(1)}: the run itself makes about 1. Media threads go before all others of this\n` +
  'machine where they may (as root, or with CAP_SYS_NICE or RLIMIT_RTPRIO); what goes before the machine itself, they wait for.'

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  before = loadavg()[0] ?? 0
  const calls = options.calls ?? usual.calls
  const minutes = options.minutes ?? (options.isNamed === true ? usual.minutes : usual.minutesAmongOthers)
  const seconds = short && options.minutes === undefined ? usual.shortSeconds : minutes * 60
  const result = await soak({ calls, seconds, progress: process.stderr.isTTY ? showProgress : () => {} })
  const { lateness, intervals, ownLateness, files, machine } = result
  const humAll = result.humJumps + result.humSilent
  const sum = (of: (file: (typeof files)[number]) => number) => files.reduce((all, file) => all + of(file), 0)
  const streams = `${calls} calls, ${seconds} s`
  const demanded = 'at most, as demanded of p99.9'
  return [
    ...[0.5, 0.99, 0.999, 1].map(share =>
      figureOf(
        `${streams}: lateness of a packet, ${share === 1 ? 'max' : `p${100 * share}`}`,
        share === 1 ? lateness.worst : lateness.percentile(share),
        'ms',
        5,
        demanded,
      ),
    ),
    figureOf('… between two packets, off 20 ms, p99.9', intervals.percentile(0.999), 'ms', 5, demanded),
    figureOf('… the load itself was late, p99.9', ownLateness.percentile(0.999), 'ms', 5, 'for comparison'),
    figureOf('… the load itself was late, max', ownLateness.worst, 'ms', inHandMs, 'what a leg keeps in hand'),
    figureOf(
      'before, a thread that only counts 2 of every 5 ms, p99.9',
      machine.late,
      'ms',
      5,
      'what the machine adds',
    ),
    figureOf('packets sent', result.packets, '', 2 * calls * 50 * seconds, 'what there is to send'),
    figureOf('… numbers or times that skip', result.holes + result.timeJumps, '', 0, 'none'),
    figureOf(
      'samples wrong in all files, PCMU side',
      sum(file => file.wrong),
      '',
      0,
      'none',
    ),
    figureOf(
      '… places where something is missing or doubled',
      sum(file => file.slips + file.drifts),
      '',
      0,
      'none',
    ),
    figureOf(
      'gaps and jumps in all files, Opus side',
      sum(file => file.humJumps + file.humSilent),
      '',
      0,
      'none',
    ),
    figureOf('… in what the PCMU legs hear', humAll - result.humOfLoad, '', 0, 'none'),
    figureOf('… and where the load was so late that frames had to be concealed', result.humOfLoad, '', 0, 'none'),
    figureOf('shortest recording', Math.min(...files.map(file => file.seconds)), 's', seconds, 'the time of the run'),
    figureOf('recordings that failed', result.failedRecordings, '', 0, 'none'),
    figureOf('packets lost or late for the mixer', result.packetsLost + result.packetsLate, '', 0, 'none'),
    figureOf('processor time, all threads', 100 * result.cpu, '%', 100, 'one core'),
    figureOf('latest tick', result.worstLateMs, 'ms', 5, 'a tick'),
  ]
}
