import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LegUuid } from '../../../core/model/ids.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { action, at, dialling, dialTo, far } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

const media = (bed: CallBed) =>
  bed.commands.map(command => command.type).filter(type => /^(leg\.|media\.(bridge|unbridge|play|stop))/.test(type))

test('180, answer, bridge; the callee hangs up and the action is posted', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { ringAfter: 100, answerAfter: 1000, byeAfter: 5000 })
  bed.call(at)
  bed.run(500)
  assert.equal(media(bed), ['leg.ring', 'leg.dial', 'leg.ring'])
  assert.is(bed.store.call().status, 'ringing')
  bed.run(1500)
  assert.equal(media(bed).slice(3), ['leg.answer', 'media.bridge'])
  assert.is(bed.store.call().status, 'answered')
  expectAllEnded(bed)
  const fields = action(bed)
  assert.is(fields.DialCallStatus, 'completed')
  assert.is(fields.DialCallDuration, 5)
  assert.is(fields.DialReasonCode, 'END.0200')
  assert.is(fields.CallStatus, 'in-progress')
  assert.equal(
    bed.codes().filter(code => code.startsWith('DIAL')),
    ['DIAL.0100', 'DIAL.0180', 'DIAL.0200', 'DIAL.0300'],
  )
  assert.is(bed.store.call().cost, 30_000)
  assert.is(bed.store.events.find(event => event.code === 'BILL.0200')?.data.charge, '3.00')
})

test('early media reaches the caller before anybody answers', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { earlyAfter: 100, answerAfter: 2000, byeAfter: 1000 })
  bed.call(at)
  bed.run(500)
  assert.equal(media(bed), ['leg.ring', 'leg.dial', 'leg.progress', 'media.bridge'])
  assert.is(bed.store.call().status, 'ringing')
  bed.run(2000)
  assert.equal(media(bed).slice(4), ['leg.answer'])
  expectAllEnded(bed)
})

test('a new offer of either side before the answer is answered by media, or refused when it cannot be', () => {
  for (const legOf of [(caller: LegUuid) => caller, (_: LegUuid, bed: CallBed) => bed.dialled[0]!]) {
    const bed = dialling(dialTo(far))
    bed.peers.set(far, { earlyAfter: 100 })
    const caller = bed.call(at)
    bed.run(500)
    const legId = legOf(caller, bed)
    bed.send({ type: 'leg.reoffered', legId, sdp: 'moved' })
    assert.equal(bed.of('media.reoffer').at(-1), { type: 'media.reoffer', legId, offer: 'moved' })
    bed.run(10)
    assert.equal(bed.of('leg.reanswer'), [{ type: 'leg.reanswer', legId, sdp: 'reanswer' }])
    bed.send({ type: 'media.failed', legId, fault: 'no-common-codec', reoffer: true })
    assert.equal(bed.of('leg.refuse-reoffer'), [{ type: 'leg.refuse-reoffer', legId }])
    const agreed = bed.of('media.answered').length
    bed.send({ type: 'leg.answered', legId: bed.dialled[0]! })
    assert.is(bed.of('media.answered').length, agreed, 'a 200 without a description changes nothing')
    bed.run(1000)
    assert.equal([bed.store.call().status, bed.of('media.bridge').length], ['answered', 1])
    bed.hangUpCaller(caller)
    expectAllEnded(bed)
  }
})

test('a caller that is answered already hears the ring tone until the callee answers', () => {
  const bed = dialling(dialTo(far), '<Say>Hi</Say>')
  bed.peers.set(far, { ringAfter: 100, answerAfter: 3000 })
  const caller = bed.call(at)
  bed.run(1000)
  const tone = bed.of('media.play').at(-1)
  assert.equal(tone?.source, { kind: 'tone', tone: 'ringback-ke' })
  assert.is(tone?.loop, 0)
  bed.run(3000)
  assert.equal(media(bed).slice(-2), ['media.stop', 'media.bridge'])
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'completed')
  assert.is(action(bed).CallStatus, 'completed')
  assert.is(bed.store.call().reasonCode, 'END.0200')
})

test('answerOnBridge="false" answers first; an asset can be the ring tone', () => {
  const bed = dialling(`<Dial answerOnBridge="false" ringTone="jingle"><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { answerAfter: 1000 })
  const caller = bed.call(at)
  bed.run(500)
  assert.is(bed.of('leg.answer').length, 1)
  assert.equal(bed.of('media.play')[0]?.source, { kind: 'file', path: '/wav/2000' })
  bed.run(3000)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
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
    const bed = dialling(dialTo(far))
    bed.peers.set(far, { ringAfter: 50, endAfter: 500, cause })
    bed.call(at)
    expectAllEnded(bed)
    assert.is(action(bed).DialCallStatus, status)
    assert.is(action(bed).DialReasonCode, reason)
    assert.is(action(bed).DialCallDuration, 0)
    assert.is(bed.store.charged, 0)
  })
}

test('no answer in time: the leg is cancelled', () => {
  const bed = dialling(`<Dial action="/after" timeout="5"><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { ringAfter: 50 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'no-answer')
  assert.is(action(bed).DialReasonCode, 'END.0408')
  assert.ok(bed.of('leg.end').some(end => end.reason === 'END.0408'))
})

test('a failed Dial at the end of a document gives an unanswered caller the reason', () => {
  const bed = dialling(`<Dial><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { endAfter: 500, cause: { kind: 'response', status: 486 } })
  const caller = bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.of('leg.end').find(end => end.legId === caller)?.reason, 'END.0486')
  assert.is(bed.store.call().reasonCode, 'END.0486')
})

test('a Dial at the end of a document whose callee hangs up ends the call as a BYE', () => {
  const bed = dialling(`<Dial><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { answerAfter: 500, byeAfter: 2000 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.store.call().reasonCode, 'END.0200')
  assert.is(bed.store.call().status, 'completed')
})

test('timeLimit ends the dialled leg with END.0210', () => {
  const bed = dialling(`<Dial action="/after" timeLimit="10"><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { answerAfter: 100 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(action(bed).DialReasonCode, 'END.0210')
  assert.is(action(bed).DialCallStatus, 'completed')
  assert.is(action(bed).DialCallDuration, 10)
})

test('hangupOnStar: only the caller, only with the attribute', () => {
  const bed = dialling(`<Dial action="/after" hangupOnStar="true"><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { answerAfter: 100 })
  const caller = bed.call(at)
  bed.run(3000)
  bed.press(bed.dialled[0]!, '*')
  bed.run(500)
  assert.is(bed.dialled.length, 1)
  bed.press(caller, '*')
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'completed')
})

test('a document whose Dials end at once, again and again, is slowed down, and its events are bounded', () => {
  const dead = `<Dial>${'<Client>x</Client>'.repeat(10)}</Dial>`
  const bed = dialling(`${dead.repeat(300)}<Redirect>/in</Redirect>`)
  const caller = bed.call(at)
  bed.run(20_000)
  const events = bed.codes().filter(code => code.startsWith('DIAL')).length
  // Ten Dials at once and one a second, each of ten children with two events.
  assert.ok(events > 10 * 20 && events <= 32 * 20, `${events} events in 20 s`)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
  // Ten in a row are what a document may well do.
  const few = dialling(`${'<Dial><Client>x</Client></Dial>'.repeat(9)}<Dial action="/after"><Client>x</Client></Dial>`)
  few.call(at)
  few.run(1000)
  assert.is(action(few).DialReasonCode, 'END.1480')
  expectAllEnded(few)
})

test('a caller who leaves during the pause after a Dial: its action is posted at once, as it ended', () => {
  const dead = '<Dial><Client>x</Client></Dial>'
  const bed = dialling(`${dead.repeat(10)}<Dial action="/after"><Client>x</Client></Dial>`)
  const caller = bed.call(at)
  bed.run(500)
  assert.is(bed.posts.filter(post => post.url.endsWith('/after')).length, 0)
  bed.hangUpCaller(caller)
  bed.run(500)
  assert.is(bed.posts.filter(post => post.url.endsWith('/after')).length, 1)
  assert.is(action(bed).DialReasonCode, 'END.1480')
  expectAllEnded(bed)
})

test('a flood of digits by INFO is absorbed; a phone that dials a card number by them is not cut short', () => {
  const bed = dialling('<Gather numDigits="256" timeout="60"/>')
  const caller = bed.call(at)
  bed.run(500)
  const send = () => bed.send({ type: 'leg.digit', legId: caller, digit: '5', durationMs: 100 })
  for (let digit = 0; digit < 60; digit++) send()
  bed.run(50)
  assert.is(bed.codes().filter(code => code === 'DTMF.0100').length, 60)
  for (let ms = 0; ms < 1000; ms++) {
    bed.at(ms, send)
  }
  bed.run(2000)
  const events = bed.codes().filter(code => code === 'DTMF.0100').length
  assert.ok(events <= 64 + 26, `${events} digits of 1,060`)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
})

test('digits by INFO cross the bridge; sendDigits go out before it', () => {
  for (const options of ['', ' answerOnBridge="false"']) {
    const bed = dialling(`<Dial${options}><Number sendDigits="w12">${far}</Number></Dial>`)
    bed.peers.set(far, { answerAfter: 100 })
    const caller = bed.call(at)
    bed.run(2000)
    const order = bed.commands.map(command => command.type)
    assert.ok(order.indexOf('media.send-digits') !== -1)
    assert.ok(order.indexOf('media.send-digits') < order.indexOf('media.bridge'), options)
    bed.hangUpCaller(caller)
    expectAllEnded(bed)
  }
  const bed = dialling(`<Dial><Number sendDigits="w12">${far}</Number></Dial>`)
  bed.peers.set(far, { answerAfter: 100 })
  const caller = bed.call(at)
  bed.run(2000)
  const [callee] = bed.dialled
  bed.send({ type: 'leg.digit', legId: caller, digit: '5', durationMs: 100 })
  assert.equal(bed.of('media.send-digits').at(-1)?.legId, callee)
  bed.send({ type: 'leg.digit', legId: callee!, digit: '6', durationMs: 100 })
  assert.equal(bed.of('media.send-digits').at(-1)?.legId, caller)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
})

test('the caller gives up while it rings: the leg is cancelled, the action posted once', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { ringAfter: 100 })
  const caller = bed.call(at)
  bed.run(2000)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'no-answer')
  assert.is(action(bed).DialReasonCode, 'END.0487')
  assert.is(bed.store.call().reasonCode, 'END.0487')
})

test('an answer that crosses our CANCEL is absorbed and not charged', () => {
  const bed = dialling(`<Dial action="/after" timeout="2"><Number>${far}</Number></Dial>`)
  bed.endLatencyMs = 1000
  bed.peers.set(far, { ringAfter: 100, answerAfter: 2200 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'no-answer')
  assert.is(bed.store.charged, 0)
})

test('a caller whose media cannot be is refused before anybody is rung', () => {
  const bed = dialling(dialTo(far))
  bed.mediaFault = legId => legId.startsWith('caller')
  bed.peers.set(far, { ringAfter: 50, answerAfter: 100 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.of('leg.dial').length, 0)
  assert.equal([bed.store.call().status, bed.store.call().reasonCode, bed.store.call().cost], ['failed', 'END.0488', 0])
})

test('an answer that media cannot use is none: failed, free of charge, and the caller is not answered', () => {
  const bed = dialling(dialTo(far))
  bed.answersAreUseless = true
  bed.peers.set(far, { ringAfter: 50, answerAfter: 100 })
  bed.call(at)
  expectAllEnded(bed)
  const { DialCallStatus, DialCallDuration, DialReasonCode, CallStatus } = action(bed)
  assert.equal([DialCallStatus, DialCallDuration, DialReasonCode, CallStatus], ['failed', 0, 'END.0488', 'ringing'])
  assert.is(bed.store.call().cost, 0)
  assert.equal(
    bed.codes().filter(code => code.startsWith('DIAL')),
    ['DIAL.0100', 'DIAL.0180', 'DIAL.0400'],
  )
})

test('a callee whose media fails after it was answered: completed, and charged', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { answerAfter: 100 })
  bed.call(at)
  bed.run(160)
  const [callee] = bed.dialled
  bed.send({ type: 'media.failed', legId: callee!, fault: 'internal', reoffer: false })
  expectAllEnded(bed)
  assert.equal([action(bed).DialCallStatus, action(bed).DialReasonCode], ['completed', 'END.2408'])
})

test('a leg whose end signalling never reports delays nothing for ever', () => {
  const bed = dialling(`<Dial action="/after" timeout="2"><Number>${far}</Number></Dial>`)
  bed.peers.set(far, { ringAfter: 100 })
  bed.endLatencyMs = 10_000_000
  bed.call(at)
  bed.run(120_000)
  assert.ok(bed.exchange.isEmpty)
})

test.run()
