import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const entry = new URL('../../sdk/index.ts', import.meta.url)
/** What `npm run build:sdk` writes. */
export const builtSdk: URL = new URL('../../sdk/dist/sauti-phone.js', import.meta.url)

/** Our own modules do nothing when they are loaded: what nobody uses of them stays out of the bundle. */
const pureModules: Plugin = {
  name: 'pure-modules',
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === pureModules) return undefined
      const found = await build.resolve(path, { resolveDir, kind, pluginData: pureModules })
      return { ...found, sideEffects: false }
    })
  },
}

/** The browser SDK as one minified ES module, and its source map. */
export async function bundleSdk(): Promise<{ readonly code: string; readonly map: string }> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: 'sauti-phone.js',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: 'external',
    legalComments: 'none',
    plugins: [pureModules],
    write: false,
    logLevel: 'silent',
  })
  const text = (suffix: string) => outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? ''
  return { code: text('.js'), map: text('.map') }
}

let made: Promise<string> | undefined

/** The SDK as this switch serves it: made from its source once, in memory, in a source tree; the built file in a package. */
export function sdkCode(): Promise<string> {
  if (made === undefined) {
    made = existsSync(entry) ? bundleSdk().then(({ code }) => code, builtCode) : builtCode()
    // The next request tries again.
    made.catch(() => {
      made = undefined
    })
  }
  return made
}

/** `fault`: why the source was of no use, as where only what runs is installed. */
async function builtCode(fault?: unknown): Promise<string> {
  if (fault !== undefined && !existsSync(builtSdk)) throw fault
  return readFileSync(builtSdk, 'utf8')
}
