import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkDocument } from '../../../core/verbs/index.ts'
import { type BedOptions, ProgramBed } from '../bed/program-bed.ts'

const start = 'http://a.test/start'
const bedOf = (inside: string, options: Omit<BedOptions, 'documents'> = {}) =>
  new ProgramBed({ documents: { [start]: `<Response>${inside}</Response>` }, ...options })
/** What is asked for, without times, between the first fetch and the end. */
const asked = (inside: string, options: Omit<BedOptions, 'documents'> = {}) =>
  bedOf(inside, options)
    .run(9_000_000)
    .map(line => line.replace(/^\d+ /, ''))
    .filter(line => !/^(fetch|end) /.test(line))
const codes = (inside: string) =>
  checkDocument(new TextEncoder().encode(`<Response>${inside}</Response>`)).problems.map(problem => problem.code)

test('Say speaks one after another, and answers first', () => {
  assert.equal(bedOf('<Say>One</Say><Say voice="sw" language="sw-KE" loop="2">Two</Say>', { answered: false }).run(), [
    `0 fetch ${start}`,
    '100 answer',
    '150 say "One" ×1',
    '2150 say "Two" ×2 sw sw-KE',
    '6150 end END.0202',
  ])
})

test('Say: each attribute, good and bad', () => {
  const rows: [say: string, spoken: string[], problems: string[]][] = [
    ['<Say>  a\n  b\t c </Say>', ['say "a b c" ×1'], []],
    ['<Say voice="en-us">a</Say>', ['say "a" ×1 en-us'], []],
    ['<Say voice="">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say voice="../../x">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say language="sw">a</Say>', ['say "a" ×1 sw'], []],
    ['<Say language="swahili!">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say loop="1000">a</Say>', ['say "a" ×1000'], []],
    ['<Say loop="1001">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say loop="-1">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say loop="1.5">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say loop="two">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say loop="0x1">a</Say>', ['say "a" ×1'], ['DOC.0422']],
    ['<Say/>', [], ['DOC.0422']],
    ['<Say> \n </Say>', [], ['DOC.0422']],
    ['<Say>&lt;b&gt; &amp; "c"</Say>', ['say "<b> & \\"c\\"" ×1'], []],
  ]
  for (const [say, spoken, problems] of rows) {
    assert.equal(codes(say), problems, say)
    assert.equal(
      asked(say).filter(line => line.startsWith('say')),
      spoken,
      say,
    )
  }
})

test('Say of more than 4096 characters is not spoken, and the call goes on', () => {
  assert.equal(asked(`<Say>${'x'.repeat(4097)}</Say><Say>next</Say>`), ['report SAY.0413', 'say "next" ×1'])
  assert.equal(codes(`<Say>${'x'.repeat(4096)}</Say>`), [])
  // Characters, not UTF-16 units; layout does not count.
  assert.equal(codes(`<Say>\n  ${'\u{1F600}'.repeat(4096)}\n</Say>`), [])
})

test('Say: allowed SSML is handed on, other markup is reduced to its text', () => {
  const rows: [markup: string, ssml: string, problems: number][] = [
    ['a<break time="500ms"/>b', '<speak>a<break time="500ms"/>b</speak>', 0],
    ['a<break time=".5s"/>b', '<speak>a<break time=".5s"/>b</speak>', 0],
    ['a<break time="+1.25s"/>b', '<speak>a<break time="+1.25s"/>b</speak>', 0],
    ['a<break time="1.s"/>b', '<speak>a<break/>b</speak>', 1],
    ['<p><s>a</s></p>', '<speak><p><s>a</s></p></speak>', 0],
    ['<say-as interpret-as="digits">12</say-as>', '<speak><say-as interpret-as="digits">12</say-as></speak>', 0],
    [
      '<prosody rate="slow" pitch="+2st">a</prosody>',
      '<speak><prosody rate="slow" pitch="+2st">a</prosody></speak>',
      0,
    ],
    ['<emphasis level="strong">a</emphasis>', '<speak><emphasis level="strong">a</emphasis></speak>', 0],
    ['<sub alias="A &amp; B">c</sub>', '<speak><sub alias="A &amp; B">c</sub></speak>', 0],
    // Nothing but these passes: no files, no voices, no handlers.
    ['<audio src="/etc/passwd"/>a', 'a', 1],
    ['<b>a</b>', 'a', 1],
    ['<break time="99999999s"/>a', '<speak><break/>a</speak>', 1],
    ['<prosody rate="1%">a</prosody>', '<speak><prosody>a</prosody></speak>', 1],
    ['<s onload="x">a &lt; b</s>', '<speak><s>a &lt; b</s></speak>', 1],
  ]
  for (const [markup, ssml, problems] of rows) {
    assert.equal(asked(`<Say>${markup}</Say>`).at(-1), `say ${JSON.stringify(ssml)} ×1`, markup)
    assert.is(codes(`<Say>${markup}</Say>`).length, problems, markup)
  }
  const bed = bedOf('<Say>one<break/>two <sub alias="three">3</sub><p>four</p></Say>')
  bed.run()
  const command = bed.commands.find(each => each.type === 'say')
  assert.is(command?.type === 'say' ? command.text : '', 'one two three four')
})

test('Say: breaks last at most a minute together', () => {
  const [spoken] = asked(`<Say>a${'<break time="50s"/>'.repeat(3)}b</Say>`).filter(line => line.startsWith('say'))
  assert.is(spoken, 'say "<speak>a<break time=\\"50s\\"/>b</speak>" ×1')
  assert.is(codes(`<Say>a${'<break time="50s"/>'.repeat(3)}b</Say>`).length, 2)
})

test('Play: asset wins over URL, URLs are relative to the document', () => {
  const rows: [play: string, played: string[], problems: string[]][] = [
    ['<Play asset="hello"/>', ['play hello ×1'], []],
    ['<Play asset="hello">http://b.test/x.wav</Play>', ['play hello ×1'], []],
    ['<Play> http://b.test/x.wav </Play>', ['play http://b.test/x.wav ×1'], []],
    ['<Play>x.wav?a=1&amp;b=2</Play>', ['play http://a.test/x.wav?a=1&b=2 ×1'], []],
    ['<Play>//c.test/x.wav</Play>', ['play http://c.test/x.wav ×1'], []],
    ['<Play loop="3" asset="hello"/>', ['play hello ×3'], []],
    // Whether it exists is known when it is played: PLAY.0404.
    ['<Play asset="../../../../etc/passwd"/>', ['play ../../../../etc/passwd ×1'], []],
    ['<Play/>', ['report DOC.0422'], ['DOC.0422']],
    ['<Play asset=""/>', ['report DOC.0422', 'report DOC.0422'], ['DOC.0422', 'DOC.0422']],
    ['<Play>file:///etc/passwd</Play>', ['report DOC.0422', 'report PLAY.0400'], ['DOC.0422']],
    ['<Play>data:audio/wav;base64,AAAA</Play>', ['report DOC.0422', 'report PLAY.0400'], ['DOC.0422']],
    ['<Play>javascript:1</Play>', ['report DOC.0422', 'report PLAY.0400'], ['DOC.0422']],
    ['<Play>http://</Play>', ['report DOC.0422', 'report PLAY.0400'], ['DOC.0422']],
    ['<Play>http://b.test/a b</Play>', ['report DOC.0422', 'report PLAY.0400'], ['DOC.0422']],
    ['<Play digits="1w2W#*aD"/>', ['report DOC.0422', 'report DOC.0422'], ['DOC.0422', 'DOC.0422']],
    ['<Play digits="1w2#*aD"/>', ['send-digits 1w2#*AD'], []],
    ['<Play digits="1" asset="hello"/>', ['play hello ×1', 'send-digits 1'], []],
    ['<Play digits="x" asset="hello"/>', ['report DOC.0422', 'play hello ×1'], ['DOC.0422']],
  ]
  for (const [play, played, problems] of rows) {
    assert.equal(asked(play), played, play)
    assert.equal(codes(play), problems, play)
  }
})

test('Play answers first, but not for what cannot be played', () => {
  assert.equal(asked('<Play asset="hello"/>', { answered: false }), ['answer', 'play hello ×1'])
  const log = bedOf('<Play>file:///etc/passwd</Play>', { answered: false }).run()
  assert.equal(log.slice(1), ['100 report DOC.0422', '100 report PLAY.0400', '100 end END.0202 reject 603'])
})

test('loop 0 continues until the caller hangs up, without a gap; no verb after it runs', () => {
  for (const verb of ['<Say loop="0">music</Say>', '<Play loop="0" asset="music"/>']) {
    const bed = bedOf(verb)
    bed.run(3_600_000)
    assert.is(bed.interpreter.isOver, false)
    bed.at(3_600_001, { type: 'caller-gone' })
    const before = bed.log.length
    assert.is(bed.run(3_700_000).length, before)
    assert.is(bed.interpreter.isOver, true)
  }
})

test.run()
