import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../core/billing/destinations.ts'
import { endReasons } from '../../core/call/end-reason.ts'
import type { AccountUuid } from '../../core/model/ids.ts'
import { trunk } from '../rig/trunk.ts'
import { acme, CallRig, own, rate } from './call-rig.ts'

const at = '+254700000001'
const far = '+254733333333'
const other = '+254744444444'

function dialling(dial: string, before = ''): CallRig {
  const rig = new CallRig()
  rig.documents.set('https://acme.test/in', `<Response>${before}${dial}</Response>`)
  rig.documents.set('https://acme.test/after', '<Response><Say>Bye</Say></Response>')
  return rig
}

const dialTo = (...numbers: string[]) =>
  `<Dial action="/after">${numbers.map(number => `<Number>${number}</Number>`).join('')}</Dial>`

const action = (rig: CallRig) => {
  const posts = rig.posts.filter(post => post.url.endsWith('/after'))
  assert.is(posts.length, 1, 'one action')
  return posts[0]!.fields
}

const media = (rig: CallRig) =>
  rig.commands.map(command => command.type).filter(type => /^(leg\.|media\.(bridge|unbridge|play|stop))/.test(type))

function rested(rig: CallRig): void {
  rig.run(120_000)
  assert.ok(rig.exchange.isEmpty, 'the exchange is empty')
  assert.is(rig.exchange.deadline(), undefined)
  assert.is(rig.sessions.size, 0)
  assert.is(rig.sipLegs.size, 0)
  assert.equal(rig.logged, [])
  for (const hold of rig.store.holds.values()) assert.type(hold.charge, 'number')
  for (const account of rig.store.accounts.values()) assert.is(account.held, 0)
}

test('180, answer, bridge; the callee hangs up and the action is posted', () => {
  const rig = dialling(dialTo(far))
  rig.peers.set(far, { ringAfter: 100, answerAfter: 1000, byeAfter: 5000 })
  rig.call(at)
  rig.run(500)
  assert.equal(media(rig), ['leg.ring', 'leg.dial', 'leg.ring'])
  assert.is(rig.store.call().status, 'ringing')
  rig.run(1500)
  assert.equal(media(rig).slice(3), ['leg.answer', 'media.bridge'])
  assert.is(rig.store.call().status, 'answered')
  rested(rig)
  const fields = action(rig)
  assert.is(fields.DialCallStatus, 'completed')
  assert.is(fields.DialCallDuration, 5)
  assert.is(fields.DialReasonCode, 'END.0200')
  assert.is(fields.CallStatus, 'in-progress')
  assert.equal(
    rig.codes().filter(code => code.startsWith('DIAL')),
    ['DIAL.0100', 'DIAL.0180', 'DIAL.0200', 'DIAL.0300'],
  )
  assert.is(rig.store.call().cost, 30_000)
  assert.is(rig.store.events.find(event => event.code === 'BILL.0200')?.data.charge, '3.00')
})

test('early media reaches the caller before anybody answers', () => {
  const rig = dialling(dialTo(far))
  rig.peers.set(far, { earlyAfter: 100, answerAfter: 2000, byeAfter: 1000 })
  rig.call(at)
  rig.run(500)
  assert.equal(media(rig), ['leg.ring', 'leg.dial', 'leg.progress', 'media.bridge'])
  assert.is(rig.store.call().status, 'ringing')
  rig.run(2000)
  assert.equal(media(rig).slice(4), ['leg.answer'])
  rested(rig)
})

test('a caller who is answered already hears the ring tone until the callee is there', () => {
  const rig = dialling(dialTo(far), '<Say>Hi</Say>')
  rig.peers.set(far, { ringAfter: 100, answerAfter: 3000 })
  const caller = rig.call(at)
  rig.run(1000)
  const tone = rig.of('media.play').at(-1)
  assert.equal(tone?.source, { kind: 'tone', tone: 'ringback-ke' })
  assert.is(tone?.loop, 0)
  rig.run(3000)
  assert.equal(media(rig).slice(-2), ['media.stop', 'media.bridge'])
  rig.hangUpCaller(caller)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'completed')
  assert.is(action(rig).CallStatus, 'completed')
  assert.is(rig.store.call().reasonCode, 'END.0200')
})

test('answerOnBridge="false" answers first; an asset can be the ring tone', () => {
  const rig = dialling(`<Dial answerOnBridge="false" ringTone="jingle"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 1000 })
  const caller = rig.call(at)
  rig.run(500)
  assert.is(rig.of('leg.answer').length, 1)
  assert.equal(rig.of('media.play')[0]?.source, { kind: 'file', path: '/wav/2000' })
  rig.run(3000)
  rig.hangUpCaller(caller)
  rested(rig)
})

const outcomes = [
  ['busy', { kind: 'response', status: 486 }, 'busy', 'END.0486'],
  ['declined', { kind: 'response', status: 603 }, 'busy', 'END.0603'],
  ['unavailable', { kind: 'response', status: 480 }, 'no-answer', 'END.0480'],
  ['not found', { kind: 'response', status: 404 }, 'failed', 'END.0404'],
  ['carrier error', { kind: 'response', status: 500 }, 'failed', 'END.0500'],
  ['unreachable', { kind: 'unreachable' }, 'failed', 'END.1408'],
  ['silent', { kind: 'timeout' }, 'failed', 'END.1408'],
  ['Q.850 wins', { kind: 'response', status: 480, q850: 17 }, 'busy', 'END.0486'],
] as const

for (const [name, cause, status, reason] of outcomes) {
  test(`a dialled leg that fails, ${name}: ${status}, ${reason}`, () => {
    const rig = dialling(dialTo(far))
    rig.peers.set(far, { ringAfter: 50, endAfter: 500, cause })
    rig.call(at)
    rested(rig)
    assert.is(action(rig).DialCallStatus, status)
    assert.is(action(rig).DialReasonCode, reason)
    assert.is(action(rig).DialCallDuration, 0)
    assert.is(rig.store.charged, 0)
  })
}

test('no answer in time: the leg is cancelled', () => {
  const rig = dialling(`<Dial action="/after" timeout="5"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { ringAfter: 50 })
  rig.call(at)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(action(rig).DialReasonCode, 'END.0408')
  assert.ok(rig.of('leg.end').some(end => end.reason === 'END.0408'))
})

test('a Dial at the end of a document that fails tells an unanswered caller why', () => {
  const rig = dialling(`<Dial><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { endAfter: 500, cause: { kind: 'response', status: 486 } })
  const caller = rig.call(at)
  rested(rig)
  assert.is(rig.of('leg.end').find(end => end.legId === caller)?.reason, 'END.0486')
  assert.is(rig.store.call().reasonCode, 'END.0486')
})

test('a Dial at the end of a document whose callee hangs up ends the call as a BYE', () => {
  const rig = dialling(`<Dial><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 500, byeAfter: 2000 })
  rig.call(at)
  rested(rig)
  assert.is(rig.store.call().reasonCode, 'END.0200')
  assert.is(rig.store.call().status, 'completed')
})

test('children ring together, the first answer wins, the others are cancelled', () => {
  const rig = dialling(dialTo(far, other, '+254755555555'))
  rig.peers.set(far, { ringAfter: 50, earlyAfter: 100 })
  rig.peers.set(other, { ringAfter: 60, answerAfter: 1000, byeAfter: 3000 })
  rig.peers.set('+254755555555', { endAfter: 200 })
  rig.call(at)
  rig.run(1500)
  const [bridge, again] = rig.of('media.bridge')
  assert.is.not(bridge?.otherLegId, again?.otherLegId)
  assert.is(rig.dialled.length, 1)
  const lost = rig.of('leg.end').filter(({ reason }) => reason === 'END.0487')
  assert.equal(
    lost.map(({ isAnsweredElsewhere }) => isAnsweredElsewhere),
    [true],
  )
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'completed')
  assert.is(rig.store.charged, 30_000)
  assert.equal(rig.codes().filter(code => code === 'DIAL.0400').length, 2)
})

test('two answers at the same moment: one wins, the other is ended and not charged', () => {
  const rig = dialling(dialTo(far, other))
  rig.peers.set(far, { answerAfter: 1000, byeAfter: 3000 })
  rig.peers.set(other, { answerAfter: 1000, byeAfter: 3000 })
  rig.call(at)
  rested(rig)
  assert.is(rig.store.charged, 30_000)
  assert.is(action(rig).DialCallStatus, 'completed')
})

test('several children all failing: busy over no-answer over failed', () => {
  const rig = dialling(dialTo(far, other, '+254755555555'))
  rig.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 404 } })
  rig.peers.set(other, { endAfter: 200, cause: { kind: 'response', status: 486 } })
  rig.peers.set('+254755555555', { endAfter: 300, cause: { kind: 'response', status: 480 } })
  rig.call(at)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'busy')
})

test('sequential: the next is dialled only after the cancelled one has ended', () => {
  const rig = dialling(
    `<Dial action="/after" timeout="2" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
  )
  rig.endLatencyMs = 500
  rig.peers.set(far, { ringAfter: 50 })
  rig.peers.set(other, { answerAfter: 300, byeAfter: 1000 })
  rig.call(at)
  rig.run(2300)
  assert.is(rig.of('leg.dial').length, 1)
  rested(rig)
  assert.is(rig.of('leg.dial').length, 2)
  assert.is(action(rig).DialCallStatus, 'completed')
})

test('sequential: both time out', () => {
  const rig = dialling(
    `<Dial action="/after" timeout="2" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
  )
  rig.peers.set(far, { ringAfter: 50 })
  rig.peers.set(other, { ringAfter: 50 })
  rig.call(at)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(rig.of('leg.dial').length, 2)
})

test('trunk failover: 503, timeout and unreachable try the next with a new leg; the hold moves along', () => {
  const rig = dialling(dialTo(far))
  rig.trunks = [
    trunk('t1', { priority: 1 }),
    trunk('t2', { priority: 2 }),
    trunk('t3', { priority: 3, strip: 1, prepend: '9' }),
  ]
  rig.peers.set(`t1:${far}`, { endAfter: 100, cause: { kind: 'response', status: 503 } })
  rig.peers.set(`t2:${far}`, { endAfter: 100, cause: { kind: 'timeout' } })
  rig.peers.set(`t3:9${far.slice(1)}`, { answerAfter: 200, byeAfter: 1000 })
  rig.call(at)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'completed')
  assert.is(new Set(rig.of('leg.dial').map(dial => dial.legId)).size, 3)
  assert.is(rig.store.charged, 30_000)
  assert.is(rig.store.holds.size, 3)
  assert.equal(
    [...rig.store.legs.values()].map(leg => leg.trunkName),
    ['', 't1', 't2', 't3'].map((name, index) => (index === 0 ? 't1' : name)),
  )
  assert.equal(rig.codes().filter(code => code === 'DIAL.0100').length, 1)
})

test('a busy user is not tried by another trunk, and 5xx after every trunk is a carrier error', () => {
  const rig = dialling(dialTo(far))
  rig.trunks = [trunk('t1', { priority: 1 }), trunk('t2', { priority: 2 })]
  rig.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 486 } })
  rig.call(at)
  rested(rig)
  assert.is(rig.of('leg.dial').length, 1)
  const failing = dialling(dialTo(far))
  failing.trunks = rig.trunks
  failing.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 500 } })
  failing.call(at)
  rested(failing)
  assert.is(failing.of('leg.dial').length, 2)
  assert.is(action(failing).DialReasonCode, 'END.0500')
})

test('a full trunk is passed over; when all are full the carrier is unavailable', () => {
  const rig = dialling(dialTo(far, other))
  rig.trunks = [trunk('t1', { maxCalls: 1 })]
  rig.peers.set(far, { answerAfter: 100, byeAfter: 1000 })
  rig.peers.set(other, { answerAfter: 100, byeAfter: 1000 })
  rig.call(at)
  rested(rig)
  assert.is(rig.of('leg.dial').length, 1)
  const failed = rig.store.events.find(event => event.code === 'DIAL.0400')
  assert.is(failed?.data.reason_code, 'END.0503')
})

test('what may not be dialled: blocked, unrated, unregistered, no number, no money', () => {
  const cases = [
    ['<Number>+882131234567</Number>', 'failed', 'END.4433'],
    ['<Number>+15551234567</Number>', 'failed', 'END.4433'],
    ['<Number>1001</Number>', 'no-answer', 'END.1480'],
    ['<Client>bob@acme.test</Client>', 'no-answer', 'END.1480'],
    ['<Number>+254788888888</Number>', 'failed', 'END.0402'],
  ] as const
  for (const [child, status, reason] of cases) {
    const rig = dialling(`<Dial action="/after">${child}</Dial>`)
    rig.rates = [rate('+254'), rate('+254788', { ratePerMinute: 900_000_000 })]
    rig.destinations = new Destinations([], [])
    rig.call(at)
    rested(rig)
    assert.is(action(rig).DialCallStatus, status, child)
    assert.is(action(rig).DialReasonCode, reason, child)
    assert.equal(
      rig.codes().filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0400'],
    )
    assert.is(rig.of('leg.dial').length, 0)
  }
})

test('callerId: an owned number is presented, any other gives way to the number of the call', () => {
  for (const [callerId, presented] of [
    ['+254700000002', '+254700000002'],
    ['+254799999999', at],
    [undefined, at],
  ]) {
    const rig = dialling(
      `<Dial${callerId === undefined ? '' : ` callerId="${callerId}"`}><Number>${far}</Number></Dial>`,
    )
    rig.store.numbers.set('+254700000002', { account: acme.uuid, number: own('+254700000002') })
    rig.peers.set(far, { endAfter: 100 })
    rig.call(at)
    rested(rig)
    assert.is(rig.of('leg.dial')[0]?.from.user, presented)
  }
})

test('timeLimit ends the dialled leg with END.0210', () => {
  const rig = dialling(`<Dial action="/after" timeLimit="10"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 100 })
  rig.call(at)
  rested(rig)
  assert.is(action(rig).DialReasonCode, 'END.0210')
  assert.is(action(rig).DialCallStatus, 'completed')
  assert.is(action(rig).DialCallDuration, 10)
})

test('hangupOnStar: only the caller, only with the attribute', () => {
  const rig = dialling(`<Dial action="/after" hangupOnStar="true"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 100 })
  const caller = rig.call(at)
  rig.run(3000)
  rig.press(rig.dialled[0]!, '*')
  rig.run(500)
  assert.is(rig.dialled.length, 1)
  rig.press(caller, '*')
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'completed')
})

test('digits by INFO cross the bridge; sendDigits go out before it', () => {
  for (const options of ['', ' answerOnBridge="false"']) {
    const rig = dialling(`<Dial${options}><Number sendDigits="w12">${far}</Number></Dial>`)
    rig.peers.set(far, { answerAfter: 100 })
    const caller = rig.call(at)
    rig.run(2000)
    const order = rig.commands.map(command => command.type)
    assert.ok(order.indexOf('media.send-digits') !== -1)
    assert.ok(order.indexOf('media.send-digits') < order.indexOf('media.bridge'), options)
    rig.hangUpCaller(caller)
    rested(rig)
  }
  const rig = dialling(`<Dial><Number sendDigits="w12">${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 100 })
  const caller = rig.call(at)
  rig.run(2000)
  const [callee] = rig.dialled
  rig.send({ type: 'leg.digit', legId: caller, digit: '5', durationMs: 100 })
  assert.equal(rig.of('media.send-digits').at(-1)?.legId, callee)
  rig.send({ type: 'leg.digit', legId: callee!, digit: '6', durationMs: 100 })
  assert.equal(rig.of('media.send-digits').at(-1)?.legId, caller)
  rig.hangUpCaller(caller)
  rested(rig)
})

test('the caller gives up while it rings: the leg is cancelled, the action posted once', () => {
  const rig = dialling(dialTo(far))
  rig.peers.set(far, { ringAfter: 100 })
  const caller = rig.call(at)
  rig.run(2000)
  rig.hangUpCaller(caller)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(action(rig).DialReasonCode, 'END.0487')
  assert.is(rig.store.call().reasonCode, 'END.0487')
})

test('an answer that crosses our CANCEL is absorbed and not charged', () => {
  const rig = dialling(`<Dial action="/after" timeout="2"><Number>${far}</Number></Dial>`)
  rig.endLatencyMs = 1000
  rig.peers.set(far, { ringAfter: 100, answerAfter: 2200 })
  rig.call(at)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(rig.store.charged, 0)
})

test('a caller whose media cannot be is refused before anybody is rung', () => {
  const rig = dialling(dialTo(far))
  rig.mediaFault = legId => legId.startsWith('caller')
  rig.peers.set(far, { ringAfter: 50, answerAfter: 100 })
  rig.call(at)
  rested(rig)
  assert.is(rig.of('leg.dial').length, 0)
  assert.equal([rig.store.call().status, rig.store.call().reasonCode, rig.store.call().cost], ['failed', 'END.0488', 0])
})

test('an answer that media cannot use is none: failed, free of charge, and the caller is not answered', () => {
  const rig = dialling(dialTo(far))
  rig.answersAreUseless = true
  rig.peers.set(far, { ringAfter: 50, answerAfter: 100 })
  rig.call(at)
  rested(rig)
  const { DialCallStatus, DialCallDuration, DialReasonCode, CallStatus } = action(rig)
  assert.equal([DialCallStatus, DialCallDuration, DialReasonCode, CallStatus], ['failed', 0, 'END.0488', 'ringing'])
  assert.is(rig.store.call().cost, 0)
  assert.equal(
    rig.codes().filter(code => code.startsWith('DIAL')),
    ['DIAL.0100', 'DIAL.0180', 'DIAL.0400'],
  )
})

test('a callee whose media fails after it was answered: completed, and charged', () => {
  const rig = dialling(dialTo(far))
  rig.peers.set(far, { answerAfter: 100 })
  rig.call(at)
  rig.run(160)
  const [callee] = rig.dialled
  rig.send({ type: 'media.failed', legId: callee!, fault: 'internal', reoffer: false })
  rested(rig)
  assert.equal([action(rig).DialCallStatus, action(rig).DialReasonCode], ['completed', 'END.2408'])
})

test('a timer that fires late costs nobody another increment: what was cut ends at its last second', () => {
  const limited = dialling(`<Dial action="/after" timeLimit="60"><Number>${far}</Number></Dial>`)
  limited.timerLateMs = 7
  limited.peers.set(far, { ringAfter: 100, answerAfter: 500 })
  limited.call(at)
  limited.run(90_000)
  assert.is(action(limited).DialCallDuration, 60)
  assert.is(limited.store.call().cost, 30_000)

  const poor = dialling(dialTo(far))
  poor.timerLateMs = 7
  poor.store.addAccount(acme, 65_000)
  poor.peers.set(far, { answerAfter: 100 })
  poor.call(at)
  poor.run(180_000)
  assert.is(poor.store.call().reasonCode, 'END.0211')
  const told = poor.store.events.filter(event => event.code === 'DIAL.0300').map(event => event.data.talk_seconds)
  assert.equal([poor.store.call().cost, told], [60_000, [120]])
})

test('money that comes while the last of it runs out is taken, up to the last second', () => {
  for (const toppedUpAt of [50_000, 55_000, 58_900]) {
    const rig = dialling(dialTo(far))
    rig.store.addAccount(acme, 65_000)
    rig.peers.set(far, { answerAfter: 100 })
    rig.call(at)
    rig.run(60_000 + toppedUpAt)
    const account = rig.store.accounts.get(acme.uuid)
    if (account !== undefined) account.balance += 30_000
    rig.run(50_000)
    assert.is(rig.store.call().reasonCode, '', `topped up at ${toppedUpAt}`)
    rig.run(60_000)
    assert.equal([rig.store.call().reasonCode, rig.store.call().cost], ['END.0211', 90_000])
  }
})

test('signalling that never tells the end of a leg holds nothing up for ever', () => {
  const rig = dialling(`<Dial action="/after" timeout="2"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { ringAfter: 100 })
  rig.endLatencyMs = 10_000_000
  rig.call(at)
  rig.run(120_000)
  assert.ok(rig.exchange.isEmpty)
})

test('money that runs out: told, warned, cut at the last paid second', () => {
  const rig = dialling(dialTo(far))
  rig.store.addAccount(acme, 65_000)
  rig.peers.set(far, { answerAfter: 100 })
  rig.call(at)
  rig.run(60_000)
  rested(rig)
  const call = rig.store.call()
  assert.is(call.reasonCode, 'END.0211')
  assert.is(call.cost, 60_000)
  assert.is(call.talkSeconds, 120)
  assert.is(rig.store.accounts.get(acme.uuid)?.balance, 5000)
  assert.equal(
    rig.codes().filter(code => code.startsWith('BILL')),
    ['BILL.0100', 'BILL.0200'],
  )
  const tone = rig.of('media.play').find(play => play.source.kind === 'tone' && play.source.tone === 'warning')
  assert.ok(tone !== undefined)
})

test('a wallet that is topped up after the warning keeps the call', () => {
  const rig = dialling(dialTo(far))
  rig.store.addAccount(acme, 30_000)
  rig.peers.set(far, { answerAfter: 100, byeAfter: 90_000 })
  rig.call(at)
  rig.run(48_000)
  rig.store.accounts.get(acme.uuid)!.balance += 100_000
  rested(rig)
  assert.is(rig.store.call().reasonCode, 'END.0202')
  assert.is(rig.store.call().cost, 60_000)
})

test('a number of this switch is reached on-net: two calls, two accounts, no trunk', () => {
  const rig = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  const globex = 'globex' as AccountUuid
  rig.store.addAccount(
    { ...acme, uuid: globex, endpoints: { ...acme.endpoints, voice_inbound: 'https://globex.test/in' } },
    0,
  )
  rig.store.numbers.set(other, { account: globex, number: own(other) })
  rig.documents.set('https://globex.test/in', '<Response><Pause length="1"/><Say>This is Globex</Say></Response>')
  rig.call(at)
  rig.run(600)
  assert.is(rig.store.calls.size, 2)
  assert.is(rig.store.call(call => call.accountUuid === acme.uuid).status, 'ringing')
  rig.run(700)
  const callee = rig.store.call(call => call.accountUuid === globex)
  assert.is(callee.status, 'answered')
  assert.is(callee.direction, 'inbound')
  assert.is(callee.fromNumber, at)
  assert.is(rig.store.call(call => call.accountUuid === acme.uuid).status, 'answered')
  assert.is(rig.of('leg.dial').length, 0)
  assert.ok(rig.of('media.open').filter(open => open.onNet === true).length === 2)
  const [offered] = rig.of('media.open').filter(open => open.onNet === true && open.offer !== undefined)
  assert.match(offered?.offer ?? '', /^sdp of /)
  rested(rig)
  assert.is(action(rig).DialCallStatus, 'completed')
  assert.is(rig.store.charged, 30_000)
  assert.equal(
    [...rig.store.legs.values()].map(leg => leg.direction),
    ['inbound', 'on-net', 'on-net'],
  )
})

test('whether media is protected is the trunk’s to say, of calls that come by it and of those that go', () => {
  for (const srtp of ['off', 'optional', 'required'] as const) {
    const rig = dialling(dialTo(far))
    rig.trunks = rig.trunks.map(trunk => ({ ...trunk, srtp }))
    rig.peers.set(far, { answerAfter: 100 })
    rig.call(at)
    rig.run(200)
    const said = srtp === 'off' ? undefined : srtp
    assert.equal(
      rig.of('media.open').map(open => open.srtp),
      [said, srtp === 'optional' ? 'preferred' : said],
    )
  }
})

test('Max-Forwards crosses calls, so that carriers that send each other a call do not do so for ever', () => {
  for (const [came, goes] of [
    [undefined, 69],
    [70, 69],
    [5, 4],
    [1, 0],
  ] as const) {
    const rig = dialling(dialTo(far))
    rig.peers.set(far, { answerAfter: 100 })
    rig.call(at, came === undefined ? {} : { maxForwards: came })
    rig.run(200)
    assert.is(rig.of('leg.dial')[0]?.maxForwards, goes)
  }
  const spent = dialling(dialTo(far))
  spent.peers.set(far, { answerAfter: 100 })
  spent.call(at, { maxForwards: 0 })
  rested(spent)
  assert.is(spent.of('leg.dial').length, 0)
  assert.equal([action(spent).DialCallStatus, action(spent).DialReasonCode], ['failed', 'END.0400'])
})

test('on-net: busy and cancel pass through', () => {
  const busy = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  busy.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  busy.documents.set('https://acme.test/other', '<Response><Hangup reason="busy"/></Response>')
  busy.call(at)
  rested(busy)
  assert.is(action(busy).DialCallStatus, 'busy')
  const cancelled = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  cancelled.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  cancelled.documents.set('https://acme.test/other', '<Response><Pause length="60"/></Response>')
  const caller = cancelled.call(at)
  cancelled.run(1000)
  cancelled.hangUpCaller(caller)
  rested(cancelled)
  assert.is(cancelled.store.call(call => call.toNumber === other).reasonCode, 'END.0487')
})

test('two numbers that dial one another come to an end', () => {
  const rig = new CallRig()
  rig.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  rig.documents.set('https://acme.test/in', `<Response><Dial><Number>${other}</Number></Dial></Response>`)
  rig.documents.set('https://acme.test/other', `<Response><Dial><Number>${at}</Number></Dial></Response>`)
  rig.call(at)
  rested(rig)
  assert.is(rig.store.calls.size, 9)
  assert.ok([...rig.store.calls.values()].every(call => endReasons[call.reasonCode as 'END.0400'].sip >= 400))
})

test.run()
