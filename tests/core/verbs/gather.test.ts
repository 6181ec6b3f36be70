import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkDocument } from '../../../core/verbs/index.ts'
import { type BedOptions, ProgramBed } from '../bed/program-bed.ts'

const start = 'http://a.test/start?x=1'
const after = 'http://a.test/after'

const bedOf = (inside: string, options: Omit<BedOptions, 'documents'> = {}) =>
  new ProgramBed({
    url: start,
    documents: { [start]: times => `<Response>${times === 1 ? inside : ''}</Response>`, [after]: '<Response/>' },
    ...options,
  })
const type = (bed: ProgramBed, ...keys: readonly (readonly [at: number, digit: string])[]) => {
  for (const [at, digit] of keys) bed.at(at, { type: 'digit', digit })
  return bed
}
const codes = (inside: string) =>
  checkDocument(new TextEncoder().encode(`<Response>${inside}</Response>`)).problems.map(problem => problem.code)

test('Gather answers, prompts, waits for the digits and posts them', () => {
  const bed = bedOf(
    '<Gather action="/after" numDigits="2"><Say>Hi</Say><Pause length="1"/><Play asset="a"/></Gather>',
    {
      answered: false,
    },
  )
  type(bed, [6000, '4'], [7000, '2'])
  assert.equal(bed.run(), [
    `0 fetch ${start}`,
    '100 answer',
    '150 say "Hi" ×1',
    '3150 play a ×1',
    `7000 fetch ${after} {"Digits":"42"}`,
    '7100 end END.0202',
  ])
})

test('Gather: the first digit stops the prompt at once and is kept; prompts after it are not played', () => {
  const bed = bedOf('<Gather action="/after" numDigits="3"><Say>One</Say><Say>Two</Say></Gather>')
  type(bed, [500, '1'], [2500, '2'], [4000, '3'])
  assert.equal(bed.run().slice(1, 4), ['100 say "One" ×1', '500 stop', `4000 fetch ${after} {"Digits":"123"}`])
  const one = type(bedOf('<Gather action="/after" numDigits="1"><Play loop="0" asset="a"/></Gather>'), [500, '9'])
  assert.equal(one.run().slice(1, 4), ['100 play a ×0', '500 stop', `500 fetch ${after} {"Digits":"9"}`])
  const pause = type(bedOf('<Gather action="/after" numDigits="1"><Pause length="9"/><Say>no</Say></Gather>'), [
    500,
    '9',
  ])
  assert.equal(pause.run().slice(1, 2), [`500 fetch ${after} {"Digits":"9"}`])
})

test('Gather: the prompt stops when a digit begins, and no timeout runs while it is held', () => {
  const bed = bedOf('<Gather action="/after" timeout="1"><Say>One</Say></Gather>')
  bed.at(500, { type: 'key-down' })
  type(bed, [2500, '1'])
  bed.at(3400, { type: 'key-down' })
  type(bed, [5000, '2'])
  assert.equal(bed.run().slice(1, 4), ['100 say "One" ×1', '500 stop', `6000 fetch ${after} {"Digits":"12"}`])
  // The digit that never comes.
  const lost = bedOf('<Gather action="/after"><Say>One</Say></Gather><Say>next</Say>').at(500, { type: 'key-down' })
  assert.equal(lost.run().slice(1, 4), ['100 say "One" ×1', '500 stop', '15500 say "next" ×1'])
})

test('Gather: digits that come before the answer is through are kept, and the prompt is not begun', () => {
  const bed = bedOf('<Gather action="/after"><Say>Hi</Say></Gather>', { answered: false })
  type(bed, [120, '5'], [300, '6'], [400, '#'])
  assert.equal(bed.run().slice(1, 3), ['100 answer', `400 fetch ${after} {"Digits":"56"}`])
})

test('Gather: the time for a digit runs from the end of the prompt, and from each digit again', () => {
  const late = bedOf('<Gather action="/after"><Say>Hi</Say></Gather><Say>next</Say>')
  assert.equal(late.run().slice(1, 3), ['100 say "Hi" ×1', '7100 say "next" ×1'])
  const bed = bedOf('<Gather action="/after" timeout="2"/>')
  type(bed, [2000, '1'], [3900, '2'])
  assert.is(bed.run()[1], `5900 fetch ${after} {"Digits":"12"}`)
})

test('Gather: finish keys', () => {
  const rows: [attributes: string, keys: string, posted: string | undefined][] = [
    ['', '12#', '12'],
    ['finishOnKey="*"', '1#2*', '1#2'],
    ['finishOnKey="*#"', '12#', '12'],
    ['finishOnKey="" timeout="1"', '12#', '12#'],
    ['numDigits="3"', '12#', '12'],
    ['numDigits="2"', '12', '12'],
    // Nothing was typed but the key that ends: as if nothing was.
    ['', '#', undefined],
  ]
  for (const [attributes, keys, posted] of rows) {
    const bed = bedOf(`<Gather action="/after" ${attributes}/><Say>next</Say>`)
    type(bed, ...[...keys].map((digit, n) => [500 + n * 100, digit] as const))
    const expected = posted === undefined ? 'say "next" ×1' : `fetch ${after} {"Digits":"${posted}"}`
    assert.is(bed.run()[1]?.replace(/^\d+ /, ''), expected, `${attributes} ${keys}`)
  }
})

test('Gather without action asks for its own document again', () => {
  const bed = type(bedOf('<Gather numDigits="1"/>'), [500, '7'])
  assert.equal(bed.run().slice(1), [`500 fetch ${start} {"Digits":"7"}`, '600 end END.0202'])
})

test('Gather: a caller who hangs up posts nothing', () => {
  const bed = type(bedOf('<Gather action="/after"><Say>Hi</Say></Gather>'), [500, '7']).at(600, { type: 'caller-gone' })
  assert.equal(bed.run().slice(1), ['100 say "Hi" ×1', '500 stop'])
  assert.is(bed.interpreter.isOver, true)
})

test('Gather: each attribute and child, good and bad', () => {
  const rows: [inside: string, problems: number][] = [
    ['<Gather/>', 0],
    ['<Gather input="dtmf"/>', 0],
    ['<Gather input="speech"/>', 1],
    ['<Gather numDigits="1"/>', 0],
    ['<Gather numDigits="256"/>', 0],
    ['<Gather numDigits="0"/>', 1],
    ['<Gather numDigits="257"/>', 1],
    ['<Gather timeout="600"/>', 0],
    ['<Gather timeout="601"/>', 1],
    ['<Gather timeout="auto"/>', 1],
    ['<Gather finishOnKey=""/>', 0],
    ['<Gather finishOnKey="x"/>', 1],
    ['<Gather action="mailto:a@b"/>', 1],
    ['<Gather hints="x"/>', 1],
    ['<Gather>text</Gather>', 1],
    ['<Gather><Dial>1</Dial></Gather>', 1],
    ['<Gather><Say voice="?!">x</Say><Pause length="-1"/></Gather>', 2],
    ['<Gather><Say lang="x">x</Say></Gather>', 1],
    ['<Gather><Play/></Gather>', 1],
  ]
  for (const [inside, problems] of rows) {
    assert.equal(codes(inside), Array(problems).fill('DOC.0422'), inside)
  }
})

test('Gather goes on over a prompt that cannot be played', () => {
  const bed = bedOf('<Gather timeout="1"><Play>//a:b:c/</Play><Say>Hi</Say></Gather>')
  assert.equal(
    bed.run().map(line => line.replace(/^\d+ /, '')),
    [`fetch ${start}`, 'report DOC.0422', 'report PLAY.0400', 'say "Hi" ×1', 'end END.0202'],
  )
})

test('Reject refuses before the answer, hangs up after it, and is the last', () => {
  const rows: [attributes: string, answered: boolean, end: string, problems: number][] = [
    ['', false, '100 end END.0603 reject 603', 0],
    ['reason="rejected"', false, '100 end END.0603 reject 603', 0],
    ['reason="busy"', false, '100 end END.0486 reject 486', 0],
    ['reason="tired"', false, '100 end END.0603 reject 603', 1],
    ['reason="busy"', true, '100 end END.0202', 0],
  ]
  for (const [attributes, answered, end, problems] of rows) {
    assert.is(bedOf(`<Reject ${attributes}/>`, { answered }).run().at(-1), end)
    assert.is(codes(`<Reject ${attributes}/>`).length, problems)
  }
  assert.equal(codes('<Reject/><Say>x</Say>'), ['DOC.0204'])
})

test.run()
