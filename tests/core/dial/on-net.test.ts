import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endReasons } from '../../../core/model/end-reason.ts'
import type { AccountUuid } from '../../../core/model/ids.ts'
import { acme, own } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'
import { action, at, dialling, dialTo, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

test('a number of this switch is reached on-net: two calls, two accounts, no trunk', () => {
  const bed = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  const globex = 'globex' as AccountUuid
  bed.store.addAccount(
    { ...acme, uuid: globex, endpoints: { ...acme.endpoints, voice_inbound: 'https://globex.test/in' } },
    0,
  )
  bed.store.numbers.set(other, { account: globex, number: own(other) })
  bed.documents.set('https://globex.test/in', '<Response><Pause length="1"/><Say>This is Globex</Say></Response>')
  bed.call(at)
  bed.run(600)
  assert.is(bed.store.calls.size, 2)
  assert.is(bed.store.call(call => call.accountUuid === acme.uuid).status, 'ringing')
  bed.run(700)
  const callee = bed.store.call(call => call.accountUuid === globex)
  assert.is(callee.status, 'answered')
  assert.is(callee.direction, 'inbound')
  assert.is(callee.fromNumber, at)
  assert.is(bed.store.call(call => call.accountUuid === acme.uuid).status, 'answered')
  assert.is(bed.of('leg.dial').length, 0)
  assert.ok(bed.of('media.open').filter(open => open.onNet === true).length === 2)
  const [offered] = bed.of('media.open').filter(open => open.onNet === true && open.offer !== undefined)
  assert.match(offered?.offer ?? '', /^sdp of /)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'completed')
  assert.is(bed.store.charged, 30_000)
  assert.equal(
    [...bed.store.legs.values()].map(leg => leg.direction),
    ['inbound', 'on-net', 'on-net'],
  )
})

test('Max-Forwards crosses calls, so that carriers that send each other a call do not do so for ever', () => {
  for (const [came, goes] of [
    [undefined, 69],
    [70, 69],
    [5, 4],
    [1, 0],
  ] as const) {
    const bed = dialling(dialTo(far))
    bed.peers.set(far, { answerAfter: 100 })
    bed.call(at, came === undefined ? {} : { maxForwards: came })
    bed.run(200)
    assert.is(bed.of('leg.dial')[0]?.maxForwards, goes)
  }
  const spent = dialling(dialTo(far))
  spent.peers.set(far, { answerAfter: 100 })
  spent.call(at, { maxForwards: 0 })
  expectAllEnded(spent)
  assert.is(spent.of('leg.dial').length, 0)
  assert.equal([action(spent).DialCallStatus, action(spent).DialReasonCode], ['failed', 'END.0400'])
})

test('on-net: busy and cancel pass through', () => {
  const busy = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  busy.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  busy.documents.set('https://acme.test/other', '<Response><Hangup reason="busy"/></Response>')
  busy.call(at)
  expectAllEnded(busy)
  assert.is(action(busy).DialCallStatus, 'busy')
  const cancelled = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  cancelled.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  cancelled.documents.set('https://acme.test/other', '<Response><Pause length="60"/></Response>')
  const caller = cancelled.call(at)
  cancelled.run(1000)
  cancelled.hangUpCaller(caller)
  expectAllEnded(cancelled)
  assert.is(cancelled.store.call(call => call.toNumber === other).reasonCode, 'END.0487')
})

test('on-net: a number whose document failed and whose fallback drops the call has declined it', () => {
  for (const [fault, reason] of [
    ['timeout', 'END.3408'],
    ['status', 'END.3502'],
    ['not-found', 'END.3404'],
  ] as const) {
    const bed = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
    bed.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
    bed.documents.set('https://acme.test/other', { fault })
    bed.call(at)
    expectAllEnded(bed)
    assert.is(bed.store.call(call => call.toNumber === other).reasonCode, reason)
    // No carrier took part: END.0503 would say so.
    assert.is(action(bed).DialReasonCode, 'END.0603')
  }
})

test('two numbers that dial one another come to an end', () => {
  const bed = new CallBed()
  bed.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  bed.documents.set('https://acme.test/in', `<Response><Dial><Number>${other}</Number></Dial></Response>`)
  bed.documents.set('https://acme.test/other', `<Response><Dial><Number>${at}</Number></Dial></Response>`)
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.store.calls.size, 9)
  assert.ok([...bed.store.calls.values()].every(call => endReasons[call.reasonCode as 'END.0400'].sip >= 400))
  assert.is(bed.store.events.find(({ code }) => code === 'DIAL.0400')?.data.reason_code, 'END.3482')
})

test.run()
