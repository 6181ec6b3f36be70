import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// The notices that go with whatever is built of this checkout: of each library its name, version, licence and the text of
// it, and of the two programs under the GPL and LGPL where their source is to be had.

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Manifest extends Locked {
  readonly author?: string | { readonly name?: string }
  readonly repository?: string | { readonly url?: string }
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Folders whose imports end in a bundle, although what they import is no dependency of the package. */
const bundled = ['api/portal/app', 'sdk']

const copyleft = `espeak-ng ${'{espeak}'} (GPL-3.0-or-later) and libmpg123, inside mpg123-decoder ${'{mpg123}'} (LGPL-2.1), are separate programs: files
that run only in processes of their own and are spoken to by pipe. Nothing else here is linked with them. Without
them the switch runs, but plays no MP3 and, where the machine has no espeak-ng, speaks no text.

Their source:
  espeak-ng           https://github.com/espeak-ng/espeak-ng
    as WebAssembly    https://github.com/ianmarmour/espeak-ng.js (how it is built is in its README)
  libmpg123           https://www.mpg123.de
    as WebAssembly    https://github.com/eshaz/wasm-audio-decoders
If you pass this on, pass their source on too, or say where it is, under the conditions of these licences.`

/** `node`: with the licence of the Node that the executable is made of. */
export function thirdPartyNotices(root: string, { node }: { readonly node: boolean }): string {
  const manifest: Manifest = read(join(root, 'package.json'))
  const lock: { readonly packages: Readonly<Record<string, Locked>> } = read(join(root, 'package-lock.json'))
  const imported = importsOf(root).filter(name => manifest.devDependencies?.[name] !== undefined)
  const roots = [...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), ...imported]
  const found = new Set<string>()
  for (const name of roots) collect(name, '', lock.packages, found)
  const paths = [...found].filter(path => existsSync(join(root, path))).sort()
  const versionOf = (name: string) => lock.packages[`node_modules/${name}`]?.version ?? ''
  const separate = copyleft.replace('{espeak}', versionOf('espeak-ng')).replace('{mpg123}', versionOf('mpg123-decoder'))
  return [
    `Sauti carries what follows. Its own licence is ${manifest.license}.`,
    separate,
    ...paths.map(path => noticeOf(root, path)),
    titled('LGPL-2.1 (libmpg123)', readFileSync(join(root, 'scripts/licences/LGPL-2.1.txt'), 'utf8')),
    ...(node ? [titled(`Node.js ${process.versions.node}, and what it carries`, nodeLicence(root))] : []),
  ]
    .join('\n\n')
    .concat('\n')
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Packages that the sources of a bundle name. */
function importsOf(root: string): readonly string[] {
  const files = bundled.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => join(root, folder, name)),
  )
  const names = files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import) ?\(?'((?:@[\w-]+\/)?[\w-]+)/g)].map(
      ([, name = '']) => name,
    ),
  )
  return [...new Set(names)]
}

/** A package and all that it needs, each as npm finds it: in the nearest node_modules above. */
function collect(name: string, from: string, packages: Readonly<Record<string, Locked>>, found: Set<string>): void {
  let above = from
  let path = join(above, 'node_modules', name)
  while (packages[path] === undefined && above !== '') {
    above = above.includes('/node_modules/') ? above.slice(0, above.lastIndexOf('/node_modules/')) : ''
    path = join(above, 'node_modules', name)
  }
  const locked = packages[path]
  if (locked === undefined || found.has(path)) return
  found.add(path)
  for (const next of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }))
    collect(next, path, packages, found)
}

function noticeOf(root: string, path: string): string {
  const folder = join(root, path)
  const { name, version, license, author, repository }: Manifest & { readonly name?: string } = read(
    join(folder, 'package.json'),
  )
  const source = typeof repository === 'string' ? repository : repository?.url
  const by = typeof author === 'string' ? author : author?.name
  const texts = readdirSync(folder)
    .filter(file => /^(licen[cs]e|copying|notice|third[-_]party)/i.test(file))
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').trim())
  if (license === undefined && texts.length === 0) throw new Error(`${path} says nothing of its licence: look at it`)
  const about = [`Licence: ${license ?? 'see below'}`, by && `Author: ${by}`, source && `Source: ${source}`]
  const absent = 'The package has no file of its licence.'
  return titled(
    `${name} ${version}`,
    [about.filter(Boolean).join('\n'), ...(texts.length === 0 ? [absent] : texts)].join('\n\n'),
  )
}

const titled = (title: string, text: string): string =>
  `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}`

function nodeLicence(root: string): string {
  const folder = join(root, 'node_modules/node/node_modules')
  const file = readdirSync(folder)
    .map(name => join(folder, name, 'LICENSE'))
    .find(existsSync)
  if (file === undefined) throw new Error(`no LICENSE of Node in ${folder}: the executable may not go out without it`)
  return readFileSync(file, 'utf8')
}
