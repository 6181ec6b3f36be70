import { requirePeers } from '../../tests/rig/beds/debian.ts'
import { progressLine, readCommand } from '../command.ts'
import { keptRate, percentile } from '../overload/burst.ts'
import { useBuiltProgram } from '../served-program.ts'
import { writeCalls } from './calls-page.ts'
import { LoadedSwitch, type LoadKind, loadKinds, refusesForLoad } from './loaded-switch.ts'
import { Scrape } from './scrape.ts'
import { residentMb, threadTimes, usedBetween } from './thread-times.ts'

const usage = `usage: npm run bench:calls -- [--cps N] [--seconds S] [--kind ${Object.keys(loadKinds).join('|')}] [--json]
Offers calls to a switch as it is served, from sipp on the other processors, and reports what became of them.
  --cps N      new calls a second (50)
  --seconds S  for how long (20)
  --kind KIND  ${Object.entries(loadKinds)
    .map(([name, about]) => `${name}: ${about}`)
    .join('\n               ')}
  --talk MS    how long an answered call lasts (500)
  --json       the report for scripts
  --page       50, 200, 500, 700 full calls a second, some two minutes: written into docs/performance.md
Exit codes: 0 every call was answered; 1 some were not, or sipp could not keep up; 2 the command is wrong.`

export interface LoadReport {
  readonly kind: LoadKind
  readonly offered: number
  readonly offeredPerSecond: number
  readonly completed: number
  /** With 503. */
  readonly refused: number
  /** With another answer. */
  readonly failed: number
  readonly unanswered: number
  /** Why calls ended, by their reason_code. */
  readonly reasons: Readonly<Record<string, number>>
  /** From INVITE to 200. */
  readonly setUpMs: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number }
  /** By the system's accounting, of all threads of the switch, and of each kind. */
  readonly cpuMsPerCall: number
  readonly threads: Readonly<Record<string, number>>
  readonly eventLoopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Share of the run that the signalling thread stood still for the collection of garbage. */
  readonly collectionShare: number
  readonly residentMb: number
  readonly generatorKeptUp: boolean
}

interface LoadOrder {
  readonly kind: LoadKind
  readonly callsPerSecond: number
  readonly seconds: number
  readonly talkMs: number
  readonly progress?: (line: string) => void
}

/** One rate for a number of seconds at a switch on the first processor. */
export async function loadCalls(order: LoadOrder): Promise<LoadReport> {
  const { kind, callsPerSecond, seconds, talkMs, progress = () => {} } = order
  const loaded = await LoadedSwitch.open(kind, { SAUTI_MEDIA_PORTS: '12000-19999' }, true, refusesForLoad)
  const { on, customer } = loaded
  try {
    const offer = (rate: number, forSeconds: number) => loaded.offer(rate, forSeconds, talkMs)
    progress('warming up')
    await offer(Math.min(40, callsPerSecond), 5)
    customer.posts.length = 0
    const [before, timesBefore, began] = [await Scrape.of(on), threadTimes(on.pid), performance.now()]
    const clock = setInterval(async () => {
      customer.posts.length = 0
      const now = await Scrape.of(on)
      const begun = now.read('sauti_exchange_total{what="begun"}') - before.read('sauti_exchange_total{what="begun"}')
      const passed = (performance.now() - began) / 1000
      progress(
        `${passed.toFixed(0)} of ${seconds} s: ${begun} calls begun, ${now.read('sauti_calls_held')} live, ` +
          `${residentMb(on.pid).toFixed(0)} MB`,
      )
    }, 1000)
    const raw = await offer(callsPerSecond, seconds)
    clearInterval(clock)
    const passedMs = performance.now() - began
    const [after, timesAfter] = [await Scrape.of(on), threadTimes(on.pid)]
    const used = usedBetween(timesBefore, timesAfter)
    const cpuMs = used.reduce((sum, [, ms]) => sum + ms, 0)
    const share = (part: number) => percentile(raw.answeredMs, part)
    const reasons: Record<string, number> = {}
    for (const [labels, count] of after.named('sauti_calls_ended_total')) {
      const more = count - before.read(`sauti_calls_ended_total{${labels}}`)
      if (more > 0) reasons[/reason="([^"]*)"/.exec(labels)?.[1] ?? labels] = more
    }
    let pausedSeconds = 0
    for (const [labels, sum] of after.named('nodejs_gc_duration_seconds_sum'))
      pausedSeconds += sum - before.read(`nodejs_gc_duration_seconds_sum{${labels}}`)
    const lag = (name: string) => 1000 * after.read(`nodejs_eventloop_lag_${name}_seconds`)
    const perCall = (ms: number) => ms / raw.offered
    return {
      kind,
      offered: raw.offered,
      offeredPerSecond: raw.offered / Math.max(seconds, raw.offeredIn),
      completed: raw.answeredMs.length,
      refused: raw.refusedMs.length,
      failed: raw.failed,
      unanswered: raw.unanswered - raw.failed,
      reasons,
      setUpMs: { p50: share(0.5), p90: share(0.9), p99: share(0.99), max: share(1) },
      cpuMsPerCall: perCall(cpuMs),
      threads: Object.fromEntries(used.map(([name, ms]) => [name, perCall(ms)])),
      eventLoopDelayMs: { p50: lag('p50'), p99: lag('p99'), max: lag('max') },
      collectionShare: (1000 * pausedSeconds) / passedMs,
      residentMb: residentMb(on.pid),
      generatorKeptUp: keptRate(raw, seconds),
    }
  } finally {
    await loaded.close()
  }
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`

function textOf(report: LoadReport): string {
  const { setUpMs, eventLoopDelayMs } = report
  const rows: readonly (readonly [string, string])[] = [
    ['offered', `${report.offered} calls, ${report.offeredPerSecond.toFixed(0)} a second`],
    ['answered', String(report.completed)],
    ['refused with 503', String(report.refused)],
    ['failed', String(report.failed)],
    ['without answer', String(report.unanswered)],
    [
      'reasons',
      Object.entries(report.reasons)
        .map(([code, n]) => `${code} ${n}`)
        .join(', '),
    ],
    [
      'set-up, INVITE to 200',
      `p50 ${ms(setUpMs.p50)}, p90 ${ms(setUpMs.p90)}, p99 ${ms(setUpMs.p99)}, longest ${ms(setUpMs.max)}`,
    ],
    ['processor time a call', ms(report.cpuMsPerCall)],
    ...Object.entries(report.threads).map(([name, value]) => [`  ${name}`, ms(value)] as const),
    [
      'event-loop delay',
      `p50 ${ms(eventLoopDelayMs.p50)}, p99 ${ms(eventLoopDelayMs.p99)}, longest ${ms(eventLoopDelayMs.max)}`,
    ],
    ['pauses of collection', `${(100 * report.collectionShare).toFixed(2)} % of the time`],
    ['memory', `${report.residentMb.toFixed(0)} MB`],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  if (!report.generatorKeptUp)
    lines.push('', 'sipp could not offer the calls in time: this run says nothing about the switch.')
  return lines.join('\n')
}

async function main(): Promise<number> {
  const command = readCommand(usage, {
    cps: { type: 'string' },
    seconds: { type: 'string' },
    talk: { type: 'string' },
    kind: { type: 'string' },
    json: { type: 'boolean' },
    page: { type: 'boolean' },
  })
  if (typeof command === 'number') return command
  const { values, wrong } = command
  const [callsPerSecond, seconds, talkMs] = [values.cps ?? 50, values.seconds ?? 20, values.talk ?? 500].map(Number)
  const kind = String(values.kind ?? 'full')
  if (!(callsPerSecond! >= 1 && callsPerSecond! <= 10_000)) return wrong('--cps: 1 to 10000')
  if (!(seconds! >= 1 && seconds! <= 86_400)) return wrong('--seconds: 1 to 86400')
  if (!(talkMs! >= 0 && talkMs! <= 3_600_000)) return wrong('--talk: 0 to 3600000 ms')
  if (!Object.hasOwn(loadKinds, kind)) return wrong(`--kind: ${kind} is none of ${Object.keys(loadKinds).join(', ')}`)
  requirePeers('sipp')
  const { show: progress, clear } = progressLine()
  const order = {
    kind: kind as LoadKind,
    callsPerSecond: callsPerSecond!,
    seconds: seconds!,
    talkMs: talkMs!,
    progress,
  }
  useBuiltProgram()
  if (values.page === true) {
    const section = await writeCalls(progress)
    clear()
    process.stdout.write(`${section}\n`)
    return 0
  }
  const report = await loadCalls(order)
  clear()
  process.stdout.write(`${values.json === true ? JSON.stringify(report, null, 2) : textOf(report)}\n`)
  return report.generatorKeptUp && report.completed === report.offered ? 0 : 1
}

if (import.meta.main) process.exit(await main())
