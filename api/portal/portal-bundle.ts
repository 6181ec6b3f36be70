import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile, Plugin } from 'esbuild'
import type { Compressed } from '../answer/static-file.ts'

const app = (file: string) => fileURLToPath(new URL(`./app/${file}`, import.meta.url))
/** By their names in the page; the page that is served has the names of what was made of them. */
const main = 'main.tsx'
const entries = [main, 'portal.css'] as const
/** It stands in the page itself. */
const first = 'start.ts'
/** A page that comes later, by its name in that script, which asks for it where the language is spoken. */
const texts = 'kiswahili.ts'
const page = 'index.html'
/** What `npm run build` writes. */
// By its folder's name: in the bundle of the program this module lies in a neighbour of it.
const built = new URL('../portal/built/', import.meta.url)

/** Files of the portal by their names: the page, and what it loads, each with a hash of its content in its name. */
type PortalFiles = ReadonlyMap<string, Buffer>

/** The portal made from its source. */
export async function bundlePortal(): Promise<PortalFiles> {
  const { build, transform } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map(app),
    outdir: '/portal',
    bundle: true,
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    plugins: [firstInOne],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const files = outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)] as const)
  const source = readFileSync(app(first), 'utf8')
  const { code } = await transform(source, { loader: 'ts', format: 'iife', target: 'es2022', minify: true })
  return new Map([[page, Buffer.from(pageOf(metafile, code.trim()))], ...files])
}

/**
 * The bundler makes a file of all that the same entries need, and a page that comes later is an entry. Each of them needs
 * the whole application here, with its start, so that all of the first load is one file: a browser is slower over ten small ones.
 */
const firstInOne: Plugin = {
  name: 'first in one',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: join(resolveDir, path), namespace: 'later' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'later' }, async ({ path }) => {
      const from = JSON.stringify(path)
      const hasDefault = /^export default /m.test(await readFile(path, 'utf8'))
      const own = hasDefault ? `export { default } from ${from}` : `export * from ${from}`
      return { contents: `import ${JSON.stringify(app(main))}\n${own}\n`, resolveDir: dirname(path) }
    })
  },
}

/** The page with what its entries became. Of the script that is the one file it imports: by itself it does nothing else. */
function pageOf({ outputs }: Metafile, script: string): string {
  const outputOf = (entry: string) =>
    Object.entries(outputs).find(([, { entryPoint }]) => basename(entryPoint ?? '') === entry) ?? []
  const made = (entry: string): string => {
    const [path = '', output] = outputOf(entry)
    const [imported] = output?.imports.filter(({ kind }) => kind === 'import-statement') ?? []
    return basename(imported?.path ?? path)
  }
  const [own = ''] = outputOf(texts)
  return entries
    .reduce(
      (text, entry) => text.replace(`"/portal/${entry}"`, `"/portal/${made(entry)}"`),
      readFileSync(app(page), 'utf8'),
    )
    .replace(
      `<script src="/portal/${first}"></script>`,
      () => `<script>${script.replace(texts, basename(own))}</script>`,
    )
}

/** Ends the name of a file's compressed form, which `npm run build` writes. */
const brotliEnding = '.br'

export interface ServedFile {
  readonly bytes: Buffer
  readonly compressed: Compressed
}
type ServedFiles = ReadonlyMap<string, ServedFile>

const isSourceTree = (): boolean => existsSync(app(page))

let made: Promise<ServedFiles> | undefined

/** The portal as this switch serves it: made from its source once, in memory, in a source tree; the built files in a package. */
export function portalFiles(): Promise<ServedFiles> {
  if (made === undefined) {
    made = isSourceTree() ? bundlePortal().then(uncompressed, builtFiles) : builtFiles()
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
export const isPortalBuilt = (): boolean => !isSourceTree()

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
