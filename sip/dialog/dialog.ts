import { headerOf, headersOf } from '../message/headers.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { IncomingRequest, IncomingResponse } from '../transaction/incoming.ts'

/** What a dialog is made of when it begins (RFC 3261 §12.1). Header values are whole, as they stand in a message. */
interface DialogStart {
  readonly callId: string
  readonly localTag: string
  readonly remoteTag: string
  /** Our From in requests of this dialog, tag included. */
  readonly local: string
  /** Our To, tag included. */
  readonly remote: string
  readonly localSeq: number
  readonly remoteSeq: number | undefined
  /** URI of the remote's Contact. */
  readonly remoteTarget: string
  /** Name-addrs in the order in which our requests visit them. */
  readonly routeSet: readonly string[]
}

/** The head of a request within a dialog, and the URI that it is sent towards. */
interface DialogHead {
  readonly uri: string
  readonly fields: readonly HeaderField[]
  readonly nextHop: string
}

/** URI within `<…>`; the value itself when it has none. */
function uriOfRoute(route: string): string {
  const open = route.indexOf('<')
  const close = route.indexOf('>', open)
  return open === -1 || close === -1 ? route.trim() : route.slice(open + 1, close)
}

const isLoose = (route: string): boolean => /;lr(?:[=;>]|$)/i.test(uriOfRoute(route))

/** One peer relation: Call-ID and two tags (RFC 3261 §12). */
export class Dialog {
  readonly callId: string
  readonly localTag: string
  readonly remoteTag: string
  readonly local: string
  readonly remote: string
  readonly routeSet: readonly string[]
  remoteTarget: string
  localSeq: number
  #remoteSeq: number | undefined

  constructor(start: DialogStart) {
    this.callId = start.callId
    this.localTag = start.localTag
    this.remoteTag = start.remoteTag
    this.local = start.local
    this.remote = start.remote
    this.routeSet = start.routeSet
    this.remoteTarget = start.remoteTarget
    this.localSeq = start.localSeq
    this.#remoteSeq = start.remoteSeq
  }

  /** Undefined before the first request of the remote. */
  get remoteSeq(): number | undefined {
    return this.#remoteSeq
  }

  /**
   * RFC 3261 §12.2.2: false when the request is out of order, which gets a 500. Not for ACK and CANCEL, whose
   * numbers are those of their INVITE.
   */
  takeRemoteSeq(cseq: number): boolean {
    if (this.#remoteSeq !== undefined && cseq <= this.#remoteSeq) return false
    this.#remoteSeq = cseq
    return true
  }

  nextSeq(): number {
    this.localSeq += 1
    return this.localSeq
  }

  /** Where our requests go first. */
  get nextHop(): string {
    const [first] = this.routeSet
    return first === undefined ? this.remoteTarget : uriOfRoute(first)
  }

  /** RFC 3261 §12.2.1.1: Request-URI and Route by loose or strict routing. Via and the rest are the sender's. */
  head(method: string, cseq: number): DialogHead {
    const [first] = this.routeSet
    let uri = this.remoteTarget
    let routes = this.routeSet
    if (first !== undefined && !isLoose(first)) {
      uri = uriOfRoute(first)
      routes = [...this.routeSet.slice(1), `<${this.remoteTarget}>`]
    }
    const fields: HeaderField[] = []
    for (const route of routes) fields.push({ name: 'Route', value: route })
    fields.push(
      { name: 'Max-Forwards', value: '70' },
      { name: 'From', value: this.local },
      { name: 'To', value: this.remote },
      { name: 'Call-ID', value: this.callId },
      { name: 'CSeq', value: `${cseq} ${method}` },
    )
    return { uri, fields, nextHop: this.nextHop }
  }
}

/** The dialog of the UAS (RFC 3261 §12.1.1). `contact`: the URI in the INVITE's Contact. */
export const dialogOfCallee = (request: IncomingRequest, localTag: string, contact: string | undefined): Dialog =>
  new Dialog({
    callId: request.callId,
    localTag,
    remoteTag: request.fromTag,
    local: `${request.to};tag=${localTag}`,
    remote: request.from,
    localSeq: 0,
    remoteSeq: request.cseq,
    remoteTarget: contact ?? request.message.uri,
    routeSet: headersOf(request.message, 'Record-Route'),
  })

/** An INVITE of ours, and a response to it with a tag. */
export interface RespondedInvite {
  readonly callId: string
  readonly localTag: string
  readonly request: SipRequest
  readonly cseq: number
  readonly response: IncomingResponse
}

/** The dialog of the UAC (RFC 3261 §12.1.2). `contact`: the URI in the response's Contact. */
export const dialogOfCaller = (
  { callId, localTag, request, cseq, response }: RespondedInvite,
  contact: string | undefined,
): Dialog =>
  new Dialog({
    callId,
    localTag,
    remoteTag: response.toTag ?? '',
    local: headerOf(request, 'From') ?? '',
    remote: response.to,
    localSeq: cseq,
    remoteSeq: undefined,
    remoteTarget: contact ?? request.uri,
    // In reverse order.
    routeSet: [...headersOf(response.message, 'Record-Route')].reverse(),
  })
