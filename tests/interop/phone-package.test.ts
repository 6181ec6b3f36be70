import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { copyTree } from '../rig/beds/copied-tree.ts'

// What `npm pack` puts into the package of the browser SDK. That of the switch: tests/long/package.test.ts.
const packages = suite('package sauti-phone')

const root = new URL('../../', import.meta.url).pathname
let bench: string
let tree: string

function run(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stdout}${done.stderr}`)
  return done.stdout
}

/** Packs a folder of the copied tree and lays the package out; its folder. */
function packed(folder: string): string {
  const into = mkdtempSync(join(bench, 'packed-'))
  run('npm', ['pack', '--silent', '--pack-destination', into], folder)
  const [archive = ''] = readdirSync(into)
  run('tar', ['xzf', archive], into)
  return join(into, 'package')
}

packages.before(() => {
  bench = mkdtempSync(join(tmpdir(), 'sauti-packages-'))
  tree = copyTree(join(bench, 'tree'))
})

packages.after(() => rmSync(bench, { recursive: true, force: true }))

packages('the SDK: an ES module under 25 kB gzipped, its types, its README, and nothing else', () => {
  const folder = packed(join(tree, 'sdk'))
  const names = readdirSync(folder).sort()
  assert.equal(names, ['LICENSE', 'README.md', 'dist', 'package.json'])
  assert.equal(readFileSync(join(folder, 'LICENSE')), readFileSync(join(root, 'LICENSE')))
  const code = readFileSync(join(folder, 'dist/sauti-phone.js'))
  const packedLength = gzipSync(code).length
  assert.ok(packedLength < 25_000, `${packedLength} bytes`)
  const script = "import('./dist/sauti-phone.js').then(sdk => console.log(Object.keys(sdk).sort().join()))"
  assert.equal(run(process.execPath, ['-e', script], folder).trim().split(','), [
    'Call',
    'DEFAULT_ICE_SERVERS',
    'Phone',
    'PhoneError',
    'decodeToken',
    'describeFailure',
    'isExpired',
  ])
  const page = join(bench, 'page')
  mkdirSync(join(page, 'node_modules'), { recursive: true })
  symlinkSync(folder, join(page, 'node_modules/sauti-phone'))
  writeFileSync(
    join(page, 'page.ts'),
    `import { type Call, describeFailure, Phone } from 'sauti-phone'
export async function signIn(token: string): Promise<string | undefined> {
  const phone = new Phone({ wssUrl: 'wss://pbx.example/sip', logLevel: 'error' })
  phone.on('incoming', (call: Call) => call.on('ended', reason => console.log(describeFailure(reason))))
  phone.on('tokenWillExpire', ({ secondsLeft }) => console.log(secondsLeft.toFixed()))
  await phone.authenticate({ token, iceServers: [] })
  // @ts-expect-error No such event.
  phone.on('nonsense', () => {})
  return phone.extension
}
`,
  )
  const compiler = join(root, 'node_modules/.bin/tsc')
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    'page.ts',
  ]
  run(compiler, options, page)
})

packages.run()
