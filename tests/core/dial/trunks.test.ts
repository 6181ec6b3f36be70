import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../../core/billing/destinations.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { rate } from '../bed/acme.ts'
import { action, at, dialling, dialTo, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

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
  expectAllEnded(rig)
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
  expectAllEnded(rig)
  assert.is(rig.of('leg.dial').length, 1)
  const failing = dialling(dialTo(far))
  failing.trunks = rig.trunks
  failing.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 500 } })
  failing.call(at)
  expectAllEnded(failing)
  assert.is(failing.of('leg.dial').length, 2)
  assert.is(action(failing).DialReasonCode, 'END.0500')
})

test('a full trunk is passed over; when all are full the carrier is unavailable', () => {
  const rig = dialling(dialTo(far, other))
  rig.trunks = [trunk('t1', { maxCalls: 1 })]
  rig.peers.set(far, { answerAfter: 100, byeAfter: 1000 })
  rig.peers.set(other, { answerAfter: 100, byeAfter: 1000 })
  rig.call(at)
  expectAllEnded(rig)
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
    expectAllEnded(rig)
    assert.is(action(rig).DialCallStatus, status, child)
    assert.is(action(rig).DialReasonCode, reason, child)
    assert.equal(
      rig.codes().filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0400'],
    )
    assert.is(rig.of('leg.dial').length, 0)
  }
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

test.run()
