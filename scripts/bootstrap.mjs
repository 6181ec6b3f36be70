// Runs on whatever Node the machine has (20 or newer): installs what the lock file names when it is missing, then hands
// over to the Node that the project pins. `node scripts/bootstrap.mjs <script.ts> [args…]`
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const node = join(root, 'node_modules/node/bin/node')
const installed = join(root, 'node_modules/.package-lock.json')

function isInstalled() {
  if (!existsSync(node) || !existsSync(installed)) return false
  if (statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return true
  // A checkout touches the lock file: what counts is whether the versions differ.
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version,
  )
}

/** The newer Node needs libatomic, which a minimal Debian or a slim container does not have. */
function tellMissingLibrary() {
  const { stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const library = /([\w.+-]+\.so[\w.]*): cannot open shared object file/.exec(stderr ?? '')?.[1]
  if (library === undefined) return
  const how = library.startsWith('libatomic') ? '; on Debian, as root: apt-get install libatomic1' : ''
  process.stderr.write(`The Node that this checkout installed cannot start: ${library} is missing${how}\n`)
}

if (!isInstalled()) {
  process.stderr.write('Installing what package-lock.json names (once, some 15 s)…\n')
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) {
    tellMissingLibrary()
    process.stderr.write('npm ci failed: see above. Node 20 or newer, npm and a reachable registry are needed.\n')
    process.exit(1)
  }
}

const [script, ...args] = process.argv.slice(2)
// As `api/cli/garbage-collection.ts` has it for what is installed.
const forShortPauses = () => [
  '--max-semi-space-size=2',
  `--v8-pool-size=${Math.max(1, Math.min(4, availableParallelism() - 1))}`,
]
const flags = ['api/cli/main.ts', 'scripts/start.ts'].includes(script) ? forShortPauses() : []
const argv = [node, '--disable-warning=ExperimentalWarning', ...flags, join(root, script), ...args]
// Where this Node can, it becomes the other one, so that signals and kill -9 reach the program itself.
if (typeof process.execve === 'function' && process.platform !== 'win32') {
  process.removeAllListeners('warning')
  process.execve(node, argv, process.env)
}
const child = spawn(node, argv.slice(1), { stdio: 'inherit' })
// Ctrl-C reaches the whole process group by itself.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 128 + (constants.signals[signal] ?? 0)))
