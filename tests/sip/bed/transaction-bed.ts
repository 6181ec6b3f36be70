import type { SipRequest, SipResponse } from '../../../sip/message/message.ts'
import type { Flow, TransportName } from '../../../sip/network/flow.ts'
import type { IncomingRequest, IncomingResponse } from '../../../sip/transaction/incoming.ts'
import { TransactionLayer } from '../../../sip/transaction/layer.ts'
import type { Table, TransactionInput } from '../../../sip/transaction/table.ts'
import { TimerQueue } from '../../../sip/transaction/timer-queue.ts'
import { defaultTimers } from '../../../sip/transaction/timer-settings.ts'
import type {
  ClientOwner,
  ClientTransaction,
  ServerOwner,
  ServerTransaction,
  TimerOwner,
} from '../../../sip/transaction/transaction.ts'

const flowOf = (transport: TransportName): Flow => ({
  transport,
  address: '192.0.2.1',
  port: 5060,
  socket: 1,
  localHost: '192.0.2.2',
  localPort: 5060,
})

const empty = new Uint8Array(0)

export const requestOf = (method: string): SipRequest => ({
  kind: 'request',
  method,
  uri: 'sip:b',
  headers: [],
  body: empty,
})

const responseOf = (status: number): SipResponse => ({ kind: 'response', status, reason: '', headers: [], body: empty })

/** A layer with a virtual clock; `log` has its outputs, with the time. */
export function bench(transport: TransportName) {
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

export const methodOf = (table: Table) => (table.name.startsWith('invite') ? 'INVITE' : 'OPTIONS')

export function start(b: Bench, table: Table): ClientTransaction | ServerTransaction {
  if (isClient(table)) return b.layer.request(requestOf(methodOf(table)), 'z9hG4bK1', b.flow, b.owner, b.at())
  const transaction = b.layer.accept(b.incoming(methodOf(table)))
  transaction.owner = b.owner
  return transaction
}

export const statusOf = { '1xx': 180, '2xx': 200, '3xx-6xx': 486 } as const

/** Gives the input as it comes in life: through the layer's door, not into the table. */
export function give(
  b: Bench,
  table: Table,
  transaction: ClientTransaction | ServerTransaction,
  input: TransactionInput,
) {
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
    case 'send-cancel':
      if (transaction.role === 'client') b.layer.cancelled(transaction, b.at())
      break
    case 'transport-error':
      b.layer.transportFailed(transaction, b.at())
      break
    default:
      transaction.expired(input.slice('timer-'.length), b.at())
  }
}
