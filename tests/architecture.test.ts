import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { circularIn, graphsOf, importsOf, sourceFiles, withoutComments } from '../scripts/docs/import-graph.ts'

const root = new URL('../', import.meta.url).pathname
const folders = ['api', 'bench', 'core', 'rtp', 'scripts', 'sdk', 'sip', 'tests']

/** The parts of the house, most special first: a file belongs to the first whose prefix fits. */
const parts = [
  'core/adapters/',
  'core/switch.ts',
  'core/index.ts',
  'core/document-builder/index.ts',
  'core/testing/',
  'core/startup/',
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
  deck: 'core/deck/index.ts',
  startup: 'core/startup/index.ts',
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
  'rtp/worker/': ['rtp/', 'rtp/io/', 'rtp/worker/', 'sip/base/text-map.ts'],
  'core/': ['core/', 'sip/base/text-map.ts'],
  'core/adapters/': [
    'core/',
    'core/adapters/',
    doors.sip,
    doors.sipTransport,
    doors.rtp,
    doors.rtpIo,
    doors.rtpWorker,
    'rtp/io/own-module.ts',
    'rtp/io/start-thread.ts',
    'rtp/io/thread-niceness.ts',
  ],
  'core/switch.ts': ['core/', 'core/adapters/'],
  // The door that an embedder and the API open: the switch, and the shapes of what its parts take and give.
  'core/index.ts': ['core/', 'core/adapters/', 'core/switch.ts'],
  // The door of `sauti/documents`: the builder, and the check of signatures, which needs node:crypto.
  'core/document-builder/index.ts': ['core/', 'core/adapters/'],
  // What a program that embeds the switch sees of it.
  'core/embedding/': ['core/', 'core/adapters/', 'core/switch.ts', 'core/embedding/', 'core/document-builder/index.ts'],
  // The door of what runs before the switch is loaded.
  'core/startup/': ['core/', 'core/adapters/'],
  // The whole switch in virtual time, for customers' tests and for our own.
  'core/testing/': ['core/', 'core/testing/', 'core/adapters/', 'core/document-builder/index.ts'],
  'api/': [
    'api/',
    doors.core,
    doors.testing,
    doors.deck,
    doors.startup,
    'core/testing/remote.ts',
    'core/adapters/system/thread-niceness.ts',
  ],
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

const files = sourceFiles(folders)

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
    for (const { from } of importsOf(file)) {
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

/** Files besides `index.ts` that other folders may open, each with its reason. */
const sideDoors: Readonly<Record<string, string>> = {
  'api/portal/app/texts/sw.ts': 'labels of the page of reasons, which the switch writes: the door needs a browser',
  'api/portal/app/texts/sw-reasons.ts': 'sentences of that page',
  'core/adapters/http/verify-signature.ts': 'sauti/documents checks signatures and loads no HTTP client',
  'core/document-builder/call-handler.ts': 'shared with core/embedding and core/testing, no part of sauti/documents',
  'rtp/io/own-module.ts': 'where the program of a thread lies: the door loads what sends packets',
  'rtp/io/start-thread.ts': 'how a thread of ours is started: the same',
  'rtp/io/thread-niceness.ts': 'a thread gives way before it loads anything else',
  'core/adapters/system/thread-niceness.ts': 'the same, for threads of the API',
  'core/testing/remote.ts': 'the help names how a simulated party behaves, and the door loads the simulation',
  'sip/base/text-map.ts': 'a map for texts of calls, which signalling needs in each part',
  'core/document-builder/duration.ts': 'shared with core/embedding and core/testing, no part of sauti/documents',
}

test('a folder that has a door (index.ts) is entered from outside through a door only', () => {
  const isDoor = (file: string) => file.endsWith('/index.ts')
  const closed = files.filter(file => isDoor(file) && !/^(tests|bench|scripts)\//.test(file)).map(dirname)
  const wrong = files
    .filter(file => !/^(tests|bench|scripts)\//.test(file))
    .flatMap(file =>
      importsOf(file)
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => normalize(join(dirname(file), from)))
        .filter(target => !isDoor(target) && sideDoors[target] === undefined)
        .filter(target => closed.some(folder => target.startsWith(`${folder}/`) && !file.startsWith(`${folder}/`)))
        .map(target => `${file} → ${target}`),
    )
  assert.equal(wrong, [])
  assert.equal(
    Object.keys(sideDoors).filter(door => !files.includes(door)),
    [],
  )
})

test('pure parts take nothing from Node or from packages', () => {
  const wrong: string[] = []
  for (const file of files) {
    const part = partOf(file)
    const allowed = part === undefined ? undefined : purePackages[part]
    if (allowed === undefined) continue
    for (const { from, typeOnly } of importsOf(file)) {
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

test('what a file exports is named in another file', () => {
  const sources = folders
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
    )
    .filter(file => /\.(m?js|tsx?)$/.test(file) && !/\/(dist|node_modules)\//.test(file))
  const texts = sources.map(file => [file, readFileSync(join(root, file), 'utf8')] as const)
  const naming = new Map<string, number>()
  for (const [, text] of texts) {
    for (const word of new Set(text.match(/\w+/g))) naming.set(word, (naming.get(word) ?? 0) + 1)
  }
  const exported = /^export (?:abstract |async )*(?:const|function|class|interface|type) (\w+)/gm
  const needless = texts.flatMap(([file, text]) =>
    /^(api|core|rtp|sdk|sip)\//.test(file)
      ? [...text.matchAll(exported)].flatMap(([, name = '']) => (naming.get(name) === 1 ? [`${file}: ${name}`] : []))
      : [],
  )
  assert.equal(needless, [])
})

for (const part of ['sip', 'rtp', 'core', 'api', 'sdk']) {
  test(`no file and no folder of ${part} lies in a circle of imports; types count`, () => {
    const { ofFiles, ofFolders } = graphsOf(part)
    assert.equal(circularIn(ofFiles), [])
    assert.equal(circularIn(ofFolders), [])
  })
}

/** What a file imports by statements, in the order of loading; not what it loads later by `import()`. */
const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
  seen.add(file)
  for (const { from, typeOnly, isLater } of importsOf(file)) {
    const target = normalize(join(dirname(file), from))
    if (from.startsWith('.') && !typeOnly && !isLater && !seen.has(target)) loadedBy(target, seen)
  }
  return seen
}

test('the database opens before the switch is loaded: the command line loads neither it nor the API', () => {
  const loaded = [...loadedBy('api/cli/main.ts')]
  assert.equal(
    loaded.filter(file => /^(core\/index|core\/switch|api\/server|api\/serving)\.ts$|^sip\//.test(file)),
    [],
  )
  assert.ok(loaded.includes('core/adapters/store/threads/start-writer.ts'))
})

test.run()
