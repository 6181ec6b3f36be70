import { RepeatedAnswer } from '../../dialog/repeated-answer.ts'
import { parseRAck } from '../../header/rack.ts'
import { headerOf } from '../../message/headers.ts'
import type { HeaderField } from '../../message/message.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import type { ResponseParts } from '../../transaction/response.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { ServerTransaction, TimerOwner } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'

/** First RSeq is drawn below this, so that it never wraps (RFC 3262 §3). */
const highestFirst = 2 ** 16

/** Provisional responses to a caller that requires 100rel: one at a time, repeated until its PRACK (RFC 3262 §3). */
export class ReliableProvisional implements TimerOwner {
  readonly #services: EndpointServices
  readonly #transaction: ServerTransaction
  readonly #gaveUp: (now: number) => void
  readonly #timer = new Timer<TimerOwner>(this, 'provisional')
  #rseq: number
  #repeated: RepeatedAnswer | undefined
  /** RSeq of the last one sent until its PRACK, which may come when it is repeated no more. */
  #unacknowledged: number | undefined
  #sdp: string | undefined
  /** Of the last one sent, while it is repeated. */
  #bytes: Uint8Array | undefined
  #status = 0
  #waiting: { readonly status: number; readonly parts: ResponseParts } | undefined

  constructor(services: EndpointServices, transaction: ServerTransaction, gaveUp: (now: number) => void) {
    this.#services = services
    this.#transaction = transaction
    this.#gaveUp = gaveUp
    this.#rseq = 1 + Math.floor(services.tokens.fraction() * highestFirst)
  }

  /** An answer in it that is not acknowledged yet: no 2xx may go out (RFC 3262 §3). */
  get holdsAnswer(): string | undefined {
    return this.#repeated === undefined ? undefined : this.#sdp
  }

  /** Goes out at once, or when the one before it is acknowledged; a later one replaces one that waits. */
  send(status: number, parts: ResponseParts, now: number): void {
    if (this.#repeated !== undefined) {
      this.#waiting = { status, parts }
      return
    }
    const fields: HeaderField[] = [
      ...(parts.fields ?? []),
      { name: 'Require', value: '100rel' },
      { name: 'RSeq', value: String(this.#rseq) },
    ]
    this.#services.respond(this.#transaction, status, now, { ...parts, fields })
    this.#status = status
    this.#unacknowledged = this.#rseq
    this.#sdp = parts.sdp
    this.#bytes = this.#transaction.bytes
    this.#repeated = new RepeatedAnswer(this.#rseq, this.#services.settings.timers, now, Number.POSITIVE_INFINITY)
    this.#services.timers.set(this.#timer, this.#repeated.deadline)
  }

  /** False: the PRACK means nothing that is open, and gets a 481. */
  acknowledged(prack: IncomingRequest, now: number): boolean {
    const rack = parseRAck(headerOf(prack.message, 'RAck') ?? '')
    const { cseq } = this.#transaction.request
    if (!rack.ok || this.#unacknowledged !== rack.value.rseq) return false
    if (rack.value.sequence !== cseq || rack.value.method !== 'INVITE') return false
    const waiting = this.#waiting
    this.stop()
    this.#unacknowledged = undefined
    this.#rseq++
    if (waiting !== undefined) this.send(waiting.status, waiting.parts, now)
    return true
  }

  /** Ends retransmission; a PRACK on its way is still accepted. */
  stop(): void {
    this.#repeated = undefined
    this.#waiting = undefined
    this.#bytes = undefined
    this.#services.timers.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    if (this.#repeated === undefined || this.#bytes === undefined) return
    if (this.#repeated.next(now) === 'give-up') {
      this.stop()
      this.#gaveUp(now)
      return
    }
    this.#services.layer.respond(this.#transaction, this.#status, this.#bytes, now)
    this.#services.timers.set(this.#timer, this.#repeated.deadline)
  }
}
