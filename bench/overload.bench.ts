import { writeFileSync } from 'node:fs'
import { graphOf } from './overload/graph.ts'
import { lineOf, type RampResult, ramp, setUpMs } from './overload/ramp.ts'
import { machine, writeSection } from './page-section.ts'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'

// Question: what becomes of a switch that is offered up to ten times what it can bear? On one core as it is served, called by
// sipp from the other, with twenty live calls whose packets are counted; every call is half a second of an announcement.
const usual = { times: [0.5, 1, 1.5, 2, 3, 5, 7.5, 10], secondsPerStep: 8, liveCalls: 20 }
const brief = { times: [0.5, 1, 3], secondsPerStep: 4, liveCalls: 4, attempts: 1 }

const folder = new URL('../docs/', import.meta.url)

/** tests/slow/overload.test.ts. */
export const isLongTest = true

let last: RampResult | undefined

export const table = (): string => (last === undefined ? '' : stepsOf(last).join('\n'))

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  useBuiltProgram()
  const result = await ramp({ ...(short ? brief : usual), onProgress: line => process.stderr.write(`${line}\n`) })
  last = result
  const { capacity, steps, recoverySeconds } = result
  // A run that names this benchmark is the one that the page shows.
  if (!short && options.isNamed === true) writePage(result)
  const loaded = steps.filter(({ times }) => times >= 1)
  const worst = (of: (step: (typeof steps)[number]) => number) => Math.max(...loaded.map(of))
  return [
    figureOf(
      'calls a second on one core, announcement of 0.5 s, p99 of set-up below 100 ms',
      capacity,
      '/s',
      capacity,
      'itself',
    ),
    figureOf(
      '… answered a second under load, worst step',
      Math.min(...loaded.map(({ goodput }) => goodput)),
      '/s',
      0.9 * capacity,
      'demanded: 90 % of it',
    ),
    figureOf(
      '… set-up p99, worst step',
      worst(({ p99 }) => p99),
      'ms',
      setUpMs,
      'demanded at most',
    ),
    figureOf('… packets of live calls lost, worst step', 100 * worst(({ loss }) => loss), '%', 0.1, 'demanded at most'),
    figureOf(
      '… calls without any answer, worst step',
      worst(({ unanswered }) => unanswered),
      '/s',
      0,
      'demanded',
    ),
    figureOf(
      '… memory, worst step',
      worst(({ residentMb }) => residentMb),
      'MB',
      steps[0]?.residentMb ?? 1,
      'at half the capacity',
    ),
    figureOf('… until no call is refused any more, load halved', recoverySeconds, 's', 5, 'demanded at most'),
  ]
}

function stepsOf({ steps, after }: RampResult): string[] {
  return [...steps.map(lineOf), `afterwards, ${lineOf(after)}`]
}

function writePage(result: RampResult): void {
  writeFileSync(new URL('overload.svg', folder), graphOf(result))
  writeSection('overload', sectionOf(result))
}

function sectionOf({ capacity, capacitySpeed, steps, after, recoverySeconds }: RampResult): string {
  const row = (name: string, step: (typeof steps)[number]) =>
    `| ${name} | ${step.offered.toFixed(0)} | ${step.goodput.toFixed(0)} (${((100 * step.goodput) / capacity).toFixed(0)} %) | ${step.refused.toFixed(0)} | ` +
    `${step.unanswered.toFixed(1)} | ${step.p50.toFixed(0)} ms | ${step.p99.toFixed(0)} ms | ${step.refusedP99.toFixed(0)} ms | ${(100 * Math.max(0, step.loss)).toFixed(3)} % | ${step.residentMb.toFixed(0)} MB | ` +
    `${step.commitMs.toFixed(1)} ms | ${((100 * step.speed) / capacitySpeed).toFixed(0)} % |`
  return [
    `Capacity found: ${capacity} calls a second (${machine}). After the last step half of it was offered:`,
    `${recoverySeconds === 0 ? 'no call was refused any more' : `the last call was refused after ${recoverySeconds.toFixed(1)} s`}.`,
    '',
    '| load | offered /s | answered /s (of capacity) | refused /s | without answer /s | set-up p50 | set-up p99 | 503 p99 | RTP lost, live calls | memory | a commit | the processor |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...steps.map(step => row(`${step.times} ×`, step)),
    row('then 0.5 ×', after),
    '',
    '![Calls a second and set-up times over the load](overload.svg)',
  ].join('\n')
}
