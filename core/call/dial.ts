import type { EndUserProfile } from '../model/account.ts'
import type { Change } from '../ports/store.ts'
import type { DialChild, DialRequest } from '../verbs/program.ts'
import { Branch } from './branch.ts'
import type { BranchListener } from './branch-options.ts'
import type { Connection, DialOutcome } from './connection.ts'
import { dialStatusOf, mostTelling } from './dial-outcome.ts'
import { recordDial } from './dial-recording.ts'
import type { EndReason } from './end-reason.ts'
import { type Hops, isSpent, nextHop } from './hops.ts'
import type { Host } from './host.ts'
import type { Leg } from './leg.ts'
import type { MeterAlarms } from './meter.ts'
import type { Party } from './party.ts'
import type { Player } from './player.ts'
import type { Recorder } from './recorder.ts'
import { childAddress, presentedTo, resolveChild } from './resolve-child.ts'
import type { SidSequence } from './sid.ts'

/**
 * - `seeking`: children ring, none has answered
 * - `connected`: one has answered, and is or will be bridged
 * - `over`: told
 */
type DialState = 'seeking' | 'connected' | 'over'

export interface DialParts {
  readonly party: Party
  readonly player: Player
  readonly recorder: Recorder
  readonly sids: SidSequence
  /** The call's own number, presented when the document names none that the account owns. */
  readonly ownNumber: string
  /** The softphone that placed the call. */
  readonly endUser: EndUserProfile | undefined
  readonly hops: Hops
  readonly alarms: MeterAlarms
  readonly done: (outcome: DialOutcome) => void
}

/** The id of the digits that a Number's `sendDigits` sends to the far side. */
export const dialDigitsId = 'dial-digits'

const ringTimer = 'dial:ring'
const limitTimer = 'dial:limit'

/** One Dial: its children ring together or one after another, the first answer wins and is bridged. */
export class Dial implements BranchListener, Connection {
  readonly #host: Host
  readonly #request: DialRequest
  readonly #parts: DialParts
  readonly #branches: Branch[] = []
  readonly #digitsOf = new Map<Branch, string>()
  #state: DialState = 'seeking'
  #waiting: DialChild[]
  /** Children whose owner and rate are being looked up. */
  readonly #resolving = new Set<DialChild>()
  #winner: Branch | undefined
  #bridged: Leg | undefined
  #isRinging = false
  #digitsSent: 'no' | 'sending' | 'yes' = 'no'
  /** The recording of the two, from the answer to the end. */
  #recordId: string | undefined

  constructor(host: Host, request: DialRequest, parts: DialParts) {
    this.#host = host
    this.#request = request
    this.#parts = parts
    this.#waiting = [...request.targets]
  }

  start(): void {
    // A browser's answer starts its checks, which must not wait for as long as somebody may ring.
    if (this.#parts.endUser === undefined) this.#parts.party.prepare()
    this.#ringCaller()
    if (this.#request.sequential) {
      this.#startNext()
      return
    }
    this.#host.timers.set(ringTimer, this.#host.now() + this.#request.timeoutMs, () => this.#ringTimeout())
    const children = this.#waiting
    this.#waiting = []
    for (const child of children) this.#startChild(child)
  }

  /** Legs of this Dial that are bridged or may be: for digits that came by INFO. */
  get bridgedLeg(): Leg | undefined {
    return this.#bridged
  }

  partyChanged(): void {
    this.#tryBridge()
  }

  partyDigit(digit: string): void {
    if (digit === '*' && this.#request.hangupOnStar && this.#state === 'connected') this.#winner?.cancel('END.0200')
  }

  digitsSent(): void {
    if (this.#digitsSent !== 'sending') return
    this.#digitsSent = 'yes'
    this.#tryBridge()
  }

  inRoom(): void {}

  /** The call ends: so does every leg. Whoever was not answered is cancelled. */
  stop(reason: EndReason): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#stopRecord()
    for (const branch of this.#branches) branch.stop(branch.state === 'answered' ? reason : 'END.0487')
    this.#parts.done(this.#outcome(reason))
  }

  finalChanges(): readonly Change[] {
    return this.#branches.flatMap(branch => branch.finalChanges())
  }

  ringing(_branch: Branch): void {
    // Behind early media a 180 would bring the caller's own tone back.
    if (this.#state === 'seeking' && this.#bridged === undefined) this.#parts.party.leg.ring()
  }

  early(branch: Branch): void {
    const { leg } = branch
    if (this.#state !== 'seeking' || leg === undefined || this.#bridged !== undefined) return
    // Forked early media: the first to speak is heard until somebody answers.
    if (!this.#parts.party.isAnswered) {
      if (!this.#request.answerOnBridge || !this.#parts.party.canHearEarly) return
      this.#parts.party.progress()
    }
    this.#tryBridge()
  }

  answered(branch: Branch): void {
    if (this.#state !== 'seeking') {
      // Answered a moment after another: the first answer has won.
      branch.cancel('END.0487')
      return
    }
    this.#state = 'connected'
    this.#winner = branch
    this.#waiting = []
    const { timers } = this.#host
    timers.clear(ringTimer)
    const { timeLimitMs } = this.#request
    timers.set(limitTimer, this.#host.now() + timeLimitMs, () => branch.cutAfter(timeLimitMs, 'END.0210'))
    for (const other of this.#branches) if (other !== branch) other.cancel('END.0487')
    if (this.#bridged !== undefined && this.#bridged !== branch.leg) this.#unbridge()
    this.#parts.party.answer()
    this.#tryBridge()
    this.#record()
  }

  ready(branch: Branch): void {
    if (branch !== this.#winner || branch.leg === undefined) return
    const digits = this.#digitsOf.get(branch) ?? ''
    if (digits !== '' && this.#digitsSent === 'no') {
      this.#digitsSent = 'sending'
      this.#host.emit({ type: 'media.send-digits', legId: branch.leg.uuid, digitsId: dialDigitsId, digits })
      return
    }
    this.#tryBridge()
  }

  over(branch: Branch): void {
    if (this.#state === 'over') return
    if (branch.leg !== undefined && branch.leg === this.#bridged) this.#unbridge()
    if (branch === this.#winner) this.#finish(this.#outcome(branch.reason))
    else if (this.#state === 'seeking') this.#ringCaller()
  }

  released(_branch: Branch): void {
    this.#proceed()
  }

  /** Goes on once nobody is left who may answer: to the next child, or to the end. */
  #proceed(): void {
    if (this.#state !== 'seeking' || this.#resolving.size > 0) return
    if (!this.#branches.every(branch => branch.state === 'over')) return
    // The next one is dialled only after the cancelled one has really ended.
    if (this.#waiting.length > 0) {
      if (this.#branches.every(branch => branch.isReleased)) this.#startNext()
      return
    }
    this.#finish(this.#outcome('END.0480'))
  }

  #startNext(): void {
    const child = this.#waiting.shift()
    if (child === undefined) return
    this.#host.timers.set(ringTimer, this.#host.now() + this.#request.timeoutMs, () => this.#ringTimeout())
    this.#startChild(child)
  }

  #startChild(child: DialChild): void {
    const { record, env } = this.#host
    const { ownNumber, endUser, sids, alarms, party } = this.#parts
    const hops = nextHop(this.#parts.hops)
    const { kind, to, e164, user } = childAddress(child)
    const { callerId } = this.#request
    this.#resolving.add(child)
    const query = {
      kind: 'placing',
      accountId: record.accountUuid,
      from: callerId ?? ownNumber,
      to: e164 ?? '',
      ...(user === undefined ? {} : { user }),
    } as const
    this.#host.lookup(query, found => {
      // A ring timeout may have overtaken the look-up.
      if (!this.#resolving.delete(child) || this.#state !== 'seeking') return
      const resolved = resolveChild(child, found, env)
      const from = presentedTo(child, callerId, { number: ownNumber, call: record, endUser }, found)
      const rate = resolved.ok ? resolved.rate : undefined
      const branches = (resolved.ok ? resolved.forks : [[]]).map(routes => {
        const sid = sids.next(this.#host.unix())
        const options = { sid, kind, to, from, routes, rate, hops, isDial: true, prefer: party.leg.codec }
        return new Branch(this.#host, options, this, alarms)
      })
      // All of them stand before the first begins: one that fails at once must not end the Dial for the others.
      this.#branches.push(...branches)
      for (const branch of branches) {
        if (child.kind === 'number') this.#digitsOf.set(branch, child.sendDigits)
        if (!resolved.ok) branch.cancel(resolved.reason)
        else if (isSpent(hops)) branch.cancel('END.0400')
        else branch.start([])
      }
    })
  }

  /** The program need not wait for a far end that is slow to confirm its CANCEL, but the next child has to. */
  #ringTimeout(): void {
    const isLast = this.#waiting.length === 0
    this.#resolving.clear()
    for (const branch of this.#branches) branch.cancel('END.0408')
    if (this.#state !== 'seeking') return
    if (isLast) this.#finish(this.#outcome('END.0408'))
    else this.#proceed()
  }

  #ringCaller(): void {
    const { party, player } = this.#parts
    if (!party.isAnswered || this.#isRinging) return
    this.#isRinging = true
    player.ring(this.#request.ringTone)
  }

  #stopRinging(): void {
    if (!this.#isRinging) return
    this.#isRinging = false
    this.#parts.player.stopRinging()
  }

  /** The far side is to have its digits before it hears the caller. */
  get #owesDigits(): boolean {
    const winner = this.#winner
    return winner !== undefined && (this.#digitsOf.get(winner) ?? '') !== '' && this.#digitsSent !== 'yes'
  }

  /** Bridges the winner, or before an answer the first with early media, as soon as both sides can hear. */
  #tryBridge(): void {
    const { party } = this.#parts
    if (this.#state === 'over' || this.#bridged !== undefined || !party.isListening) return
    if (this.#owesDigits) return
    const candidates = this.#winner === undefined ? this.#branches : [this.#winner]
    const leg = candidates.map(branch => branch.leg).find(leg => leg?.isReady === true && leg.isLive)
    if (leg === undefined) return
    if (this.#winner !== undefined && !party.isAnswered) return
    this.#stopRinging()
    this.#bridged = leg
    this.#host.emit({ type: 'media.bridge', legId: party.leg.uuid, otherLegId: leg.uuid })
    this.#record()
  }

  /** Once the winner and the caller hear each other. */
  #record(): void {
    const { party, recorder } = this.#parts
    if (this.#recordId !== undefined) return
    if (this.#winner === undefined || this.#bridged !== this.#winner.leg) return
    this.#recordId = recordDial(recorder, party.leg, this.#request.record)
  }

  #stopRecord(): void {
    if (this.#recordId !== undefined) this.#parts.recorder.stop(this.#recordId)
  }

  #unbridge(): void {
    this.#bridged = undefined
    this.#host.emit({ type: 'media.unbridge', legId: this.#parts.party.leg.uuid })
  }

  #outcome(reason: EndReason): DialOutcome {
    const winner = this.#winner
    if (winner !== undefined) {
      const { talkSeconds, options } = winner
      const why = winner.state === 'over' ? winner.reason : reason
      return { status: 'completed', durationSeconds: talkSeconds, reason: why, sid: options.sid }
    }
    const told = mostTelling(
      this.#branches.map(branch => ({
        reason: branch.state === 'over' ? branch.reason : reason,
        sid: branch.options.sid,
      })),
    ) ?? { reason, sid: '' }
    return { status: dialStatusOf(false, told.reason), durationSeconds: 0, reason: told.reason, sid: told.sid }
  }

  #finish(outcome: DialOutcome): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#host.timers.clear(ringTimer)
    this.#host.timers.clear(limitTimer)
    this.#stopRinging()
    this.#stopRecord()
    if (this.#bridged !== undefined) this.#unbridge()
    this.#parts.done(outcome)
  }
}
