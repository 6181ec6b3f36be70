import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Outcome, runBenchmark } from './one-benchmark.ts'
import { runApart } from './own-process.ts'
import { type BenchOptions, tableOf } from './report.ts'

const usage = `usage: npm run bench [-- [--short] [--json] [name…]]
  --short  two minutes in all: shows that they run, not what the machine can do; those that the long tests
           run as well (kills, overload, soak-calls), trace and start, only when they are named
  --json   figures for scripts
  --jobs N so many at once (1), each in a process of its own: with more than one it shows only that they run
  --minutes M, --calls N  of the soak, and of peers for each codec: how long, and how many calls (5, 50)
           of soak-calls: how long, and how many calls a second (60, 50)
  --kills N  of kills: how often the switch is killed (200)
  name…    only benchmarks whose file name contains one of these`

const { values, positionals } = parseArgs({
  options: {
    short: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
    minutes: { type: 'string' },
    calls: { type: 'string' },
    kills: { type: 'string' },
    jobs: { type: 'string' },
  },
  allowPositionals: true,
})
if (values.help === true) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

const positive = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined
  if (Number(value) > 0) return Number(value)
  process.stderr.write(`${value} is no number above 0\n${usage}\n`)
  process.exit(1)
}
const minutes = positive(values.minutes)
const calls = positive(values.calls)
const kills = positive(values.kills)
const jobs = Math.ceil(positive(values.jobs) ?? 1)
const options: BenchOptions = {
  isNamed: positionals.length > 0,
  ...(minutes === undefined ? {} : { minutes }),
  ...(calls === undefined ? {} : { calls: Math.ceil(calls) }),
  ...(kills === undefined ? {} : { kills: Math.ceil(kills) }),
}

const folder = new URL('./', import.meta.url)
const files = readdirSync(folder)
  .filter(file => file.endsWith('.bench.ts'))
  .filter(file => positionals.length === 0 || positionals.some(name => file.includes(name)))
  .sort()

if (files.length === 0) {
  process.stderr.write('no benchmark has that name\n')
  process.exit(1)
}
/** One that fails does not take the others' figures with it. */
const failed: string[] = []
const outcomes = new Map<string, Outcome>()
const complain = (error: unknown) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
async function runOne(file: string): Promise<void> {
  const order = { file, isShort: values.short === true, options }
  const outcome = await (jobs > 1 ? runApart(order) : runBenchmark(order))
  outcomes.set(file, outcome)
  if (outcome.table !== undefined && values.json !== true) process.stdout.write(`\n${outcome.table}\n`)
}
const queue = [...files.entries()]
const again: string[] = []
const lane = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [at, file] = next
    process.stderr.write(`${at + 1}/${files.length} ${file}\n`)
    await runOne(file).catch((error: unknown) => {
      complain(error)
      ;(jobs > 1 ? again : failed).push(file)
    })
  }
}
await Promise.all(Array.from({ length: jobs }, lane))
// Beside another it may have had no processor when its load needed one.
for (const file of again) {
  process.stderr.write(`once more, alone: ${file}\n`)
  await runOne(file).catch((error: unknown) => {
    complain(error)
    failed.push(file)
  })
}
const figures = files.flatMap(file => outcomes.get(file)?.figures ?? [])
const machine = `Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`
if (values.json === true) process.stdout.write(`${JSON.stringify({ machine, figures }, null, 2)}\n`)
else
  process.stdout.write(
    `\n${tableOf(figures)}\n\n${machine}. Ratios hold between machines, the values do not: each is beside its baseline of the same run.\n`,
  )
if (failed.length > 0) process.stderr.write(`failed: ${failed.join(', ')}\n`)
process.exit(failed.length > 0 ? 1 : (process.exitCode ?? 0))
