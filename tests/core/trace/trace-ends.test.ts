import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LegUuid } from '../../../core/model/ids.ts'
import { drawLadder } from '../../../core/trace/ladder.ts'
import type { Trace } from '../../../core/trace/trace.ts'
import { acme } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'
import { TraceBed } from '../bed/trace-bed.ts'

const far = '+254733333333'
const own = '+254700000001'
const hook = 'https://acme.test/in'
const dial = `<Response><Dial><Number>${far}</Number></Dial></Response>`

interface FailedCall {
  readonly set: (bed: CallBed) => void
  /** What happens once the call is there. */
  readonly act?: (bed: CallBed, caller: LegUuid) => void
  readonly code: string
  readonly sentence: RegExp
  readonly advice: RegExp
}

const pause = '<Response><Say>Hello</Say><Pause length="600"/></Response>'
/** Every kind of failed call: the trace ends with why, and with what to do. */
const failed: Readonly<Record<string, FailedCall>> = {
  busy: {
    set: bed => {
      bed.documents.set(hook, dial)
      bed.peers.set(far, { endAfter: 50, cause: { kind: 'response', status: 486 } })
    },
    code: 'END.0486',
    sentence: /\+254733333333 is busy/,
    advice: /voicemail or another number/,
  },
  'no route': {
    set: bed => {
      bed.documents.set(hook, dial)
      bed.trunks = []
    },
    code: 'END.0503',
    sentence: /No trunk could take the call to \+254733333333: none has a prefix/,
    advice: /a trunk has a prefix/,
  },
  402: {
    set: bed => {
      bed.documents.set(hook, dial)
      bed.store.accounts.clear()
      bed.store.addAccount(acme, 0)
    },
    code: 'END.0402',
    sentence: /balance does not cover/,
    advice: /Top up the wallet/,
  },
  'webhook 500': {
    set: bed => bed.documents.set(hook, { fault: 'status' }),
    code: 'END.3502',
    sentence: /https:\/\/acme\.test\/in failed/,
    advice: /must answer 200/,
  },
  'webhook timeout': {
    set: bed => bed.documents.set(hook, { fault: 'timeout' }),
    code: 'END.3408',
    sentence: /acme\.test\/in did not answer within 10 seconds/,
    advice: /Answer the webhook at once/,
  },
  'XML error': {
    set: bed => bed.documents.set(hook, '<Response>\n  <Say>Hello</Sya>\n</Response>'),
    code: 'END.3422',
    sentence: /cannot be run: line 2, column \d+: /,
    advice: /Mend the document at that place/,
  },
  'media timeout': {
    set: bed => bed.documents.set(hook, pause),
    act: (bed, legId) => bed.send({ type: 'media.timeout', legId }),
    code: 'END.0212',
    sentence: /^No sound \(RTP\) came from .* for the media timeout, so the call was ended\.$/,
    advice: /firewall drops UDP/,
  },
  'ICE failure': {
    set: bed => bed.documents.set(hook, pause),
    act: (bed, legId) => bed.send({ type: 'media.timeout', legId, fault: 'ice' }),
    code: 'END.2410',
    sentence: /ICE failed/,
    advice: /SAUTI_TURN/,
  },
  'codec mismatch': {
    set: bed => {
      bed.documents.set(hook, dial)
      bed.peers.set(far, { endAfter: 50, cause: { kind: 'response', status: 488 } })
    },
    code: 'END.0488',
    sentence: /no codec that both sides speak/,
    advice: /PCMA, PCMU, G722 or opus/,
  },
}

const traced = (call: FailedCall): { readonly bed: CallBed; readonly trace: Trace } => {
  const bed = new CallBed()
  const traces = new TraceBed(() => 1_800_000_000_000 + bed.now)
  bed.recorder = traces.recorder
  call.set(bed)
  const caller = bed.call(own)
  bed.run(2000)
  call.act?.(bed, caller)
  bed.run(120_000)
  const sid = bed.over[0]?.sid ?? ''
  const trace = traces.read(sid, 'customer')
  if (trace === undefined) throw new Error('no trace')
  return { bed, trace }
}

for (const [name, call] of Object.entries(failed)) {
  test(`${name}: the trace ends with why, and with what to do`, () => {
    const { trace } = traced(call)
    assert.is(trace.end?.reason_code, call.code)
    assert.match(trace.end?.sentence ?? '', call.sentence)
    assert.match(trace.end?.advice ?? '', call.advice)
    assert.is(trace.end?.link, `/docs/reasons#${call.code}`)
    assert.equal(trace.end?.problems, [])
    assert.is(trace.isComplete, true)
    const drawn = drawLadder(trace, 80)
    assert.ok(drawn.includes(call.code))
    const wide = drawn.split('\n').filter(line => line.length > 80)
    assert.equal(wide, [])
  })
}

test('where media was awaited is named to the operator, and not to the customer', () => {
  const bed = new CallBed()
  const traces = new TraceBed(() => 1_800_000_000_000 + bed.now)
  bed.recorder = traces.recorder
  bed.documents.set(hook, pause)
  const legId = bed.call(own)
  bed.run(2000)
  bed.send({ type: 'media.timeout', legId, awaited: { from: '203.0.113.5:4000', seen: '203.0.113.5:4010' } })
  bed.run(120_000)
  const shownTo = (reader: 'customer' | 'operator') => JSON.stringify(traces.read(bed.over[0]?.sid ?? '', reader))
  assert.match(
    shownTo('operator'),
    /no RTP for the media timeout from 203\.0\.113\.5:4000, the only source by media_source; 203\.0\.113\.5:4010 has sent there instead/,
  )
  assert.match(shownTo('customer'), /no RTP for the media timeout"/)
  assert.not.match(shownTo('customer'), /203\.0\.113/)
})

test('a try of a status callback says plainly why no answer came, with the system’s own words in its data', () => {
  const bed = new CallBed()
  const traces = new TraceBed(() => 1_800_000_000_000 + bed.now)
  bed.recorder = traces.recorder
  bed.documents.set(hook, pause)
  bed.call(own)
  bed.run(2000)
  const [call] = bed.store.calls.values()
  if (call === undefined) throw new Error('no call')
  const url = 'https://acme.test/status'
  const detail = 'connect ECONNREFUSED 203.0.113.7:443'
  for (const tried of [
    { fault: 'transport', detail, cause: 'connection-refused' },
    { fault: 'timeout', detail: 'more than 10000 ms' },
    { fault: 'transport', detail },
    { status: 500 },
  ])
    traces.recorder.callback(call.uuid, { url, tries: 1, event: 'CALL.0100', ms: 2, ...tried })
  const entries = traces.read(call.sid, 'customer')?.entries.filter(({ kind }) => kind === 'webhook') ?? []
  assert.equal(
    entries.map(({ text }) => text.replace(`CALL.0100 to ${url}: try 1: `, '')),
    [
      'failed after 2 ms: its host refused the connection',
      'failed after 2 ms: more than 10000 ms',
      `failed after 2 ms: ${detail}`,
      '500 after 2 ms',
    ],
  )
  assert.is(entries[0]?.data.detail, detail)
})

test('a request for a document says plainly why no answer came', () => {
  const detail = 'connect ECONNREFUSED 203.0.113.7:443'
  const bed = new CallBed()
  const traces = new TraceBed(() => 1_800_000_000_000 + bed.now)
  bed.recorder = traces.recorder
  bed.documents.set(hook, { fault: 'transport', cause: 'connection-refused', detail })
  bed.call(own)
  bed.run(120_000)
  const entries = traces.read(bed.over[0]?.sid ?? '', 'customer')?.entries ?? []
  const failed = entries.find(({ kind, text }) => kind === 'document' && text.startsWith('failed'))
  assert.is(failed?.text, 'failed after 20 ms: its host refused the connection')
  assert.is(failed?.data.detail, detail)
  const events = bed.store.events.filter(({ code }) => code === 'DOC.0502')
  assert.equal(
    events.map(({ data }) => data.detail),
    ['its host refused the connection'],
  )
})

test('a caller who hangs up while the fallback speaks: the document that failed is named beside the end', () => {
  const { trace } = traced({
    set: bed => {
      bed.documents.set(hook, { fault: 'status' })
      bed.store.accounts.clear()
      bed.store.addAccount({ ...acme, fallbackMode: 'message', fallbackValue: 'Sorry. '.repeat(60) }, 0)
    },
    act: (bed, legId) => bed.send({ type: 'leg.ended', legId, cause: { kind: 'bye' } }),
    code: '',
    sentence: /./,
    advice: /./,
  })
  assert.is(trace.end?.reason_code, 'END.0200')
  assert.is(trace.end?.problems.length, 1)
  const [problem] = trace.end?.problems ?? []
  assert.is(problem?.code, 'END.3502')
  assert.match(problem?.sentence ?? '', /^https:\/\/acme\.test\/in failed .*the fallback ran\.$/)
  assert.match(problem?.advice ?? '', /must answer 200/)
  assert.is(problem?.link, '/docs/reasons#END.3502')
  assert.match(drawLadder(trace, 80), /acme\.test\/in failed/)
})

test('a number that was busy before the document said goodbye is named, and not one that a second Dial made good', () => {
  const other = '+254733333334'
  const busy = (bed: CallBed) => bed.peers.set(far, { endAfter: 50, cause: { kind: 'response', status: 486 } })
  const ended = (set: (bed: CallBed) => void) =>
    traced({ set, code: '', sentence: /./, advice: /./ }).trace.end?.problems.map(({ code, sentence }) => [
      code,
      sentence,
    ])
  const goodbye = dial.replace('</Response>', '<Say>Goodbye</Say></Response>')
  assert.equal(
    ended(bed => {
      bed.documents.set(hook, goodbye)
      busy(bed)
    }),
    [['END.0486', `${far} is busy.`]],
  )
  assert.equal(
    ended(bed => {
      bed.documents.set(hook, goodbye.replace('<Say>', `<Dial><Number>${other}</Number></Dial><Say>`))
      busy(bed)
      bed.peers.set(other, { ringAfter: 10, answerAfter: 100, byeAfter: 5000 })
    }),
    [],
  )
})

test('a mistake in a document that ran is reported with its line', () => {
  const { trace } = traced({
    set: bed => bed.documents.set(hook, '<Response>\n  <Shout/><Say>Hello</Say></Response>'),
    code: '',
    sentence: /./,
    advice: /./,
  })
  assert.is(trace.end?.reason_code, 'END.0202')
  assert.match(trace.end?.problems[0]?.sentence ?? '', /acme\.test\/in has a mistake in line 2, column 3: .*Shout/)
})

test('a good call: document, verbs with their places, bridge, digits, money with its sum', () => {
  const { trace } = traced({
    set: bed => {
      bed.documents.set(hook, `<Response>\n  <Dial><Number>${far}</Number></Dial>\n</Response>`)
      bed.peers.set(far, { ringAfter: 10, answerAfter: 100, byeAfter: 61_000 })
    },
    act: (bed, legId) => bed.press(legId, '5'),
    code: '',
    sentence: /./,
    advice: /./,
  })
  const texts = trace.entries.map(({ kind, text }) => `${kind}: ${text}`)
  for (const wanted of [
    /^document: request to https:\/\/acme\.test\/in/,
    /^document: answer after 20 ms/,
    /^verb: <Dial> at line 2, column \d+/,
    /^bridge: bridged with [AB]/,
    /^digit: digit 5/,
    /^money: holds /,
    /^money: settled: .* s × .* KES \/ 60 s/,
    /^call: completed: END\.0200/,
  ])
    assert.ok(
      texts.some(text => wanted.test(text)),
      `${wanted}\n${texts.join('\n')}`,
    )
  assert.equal(
    trace.charges.map(({ leg, number }) => [leg, number]),
    [['B', far]],
  )
  // Money is held before there is a leg, and is shown as its own all the same.
  const money = trace.entries.filter(({ kind }) => kind === 'money')
  assert.ok(money.length >= 2 && money.every(({ leg }) => leg === 'B'), JSON.stringify(money))
  const dialled = trace.entries.filter(({ kind, text }) => kind === 'leg' && /is dialled/.test(text))
  assert.equal(
    dialled.map(({ text }) => text),
    [`${far} is dialled`],
  )
  // The leg that we end is not ended by its remote, whose answer to our BYE confirms it.
  const ends = trace.entries.filter(({ kind, text }) => kind === 'leg' && /\bend(ed)?\b/.test(text))
  assert.equal(
    ends.map(({ leg, text }) => `${leg}: ${text}`),
    ['B: the remote ended the leg: bye', 'A: we end the leg: END.0200 Completed', 'A: the leg has ended: bye'],
  )
  assert.is(trace.end?.sentence, `${far} hung up after the call was answered.`)
  assert.is(trace.end?.advice, '')
  assert.equal(trace.end?.problems, [])
  // Page by page it is the same.
  assert.equal(
    trace.entries.map(({ seq }) => seq),
    [...trace.entries.map(({ seq }) => seq)].sort((a, b) => a - b),
  )
})

test.run()
