import { readFileSync, writeFileSync } from 'node:fs'
import { audit, type Row } from '../tests/audit/audit.ts'

const usage = `usage: npm run audit [-- [--write] [filter]]
          tries the promises of docs/security.md from outside, each against a switch of its own
  --write  writes the table of docs/security.md
  filter   only probes whose name contains it`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const page = new URL('../docs/security.md', import.meta.url)
const begin = '<!-- audit: begin (npm run audit -- --write) -->'
const end = '<!-- audit: end -->'
const filter = args.find(arg => !arg.startsWith('--')) ?? ''

const rows = await audit(({ probe, inputs, broken, seconds }) => {
  process.stdout.write(`${broken.length === 0 ? '✓' : '✗'} ${probe.name}: ${inputs} inputs (${seconds.toFixed(1)} s)\n`)
  for (const line of broken) process.stdout.write(`    ${line.replaceAll('\n', '\n    ')}\n`)
}, filter)
const held = rows.filter(({ broken }) => broken.length === 0).length
const inputs = rows.reduce((sum, row) => sum + row.inputs, 0)
process.stdout.write(`\n${held} of ${rows.length} promises held, ${inputs} inputs\n`)
if (args.includes('--write') && filter === '') writeTable(rows)
process.exit(held === rows.length && rows.length > 0 ? 0 : 1)

function writeTable(all: readonly Row[]): void {
  const text = readFileSync(page, 'utf8')
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end)
  if (from < begin.length || to === -1) throw new Error('docs/security.md has no place for the table')
  const lines = all.map(
    ({ probe, inputs: tried, broken }) =>
      `| ${probe.group} | ${probe.promise} | ${tried} | ${broken.length === 0 ? 'held' : 'broken'} |`,
  )
  const table = ['', '| about | promise | inputs | |', '|---|---|---|---|', ...lines, ''].join('\n')
  writeFileSync(page, `${text.slice(0, from)}${table}${text.slice(to)}`)
}
