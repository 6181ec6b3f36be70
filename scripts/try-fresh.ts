import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isRoot, programPath } from '../tests/rig/beds/debian.ts'
import { BrowserPhone } from '../tests/rig/peers/browser-phone.ts'
import { freePort } from '../tests/rig/probes/ports.ts'
import { until } from '../tests/rig/probes/wait.ts'
import { bringNetwork, bringNode, fillWithDebian } from './trial/debian-root.ts'
import { OwnRoot } from './trial/own-root.ts'

// `npm run try:fresh`: what a newcomer meets. A minimal Debian in a folder, a new user, `git clone`, `npm start`, a call
// from Chromium, `npm test`; nothing of this machine but its node and npm.

const usage = `usage: npm run try:fresh [-- options]
          clones the last commit into a minimal Debian of its own, and tries there what a newcomer does. As root.
  --base FILE   tar of the minimal Debian: made when it is missing, used when it is there
  --no-test     leaves npm test out
  --keep        leaves the folder, and says where it is`

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    'no-test': { type: 'boolean' },
    keep: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

const [user, home] = [1000, '/home/dev']
const sources = fileURLToPath(new URL('../', import.meta.url))
/** An installation with an empty cache, on a busy machine and by a slow line. */
const startLimitMs = 600_000
const print = (text: string) => process.stdout.write(`${text}\n`)

if (!isRoot()) fail('a root folder of its own needs root (chroot, mount)')
for (const program of ['debootstrap', 'unshare', 'chroot', 'git'])
  if (programPath(program) === undefined)
    fail(`${program} is missing: apt-get install debootstrap util-linux coreutils git`)

async function timed<T>(name: string, step: () => T | Promise<T>): Promise<T> {
  const from = performance.now()
  const result = await step()
  const told = typeof result === 'string' ? `  ${result}` : ''
  print(`${((performance.now() - from) / 1000).toFixed(1).padStart(7)} s  ${name}${told}`)
  return result
}

const root = new OwnRoot()
try {
  process.exitCode = await trial()
} finally {
  if (values.keep) print(`left in ${root.path}`)
  else root.remove()
}

async function trial(): Promise<number> {
  await timed('a minimal Debian', () => fillWithDebian(root, values.base))
  bringNode(root)
  const env = { HOME: home, USER: 'dev', LANG: 'C.UTF-8', ...bringNetwork(root) }
  root.run(['useradd', '--create-home', '--shell', '/bin/bash', '--uid', String(user), 'dev'])
  execFileSync('git', ['clone', '-q', '--bare', '--no-hardlinks', sources, root.outside('/srv/sauti.git')])
  root.run(['chown', '-R', `${user}:${user}`, '/srv/sauti.git'])
  chownSync(root.outside(home), user, user)
  print(
    `          node ${root.run(['node', '--version']).trim()}, npm ${root.run(['npm', '--version'], { env }).trim()}, no cache`,
  )

  await timed('git clone', () => {
    root.run(['git', 'clone', '-q', '/srv/sauti.git', 'sauti'], { user, cwd: home, env })
  })
  await started('npm start, to the links', env, speaks)
  await started('npm start again', env)
  return values['no-test'] ? 0 : timed('npm test', () => tested(env))
}

/** Runs `npm start` until it has printed its links, then `then`, and ends it. */
async function started(
  name: string,
  env: Record<string, string>,
  then?: (base: string, output: string) => Promise<void>,
) {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const sip = `udp:127.0.0.1:${await freePort()}`
  const settings = { SAUTI_HTTP: `127.0.0.1:${port}`, SAUTI_PUBLIC_URL: base, SAUTI_SIP: sip }
  let output = ''
  const child = root.spawn(['npm', 'start'], { user, cwd: `${home}/sauti`, env: { ...env, ...settings } })
  // Its pipes close when the last process inside has ended: the next start finds the data folder free.
  const closed = once(child, 'close')
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      output += chunk
    })
  try {
    await timed(name, async () => {
      await until(
        'npm start to be ready',
        () => {
          if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output}`)
          return output.includes('Ctrl-C lets live calls end')
        },
        startLimitMs,
      )
    })
    await then?.(base, output)
  } finally {
    child.kill('SIGKILL')
    await closed
  }
}

/** The link for the browser that `npm start` prints: signs in with its token, dials the demo number, and listens. */
async function speaks(base: string, output: string): Promise<void> {
  if (programPath('chromium') === undefined) {
    print('          no chromium on this machine: the call is left out')
    return
  }
  const token = /\/phone#token=(\S+)/.exec(output)?.[1]
  const number = /dial (\+\d+)/.exec(output)?.[1]
  if (token === undefined || number === undefined) throw new Error(`no link and number in:\n${output}`)
  const phone = await BrowserPhone.launch(base, 600)
  try {
    await timed('Chromium hears the document', async () => {
      const signed = await phone.signIn({ token })
      if (signed !== 'registered') throw new Error(JSON.stringify(signed))
      const call = await phone.dial(number)
      await phone.state(call, 'accepted', 30_000)
      await phone.until('a voice', async () => (await phone.hear(call, 500, [])).loudness > 0.01, 30_000)
      await phone.act(call, 'hangup')
    })
  } finally {
    await phone.close()
  }
}

/** All tests that fit there; with their last lines when one failed. The network is one of its own: nothing is fetched. */
async function tested(env: Record<string, string>): Promise<number> {
  const child = root.spawn(['npm', 'test'], { user, cwd: `${home}/sauti`, env, ownNetwork: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      output += chunk
    })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  print(code === 0 ? output.trimEnd().split('\n').slice(-4).join('\n') : output)
  return code ?? 1
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}
