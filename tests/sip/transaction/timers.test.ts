import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inviteClient } from '../../../sip/transaction/invite-client.ts'
import { inviteServer } from '../../../sip/transaction/invite-server.ts'
import { nonInviteClient } from '../../../sip/transaction/non-invite-client.ts'
import { Timer, TimerQueue } from '../../../sip/transaction/timer-queue.ts'
import type { TimerOwner } from '../../../sip/transaction/transaction.ts'
import { bench, give, methodOf, start } from '../bed/transaction-bed.ts'

test('INVITE: sent at 0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5 s, given up at 32 s (RFC 3261 §17.1.1.2)', () => {
  const b = bench('udp')
  start(b, inviteClient)
  b.run(100_000)
  assert.equal(b.log, [
    '0 send INVITE',
    '500 send INVITE',
    '1500 send INVITE',
    '3500 send INVITE',
    '7500 send INVITE',
    '15500 send INVITE',
    '31500 send INVITE',
    '32000 timeout',
    '32000 finished',
  ])
})

test('OPTIONS: doubles up to T2, and every T2 once proceeding (§17.1.2.2)', () => {
  const b = bench('udp')
  const transaction = start(b, nonInviteClient)
  b.run(600)
  give(b, nonInviteClient, transaction, '1xx')
  b.run(100_000)
  assert.equal(b.log, [
    '0 send OPTIONS',
    '500 send OPTIONS',
    '600 up 180',
    ...[1500, 5500, 9500, 13500, 17500, 21500, 25500, 29500].map(at => `${at} send OPTIONS`),
    '32000 timeout',
    '32000 finished',
  ])
})

test('a final response to INVITE is repeated until the ACK, at most 64 × T1 (§17.2.1)', () => {
  const b = bench('udp')
  const transaction = start(b, inviteServer)
  give(b, inviteServer, transaction, 'send-3xx-6xx')
  b.run(8000)
  give(b, inviteServer, transaction, 'ack')
  b.run(100_000)
  assert.equal(b.log, [...[0, 500, 1500, 3500, 7500].map(at => `${at} send 486`), '13000 finished'])
})

test('nothing is repeated over a reliable transport, and D, I, J, K are zero', () => {
  for (const table of [inviteClient, nonInviteClient] as const) {
    const b = bench('tcp')
    start(b, table)
    b.run(31_000)
    assert.is(b.log.length, 1)
    b.layer.responseArrived(b.response(486, methodOf(table)), b.at())
    b.run(31_000)
    assert.is(b.layer.clients.size, 0)
  }
})

test('deadlines come out in order whatever is set, moved and stopped', () => {
  const queue = new TimerQueue<TimerOwner>()
  let seed = 7
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed
  }
  const all = Array.from({ length: 200 }, (_, at) => new Timer<TimerOwner>({ expired: () => {} }, String(at)))
  for (let step = 0; step < 5000; step++) {
    const timer = all[next() % all.length]
    if (timer === undefined) continue
    if (next() % 3 === 0) queue.stop(timer)
    else queue.set(timer, next() % 1000)
  }
  const expected = all.filter(timer => timer.running).map(timer => timer.at)
  const got: number[] = []
  for (let timer = queue.takeExpired(5000); timer !== undefined; timer = queue.takeExpired(5000)) got.push(timer.at)
  assert.equal(
    got,
    expected.sort((a, b) => a - b),
  )
  assert.is(queue.running.length, 0)
})

test.run()
