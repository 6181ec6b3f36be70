import {
  branchCookie,
  buildRequest,
  type ClientOwner,
  type ClientTransaction,
  type Dialog,
  formatMessage,
  type HeaderField,
} from '../../sip/index.ts'
import { allow, type EndpointServices } from './services.ts'

/** Requests of ours within one dialog, and the ACKs of its 2xx responses. */
export class DialogSender {
  readonly #services: EndpointServices
  readonly #dialog: Dialog
  readonly #owner: ClientOwner
  #ack: Uint8Array | undefined

  constructor(services: EndpointServices, dialog: Dialog, owner: ClientOwner) {
    this.#services = services
    this.#dialog = dialog
    this.#owner = owner
  }

  request(method: string, now: number, extra: readonly HeaderField[] = [], sdp?: string): ClientTransaction {
    const services = this.#services
    const { uri, fields: head } = this.#dialog.head(method, this.#dialog.nextSeq())
    const branch = branchCookie + services.word(16)
    const fields: HeaderField[] = [{ name: 'User-Agent', value: services.userAgent }, ...extra]
    if (method === 'INVITE') fields.push(services.contact(), allow)
    const request = buildRequest({ method, uri, via: services.via(branch), head, fields, sdp })
    return services.request(request, branch, this.#owner, now)
  }

  /** The ACK of the 2xx to our INVITE of that number. */
  acknowledge(cseq: number): void {
    const { uri, fields } = this.#dialog.head('ACK', cseq)
    const via = this.#services.via(branchCookie + this.#services.word(16))
    this.#ack = formatMessage(buildRequest({ method: 'ACK', uri, via, head: fields }))
    this.#services.resend(this.#ack)
  }

  /** For the same 2xx once more: the same ACK (RFC 3261 §13.2.2.4). */
  acknowledgeAgain(): void {
    if (this.#ack !== undefined) this.#services.resend(this.#ack)
  }
}
