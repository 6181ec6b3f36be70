import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { maxVerbs } from '../../../core/verbs/document.ts'
import { checkDocument, maxDocumentBytes, parseDocument } from '../../../core/verbs/index.ts'
import { maxProblems } from '../../../core/verbs/problem.ts'
import { maxAttributes, maxDepth, maxElements } from '../../../core/verbs/xml.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const check = (text: string) => checkDocument(bytes(text))
const codes = (text: string) => check(text).problems.map(problem => problem.code)
const places = (text: string) => check(text).problems.map(({ line, column, code }) => `${line}:${column} ${code}`)
const names = (text: string) => {
  const parsed = parseDocument(bytes(text))
  return parsed.ok ? parsed.verbs.map(verb => verb.name) : parsed.reason
}

test('a good document has no problems, whatever layout it has', () => {
  for (const text of [
    '<Response/>',
    '<Response></Response>',
    '<?xml version="1.0" encoding="UTF-8"?><Response><Say>Habari</Say></Response>',
    '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n<!-- hello -->\r\n<Response>\r\n\t<Pause/>\r\n</Response>\r\n',
    '\ufeff<?xml version="1.0"?><Response><Pause/></Response>',
    ' \n\t\r\n<?xml version="1.0"?><Response><Pause/></Response>',
    '\ufeff\n  <Response><Hangup/></Response>',
    '<Response><Say><![CDATA[fish & chips <b>]]></Say></Response>',
    '<Response><Say>&lt;&amp;&gt;&apos;&quot;&#65;&#x1F600;</Say></Response>',
    '<Response xmlns="urn:x" xmlns:xsi="urn:y" xsi:noNamespaceSchemaLocation="z"><Pause/></Response>',
    '<?target data?><Response><?target data?><Pause/><!-- - --></Response>',
    '<Response><Dial><Number>+254700000001</Number></Dial></Response>',
    // Declared by frameworks for their strings; every byte is ASCII.
    '<?xml version="1.0" encoding="utf-16"?><Response><Say>hello</Say></Response>',
  ]) {
    assert.equal(check(text), { valid: true, problems: [] }, text)
  }
})

test('what is not well-formed, or has another root, is DOC.0400 and runs the fallback', () => {
  for (const text of [
    '',
    '   ',
    'hello',
    '<Response>',
    '<Response/><Response/>',
    '<Response/>trailing',
    '<response/>',
    '<Responses/>',
    '<RESPONSE/>',
    '<html><body/></html>',
    '<Response><Say>a</Response></Say>',
    '<Response><Say a=b>a</Say></Response>',
    '<Response><Say a="1" a="2">a</Say></Response>',
    '<Response><Say a="<">a</Say></Response>',
    '<Response>&nbsp;</Response>',
    '<Response>&#0;</Response>',
    '<Response>&#xFFFE;</Response>',
    '<Response>&</Response>',
    '<Response>a]]>b</Response>',
    '<Response><!-- a -- b --></Response>',
    '<!DOCTYPE Response><Response/>',
    '<!DOCTYPE Response SYSTEM "http://127.0.0.1/x.dtd"><Response/>',
    '<!DOCTYPE Response [<!ENTITY a "b">]><Response><Say>&a;</Say></Response>',
    '<?xml version="1.0" encoding="ISO-8859-1"?><Response><Say>caf\u00e9</Say></Response>',
    '<Response>\u0001</Response>',
    '<Response>\ufffe</Response>',
    '<1Response/>',
    '{"a":1}',
  ]) {
    const { valid, problems } = check(text)
    assert.is(valid, false, text)
    assert.equal(
      problems.map(problem => problem.code),
      ['DOC.0400'],
      text,
    )
    assert.is(names(text), 'END.3422', text)
  }
})

test('only UTF-8 is read; a fault names its line', () => {
  const parts = (...pieces: (string | number[])[]) =>
    Uint8Array.from(pieces.flatMap(piece => (typeof piece === 'string' ? [...bytes(piece)] : piece)))
  const cases: [Uint8Array, number, number][] = [
    [parts('<Response>\n<Say>', [0xff], '</Say></Response>'), 2, 6],
    [parts('<Response>\n\n caf', [0xe9], '</Response>'), 3, 5],
    [parts('<Response><Say>', [0xed, 0xa0, 0x80], '</Say></Response>'), 1, 16],
    [parts('<Response><Say>', [0xc0, 0xbc], '</Say></Response>'), 1, 16],
    [parts('<Response/>', [0xf0, 0x9f]), 1, 12],
    [parts([0xff, 0xfe], '<\0R\0'), 1, 1],
    [parts([0xfe, 0xff], '\0<\0R'), 1, 1],
    [parts('<\0R\0/\0>\0'), 1, 1],
  ]
  for (const [document, line, column] of cases) {
    const { valid, problems } = checkDocument(document)
    assert.is(valid, false)
    assert.equal(
      problems.map(problem => [problem.code, problem.line, problem.column]),
      [['DOC.0400', line, column]],
    )
  }
})

test('problems say where, the leading white space counted', () => {
  assert.equal(places('\n\n  <Response>\r\n    <Foo/>\n  <Say a="1">x</Say>\r</Response>'), [
    '4:5 DOC.0422',
    '5:3 DOC.0422',
  ])
  assert.equal(places('<Response>\n <Say>x</Sax></Response>'), ['2:13 DOC.0400'])
  assert.equal(places('\n<wrong/>'), ['2:1 DOC.0400'])
  assert.equal(places('<Response><Hangup/>\n<Pause/><Say>x</Say></Response>'), ['2:1 DOC.0204'])
  assert.equal(places(`<Response>\n  <Say>${'x'.repeat(4097)}</Say></Response>`), ['2:3 SAY.0413'])
})

test('unknown verbs and attributes are skipped; with no known verb at all the fallback runs', () => {
  assert.equal(names('<Response><Foo/><Pause/><say>x</say></Response>'), ['Pause'])
  assert.equal(codes('<Response><Foo/><Pause/><say>x</say></Response>'), ['DOC.0422', 'DOC.0422'])
  assert.is(names('<Response><Foo/><pause/></Response>'), 'END.3422')
  assert.is(check('<Response><Foo/></Response>').valid, false)
  assert.equal(codes('<Response foo="1"><Pause bar="2" Length="3"/></Response>'), ['DOC.0422', 'DOC.0422', 'DOC.0422'])
  // Known but senseless: the call goes on without it.
  assert.equal(names('<Response><Redirect/><RecordSession/></Response>'), ['RecordSession'])
  assert.equal(codes('<Response><Redirect/><RecordSession state="start"/></Response>'), ['DOC.0422'])
  assert.equal(codes('<Response>hello</Response>'), ['DOC.0422'])
})

test('what stands after a verb that leaves the document never runs, and says so once', () => {
  for (const leaving of [
    '<Redirect>/next</Redirect>',
    '<Hangup/>',
    '<Hangup reason="busy"/>',
    '<Record action="/r"/>',
    '<Dial action="/d">+254700000001</Dial>',
    '<Say loop="0">x</Say>',
    '<Play loop="0" asset="x"/>',
  ]) {
    const text = `<Response><Pause/>${leaving}<Say>never</Say><Pause/></Response>`
    assert.equal(codes(text), ['DOC.0204'], leaving)
    assert.is(names(text).length, 2, leaving)
  }
  for (const staying of ['<Record/>', '<Dial>+254700000001</Dial>', '<Say>x</Say>', '<Pause/>', '<Play asset="x"/>']) {
    assert.equal(codes(`<Response>${staying}<Say>runs</Say></Response>`), [], staying)
  }
  // A verb that is skipped leaves no trace.
  assert.equal(names('<Response><Redirect> </Redirect><Pause/></Response>'), ['Pause'])
})

test('every limit holds on both sides', () => {
  const nested = (depth: number) => `<Response>${'<a>'.repeat(depth - 1)}${'</a>'.repeat(depth - 1)}<Pause/></Response>`
  assert.is(check(nested(maxDepth)).valid, true)
  assert.is(check(nested(maxDepth + 1)).valid, false)

  const attributes = (count: number) =>
    `<Response><Say ${Array.from({ length: count }, (_, at) => `a${at}="1"`).join(' ')}>x</Say></Response>`
  assert.is(check(attributes(maxAttributes)).valid, true)
  assert.is(check(attributes(maxAttributes + 1)).valid, false)

  const verbs = (count: number) => `<Response>${'<Pause/>'.repeat(count)}</Response>`
  assert.is(check(verbs(maxVerbs)).valid, true)
  assert.is(check(verbs(maxVerbs + 1)).valid, false)

  const children = (count: number) => `<Response>${`<Gather>${'<Pause/>'.repeat(9)}</Gather>`.repeat(count)}</Response>`
  assert.is(check(children(Math.floor((maxElements - 1) / 10))).valid, true)
  assert.is(check(children(Math.ceil(maxElements / 10))).valid, false)

  const sized = (length: number) => `<Response><Pause/>${' '.repeat(length - 29)}</Response>`
  assert.is(check(sized(maxDocumentBytes)).valid, true)
  assert.is(sized(maxDocumentBytes).length, maxDocumentBytes)
  assert.equal(codes(sized(maxDocumentBytes + 1)), ['DOC.0413'])
  assert.is(names(sized(maxDocumentBytes + 1)), 'END.3413')

  assert.is(check(`<Response>${'<X/>'.repeat(900)}<Pause/></Response>`).problems.length, maxProblems)
})

test('what is beyond a limit is not read: a fault that follows it is not found', () => {
  const beyond = `<Response>${'<x/>'.repeat(maxVerbs + 1)}<<<`
  assert.equal(
    check(beyond).problems.map(({ message }) => message),
    [`the document holds more than ${maxVerbs} verbs`],
  )
  const children = `<Response><Say>${'<x/>'.repeat(maxElements)}<<<`
  assert.equal(
    check(children).problems.map(({ message }) => message),
    [`the document holds more than ${maxElements} elements`],
  )
})

test('names from the document stay names', () => {
  const text = '<Response><__proto__/><constructor/><Say __proto__="x" constructor="y" toString="z">hi</Say></Response>'
  assert.equal(codes(text), ['DOC.0422', 'DOC.0422', 'DOC.0422', 'DOC.0422', 'DOC.0422'])
  assert.equal(names(text), ['Say'])
  assert.is(Object.getOwnPropertyNames(Object.prototype).includes('x'), false)
})

test('messages are on one line and cut', () => {
  const { problems } = check(
    `<Response><Record action="http://x/&#13;&#10;X: 1"/><Say ${'b'.repeat(300)}="">x</Say></Response>`,
  )
  assert.is(problems.length, 2)
  for (const { message } of problems) assert.ok(message.length < 200 && !/[\r\n]/.test(message), message)
})

test.run()
