import { assertNever } from '../../base/assert-never.ts'
import { q850Of, sdpOf } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { Binding } from '../../registrar/binding.ts'
import type { IncomingRequest, IncomingResponse } from '../../transaction/incoming.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import { giveUpAfter, type TimerSettings } from '../../transaction/timer-settings.ts'
import type {
  ClientOwner,
  ClientTransaction,
  ServerTransaction,
  TimerOwner,
  TransactionFault,
} from '../../transaction/transaction.ts'
import type { CallCause } from '../services/call-event.ts'
import type { UseHops } from '../services/hop-cache.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import type { EndpointServices, TaggedCall } from '../services/services.ts'
import type { RemoteIdentity } from '../session/dialog-remote.ts'
import type { InviteSession } from '../session/invite-session.ts'
import type { InviteSessionOwner } from '../session/session-context.ts'
import { DialAttempts } from './dial-attempts.ts'
import { authorizationOf, type DialAnswer, sessionOf } from './dialled-session.ts'
import { EarlyDialogs } from './early-dialogs.ts'
import { EndedOutgoing } from './ended-outgoing.ts'
import type { ResolvedDial } from './invite-request.ts'
import { LateForks, lateForkReason } from './late-forks.ts'
import { type OutgoingAction, type OutgoingInput, type OutgoingState, outgoingTable } from './outgoing-states.ts'
import { PrackSender } from './prack-sender.ts'

/**
 * A remote that is there sends 100 within 200 ms (RFC 3261 §8.2.6.1). After five copies of the INVITE without a response the
 * call goes elsewhere, long before Timer B: a caller does not wait 32 s in silence.
 */
const silentPeerAfter = (t: TimerSettings): number => 16 * t.t1

/** A softphone that did not come back: Q.850's subscriber absent. */
const phoneGone: CallCause = { kind: 'response', status: 480, q850: 20 }

const noAnswerReason: ReasonHeader = { status: 488, q850: 88, text: 'No session description', code: 'END.0488' }

/** The input, for the actions of its cell. */
interface Given {
  readonly cause?: CallCause
  readonly progress?: DialAnswer
  readonly transaction?: ClientTransaction
  readonly reason?: ReasonHeader
}

/** A softphone that is dialled: whose it is, and its connection. */
interface BoundPhone {
  readonly userId: string
  readonly flow: Flow
}

const nothingGiven: Given = {}

function whoOf({ target }: ResolvedDial, bound: BoundPhone | undefined): RemoteIdentity {
  if (bound !== undefined) return { kind: 'phone', userId: bound.userId }
  return target.peerId === undefined ? { kind: 'other' } : { kind: 'peer', peerId: target.peerId }
}

/** A call that we dial: what becomes of its attempts, its forks, its CANCEL and all their crossings. */
export class OutgoingCall implements ClientOwner, InviteSessionOwner, TimerOwner, TaggedCall {
  readonly id: string
  readonly callId: string
  transactions: readonly ServerTransaction[] = []
  readonly #services: EndpointServices
  readonly #dial: ResolvedDial
  /** Where the phone is, to which everything goes; undefined = where the target's name leads. */
  #bound: BoundPhone | undefined
  readonly #attempts: DialAttempts
  /** Made for the first fork that answers late. */
  #forks: LateForks | undefined
  readonly #pracks: PrackSender
  readonly #early: EarlyDialogs
  readonly #timer = new Timer<TimerOwner>(this, 'cancel')
  #state: OutgoingState = 'resolving'
  #endReason: ReasonHeader | undefined
  #session: InviteSession | undefined
  #earlySdp: { readonly tag: string | undefined; readonly sdp: string } | undefined

  constructor(services: EndpointServices, dial: ResolvedDial, bound?: BoundPhone) {
    this.#services = services
    this.#dial = dial
    this.#bound = bound
    this.id = dial.id
    this.#attempts = new DialAttempts(services, dial, this, whoOf(dial, bound))
    this.callId = this.#attempts.callId
    this.#pracks = new PrackSender(services)
    this.#early = new EarlyDialogs(services, dial.id)
  }

  start(now: number): void {
    this.#services.bindTag(this.#attempts.localTag, this)
    const begin: UseHops = (hops, at, isRefused) => {
      if (this.#state !== 'resolving') return
      if (this.#attempts.begin(hops, at)) this.#step('invite', at)
      else {
        if (isRefused) this.#services.counters.refusedTargets++
        this.over({ kind: isRefused ? 'refused-address' : 'unreachable' }, at)
      }
    }
    if (this.#bound === undefined) this.#services.resolve(this.#dial.target.hop, now, begin)
    else begin([this.#bound.flow], now, false)
  }

  end(reason: ReasonHeader, now: number): void {
    if (this.#state === 'calling' || this.#state === 'proceeding') this.#endReason = reason
    this.#step('end', now, { reason, cause: { kind: 'response', status: 487 } })
  }

  get state(): OutgoingState {
    return this.#state
  }

  /** Objects that may have a timer running for this call. */
  get timerOwners(): readonly TimerOwner[] {
    return [this, ...(this.session?.timerOwners ?? [])]
  }

  get session(): InviteSession | undefined {
    return this.#session ?? this.#early.awaitingAnswer
  }

  /** The connection is gone for good; what is answered lives by its media. */
  flowLost(isLost: (flow: Flow) => boolean, now: number): void {
    const flow = this.#attempts.latest?.flow
    if (this.#state === 'answered' || flow === undefined || !isLost(flow)) return
    if (this.#bound === undefined) this.over({ kind: 'unreachable' }, now)
    else this.over(phoneGone, now)
  }

  /** Its phone has come back over another connection: what rang there is offered to it there (RFC 5626 §5.3). */
  phoneMoved(from: Flow, { flow, contact }: Binding, now: number): void {
    if (this.#bound === undefined || this.#bound.flow.socket !== from.socket) return
    this.#bound = { ...this.#bound, flow }
    if (this.#isWanted) this.#attempts.repeatTo(contact, flow, now)
    // The first CANCEL may have gone with the old connection.
    else if (this.#state === 'cancelling') this.#attempts.cancel(this.#endReason, now)
  }

  isSource(flow: Flow): boolean {
    return this.#attempts.isSource(flow)
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { request } = transaction
    const session = this.#session
    if (session !== undefined && request.toTag !== undefined && request.fromTag === session.dialog.remoteTag) {
      session.requestArrived(transaction, now)
      return
    }
    const fork = this.#forks?.get(request.fromTag)
    if (fork !== undefined) fork.requestArrived(transaction, now)
    else if (this.#state === 'proceeding') this.#early.requestArrived(transaction, now)
    else this.#services.respond(transaction, 481, now)
  }

  ackArrived(ack: IncomingRequest, now: number): void {
    this.#session?.ackArrived(ack, now)
  }

  confirmed(): void {}

  over(cause: CallCause, now: number): void {
    this.#step('fail', now, { cause })
  }

  /**
   * No response at all; or none that is final 64 × T1 after the CANCEL, which means that none will come (RFC 3261 §9.1).
   */
  expired(_name: string, now: number): void {
    this.#step('timeout', now, { cause: { kind: 'timeout' } })
  }

  /** The call is still wanted, and an INVITE is out. */
  get #isWanted(): boolean {
    return this.#state === 'calling' || this.#state === 'proceeding'
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    if (status < 200) this.#provisional(transaction, response, now)
    else if (status < 300) this.#answer(transaction, response, now)
    else if (transaction === this.#attempts.latest) this.#refusal(transaction, response, now)
  }

  failed(transaction: ClientTransaction, fault: TransactionFault, now: number): void {
    if (transaction !== this.#attempts.latest) return
    if (fault === 'unreachable' && this.#state === 'calling' && this.#attempts.next(now)) this.#step('invite', now)
    else this.over({ kind: fault }, now)
  }

  finished(): void {}

  get atRest(): ClientOwner | undefined {
    return this.#attempts.remote
  }

  #step(input: OutgoingInput, now: number, given: Given = nothingGiven): void {
    const cell = outgoingTable[this.#state][input]
    if (cell === undefined) return
    this.#state = cell[0]
    for (let at = 1; at < cell.length; at++) this.#act(cell[at] as OutgoingAction, now, given)
  }

  #act(action: OutgoingAction, now: number, { cause, progress, reason, transaction }: Given): void {
    const { timers, settings } = this.#services
    switch (action) {
      case 'await-response':
        timers.set(this.#timer, now + silentPeerAfter(settings.timers))
        return
      case 'await-final':
        timers.set(this.#timer, now + giveUpAfter(settings.timers))
        return
      case 'stop-timer':
        timers.stop(this.#timer)
        return
      case 'progress':
        if (progress !== undefined) this.#progress(progress)
        return
      case 'cancel':
        this.#early.close(now)
        this.#attempts.cancel(this.#endReason, now)
        return
      case 'answer':
      case 'answer-late':
        if (progress !== undefined && transaction !== undefined)
          this.#establish(progress, transaction, action === 'answer', now)
        return
      case 'hang-up-fork':
        this.#forks ??= new LateForks(this.#services, this.id)
        if (progress !== undefined) this.#forks.hangUp(progress, now)
        return
      case 'end-session':
        if (reason !== undefined) this.#session?.end(reason, now)
        return
      case 'report-end':
        if (cause !== undefined) this.#reportEnd(cause, now)
        return
      default:
        assertNever(action)
    }
  }

  #reportEnd(cause: CallCause, now: number): void {
    this.#early.close(now)
    this.#services.timers.stop(this.#timer)
    this.#services.bindTag(this.#attempts.localTag, undefined)
    this.#attempts.forget(cause === phoneGone || cause.kind === 'unreachable', now)
    this.#services.emit({ type: 'ended', id: this.id, cause })
    this.#services.release(this.id)
    // One that was given up may still have to be cancelled.
    if (this.#state !== 'over') return
    const past = this.#session?.sender.past
    const pracks = this.#pracks.isUsed ? this.#pracks : undefined
    this.#attempts.handOver(
      dialled => new EndedOutgoing(this.#services, this.id, { dialled, past, forks: this.#forks, pracks }),
    )
  }

  #provisional(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    this.#attempts.provisionalReceived(transaction, response.message.status, now)
    const progress = this.#attempts.answerOf(transaction, response)
    if (this.#pracks.take(progress, now)) this.#step('1xx', now, { progress })
  }

  #progress(progress: DialAnswer): void {
    const { message, toTag, flow } = progress.response
    if (message.status === 100) return
    this.#early.progressed(progress)
    const sdp = sdpOf(message)
    if (sdp === undefined || this.#early.hasReoffered(toTag)) {
      this.#services.emit({ type: 'ringing', id: this.id })
      return
    }
    this.#earlySdp = { tag: toTag, sdp }
    this.#services.emit({ type: 'early', id: this.id, sdp, ringing: message.status === 180, source: flow.address })
  }

  #answer(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const remoteTag = response.toTag ?? ''
    const again = this.#session?.dialog.remoteTag === remoteTag ? this.#session : this.#forks?.get(remoteTag)
    if (again !== undefined) again.sender.acknowledgeAgain()
    else this.#step('2xx', now, { progress: this.#answerOf(transaction, response), transaction })
  }

  #establish(answer: DialAnswer, transaction: ClientTransaction, isWanted: boolean, now: number): void {
    const { response } = answer
    this.#attempts.answered(transaction, now)
    const session = sessionOf(this.#services, this, answer)
    this.#session = session
    const hasReoffered = this.#early.hasReoffered(response.toTag)
    this.#early.confirmed(session, now)
    const early = this.#earlySdp?.tag === response.toTag ? this.#earlySdp?.sdp : undefined
    // Some peers put the answer into the 183 alone; without 100rel it belongs into the 2xx (RFC 3264, RFC 3261 §13.2.1).
    const sdp = sdpOf(response.message) ?? early
    session.sender.acknowledge(response.cseq, authorizationOf(transaction.request), now)
    if (!isWanted) {
      session.end(this.#endReason ?? lateForkReason, now)
      return
    }
    if (sdp === undefined) {
      session.endFor({ kind: 'response', status: 488 }, noAnswerReason, now)
      return
    }
    session.step('answer-received')
    session.refresh.answered(response.message, now)
    this.#services.emit({
      type: 'answered',
      id: this.id,
      source: response.flow.address,
      ...(hasReoffered ? {} : { sdp }),
    })
  }

  #answerOf(transaction: ClientTransaction, response: IncomingResponse): DialAnswer {
    return this.#attempts.answerOf(transaction, response, this.#pracks.lastSeq(response))
  }

  #refusal(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    // RFC 3261 §8.2.2.2: the phone has kept the INVITE of its old connection, and answers that one.
    if (status === 482 && this.#attempts.keepEarlier()) {
      if (this.#state === 'cancelling') this.#attempts.cancel(this.#endReason, now)
      return
    }
    if ((status === 401 || status === 407) && this.#isWanted) {
      if (this.#attempts.answerChallenge(transaction, response.message, now)) this.#step('invite', now)
      else this.over({ kind: 'auth-failed' }, now)
      return
    }
    if (status === 421 && this.#isWanted && this.#attempts.requireReliable(transaction, response.message, now)) {
      this.#step('invite', now)
      return
    }
    const q850 = q850Of(response.message)
    this.over({ kind: 'response', status, ...(q850 === undefined ? undefined : { q850 }) }, now)
  }
}
