import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, tableOf } from './report.ts'

const usage = `usage: npm run bench [-- [--short] [--json] [name…]]
  --short  a few seconds in all: shows that they run, not what the machine can do
  --json   figures for scripts
  name…    only benchmarks whose file name contains one of these`

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
})
if (values.help === true) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

const folder = new URL('./', import.meta.url)
const files = readdirSync(folder)
  .filter(file => file.endsWith('.bench.ts'))
  .filter(file => positionals.length === 0 || positionals.some(name => file.includes(name)))
  .sort()

const figures: Figure[] = []
for (const [at, file] of files.entries()) {
  process.stderr.write(`${at + 1}/${files.length} ${file}\n`)
  const bench = (await import(new URL(file, folder).href)) as { run(short: boolean): Promise<Figure[]> }
  figures.push(...(await bench.run(values.short === true)))
}
if (figures.length === 0) {
  process.stderr.write('no benchmark has that name\n')
  process.exit(1)
}
const machine = `Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`
if (values.json === true) process.stdout.write(`${JSON.stringify({ machine, figures }, null, 2)}\n`)
else
  process.stdout.write(
    `\n${tableOf(figures)}\n\n${machine}. Ratios hold between machines, the values do not: each stands beside its baseline of the same run.\n`,
  )
process.exit(0)
