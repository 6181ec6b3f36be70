import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { relative } from 'node:path'

// Each test file runs in a process of its own: a leaked socket or a crash in one cannot reach another.
const usage = `usage: npm test [-- [--quick | --long | --all] [--jobs N] [filter…]]
            what tells within five minutes whether all works: everything but the long tests
  --quick   of that, only what needs no real peer, process or clock (nothing of tests/interop and tests/live)
  --long    the others: minutes of sound (tests/audio), and what loads or kills a switch, counts its seconds, or needs
            the machine to itself (tests/slow)
  --all     both; so does a filter, for the files that it names
  --jobs N  files at once of those that only compute (3)
  filter    only files whose path contains one of these`

const fileTimeoutMs = 240_000
/** A file that has told its results must end: what keeps it alive is a leak of its own, or of what it tests. */
const endTimeoutMs = 15_000
const root = new URL('../', import.meta.url).pathname

interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly seconds: number
  readonly output: string
}

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const quick = args.includes('--quick')
const long = args.includes('--long')
const jobsAt = args.indexOf('--jobs')
const jobs = jobsAt === -1 ? 3 : Number(args[jobsAt + 1])
const filters = args.filter((arg, at) => !arg.startsWith('--') && (jobsAt === -1 || at !== jobsAt + 1))

const isAll = args.includes('--all') || (filters.length > 0 && !quick && !long)

const all = readdirSync(`${root}tests`, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => `tests/${file}`)
  .filter(file => isAll || /^tests\/(audio|slow)\//.test(file) === long)
  .filter(file => !quick || !/^tests\/(interop|live)\//.test(file))
  .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
  .sort()

// What runs by real clocks mostly waits: several run at once. What loads or kills a switch, or is
// measured by the second, runs alone.
const inRealTime = all.filter(file => /^tests\/(interop|live)\//.test(file)).sort(mixed)
const alone = all.filter(file => file.startsWith('tests/slow/'))
const computing = all.filter(file => !inRealTime.includes(file) && !alone.includes(file))
const callsAtOnce = 4

/** In an order that has nothing to do with their names: those of one kind need the same things at the same time. */
function mixed(one: string, two: string): number {
  const draw = (name: string) => createHash('sha256').update(name).digest('hex')
  return draw(one) < draw(two) ? -1 : 1
}

const running = new Set<ChildProcess>()

function endGroup(leader: ChildProcess): void {
  if (leader.pid === undefined) return
  try {
    process.kill(-leader.pid, 'SIGKILL')
  } catch {
    // Nobody was left.
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of running) endGroup(child)
    process.exit(1)
  })

function run(file: string): Promise<FileResult> {
  const started = Date.now()
  return new Promise(resolve => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
      cwd: root,
      env: {
        ...process.env,
        FORCE_COLOR: '0',
        NO_COLOR: '1',
        NODE_COMPILE_CACHE: `${root}node_modules/.cache/compile`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: what a test leaves behind goes with it.
      detached: true,
    })
    running.add(child)
    let output = ''
    let leakTimer: NodeJS.Timeout | undefined
    child.stdout.on('data', chunk => {
      output += chunk
      if (!/^\s*Duration:/m.test(output)) return
      leakTimer ??= setTimeout(() => {
        output += `\n${file} did not end after its tests and was killed`
        child.kill('SIGKILL')
      }, endTimeoutMs)
    })
    child.stderr.on('data', chunk => {
      output += chunk
    })
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, fileTimeoutMs)
    // A peer that lives on would hold the output open for ever.
    child.on('exit', () => endGroup(child))
    child.on('close', code => {
      running.delete(child)
      clearTimeout(timer)
      clearTimeout(leakTimer)
      const count = (label: string) =>
        [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'gm'))].reduce(
          (sum, match) => sum + Number(match[1]),
          0,
        )
      const total = count('Total')
      const passed = count('Passed')
      const skipped = count('Skipped')
      let failed = total - passed - skipped
      if (failed === 0 && (code !== 0 || total === 0)) failed = 1
      if (timedOut) output += `\n${file} ran for more than ${fileTimeoutMs / 1000} s and was killed`
      if (total === 0) output += `\n${file} ran no test`
      if (skipped > 0) process.stdout.write(`  ! ${skipped} skipped in ${file}\n`)
      resolve({ file, passed, failed, seconds: (Date.now() - started) / 1000, output })
    })
  })
}

const results: FileResult[] = []

function tell(result: FileResult, mark = result.failed === 0 ? '✓' : '✗'): void {
  process.stdout.write(
    `${mark} ${String(results.length).padStart(3)}/${all.length} ${relative('tests', result.file)} ` +
      `${result.passed} passed${result.failed > 0 ? `, ${result.failed} failed` : ''} (${result.seconds.toFixed(1)} s)\n`,
  )
  if (result.failed > 0) process.stdout.write(`${result.output.replace(/^/gm, '    ')}\n`)
}

async function drain(files: string[], width: number): Promise<void> {
  const queue = [...files]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        const result = await run(file)
        results.push(result)
        tell(result)
      }
    }),
  )
}

/** What goes by real clocks counts alone: beside others it may have had no processor when it needed one. Once more, and told. */
async function againAlone(files: readonly string[]): Promise<void> {
  for (const [at, result] of results.entries()) {
    if (result.failed === 0 || !files.includes(result.file)) continue
    const again = await run(result.file)
    results[at] = again
    process.stdout.write('once more, alone: ')
    tell(again)
  }
}

const started = Date.now()
await drain(computing, jobs)
await drain(inRealTime, callsAtOnce)
await againAlone(inRealTime)
await drain(alone, 1)
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
if (!isAll && !long) process.stdout.write('\nThe long tests did not run: npm run test:long\n')
process.stdout.write(
  `\n${all.length} files in ${((Date.now() - started) / 1000).toFixed(1)} s\n${passed} passed, ${failed} failed\n`,
)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
