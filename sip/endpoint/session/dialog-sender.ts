import type { Dialog } from '../../dialog/dialog.ts'
import type { CredentialScope } from '../../digest/credential-scope.ts'
import type { HeaderField } from '../../message/message.ts'
import { sdpOf } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import { branchCookie } from '../../transaction/key.ts'
import type { ClientOwner, ClientTransaction } from '../../transaction/transaction.ts'
import { authorize } from '../services/authorize.ts'
import { buildRequest, contactOf, towards, viaOf } from '../services/request.ts'
import type { EndpointServices } from '../services/services.ts'
import { reasonCodeHeader, supportedField } from '../services/settings.ts'
import type { DialogRemote } from './dialog-remote.ts'

interface SentParts {
  readonly fields?: readonly HeaderField[]
  readonly sdp?: string | undefined
}

/** What a request is sent again with, when it has to be authorized. */
const keptFields: ReadonlySet<string> = new Set([
  'Reason',
  reasonCodeHeader,
  'Session-Expires',
  'Min-SE',
  'Allow',
  'RAck',
])

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Where a dialog's requests go. */
interface DialogPath {
  /** Where messages of this dialog come from. */
  readonly near: Flow
  readonly scope?: CredentialScope | undefined
  /** A softphone's requests go over the flow of its messages, wherever its Contact leads (RFC 5626 §5.3). */
  readonly remote: DialogRemote
  /** The customer whose document named the remote (`HopName`): its Contact may not name just any address, either. */
  readonly customer?: string | undefined
}

/** The ACK of a dialog's 2xx, which may be asked for again when the dialog is over. */
export interface PastDialog {
  readonly remoteTag: string
  readonly flow: Flow
  /** Its text. */
  readonly ack: string
}

/** Requests of ours within one dialog, and the ACKs of its 2xx responses. */
export class DialogSender {
  readonly #services: EndpointServices
  readonly #dialog: Dialog
  readonly #owner: ClientOwner
  readonly #path: DialogPath
  #near: Flow
  #ack: { readonly flow: Flow; readonly text: string } | undefined
  #isClosed = false

  constructor(services: EndpointServices, dialog: Dialog, owner: ClientOwner, path: DialogPath) {
    this.#services = services
    this.#dialog = dialog
    this.#owner = owner
    this.#path = path
    this.#near = path.near
    path.remote.learnFlow(path.near)
  }

  /** A request of the remote came over this flow. */
  receivedOver(flow: Flow): void {
    // What a customer calls stays at the address that was looked at when it was dialled.
    if (this.#path.customer === undefined || flow.address === this.#near.address) this.#near = flow
  }

  /** `sent` gets the transaction once the next hop is known, which is mostly at once. `over`: where it has to go. */
  request(
    method: string,
    now: number,
    parts: SentParts,
    sent?: (transaction: ClientTransaction) => void,
    over?: Flow,
  ): void {
    const cseq = this.#dialog.nextSeq()
    const { uri, fields: head, nextHop } = this.#dialog.head(method, cseq)
    const branch = branchCookie + this.#services.tokens.take(16)
    const refreshesTarget = method === 'INVITE' || method === 'UPDATE'
    const send = (flow: Flow, later: number) => {
      if (this.#isClosed) return
      const fields: HeaderField[] = [{ name: 'User-Agent', value: this.#services.settings.userAgent }]
      if (refreshesTarget) fields.push({ name: 'Contact', value: contactOf(flow) }, supportedField)
      if (parts.fields !== undefined) fields.push(...parts.fields)
      const request = buildRequest({ method, uri, via: viaOf(flow, branch), head, fields, sdp: parts.sdp })
      const transaction = this.#services.layer.request(request, branch, flow, this.#owner, later)
      sent?.(transaction)
    }
    if (over === undefined) this.#towards(nextHop, now, send)
    else send(over, now)
  }

  /**
   * The same request once more to the same place, with credentials; false when there are none for that place, or when
   * they have been refused.
   */
  authorized(
    transaction: ClientTransaction,
    response: IncomingResponse,
    now: number,
    sent?: (transaction: ClientTransaction) => void,
  ): boolean {
    const { request } = transaction
    const isRefused = request.headers.some(({ name }) => name === 'Authorization' || name === 'Proxy-Authorization')
    const { scope } = this.#path
    if (scope === undefined || isRefused) return false
    const field = authorize(this.#services, transaction, response.message, scope, now)
    if (field === undefined) return false
    const fields = [...request.headers.filter(({ name }) => keptFields.has(name)), field]
    this.request(request.method, now, { fields, sdp: sdpOf(request) }, sent, transaction.flow)
    return true
  }

  /**
   * The ACK for the 2xx to our INVITE of that number. `authorization`, of the INVITE (RFC 3261 §22.1), is left out
   * where the Contact leads to another server.
   */
  acknowledge(cseq: number, authorization: readonly HeaderField[], now: number): void {
    const { uri, fields: head, nextHop } = this.#dialog.head('ACK', cseq)
    const branch = branchCookie + this.#services.tokens.take(16)
    this.#towards(nextHop, now, flow => {
      const fields = this.#path.scope?.isHome(flow) === true ? authorization : []
      const ack = buildRequest({ method: 'ACK', uri, via: viaOf(flow, branch), head, fields })
      // As text: bytes would keep a piece of the memory of all messages for as long as the call lives.
      this.#ack = { flow, text: decoder.decode(this.#services.sendAck(flow, ack)) }
    })
  }

  /** For the same 2xx once more: the same ACK (RFC 3261 §13.2.2.4). */
  acknowledgeAgain(): void {
    if (this.#ack !== undefined) this.#services.resend(this.#ack.flow, encoder.encode(this.#ack.text))
  }

  /** Undefined: no ACK has gone out. */
  get past(): PastDialog | undefined {
    return this.#ack && { remoteTag: this.#dialog.remoteTag, flow: this.#ack.flow, ack: this.#ack.text }
  }

  close(): void {
    this.#isClosed = true
  }

  #towards(nextHop: string, now: number, use: (flow: Flow, now: number) => void): void {
    const { remote, customer } = this.#path
    if (remote.identity.kind === 'phone') {
      use(this.#near, now)
      return
    }
    towards(this.#services, nextHop, { near: this.#near, customer }, now, (flow, later) => {
      remote.learnFlow(flow)
      use(flow, later)
    })
  }
}
