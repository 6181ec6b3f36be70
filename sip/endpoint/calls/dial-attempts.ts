import type { CredentialScope } from '../../digest/credential-scope.ts'
import type { HeaderField, SipResponse } from '../../message/message.ts'
import { requires } from '../../message/typed-fields.ts'
import type { Flow } from '../../network/flow.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import { branchCookie } from '../../transaction/key.ts'
import type { ClientOwner, ClientTransaction } from '../../transaction/transaction.ts'
import { ChallengeAnswers } from '../services/authorize.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import { reasonFields } from '../services/reason-header.ts'
import type { EndpointServices } from '../services/services.ts'
import { callSidHeader } from '../services/settings.ts'
import { DialogRemote, type RemoteIdentity } from '../session/dialog-remote.ts'
import { answerTo, authorizationOf, type DialAnswer, type DialledCall } from './dialled-session.ts'
import { cancelOf, inviteOf, type ResolvedDial } from './invite-request.ts'

/** The INVITEs by which one call is dialled, one after another, and the CANCEL of the latest. */
export class DialAttempts {
  readonly callId: string
  readonly localTag: string
  readonly #services: EndpointServices
  #dial: ResolvedDial
  readonly #owner: ClientOwner
  readonly #identity: RemoteIdentity
  readonly #scope: CredentialScope | undefined
  readonly #answers = new ChallengeAnswers()
  #hops: readonly Flow[] = []
  #hop = 0
  #cseq = 0
  #isReliable = false
  #latest: ClientTransaction | undefined
  #remote: DialogRemote | undefined
  /** The branch to the phone's former connection, until the phone says which of both it answers. */
  #previous: ClientTransaction | undefined

  /** `owner`: gets the responses to each INVITE. To a phone everything goes over the flow of the first. */
  constructor(services: EndpointServices, dial: ResolvedDial, owner: ClientOwner, identity: RemoteIdentity) {
    this.#services = services
    this.#dial = dial
    this.#owner = owner
    this.#identity = identity
    this.callId = services.tokens.take(26)
    this.localTag = services.tokens.take(12)
    this.#scope = services.scopeOf(dial.target)
  }

  /** Undefined: none has gone out. */
  get latest(): ClientTransaction | undefined {
    return this.#latest
  }

  /** Undefined: nothing has gone out. */
  get remote(): DialogRemote | undefined {
    return this.#remote
  }

  /** Requests of the remote are taken from there. */
  isSource(flow: Flow): boolean {
    return this.#remote?.isSource(flow) === true
  }

  /** To the first of these addresses; false = there is none. */
  begin(hops: readonly Flow[], now: number): boolean {
    this.#hops = hops
    this.#scope?.resolvedTo(hops)
    return this.#sendTo(hops[0], now)
  }

  /** RFC 3263 §4.3: to the next address, as a new transaction; false = there is none left. */
  next(now: number): boolean {
    return this.#sendTo(this.#hops[++this.#hop], now)
  }

  /** Once more with credentials; false when there are none that the challenge would take. */
  answerChallenge(transaction: ClientTransaction, challenge: SipResponse, now: number): boolean {
    if (this.#scope === undefined) return false
    const field = this.#answers.next(this.#services, transaction, challenge, this.#scope, now)
    if (field === undefined) return false
    this.#send(transaction.flow, [field], now)
    return true
  }

  /**
   * Sends the INVITE again, with 100rel where a 421 requires it (RFC 3261 §21.4.16); false when it requires something
   * else, or requires it again.
   */
  requireReliable(transaction: ClientTransaction, demand: SipResponse, now: number): boolean {
    if (this.#isReliable || !requires(demand, '100rel')) return false
    this.#isReliable = true
    this.#send(transaction.flow, authorizationOf(transaction.request), now)
    return true
  }

  /** Sends the same INVITE (with another Via branch) over the connection on which the phone has come back. */
  repeatTo(contact: string, flow: Flow, now: number): void {
    if (this.#previous !== undefined) this.#services.layer.abandon(this.#previous, now)
    this.#previous = this.#latest
    this.#dial = { ...this.#dial, target: { ...this.#dial.target, uri: contact } }
    this.#invite(flow, [], now)
  }

  /** The phone has refused the copy with 482: the earlier INVITE counts again. False when there is none. */
  keepEarlier(): boolean {
    if (this.#previous === undefined) return false
    this.#latest = this.#previous
    this.#previous = undefined
    return true
  }

  /** A provisional to the later INVITE: the phone has accepted that one, and the earlier is given up. */
  provisionalReceived(transaction: ClientTransaction, status: number, now: number): void {
    if (status > 100 && transaction === this.#latest) this.#dropPrevious(now)
  }

  /** A 2xx: the other INVITE, if any, ends. */
  answered(transaction: ClientTransaction, now: number): void {
    if (transaction === this.#previous) {
      this.cancel(undefined, now)
      this.#previous = undefined
    } else this.#dropPrevious(now)
  }

  /** The call is over. `isGone`: the remote is gone, and the INVITE gets no answer. */
  forget(isGone: boolean, now: number): void {
    this.#dropPrevious(now)
    if (isGone && this.#latest !== undefined) this.#services.layer.abandon(this.#latest, now)
  }

  cancel(reason: ReasonHeader | undefined, now: number): void {
    if (this.#latest === undefined) return
    const { request, flow } = this.#latest
    const { cancel, branch } = cancelOf(request, this.#cseq, reason === undefined ? [] : reasonFields(reason))
    this.#services.layer.request(cancel, branch, flow, this.#remoteAt(flow), now)
    this.#services.layer.cancelled(this.#latest, now)
  }

  /** A 1xx or 2xx to one of the INVITEs; `cseq` as for `answerTo`. */
  answerOf(transaction: ClientTransaction, response: IncomingResponse, cseq?: number): DialAnswer {
    return answerTo(this.#dialledAt(transaction.flow, this.#dial.sdp), transaction, response, cseq)
  }

  /** The call is over: its last INVITE gets another owner, who is made of what the dialogs of its forks need. */
  handOver(ownerOf: (dialled: DialledCall) => ClientOwner): void {
    const latest = this.#latest
    if (latest !== undefined) latest.owner = ownerOf(this.#dialledAt(latest.flow, ''))
  }

  #sendTo(hop: Flow | undefined, now: number): boolean {
    if (hop === undefined) return false
    this.#send(hop, [], now)
    return true
  }

  #dialledAt(flow: Flow, sdp: string): DialledCall {
    return {
      callId: this.callId,
      localTag: this.localTag,
      cseq: this.#cseq,
      sdp,
      customer: this.#dial.target.hop.customer,
      remote: this.#remoteAt(flow),
      scope: this.#scope,
    }
  }

  #remoteAt(flow: Flow): DialogRemote {
    if (this.#remote === undefined) {
      this.#remote = new DialogRemote(this.#services, this.#identity, flow)
      this.#remote.learnHops(this.#hops)
    }
    return this.#remote
  }

  #dropPrevious(now: number): void {
    if (this.#previous !== undefined) this.#services.layer.abandon(this.#previous, now)
    this.#previous = undefined
  }

  #send(flow: Flow, extra: readonly HeaderField[], now: number): void {
    this.#cseq++
    this.#invite(flow, extra, now)
  }

  #invite(flow: Flow, extra: readonly HeaderField[], now: number): void {
    this.#remoteAt(flow).learnFlow(flow)
    const { sid } = this.#dial
    const branch = branchCookie + this.#services.tokens.take(16)
    const request = inviteOf(this.#services.settings, this.#dial, flow, {
      branch,
      callId: this.callId,
      localTag: this.localTag,
      cseq: this.#cseq,
      isReliable: this.#isReliable,
      extra:
        this.#identity.kind === 'phone' && sid !== undefined ? [...extra, { name: callSidHeader, value: sid }] : extra,
    })
    this.#latest = this.#services.layer.request(request, branch, flow, this.#owner, now)
  }
}
