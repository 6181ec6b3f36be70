import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRequest } from '../../../sip/transaction/incoming.ts'
import { inviteClient } from '../../../sip/transaction/invite-client.ts'
import { inviteServer } from '../../../sip/transaction/invite-server.ts'
import { nonInviteClient } from '../../../sip/transaction/non-invite-client.ts'
import { nonInviteServer } from '../../../sip/transaction/non-invite-server.ts'
import type { Table, TransactionInput } from '../../../sip/transaction/table.ts'
import { bench, give, requestOf, start, statusOf } from '../bed/transaction-bed.ts'

const inputs: readonly TransactionInput[] = [
  '1xx',
  '2xx',
  '3xx-6xx',
  'request',
  'ack',
  'send-1xx',
  'send-2xx',
  'send-3xx-6xx',
  'send-cancel',
  ...(['a', 'b', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'] as const).map(name => `timer-${name}` as const),
  'transport-error',
]

/** The shortest way of inputs from the initial state to `state`, found in the table itself. */
function wayTo(table: Table, state: string): TransactionInput[] {
  const ways = new Map<string, TransactionInput[]>([[table.initial, []]])
  const open = [table.initial]
  for (let from = open.shift(); from !== undefined; from = open.shift()) {
    for (const input of inputs) {
      const next = table.cells[from]?.[input]?.[0]
      if (next === undefined || ways.has(next)) continue
      ways.set(next, [...(ways.get(from) ?? []), input])
      open.push(next)
    }
  }
  return ways.get(state) ?? []
}

for (const table of [
  inviteClient,
  nonInviteClient,
  inviteServer,
  nonInviteServer,
] as const satisfies readonly Table[]) {
  const wide: Table = table
  for (const state of Object.keys(wide.cells)) {
    test(`${table.name}: every input in '${state}' does what its cell says`, () => {
      for (const input of inputs) {
        const b = bench('udp')
        const transaction = start(b, wide)
        for (const step of wayTo(wide, state)) give(b, wide, transaction, step)
        assert.is(transaction.state, state)
        const seen = b.log.length
        give(b, wide, transaction, input)
        const cell = wide.cells[state]?.[input]
        assert.is(transaction.state, cell?.[0] ?? state, `${state} + ${input}`)
        const did = b.log.slice(seen).map(line => line.replace(/^\d+ /, ''))
        const wanted: string[] = []
        for (const action of cell?.slice(1) ?? []) {
          if (action === 'pass-up') wanted.push(input === 'ack' ? 'up ACK' : `up ${statusOf[input as '1xx']}`)
          if (action === 'ack') wanted.push('send ACK')
          if (action === 'report-timeout') wanted.push('timeout')
          if (action === 'report-unreachable') wanted.push('unreachable')
          if (action === 'send') wanted.push(`send ${statusOf[input.slice(5) as '1xx']}`)
          if ((action === 'resend' || action === 'retransmit') && transaction.bytes !== undefined)
            wanted.push(`send ${new TextDecoder().decode(transaction.bytes)}`)
        }
        if (cell?.[0] === 'terminated') wanted.push('finished')
        assert.equal(did, wanted, `${state} + ${input}`)
      }
    })
  }

  test(`${table.name}: a state runs its timers and no others, and the end leaves nothing`, () => {
    for (const state of Object.keys(wide.cells)) {
      for (const transport of ['udp', 'tcp'] as const) {
        const b = bench(transport)
        const transaction = start(b, wide)
        for (const step of wayTo(wide, state)) give(b, wide, transaction, step)
        const timers = wide.timers[state]
        const repeats = timers?.repeat !== undefined && transport === 'udp' ? 1 : 0
        assert.is(b.queue.running.length, (timers === undefined ? 0 : 1) + repeats, `${state} over ${transport}`)
      }
    }
    const b = bench('udp')
    const transaction = start(b, wide)
    if (transaction.role === 'server') give(b, wide, transaction, 'send-3xx-6xx')
    b.run(200_000)
    assert.is(transaction.state, 'terminated')
    assert.is(b.queue.running.length + b.layer.clients.size + b.layer.servers.size, 0)
  })
}

test('a connection that broke: the response goes to the Via, once (RFC 3261 §18.2.2)', () => {
  const b = bench('tcp')
  const transaction = start(b, nonInviteServer)
  assert.ok(transaction.role === 'server')
  transaction.fallback = { ...b.flow, socket: undefined, port: 5099 }
  give(b, nonInviteServer, transaction, 'send-2xx')
  b.layer.transportFailed(transaction, 0)
  assert.is(transaction.flow.port, 5099)
  b.layer.transportFailed(transaction, 0)
  assert.equal(b.log, ['0 send 200', '0 send 200', '0 unreachable'])
})

test('requests match by branch, sent-by and method; without the cookie by RFC 2543 (§17.2.3)', () => {
  const b = bench('udp')
  const invite = b.incoming('INVITE')
  b.layer.accept(invite)
  assert.is(b.layer.requestArrived(invite, 0), 'absorbed')
  assert.is(b.layer.requestArrived({ ...invite, via: { ...invite.via, port: 5062 } }, 0), 'new')
  assert.is(b.layer.requestArrived({ ...invite, via: { ...invite.via, host: 'other' } }, 0), 'new')
  assert.is(b.layer.requestArrived(b.incoming('CANCEL'), 0), 'new')
  assert.ok(b.layer.inviteOf(b.incoming('CANCEL')) !== undefined)

  const old: IncomingRequest = {
    ...invite,
    via: { branch: undefined, host: 'a', port: undefined, text: 'UDP a', stamped: '' },
  }
  b.layer.accept(old)
  assert.is(b.layer.requestArrived(old, 0), 'absorbed')
  assert.is(b.layer.requestArrived({ ...old, cseq: 2 }, 0), 'new')
  assert.is(b.layer.requestArrived({ ...old, message: requestOf('ACK'), toTag: 'ours' }, 0), 'absorbed')
  const bare: IncomingRequest = { ...old, via: { ...old.via, branch: 'z9hG4bK' }, callId: 'other' }
  assert.is(b.layer.requestArrived(bare, 0), 'new', 'the cookie alone names nothing')
})

test.run()
