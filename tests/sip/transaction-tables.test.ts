import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SipRequest, SipResponse } from '../../sip/message/message.ts'
import type { Flow, TransportName } from '../../sip/transaction/flow.ts'
import type { IncomingRequest, IncomingResponse } from '../../sip/transaction/incoming.ts'
import { inviteClient } from '../../sip/transaction/invite-client.ts'
import { inviteServer } from '../../sip/transaction/invite-server.ts'
import { TransactionLayer } from '../../sip/transaction/layer.ts'
import { nonInviteClient } from '../../sip/transaction/non-invite-client.ts'
import { nonInviteServer } from '../../sip/transaction/non-invite-server.ts'
import type { Table, TransactionInput } from '../../sip/transaction/table.ts'
import { Timer, TimerQueue } from '../../sip/transaction/timer-queue.ts'
import { defaultTimers } from '../../sip/transaction/timer-settings.ts'
import type {
  ClientOwner,
  ClientTransaction,
  ServerOwner,
  ServerTransaction,
  TimerOwner,
} from '../../sip/transaction/transaction.ts'

const inputs: readonly TransactionInput[] = [
  '1xx',
  '2xx',
  '3xx-6xx',
  'request',
  'ack',
  'send-1xx',
  'send-2xx',
  'send-3xx-6xx',
  ...(['a', 'b', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'] as const).map(name => `timer-${name}` as const),
  'transport-error',
]

const flowOf = (transport: TransportName): Flow => ({
  transport,
  address: '192.0.2.1',
  port: 5060,
  socket: 1,
  localHost: '192.0.2.2',
  localPort: 5060,
})

const empty = new Uint8Array(0)
const requestOf = (method: string): SipRequest => ({ kind: 'request', method, uri: 'sip:b', headers: [], body: empty })
const responseOf = (status: number): SipResponse => ({ kind: 'response', status, reason: '', headers: [], body: empty })

/** A layer with a virtual clock; `log` is what came out of it, with the time. */
function bench(transport: TransportName) {
  const flow = flowOf(transport)
  const queue = new TimerQueue<TimerOwner>()
  const log: string[] = []
  let now = 0
  const say = (what: string) => log.push(`${now} ${what}`)
  const layer = new TransactionLayer({
    timers: defaultTimers,
    queue,
    send: (_flow, bytes) => say(`send ${new TextDecoder().decode(bytes)}`),
    format: message => new TextEncoder().encode(message.method),
    formatAck: () => new TextEncoder().encode('ACK'),
  })
  const owner: ClientOwner & ServerOwner = {
    responded: (_t, response) => say(`up ${response.message.status}`),
    acknowledged: () => say('up ACK'),
    cancelled: () => say('cancelled'),
    failed: (_t, fault) => say(fault),
    finished: () => say('finished'),
  }
  const incoming = (method: string): IncomingRequest => ({
    message: requestOf(method),
    flow,
    replyTo: flow,
    from: '',
    to: '',
    cseqText: '',
    via: { branch: 'z9hG4bK1', host: 'a', port: undefined, text: '', stamped: '' },
    callId: 'c',
    fromTag: 'f',
    toTag: undefined,
    cseq: 1,
  })
  const response = (status: number, method: string): IncomingResponse => ({
    message: responseOf(status),
    flow,
    branch: 'z9hG4bK1',
    to: '',
    callId: 'c',
    fromTag: 'f',
    toTag: 't',
    cseq: 1,
    cseqMethod: method,
  })
  const run = (until: number) => {
    for (let at = queue.deadline(); at !== undefined && at <= until; at = queue.deadline()) {
      now = at
      const timer = queue.takeExpired(now)
      timer?.owner.expired(timer.name, now)
    }
    now = until
  }
  return { flow, queue, log, layer, owner, incoming, response, run, at: () => now }
}

type Bench = ReturnType<typeof bench>
const isClient = (table: Table) => table.name.endsWith('client')
const methodOf = (table: Table) => (table.name.startsWith('invite') ? 'INVITE' : 'OPTIONS')

function start(b: Bench, table: Table): ClientTransaction | ServerTransaction {
  if (isClient(table)) return b.layer.request(requestOf(methodOf(table)), 'z9hG4bK1', b.flow, b.owner, b.at())
  const transaction = b.layer.accept(b.incoming(methodOf(table)))
  transaction.owner = b.owner
  return transaction
}

const statusOf = { '1xx': 180, '2xx': 200, '3xx-6xx': 486 } as const

/** Gives the input as it comes in life: through the layer's door, not into the table. */
function give(b: Bench, table: Table, transaction: ClientTransaction | ServerTransaction, input: TransactionInput) {
  switch (input) {
    case '1xx':
    case '2xx':
    case '3xx-6xx':
      b.layer.responseArrived(b.response(statusOf[input], methodOf(table)), b.at())
      break
    case 'request':
      b.layer.requestArrived(b.incoming(methodOf(table)), b.at())
      break
    case 'ack':
      b.layer.requestArrived(b.incoming('ACK'), b.at())
      break
    case 'send-1xx':
    case 'send-2xx':
    case 'send-3xx-6xx': {
      const status = statusOf[input.slice(5) as keyof typeof statusOf]
      if (transaction.role === 'server')
        b.layer.respond(transaction, status, new TextEncoder().encode(String(status)), b.at())
      break
    }
    case 'transport-error':
      b.layer.transportFailed(transaction, b.at())
      break
    default:
      transaction.expired(input.slice('timer-'.length), b.at())
  }
}

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
        assert.is(b.queue.size, (timers === undefined ? 0 : 1) + repeats, `${state} over ${transport}`)
      }
    }
    const b = bench('udp')
    const transaction = start(b, wide)
    if (transaction.role === 'server') give(b, wide, transaction, 'send-3xx-6xx')
    b.run(200_000)
    assert.is(transaction.state, 'terminated')
    assert.is(b.queue.size + b.layer.clientCount + b.layer.serverCount, 0)
  })
}

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
    assert.is(b.layer.clientCount, 0)
  }
})

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
  assert.is(queue.size, 0)
})

test.run()
