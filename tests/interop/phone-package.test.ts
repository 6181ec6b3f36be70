import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

// What `npm pack` puts into the two packages: the switch with everything that /phone serves, and the SDK.
const packages = suite('packages')

const root = new URL('../../', import.meta.url).pathname
const folders = ['api', 'core', 'docs', 'rtp', 'scripts', 'sdk', 'sip']
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
  tree = join(bench, 'tree')
  mkdirSync(tree)
  // A copy, so that the checkout stays without what packing builds.
  for (const folder of folders)
    cpSync(join(root, folder), join(tree, folder), { recursive: true, filter: path => !path.endsWith('/dist') })
  for (const file of ['package.json', 'package-lock.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'tsconfig.json'])
    cpSync(join(root, file), join(tree, file), { preserveTimestamps: true })
  // Link by link: whatever is done in the copy, the checkout's own folder stays.
  mkdirSync(join(tree, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(tree, 'node_modules', name))
})

packages.after(() => rmSync(bench, { recursive: true, force: true }))

packages('the switch: no tests, no SDK source; /phone is served without the bundler', () => {
  const folder = packed(tree)
  assert.not(existsSync(join(folder, 'tests')))
  assert.not(existsSync(join(folder, 'sdk/index.ts')))
  const page = readFileSync(join(folder, 'api/phone/index.html'), 'utf8')
  const wanted = [...page.matchAll(/(?:src|href)="\/phone\/([\w.-]+)"/g)].map(([, name = '']) => name)
  assert.ok(wanted.includes('phone.js') && wanted.includes('phone.css'))
  for (const name of wanted.filter(name => name !== 'sauti-phone.js'))
    assert.ok(existsSync(join(folder, 'api/phone', name)), name)
  // Where only what runs is installed, there is no esbuild.
  mkdirSync(join(folder, 'node_modules'))
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (name.includes('/')) mkdirSync(join(folder, 'node_modules', name.split('/')[0] ?? ''), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const script = "import('./api/phone/sdk-bundle.ts').then(it => it.sdkCode()).then(code => console.log(code.length))"
  assert.ok(Number(run(process.execPath, ['--input-type=module', '-e', script], folder)) > 20_000)
})

packages('the SDK: an ES module under 25 kB gzipped, its types, its README, and nothing else', () => {
  const folder = packed(join(tree, 'sdk'))
  const names = readdirSync(folder).sort()
  assert.equal(names, ['README.md', 'dist', 'package.json'])
  const code = readFileSync(join(folder, 'dist/sauti-phone.js'))
  assert.ok(gzipSync(code, { level: 9 }).length < 25_000)
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
