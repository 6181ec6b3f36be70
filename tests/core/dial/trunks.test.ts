import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../../core/billing/destinations.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { rate } from '../bed/acme.ts'
import { action, at, dialling, dialTo, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

test('trunk failover: 503, timeout and unreachable try the next with a new leg; the hold moves along', () => {
  const bed = dialling(dialTo(far))
  bed.trunks = [
    trunk('t1', { priority: 1 }),
    trunk('t2', { priority: 2 }),
    trunk('t3', { priority: 3, strip: 1, prepend: '9' }),
  ]
  bed.peers.set(`t1:${far}`, { endAfter: 100, cause: { kind: 'response', status: 503 } })
  bed.peers.set(`t2:${far}`, { endAfter: 100, cause: { kind: 'timeout' } })
  bed.peers.set(`t3:9${far.slice(1)}`, { answerAfter: 200, byeAfter: 1000 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'completed')
  assert.is(new Set(bed.of('leg.dial').map(dial => dial.legId)).size, 3)
  assert.is(bed.store.charged, 30_000)
  assert.is(bed.store.holds.size, 3)
  assert.equal(
    [...bed.store.legs.values()].map(leg => leg.trunkName),
    ['', 't1', 't2', 't3'].map((name, index) => (index === 0 ? 't1' : name)),
  )
  assert.equal(bed.codes().filter(code => code === 'DIAL.0100').length, 1)
})

test('a busy user is not tried by another trunk, and 5xx after every trunk is a carrier error', () => {
  const bed = dialling(dialTo(far))
  bed.trunks = [trunk('t1', { priority: 1 }), trunk('t2', { priority: 2 })]
  bed.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 486 } })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.of('leg.dial').length, 1)
  const failing = dialling(dialTo(far))
  failing.trunks = bed.trunks
  failing.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 500 } })
  failing.call(at)
  expectAllEnded(failing)
  assert.is(failing.of('leg.dial').length, 2)
  assert.is(action(failing).DialReasonCode, 'END.0500')
})

test('a full trunk is passed over; when all are full the carrier is unavailable', () => {
  const bed = dialling(dialTo(far, other))
  bed.trunks = [trunk('t1', { maxCalls: 1 })]
  bed.peers.set(far, { answerAfter: 100, byeAfter: 1000 })
  bed.peers.set(other, { answerAfter: 100, byeAfter: 1000 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.of('leg.dial').length, 1)
  const failed = bed.store.events.find(event => event.code === 'DIAL.0400')
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
    const bed = dialling(`<Dial action="/after">${child}</Dial>`)
    bed.rates = [rate('+254'), rate('+254788', { ratePerMinute: 900_000_000 })]
    bed.destinations = new Destinations([], [])
    bed.call(at)
    expectAllEnded(bed)
    assert.is(action(bed).DialCallStatus, status, child)
    assert.is(action(bed).DialReasonCode, reason, child)
    assert.equal(
      bed.codes().filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0400'],
    )
    assert.is(bed.of('leg.dial').length, 0)
  }
})

test('whether media is protected is the trunk’s to say, of calls that come by it and of those that go', () => {
  for (const srtp of ['off', 'optional', 'required'] as const) {
    const bed = dialling(dialTo(far))
    bed.trunks = bed.trunks.map(trunk => ({ ...trunk, srtp }))
    bed.peers.set(far, { answerAfter: 100 })
    bed.call(at)
    bed.run(200)
    const said = srtp === 'off' ? undefined : srtp
    assert.equal(
      bed.of('media.open').map(open => open.srtp),
      [said, srtp === 'optional' ? 'preferred' : said],
    )
  }
})

test('whether media comes from the address in SDP alone is the trunk’s to say, of calls that come by it and of those that go', () => {
  for (const mediaSource of ['learned', 'signalled'] as const) {
    const bed = dialling(dialTo(far))
    bed.trunks = bed.trunks.map(trunk => ({ ...trunk, mediaSource }))
    bed.peers.set(far, { answerAfter: 100 })
    bed.call(at)
    bed.run(200)
    const said = mediaSource === 'learned' ? undefined : mediaSource
    assert.equal(
      bed.of('media.open').map(open => open.mediaSource),
      [said, said],
    )
  }
})

test.run()
