import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const entry = new URL('./app/main.tsx', import.meta.url)
const styles = new URL('./app/portal.css', import.meta.url)
const page = new URL('./app/index.html', import.meta.url)
/** What `npm run build` writes. */
// By its folder's name: in the bundle of the program this module lies in a neighbour of it.
const built = new URL('../portal/built/', import.meta.url)

/** Files of the portal by their names: index.html, portal.js, portal.css, and the parts that are loaded when needed. */
type PortalFiles = ReadonlyMap<string, Buffer>

/** The portal made from its source. */
export async function bundlePortal(): Promise<PortalFiles> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [
      { in: fileURLToPath(entry), out: 'portal' },
      { in: fileURLToPath(styles), out: 'portal' },
    ],
    outdir: '/portal',
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  })
  const files = outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)] as const)
  return new Map([['index.html', readFileSync(page)], ...files])
}

let made: Promise<PortalFiles> | undefined

/** The portal as this switch serves it: made from its source once, in memory, in a source tree; the built files in a package. */
export function portalFiles(): Promise<PortalFiles> {
  if (made === undefined) {
    made = existsSync(entry) ? bundlePortal().catch(builtFiles) : builtFiles()
    // The next request tries again.
    made.catch(() => {
      made = undefined
    })
  }
  return made
}

/** `fault`: why the source was of no use, as where only what runs is installed. */
async function builtFiles(fault?: unknown): Promise<PortalFiles> {
  if (!existsSync(built)) throw fault ?? new Error('there is no built portal')
  return new Map(readdirSync(built).map(name => [name, readFileSync(new URL(name, built))]))
}
