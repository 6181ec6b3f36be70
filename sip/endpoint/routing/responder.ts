import type { HeaderField } from '../../message/message.ts'
import { defaultPort, isReliable, isWebSocket } from '../../network/flow.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { writeResponse } from '../../transaction/response.ts'
import type { ServerTransaction } from '../../transaction/transaction.ts'
import type { TaggedCall } from '../services/services.ts'
import type { RoutingServices } from './routing-services.ts'

const none: readonly ServerTransaction[] = []

/**
 * Answers requests outside of a transaction (RFC 3261 §8.2.7): the same question gets the same answer, tag and all. And
 * begins the transactions of those that are taken, unless there are too many.
 */
export class Responder {
  /** The To tag of all answers without a transaction. */
  readonly tag: string
  /** Octets of the longest answer to the request in hand; undefined = any. */
  mostBytes: number | undefined
  readonly #services: RoutingServices

  constructor(services: RoutingServices) {
    this.#services = services
    this.tag = services.tokens.take(12)
  }

  /** Begins a transaction, unless there are too many; `call`: in whose dialog it is. */
  accept(request: IncomingRequest, call?: TaggedCall): ServerTransaction | undefined {
    const { layer, settings } = this.#services
    const { serverTransactions, dialogTransactions } = settings.limits
    const open = call === undefined ? none : call.transactions.filter(({ state }) => state !== 'terminated')
    // A BYE ends its dialog, and makes room.
    const isFull = open.length >= dialogTransactions && request.message.method !== 'BYE'
    if (isFull || layer.servers.size >= serverTransactions) {
      this.#services.counters.overloaded++
      this.respond(request, 503, [{ name: 'Retry-After', value: '5' }])
      return undefined
    }
    const transaction = this.#services.layer.accept(request)
    if (call !== undefined) call.transactions = [...open, transaction]
    const { flow, via } = request
    // A phone is reached over its own connection or not at all.
    if (isReliable(flow.transport) && !isWebSocket(flow.transport))
      transaction.fallback = { ...flow, socket: undefined, port: via.port ?? defaultPort(flow.transport) }
    return transaction
  }

  /** Without a transaction (RFC 3261 §8.2.7). Nothing goes out when even the bare response is longer than `mostBytes`. */
  respond(request: IncomingRequest, status: number, fields: readonly HeaderField[] = []): void {
    let bytes = this.#stateless(request, status, fields)
    // The answer to OPTIONS loses its fields before it is dropped.
    if (this.#isTooLong(bytes) && status === 200) bytes = this.#stateless(request, status)
    if (this.#isTooLong(bytes)) this.#services.counters.dropped++
    else this.#services.resend(request.replyTo, bytes)
  }

  #isTooLong(bytes: Uint8Array): boolean {
    return this.mostBytes !== undefined && bytes.length > this.mostBytes
  }

  #stateless(request: IncomingRequest, status: number, fields: readonly HeaderField[] = []): Uint8Array {
    return writeResponse(request, status, { toTag: this.tag, fields })
  }
}
