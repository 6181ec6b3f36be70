import { type Hops, inCircle, isSpent, nextHop, takeOnNet } from '../contract/hops.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { DialOutcome } from '../leg/dial-connection.ts'
import type { Leg } from '../leg/leg.ts'
import type { MeterAlarms } from '../leg/meter.ts'
import type { SidSequence } from '../leg/sid.ts'
import type { EndUserProfile } from '../model/account.ts'
import type { EndReason } from '../model/end-reason.ts'
import { SmallMap } from '../model/small-map.ts'
import type { Change } from '../ports/store.ts'
import type { Party } from '../talk/party.ts'
import type { DialChild, DialRequest } from '../verbs/index.ts'
import { Branch } from './branch.ts'
import type { BranchListener } from './branch-options.ts'
import { dialStatusOf, mostTelling } from './dial-outcome.ts'
import { type HuntInput, type HuntState, huntTable } from './hunt-states.ts'
import { childAddress, mayBePresented, presentedTo, resolveChild } from './resolve-child.ts'

export interface HuntParts {
  readonly party: Party
  readonly sids: SidSequence
  /** The call's own number, presented when the document names none that the account owns. */
  readonly ownNumber: string
  /** The softphone that placed the call. */
  readonly endUser: EndUserProfile | undefined
  readonly hops: Hops
  readonly alarms: MeterAlarms
}

/** Events of the children that a Dial handles. */
export interface HuntListener {
  /** One rings, and none has answered. */
  ringing(): void
  /** Early media of one has come, and none has answered. */
  early(): void
  /** The first answer. All other legs are cancelled. */
  won(branch: Branch): void
  /** The winner's media is ready. */
  ready(leg: Leg): void
  /** A leg of one has failed, and another is tried: its audio is no longer forwarded. */
  retrying(failed: Leg): void
  /** One has failed or ended, the winner too: its leg's audio is no longer forwarded. */
  over(branch: Branch): void
  /** No leg has answered, and none is left that may. */
  failed(reason: EndReason): void
}

const ringTimer = 'dial:ring'
const confirmTimer = 'dial:confirm'

/** Seeks the one child of a Dial who answers: all ring together, or one after another when sequential. */
export class Hunt implements BranchListener<Branch> {
  readonly #host: CallHost
  readonly #request: DialRequest
  readonly #parts: HuntParts
  readonly #listener: HuntListener
  readonly #branches: Branch[] = []
  readonly #digitsOf = new SmallMap<Branch, string>()
  /** Children whose owner and rate are being looked up. */
  readonly #resolving = new Set<DialChild>()
  #state: HuntState = 'seeking'
  /** Once a Dial, whatever the number of its children. */
  #hasReportedCallerId = false
  /** How many of the branches belong to children before the one that is tried. */
  #past = 0
  #waiting: DialChild[]
  #winner: Branch | undefined

  constructor(host: CallHost, request: DialRequest, parts: HuntParts, listener: HuntListener) {
    this.#host = host
    this.#request = request
    this.#parts = parts
    this.#listener = listener
    this.#waiting = [...request.targets]
  }

  /** None has answered, and one still may. */
  get state(): HuntState {
    return this.#state
  }

  get isSeeking(): boolean {
    return this.#state === 'seeking' || this.#state === 'cancelling' || this.#state === 'confirming'
  }

  get isWon(): boolean {
    return this.#state === 'won'
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  get branches(): readonly Branch[] {
    return this.#branches
  }

  get winner(): Branch | undefined {
    return this.#winner
  }

  /** The leg that the party receives: the winner, or before an answer the first with early media. */
  get audible(): Leg | undefined {
    if (this.#state === 'cancelling') return undefined
    if (this.#winner !== undefined) return audibleLeg(this.#winner)
    for (const branch of this.#branches) {
      const leg = audibleLeg(branch)
      if (leg !== undefined) return leg
    }
    return undefined
  }

  /** Digits that the winner's remote is sent before the bridge (`sendDigits`); empty when nothing is. */
  get digits(): string {
    return this.#winner === undefined ? '' : (this.#digitsOf.get(this.#winner) ?? '')
  }

  start(): void {
    if (this.#request.sequential) {
      this.#startNext()
      return
    }
    this.#armRinging()
    const children = this.#waiting
    this.#waiting = []
    for (const child of children) this.#resolving.add(child)
    for (const child of children) this.#startChild(child)
  }

  /** Ends the search and leaves answered legs alone: true the first time. */
  end(): boolean {
    if (!this.#step('end')) return false
    this.#stopTimers()
    return true
  }

  /** The call ends: so does every leg. Legs that were not answered are cancelled. */
  stop(reason: EndReason): void {
    for (const branch of this.#branches) branch.stop(branch.isAnswered ? reason : 'END.0487')
  }

  finalChanges(): readonly Change[] {
    return this.#branches.flatMap(branch => branch.finalChanges())
  }

  /** `reason`: of what has not ended by itself. */
  outcome(reason: EndReason): DialOutcome {
    const winner = this.#winner
    if (winner !== undefined) {
      const { talkSeconds, options } = winner
      const why = winner.isOver ? winner.reason : reason
      return { status: 'completed', durationSeconds: talkSeconds, reason: why, sid: options.sid }
    }
    const told = mostTelling(
      this.#branches.map(branch => ({
        reason: branch.isOver ? branch.reason : reason,
        sid: branch.options.sid,
      })),
    ) ?? { reason, sid: '' }
    return { status: dialStatusOf(false, told.reason), durationSeconds: 0, reason: told.reason, sid: told.sid }
  }

  ringing(_branch: Branch): void {
    if (this.#state === 'seeking') this.#listener.ringing()
  }

  early(branch: Branch): void {
    if (this.#state === 'seeking' && branch.leg !== undefined) this.#listener.early()
  }

  answered(branch: Branch): void {
    if (!this.#step('answered')) {
      // Answered a moment after another: the first answer has won.
      branch.answeredElsewhere()
      return
    }
    this.#winner = branch
    this.#waiting = []
    this.#stopTimers()
    for (const other of this.#branches) if (other !== branch) other.answeredElsewhere()
    this.#listener.won(branch)
  }

  ready(branch: Branch): void {
    if (branch === this.#winner && branch.leg !== undefined) this.#listener.ready(branch.leg)
  }

  retrying(_branch: Branch, failed: Leg): void {
    if (this.#state !== 'over') this.#listener.retrying(failed)
  }

  over(branch: Branch): void {
    if (this.#state !== 'over') this.#listener.over(branch)
  }

  /** Goes on once no leg is left that may answer: to the next child, or to the end. After a ring timeout all are cancelled first. */
  released(_branch: Branch): void {
    this.#proceed()
  }

  #proceed(): void {
    if (!(this.#state === 'seeking' || this.#state === 'confirming') || this.#resolving.size > 0) return
    if (!this.#branches.every(branch => branch.isOver)) return
    if (this.#waiting.length === 0) this.#listener.failed('END.0480')
    // The next one is dialled only after the cancelled one has really ended, or keeps silent about it.
    else if (this.#branches.slice(this.#past).every(branch => branch.isReleased)) this.#startNext()
    else if (this.#step('wait')) {
      const at = this.#host.now() + this.#host.env.times.cancelConfirmMs
      this.#host.timers.set(confirmTimer, at, () => this.#startNext())
    }
  }

  /** False: not allowed in this state, and nothing changed. */
  #step(input: HuntInput): boolean {
    const next = huntTable[this.#state][input]
    if (next === undefined) return false
    this.#state = next
    return true
  }

  #stopTimers(): void {
    this.#host.timers.clear(ringTimer)
    this.#host.timers.clear(confirmTimer)
  }

  #armRinging(): void {
    this.#host.timers.set(ringTimer, this.#host.now() + this.#request.timeoutMs, () => this.#ringTimeout())
  }

  #startNext(): void {
    const child = this.#waiting.shift()
    if (child === undefined || !this.#step('next')) return
    this.#host.timers.clear(confirmTimer)
    this.#past = this.#branches.length
    this.#armRinging()
    this.#startChild(child)
  }

  #startChild(child: DialChild): void {
    const { record, env } = this.#host
    const { ownNumber, endUser, sids, alarms, party } = this.#parts
    const hops = nextHop(this.#parts.hops, record.direction === 'inbound' ? record.toNumber : undefined)
    const { kind, to, e164, user } = childAddress(child)
    const { callerId } = this.#request
    this.#resolving.add(child)
    const query = {
      kind: 'placing',
      accountId: record.accountUuid,
      from: callerId ?? ownNumber,
      ...(callerId === undefined ? {} : { instead: ownNumber }),
      to: e164 ?? '',
      ...(user === undefined ? {} : { user }),
      // The hold of a number's leg asks for the money. A SIP address may cost nothing, and then nothing is held.
      withSpendable: child.kind === 'sip',
    } as const
    this.#host.lookup(query, found => {
      // A ring timeout may have overtaken the look-up.
      if (!this.#resolving.delete(child) || this.#state !== 'seeking') return
      const from = presentedTo(child, callerId, { number: ownNumber, call: record, endUser }, found)
      const isAllowed = mayBePresented(child, from.user, found)
      if (callerId !== undefined && (from.user !== callerId || !isAllowed)) this.#reportCallerId()
      const reached = resolveChild(child, found, env)
      const resolved = reached.ok && !isAllowed ? ({ ok: false, reason: 'END.0403' } as const) : reached
      const rate = resolved.ok ? resolved.rate : undefined
      // All branches exist before the first begins: one that fails at once must not end the Dial for the others.
      const first = this.#branches.length
      for (const routes of resolved.ok ? resolved.places : [[]]) {
        const sid = sids.next(this.#host.unix())
        const options = { sid, kind, to, from, routes, rate, hops, isDial: true, prefer: party.leg.speaks }
        this.#branches.push(new Branch(this.#host, options, this, alarms))
      }
      for (const branch of this.#branches.slice(first)) {
        // Each child gets one phone before any gets its second.
        const kept = branch === this.#branches[first] ? 0 : this.#resolving.size
        if (child.kind === 'number' && child.sendDigits !== '') this.#digitsOf.set(branch, child.sendDigits)
        if (!resolved.ok) branch.cancel(resolved.reason)
        else if (isSpent(hops)) branch.cancel('END.0400')
        else if (branch.isOnNet && !takeOnNet(hops, to)) this.#tooFar(branch)
        else if (branch.isPhone && !branch.takePhone(kept)) branch.cancel('END.3482')
        else branch.start([])
      }
    })
  }

  /** Its number would dial the next one, and that one another. */
  #tooFar(branch: Branch): void {
    const { hops, to: number } = branch.options
    const { callId } = this.#host
    if (inCircle(hops, number)) this.#host.emit({ type: 'circle.found', callId, number })
    branch.cancel('END.3482')
  }

  /** Another number than the one that the document names is presented, since the account may not present that. */
  #reportCallerId(): void {
    const problem = this.#request.callerIdProblem
    if (problem === undefined || this.#hasReportedCallerId) return
    this.#hasReportedCallerId = true
    this.#host.commit([this.#host.event('DOC.0422', { sid: this.#host.record.sid, ...problem })])
  }

  /** The program need not wait for a remote that is slow to confirm its CANCEL, but the next child has to, a while. */
  #ringTimeout(): void {
    if (!this.#step('ring-timeout')) return
    const isLast = this.#waiting.length === 0
    this.#resolving.clear()
    for (const branch of this.#branches) branch.cancel('END.0408')
    if (!this.#step('cancelled')) return
    if (isLast) this.#listener.failed('END.0408')
    else this.#proceed()
  }
}

const audibleLeg = ({ leg }: Branch): Leg | undefined => (leg?.isReady === true && leg.isLive ? leg : undefined)
