import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DocumentCache, parseDocument } from '../../../core/verbs/index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** What is to be seen of a document before it runs. */
const shown = (document: ReturnType<typeof parseDocument>) =>
  document.ok
    ? { ...document, verbs: document.verbs.map(({ name, line, column, isLast }) => ({ name, line, column, isLast })) }
    : document

test('what is kept is what reading gives, problems included', () => {
  const cache = new DocumentCache()
  const declared = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><Response><Say>hello</Say></Response>`
  const documents = [
    '<Response/>',
    '<Response><Say>Habari</Say><Dial action="/after"><Number>+254711000001</Number></Dial><Pause/></Response>',
    '<Response>\n  <Say loop="many" tone="sad">one</Say>\n  <Dance/>\n</Response>',
    '<Response><Dance/></Response>',
    '<Response><Say>open</Response>',
    '<html/>',
    '',
    `<Response><Say>${'é'.repeat(40_000)}</Say></Response>`,
    // The mark makes no other text, but then what is declared counts.
    declared('iso-8859-1'),
    `\ufeff${declared('iso-8859-1')}`,
    declared('iso-8859-1'),
  ].map(bytes)
  documents.push(Uint8Array.of(0x3c, 0xff, 0x3e), Uint8Array.of(0xff, 0xfe, 0x3c, 0))
  for (const document of [...documents, ...documents]) {
    assert.equal(shown(cache.parse(document)), shown(parseDocument(document)), new TextDecoder().decode(document))
  }
})

test('a document is read once', () => {
  const cache = new DocumentCache()
  const first = cache.parse(bytes('<Response><Pause/></Response>'))
  assert.is(cache.parse(bytes('<Response><Pause/></Response>')), first)
  assert.is.not(cache.parse(bytes('<Response><Pause/> </Response>')), first)
})

test('a document with a SIP URI is read each time: what is refused may have changed', () => {
  const cache = new DocumentCache()
  const document = bytes('<Response><Dial><Sip>sip:desk@pbx.example.com</Sip></Dial></Response>')
  const problems = (isRefused: boolean) => cache.parse(document, { refusesSip: () => isRefused }).problems.length
  assert.equal([problems(false), problems(true), problems(false)], [0, 1, 0])
  assert.is(cache.size, 0)
})

test('what is kept is bounded, in documents and in bytes', () => {
  const fill = (count: number, text: string) => {
    const cache = new DocumentCache()
    let most = 0
    for (let n = 0; n < count; n++) {
      cache.parse(bytes(`<Response><Say>${n} ${text}</Say></Response>`))
      most = Math.max(most, cache.size)
    }
    return most
  }
  assert.is(fill(1000, ''), 64)
  assert.is(fill(100, 'x'.repeat(65_400)), 4)
})

test.run()
