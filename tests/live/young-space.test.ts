import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const root = new URL('../../', import.meta.url)
const module = new URL('api/cli/garbage-collection.ts', root).href
const folder = mkdtempSync(join(tmpdir(), 'sauti-young-'))
const program = join(folder, 'program.ts')
writeFileSync(
  program,
  `import { getHeapSpaceStatistics } from 'node:v8'
  import { startForShortPauses } from ${JSON.stringify(module)}
  startForShortPauses()
  const kept = []
  for (let at = 0; at < 2e6; at++) kept[at % 300_000] = { at }
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  process.stdout.write(JSON.stringify({ pid: process.pid, flags: process.execArgv, words: process.argv.slice(2), space: space_size }))`,
)
test.after(() => rmSync(folder, { recursive: true }))

interface Started {
  readonly pid: number
  readonly flags: readonly string[]
  readonly words: readonly string[]
  readonly space: number
}

/** What the program says of itself, and the process that was started. */
async function start(
  flags: readonly string[],
  { options = '', withIpc = false } = {},
): Promise<Started & { readonly child: number | undefined; readonly complaint: string }> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...flags, program, 'serve', '--a b'],
    {
      stdio: withIpc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: options },
    },
  )
  let [said, complaint] = ['', '']
  child.stdout!.on('data', text => (said += text))
  child.stderr!.on('data', text => (complaint += text))
  await new Promise(resolve => child.once('close', resolve))
  return { ...JSON.parse(said), child: child.pid, complaint }
}

/** One processor is left to signalling; Node has four threads where nothing is said. */
const threads = `--v8-pool-size=${Math.max(1, Math.min(4, availableParallelism() - 1))}`

/** Both halves, and what V8 adds to them. */
const mostBytes = 3 * 2 ** 20 * 2

if (process.platform === 'linux') {
  test('a program starts again with little space for young objects and few threads of V8, as the same process with the same words', async () => {
    const { pid, child, flags, words, space, complaint } = await start(['--title=a'])
    assert.is(pid, child)
    assert.equal(flags, ['--max-semi-space-size=2', threads, '--disable-warning=ExperimentalWarning', '--title=a'])
    assert.equal(words, ['serve', '--a b'])
    assert.ok(space <= mostBytes, `${space}`)
    assert.is(complaint, '')
  })

  test('it keeps the space that it was given', async () => {
    const given = await start(['--max-semi-space-size=16'])
    assert.equal(given.flags, [threads, '--disable-warning=ExperimentalWarning', '--max-semi-space-size=16'])
    assert.ok(given.space > mostBytes, `${given.space}`)
    const { flags } = await start([], { options: '--max-semi-space-size=4' })
    assert.equal(flags, [threads, '--disable-warning=ExperimentalWarning'])
  })

  test('it keeps the number of threads that it was given, and does not start again where nothing is left to give', async () => {
    const { flags } = await start(['--v8-pool-size=3'])
    assert.equal(flags, ['--max-semi-space-size=2', '--disable-warning=ExperimentalWarning', '--v8-pool-size=3'])
    const both = '--max-semi-space-size=4 --v8-pool-size=3'
    assert.equal((await start([], { options: both })).flags, ['--disable-warning=ExperimentalWarning'])
  })

  test('a child with a channel to its parent does not start again', async () => {
    const { flags } = await start([], { withIpc: true })
    assert.equal(flags, ['--disable-warning=ExperimentalWarning'])
  })
}

test('a checkout and the one executable start with the same space as the package, a checkout with as many threads', () => {
  for (const path of ['scripts/bootstrap.mjs', 'scripts/build-binary.ts'])
    assert.match(readFileSync(new URL(path, root), 'utf8'), "'--max-semi-space-size=2'", path)
  const bootstrap = readFileSync(new URL('scripts/bootstrap.mjs', root), 'utf8')
  assert.match(bootstrap, /--v8-pool-size=\$\{Math\.max\(1, Math\.min\(4, availableParallelism\(\) - 1\)\)\}/)
})

test.run()
