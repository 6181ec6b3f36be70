import {
  branchCookie,
  buildRequest,
  type ClientOwner,
  type ClientTransaction,
  cancelOf,
  dialogOfCaller,
  formatMessage,
  type HeaderField,
  headerOf,
  type IncomingRequest,
  type IncomingResponse,
  type ServerTransaction,
  Timer,
  type TimerOwner,
  type TransactionFault,
} from '../../sip/index.ts'
import { type EndReason, localEnd } from '../base/end-reason.ts'
import { CallDialog, type CallDialogOwner } from './call-dialog.ts'
import { contactOf, sdpOf } from './read.ts'
import { reasonOf } from './response-reason.ts'
import {
  allow,
  bearer,
  type EndpointServices,
  lineLostMs,
  outbound,
  shownAgainMs,
  sidHeader,
  type TaggedCall,
} from './services.ts'

export interface DialOptions {
  readonly id: string
  readonly uri: string
  readonly sdp: string
  readonly fields: readonly HeaderField[]
}

/** `abandoned`: hung up before the first provisional, which a CANCEL must wait for (RFC 3261 §9.1). */
type OutgoingState = 'calling' | 'proceeding' | 'abandoned' | 'cancelling' | 'answered' | 'over'

const noFinalResponseMs = 32_000
const nobody: ClientOwner = { responded() {}, failed() {}, finished() {} }
const late = localEnd('Cancelled', 'local')

/** A call that we place: from the INVITE to its final response; then its session has the word. */
export class OutgoingCall implements ClientOwner, TimerOwner, TaggedCall, CallDialogOwner {
  readonly id: string
  readonly callId: string
  readonly #services: EndpointServices
  readonly #dial: DialOptions
  readonly #localTag: string
  readonly #timer = new Timer<TimerOwner>(this, 'cancel')
  #state: OutgoingState = 'calling'
  #invite: ClientTransaction | undefined
  #cseq = 0
  #session: CallDialog | undefined
  #earlySdp: string | undefined
  #isReported = false
  #isNamed = false

  constructor(services: EndpointServices, dial: DialOptions) {
    this.#services = services
    this.#dial = dial
    this.id = dial.id
    this.callId = services.word(24)
    this.#localTag = services.word(12)
  }

  get session(): CallDialog | undefined {
    return this.#session
  }

  start(now: number): void {
    this.#services.bind(this.#localTag, this)
    if (this.#services.isUp) this.#send('Authorization', now)
    else this.#finish(localEnd('Connection lost', 'network'))
  }

  end(reason: EndReason, now: number): void {
    const state = this.#state
    switch (state) {
      case 'calling':
        this.#state = 'abandoned'
        // The switch may be silent for good: the wait is bounded here too.
        this.#services.timers.set(this.#timer, now + noFinalResponseMs)
        this.#report(reason)
        return
      case 'proceeding':
        this.#cancel(now)
        this.#report(reason)
        return
      case 'answered':
        this.#session?.end(reason, now)
        return
      case 'abandoned':
      case 'cancelling':
      case 'over':
        return
      default:
        state satisfies never
    }
  }

  over(reason: EndReason): void {
    this.#report(reason, true)
  }

  released(): void {
    this.#state = 'over'
    this.#services.timers.stop(this.#timer)
    this.#services.release(this.id, this.#localTag)
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    if (this.#session !== undefined && transaction.request.fromTag === this.#session.dialog.remoteTag)
      this.#session.requestArrived(transaction, now)
    else this.#services.respond(transaction, 481, now)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    this.#session?.ackArrived(ack, now)
  }

  lineUp(now: number): void {
    this.#session?.lineUp(now)
  }

  lineDown(now: number): void {
    if (this.#isDecided) return
    // It does not fail with its line: the switch answers it over the next one.
    if (this.#invite !== undefined) this.#services.finished(this.#invite)
    if (!this.#timer.running) this.#services.timers.set(this.#timer, now + lineLostMs)
  }

  /**
   * The INVITE once more, as it was: the switch repeats what it said last, or takes a call that never reached it. Of one
   * that was given up, the CANCEL alone, whether or not a provisional came on the lost line: no INVITE can come after it.
   */
  registered(now: number): void {
    if (this.#isDecided || this.#invite === undefined) return
    if (!this.#isWanted) {
      this.#cancel(now)
      return
    }
    this.#services.resend(formatMessage(this.#invite.request))
    this.#services.timers.set(this.#timer, now + shownAgainMs)
  }

  expired(): void {
    this.#finish(localEnd(this.#isWanted ? 'Connection lost' : 'No answer from the service', 'network'))
  }

  /** Neither answered nor given up. */
  get #isWanted(): boolean {
    return this.#state === 'calling' || this.#state === 'proceeding'
  }

  get #isDecided(): boolean {
    return this.#state === 'answered' || this.#state === 'over'
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    const sid = headerOf(response.message, sidHeader)
    if (sid !== undefined && !this.#isNamed) {
      this.#isNamed = true
      this.#services.emit({ type: 'named', id: this.id, sid })
    }
    if (status < 200) this.#provisional(response, now)
    else if (status < 300) this.#answered(transaction, response, now)
    else if (transaction === this.#invite) this.#refused(transaction, response, now)
  }

  failed(transaction: ClientTransaction, fault: TransactionFault): void {
    if (transaction !== this.#invite) return
    this.#finish(localEnd(fault === 'timeout' ? 'No answer from the service' : 'Connection lost', 'network'))
  }

  finished(transaction: ClientTransaction): void {
    this.#services.finished(transaction)
  }

  #send(credentials: 'Authorization' | 'Proxy-Authorization', now: number): void {
    const services = this.#services
    const { extension, realm } = services.identity
    const branch = branchCookie + services.word(16)
    this.#cseq++
    const request = buildRequest({
      method: 'INVITE',
      uri: this.#dial.uri,
      via: services.via(branch),
      head: [
        { name: 'Max-Forwards', value: '70' },
        { name: 'From', value: `<sip:${extension}@${realm}>;tag=${this.#localTag}` },
        { name: 'To', value: `<${this.#dial.uri}>` },
        { name: 'Call-ID', value: this.callId },
        { name: 'CSeq', value: `${this.#cseq} INVITE` },
      ],
      fields: [
        services.contact(),
        { ...bearer(services.identity), name: credentials },
        allow,
        outbound,
        { name: 'User-Agent', value: services.userAgent },
        ...this.#dial.fields,
      ],
      sdp: this.#dial.sdp,
    })
    this.#invite = services.request(request, branch, this, now)
  }

  #provisional(response: IncomingResponse, now: number): void {
    if (this.#state === 'abandoned') {
      this.#cancel(now)
      return
    }
    if (this.#state === 'cancelling') return
    this.#services.timers.stop(this.#timer)
    if (this.#state === 'calling') this.#state = 'proceeding'
    if (this.#state !== 'proceeding' || response.message.status === 100) return
    const sdp = sdpOf(response.message)
    if (sdp === undefined) {
      this.#services.emit({ type: 'ringing', id: this.id })
      return
    }
    this.#earlySdp = sdp
    this.#services.emit({ type: 'early', id: this.id, sdp })
  }

  #answered(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const session = this.#session
    if (session !== undefined) {
      if (session.dialog.remoteTag === (response.toTag ?? '')) session.sender.acknowledgeAgain()
      else this.#endFork(transaction, response, now)
      return
    }
    if (this.#state === 'over') {
      this.#endFork(transaction, response, now)
      return
    }
    const isWanted = this.#isWanted
    this.#state = 'answered'
    this.#services.timers.stop(this.#timer)
    const made = this.#open(transaction, response, this)
    this.#session = made
    // Some peers put the answer into the 183 alone (RFC 3261 §13.2.1).
    const sdp = sdpOf(response.message) ?? this.#earlySdp
    if (!isWanted) made.end(late, now)
    else if (sdp === undefined) made.end(localEnd('No common codec', 'remote'), now)
    else {
      made.step('answer-received')
      this.#services.emit({ type: 'answered', id: this.id, sdp })
    }
  }

  /** RFC 3261 §13.2.2.4: another fork answered too, or one when all was over: ACK and BYE. */
  #endFork(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    this.#open(transaction, response, { id: this.id, over() {}, released() {} }).end(late, now)
  }

  /** The session of a 2xx, which is acknowledged. */
  #open(transaction: ClientTransaction, response: IncomingResponse, host: CallDialogOwner): CallDialog {
    const dialog = dialogOfCaller(
      { callId: this.callId, localTag: this.#localTag, request: transaction.request, cseq: this.#cseq, response },
      contactOf(response.message),
    )
    const session = new CallDialog(this.#services, host, dialog, 'local-offer')
    session.sender.acknowledge(response.cseq)
    return session
  }

  #refused(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    const isFirst = transaction.request.headers.every(({ name }) => name !== 'Proxy-Authorization')
    if (status === 407 && isFirst && this.#isWanted) this.#send('Proxy-Authorization', now)
    else this.#finish(reasonOf(response.message, 'remote'))
  }

  #cancel(now: number): void {
    const invite = this.#invite
    if (invite === undefined) return
    this.#state = 'cancelling'
    this.#services.timers.set(this.#timer, now + noFinalResponseMs)
    if (!this.#services.isReady) return
    const { cancel, branch } = cancelOf(invite.request, this.#cseq, [])
    this.#services.request(cancel, branch, { ...nobody, finished: done => this.#services.finished(done) }, now)
  }

  #finish(reason: EndReason): void {
    this.#report(reason)
    this.released()
  }

  #report(reason: EndReason, wasOpen = false): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#services.emit({ type: 'ended', id: this.id, reason, wasOpen })
  }
}
