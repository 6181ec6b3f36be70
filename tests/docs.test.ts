import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dialNouns } from '../core/verbs/dial-children.ts'
import { checkDocument } from '../core/verbs/index.ts'
import { vocabulary } from '../core/verbs/registry.ts'
import { generatedPages } from '../scripts/docs/pages.ts'

const folder = new URL('../docs/', import.meta.url).pathname
const pages = await generatedPages()

for (const [file, text] of pages) {
  test(`docs/${file} is what the code says`, () => {
    const written = existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''
    const lines = text.split('\n')
    const at = lines.findIndex((line, index) => line !== written.split('\n')[index])
    assert.ok(written === text, `stale at line ${at + 1}: run npm run docs\n  ${lines[at]}`)
  })
}

test('the library page: getters are read, methods are called, and what is private is not listed', () => {
  const page = pages.get('library.md') ?? ''
  const rows = page.split('\n')
  const isListed = (name: string) => rows.some(row => row.startsWith(`| \`${name}\` |`))
  for (const name of ['waiting', 'sipListeners', 'transcript', 'originate()', 'toString()'])
    assert.ok(isListed(name), name)
  for (const name of ['waiting()', 'transcript()', 'readonly', 'get', 'override', 'static'])
    assert.not(isListed(name), name)
})

test('every example of a verb is a document without problems, or says that the verb is not available yet', () => {
  for (const [name, { about }] of [...vocabulary, ...dialNouns]) {
    const { valid, problems } = checkDocument(new TextEncoder().encode(`<Response>${about.example}</Response>`))
    const wrong = problems.filter(problem => !/not available yet/.test(problem.message))
    assert.equal([valid, wrong], [true, []], name)
  }
})

test('relative links lead to a file, and to a heading that it has', () => {
  const wrong: string[] = []
  const markdown = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.md'))
  for (const file of markdown) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, target = ''] of text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', heading] = target.split('#')
      const found = path === '' ? join(folder, file) : join(folder, dirname(file), path)
      if (!existsSync(found)) wrong.push(`${file}: ${target}`)
      else if (heading !== undefined && !anchorsOf(readFileSync(found, 'utf8')).has(heading))
        wrong.push(`${file}: ${target}`)
    }
  }
  assert.equal(wrong, [])
})

test('files that the pages on the code name exist', () => {
  const root = join(folder, '..')
  const wrong: string[] = []
  for (const page of ['docs/architecture.md', 'docs/glossary.md', 'docs/performance.md', 'CONTRIBUTING.md'])
    for (const [, path = ''] of readFileSync(join(root, page), 'utf8').matchAll(
      /`((?:sip|rtp|core|api|sdk|tests|scripts|bench)\/[\w/.-]+)`/g,
    ))
      if (!existsSync(join(root, path))) wrong.push(`${page}: ${path}`)
  assert.equal(wrong, [])
})

test('what architecture.md names in brackets after a file is in that file', () => {
  const root = join(folder, '..')
  const parts = ['sip', 'rtp', 'core', 'api', 'sdk']
  const sources = parts.flatMap(part =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.includes('node_modules'))
      .map(file => join(part, file)),
  )
  const wrong: string[] = []
  let checked = 0
  const text = readFileSync(join(folder, 'architecture.md'), 'utf8')
  for (const [, file = '', names = ''] of text.matchAll(
    /`([\w/.-]+\.ts)`(?:, `[\w/.-]+\.ts`)* \(((?:`#?\w+`(?:, )?)+)/g,
  )) {
    const candidates = sources.filter(source => source === file || source.endsWith(`/${file}`))
    for (const [, name = ''] of names.matchAll(/`(#?\w+)`/g)) {
      checked++
      if (!candidates.some(source => readFileSync(join(root, source), 'utf8').includes(name)))
        wrong.push(`${file}: ${name}`)
    }
  }
  assert.equal(wrong, [])
  assert.ok(checked > 10, `${checked} names`)
})

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  )

test.run()
