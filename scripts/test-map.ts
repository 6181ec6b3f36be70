import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { importsOf, sourceFiles, withoutComments } from './docs/import-graph.ts'

// `npm run test:map`: writes docs/tests.md, which names for each source file that decides something the tests to open first. It
// reads imports and the titles of tests; nothing runs.

const root = new URL('../', import.meta.url).pathname
const parts = ['sip', 'rtp', 'core', 'api', 'sdk']
const shown = 3
/** Imports between a test and a file beyond which the test is no longer about it. */
const mostSteps = 6

const text = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A file decides something when it has some branches; tables, types and doors have none. */
const decides = (file: string): boolean =>
  !/\/index\.ts$|\/portal\//.test(file) &&
  (withoutComments(text(file)).match(/\bif \(|\bswitch \(|\s\? |\bfor \(|\bwhile \(|&&|\|\|/g) ?? []).length >= 3

/** Every file that a test reaches by imports, with the number of steps; its own part's beds cost none. */
function stepsFrom(test: string): ReadonlyMap<string, number> {
  const steps = new Map([[test, 0]])
  const open = [test]
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    const next = steps.get(file)! + (file.startsWith('tests/') && file !== test ? 0 : 1)
    if (next > mostSteps) continue
    for (const { from } of importsOf(file)) {
      if (!from.endsWith('.ts') || !from.startsWith('.')) continue
      const target = normalize(join(dirname(file), from))
      if ((steps.get(target) ?? Number.POSITIVE_INFINITY) <= next) continue
      steps.set(target, next)
      open.push(target)
    }
  }
  return steps
}

const wordsOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(word => word.replace(/(ing|ed|es|s)$/, ''))
    .filter(word => word.length > 2)

interface Test {
  readonly file: string
  readonly steps: ReadonlyMap<string, number>
  readonly words: ReadonlySet<string>
}

const tests: readonly Test[] = sourceFiles(['tests'])
  .filter(file => file.endsWith('.test.ts'))
  .map(file => {
    const titles = [...text(file).matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , title = '']) => title)
    return { file, steps: stepsFrom(file), words: new Set(wordsOf([basename(file, '.test.ts'), ...titles].join(' '))) }
  })

/** How much a word says: little when many tests have it. */
const weightOf = (word: string): number => {
  const holders = tests.filter(({ words }) => words.has(word)).length
  return holders === 0 ? 0 : Math.log(tests.length / holders)
}

/** The test of the same name; then those that reach the file in few steps, of its own folder, and speak of it in their titles. */
function testsOf(file: string): readonly string[] {
  const name = basename(file, '.ts')
  const words = wordsOf(name)
  const score = ({ file: test, steps, words: titles }: Test): number => {
    const isNamed = test === `tests/${dirname(file)}/${name}.test.ts` || test === alsoTestedBy[file] ? 100 : 0
    const distance = steps.get(file)
    if (distance === undefined) return isNamed
    const spoken = words.filter(word => titles.has(word)).reduce((sum, word) => sum + weightOf(word), 0)
    return isNamed + spoken + 6 / distance + (dirname(test) === `tests/${dirname(file)}` ? 3 : 0)
  }
  return tests
    .map(test => ({ file: test.file, score: score(test) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.file.localeCompare(b.file))
    .slice(0, shown)
    .map(({ file }) => file)
}

/** Tests of a file's rules whose names and titles do not say so. */
const alsoTestedBy: Readonly<Record<string, string>> = {
  'sip/endpoint/calls/outgoing-call.ts': 'tests/sip/endpoint/calls/unanswered.test.ts',
  'sip/endpoint/session/own-offers.ts': 'tests/sip/endpoint/calls/calls.test.ts',
  'core/leg/meter.ts': 'tests/core/dial/money.test.ts',
}
for (const file of Object.entries(alsoTestedBy).flat()) if (!existsSync(join(root, file))) throw new Error(`no ${file}`)

/** Processes of their own: what reaches them is real calls, and no import. */
const real = 'real calls: `interop`, `live`, `long`, `slow`'

const folders = Map.groupBy(sourceFiles(parts).filter(decides).sort(), dirname)
const sections = [...folders].map(([folder, files]) => {
  const rows = files.map(file => {
    const found = testsOf(file).map(test => `[${test.slice('tests/'.length)}](../${test})`)
    return `| \`${basename(file)}\` | ${found.length === 0 ? real : found.join(', ')} |`
  })
  return `## ${folder}\n\n| file | tests |\n|---|---|\n${rows.join('\n')}\n`
})
writeFileSync(
  join(root, 'docs/tests.md'),
  `# From a file to its tests

\`tests/\` has the folders of the sources: \`tests/sip\`, \`rtp\`, \`core\`, \`api\` and \`sdk\` run in virtual time or in one process. \`tests/interop\`
and \`tests/live\` place real calls with real peers; \`tests/audio\`, \`long\` and \`slow\` are the long tests. What sets a test up is a bed: those of
one part are in its \`bed\` folder, those that several parts share in \`tests/rig\`.

This table names, for each file that decides something, the tests to open first: the one of its name, then those that reach it by
the fewest imports and speak of it in their titles. \`npm run test:map\` writes it. To run one: \`npm test -- dial\`.

${sections.join('\n')}`,
)
