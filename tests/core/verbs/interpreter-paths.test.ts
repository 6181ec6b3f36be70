import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Interpreter, type ProgramEvent } from '../../../core/verbs/index.ts'
import { maxReportedProblems, maxSilentDocuments, maxSilentVerbs } from '../../../core/verbs/interpreter.ts'
import { type BedOptions, ProgramBed } from '../bed/program-bed.ts'

const start = 'http://a.test/start'
const gone: ProgramEvent = { type: 'caller-gone' }
const response = (inside: string) => `<Response>${inside}</Response>`
const runs = (document: BedOptions['documents'][string], options: Omit<BedOptions, 'documents'> = {}) =>
  new ProgramBed({ documents: { [start]: document }, ...options }).run(700_000).slice(1)

test('how a document ends its call, answered and not', () => {
  const rows: [inside: string, answered: string[], unanswered: string[]][] = [
    ['', ['100 end END.0202'], ['100 end END.0603 reject 603']],
    ['<Pause length="2"/>', ['2100 end END.0202'], ['2100 end END.0202 reject 603']],
    ['<Pause length="0.5"/>', ['600 end END.0202'], ['600 end END.0202 reject 603']],
    ['<Pause length="600"/>', ['600100 end END.0202'], ['600100 end END.0202 reject 603']],
    ['<Hangup/>', ['100 end END.0202'], ['100 end END.0202 reject 603']],
    ['<Hangup reason="busy"/>', ['100 end END.0202'], ['100 end END.0486 reject 486']],
    ['<Hangup reason="rejected"/>', ['100 end END.0202'], ['100 end END.0603 reject 603']],
    ['<Hangup reason=" busy&#10;"/>', ['100 end END.0202'], ['100 end END.0486 reject 486']],
    ['<Pause length="0"/><Pause/>', ['1100 end END.0202'], ['1100 end END.0202 reject 603']],
    ['<Say>x</Say>', ['100 say "x" ×1', '2100 end END.0202'], ['100 answer', '150 say "x" ×1', '2150 end END.0202']],
    [
      '<Pause/><Say>x</Say><Hangup reason="busy"/>',
      ['1100 say "x" ×1', '3100 end END.0202'],
      ['1100 answer', '1150 say "x" ×1', '3150 end END.0202'],
    ],
  ]
  for (const [inside, answered, unanswered] of rows) {
    assert.equal(runs(response(inside), { answered: true }), answered, inside)
    assert.equal(runs(response(inside), { answered: false }), unanswered, inside)
  }
})

test('a bad value is reported, and the default stands', () => {
  assert.equal(runs(response('<Pause length="601"/>')), ['100 report DOC.0422', '1100 end END.0202'])
  assert.equal(runs(response('<Hangup reason="sleepy"/>'), { answered: false }), [
    '100 report DOC.0422',
    '100 end END.0202 reject 603',
  ])
  assert.equal(runs(response('<RecordSession state="off"/><Pause/>')), [
    '100 report DOC.0422',
    '100 record-session {"state":"start","options":{"channels":"dual","track":"both","maxLengthMs":14400000,"format":"wav"},"playBeep":false}',
    '1100 end END.0202',
  ])
})

test('every failure of a document: its event, the fallback, and its reason to the end', () => {
  const rows: [reply: string | Uint8Array, code: string, reason: string][] = [
    ['not-found', 'DOC.0404', 'END.3404'],
    ['timeout', 'DOC.0408', 'END.3408'],
    ['too-large', 'DOC.0413', 'END.3413'],
    ['status', 'DOC.0502', 'END.3502'],
    ['transport', 'DOC.0502', 'END.3502'],
    ['refused-address', 'DOC.0502', 'END.3502'],
    ['<Response>', 'DOC.0400', 'END.3422'],
    ['<response/>', 'DOC.0400', 'END.3422'],
    [Uint8Array.of(0xff), 'DOC.0400', 'END.3422'],
    [response('<Foo/>'), 'DOC.0422', 'END.3422'],
    [response(' '.repeat(65_536)), 'DOC.0413', 'END.3413'],
  ]
  for (const [reply, code, reason] of rows) {
    const reported = `100 report ${code}`
    assert.equal(runs(reply), [reported, '100 say "Sorry." ×1', `2100 end ${reason}`])
    assert.equal(runs(reply, { answered: false }), [
      reported,
      '100 answer',
      '150 say "Sorry." ×1',
      `2150 end ${reason}`,
    ])
    const play = { fallbackMode: 'play', fallbackValue: 'http://b.test/sorry.wav' } as const
    assert.equal(runs(reply, play), [reported, '100 play http://b.test/sorry.wav ×1', `2100 end ${reason}`])
    const drop = { fallbackMode: 'drop', fallbackValue: '' } as const
    assert.equal(runs(reply, drop), [reported, `100 end ${reason}`])
    assert.equal(runs(reply, { ...drop, answered: false }), [reported, `100 end ${reason} reject 603`])
  }
})

test('a fallback that cannot run just ends the call', () => {
  const ended = ['100 report DOC.0502', '100 end END.3502']
  assert.equal(runs('status', { fallbackMode: 'message', fallbackValue: '  ' }), ended)
  assert.equal(runs('status', { fallbackMode: 'play', fallbackValue: '' }), ended)
  assert.equal(runs('status', { fallbackMode: 'play', fallbackValue: 'file:///etc/passwd' }), [
    '100 report DOC.0502',
    '100 report PLAY.0400',
    '100 end END.3502',
  ])
})

test('no document set, or a URL that is none', () => {
  const bed = (url: string) => new ProgramBed({ documents: {}, url }).run()
  assert.equal(bed(''), ['0 report DOC.0404', '0 say "Sorry." ×1', '2000 end END.3404'])
  assert.equal(bed('ftp://a.test/x'), ['0 report DOC.0502', '0 say "Sorry." ×1', '2000 end END.3502'])
  assert.equal(bed('nowhere'), ['0 report DOC.0502', '0 say "Sorry." ×1', '2000 end END.3502'])
})

test('Redirect and action URLs are relative to the document they stand in', () => {
  const documents = {
    [start]: response('<Redirect>menu/one?x=1</Redirect>'),
    'http://a.test/menu/one?x=1': response('<Redirect>two</Redirect>'),
    'http://a.test/menu/two': response('<Redirect>//b.test/three#top</Redirect>'),
    'http://b.test/three#top': response('<Redirect>https://c.test/four</Redirect>'),
    'https://c.test/four': response('<Redirect>?five</Redirect>'),
    'https://c.test/four?five': response(''),
  }
  assert.equal(new ProgramBed({ documents }).run(), [
    `0 fetch ${start}`,
    '100 fetch http://a.test/menu/one?x=1',
    '200 fetch http://a.test/menu/two',
    '300 fetch http://b.test/three#top',
    '400 fetch https://c.test/four',
    '500 fetch https://c.test/four?five',
    '600 end END.0202',
  ])
})

test('an absolute URL is asked for as it is written, which its signature covers; a relative one as resolved', () => {
  const spellings = [
    'https://hooks.example.com',
    'https://Hooks.Example.com/voice',
    'https://hooks.example.com:443/voice',
    'http://hooks.example.com/ü?name=é',
    'HTTPS://hooks.example.com/a/../b#part',
  ]
  const asked = (bed: ProgramBed) => bed.commands.flatMap(command => (command.type === 'fetch' ? [command.url] : []))
  for (const url of spellings) {
    const first = new ProgramBed({ documents: {}, url })
    first.run(10)
    assert.equal(asked(first), [url])
    const later = new ProgramBed({ documents: { [start]: response(`<Redirect>${url}</Redirect>`) } })
    later.run(150)
    assert.equal(asked(later), [start, url])
    const action = new ProgramBed({ documents: { [start]: response(`<Dial action="${url}"/>`) } })
    action.run(150)
    assert.equal(asked(action), [start, url])
  }
  for (const [reference, resolved] of [
    ['//Other.Example.com', 'http://other.example.com/'],
    ['http:next', 'http://a.test/next'],
    ['next?ü', 'http://a.test/next?%C3%BC'],
  ] as const) {
    const bed = new ProgramBed({ documents: { [start]: response(`<Redirect>${reference}</Redirect>`) } })
    bed.run(150)
    assert.equal(asked(bed), [start, resolved])
  }
})

test('a document that refers to itself cannot grow its URL without end', () => {
  for (const step of [`${'a'.repeat(1000)}/`, `${'あ'.repeat(100)}/`]) {
    const documents = new Proxy({}, { get: () => response(`<Foo/><Redirect>${step}</Redirect>`) })
    const bed = new ProgramBed({ documents })
    assert.is(bed.run().at(-1)?.split(' ').slice(1).join(' '), 'end END.3502')
    for (const command of bed.commands) {
      if (command.type === 'fetch') assert.ok(command.url.length <= 2048, `${command.url.length}`)
      if (command.type === 'report') assert.ok(String(command.data.url).length <= 256, `${command.data.url}`)
    }
  }
  // 680 letters of the reference are 6,120 characters once percent-encoded.
  const once = { [start]: response(`<Redirect>${'あ'.repeat(680)}</Redirect>`) }
  assert.equal(new ProgramBed({ documents: once }).run().slice(1), [
    '100 report DOC.0502',
    '100 say "Sorry." ×1',
    '2100 end END.3502',
  ])
})

test('an action callback that fails runs the fallback too', () => {
  const bed = new ProgramBed({ documents: { [start]: response('<Dial action="/gone"/>') } })
  assert.equal(bed.run().slice(2), [
    '100 fetch http://a.test/gone {"DialCallStatus":"failed","DialCallDuration":0,"DialReasonCode":"END.0404","DialCallSid":""}',
    '200 report DOC.0502',
    '200 say "Sorry." ×1',
    '2200 end END.3502',
  ])
})

test('fifty documents in silence are let through, not one more', () => {
  const log = runs(response('<Redirect>/start</Redirect>'))
  assert.is(log.filter(line => line.endsWith(`fetch ${start}`)).length, maxSilentDocuments - 1)
  assert.equal(log.slice(-2), ['5000 say "Sorry." ×1', '7000 end END.3482'])
  const fifty = (times: number) => (times < maxSilentDocuments ? response('<Redirect>/start</Redirect>') : response(''))
  assert.is(runs(fifty).at(-1), '5000 end END.0202')
})

test('a second of audio, all together, or an answer lets the count begin again', () => {
  const fetches = (document: string, options: Omit<BedOptions, 'documents'> = {}) => {
    const bed = new ProgramBed({ documents: { [start]: document }, ...options })
    return bed.run(1_000_000).filter(line => line.includes(' fetch ')).length
  }
  const spoken = response('<Say>x</Say><Redirect>/start</Redirect>')
  assert.ok(fetches(spoken, { playMs: 1000 }) > 500)
  // 50 × 30 ms make the second just in time.
  assert.ok(fetches(spoken, { playMs: 30 }) > 500)
  assert.is(fetches(spoken, { playMs: 10 }), maxSilentDocuments)
  assert.is(fetches(response('<Pause/><Redirect>/start</Redirect>')), maxSilentDocuments)
  const answering = (times: number) => response(`${times === 30 ? '<Say>x</Say>' : ''}<Redirect>/start</Redirect>`)
  const bed = new ProgramBed({ documents: { [start]: answering }, answered: false, playMs: 0 })
  assert.is(bed.run().filter(line => line.includes(' fetch ')).length, 30 + maxSilentDocuments)
})

test('verbs that take no time end the call after so many; audio between them lets the count begin again', () => {
  const nothing = '<Play>ftp:x</Play>'
  const log = runs(response(`${nothing.repeat(999)}<Redirect>/start</Redirect>`))
  // Each counts as a verb and as a problem; the problems of the document are reported beside.
  const played = log.filter(line => line.endsWith('report PLAY.0400')).length
  assert.is(played, maxSilentVerbs / 2)
  assert.is(log.at(-1)?.split(' ').slice(1).join(' '), 'end END.3482')
  assert.ok(log.some(line => line.endsWith('say "Sorry." ×1')))
  const spoken = runs(response(`${nothing.repeat(900)}<Say>x</Say><Redirect>/start</Redirect>`))
  assert.ok(spoken.filter(line => line.includes(' say ')).length > 100)
  const gathered = runs(response(`<Gather timeout="0">${nothing.repeat(1000)}</Gather>`.repeat(3)))
  assert.is(gathered.at(-1)?.split(' ').slice(1).join(' '), 'end END.3482')
})

test('a hang-up stops the running verb at once, and nothing follows', () => {
  for (const inside of ['<Say>x</Say><Say>y</Say>', '<Pause length="9"/><Say>y</Say>', '<Play asset="x"/><Hangup/>']) {
    for (const at of [50, 100, 120, 500]) {
      const bed = new ProgramBed({ documents: { [start]: response(inside) }, answered: at !== 120 })
      const log = bed.at(at, gone).run()
      assert.is(bed.interpreter.isOver, true)
      assert.ok(
        log.every(line => Number(line.split(' ')[0]) <= at),
        `${inside} at ${at}: ${log.join('; ')}`,
      )
      assert.is(bed.interpreter.deadline(), undefined)
    }
  }
})

test('a hang-up during the fallback ends it too', () => {
  const bed = new ProgramBed({ documents: {} }).at(500, gone)
  assert.is(bed.run().at(-1), '100 say "Sorry." ×1')
  assert.is(bed.interpreter.isOver, true)
})

test('replies, plays and digits that fit nothing are absorbed', () => {
  const bed = new ProgramBed({ documents: { [start]: response('<Say>x</Say>') } })
  bed.at(10, { type: 'fetched', requestId: 'nobody', bytes: new Uint8Array() })
  bed.at(20, { type: 'fetch-failed', requestId: 'nobody', fault: 'timeout', detail: '' })
  bed.at(200, { type: 'played', playId: 'nobody', spokenMs: 0 })
  bed.at(210, { type: 'digit', digit: '1' })
  bed.at(220, { type: 'answered' })
  bed.at(5000, { type: 'digit', digit: '1' })
  assert.equal(bed.run(), [`0 fetch ${start}`, '100 say "x" ×1', '2100 end END.0202'])
})

test('nothing happens before the start, and only one start counts', () => {
  const context = { answered: true, fallbackMode: 'drop', fallbackValue: '' } as const
  const interpreter = new Interpreter({ url: start, context })
  assert.equal(interpreter.handle({ type: 'digit', digit: '1' }, 0), [])
  assert.equal(interpreter.timeout(5), [])
  assert.is(interpreter.start(10).length, 1)
  assert.equal(interpreter.start(20), [])
  const dead = new Interpreter({ url: start, context })
  dead.handle(gone, 0)
  assert.equal(dead.start(10), [])
  assert.is(dead.isOver, true)
})

test('a document full of mistakes reports its first ones', () => {
  const log = runs(response(`${'<Foo/>'.repeat(500)}<Hangup/>`))
  assert.is(log.filter(line => line.endsWith('report DOC.0422')).length, maxReportedProblems)
  assert.is(log.at(-1), '100 end END.0202')
})

test('a thousand verbs that take no time need no stack and no time', () => {
  assert.equal(runs(response('<Pause length="0"/>'.repeat(1000))), ['100 end END.0202'])
})

test.run()
