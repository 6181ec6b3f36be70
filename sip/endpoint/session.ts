import type { Dialog } from '../dialog/dialog.ts'
import { type OfferInput, type OfferState, offerAnswer, refusalOfOffer } from '../dialog/offer-answer.ts'
import { RepeatedAnswer } from '../dialog/repeated-answer.ts'
import type { HeaderField } from '../message/message.ts'
import type { Flow } from '../transaction/flow.ts'
import type { IncomingRequest, IncomingResponse } from '../transaction/incoming.ts'
import { branchCookie } from '../transaction/key.ts'
import { Timer } from '../transaction/timer-queue.ts'
import type {
  ClientOwner,
  ClientTransaction,
  ServerOwner,
  ServerTransaction,
  TimerOwner,
  TransactionFault,
} from '../transaction/transaction.ts'
import type { Agent } from './agent.ts'
import type { EndWords } from './call-command.ts'
import type { CallCause } from './call-event.ts'
import { authorize, type Credentials } from './credentials.ts'
import { allowsMethod, contactUriOf, sdpOf } from './fields.ts'
import { answerInDialog } from './in-dialog.ts'
import { buildRequest, contactOf, towards, viaOf } from './request.ts'

import { SessionRefresh } from './session-refresh.ts'
import { allow, supported } from './settings.ts'
import { wordFields } from './words.ts'

/** Whose session it is: the call hears of the first ACK and of the end. */
export interface SessionHost {
  readonly id: string
  /** The ACK for the 2xx to the INVITE that made the dialog. */
  confirmed(sdp: string | undefined, now: number): void
  over(cause: CallCause, now: number): void
}

/** `doomed`: to be ended as soon as our 2xx is acknowledged (RFC 3261 §15). `ending`: our BYE is out. */
export type SessionState = 'early' | 'open' | 'doomed' | 'ending' | 'over'

/** What is written where a media type, a status or a header says nothing of the caller. */
const noAnswer: EndWords = { status: 488, q850: 88, text: 'No answer to the offer', code: 'END.0488' }
const noAck: EndWords = { status: 480, q850: 102, text: 'No ACK', code: 'END.1408' }
const expired: EndWords = { status: 480, q850: 102, text: 'Session expired', code: 'END.0212' }

/** A dialog made by INVITE, from its first answer to its BYE: requests of both sides, offers, refreshes. */
export class Session implements ClientOwner, ServerOwner, TimerOwner {
  readonly agent: Agent
  readonly host: SessionHost
  readonly dialog: Dialog
  readonly refresh: SessionRefresh
  state: SessionState
  offer: OfferState
  /** Their re-INVITE or UPDATE whose offer we have not answered. */
  pending: ServerTransaction | undefined
  /** Where messages of this dialog come from. */
  near: Flow
  peerAllowsUpdate = false
  readonly #weCalled: boolean
  readonly #credentials: Credentials | undefined
  readonly #repeatTimer = new Timer<TimerOwner>(this, 'repeat')
  readonly #glareTimer = new Timer<TimerOwner>(this, 'glare')
  #repeated: RepeatedAnswer | undefined
  #answered: ServerTransaction | undefined
  #answerBytes: Uint8Array | undefined
  #localSdp: string | undefined
  #ours: ClientTransaction | undefined
  #ack: { readonly flow: Flow; readonly bytes: Uint8Array } | undefined
  #waitingOffer: string | undefined
  #endWords: EndWords | undefined
  #endCause: CallCause = { kind: 'bye' }
  #isConfirmed = false

  constructor(
    agent: Agent,
    host: SessionHost,
    dialog: Dialog,
    near: Flow,
    start: {
      readonly state: SessionState
      readonly offer: OfferState
      readonly weCalled: boolean
      readonly localSdp?: string
      readonly credentials?: Credentials | undefined
    },
  ) {
    this.agent = agent
    this.host = host
    this.dialog = dialog
    this.near = near
    this.state = start.state
    this.offer = start.offer
    this.#weCalled = start.weCalled
    this.#localSdp = start.localSdp
    this.#credentials = start.credentials
    this.refresh = new SessionRefresh(agent, this)
  }

  get weOffer(): boolean {
    return this.#ours !== undefined
  }

  get acknowledges(): boolean {
    return this.#repeated !== undefined
  }

  /** False: the step is not allowed in this state, and nothing changed. */
  step(input: OfferInput): boolean {
    const next = offerAnswer[this.offer][input]
    if (next === undefined) return false
    this.offer = next
    return true
  }

  /** Our 2xx to an INVITE, repeated until its ACK. */
  accept(transaction: ServerTransaction, sdp: string, fields: readonly HeaderField[], now: number): void {
    if (!this.step(this.offer === 'remote-offer' ? 'answer-sent' : 'offer-sent')) return
    this.#localSdp = sdp
    if (this.state === 'early') this.state = 'open'
    this.#answered = transaction
    this.#answerBytes = this.agent.respond(transaction, 200, now, {
      toTag: this.dialog.localTag,
      recordRoute: !this.#isConfirmed,
      fields: [
        { name: 'Contact', value: contactOf(transaction.flow) },
        { name: 'Allow', value: allow },
        { name: 'Supported', value: supported },
        ...fields,
        ...this.refresh.answerFields(transaction.request.message, now),
      ],
      sdp,
    })
    this.#repeated = new RepeatedAnswer(transaction.request.cseq, this.agent.settings.timers, now)
    this.agent.timers.set(this.#repeatTimer, this.#repeated.deadline)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    if (this.#repeated === undefined || ack.cseq !== this.#repeated.cseq) return
    this.#stopRepeating()
    const sdp = sdpOf(ack.message)
    const answers = this.offer === 'local-offer'
    const missing = answers && sdp === undefined
    if (answers) this.step(missing ? 'withdrawn' : 'answer-received')
    const isFirst = !this.#isConfirmed
    this.#isConfirmed = true
    if (this.#endWords !== undefined) {
      this.#sendBye(this.#endWords, now)
      return
    }
    if (missing && isFirst) {
      this.#endCause = { kind: 'response', status: noAnswer.status }
      this.#sendBye(noAnswer, now)
      return
    }
    if (isFirst) this.host.confirmed(answers ? sdp : undefined, now)
    else if (answers) this.agent.emit({ type: 'reconfirmed', id: this.host.id, ...(sdp === undefined ? {} : { sdp }) })
  }

  /** Ends the dialog; the host hears `over` once the BYE is answered or given up. */
  end(words: EndWords, now: number): void {
    if (this.state === 'ending' || this.state === 'over' || this.state === 'doomed') return
    if (this.#repeated !== undefined) {
      this.state = 'doomed'
      this.#endWords = words
      return
    }
    this.#sendBye(words, now)
  }

  /** The same, and `cause` is what the host hears. */
  endFor(cause: CallCause, words: EndWords, now: number): void {
    this.#endCause = cause
    this.end(words, now)
  }

  /** Over without a BYE of ours. */
  close(cause: CallCause, now: number): void {
    if (this.state === 'over') return
    this.state = 'over'
    this.#stopAll()
    if (this.pending !== undefined) {
      // RFC 3261 §15.1.2: requests that wait for an answer get a 487.
      this.agent.respond(this.pending, 487, now)
      this.pending = undefined
    }
    this.host.over(cause, now)
  }

  /** A request within the dialog, already known to be in order by its tags. */
  requestArrived(transaction: ServerTransaction, now: number): void {
    this.near = transaction.flow
    answerInDialog(this, transaction, now)
  }

  reanswer(sdp: string, now: number): void {
    const transaction = this.pending
    if (transaction === undefined) return
    this.pending = undefined
    if (transaction.request.message.method === 'INVITE') {
      this.accept(transaction, sdp, [], now)
      return
    }
    this.step('answer-sent')
    this.#localSdp = sdp
    this.agent.respond(transaction, 200, now, {
      fields: [
        { name: 'Contact', value: contactOf(transaction.flow) },
        ...this.refresh.answerFields(transaction.request.message, now),
      ],
      sdp,
    })
  }

  refuseReoffer(now: number): void {
    const transaction = this.pending
    if (transaction === undefined) return
    this.pending = undefined
    this.step('withdrawn')
    this.agent.respond(transaction, 488, now)
  }

  /** Our own re-INVITE. */
  reoffer(sdp: string, now: number): void {
    const isFree = this.state === 'open' && !this.weOffer && refusalOfOffer(this.offer) === undefined
    if (!isFree || this.offer === 'initial' || this.#repeated !== undefined) {
      this.agent.emit({ type: 'reoffer-refused', id: this.host.id, status: 491 })
      return
    }
    this.step('offer-sent')
    this.#waitingOffer = sdp
    this.request('INVITE', now, { fields: [{ name: 'Allow', value: allow }], sdp })
  }

  /** Shows the peer that we are there: UPDATE where it knows it, else a re-INVITE with what is agreed. */
  sendRefresh(fields: readonly HeaderField[], now: number): void {
    if (this.state !== 'open' || this.weOffer || this.offer !== 'stable') return
    if (this.peerAllowsUpdate) this.request('UPDATE', now, { fields })
    else if (this.#localSdp !== undefined) {
      this.step('offer-sent')
      this.request('INVITE', now, { fields, sdp: this.#localSdp })
    }
  }

  /** Sends a request within the dialog. */
  request(
    method: string,
    now: number,
    parts: { readonly fields?: readonly (HeaderField | undefined)[]; readonly sdp?: string },
  ): void {
    const cseq = this.dialog.nextSeq()
    const { uri, fields: head, nextHop } = this.dialog.head(method, cseq)
    const branch = branchCookie + this.agent.tokens.take(16)
    const carriesContact = method === 'INVITE' || method === 'UPDATE'
    towards(this.agent, nextHop, this.near, now, (flow, later) => {
      if (this.state === 'over') return
      const transaction = this.agent.layer.request(
        buildRequest({
          method,
          uri,
          via: viaOf(flow, branch),
          head,
          fields: [
            carriesContact ? { name: 'Contact', value: contactOf(flow) } : undefined,
            carriesContact ? { name: 'Supported', value: supported } : undefined,
            { name: 'User-Agent', value: this.agent.settings.userAgent },
            ...(parts.fields ?? []),
          ],
          sdp: parts.sdp,
        }),
        branch,
        flow,
        this,
        later,
      )
      if (method === 'INVITE') this.#ours = transaction
    })
  }

  /** The ACK for a 2xx of `cseq`. Once more for the same response: the same ACK (RFC 3261 §13.2.2.4). */
  acknowledge(cseq: number, fields: readonly HeaderField[], now: number): void {
    const { uri, fields: head, nextHop } = this.dialog.head('ACK', cseq)
    const branch = branchCookie + this.agent.tokens.take(16)
    towards(this.agent, nextHop, this.near, now, flow => {
      const ack = buildRequest({ method: 'ACK', uri, via: viaOf(flow, branch), head, fields })
      this.#ack = { flow, bytes: this.agent.sendAck(flow, ack) }
    })
  }

  acknowledgeAgain(): void {
    if (this.#ack !== undefined) this.agent.resend(this.#ack.flow, this.#ack.bytes)
  }

  // What became of our requests.

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    const { method } = transaction.request
    if (status < 200) return
    if (method === 'INVITE' && status < 300 && transaction !== this.#ours) {
      this.acknowledgeAgain()
      return
    }
    if (method === 'INVITE') this.#ours = undefined
    if ((status === 401 || status === 407) && this.#authorized(transaction, response, now)) return
    switch (method) {
      case 'BYE':
        this.#finishBye(now)
        return
      case 'INVITE':
      case 'UPDATE':
        if (status < 300) this.#refreshed(transaction, response, now)
        else this.#refused(transaction, status, now)
    }
  }

  failed(transaction: ClientTransaction | ServerTransaction, _fault: TransactionFault, now: number): void {
    if (transaction.role === 'server') return
    if (transaction.request.method === 'BYE') {
      this.#finishBye(now)
      return
    }
    // RFC 3261 §12.2.1.2: no answer within a dialog ends it.
    this.#ours = undefined
    this.#endCause = { kind: 'timeout' }
    this.end(noAck, now)
  }

  finished(): void {}

  acknowledged(_transaction: ServerTransaction, ack: IncomingRequest, now: number): void {
    this.ackArrived(ack, now)
  }

  /** CANCEL of their re-INVITE: the session goes on as it was. */
  cancelled(transaction: ServerTransaction, _cancel: IncomingRequest, now: number): void {
    if (transaction !== this.pending) return
    this.pending = undefined
    this.step('withdrawn')
    this.agent.respond(transaction, 487, now)
  }

  expired(name: string, now: number): void {
    if (name === 'repeat') this.#repeat(now)
    else if (name === 'glare') {
      const sdp = this.#waitingOffer
      this.#waitingOffer = undefined
      if (sdp !== undefined) this.reoffer(sdp, now)
    }
  }

  /** RFC 4028 §10: nobody refreshed. */
  sessionExpired(now: number): void {
    this.#endCause = { kind: 'session-expired' }
    this.end(expired, now)
  }

  #repeat(now: number): void {
    const repeated = this.#repeated
    if (repeated === undefined || this.#answered === undefined) return
    if (repeated.next(now) === 'send' && this.#answerBytes !== undefined) {
      this.agent.layer.respond(this.#answered, 200, this.#answerBytes, now)
      this.agent.timers.set(this.#repeatTimer, repeated.deadline)
      return
    }
    // RFC 3261 §13.3.1.4: never acknowledged, so the session is ended by a BYE.
    this.#stopRepeating()
    if (this.#endWords === undefined) this.#endCause = { kind: 'timeout' }
    this.#sendBye(this.#endWords ?? noAck, now)
  }

  #sendBye(words: EndWords, now: number): void {
    this.#stopAll()
    this.state = 'ending'
    if (this.pending !== undefined) {
      this.agent.respond(this.pending, 487, now)
      this.pending = undefined
    }
    this.#endWords = words
    this.request('BYE', now, { fields: wordFields(words) })
  }

  #finishBye(now: number): void {
    if (this.state === 'over') return
    this.state = 'over'
    this.host.over(this.#endCause, now)
  }

  #authorized(transaction: ClientTransaction, response: IncomingResponse, now: number): boolean {
    const { request } = transaction
    if (this.#credentials === undefined) return false
    const field = authorize(this.agent, request, response.message, this.#credentials)
    if (field === undefined) return false
    const sdp = sdpOf(request)
    const keep = ['Reason', 'X-Voice-Reason-Code', 'Session-Expires', 'Min-SE', 'Allow']
    this.request(request.method, now, {
      fields: [...request.headers.filter(header => keep.includes(header.name)), field],
      ...(sdp === undefined ? {} : { sdp }),
    })
    return true
  }

  #refreshed(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const contact = contactUriOf(response.message)
    if (contact !== undefined) this.dialog.remoteTarget = contact
    if (allowsMethod(response.message, 'UPDATE')) this.peerAllowsUpdate = true
    this.refresh.answered(response.message, now)
    if (transaction.request.method !== 'INVITE') return
    this.acknowledge(response.cseq, [], now)
    const sdp = sdpOf(response.message)
    const offered = this.#waitingOffer
    this.#waitingOffer = undefined
    if (this.offer === 'local-offer') this.step(sdp === undefined ? 'withdrawn' : 'answer-received')
    if (offered === undefined) return
    this.#localSdp = offered
    this.agent.emit(
      sdp === undefined
        ? { type: 'reoffer-refused', id: this.host.id, status: response.message.status }
        : { type: 'reoffer-answered', id: this.host.id, sdp },
    )
  }

  #refused(transaction: ClientTransaction, status: number, now: number): void {
    const isInvite = transaction.request.method === 'INVITE'
    if (isInvite) this.step('withdrawn')
    if (status === 481 || status === 408) {
      // RFC 3261 §12.2.1.2: the peer knows nothing of this dialog any more.
      this.#endCause = { kind: 'response', status }
      this.end(noAck, now)
      return
    }
    if (isInvite && status === 491 && this.#waitingOffer !== undefined && this.state === 'open') {
      // RFC 3261 §14.1: whoever made the Call-ID waits 2.1 to 4 s, the other 0 to 2 s, in steps of 10 ms.
      const wait = this.#weCalled ? 2100 + 1900 * this.agent.tokens.fraction() : 2000 * this.agent.tokens.fraction()
      this.agent.timers.set(this.#glareTimer, now + Math.round(wait / 10) * 10)
      return
    }
    if (isInvite && this.#waitingOffer !== undefined) {
      this.#waitingOffer = undefined
      this.agent.emit({ type: 'reoffer-refused', id: this.host.id, status })
      return
    }
    if (!isInvite && (status === 405 || status === 501)) this.peerAllowsUpdate = false
    this.refresh.refused(now)
  }

  #stopRepeating(): void {
    this.#repeated = undefined
    this.#answered = undefined
    this.#answerBytes = undefined
    this.agent.timers.stop(this.#repeatTimer)
  }

  #stopAll(): void {
    this.#stopRepeating()
    this.agent.timers.stop(this.#glareTimer)
    this.refresh.stop()
  }
}
