import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sourceFiles, withoutComments } from '../scripts/docs/import-graph.ts'

const folders = ['api', 'core', 'rtp', 'sdk', 'sip']

/** A switch as it stands in a file: its cases lie as deep as `indent` and two spaces. */
interface Switch {
  readonly head: string
  readonly body: string
  /** What follows its closing brace. */
  readonly after: string
  readonly indent: string
}

/** By the indentation that the formatter gives. */
function switchesIn(text: string): readonly Switch[] {
  return [...text.matchAll(/^( *)switch \(.*\{$/gm)].map(match => {
    const [head, indent = ''] = match
    const from = match.index + head.length
    const end = text.indexOf(`\n${indent}}`, from)
    return {
      head: head.trim(),
      body: text.slice(from, end),
      after: text.slice(end + indent.length + 2).trimStart(),
      indent,
    }
  })
}

/** Its cases are words: members of a union, not letters or numbers of which there may be any. */
const isOverUnion = ({ body, indent }: Switch): boolean => new RegExp(`^${indent}  case '[^']{2,}':`, 'm').test(body)

const hasDefault = ({ body, indent }: Switch): boolean => body.includes(`\n${indent}  default:`)

/** It ends its function, and each way out of it returns a value: then the compiler demands every member. */
function isHeldByCompiler({ body, after }: Switch): boolean {
  const returns = [...body.matchAll(/\breturn\b(.*)/g)].map(([, value = '']) => value.trim())
  return after.startsWith('}') && returns.length > 0 && !returns.includes('') && !/\bbreak\b/.test(body)
}

test('every switch over a union handles all members: assertNever, another default, or a value for each', () => {
  const open = sourceFiles(folders).flatMap(file =>
    switchesIn(withoutComments(readFileSync(file, 'utf8')))
      .filter(each => isOverUnion(each) && !hasDefault(each) && !isHeldByCompiler(each))
      .map(({ head }) => `${file}: ${head}`),
  )
  assert.equal(
    open,
    [],
    'end these with `default: assertNever(value)`, so that a new member does not compile unhandled',
  )
})

test('the check finds what it is for', () => {
  const of = (text: string) => {
    const [found] = switchesIn(text)
    return found !== undefined && isOverUnion(found) && !hasDefault(found) && !isHeldByCompiler(found)
  }
  const cases = "    case 'one':\n      work()\n      return\n"
  assert.is(of(`f() {\n  switch (a) {\n${cases}  }\n}`), true)
  assert.is(of(`f() {\n  switch (a) {\n${cases}    default:\n      assertNever(a)\n  }\n}`), false)
  assert.is(of("f() {\n  switch (a) {\n    case 'one':\n      return 1\n  }\n}"), false)
  assert.is(of("f() {\n  switch (a) {\n    case 'one':\n      return 1\n  }\n  return 2\n}"), true)
  assert.is(of("f() {\n  switch (letter) {\n    case 'a':\n      return\n  }\n}"), false)
})

test.run()
