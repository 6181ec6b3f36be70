import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { type NeighbourRow, neighbours, rowOf } from './neighbours/neighbours.ts'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'

// Question: does an account that does its worst within its limits slow another's calls? A served switch on one core; 20 calls a
// second of the other account, each way of being a bad neighbour in turn.
/** p99 of the set-up may rise by so much, ms. */
const mostRiseMs = 50

const file = new URL('../docs/performance.md', import.meta.url)
const marks = ['<!-- neighbours: written by npm run bench neighbours -->', '<!-- /neighbours -->'] as const

/** Minutes of load: with --short it runs only when it is named. */
export const isLongTest = true

let last: readonly NeighbourRow[] = []

export const table = (): string => tableOf(last)

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  useBuiltProgram()
  const brief = new Set(['lists', 'bodies', 'webhooks'])
  last = await neighbours({
    seconds: short ? 3 : 8,
    isMeasured: ({ name }) => !short || brief.has(name),
    told: line => process.stderr.write(`${line}\n`),
  })
  if (!short && options.isNamed === true) writePage()
  return last.map(({ way, before, during, after }) => {
    const calm = Math.max(before.p99, after.p99)
    return figureOf(`another’s set-up p99: ${way.what}`, during.p99, 'ms', calm + mostRiseMs, 'calm, and 50 ms more')
  })
}

function tableOf(rows: readonly NeighbourRow[]): string {
  return [
    '| what one account does | requests, and their answers | before | during | after |',
    '|---|---|---|---|---|',
    ...rows.map(rowOf),
  ].join('\n')
}

function writePage(): void {
  const page = readFileSync(file, 'utf8')
  const [from, to] = [page.indexOf(marks[0]), page.indexOf(marks[1])]
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no ${marks[0]} … ${marks[1]}`)
  const machine = `Set-up (INVITE to 200) of the other account's calls, p50 / p90 / p99 in ms (Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}).`
  writeFileSync(file, `${page.slice(0, from)}${marks[0]}\n${machine}\n\n${tableOf(last)}\n${page.slice(to)}`)
}
