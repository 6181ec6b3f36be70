import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const root = new URL('../', import.meta.url).pathname
const folders = ['api', 'bench', 'core', 'rtp', 'scripts', 'sdk', 'sip', 'tests']

/** The parts of the house, most special first: a file belongs to the first whose prefix fits. */
const parts = [
  'core/adapters/',
  'core/switch.ts',
  'core/index.ts',
  'core/document-builder/index.ts',
  'core/testing/',
  'core/embedding/',
  'core/',
  'sip/transport/',
  'sip/',
  'rtp/io/',
  'rtp/worker/',
  'rtp/',
  'api/',
  'sdk/',
  'bench/',
  'tests/',
  'scripts/',
] as const
type Part = (typeof parts)[number]

const doors = {
  core: 'core/index.ts',
  sip: 'sip/index.ts',
  sipTransport: 'sip/transport/index.ts',
  testing: 'core/testing/index.ts',
  rtp: 'rtp/index.ts',
  rtpIo: 'rtp/io/index.ts',
  rtpWorker: 'rtp/worker/index.ts',
} as const

/** Which of our files a part may import: whole parts, or only a door. */
const arrows: Record<Part, readonly string[]> = {
  'sip/': ['sip/'],
  'sip/transport/': ['sip/', 'sip/transport/'],
  'rtp/': ['rtp/'],
  'rtp/io/': ['rtp/', 'rtp/io/'],
  'rtp/worker/': ['rtp/', 'rtp/io/', 'rtp/worker/'],
  'core/': ['core/'],
  'core/adapters/': ['core/', 'core/adapters/', doors.sip, doors.sipTransport, doors.rtp, doors.rtpIo, doors.rtpWorker],
  'core/switch.ts': ['core/', 'core/adapters/'],
  // The door that an embedder and the API open: the switch, and the shapes of what its parts take and give.
  'core/index.ts': ['core/', 'core/adapters/', 'core/switch.ts'],
  // The door of `sauti/documents`: the builder, and the check of signatures, which needs node:crypto.
  'core/document-builder/index.ts': ['core/', 'core/adapters/'],
  // What a program that embeds the switch sees of it.
  'core/embedding/': ['core/', 'core/adapters/', 'core/switch.ts', 'core/embedding/', 'core/document-builder/index.ts'],
  // The whole switch in virtual time, for customers' tests and for our own.
  'core/testing/': ['core/', 'core/testing/', 'core/adapters/', 'core/document-builder/index.ts'],
  'api/': ['api/', doors.core, doors.testing],
  'sdk/': ['sdk/', doors.sip],
  'bench/': ['*'],
  'tests/': ['*'],
  'scripts/': ['*'],
}

/** What a pure part may take from outside: types only, or these. */
const purePackages: Partial<Record<Part, readonly string[]>> = {
  'sip/': [],
  'rtp/': [],
  'core/': ['saxes'],
}

const partOf = (file: string): Part | undefined => parts.find(part => file.startsWith(part))

interface Import {
  readonly from: string
  readonly typeOnly: boolean
}

const importsOf = (source: string): Import[] =>
  [
    ...source.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\s+from\s+)?['"]([^'"]+)['"]/gm),
    ...source.matchAll(/\bimport\(()['"]([^'"]+)['"]\)/g),
  ].map(match => ({ from: match[2]!, typeOnly: match[1] !== undefined && match[1] !== '' }))

const files = folders
  .flatMap(folder => {
    try {
      return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`)
    } catch {
      return []
    }
  })
  .filter(file => file.endsWith('.ts') && !file.includes('node_modules/') && !file.includes('/dist/'))

const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

test('top level holds the folders of the design and nothing else', () => {
  const usual = ['docs', 'node_modules', 'data', 'dist', 'coverage']
  const odd = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(entry => entry.name)
    .filter(name => !folders.includes(name) && !usual.includes(name))
  assert.equal(odd, [])
})

test('imports follow the arrows of the design', () => {
  const wrong: string[] = []
  for (const file of files) {
    const part = partOf(file)
    if (part === undefined) continue
    const allowed = arrows[part]
    for (const { from } of importsOf(withoutComments(readFileSync(join(root, file), 'utf8')))) {
      if (!from.startsWith('.')) continue
      const target = normalize(relative('', join(dirname(file), from)))
      if (allowed.includes('*')) continue
      const targetPart = partOf(target)
      const fits = allowed.some(entry => entry === target || entry === targetPart)
      if (!fits) wrong.push(`${file} → ${target}`)
    }
  }
  assert.equal(wrong, [])
})

test('pure parts take nothing from Node or from packages', () => {
  const wrong: string[] = []
  for (const file of files) {
    const part = partOf(file)
    const allowed = part === undefined ? undefined : purePackages[part]
    if (allowed === undefined) continue
    for (const { from, typeOnly } of importsOf(withoutComments(readFileSync(join(root, file), 'utf8')))) {
      if (from.startsWith('.') || typeOnly || allowed.includes(from)) continue
      if (/^rtp\/(srtp|dtls)\//.test(file) && from === 'node:crypto') continue
      wrong.push(`${file} → ${from}`)
    }
  }
  assert.equal(wrong, [])
})

test('pure parts know no async, timer, clock or randomness', () => {
  const forbidden =
    /\b(async|await|setTimeout|setInterval|setImmediate|queueMicrotask|fetch)\b(?=\s*[(\w])|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\bnew Promise\b|\bprocess\./
  const wrong: string[] = []
  for (const file of files) {
    const part = partOf(file)
    if (part === undefined || purePackages[part] === undefined) continue
    withoutComments(readFileSync(join(root, file), 'utf8'))
      .split('\n')
      .forEach((line, at) => {
        const text = line.replace(/(['"`])(?:\\.|(?!\1).)*\1/g, "''")
        if (forbidden.test(text)) wrong.push(`${file}: ${at + 1}: ${line.trim()}`)
      })
  }
  assert.equal(wrong, [])
})

test('names say the idea', () => {
  const wrong = files.filter(file => /(^|\/)(utils?|helpers?|managers?|misc|common)(\.|\/)/.test(file))
  assert.equal(wrong, [])
})

type Graph = Map<string, Set<string>>

/** What each file of a part imports of it, and each folder. A door (`index.ts`) is a node of its own. */
const graphsOf = (part: string): { readonly ofFiles: Graph; readonly ofFolders: Graph } => {
  const ofFiles: Graph = new Map()
  const ofFolders: Graph = new Map()
  const folderOf = (file: string) => (file.endsWith('/index.ts') ? file : dirname(file))
  for (const file of files.filter(file => file.startsWith(`${part}/`))) {
    const folder = folderOf(file)
    const targets = ofFiles.get(file) ?? new Set()
    const folders = ofFolders.get(folder) ?? new Set()
    ofFiles.set(file, targets)
    ofFolders.set(folder, folders)
    for (const { from } of importsOf(withoutComments(readFileSync(join(root, file), 'utf8')))) {
      const target = normalize(join(dirname(file), from))
      if (!from.startsWith('.') || !target.startsWith(`${part}/`)) continue
      targets.add(target)
      if (folderOf(target) !== folder) folders.add(folderOf(target))
    }
  }
  return { ofFiles, ofFolders }
}

const reachedFrom = (graph: Graph, start: string): Set<string> => {
  const seen = new Set<string>()
  const open = [...(graph.get(start) ?? [])]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    open.push(...(graph.get(node) ?? []))
  }
  return seen
}

const circularIn = (graph: Graph): string[] =>
  [...graph.keys()].filter(node => reachedFrom(graph, node).has(node)).sort()

/** Folders by floor: each imports only of floors below. Folders of one circle share their floor. */
const floorsOf = (graph: Graph): string[][] => {
  const reached = new Map([...graph.keys()].map(node => [node, reachedFrom(graph, node)] as const))
  const floors = new Map<string, number>()
  const floorOf = (node: string): number => {
    const known = floors.get(node)
    if (known !== undefined) return known
    const below = [...(reached.get(node) ?? [])].filter(other => reached.get(other)?.has(node) !== true)
    const floor = below.reduce((most, other) => Math.max(most, floorOf(other) + 1), 0)
    floors.set(node, floor)
    return floor
  }
  const lines: string[][] = []
  for (const node of [...graph.keys()].sort()) {
    const floor = floorOf(node)
    lines[floor] = [...(lines[floor] ?? []), node]
  }
  return lines.reverse()
}

/** The folders of a part, floor by floor, without its doors. */
const figureOf = (part: string): string =>
  floorsOf(graphsOf(part).ofFolders)
    .map(floor => floor.filter(folder => folder !== part && !folder.endsWith('.ts')))
    .filter(floor => floor.length > 0)
    .map(floor => floor.map(folder => folder.replace(`${part}/`, '')).join('  '))
    .join('\n')

for (const part of ['sip', 'rtp', 'core', 'api', 'sdk']) {
  test(`no file and no folder of ${part} lies in a circle of imports; types count`, () => {
    const { ofFiles, ofFolders } = graphsOf(part)
    assert.equal(circularIn(ofFiles), [])
    assert.equal(circularIn(ofFolders), [])
  })
}

for (const part of ['sip', 'rtp', 'core']) {
  test(`docs/architecture.md draws the floors of ${part} as the imports have them`, () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const figure = figureOf(part)
    assert.ok(page.includes(`\`\`\`\n${figure}\n\`\`\``), `docs/architecture.md should hold:\n${figure}`)
  })
}

test.run()
