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

type Refused = [string, Partial<OriginateOrder>, string, ((rig: CallBed) => unknown)?]

test('what may not be placed leaves no row, no hold, no INVITE', () => {
  const cases: readonly Refused[] = [
    ['suspended', {}, 'BILL.0403', rig => rig.store.addAccount({ ...acme, status: 'suspended' }, 1e6)],
    ['not owned', { from: '+254799999999' }, 'END.0403'],
    ['inactive', {}, 'END.0403', rig => rig.own(own(from, '', false))],
    ['of another', {}, 'END.0403', rig => rig.own(own(from), 'other' as AccountUuid)],
    ['blocked', { to: '+8835100123456' }, 'END.4433'],
    ['no rate', {}, 'BILL.0404', rig => rig.rates.splice(0)],
    ['no money', {}, 'BILL.0402', rig => rig.store.addAccount(acme, 29_999)],
    ['no number', { to: '12' }, 'to'],
    ['no seconds', { timeoutSeconds: 301 }, 'timeout'],
    ['no url', { url: 'ftp://x' }, 'url'],
    ['too much payload', { customPayload: 'x'.repeat(8193) }, 'customPayload'],
  ]
  for (const [name, order, why, arrange] of cases) {
    const rig = placing()
    arrange?.(rig)
    const request = rig.originate(order)
    expectAllEnded(rig)
    const reply = rig.replies.get(request)
    assert.is(reply?.ok, false, name)
    if (reply?.ok !== false) continue
    assert.is(causeOfRefusal(reply), why, name)
    assert.ok(reply.sentence !== '' && !reply.sentence.startsWith(why), reply.sentence)
    assert.is(rig.store.calls.size, 0)
    assert.is(rig.store.events.length, 0)
    assert.is(rig.store.holds.size, 0)
    assert.is(rig.of('leg.dial').length, 0)
  }
})

test('exactly enough money for the first increment admits', () => {
  const rig = placing()
  rig.store.addAccount(acme, 30_000)
  const request = rig.originate()
  rig.run(100)
  assert.ok(rig.replies.get(request)?.ok)
})

test('caps: 10 calls a second, 50 live, and both free again', () => {
  const rig = placing()
  rig.peers.set(to, { ringAfter: 10 })
  const first = Array.from({ length: 11 }, () => rig.originate({ timeoutSeconds: 20 }))
  rig.run(100)
  const codes = () =>
    first.map(request => rig.replies.get(request)).map(reply => (reply?.ok === false ? causeOfRefusal(reply) : 'ok'))
  assert.equal(codes(), [...Array(10).fill('ok'), 'LIMIT.0430'])
  for (let second = 0; second < 4; second++) {
    rig.run(1100)
    first.push(...Array.from({ length: 10 }, () => rig.originate({ timeoutSeconds: 20 })))
  }
  rig.run(1100)
  first.push(rig.originate())
  rig.run(100)
  assert.is(codes().filter(code => code === 'ok').length, 50)
  assert.is(codes().at(-1), 'LIMIT.0429')
  assert.is(rig.exchange.live(acme.uuid).length, 50)
  rig.run(30_000)
  assert.is(rig.exchange.live().length, 0)
  const again = rig.originate()
  rig.run(100)
  assert.ok(rig.replies.get(again)?.ok)
  expectAllEnded(rig)
})

test('no trunk for the number: placed, then failed with END.0503', () => {
  const rig = placing()
  rig.trunks = [trunk('t1', { prefixes: ['+1'] })]
  const request = rig.originate()
  expectAllEnded(rig)
  assert.ok(rig.replies.get(request)?.ok)
  assert.is(rig.store.call().reasonCode, 'END.0503')
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
      const rig = placing()
      rig.trunks = trunks
      rig.store.accounts.set(acme.uuid, { profile: acme, balance, held })
      const request = rig.originate()
      rig.run(120_000)
      const reply = rig.replies.get(request)
      const name = `${trunks[0]?.name}, ${balance} less ${held}`
      assert.is(reply?.ok, admitted, name)
      if (reply?.ok === false) {
        assert.is(causeOfRefusal(reply), 'BILL.0402', name)
        assert.is(rig.store.calls.size, 0, name)
        assert.equal(rig.codes(), [], name)
      } else assert.is(rig.store.call().reasonCode, 'END.0503', name)
      assert.is(rig.store.holds.size, 0, name)
      assert.is(rig.dialled.length, 0, name)
    }
  }
})

test('a trunk that is full is no route either: whose money is held for the first call has none for the second', () => {
  const rig = placing()
  rig.trunks = [trunk('t1', { maxCalls: 1 })]
  rig.store.addAccount(acme, 59_999)
  rig.peers.set(to, { ringAfter: 10 })
  const first = rig.originate()
  rig.run(100)
  const second = rig.originate()
  rig.run(100)
  assert.is(rig.replies.get(first)?.ok, true)
  const refused = rig.replies.get(second)
  assert.is(refused?.ok === false && causeOfRefusal(refused), 'BILL.0402')
  assert.is(rig.store.calls.size, 1)
  expectAllEnded(rig)
})

test('a number that costs nothing needs no money, with a route or without', () => {
  const rig = placing()
  rig.trunks = []
  rig.rates = [rate('+', { ratePerMinute: 0 })]
  rig.store.addAccount(acme, 0)
  const request = rig.originate()
  expectAllEnded(rig)
  assert.ok(rig.replies.get(request)?.ok)
  assert.is(rig.store.call().reasonCode, 'END.0503')
})

test('the stored answer of an Idempotency-Key commits with the call', () => {
  const rig = placing()
  rig.originate({
    alongWith: call => [
      { type: 'idempotency.complete', accountUuid: acme.uuid, key: 'k', status: 201, body: call.sid },
    ],
  })
  rig.run(100)
  assert.equal(
    rig.store.units[0]?.map(change => change.type),
    ['call.insert', 'event.append', 'idempotency.complete', 'leg.insert', 'hold.open'],
  )
})

test('a database that fails at admission: END.5500, no INVITE', () => {
  const rig = placing()
  rig.failCommits = true
  const request = rig.originate()
  rig.run(1000)
  const reply = rig.replies.get(request)
  assert.is(reply?.ok === false && causeOfRefusal(reply), 'END.5500')
  assert.is(rig.of('leg.dial').length, 0)
  assert.ok(rig.exchange.isEmpty)
})

test('a drain, then a database that fails, while the call is being stored: the API has one answer all the same', () => {
  for (const after of [0, 1, 2, 3]) {
    const rig = placing()
    rig.failCommits = true
    const request = rig.originate()
    rig.run(after)
    rig.send({ type: 'exchange.drain', deadline: rig.now })
    rig.run(1000)
    assert.is(rig.replies.get(request)?.ok, false, `drained after ${after} ms`)
    assert.is(rig.of('originate.done').length, 1)
    assert.ok(rig.exchange.isEmpty)
  }
})

test('something of ours that throws before the call is stored: the API has its answer', () => {
  const rig = placing()
  const request = rig.originate({
    alongWith: () => {
      throw new Error('made so')
    },
  })
  rig.run(1000)
  assert.is(rig.replies.get(request)?.ok, false)
  assert.is(rig.store.units.length, 0)
})

test.run()
