import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Compressed } from '../answer/static-file.ts'

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

/** Ends the name of a file's compressed form, which `npm run build` writes. */
const brotliEnding = '.br'

interface ServedFile {
  readonly bytes: Buffer
  readonly compressed: Compressed
}
type ServedFiles = ReadonlyMap<string, ServedFile>

let made: Promise<ServedFiles> | undefined

/** The portal as this switch serves it: made from its source once, in memory, in a source tree; the built files in a package. */
export function portalFiles(): Promise<ServedFiles> {
  if (made === undefined) {
    made = existsSync(entry) ? bundlePortal().then(uncompressed, builtFiles) : builtFiles()
    // The next request tries again.
    made.catch(() => {
      made = undefined
    })
  }
  return made
}

/** Makes or reads the portal now, so that its first visitor does not wait for it. */
export function preparePortal(): void {
  // The first request says why it failed.
  portalFiles().catch(() => {})
}

/** Whether that costs a few milliseconds, and no bundling. */
export const isPortalBuilt = (): boolean => !existsSync(entry)

const uncompressed = (files: PortalFiles): ServedFiles =>
  new Map([...files].map(([name, bytes]) => [name, { bytes, compressed: {} }]))

/** `fault`: why the source was of no use, as where only what runs is installed. */
async function builtFiles(fault?: unknown): Promise<ServedFiles> {
  if (!existsSync(built)) throw fault ?? new Error('there is no built portal')
  const all = new Set(await readdir(built))
  const names = [...all].filter(name => !name.endsWith(brotliEnding))
  const read = (name: string) => readFile(new URL(name, built))
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, ServedFile]> => {
        const bytes = await read(name)
        const compressed = all.has(name + brotliEnding) ? { br: await read(name + brotliEnding) } : {}
        return [name, { bytes, compressed }]
      }),
    ),
  )
}
