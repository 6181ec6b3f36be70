import { requirePeers } from '../../tests/rig/beds/debian.ts'
import { progressLine, readCommand } from '../command.ts'
import { SpeedWitness } from '../core-speed.ts'
import { machine, writeSection } from '../page-section.ts'
import { useBuiltProgram } from '../served-program.ts'
import { type GoalRow, goalLines, goalTable, verdictOf } from './goal-row.ts'
import { measurements } from './measurements.ts'

const names = Object.keys(measurements)
const usage = `usage: npm run bench:goals -- [--only NAME] [--rounds R] [--seconds S] [--short] [--write]
Holds the switch as it is served against the goals of docs/performance.md, one core for the switch, in some ten minutes. What
it is held against takes turns with it; figures are medians of the rounds. Nothing else may run on the machine.
  --only NAME  one of ${names.join(', ')}; without it all
  --rounds R   (5)
  --seconds S  of a round (6)
  --short      one round of two seconds: shows that it runs
  --write      the table into docs/performance.md; not with --only or --short
Exit codes: 0 measured, whatever came out; 1 a generator fell behind or something is missing; 2 the command is wrong.`

async function main(): Promise<number> {
  const command = readCommand(usage, {
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    short: { type: 'boolean' },
    write: { type: 'boolean' },
  })
  if (typeof command === 'number') return command
  const { values, wrong } = command
  const isShort = values.short === true
  const [rounds, seconds] = [Number(values.rounds ?? (isShort ? 1 : 5)), Number(values.seconds ?? (isShort ? 2 : 6))]
  const { only } = values
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= 100)) return wrong('--rounds: 1 to 100')
  if (!(seconds >= 1 && seconds <= 600)) return wrong('--seconds: 1 to 600')
  if (only !== undefined && !names.includes(String(only)))
    return wrong(`--only: ${only} is none of ${names.join(', ')}`)
  if (values.write === true && (only !== undefined || isShort)) return wrong('--write: not with --only or --short')
  requirePeers('sipp')
  useBuiltProgram()
  const { show: progress, clear } = progressLine(1000)
  const asked = only === undefined ? names : [String(only)]
  const rows: GoalRow[] = []
  const witness = new SpeedWitness()
  for (const [at, name] of asked.entries()) {
    const command = `npm run bench:goals -- --only ${name}`
    const order = {
      rounds,
      seconds,
      command,
      progress: (line: string) => progress(`${at + 1}/${asked.length} ${line}`),
    }
    witness.look()
    rows.push(...(await measurements[name]!(order)))
  }
  witness.look()
  clear()
  process.stdout.write(`${goalLines(rows)}\n${witness.sentence}\n`)
  if (values.write === true) {
    const reached = rows.filter(row => verdictOf(row) === 'reached').length
    const head = `${machine}; medians of ${rounds} rounds of ${seconds} s; ${reached} of ${rows.length} reached. ${witness.sentence}`
    writeSection('goals', `${head}\n\n${goalTable(rows)}`)
  }
  return rows.some(({ unsound }) => unsound !== undefined) ? 1 : 0
}

if (import.meta.main) process.exit(await main())
