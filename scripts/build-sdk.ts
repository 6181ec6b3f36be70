import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { builtSdk, bundleSdk } from '../api/phone/sdk-bundle.ts'

// `npm run build:sdk`: sdk/dist/ with sauti-phone.js, its source map, and the types that its door reaches.

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = dirname(fileURLToPath(builtSdk))
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })

const { code, map } = await bundleSdk()
writeFileSync(builtSdk, `${code}//# sourceMappingURL=sauti-phone.js.map\n`)
writeFileSync(join(dist, 'sauti-phone.js.map'), map)

const emitted = join(dist, 'all-types')
const emit = spawnSync(`${root}node_modules/.bin/tsc`, ['-p', 'sdk/tsconfig.types.json', '--outDir', emitted], {
  cwd: root,
  encoding: 'utf8',
})
if (emit.status !== 0) throw new Error(`the types could not be written: ${emit.stdout}${emit.stderr}`)
keepTypes('index.ts', new Set())
rmSync(emitted, { recursive: true })

process.stdout.write(`sdk/dist/sauti-phone.js: ${code.length} bytes, ${gzipSync(code).length} gzipped\n`)

/** Copies the declarations of a module of the SDK, and those that they name. */
function keepTypes(module: string, kept: Set<string>): void {
  if (kept.has(module)) return
  kept.add(module)
  const declarations = readFileSync(join(emitted, 'sdk', module.replace(/\.ts$/, '.d.ts')), 'utf8')
  for (const [, named = ''] of declarations.matchAll(/from '(\.[^']+)'/g)) keepTypes(join(dirname(module), named), kept)
  const to = join(dist, module.replace(/\.ts$/, '.d.ts'))
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, declarations.replace(/(from '\.[^']+)\.ts'/g, "$1.js'"))
}
