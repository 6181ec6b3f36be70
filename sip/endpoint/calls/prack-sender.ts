import type { Dialog } from '../../dialog/dialog.ts'
import { dialogOfCaller } from '../../dialog/dialog.ts'
import { boundedNumber, max32 } from '../../grammar/token.ts'
import { formatRAck } from '../../header/rack.ts'
import { headerOf } from '../../message/headers.ts'
import { contactUriOf, requires } from '../../message/typed-fields.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import type { ClientOwner } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'
import { DialogSender } from '../session/dialog-sender.ts'
import type { DialAnswer } from './dialled-session.ts'

/** The early dialog of one fork of our INVITE (RFC 3261 §12.1). */
interface EarlyDialog {
  readonly dialog: Dialog
  readonly sender: DialogSender
  /** RSeq of the last one that was acknowledged. */
  rseq: number
  /** PRACKs without a final response. */
  open: number
}

/** Distinguishes the early dialogs of a call: a call may send several INVITEs, and a proxy may fork each. */
const keyOf = ({ cseq, toTag }: IncomingResponse): string => `${cseq} ${toTag}`

/** PRACKs for reliable provisional responses to an INVITE of ours, in each early dialog (RFC 3262 §4). */
export class PrackSender {
  readonly #services: EndpointServices
  #early: Map<string, EarlyDialog> | undefined
  #acknowledged = 0

  constructor(services: EndpointServices) {
    this.#services = services
  }

  /** There is an early dialog with requests of ours. */
  get isUsed(): boolean {
    return this.#early !== undefined
  }

  /** False: a copy, or one whose predecessor is missing; it counts when it comes in order (RFC 3262 §4). */
  take(progress: DialAnswer, now: number): boolean {
    const { message, toTag, cseq } = progress.response
    const rseq = boundedNumber(headerOf(message, 'RSeq') ?? '', max32)
    if (toTag === undefined || rseq === undefined || !requires(message, '100rel')) return true
    const known = this.#early?.get(keyOf(progress.response))
    if (known !== undefined && rseq !== known.rseq + 1) return false
    // Each goes where the remote's Contact says, with a look-up of its own: a remote must not have us send without end.
    if (this.#isTooMuch(known)) {
      this.#services.counters.overloaded++
      return false
    }
    const early = known ?? this.#begin(progress)
    if (early === undefined) return true
    early.rseq = rseq
    early.open++
    this.#acknowledged++
    const rack = formatRAck({ rseq, sequence: cseq, method: 'INVITE' })
    early.sender.request('PRACK', now, { fields: [{ name: 'RAck', value: rack }] })
    return true
  }

  /** Its remote repeats what is not acknowledged, and it is taken when there is room (RFC 3262 §3). */
  #isTooMuch(known: EarlyDialog | undefined): boolean {
    const { settings, layer } = this.#services
    const { reliableProvisionals, openPracks, clientTransactions } = settings.limits
    if (this.#acknowledged >= reliableProvisionals || layer.clients.size >= clientTransactions) return true
    return known !== undefined && known.open >= openPracks
  }

  /** The last CSeq of ours in the dialog of this answer; undefined: its INVITE's. */
  lastSeq(answer: IncomingResponse): number | undefined {
    return this.#early?.get(keyOf(answer))?.dialog.localSeq
  }

  #begin(progress: DialAnswer): EarlyDialog | undefined {
    this.#early ??= new Map()
    if (this.#early.size >= this.#services.settings.limits.forks) return undefined
    // Not all of it is kept with the dialog: the response would keep the memory of its body.
    const { response, near, scope, remote, customer } = progress
    const dialog = dialogOfCaller(progress, contactUriOf(response.message))
    // A PRACK that does not arrive fails the call at the remote, which then says so.
    const owner: ClientOwner = {
      isSource: flow => remote.isSource(flow),
      atRest: remote,
      responded(prack, reply, now) {
        const { status } = reply.message
        if (status >= 200) early.open = Math.max(0, early.open - 1)
        if (status === 401 || status === 407) early.sender.authorized(prack, reply, now)
      },
      failed() {
        early.open = Math.max(0, early.open - 1)
      },
      finished() {},
    }
    const sender = new DialogSender(this.#services, dialog, owner, { near, scope, remote, customer })
    const early: EarlyDialog = { dialog, sender, rseq: 0, open: 0 }
    this.#early.set(keyOf(response), early)
    return early
  }
}
