import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { causeOfRefusal, type OriginateOrder } from '../../../core/contract/originate-order.ts'
import type { AccountUuid } from '../../../core/model/ids.ts'
import type { Trunk } from '../../../core/model/trunk.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { acme, own, rate } from '../bed/acme.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { from, placing, to } from '../bed/placed-bed.ts'

const nested = (levels: number) => {
  let value: Readonly<Record<string, unknown>> = {}
  for (let level = 1; level < levels; level++) value = { value }
  return value
}

type Refused = [string, Partial<OriginateOrder>, string, ((bed: CallBed) => unknown)?]

test('what may not be placed leaves no row, no hold, no INVITE', () => {
  const cases: readonly Refused[] = [
    ['suspended', {}, 'BILL.0403', bed => bed.store.addAccount({ ...acme, status: 'suspended' }, 1e6)],
    ['not owned', { from: '+254799999999' }, 'END.0403'],
    ['inactive', {}, 'END.0403', bed => bed.own(own(from, '', false))],
    ['of another', {}, 'END.0403', bed => bed.own(own(from), 'other' as AccountUuid)],
    ['blocked', { to: '+8835100123456' }, 'END.4433'],
    ['no rate', {}, 'BILL.0404', bed => bed.rates.splice(0)],
    ['no money', {}, 'BILL.0402', bed => bed.store.addAccount(acme, 29_999)],
    ['no number', { to: '12' }, 'to'],
    ['no seconds', { timeoutSeconds: 301 }, 'timeout'],
    ['no url', { url: 'ftp://x' }, 'url'],
    ['too much payload', { customPayload: 'x'.repeat(8193) }, 'customPayload'],
    [
      'payload with a number that is none',
      { customPayload: { a: [{ b: Number.POSITIVE_INFINITY }] } },
      'customPayload',
    ],
    ['payload with a rounded number', { customPayload: { a: -(2 ** 53) } }, 'customPayload'],
    ['payload too deep', { customPayload: nested(65) }, 'customPayload'],
    ['payload far too deep', { customPayload: nested(20_000) }, 'customPayload'],
    ['text of a payload too deep', { customPayload: `{"a":${'['.repeat(64)}${']'.repeat(64)}}` }, 'customPayload'],
  ]
  for (const [name, order, why, arrange] of cases) {
    const bed = placing()
    arrange?.(bed)
    const request = bed.originate(order)
    expectAllEnded(bed)
    const reply = bed.replies.get(request)
    assert.is(reply?.ok, false, name)
    if (reply?.ok !== false) continue
    assert.is(causeOfRefusal(reply), why, name)
    assert.ok(reply.sentence.length > 0 && !reply.sentence.startsWith(why), reply.sentence)
    assert.is(bed.store.calls.size, 0)
    assert.is(bed.store.events.length, 0)
    assert.is(bed.store.holds.size, 0)
    assert.is(bed.of('leg.dial').length, 0)
  }
})

test('the scheme of a URL is written in either case (RFC 3986 §3.1)', () => {
  const bed = placing()
  bed.peers.set(to, { answerAfter: 100 })
  const url = 'HTTPS://acme.test/answered'
  const request = bed.originate({ url })
  bed.run(1_000)
  assert.ok(bed.replies.get(request)?.ok)
  assert.is(bed.posts[0]?.url, url)
})

test('exactly enough money for the first increment admits', () => {
  const bed = placing()
  bed.store.addAccount(acme, 30_000)
  const request = bed.originate()
  bed.run(100)
  assert.ok(bed.replies.get(request)?.ok)
})

test('caps: 10 calls a second, 50 live, and both free again', () => {
  const bed = placing()
  bed.peers.set(to, { ringAfter: 10 })
  const first = Array.from({ length: 11 }, () => bed.originate({ timeoutSeconds: 20 }))
  bed.run(100)
  const codes = () =>
    first.map(request => bed.replies.get(request)).map(reply => (reply?.ok === false ? causeOfRefusal(reply) : 'ok'))
  assert.equal(codes(), [...Array(10).fill('ok'), 'LIMIT.0430'])
  for (let second = 0; second < 4; second++) {
    bed.run(1100)
    first.push(...Array.from({ length: 10 }, () => bed.originate({ timeoutSeconds: 20 })))
  }
  bed.run(1100)
  first.push(bed.originate())
  bed.run(100)
  assert.is(codes().filter(code => code === 'ok').length, 50)
  assert.is(codes().at(-1), 'LIMIT.0429')
  assert.is(bed.exchange.live(acme.uuid).length, 50)
  bed.run(30_000)
  assert.is(bed.exchange.live().length, 0)
  const again = bed.originate()
  bed.run(100)
  assert.ok(bed.replies.get(again)?.ok)
  expectAllEnded(bed)
})

test('no trunk for the number: placed, then failed with END.0503', () => {
  const bed = placing()
  bed.trunks = [trunk('t1', { prefixes: ['+1'] })]
  const request = bed.originate()
  expectAllEnded(bed)
  assert.ok(bed.replies.get(request)?.ok)
  assert.is(bed.store.call().reasonCode, 'END.0503')
})

test('money is asked for before the route: without either it is 402 and nothing is left', () => {
  const unreachable: readonly Trunk[][] = [[], [trunk('t1', { prefixes: ['+1'] })]]
  for (const trunks of unreachable) {
    for (const [balance, held, admitted] of [
      [29_999, 0, false],
      [30_000, 0, true],
      [40_000, 10_001, false],
      [40_000, 10_000, true],
      [0, 0, false],
    ] as const) {
      const bed = placing()
      bed.trunks = trunks
      bed.store.accounts.set(acme.uuid, { profile: acme, balance, held })
      const request = bed.originate()
      bed.run(120_000)
      const reply = bed.replies.get(request)
      const name = `${trunks[0]?.name}, ${balance} less ${held}`
      assert.is(reply?.ok, admitted, name)
      if (reply?.ok === false) {
        assert.is(causeOfRefusal(reply), 'BILL.0402', name)
        assert.is(bed.store.calls.size, 0, name)
        assert.equal(bed.codes(), [], name)
      } else assert.is(bed.store.call().reasonCode, 'END.0503', name)
      assert.is(bed.store.holds.size, 0, name)
      assert.is(bed.dialled.length, 0, name)
    }
  }
})

test('a trunk that is full is no route either: whose money is held for the first call has none for the second', () => {
  const bed = placing()
  bed.trunks = [trunk('t1', { maxCalls: 1 })]
  bed.store.addAccount(acme, 59_999)
  bed.peers.set(to, { ringAfter: 10 })
  const first = bed.originate()
  bed.run(100)
  const second = bed.originate()
  bed.run(100)
  assert.is(bed.replies.get(first)?.ok, true)
  const refused = bed.replies.get(second)
  assert.is(refused?.ok === false && causeOfRefusal(refused), 'BILL.0402')
  assert.is(bed.store.calls.size, 1)
  expectAllEnded(bed)
})

test('a number that costs nothing needs no money, with a route or without', () => {
  const bed = placing()
  bed.trunks = []
  bed.rates = [rate('+', { ratePerMinute: 0 })]
  bed.store.addAccount(acme, 0)
  const request = bed.originate()
  expectAllEnded(bed)
  assert.ok(bed.replies.get(request)?.ok)
  assert.is(bed.store.call().reasonCode, 'END.0503')
})

test('what is kept under an Idempotency-Key commits with the call: the call as it began', () => {
  const bed = placing()
  bed.originate({ idempotencyKey: 'k' })
  bed.run(100)
  const [begun, , kept] = bed.store.units[0] ?? []
  assert.ok(begun?.type === 'call.insert' && kept?.type === 'idempotency.placed')
  assert.equal([kept.accountUuid, kept.key, kept.call], [acme.uuid, 'k', begun.call])
  assert.equal(
    bed.store.units[0]?.map(change => change.type),
    ['call.insert', 'event.append', 'idempotency.placed', 'leg.insert', 'hold.open'],
  )
})

test('a database that fails at admission: END.5500, no INVITE', () => {
  const bed = placing()
  bed.failCommits = true
  const request = bed.originate()
  bed.run(1000)
  const reply = bed.replies.get(request)
  assert.is(reply?.ok === false && causeOfRefusal(reply), 'END.5500')
  assert.is(bed.of('leg.dial').length, 0)
  assert.ok(bed.exchange.isEmpty)
})

test('a drain, then a database that fails, while the call is being stored: the API has one answer all the same', () => {
  for (const after of [0, 1, 2, 3]) {
    const bed = placing()
    bed.failCommits = true
    const request = bed.originate()
    bed.run(after)
    bed.send({ type: 'exchange.drain', deadline: bed.now })
    bed.run(1000)
    assert.is(bed.replies.get(request)?.ok, false, `drained after ${after} ms`)
    assert.is(bed.of('originate.done').length, 1)
    assert.ok(bed.exchange.isEmpty)
  }
})

test('something of ours that throws before the call is stored: the API has its answer', () => {
  const bed = placing()
  let asked = 0
  const customPayload = {
    toJSON: () => {
      // Its form is checked; then the database is asked, and it is read again.
      if (++asked > 1) throw new Error('made so')
      return {}
    },
  }
  const request = bed.originate({ customPayload })
  bed.run(1000)
  assert.is(bed.replies.get(request)?.ok, false)
  assert.is(asked, 2)
  assert.is(bed.store.units.length, 0)
})

test.run()
