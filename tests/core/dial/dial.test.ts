import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LegUuid } from '../../../core/model/ids.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { action, at, dialling, dialTo, far } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

const media = (rig: CallBed) =>
  rig.commands.map(command => command.type).filter(type => /^(leg\.|media\.(bridge|unbridge|play|stop))/.test(type))

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
  expectAllEnded(rig)
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
  expectAllEnded(rig)
})

test('a new offer of either side before the answer is answered by media, or refused when it cannot be', () => {
  for (const legOf of [(caller: LegUuid) => caller, (_: LegUuid, rig: CallBed) => rig.dialled[0]!]) {
    const rig = dialling(dialTo(far))
    rig.peers.set(far, { earlyAfter: 100 })
    const caller = rig.call(at)
    rig.run(500)
    const legId = legOf(caller, rig)
    rig.send({ type: 'leg.reoffered', legId, sdp: 'moved' })
    assert.equal(rig.of('media.reoffer').at(-1), { type: 'media.reoffer', legId, offer: 'moved' })
    rig.run(10)
    assert.equal(rig.of('leg.reanswer'), [{ type: 'leg.reanswer', legId, sdp: 'reanswer' }])
    rig.send({ type: 'media.failed', legId, fault: 'no-common-codec', reoffer: true })
    assert.equal(rig.of('leg.refuse-reoffer'), [{ type: 'leg.refuse-reoffer', legId }])
    const agreed = rig.of('media.answered').length
    rig.send({ type: 'leg.answered', legId: rig.dialled[0]! })
    assert.is(rig.of('media.answered').length, agreed, 'a 200 without a description changes nothing')
    rig.run(1000)
    assert.equal([rig.store.call().status, rig.of('media.bridge').length], ['answered', 1])
    rig.hangUpCaller(caller)
    expectAllEnded(rig)
  }
})

test('a caller that is answered already hears the ring tone until the callee answers', () => {
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
  expectAllEnded(rig)
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
  expectAllEnded(rig)
})

const outcomes = [
  ['busy', { kind: 'response', status: 486 }, 'busy', 'END.0486'],
  ['declined', { kind: 'response', status: 603 }, 'busy', 'END.0603'],
  ['unavailable', { kind: 'response', status: 480 }, 'no-answer', 'END.0480'],
  ['redirected, which is not followed', { kind: 'response', status: 302 }, 'failed', 'END.0410'],
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
    expectAllEnded(rig)
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
  expectAllEnded(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(action(rig).DialReasonCode, 'END.0408')
  assert.ok(rig.of('leg.end').some(end => end.reason === 'END.0408'))
})

test('a failed Dial at the end of a document gives an unanswered caller the reason', () => {
  const rig = dialling(`<Dial><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { endAfter: 500, cause: { kind: 'response', status: 486 } })
  const caller = rig.call(at)
  expectAllEnded(rig)
  assert.is(rig.of('leg.end').find(end => end.legId === caller)?.reason, 'END.0486')
  assert.is(rig.store.call().reasonCode, 'END.0486')
})

test('a Dial at the end of a document whose callee hangs up ends the call as a BYE', () => {
  const rig = dialling(`<Dial><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 500, byeAfter: 2000 })
  rig.call(at)
  expectAllEnded(rig)
  assert.is(rig.store.call().reasonCode, 'END.0200')
  assert.is(rig.store.call().status, 'completed')
})

test('timeLimit ends the dialled leg with END.0210', () => {
  const rig = dialling(`<Dial action="/after" timeLimit="10"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { answerAfter: 100 })
  rig.call(at)
  expectAllEnded(rig)
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
  expectAllEnded(rig)
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
    expectAllEnded(rig)
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
  expectAllEnded(rig)
})

test('the caller gives up while it rings: the leg is cancelled, the action posted once', () => {
  const rig = dialling(dialTo(far))
  rig.peers.set(far, { ringAfter: 100 })
  const caller = rig.call(at)
  rig.run(2000)
  rig.hangUpCaller(caller)
  expectAllEnded(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(action(rig).DialReasonCode, 'END.0487')
  assert.is(rig.store.call().reasonCode, 'END.0487')
})

test('an answer that crosses our CANCEL is absorbed and not charged', () => {
  const rig = dialling(`<Dial action="/after" timeout="2"><Number>${far}</Number></Dial>`)
  rig.endLatencyMs = 1000
  rig.peers.set(far, { ringAfter: 100, answerAfter: 2200 })
  rig.call(at)
  expectAllEnded(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(rig.store.charged, 0)
})

test('a caller whose media cannot be is refused before anybody is rung', () => {
  const rig = dialling(dialTo(far))
  rig.mediaFault = legId => legId.startsWith('caller')
  rig.peers.set(far, { ringAfter: 50, answerAfter: 100 })
  rig.call(at)
  expectAllEnded(rig)
  assert.is(rig.of('leg.dial').length, 0)
  assert.equal([rig.store.call().status, rig.store.call().reasonCode, rig.store.call().cost], ['failed', 'END.0488', 0])
})

test('an answer that media cannot use is none: failed, free of charge, and the caller is not answered', () => {
  const rig = dialling(dialTo(far))
  rig.answersAreUseless = true
  rig.peers.set(far, { ringAfter: 50, answerAfter: 100 })
  rig.call(at)
  expectAllEnded(rig)
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
  expectAllEnded(rig)
  assert.equal([action(rig).DialCallStatus, action(rig).DialReasonCode], ['completed', 'END.2408'])
})

test('a leg whose end signalling never reports delays nothing for ever', () => {
  const rig = dialling(`<Dial action="/after" timeout="2"><Number>${far}</Number></Dial>`)
  rig.peers.set(far, { ringAfter: 100 })
  rig.endLatencyMs = 10_000_000
  rig.call(at)
  rig.run(120_000)
  assert.ok(rig.exchange.isEmpty)
})

test.run()
