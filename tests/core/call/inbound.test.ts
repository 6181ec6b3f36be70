import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endReasons } from '../../../core/model/end-reason.ts'
import { acme, own, rate } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'

const at = '+254700000001'
const answering = (verbs: string) => `<Response>${verbs}</Response>`

function bedWith(verbs: string): CallBed {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', answering(verbs))
  return bed
}

/** A call for which these verbs have run so long. */
function called(verbs: string, ms: number, more: Parameters<CallBed['call']>[1] = {}) {
  const bed = bedWith(verbs)
  const caller = bed.call(at, more)
  bed.run(ms)
  return { bed, caller }
}

const digitsIn = (bed: CallBed) =>
  bed.store.events.filter(({ code }) => code === 'DTMF.0100').map(({ data }) => data.digit)

const types = (bed: CallBed) => bed.commands.map(command => command.type).filter(type => !type.startsWith('store.'))

test('180 goes out before the webhook is asked, and the call is durable before both', () => {
  const bed = bedWith('<Say>Hello</Say>')
  bed.call(at)
  bed.run(5)
  assert.equal(types(bed), ['leg.ring', 'document.fetch'])
  assert.equal(bed.codes(), ['CALL.0100', 'CALL.0180'])
  assert.is(bed.posts[0]?.fields.CallStatus, 'ringing')
  assert.is(bed.store.call().status, 'ringing')
})

test('where the owner of a number is known, the call is stored in the event of its offer', () => {
  for (const knowsOwners of [true, false]) {
    const bed = bedWith('<Say>Hello</Say>')
    bed.knowsOwners = knowsOwners
    bed.call(at)
    assert.equal(
      bed.commands.map(command => command.type),
      [knowsOwners ? 'store.commit' : 'store.lookup'],
    )
    bed.run(5)
    assert.equal(types(bed), ['leg.ring', 'document.fetch'])
    assert.is(bed.store.call().status, 'ringing')
  }
})

test('a greeted caller: answered, spoken to, hung up at the end of the document', () => {
  const bed = bedWith('<Say>Hello you</Say>')
  bed.call('254700000001')
  bed.run(5000)
  const call = bed.store.call()
  assert.is(call.status, 'completed')
  assert.is(call.reasonCode, 'END.0202')
  assert.is(call.toNumber, at)
  assert.is(call.cost, 0)
  assert.is(call.ttsSeconds, 1)
  assert.is(call.talkSeconds, 1)
  assert.equal(bed.codes(), ['CALL.0100', 'CALL.0180', 'CALL.0200', 'CALL.0300'])
  assert.ok(bed.exchange.isEmpty)
  assert.is(bed.exchange.deadline(), undefined)
  assert.is(bed.sessions.size, 0)
})

test('a number without an owner: 404 without a row', () => {
  for (const to of ['+254799999999', '+254700000001;phone-context=evil', '+254 700 000 001', 'bob', '']) {
    const bed = bedWith('')
    bed.call(to)
    bed.run(100)
    assert.equal(
      bed.of('leg.end').map(end => end.reason),
      ['END.0404'],
      to,
    )
    assert.is(bed.store.calls.size, 0)
    assert.ok(bed.exchange.isEmpty)
  }
})

test('every way to write an owned number finds it', () => {
  for (const to of [at, '254700000001', '00254700000001', '0700000001']) {
    const bed = bedWith('<Say>x</Say>')
    bed.call(to)
    bed.run(50)
    assert.is(bed.store.calls.size, 1, to)
  }
})

test('a suspended account and an inactive number refuse with a row that their owner sees', () => {
  const suspended = bedWith('')
  suspended.store.addAccount({ ...acme, status: 'suspended' }, 0)
  suspended.call(at)
  suspended.run(100)
  assert.is(suspended.store.call().reasonCode, 'END.4403')
  assert.is(suspended.store.call().status, 'failed')
  assert.is(suspended.posts.length, 0)
  const inactive = bedWith('')
  inactive.store.numbers.set(at, { account: acme.uuid, number: own(at, '', false) })
  inactive.call(at)
  inactive.run(100)
  assert.is(inactive.store.call().reasonCode, 'END.0404')
  assert.equal(inactive.codes(), ['CALL.0100', 'CALL.0400'])
})

test('the number overrides the account, and without either the fallback runs with END.3404', () => {
  const bed = bedWith('')
  bed.store.numbers.set(at, { account: acme.uuid, number: own(at, 'https://acme.test/own') })
  bed.call(at)
  bed.run(10)
  assert.is(bed.posts[0]?.url, 'https://acme.test/own')
  const none = new CallBed()
  none.store.addAccount(
    {
      ...acme,
      endpoints: { ...acme.endpoints, voice_inbound: '' },
      fallbackMode: 'message',
      fallbackValue: 'Sorry',
    },
    0,
  )
  none.call(at)
  none.run(5000)
  assert.is(none.store.call().reasonCode, 'END.3404')
  assert.is(none.store.call().status, 'completed')
  assert.ok(none.codes().includes('DOC.0404'))
})

test('each failure of the webhook has its reason, and drop rejects before the answer', () => {
  const reasons = {
    'not-found': 'END.3404',
    timeout: 'END.3408',
    'too-large': 'END.3413',
    status: 'END.3502',
    transport: 'END.3502',
    'refused-address': 'END.3502',
  } as const
  for (const [fault, reason] of Object.entries(reasons)) {
    const bed = bedWith('')
    bed.documents.set('https://acme.test/in', { fault: fault as keyof typeof reasons })
    bed.call(at)
    bed.run(200)
    assert.is(bed.store.call().reasonCode, reason)
    assert.is(bed.store.call().status, 'failed')
    assert.equal(
      bed.of('leg.end').map(end => endReasons[end.reason].sip),
      [603],
    )
    assert.ok(bed.exchange.isEmpty)
  }
})

test('a caller who gives up while the document is fetched: END.0487, the fetch is abandoned, its answer absorbed', () => {
  const { bed, caller } = called('<Say>Hello</Say>', 10)
  bed.hangUpCaller(caller)
  bed.run(1000)
  assert.is(bed.store.call().reasonCode, 'END.0487')
  assert.is(bed.of('document.abandon').length, 1)
  assert.ok(bed.exchange.isEmpty)
  assert.ok(bed.exchange.counters.absorbed > 0)
})

test('a caller who gives up before the row is durable', () => {
  for (const after of [0, 1, 2, 3, 4]) {
    const bed = bedWith('<Say>Hello</Say>')
    const caller = bed.call(at)
    bed.run(after)
    bed.hangUpCaller(caller)
    bed.run(1000)
    assert.ok(bed.exchange.isEmpty)
    for (const call of bed.store.calls.values()) assert.is(call.reasonCode, 'END.0487')
  }
})

test('reject and busy of the document are 603 and 486', () => {
  for (const [attribute, reason] of [
    [' reason="busy"', 'END.0486'],
    [' reason="rejected"', 'END.0603'],
  ]) {
    const bed = bedWith(`<Hangup${attribute}/>`)
    bed.call(at)
    bed.run(200)
    assert.equal(
      bed.of('leg.end').map(end => end.reason),
      [reason],
    )
    assert.is(bed.store.call().reasonCode, reason)
  }
})

test('a caller without a common codec gets 488', () => {
  const bed = bedWith('<Say>Hello</Say>')
  bed.mediaFault = () => true
  bed.call(at)
  bed.run(300)
  assert.is(bed.store.call().reasonCode, 'END.0488')
  assert.equal(
    bed.of('leg.end').map(end => end.reason),
    ['END.0488'],
  )
  assert.ok(bed.exchange.isEmpty)
})

test('a delayed offer: our offer in the 200, the answer in the ACK, and only then speech', () => {
  const bed = bedWith('<Say>Hello</Say>')
  bed.call(at, { sdp: undefined })
  bed.run(2000)
  assert.is(bed.of('media.open')[0]?.offer, undefined)
  assert.is(bed.of('media.answered')[0]?.sdp, 'answer in ACK')
  const order = types(bed)
  assert.ok(order.indexOf('media.answered') < order.indexOf('media.play'))
  assert.is(bed.store.call().status, 'completed')
})

test('hold: a new offer of either side is answered by media, or refused when media cannot', () => {
  const { bed, caller } = called('<Pause length="1"/><Say>Hello there you</Say>', 1200)
  bed.send({ type: 'leg.reoffered', legId: caller, sdp: 'hold' })
  bed.run(10)
  assert.equal(
    bed.of('leg.reanswer').map(({ sdp }) => sdp),
    ['reanswer'],
  )
  bed.send({ type: 'media.failed', legId: caller, fault: 'no-common-codec', reoffer: true })
  assert.is(bed.of('leg.refuse-reoffer').length, 1)
  assert.is(bed.store.call().status, 'answered')
  bed.run(10_000)
  assert.ok(bed.exchange.isEmpty)
})

test('on hold nothing at all comes: signalling is asked whether the peer is there, and the call goes on', () => {
  const { bed, caller } = called('<Pause length="1"/><Say loop="0">For ever</Say>', 1200)
  bed.send({ type: 'media.quiet', legId: caller })
  bed.run(1000)
  assert.equal(bed.of('leg.probe'), [{ type: 'leg.probe', legId: caller }])
  assert.is(bed.store.call().status, 'answered')
  bed.send({ type: 'leg.ended', legId: caller, cause: { kind: 'session-expired' } })
  bed.run(1000)
  assert.equal([bed.store.call().status, bed.store.call().reasonCode], ['completed', 'END.0212'])
})

test('media learns where SIP comes from, and where it has moved to', () => {
  const { bed, caller } = called('<Say loop="0">For ever</Say>', 1200, { source: '203.0.113.9' })
  assert.equal(bed.of('media.open')[0]?.sources, { sip: '203.0.113.9', hosts: [] })
  bed.send({ type: 'leg.reoffered', legId: caller, sdp: 'hold', source: '203.0.113.10' })
  bed.run(10)
  assert.equal(bed.of('media.reoffer')[0]?.sources, { sip: '203.0.113.10', hosts: [] })
  bed.hangUpCaller(caller)
})

test('the caller hangs up while spoken to: END.0200', () => {
  const { bed, caller } = called('<Say loop="0">For ever</Say>', 3000)
  bed.hangUpCaller(caller)
  bed.run(100)
  const call = bed.store.call()
  assert.is(call.reasonCode, 'END.0200')
  assert.is(call.status, 'completed')
  assert.ok(bed.exchange.isEmpty)
})

test('no media: END.0212', () => {
  const { bed, caller } = called('<Say loop="0">For ever</Say>', 3000)
  bed.send({ type: 'media.timeout', legId: caller })
  bed.run(100)
  assert.is(bed.store.call().reasonCode, 'END.0212')
  assert.ok(bed.exchange.isEmpty)
})

test('Record: row and file at once, action posted with path, duration and digit', () => {
  const bed = bedWith('<Record action="/done" maxLength="60"/>')
  bed.documents.set('https://acme.test/done', answering('<Say>Bye</Say>'))
  const caller = bed.call(at)
  bed.run(2500)
  assert.is(bed.store.recordings.size, 1)
  bed.press(caller, '#')
  bed.run(5000)
  const recording = [...bed.store.recordings.values()][0]!
  const done = bed.posts.find(post => post.url.endsWith('/done'))!
  assert.is(done.fields.RecordingPath, recording.path)
  assert.is(done.fields.Digits, '#')
  assert.is(done.fields.CallStatus, 'in-progress')
  assert.ok(recording.durationMs! > 2000)
  assert.equal(
    bed.codes().filter(code => /REC|DTMF/.test(code)),
    ['REC.0100', 'DTMF.0100', 'REC.0200'],
  )
  assert.ok(bed.exchange.isEmpty)
})

test('BYE during Record: the recording is kept, the action is posted once, and its answer is ignored', () => {
  const { bed, caller } = called('<Record action="/done" maxLength="60"/>', 2500)
  bed.hangUpCaller(caller)
  bed.run(10_000)
  const done = bed.posts.filter(post => post.url.endsWith('/done'))
  assert.is(done.length, 1)
  assert.is(done[0]?.fields.Digits, 'hangup')
  assert.is(done[0]?.fields.CallStatus, 'completed')
  assert.is(done[0]?.fields.RecordingUuid, [...bed.store.recordings.keys()][0])
  assert.ok([...bed.store.recordings.values()][0]!.durationMs! > 0)
  assert.ok(bed.codes().includes('REC.0200'))
  assert.ok(bed.exchange.isEmpty)
})

test('media that loses the recording: REC.0400, and the call goes on to its end', () => {
  const { bed, caller } = called('<Record action="/done"/>', 2500)
  bed.sessions.get(caller)!.records.clear()
  bed.hangUpCaller(caller)
  bed.run(60_000)
  assert.ok(bed.codes().includes('REC.0400'))
  assert.ok(bed.exchange.isEmpty)
})

test('an inbound rate holds money, and what it costs is settled with the last row', () => {
  const bed = bedWith('<Pause length="1"/><Say>Hello</Say>')
  bed.rates = [rate('+254', { direction: 'inbound', ratePerMinute: 6000, connectionFee: 100 })]
  bed.call(at)
  bed.run(10)
  assert.is(bed.store.accounts.get(acme.uuid)?.held, 6100)
  bed.run(5000)
  assert.is(bed.store.call().cost, 6100)
  assert.is(bed.store.accounts.get(acme.uuid)?.balance, 10_000_000 - 6100)
  assert.is(bed.store.accounts.get(acme.uuid)?.held, 0)
  const last = bed.store.units.at(-1)!.map(change => change.type)
  assert.equal(last, ['leg.update', 'hold.settle', 'event.append', 'call.update', 'event.append'])
})

test('an inbound call that cannot be paid: 402 with a row', () => {
  const bed = bedWith('<Say>Hello</Say>')
  bed.rates = [rate('+254', { direction: 'inbound' })]
  bed.store.addAccount(acme, 10)
  bed.call(at)
  bed.run(100)
  assert.is(bed.store.call().reasonCode, 'END.0402')
  assert.is(bed.store.holds.size, 0)
  assert.equal(
    bed.of('leg.end').map(end => end.reason),
    ['END.0402'],
  )
})

test('a failing database refuses a new call with 503 and Retry-After', () => {
  const bed = bedWith('<Say loop="0">x</Say>')
  bed.failCommits = true
  bed.call(at)
  bed.run(2500)
  const [end] = bed.of('leg.end')
  assert.equal([end?.reason, end?.status, end?.retryAfterSeconds], ['END.5500', 503, 2])
})

test('a live call outlasts a failing database, and its events are written when the database is back', () => {
  const { bed, caller } = called('<Say loop="0">x</Say>', 200)
  bed.failCommits = true
  bed.press(caller, '1')
  bed.run(1000)
  bed.press(caller, '2')
  bed.run(2500)
  assert.is(bed.of('leg.end').length, 0)
  assert.equal(digitsIn(bed), [])
  bed.failCommits = false
  bed.press(caller, '3')
  bed.run(1000)
  assert.equal(digitsIn(bed), ['1', '2', '3'])
  bed.failCommits = true
  bed.press(caller, '4')
  bed.run(1000)
  bed.hangUpCaller(caller)
  bed.run(2500)
  bed.failCommits = false
  bed.run(20_000)
  assert.equal(digitsIn(bed), ['1', '2', '3', '4'], 'in their order, once')
  assert.is(bed.store.call().reasonCode, 'END.0200')
  assert.ok(bed.exchange.isEmpty)
})

test('the last row is tried until it is written, at least once a minute', () => {
  const { bed, caller } = called('<Say loop="0">x</Say>', 200)
  bed.failCommits = true
  bed.hangUpCaller(caller)
  bed.run(3_600_000)
  assert.is(bed.store.call().status, 'answered')
  assert.equal(bed.over, [], 'not over while its row is open')
  bed.failCommits = false
  bed.run(60_100)
  assert.is(bed.store.call().status, 'completed')
  assert.is(bed.store.call().talkSeconds, 1, 'as it was, not as it is written')
  assert.ok(bed.exchange.isEmpty)
})

test('a missing asset raises PLAY.0404 and the next verb runs', () => {
  const bed = bedWith('<Play asset="missing"/><Say>Hello</Say>')
  bed.call(at)
  bed.run(3000)
  assert.ok(bed.codes().includes('PLAY.0404'))
  assert.is(bed.store.call().reasonCode, 'END.0202')
  assert.is(bed.of('media.play').length, 1)
})

test.run()
