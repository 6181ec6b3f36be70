import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkDocument, parseDocument } from '../../../core/verbs/index.ts'
import { xmlAttacks } from '../../fixtures/xml-attacks.ts'
import { seeded } from '../bed/seeded.ts'

const documents = xmlAttacks()

/** What each file comes to: the codes of its problems, or `ok` with the verbs that would run. */
const expected: Readonly<Record<string, string>> = {
  'billion-laughs.xml': 'DOC.0400',
  'quadratic-blowup.xml': 'DOC.0400',
  'xxe-http.xml': 'DOC.0400',
  'param-entity.xml': 'DOC.0400',
  'xinclude.xml': 'DOC.0422',
  'depth-100k.xml': 'DOC.0413',
  'attrs-3000.xml': 'DOC.0400',
  'dup-attr.xml': 'DOC.0400',
  'unclosed.xml': 'DOC.0400',
  'two-roots.xml': 'DOC.0400',
  'wrong-root.xml': 'DOC.0400',
  'empty.xml': 'DOC.0400',
  'whitespace.xml': 'DOC.0400',
  'utf16.xml': 'DOC.0400',
  'nul.xml': 'DOC.0400',
  'ctrl.xml': 'DOC.0400',
  'charref-huge.xml': 'DOC.0400',
  'latin1-declared.xml': 'DOC.0400',
  'json.xml': 'DOC.0400',
  'redirect-self.xml': 'ok Redirect',
  '1000-verbs.xml': 'ok Pause*1000',
  'say-60KB.xml': 'ok SAY.0413',
  'play-ssrf.xml': 'ok Play',
  'play-ssrf-loopback6.xml': 'ok Play',
  'play-file.xml': 'ok DOC.0422 Play',
  'play-asset-traversal.xml': 'ok Play',
  'record-action-crlf.xml': 'ok DOC.0422 Record',
  'dial-number-sipuri.xml': 'ok DOC.0422 Dial',
  'proto-pollution.xml': 'ok DOC.0422 DOC.0422 Say',
}

function outcome(bytes: Uint8Array): string {
  const parsed = parseDocument(bytes)
  const codes = parsed.problems.map(problem => problem.code)
  if (!parsed.ok) return codes.join(' ')
  const names = parsed.verbs.map(verb => verb.name)
  const verbs = names.length > 3 ? [`${names[0]}*${names.length}`] : names
  return ['ok', ...codes, ...verbs].join(' ')
}

test('the verdict on every document', () => {
  for (const [file, bytes] of Object.entries(documents)) {
    assert.is(outcome(bytes), expected[file], file)
    if (expected[file] === 'DOC.0400') assert.is(checkDocument(bytes).valid, false, file)
  }
  assert.equal(Object.keys(documents), Object.keys(expected))
})

test('no file takes 50 ms or 8 MiB, the second time it is seen', () => {
  for (const [file, bytes] of Object.entries(documents)) {
    parseDocument(bytes)
    const heap = process.memoryUsage().heapUsed
    // Processor time: what another program takes of the machine meanwhile is not ours.
    const before = process.cpuUsage()
    parseDocument(bytes)
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 50_000, `${file} took ${(user + system) / 1000} ms`)
    assert.ok(process.memoryUsage().heapUsed - heap < 8 * 1024 * 1024, file)
  }
  assert.is(Object.keys(Object.prototype).length, 0)
})

test('seeded mutations of these documents never throw and always give the same twice', () => {
  const seeds = Object.values(documents).filter(bytes => bytes.length < 4096)
  const random = seeded(20_261).below
  for (let round = 0; round < 4000; round++) {
    const bytes = Uint8Array.from(seeds[random(seeds.length)]!)
    for (let change = 0; change < 1 + random(4) && bytes.length > 0; change++) {
      const at = random(bytes.length)
      if (random(3) === 0) bytes.copyWithin(at, random(bytes.length))
      else bytes[at] = random(2) === 0 ? random(256) : '<>/&;"\'= \n!?[]-'.charCodeAt(random(16))
    }
    const first = checkDocument(bytes)
    assert.equal(checkDocument(bytes), first)
    for (const { line, column } of first.problems) assert.ok(line >= 1 && column >= 1)
  }
})

test('a name of the prototype is no attribute of anything', () => {
  checkDocument(new TextEncoder().encode('<Response><Say __proto__="polluted">x</Say></Response>'))
  assert.is(Object.hasOwn(Object.prototype, 'polluted'), false)
})

test.run()
