import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirePeers } from '../../tests/rig/beds/debian.ts'
import { until } from '../../tests/rig/probes/wait.ts'
import { progressLine, readCommand } from '../command.ts'
import { SpeedWitness } from '../core-speed.ts'
import { keptRate, percentile } from '../overload/burst.ts'
import { machine, writeSection } from '../page-section.ts'
import { useBuiltProgram } from '../served-program.ts'
import { LoadedSwitch } from './loaded-switch.ts'
import { longMs, type MeasuredTurns, partsOf, type Spread, type Stall, type TurnParts } from './long-turns.ts'
import { StallWatch } from './machine-stalls.ts'
import { type SystemCalls, traceThread } from './system-calls.ts'

const usage = `usage: npm run bench:signalling -- [--cps N] [--seconds S] [--one-processor] [--write]
Offers full calls (a trunk calls, a hosted document dials on to a trunk) to a switch as it is served, and looks at its
signalling thread: how long the turns of its event loop take, how late its timers are, and, afterwards, what it asks of the
kernel by strace (Debian's package strace). No call that waits for a disk, a file or a name may be among that.
  --cps N          new calls a second (300)
  --seconds S      for how long the event loop is measured (15)
  --one-processor  the switch on the first processor, sipp on the others; otherwise where the system puts them
  --write          into docs/performance.md
Exit codes: 0 what is demanded holds; 1 it does not, or sipp could not keep up; 2 the command is wrong.`

/** What is demanded of the signalling thread, ms. */
const demanded = { longestTurnMs: 10, p999Ms: 5 }
/** Compilers have done most of their work after this many calls. */
const warmUp = { callsPerSecond: 100, seconds: 30 }
const tracedSeconds = 4
const talkMs = 500
/** Turns that are taken apart in a report. */
const longestShown = 5

interface Order {
  readonly callsPerSecond: number
  readonly seconds: number
  readonly isAlone: boolean
  readonly progress: (line: string) => void
}

interface SignallingReport {
  readonly callsPerSecond: number
  readonly isAlone: boolean
  readonly answered: number
  readonly refused: number
  readonly failed: number
  readonly setUpMs: { readonly p50: number; readonly p99: number }
  /** Turns of the event loop: from one wait for events to the next. */
  readonly turns: Spread
  /** How late a timer of 1 ms was. */
  readonly delays: Spread
  /** The turns of `longMs` and more, the longest first. */
  readonly long: readonly TurnParts[]
  /** When processors stood still; undefined: it could not be seen. */
  readonly stalls: readonly Stall[] | undefined
  /** Of the time measured: it ran; it could have run, but its processor did something else. */
  readonly ran: number
  readonly waited: number
  readonly system: SystemCalls
  readonly generatorKeptUp: boolean
  /** How fast the machine was before and after the measurement of the event loop. */
  readonly machineSpeed: string
}

/** What the scheduler counts of a thread, ms (proc(5), /proc/pid/schedstat). */
function scheduled(pid: number): { readonly ran: number; readonly waited: number } {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 }
}

async function measureSignalling({ callsPerSecond, seconds, isAlone, progress }: Order): Promise<SignallingReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-turns-'))
  const file = join(folder, 'turns.json')
  const preload = new URL('./preload-turns.ts', import.meta.url).pathname
  const environment = {
    SAUTI_MEDIA_PORTS: '12000-19999',
    NODE_OPTIONS: `--import=${preload} --disable-warning=ExperimentalWarning`,
    SAUTI_BENCH_TURNS: file,
  }
  const loaded = await LoadedSwitch.open('full', environment, isAlone)
  try {
    const { pid } = loaded.on
    progress('warming up')
    await loaded.offer(Math.min(warmUp.callsPerSecond, callsPerSecond), warmUp.seconds, talkMs)
    progress(`${callsPerSecond} calls a second: the event loop, ${seconds} s`)
    const witness = new SpeedWitness()
    witness.look()
    const stallWatch = await StallWatch.begin()
    const [before, began] = [scheduled(pid), performance.now()]
    process.kill(pid, 'SIGUSR2')
    const raw = await loaded.offer(callsPerSecond, seconds, talkMs)
    const [after, passedMs] = [scheduled(pid), performance.now() - began]
    process.kill(pid, 'SIGUSR2')
    const measured = await until('the figures', () => readTurns(file))
    const stalls = await stallWatch?.end()
    witness.look()
    progress(`${callsPerSecond} calls a second: system calls, ${tracedSeconds} s`)
    const offered = loaded.offer(callsPerSecond, tracedSeconds + 2, talkMs)
    await new Promise(resolve => setTimeout(resolve, 1000))
    const [system] = await Promise.all([traceThread(pid, tracedSeconds), offered])
    return {
      callsPerSecond,
      isAlone,
      answered: raw.answeredMs.length,
      refused: raw.refusedMs.length,
      failed: raw.unanswered,
      setUpMs: { p50: percentile(raw.answeredMs, 0.5), p99: percentile(raw.answeredMs, 0.99) },
      turns: measured.turns,
      delays: measured.delays,
      long: partsOf(measured, stalls ?? []),
      stalls,
      ran: (after.ran - before.ran) / passedMs,
      waited: (after.waited - before.waited) / passedMs,
      system,
      generatorKeptUp: keptRate(raw, seconds),
      machineSpeed: witness.sentence,
    }
  } finally {
    await loaded.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function readTurns(file: string): MeasuredTurns | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** What does not hold, a sentence each. */
function faultsOf({ turns, delays, system, answered, refused, failed }: SignallingReport): readonly string[] {
  const [, , , p999] = delays.percentiles
  return [
    ...(turns.max < demanded.longestTurnMs
      ? []
      : [`the longest turn took ${ms(turns.max)}, ${demanded.longestTurnMs} ms are demanded`]),
    ...(p999 < demanded.p999Ms ? [] : [`p99.9 of the delay is ${ms(p999)}, ${demanded.p999Ms} ms are demanded`]),
    ...(system.waiting.length === 0 ? [] : [`${system.waiting.length} system calls may wait: ${system.waiting[0]}`]),
    ...(refused + failed === 0
      ? []
      : [`of ${answered + refused + failed} calls ${refused + failed} were not answered`]),
  ]
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

function longestOf({ long, stalls }: SignallingReport): string {
  if (long.length === 0) return `all shorter than ${longMs} ms`
  const part = (name: string, took: number) => (took >= 0.5 ? [`${name} ${took.toFixed(1)}`] : [])
  const texts = long.slice(0, longestShown).map(({ tookMs, collectionMs, waitedMs, sleptMs, stallMs }) => {
    const parts = [
      ...part('collections', collectionMs),
      ...part('waited for a processor', waitedMs),
      ...part('slept', sleptMs),
      ...(stalls === undefined ? [] : part('a processor stood still', stallMs)),
    ]
    return `${ms(tookMs)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
  })
  return texts.join('; ')
}

function stallsOf({ stalls }: SignallingReport): string {
  if (stalls === undefined) return 'not known: it takes a C compiler and real-time priority'
  const longest = stalls.reduce((most, { fromMs, toMs }) => Math.max(most, toMs - fromMs), 0)
  const over = (least: number) => stalls.filter(({ fromMs, toMs }) => toMs - fromMs >= least).length
  return `${over(1)} times for 1 ms or more, ${over(5)} for 5 or more, longest ${ms(longest)}`
}

function rowsOf(report: SignallingReport): readonly (readonly [string, string])[] {
  const spread = ({ percentiles: [p50, , p99, p999], max }: Spread) =>
    `p50 ${ms(p50)}, p99 ${ms(p99)}, p99.9 ${ms(p999)}, longest ${ms(max)}`
  const { system } = report
  const most = Object.entries(system.counts).sort((one, other) => other[1] - one[1])
  return [
    ['calls', `${report.answered} answered, ${report.refused} refused with 503, ${report.failed} failed`],
    ['set-up, INVITE to 200', `p50 ${ms(report.setUpMs.p50)}, p99 ${ms(report.setUpMs.p99)}`],
    ['turns of the event loop', `${report.turns.count}: ${spread(report.turns)}`],
    ['the longest, and what was in them', longestOf(report)],
    ['how late a timer of 1 ms is', spread(report.delays)],
    ['processors stood still, whatever they should have run', stallsOf(report)],
    ['the thread ran', `${percent(report.ran)} of the time; waited for a processor ${percent(report.waited)}`],
    [
      `system calls a second, by strace`,
      most.map(([name, count]) => `${name} ${Math.round(count / tracedSeconds)}`).join(', '),
    ],
    ['of these for a disk, a file or a name', String(system.waiting.length)],
  ]
}

function textOf(report: SignallingReport): string {
  const rows = rowsOf(report)
  const width = Math.max(...rows.map(([name]) => name.length))
  const faults = faultsOf(report)
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    ...(faults.length === 0 ? ['What is demanded holds.'] : faults.map(fault => `Does not hold: ${fault}.`)),
    report.machineSpeed,
    ...(report.generatorKeptUp
      ? []
      : ['sipp could not offer the calls in time: this run says nothing about the switch.']),
  ].join('\n')
}

function sectionOf(report: SignallingReport): string {
  const faults = faultsOf(report)
  const where = report.isAlone ? 'on one core, sipp on the others' : 'sipp and the switch where the system puts them'
  return [
    `${report.callsPerSecond} full calls a second (${machine}, ${where}). ${report.machineSpeed}`,
    '',
    '| what | measured |',
    '|---|---|',
    ...rowsOf(report).map(([name, value]) => `| ${name} | ${value} |`),
    '',
    faults.length === 0 ? 'What is demanded holds.' : `Does not hold: ${faults.join('; ')}.`,
  ].join('\n')
}

async function main(): Promise<number> {
  const command = readCommand(usage, {
    cps: { type: 'string' },
    seconds: { type: 'string' },
    'one-processor': { type: 'boolean' },
    write: { type: 'boolean' },
  })
  if (typeof command === 'number') return command
  const { values, wrong } = command
  const [callsPerSecond, seconds] = [Number(values.cps ?? 300), Number(values.seconds ?? 15)]
  if (!(callsPerSecond >= 1 && callsPerSecond <= 10_000)) return wrong('--cps: 1 to 10000')
  if (!(seconds >= 1 && seconds <= 3600)) return wrong('--seconds: 1 to 3600')
  requirePeers('sipp')
  if (spawnSync('strace', ['-V'], { stdio: 'ignore' }).status !== 0) {
    process.stderr.write('strace is missing: apt-get install strace\n')
    return 2
  }
  useBuiltProgram()
  const { show: progress, clear } = progressLine()
  const report = await measureSignalling({
    callsPerSecond,
    seconds,
    isAlone: values['one-processor'] === true,
    progress,
  })
  clear()
  process.stdout.write(`${textOf(report)}\n`)
  if (values.write === true && report.generatorKeptUp) writeSection('signalling', sectionOf(report))
  return report.generatorKeptUp && faultsOf(report).length === 0 ? 0 : 1
}

if (import.meta.main) process.exit(await main())
