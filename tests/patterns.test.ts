import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sourceFiles, withoutComments } from '../scripts/docs/import-graph.ts'
import { openApiDocument } from '../scripts/docs/openapi-document.ts'

// What strangers write is held against patterns on the thread that all calls share: none may take time by the square of its
// length. A quadratic one needs a quarter of a second for the texts of this test, a linear one parts of a millisecond.

const root = new URL('../', import.meta.url).pathname
const characters = 15_000

function msOf(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  const began = performance.now()
  pattern.test(text)
  return performance.now() - began
}

/** A part of what a quadratic one takes on this machine, now: machines differ, and from hour to hour. */
const longestMs = Math.min(...[1, 2].map(() => msOf(/a+$/, `${'a'.repeat(characters)}!`))) / 4

/** They read what the operator wrote, or texts of a few hundred characters. */
const exceptions: readonly string[] = [
  'api/access/guard.ts ^bearer', // A header holds no line feed, by which alone it fails late.
  'api/cli/',
  'core/adapters/audio/language-tag.ts', // `core/verbs/say.ts` lets through short tags only.
  'core/adapters/audio/openai-speech.ts',
  'core/adapters/audio/speech-pieces.ts', // A window of two pieces.
  'core/adapters/benchmark/',
  'core/adapters/names/system-files.ts',
  'core/setting-values.ts',
]

const literal =
  /(?<=[=(,:[!&|?{};\n]\s*|return\s+|=>\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/g

/** Each pattern with where it stands. */
function literals(): (readonly [where: string, pattern: RegExp])[] {
  return sourceFiles(['core', 'sip', 'rtp', 'api'])
    .filter(file => !file.includes('/portal/app/') && !file.includes('/testing/'))
    .flatMap(file => {
      const source = withoutComments(readFileSync(`${root}${file}`, 'utf8'))
      return [...source.matchAll(literal)].flatMap(([, text = '', flags = '']) => {
        try {
          return [[`${file} ${text}`, new RegExp(text, flags)] as const]
        } catch {
          // A division, or a part of a template.
          return []
        }
      })
    })
}

function* patternsIn(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return
  if ('pattern' in value && typeof value.pattern === 'string') yield value.pattern
  for (const part of Object.values(value)) yield* patternsIn(part)
}

/** Texts that begin as the pattern does, go on with a long run, and end with what does not fit. */
function* hostileTexts(pattern: string): Iterable<string> {
  const begins = /^\^?((?:[\w:/ <="-]|\\[/.?+])*)/.exec(pattern)?.[1]?.replaceAll('\\', '') ?? ''
  const runs = new Set([...'a0 /.,;:"<-\t', ...pattern.replaceAll(/\\[a-z]/gi, ''), 'a,', ' ;', '\\"', '.a'])
  for (const begin of new Set(['', begins, 'http://', 'sip:']))
    for (const run of runs) for (const end of ['!', '\n', '']) yield begin + run.repeat(characters / run.length) + end
}

function slowest(pattern: RegExp): { readonly ms: number; readonly text: string } {
  let found = { ms: 0, text: '' }
  for (const text of hostileTexts(pattern.source)) {
    let ms = msOf(pattern, text)
    // It may have had no processor meanwhile.
    for (let again = 0; again < 3 && ms > longestMs; again++) ms = Math.min(ms, msOf(pattern, text))
    if (ms > found.ms) found = { ms, text }
    if (ms > longestMs) break
  }
  return found
}

function slowOnes(patterns: Iterable<readonly [where: string, pattern: RegExp]>): string[] {
  return [...patterns].flatMap(([where, pattern]) => {
    const { ms, text } = slowest(pattern)
    return ms > longestMs ? [`${where}: ${Math.round(ms)} ms for ${JSON.stringify(text.slice(0, 12))}…`] : []
  })
}

test('this test finds quadratic patterns, and no linear one', () => {
  const [quadratic, linear] = [
    [/a+$/, /[\w.]+@/, /\s+$/, /(?:a,?)+;/],
    [/^a+$/, /a/, /;\s/],
  ]
  const named = (patterns: readonly RegExp[]) => patterns.map(pattern => [pattern.source, pattern] as const)
  const found = slowOnes(named(quadratic))
  assert.is(found.length, quadratic.length, found.join())
  assert.equal(slowOnes(named(linear)), [])
})

test('no pattern of the sources takes time by the square of a hostile text', () => {
  const patterns = literals().filter(([where]) => !exceptions.some(each => where.startsWith(each)))
  assert.ok(patterns.length > 250, `${patterns.length} patterns found`)
  assert.equal(slowOnes(patterns), [])
})

test('no pattern of the API does', async () => {
  const patterns = new Set(patternsIn(await openApiDocument()))
  assert.ok(patterns.size > 15, `${patterns.size} patterns found`)
  assert.equal(slowOnes([...patterns].map(text => [text, new RegExp(text, 'u')] as const)), [])
})

test.run()
