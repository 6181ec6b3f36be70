import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { thirdPartyNotices } from './third-party-notices.ts'

// `npm run build:binary`: dist/sauti-linux-x64, the program with its Node, native modules and WebAssembly in one executable
// (Node's single executable application). It is for the architecture that it is built on.

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const { arch } = process
const binary = join(dist, `sauti-linux-${arch}`)
const work = join(dist, 'binary')

if (process.platform !== 'linux') throw new Error('the binary is built on Linux')
run(process.execPath, '--disable-warning=ExperimentalWarning', 'scripts/build-package.ts')

rmSync(work, { recursive: true, force: true })
const program = join(work, 'program')
mkdirSync(program, { recursive: true })
for (const part of ['package.json', 'sdk/dist/sauti-phone.js', 'api']) copy(join(dist, part), part)
writeFileSync(join(program, 'THIRD-PARTY-NOTICES'), thirdPartyNotices(root, { node: true }))
writeFileSync(join(program, 'start.cjs'), 'module.exports = file => import(file)\n')

// Of the packages that are loaded as such, what this machine's architecture loads.
const packages: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['lib', `prebuilds/linux-${arch}.node`],
  koffi: ['index.js', 'index.cjs', 'indirect.js', 'indirect.cjs', 'lib', 'src/koffi'],
  [`@koromix/koffi-linux-${arch}`]: ['index.js', `linux_${arch}`],
  'libopus-wasm': ['dist'],
  'mpg123-decoder': ['index.js', 'src'],
  '@wasm-audio-decoders/common': ['index.js', 'src'],
  'simple-yenc': ['dist', 'index.js'],
  '@eshaz/web-worker': ['.'],
  'espeak-ng': ['dist'],
}
for (const [name, parts] of Object.entries(packages))
  for (const part of ['package.json', 'LICENSE', 'LICENSE.txt', 'THIRD_PARTY_NOTICES.md', ...parts]) {
    const from = join(root, 'node_modules', name, part)
    if (existsSync(from)) copy(from, join('node_modules', name, part))
  }

const isLeftOut = (path: string) =>
  /\.(map|cc|hh|inc|S|asm|def|d\.ts|d\.mts|d\.cts)$/.test(path) || (path.startsWith('api/') && isModule(path))
/** The compiled modules one by one are in the bundle; pages and their scripts are not. */
function isModule(path: string): boolean {
  return !path.startsWith('api/program/') && path.endsWith('.js') && existsSync(join(root, path.replace(/js$/, 'ts')))
}

const paths = readdirSync(program, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(program.length + 1))
  .filter(path => !isLeftOut(path))
  .sort()
const hashed = paths.map(path => ({ path, hash: sha256(readFileSync(join(program, path))) }))
const isSpeech = ({ path }: { readonly path: string }) => path.startsWith('node_modules/espeak-ng/')
const packed = {
  hash: sha256(JSON.stringify(hashed)),
  files: hashed.filter(file => !isSpeech(file)),
  speech: hashed.filter(isSpeech),
}
writeFileSync(join(work, 'packed.json'), JSON.stringify(packed))

await build({
  entryPoints: [join(root, 'api/binary/main.ts')],
  outfile: join(work, 'main.cjs'),
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node26',
  logLevel: 'warning',
})
const config = {
  main: join(work, 'main.cjs'),
  output: binary,
  disableExperimentalSEAWarning: true,
  useCodeCache: true,
  // `api/cli/garbage-collection.ts` says why.
  execArgv: ['--max-semi-space-size=2'],
  // NODE_OPTIONS is honoured, as where the program runs on Node itself.
  execArgvExtension: 'env',
  assets: Object.fromEntries([
    ['packed.json', join(work, 'packed.json')],
    ...paths.map(path => [path, join(program, path)]),
  ]),
}
writeFileSync(join(work, 'sea.json'), JSON.stringify(config))
rmSync(binary, { force: true })
run(process.execPath, `--build-sea=${join(work, 'sea.json')}`)
rmSync(work, { recursive: true })
process.stdout.write(`dist/sauti-linux-${arch}: ${(statSync(binary).size / 1e6).toFixed(0)} MB\n`)

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(program, to)), { recursive: true })
  cpSync(from, join(program, to), { recursive: true })
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}
