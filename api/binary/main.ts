import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { getAsset } from 'node:sea'
import { setFlagsFromString } from 'node:v8'
import { keepCompiled } from '../cli/compile-cache.ts'
import { startExecutableForShortPauses } from '../cli/garbage-collection.ts'
import { cacheFolder, privateFolder } from '../cli/private-folder.ts'
import { type PackedFile, unpack } from './unpack.ts'

// What the single executable starts. Native modules, and the programs of threads and children, must be files: they are
// unpacked once into a folder of this user's, and looked at by their hashes at every start.

/** What `scripts/build-binary.ts` puts beside the files. */
interface Packed {
  /** Hash over all hashes: each version has its own folder. */
  readonly hash: string
  readonly files: readonly PackedFile[]
  /** Only ever loaded by a child process that speaks, and large. */
  readonly speech: readonly PackedFile[]
}

if (process.argv.slice(2).includes('serve')) startExecutableForShortPauses()

const packed: Packed = JSON.parse(getAsset('packed.json', 'utf8'))
const contentOf = (path: string) => new Uint8Array(getAsset(path))

/** Where nothing can be kept at home, the data folder is as private. Absolute: modules are loaded from there. */
function dataFolder(): string {
  const at = process.argv.indexOf('--data')
  const flag = at < 0 ? process.argv.find(arg => arg.startsWith('--data='))?.slice(7) : process.argv[at + 1]
  return resolve(flag ?? process.env.SAUTI_DATA ?? './data')
}

const place = process.env.SAUTI_UNPACKED ?? cacheFolder(process.env) ?? privateFolder(join(dataFolder(), 'program'))
const folder = place === undefined ? undefined : privateFolder(place)
if (folder === undefined) {
  process.stderr.write(
    'sauti: there is no folder to unpack to. Set XDG_CACHE_HOME to one that this user can write, or --data.\n',
  )
  process.exit(1)
}
// Children are started with little of the environment; they unpack to where this process has.
process.env.SAUTI_UNPACKED = folder
const program = join(folder, packed.hash.slice(0, 16))
unpack(program, packed.files, contentOf)
keepCompiled(folder)

// A child of ours is started as by node: flags, then one of these files, then its arguments.
const at = process.argv.findIndex((arg, at) => at >= 2 && !arg.startsWith('--'))
const named = process.argv[at] ?? ''
const isChild = named.startsWith(join(program, 'api/program/')) && named.endsWith('.js')
if (isChild) {
  const [memory] = process.argv.slice(2, at).filter(flag => flag.startsWith('--max-old-space-size='))
  if (memory !== undefined) setFlagsFromString(memory)
  if (named.endsWith('/espeak-wasm.js')) unpack(program, packed.speech, contentOf)
  process.argv.splice(1, at - 1)
}
// Here `import` knows Node's own modules only; from a file it knows all.
createRequire(join(program, 'start.cjs'))(join(program, 'start.cjs'))(
  isChild ? named : join(program, 'api/program/main.js'),
)
