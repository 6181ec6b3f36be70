import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from './bundle-program.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

// `npm run build`: dist/, what the package runs. Every module of core, sip and rtp as JavaScript with its source map, for
// those who import them; the program in few files; the declarations that the entries of package.json reach; the files that
// the switch serves; the browser SDK.

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const folders = ['core', 'sip', 'rtp', 'api']

/** A door of the package: its source, and what is built of it. */
interface Entry {
  readonly 'sauti-source': string
  readonly types: string
  readonly default: string
}

interface Manifest {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Entry>>
}
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const entries = Object.values(manifest.exports).filter(entry => typeof entry !== 'string')

for (const folder of [...folders, 'sdk']) rmSync(join(dist, folder), { recursive: true, force: true })
run('node_modules/.bin/tsc', '-p', 'tsconfig.build.json')
leaveOutSources('core/adapters')
writeTypes()
copyServedFiles()
// The modules read the version from here, and Node that they are ES modules.
writeFileSync(
  join(dist, 'package.json'),
  `${JSON.stringify({ name: 'sauti-dist', version: manifest.version, type: 'module' })}\n`,
)
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES'), thirdPartyNotices(root, { node: false }))

run(process.execPath, '--disable-warning=ExperimentalWarning', 'scripts/build-sdk.ts')
await bundleProgram(root, join(dist, 'api/program'))
cpSync(join(root, 'sdk/dist'), join(dist, 'sdk/dist'), { recursive: true })
run(process.execPath, '--disable-warning=ExperimentalWarning', 'scripts/build-portal.ts')

for (const program of Object.values(manifest.bin)) chmodSync(join(root, program), 0o755)
for (const { types, default: module } of entries)
  for (const file of [types, module])
    if (!existsSync(join(root, file))) throw new Error(`package.json exports ${file}, and nothing built it`)

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}

/**
 * Source maps without the text of the sources, so that the package stays below 5 MB: lines of an adapter are still told by a stack
 * trace, and who embeds the switch steps through core, sip and rtp.
 */
function leaveOutSources(folder: string): void {
  for (const file of readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js.map')) continue
    const path = join(dist, folder, file)
    const { sourcesContent: _text, ...map } = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify(map))
  }
}

/** The declarations of the entries and of what they name: the rest cannot be imported. */
function writeTypes(): void {
  run('node_modules/.bin/tsc', '-p', 'tsconfig.types.json')
  const kept = new Set<string>()
  for (const { types } of entries) keepType(join(root, types), kept)
  for (const file of typeFiles()) if (!kept.has(file)) rmSync(file)
}

/** tsc rewrites the imports of modules, and leaves those of declarations as they were written. */
function keepType(file: string, kept: Set<string>): void {
  if (kept.has(file)) return
  kept.add(file)
  const declarations = readFileSync(file, 'utf8').replace(/((?:from|import\()\s*["']\.[^"']+)\.ts(["'])/g, '$1.js$2')
  writeFileSync(file, declarations)
  for (const [, named = ''] of declarations.matchAll(/(?:from|import\()\s*["'](\.[^"']+)\.js["']/g))
    keepType(join(dirname(file), `${named}.d.ts`), kept)
}

function typeFiles(): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' }).map(file => join(dist, folder, file))
  return folders.flatMap(inFolder).filter(file => file.endsWith('.d.ts'))
}

/** Pages, their scripts and styles: what is no module of ours is beside the modules that read it. */
function copyServedFiles(): void {
  for (const folder of folders)
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || /\.tsx?$/.test(entry.name) || entry.parentPath.includes('api/portal/app')) continue
      const from = join(entry.parentPath, entry.name)
      const to = join(dist, from.slice(root.length))
      mkdirSync(dirname(to), { recursive: true })
      copyFileSync(from, to)
    }
}
