import { TextMap } from '../base/text-map.ts'
import type { SipRequest } from '../message/message.ts'
import type { Flow } from '../network/flow.ts'
import type { IncomingRequest, IncomingResponse } from './incoming.ts'
import { inviteClient } from './invite-client.ts'
import { inviteServer } from './invite-server.ts'
import { clientKey, serverKey } from './key.ts'
import { nonInviteClient } from './non-invite-client.ts'
import { nonInviteServer } from './non-invite-server.ts'
import type { Cell, TransactionAction, TransactionInput } from './table.ts'
import type { TimerQueue } from './timer-queue.ts'
import type { TimerSettings } from './timer-settings.ts'
import {
  type ClientOwner,
  ClientTransaction,
  ServerTransaction,
  type TimerOwner,
  type Transaction,
  type TransactionFault,
} from './transaction.ts'

interface LayerConfig {
  readonly timers: TimerSettings
  readonly queue: TimerQueue<TimerOwner>
  /** A failed sending is reported to `transportFailed` with the same transaction. */
  readonly send: (flow: Flow, bytes: Uint8Array, transaction: Transaction) => void
  readonly format: (message: SipRequest) => Uint8Array
  readonly formatAck: (request: SipRequest, response: IncomingResponse) => Uint8Array
  /** Called once the final response is in or out. Default: nothing is done. */
  readonly settled?: (transaction: Transaction) => void
}

/**
 * The outcome for a request: it is new, it belongs to a transaction (and is dealt with), or it is an ACK without a
 * transaction.
 */
export type Arrival = 'new' | 'absorbed' | 'stray-ack'

const responseInput = (status: number): TransactionInput => (status < 200 ? '1xx' : status < 300 ? '2xx' : '3xx-6xx')

const sendInput = (status: number): TransactionInput =>
  status < 200 ? 'send-1xx' : status < 300 ? 'send-2xx' : 'send-3xx-6xx'

/** All transactions of an endpoint: finds the one a message belongs to, and runs its table. */
export class TransactionLayer {
  readonly #config: LayerConfig
  readonly #clients = new TextMap<string, ClientTransaction>()
  readonly #servers = new TextMap<string, ServerTransaction>()
  /** The request that was looked for last, and its key: it is looked for several times in a row. */
  #request: IncomingRequest | undefined
  #key = ''
  /** Inputs for which the table has no cell. */
  absorbed = 0

  constructor(config: LayerConfig) {
    this.#config = config
  }

  get clients(): Pick<TextMap<string, ClientTransaction>, 'size' | 'values'> {
    return this.#clients
  }

  get servers(): Pick<TextMap<string, ServerTransaction>, 'size' | 'values'> {
    return this.#servers
  }

  /** Sends `request`, whose topmost Via carries `branch`, and keeps at it as the table says. */
  request(request: SipRequest, branch: string, flow: Flow, owner: ClientOwner, now: number): ClientTransaction {
    const table = request.method === 'INVITE' ? inviteClient : nonInviteClient
    const key = clientKey(branch, request.method)
    const transaction = new ClientTransaction(table, key, flow, this.#step, request, owner)
    transaction.bytes = this.#config.format(request)
    this.#clients.set(key, transaction)
    transaction.armTimers(this.#config.queue, this.#config.timers, now)
    this.#config.send(flow, transaction.bytes, transaction)
    return transaction
  }

  /** The request that is answered; undefined: none waits for it, and it is to be dropped (RFC 6026 §8.9). */
  clientOf({ branch, cseqMethod }: IncomingResponse): ClientTransaction | undefined {
    return this.#clients.get(clientKey(branch, cseqMethod))
  }

  responseArrived(response: IncomingResponse, now: number, transaction = this.clientOf(response)): void {
    if (transaction !== undefined) this.#run(transaction, responseInput(response.message.status), now, response)
  }

  requestArrived(request: IncomingRequest, now: number): Arrival {
    const { method } = request.message
    const isAck = method === 'ACK'
    const transaction = this.#servers.get(this.#keyOf(request, isAck ? 'INVITE' : method))
    if (transaction === undefined) return isAck ? 'stray-ack' : 'new'
    // A repeat may come over another connection; the answer follows it.
    if (!isAck) transaction.flow = request.replyTo
    this.#run(transaction, isAck ? 'ack' : 'request', now, undefined, request)
    return 'absorbed'
  }

  /** Begins the server's side of a request that `requestArrived` called new. */
  accept(request: IncomingRequest): ServerTransaction {
    const { method } = request.message
    const table = method === 'INVITE' ? inviteServer : nonInviteServer
    const key = this.#keyOf(request, method)
    const transaction = new ServerTransaction(table, key, request.replyTo, this.#step, request)
    this.#servers.set(key, transaction)
    return transaction
  }

  /** The INVITE that a CANCEL means (RFC 3261 §9.2); with `method`, the request's transaction as one of that method. */
  inviteOf(request: IncomingRequest, method = 'INVITE'): ServerTransaction | undefined {
    return this.#servers.get(this.#keyOf(request, method))
  }

  respond(transaction: ServerTransaction, status: number, bytes: Uint8Array, now: number): void {
    const input = sendInput(status)
    if (cellOf(transaction, input) === undefined) {
      this.absorbed++
      return
    }
    transaction.bytes = bytes
    this.#run(transaction, input, now)
  }

  transportFailed(transaction: Transaction, now: number): void {
    if (transaction instanceof ServerTransaction && transaction.fallback !== undefined) {
      transaction.flow = transaction.fallback
      transaction.fallback = undefined
      if (transaction.bytes !== undefined) this.#config.send(transaction.flow, transaction.bytes, transaction)
      return
    }
    this.#run(transaction, 'transport-error', now)
  }

  /** The CANCEL of this INVITE goes out: its final response is waited for 64 × T1 from now (RFC 3261 §9.1). */
  cancelled(transaction: ClientTransaction, now: number): void {
    if (cellOf(transaction, 'send-cancel') !== undefined) this.#run(transaction, 'send-cancel', now)
  }

  /** Forgets a request whose flow is gone: nothing is reported, and a late response finds no transaction. */
  abandon(transaction: ClientTransaction, now: number): void {
    if (transaction.state === 'terminated') return
    transaction.state = 'terminated'
    transaction.armTimers(this.#config.queue, this.#config.timers, now)
    this.#forget(transaction)
  }

  readonly #step = (transaction: Transaction, input: TransactionInput, now: number): void =>
    this.#run(transaction, input, now)

  #run(
    transaction: Transaction,
    input: TransactionInput,
    now: number,
    response?: IncomingResponse,
    request?: IncomingRequest,
  ): void {
    const cell = cellOf(transaction, input)
    if (cell === undefined) {
      this.absorbed++
      return
    }
    const { queue, timers, send } = this.#config
    const next = cell[0]
    const settles = next !== transaction.state && (next === 'accepted' || next === 'completed')
    if (next !== transaction.state) {
      transaction.state = next
      transaction.armTimers(queue, timers, now)
      if (next === 'terminated') this.#forget(transaction)
    }
    for (let at = 1; at < cell.length; at++) {
      const action = cell[at] as TransactionAction | undefined
      switch (action) {
        case 'send':
        case 'resend':
          if (transaction.bytes !== undefined) send(transaction.flow, transaction.bytes, transaction)
          break
        case 'retransmit':
          if (transaction.bytes !== undefined) send(transaction.flow, transaction.bytes, transaction)
          transaction.rearmRepeat(queue, timers, now)
          break
        case 'ack':
          if (transaction instanceof ClientTransaction && response !== undefined) {
            // RFC 3261 §17.1.1.3: the ACK goes where the INVITE went; a repeated response gets the same ACK.
            transaction.ack ??= this.#config.formatAck(transaction.request, response)
            send(transaction.flow, transaction.ack, transaction)
          }
          break
        case 'pass-up':
          if (transaction instanceof ClientTransaction && response !== undefined)
            transaction.owner.responded(transaction, response, now)
          if (transaction instanceof ServerTransaction && request !== undefined)
            transaction.owner?.acknowledged(transaction, request, now)
          break
        case 'report-timeout':
          fail(transaction, 'timeout', now)
          break
        case 'report-unreachable':
          fail(transaction, 'unreachable', now)
          break
        default:
          action satisfies undefined
      }
    }
    // An owner may have ended it meanwhile; the rest of it is small in that case too.
    if (settles) {
      transaction.settle()
      this.#config.settled?.(transaction)
    }
    if (next === 'terminated') finish(transaction, now)
  }

  #keyOf(request: IncomingRequest, method: string): string {
    // A CANCEL has two keys: its own, and that of its INVITE.
    if (this.#request !== request || request.message.method === 'CANCEL') {
      this.#request = request
      this.#key = serverKey(request, method)
    }
    return this.#key
  }

  #forget(transaction: Transaction): void {
    if (transaction instanceof ClientTransaction) this.#clients.delete(transaction.key)
    else this.#servers.delete(transaction.key)
  }
}

const cellOf = (transaction: Transaction, input: TransactionInput): Cell<string> | undefined =>
  transaction.table.cells[transaction.state]?.[input]

function fail(transaction: Transaction, fault: TransactionFault, now: number): void {
  if (transaction instanceof ClientTransaction) transaction.owner.failed(transaction, fault, now)
  else if (transaction instanceof ServerTransaction) transaction.owner?.failed(transaction, fault, now)
}

function finish(transaction: Transaction, now: number): void {
  if (transaction instanceof ClientTransaction) transaction.owner.finished(transaction, now)
  else if (transaction instanceof ServerTransaction) transaction.owner?.finished(transaction, now)
}
