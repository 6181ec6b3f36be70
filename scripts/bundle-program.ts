import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/**
 * The program in few files: what `sauti` starts, and each thread and child process, share what they have in common. Six
 * hundred modules cost a start more than half a second; these cost a tenth of that. Native modules, and packages that are
 * only ever loaded by a thread or a child, stay packages.
 */
export async function bundleProgram(root: string, folder: string): Promise<void> {
  const main = join(root, 'api/cli/main.ts')
  const entries = [main, ...['core', 'rtp', 'api'].flatMap(part => ownModules(join(root, part)))]
  await build({
    entryPoints: Object.fromEntries(entries.map(file => [basename(file, '.ts'), file])),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    sourcemap: 'linked',
    sourcesContent: false,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    external: [...packagesKept, ...packagesUnused, 'esbuild'],
    plugins: [withoutSideEffects, httpByRequire, linesOfOursOnly],
    // Packages in CommonJS ask for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
}

/** A module of ours does nothing by being loaded: a file gets those whose exports it uses, and not all behind a door. */
const withoutSideEffects: Plugin = {
  name: 'without-side-effects',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir, importer, kind }) =>
      kind === 'entry-point' || importer.includes('/node_modules/')
        ? undefined
        : { path: join(resolveDir, path), sideEffects: false },
    )
  },
}

/**
 * `node:http` as CommonJS has it. An ES module that imports it makes Node read all of its exports, `WebSocket` among them, for
 * which Node loads its own undici.
 */
const httpByRequire: Plugin = {
  name: 'http-by-require',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'by-require' } : { path, external: true },
    )
    onLoad({ filter: /.*/, namespace: 'by-require' }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
    }))
  },
}

/**
 * A stack names a package's file, but no line in it: the lines of packages were two fifths of all maps, and the package of npm
 * has a limit. esbuild reads a map at the end of a file, here one that leads everything to the file's beginning.
 */
const linesOfOursOnly: Plugin = {
  name: 'lines-of-ours-only',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path }) => {
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' })
      const line = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`
      return { contents: `${readFileSync(path, 'utf8')}\n${line}` }
    })
  },
}

/** Packages that are not in the bundle: native ones, and those whose files are found by their place. */
const packagesKept: readonly string[] = ['better-sqlite3', 'koffi', 'libopus-wasm', 'mpg123-decoder', 'espeak-ng']

/** What Fastify would load if it were not given compilers of ours (`schemasBy`). */
const packagesUnused: readonly string[] = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']

/** Programs of threads and child processes: whatever is started by `ownModule('./name.ts', import.meta.url)`. */
function ownModules(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .flatMap(entry => {
      const source = readFileSync(join(entry.parentPath, entry.name), 'utf8')
      const named = source.matchAll(/^[^*]*ownModule\(\s*'\.\/([\w-]+\.ts)'/gm)
      return [...named].map(([, file = '']) => join(entry.parentPath, file))
    })
}
