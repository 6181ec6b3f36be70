import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRoot } from '../tests/rig/beds/debian.ts'
import { freePort } from '../tests/rig/probes/ports.ts'
import { sleep, until } from '../tests/rig/probes/wait.ts'
import { OwnRoot } from './trial/own-root.ts'

// `npm run try:binary`: the one executable alone in an empty root, with the shared libraries that it names and nothing
// else: no Node, no node_modules, no shell. `sauti init`, `serve`, `check`, then the tests with real calls against it.

const usage = `usage: npm run try:binary [-- filter…]
          runs dist/sauti-linux-<arch> (npm run build:binary) alone in an empty root, and tests against it. As root.
  filter  tests to run there (interop/verb interop/phone-calls interop/codecs); "none" runs none`

const filters = process.argv.slice(2)
if (filters.includes('--help')) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const checkout = fileURLToPath(new URL('../', import.meta.url))
const binary = join(checkout, `dist/sauti-linux-${process.arch}`)
const readyLimitMs = 120_000
const rounds = 3
const print = (text: string) => process.stdout.write(`${text}\n`)

if (!isRoot()) fail('a root folder of its own needs root (chroot, mount)')
if (!existsSync(binary)) fail(`${binary} is not there: npm run build:binary`)

/** Another program in its place, such as the tests start: the data folder of the environment is mounted at the same path. */
const wrapper = (root: string, proc: 'proc' | 'none') => `#!/bin/sh
# Until the last exec it is one process: signals and its number are the program's own.
exec unshare --mount sh -c '
  ${proc === 'proc' ? `mount --bind /proc ${root}/proc` : ':'}
  if [ -n "$SAUTI_DATA" ]; then
    mkdir -p "$SAUTI_DATA" "${root}$SAUTI_DATA"
    mount --bind "$SAUTI_DATA" "${root}$SAUTI_DATA"
  fi
  exec chroot ${root} /sauti "$@"' sh "$@"
`

const root = new OwnRoot()
const work = mkdtempSync(join(tmpdir(), 'sauti-binary-'))
try {
  process.exitCode = await trial()
} finally {
  root.remove()
  rmSync(work, { recursive: true, force: true })
}

async function trial(): Promise<number> {
  fill()
  const program = join(work, 'sauti')
  const blind = join(work, 'sauti-without-proc')
  for (const [path, proc] of [
    [program, 'proc'],
    [blind, 'none'],
  ] as const) {
    writeFileSync(path, wrapper(root.path, proc))
    chmodSync(path, 0o755)
  }
  const data = join(work, 'data')
  const init = spawnSync(program, ['init', '--account', 'Trial', '--data', data, '--config', `${data}/sauti.yaml`], {
    encoding: 'utf8',
    env: { HOME: '/root', PATH: process.env.PATH, SAUTI_DATA: data },
    input: '',
  })
  print(`sauti init: exit code ${init.status}\n${indented(init.stdout + init.stderr)}`)
  if (init.status !== 0) return 1

  const alone = await measured('alone in its root', data, program, [])
  const node = ['--disable-warning=ExperimentalWarning', 'api/cli/main.ts']
  await measured('the checkout', join(work, 'data-of-the-checkout'), process.execPath, node)
  const check = spawnSync(program, ['check'], {
    encoding: 'utf8',
    env: { HOME: '/root', PATH: process.env.PATH, SAUTI_DATA: data },
  })
  print(`sauti check: exit code ${check.status}: ${check.stdout.trim()}${check.stderr.trim()}`)
  const blindly = await measured('without /proc', data, blind, [])
  if (!alone || !blindly || check.status !== 0) return 1
  return filters.includes('none') ? 0 : tests(program)
}

/** What `ldd` names, and the binary. */
function fill(): void {
  const libraries = execFileSync('ldd', [binary], { encoding: 'utf8' }).match(/\/\S+\.so\S*/g) ?? []
  for (const library of libraries) root.bring(library)
  root.bring(binary, '/sauti')
  chmodSync(root.outside('/sauti'), 0o755)
  for (const folder of ['/proc', '/root', '/tmp']) mkdirSync(root.outside(folder), { recursive: true })
  print(`${binary}: ${(statSync(binary).size / 1e6).toFixed(0)} MB; beside it ${libraries.length} libraries`)
}

/** Starts it a few times: to `ready`, with the memory that it has then. False when it does not end as it should. */
async function measured(name: string, data: string, program: string, before: readonly string[]): Promise<boolean> {
  const found: string[] = []
  for (let round = 0; round < rounds; round++) {
    const env = {
      HOME: '/root',
      PATH: process.env.PATH,
      SAUTI_DATA: data,
      SAUTI_HTTP: `127.0.0.1:${await freePort()}`,
      SAUTI_SIP: `udp:127.0.0.1:${await freePort()}`,
    }
    const from = performance.now()
    const child: ChildProcess = spawn(program, [...before, 'serve'], {
      cwd: checkout,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', chunk => {
        output += chunk
      })
    await until(
      'it to be ready',
      () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`)
        return output.includes('"msg":"ready"')
      },
      readyLimitMs,
    )
    const startMs = performance.now() - from
    // Some faults only come with the first look at the load.
    await sleep(1500)
    const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    found.push(`${startMs.toFixed(0)} ms, ${(Number(memory) / 1000).toFixed(0)} MB`)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await ended
    if (code !== 0) {
      print(`${name}: ended with ${code}:\n${output}`)
      return false
    }
  }
  print(`${name}: to ready, and resident then: ${found.join('; ')}`)
  return true
}

function tests(program: string): number {
  const wanted = filters.length > 0 ? filters : ['interop/verb', 'interop/phone-calls', 'interop/codecs']
  const env = { ...process.env, SAUTI_TEST_PROGRAM: program }
  const argv = ['--disable-warning=ExperimentalWarning', 'scripts/test.ts', ...wanted]
  return spawnSync(process.execPath, argv, { cwd: checkout, env, stdio: 'inherit' }).status ?? 1
}

function indented(text: string): string {
  return text.trim().replace(/^/gm, '    ')
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}
