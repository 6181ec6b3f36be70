import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endReasons } from '../../../core/model/end-reason.ts'
import { acme, own, rate } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'

const at = '+254700000001'
const answering = (verbs: string) => `<Response>${verbs}</Response>`

function rigWith(verbs: string): CallBed {
  const rig = new CallBed()
  rig.documents.set('https://acme.test/in', answering(verbs))
  return rig
}

const types = (rig: CallBed) => rig.commands.map(command => command.type).filter(type => !type.startsWith('store.'))

test('180 goes out before the webhook is asked, and the call is durable before both', () => {
  const rig = rigWith('<Say>Hello</Say>')
  rig.call(at)
  rig.run(5)
  assert.equal(types(rig), ['leg.ring', 'document.fetch'])
  assert.equal(rig.codes(), ['CALL.0100', 'CALL.0180'])
  assert.is(rig.posts[0]?.fields.CallStatus, 'ringing')
  assert.is(rig.store.call().status, 'ringing')
})

test('where the owner of a number is known, the call is stored in the event of its offer', () => {
  for (const knowsOwners of [true, false]) {
    const rig = rigWith('<Say>Hello</Say>')
    rig.knowsOwners = knowsOwners
    rig.call(at)
    assert.equal(
      rig.commands.map(command => command.type),
      [knowsOwners ? 'store.commit' : 'store.lookup'],
    )
    rig.run(5)
    assert.equal(types(rig), ['leg.ring', 'document.fetch'])
    assert.is(rig.store.call().status, 'ringing')
  }
})

test('a greeted caller: answered, spoken to, hung up at the end of the document', () => {
  const rig = rigWith('<Say>Hello you</Say>')
  rig.call('254700000001')
  rig.run(5000)
  const call = rig.store.call()
  assert.is(call.status, 'completed')
  assert.is(call.reasonCode, 'END.0202')
  assert.is(call.toNumber, at)
  assert.is(call.cost, 0)
  assert.is(call.ttsSeconds, 1)
  assert.is(call.talkSeconds, 1)
  assert.equal(rig.codes(), ['CALL.0100', 'CALL.0180', 'CALL.0200', 'CALL.0300'])
  assert.ok(rig.exchange.isEmpty)
  assert.is(rig.exchange.deadline(), undefined)
  assert.is(rig.sessions.size, 0)
})

test('a number without an owner: 404 without a row', () => {
  for (const to of ['+254799999999', '+254700000001;phone-context=evil', '+254 700 000 001', 'bob', '']) {
    const rig = rigWith('')
    rig.call(to)
    rig.run(100)
    assert.equal(
      rig.of('leg.end').map(end => end.reason),
      ['END.0404'],
      to,
    )
    assert.is(rig.store.calls.size, 0)
    assert.ok(rig.exchange.isEmpty)
  }
})

test('every way to write an owned number finds it', () => {
  for (const to of [at, '254700000001', '00254700000001', '0700000001']) {
    const rig = rigWith('<Say>x</Say>')
    rig.call(to)
    rig.run(50)
    assert.is(rig.store.calls.size, 1, to)
  }
})

test('a suspended account and an inactive number refuse with a row that their owner sees', () => {
  const suspended = rigWith('')
  suspended.store.addAccount({ ...acme, status: 'suspended' }, 0)
  suspended.call(at)
  suspended.run(100)
  assert.is(suspended.store.call().reasonCode, 'END.4403')
  assert.is(suspended.store.call().status, 'failed')
  assert.is(suspended.posts.length, 0)
  const inactive = rigWith('')
  inactive.store.numbers.set(at, { account: acme.uuid, number: own(at, '', false) })
  inactive.call(at)
  inactive.run(100)
  assert.is(inactive.store.call().reasonCode, 'END.0404')
  assert.equal(inactive.codes(), ['CALL.0100', 'CALL.0400'])
})

test('the number overrides the account, and without either the fallback runs with END.3404', () => {
  const rig = rigWith('')
  rig.store.numbers.set(at, { account: acme.uuid, number: own(at, 'https://acme.test/own') })
  rig.call(at)
  rig.run(10)
  assert.is(rig.posts[0]?.url, 'https://acme.test/own')
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
    const rig = rigWith('')
    rig.documents.set('https://acme.test/in', { fault: fault as keyof typeof reasons })
    rig.call(at)
    rig.run(200)
    assert.is(rig.store.call().reasonCode, reason)
    assert.is(rig.store.call().status, 'failed')
    assert.equal(
      rig.of('leg.end').map(end => endReasons[end.reason].sip),
      [603],
    )
    assert.ok(rig.exchange.isEmpty)
  }
})

test('a caller who gives up while the document is fetched: END.0487, the fetch is abandoned, its answer absorbed', () => {
  const rig = rigWith('<Say>Hello</Say>')
  const caller = rig.call(at)
  rig.run(10)
  rig.hangUpCaller(caller)
  rig.run(1000)
  assert.is(rig.store.call().reasonCode, 'END.0487')
  assert.is(rig.of('document.abandon').length, 1)
  assert.ok(rig.exchange.isEmpty)
  assert.ok(rig.exchange.counters.absorbed > 0)
})

test('a caller who gives up before the row is durable', () => {
  for (const after of [0, 1, 2, 3, 4]) {
    const rig = rigWith('<Say>Hello</Say>')
    const caller = rig.call(at)
    rig.run(after)
    rig.hangUpCaller(caller)
    rig.run(1000)
    assert.ok(rig.exchange.isEmpty)
    for (const call of rig.store.calls.values()) assert.is(call.reasonCode, 'END.0487')
  }
})

test('reject and busy of the document are 603 and 486', () => {
  for (const [attribute, reason] of [
    [' reason="busy"', 'END.0486'],
    [' reason="rejected"', 'END.0603'],
  ]) {
    const rig = rigWith(`<Hangup${attribute}/>`)
    rig.call(at)
    rig.run(200)
    assert.equal(
      rig.of('leg.end').map(end => end.reason),
      [reason],
    )
    assert.is(rig.store.call().reasonCode, reason)
  }
})

test('a caller without a common codec gets 488', () => {
  const rig = rigWith('<Say>Hello</Say>')
  rig.mediaFault = () => true
  rig.call(at)
  rig.run(300)
  assert.is(rig.store.call().reasonCode, 'END.0488')
  assert.equal(
    rig.of('leg.end').map(end => end.reason),
    ['END.0488'],
  )
  assert.ok(rig.exchange.isEmpty)
})

test('a delayed offer: our offer in the 200, the answer in the ACK, and only then speech', () => {
  const rig = rigWith('<Say>Hello</Say>')
  rig.call(at, { sdp: undefined })
  rig.run(2000)
  assert.is(rig.of('media.open')[0]?.offer, undefined)
  assert.is(rig.of('media.answered')[0]?.sdp, 'answer in ACK')
  const order = types(rig)
  assert.ok(order.indexOf('media.answered') < order.indexOf('media.play'))
  assert.is(rig.store.call().status, 'completed')
})

test('hold: a new offer of either side is answered by media, or refused when media cannot', () => {
  const rig = rigWith('<Pause length="1"/><Say>Hello there you</Say>')
  const caller = rig.call(at)
  rig.run(1200)
  rig.send({ type: 'leg.reoffered', legId: caller, sdp: 'hold' })
  rig.run(10)
  assert.equal(
    rig.of('leg.reanswer').map(({ sdp }) => sdp),
    ['reanswer'],
  )
  rig.send({ type: 'media.failed', legId: caller, fault: 'no-common-codec', reoffer: true })
  assert.is(rig.of('leg.refuse-reoffer').length, 1)
  assert.is(rig.store.call().status, 'answered')
  rig.run(10_000)
  assert.ok(rig.exchange.isEmpty)
})

test('on hold nothing at all comes: signalling is asked whether the peer is there, and the call goes on', () => {
  const rig = rigWith('<Pause length="1"/><Say loop="0">For ever</Say>')
  const caller = rig.call(at)
  rig.run(1200)
  rig.send({ type: 'media.quiet', legId: caller })
  rig.run(1000)
  assert.equal(rig.of('leg.probe'), [{ type: 'leg.probe', legId: caller }])
  assert.is(rig.store.call().status, 'answered')
  rig.send({ type: 'leg.ended', legId: caller, cause: { kind: 'session-expired' } })
  rig.run(1000)
  assert.equal([rig.store.call().status, rig.store.call().reasonCode], ['completed', 'END.0212'])
})

test('media learns where SIP comes from, and where it has moved to', () => {
  const rig = rigWith('<Say loop="0">For ever</Say>')
  const caller = rig.call(at, { source: '203.0.113.9' })
  rig.run(1200)
  assert.equal(rig.of('media.open')[0]?.sources, { sip: '203.0.113.9', hosts: [] })
  rig.send({ type: 'leg.reoffered', legId: caller, sdp: 'hold', source: '203.0.113.10' })
  rig.run(10)
  assert.equal(rig.of('media.reoffer')[0]?.sources, { sip: '203.0.113.10', hosts: [] })
  rig.hangUpCaller(caller)
})

test('the caller hangs up while spoken to: END.0200', () => {
  const rig = rigWith('<Say loop="0">For ever</Say>')
  const caller = rig.call(at)
  rig.run(3000)
  rig.hangUpCaller(caller)
  rig.run(100)
  const call = rig.store.call()
  assert.is(call.reasonCode, 'END.0200')
  assert.is(call.status, 'completed')
  assert.ok(rig.exchange.isEmpty)
})

test('no media: END.0212', () => {
  const rig = rigWith('<Say loop="0">For ever</Say>')
  const caller = rig.call(at)
  rig.run(3000)
  rig.send({ type: 'media.timeout', legId: caller })
  rig.run(100)
  assert.is(rig.store.call().reasonCode, 'END.0212')
  assert.ok(rig.exchange.isEmpty)
})

test('Record: row and file at once, action posted with path, duration and digit', () => {
  const rig = rigWith('<Record action="/done" maxLength="60"/>')
  rig.documents.set('https://acme.test/done', answering('<Say>Bye</Say>'))
  const caller = rig.call(at)
  rig.run(2500)
  assert.is(rig.store.recordings.size, 1)
  rig.press(caller, '#')
  rig.run(5000)
  const recording = [...rig.store.recordings.values()][0]!
  const done = rig.posts.find(post => post.url.endsWith('/done'))!
  assert.is(done.fields.RecordingPath, recording.path)
  assert.is(done.fields.Digits, '#')
  assert.is(done.fields.CallStatus, 'in-progress')
  assert.ok(recording.durationMs! > 2000)
  assert.equal(
    rig.codes().filter(code => /REC|DTMF/.test(code)),
    ['REC.0100', 'DTMF.0100', 'REC.0200'],
  )
  assert.ok(rig.exchange.isEmpty)
})

test('BYE during Record: the recording is kept, the action is posted once, and its answer is ignored', () => {
  const rig = rigWith('<Record action="/done" maxLength="60"/>')
  const caller = rig.call(at)
  rig.run(2500)
  rig.hangUpCaller(caller)
  rig.run(10_000)
  const done = rig.posts.filter(post => post.url.endsWith('/done'))
  assert.is(done.length, 1)
  assert.is(done[0]?.fields.Digits, 'hangup')
  assert.is(done[0]?.fields.CallStatus, 'completed')
  assert.is(done[0]?.fields.RecordingUuid, [...rig.store.recordings.keys()][0])
  assert.ok([...rig.store.recordings.values()][0]!.durationMs! > 0)
  assert.ok(rig.codes().includes('REC.0200'))
  assert.ok(rig.exchange.isEmpty)
})

test('media that loses the recording: REC.0400, and the call goes on to its end', () => {
  const rig = rigWith('<Record action="/done"/>')
  const caller = rig.call(at)
  rig.run(2500)
  rig.sessions.get(caller)!.records.clear()
  rig.hangUpCaller(caller)
  rig.run(60_000)
  assert.ok(rig.codes().includes('REC.0400'))
  assert.ok(rig.exchange.isEmpty)
})

test('an inbound rate holds money, and what it costs is settled with the last row', () => {
  const rig = rigWith('<Pause length="1"/><Say>Hello</Say>')
  rig.rates = [rate('+254', { direction: 'inbound', ratePerMinute: 6000, connectionFee: 100 })]
  rig.call(at)
  rig.run(10)
  assert.is(rig.store.accounts.get(acme.uuid)?.held, 6100)
  rig.run(5000)
  assert.is(rig.store.call().cost, 6100)
  assert.is(rig.store.accounts.get(acme.uuid)?.balance, 10_000_000 - 6100)
  assert.is(rig.store.accounts.get(acme.uuid)?.held, 0)
  const last = rig.store.units.at(-1)!.map(change => change.type)
  assert.equal(last, ['leg.update', 'hold.settle', 'event.append', 'call.update', 'event.append'])
})

test('an inbound call that cannot be paid: 402 with a row', () => {
  const rig = rigWith('<Say>Hello</Say>')
  rig.rates = [rate('+254', { direction: 'inbound' })]
  rig.store.addAccount(acme, 10)
  rig.call(at)
  rig.run(100)
  assert.is(rig.store.call().reasonCode, 'END.0402')
  assert.is(rig.store.holds.size, 0)
  assert.equal(
    rig.of('leg.end').map(end => end.reason),
    ['END.0402'],
  )
})

test('a failing database ends the call, and its last row is tried again', () => {
  const rig = rigWith('<Say loop="0">x</Say>')
  const caller = rig.call(at)
  rig.run(200)
  rig.failCommits = true
  rig.press(caller, '1')
  rig.run(2500)
  assert.is(rig.of('leg.end').at(-1)?.reason, 'END.5500')
  assert.is(rig.store.call().status, 'answered')
  rig.failCommits = false
  rig.run(20_000)
  assert.is(rig.store.call().reasonCode, 'END.5500')
  assert.ok(rig.exchange.isEmpty)
})

test('a missing asset raises PLAY.0404 and the next verb runs', () => {
  const rig = rigWith('<Play asset="missing"/><Say>Hello</Say>')
  rig.call(at)
  rig.run(3000)
  assert.ok(rig.codes().includes('PLAY.0404'))
  assert.is(rig.store.call().reasonCode, 'END.0202')
  assert.is(rig.of('media.play').length, 1)
})

test.run()
