import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { compiledProgram } from './compiled-program.ts'
import { longestFirst } from './test/course.ts'
import type { FileResult } from './test/file-result.ts'
import { runAlone } from './test/own-process.ts'
import { preparePeers } from './test/peers.ts'
import { runShared } from './test/shared-process.ts'

const usage = `usage: npm test [-- [--quick | --long | --all] [--jobs N] [filter…]]
            what shows within five minutes whether all works: everything but the long tests
  --quick   of that, only what needs no real peer, process or clock (nothing of tests/interop and tests/live)
  --long    the others: minutes of sound (tests/audio), what takes its time and mostly waits (tests/long), and what loads
            a switch, counts its milliseconds, or needs the machine to itself (tests/slow)
  --all     both; so does a filter, for the files that it names
  --jobs N  files at once of those that only compute (4)
  filter    only files whose path contains one of these`

const root = new URL('../', import.meta.url).pathname

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const knownFlags = ['--quick', '--long', '--all', '--jobs', '--help']
const unknownFlag = args.find(arg => arg.startsWith('-') && !knownFlags.includes(arg))
if (unknownFlag !== undefined) {
  process.stderr.write(`npm test: unknown option ${unknownFlag}; known are ${knownFlags.join(', ')}\n`)
  process.exit(2)
}
const quick = args.includes('--quick')
const long = args.includes('--long')
const jobsAt = args.indexOf('--jobs')
const jobs = jobsAt === -1 ? 4 : Number(args[jobsAt + 1])
const filters = args.filter((arg, at) => !arg.startsWith('--') && (jobsAt === -1 || at !== jobsAt + 1))

const isAll = args.includes('--all') || (filters.length > 0 && !quick && !long)

const selected = readdirSync(`${root}tests`, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => `tests/${file}`)
  .filter(file => isAll || /^tests\/(audio|long|slow)\//.test(file) === long)
  .filter(file => !quick || !/^tests\/(interop|live)\//.test(file))
  .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
  .sort()
const { files: all, leftOut } = preparePeers(selected)
for (const line of leftOut) process.stdout.write(`! ${line}\n`)

// What runs by real clocks mostly waits: several run at once. What loads a switch, or measures it by the millisecond,
// runs alone.
const inRealTime = all.filter(file => /^tests\/(interop|live)\//.test(file)).sort(mixed)
const waiting = longestFirst(all.filter(file => file.startsWith('tests/long/')).sort(mixed))
const alone = all.filter(file => file.startsWith('tests/slow/'))
const computing = all.filter(file => ![...inRealTime, ...waiting, ...alone].includes(file))
/** What measures the memory of its process, or ends it, cannot share it. */
const needsOwnProcess = (file: string) => /\bprocess\.(memoryUsage|exit)\b/.test(readFileSync(`${root}${file}`, 'utf8'))
const own = computing.filter(needsOwnProcess)
const sharing = computing.filter(file => !own.includes(file))
const callsAtOnce = 4
/** Each has a switch, and most of them a browser; all of them wait for more than half of their time. */
const longAtOnce = 4

/** In an order that has nothing to do with their names: those of one kind need the same things at the same time. */
function mixed(one: string, two: string): number {
  const draw = (name: string) => createHash('sha256').update(name).digest('hex')
  return draw(one) < draw(two) ? -1 : 1
}

const results: FileResult[] = []

function tell(result: FileResult, mark = result.failed === 0 ? '✓' : '✗'): void {
  process.stdout.write(
    `${mark} ${String(results.length).padStart(3)}/${all.length} ${relative('tests', result.file)} ` +
      `${result.passed} passed${result.failed > 0 ? `, ${result.failed} failed` : ''} (${result.seconds.toFixed(1)} s)\n`,
  )
  if (result.skipped > 0) process.stdout.write(`  ! ${result.skipped} skipped in ${result.file}\n`)
  if (result.failed > 0) process.stdout.write(`${result.output.replace(/^/gm, '    ')}\n`)
}

/** So many go on however crowded the machine is. */
const leastAtOnce = 2
/**
 * More programs than this want a processor (getloadavg(3), the last minute): a machine that is slow, or does other things.
 * What runs then by real clocks fails by them, and runs once more.
 */
const crowdedLoad = 4 * availableParallelism()
const lookMs = 2000

/** As many files at once as `width` says, fewer while the machine is crowded: each in a process of its own, those of `sharing` one after another in as many. */
async function drain(files: readonly string[], width: number, sharing: readonly string[] = []): Promise<void> {
  const queue = [...files]
  const queueToShare = [...sharing]
  const take = (result: FileResult) => {
    results.push(result)
    tell(result)
  }
  await Promise.all(
    Array.from({ length: width }, async (_, at) => {
      for (;;) {
        while (at >= leastAtOnce && queue.length > 0 && (loadavg()[0] ?? 0) > crowdedLoad) await pause(lookMs)
        const file = queue.shift()
        if (file === undefined) break
        take(await runAlone(file))
      }
      await runShared(() => queueToShare.shift(), take)
    }),
  )
}

/** What goes by real clocks counts alone: beside others it may have had no processor when it needed one. Once more, and reported. */
async function againAlone(files: readonly string[]): Promise<void> {
  for (const [at, result] of results.entries()) {
    if (result.failed === 0 || !files.includes(result.file)) continue
    const again = await runAlone(result.file)
    results[at] = again
    process.stdout.write('once more, alone: ')
    tell(again)
  }
}

const started = Date.now()
await drain(own, jobs, sharing)
// They start hundreds of switches: each takes half of the processor time that a start from the sources takes.
if (inRealTime.length + waiting.length + alone.length > 0)
  process.env.SAUTI_TEST_PROGRAM ??= await compiledProgram(root)
await drain(inRealTime, callsAtOnce)
await drain(waiting, longAtOnce)
await againAlone([...inRealTime, ...waiting])
await drain(alone, 1)
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
const skipped = results.reduce((sum, result) => sum + result.skipped, 0)
if (!isAll && !long) process.stdout.write('\nThe long tests did not run: npm run test:long\n')
process.stdout.write('\n')
for (const line of leftOut) process.stdout.write(`! ${line}\n`)
if (skipped > 0) process.stdout.write(`! ${skipped} tests skipped: see above\n`)
if (selected.length === 0) process.stdout.write('No test file is selected by that.\n')
process.stdout.write(
  `${all.length} files in ${((Date.now() - started) / 1000).toFixed(1)} s\n${passed} passed, ${failed} failed\n`,
)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
