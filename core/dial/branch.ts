import { endOfTalk, secondsBetween } from '../billing/charge.ts'
import type { DialledLeg } from '../events/call-data.ts'
import { BilledLeg } from '../leg/billed-leg.ts'
import type { CallHost } from '../leg/call-host.ts'
import { Leg, type LegEnding } from '../leg/leg.ts'
import { LegCaps } from '../leg/leg-caps.ts'
import type { LegOwner, OwnedSignal } from '../leg/leg-owner.ts'
import type { MeterAlarms } from '../leg/meter.ts'
import { reasonOf } from '../leg/reason-of.ts'
import { assertNever } from '../model/assert-never.ts'
import { type BranchDump, type HoldDump, withoutPassword } from '../model/call-dump.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegUuid } from '../model/ids.ts'
import type { OpenDial } from '../model/open-dial.ts'
import type { Change } from '../ports/store.ts'
import type { BranchListener, BranchOptions } from './branch-options.ts'
import { type BranchInput, type BranchState, branchTable, isBranchOver } from './branch-states.ts'
import { dialEvent } from './dial-event.ts'
import { legBy, RouteTrials } from './route-trials.ts'

/** One destination: its routes are tried in order, one leg at a time, until one answers. */
export class Branch implements LegOwner {
  readonly options: BranchOptions
  readonly #host: CallHost
  readonly #listener: BranchListener<Branch>
  readonly #alarms: MeterAlarms
  readonly #trials: RouteTrials
  /** Caps of a dialled leg. Undefined: the leg of a placed call counts as the call. */
  readonly #admission: LegCaps | undefined
  #state: BranchState = 'new'
  #reason: EndReason = 'END.0503'
  #billed: BilledLeg | undefined
  #limitUnix: number | undefined
  /** Which of its events have been written: each at most once, whatever the routes that it takes. */
  #announced: 'nothing' | 'initiated' | 'ringing' = 'nothing'
  /** The failed leg whose row names the Dial until that of the next leg does. */
  #handingOver: LegUuid | undefined
  /** What the first unit was to announce, when the database failed it. */
  #failedAnnouncement: readonly Change[] | undefined

  constructor(host: CallHost, options: BranchOptions, listener: BranchListener<Branch>, alarms: MeterAlarms) {
    this.#host = host
    this.options = options
    this.#listener = listener
    this.#alarms = alarms
    this.#trials = new RouteTrials(host, options)
    this.#admission = options.isDial ? new LegCaps(host, options.sid) : undefined
  }

  /** Decided: it failed, ended or was cancelled. */
  get isOver(): boolean {
    return isBranchOver[this.#state]
  }

  get isAnswered(): boolean {
    return this.#state === 'answered'
  }

  /** Why it is over. */
  get reason(): EndReason {
    return this.#reason
  }

  get leg(): Leg | undefined {
    return this.#billed?.leg
  }

  /** Its state, for support. */
  get dump(): BranchDump {
    const { sid, kind, to } = this.options
    return { sid, kind, to: withoutPassword(to), state: this.#state, legUuid: this.leg?.uuid }
  }

  get holds(): readonly HoldDump[] {
    const hold = this.#billed?.hold
    return hold === undefined ? [] : [hold]
  }

  /** It leads to another number of this switch. */
  get isOnNet(): boolean {
    return this.options.routes[0]?.kind === 'on-net'
  }

  /** It leads to a phone. */
  get isPhone(): boolean {
    return this.options.routes[0]?.kind === 'phone'
  }

  /** Takes its room among the phones that ring for the origin call, beside those `kept` for other children; false when there is none. */
  takePhone(kept: number): boolean {
    return this.#admission?.enterPhone(this.options.hops, kept) ?? true
  }

  /** It was answered at some time. */
  get wasAnswered(): boolean {
    return this.leg?.answeredUnix !== undefined
  }

  get isReleased(): boolean {
    return this.isOver && (this.leg === undefined || this.leg.hasEnded)
  }

  get talkSeconds(): number {
    const { answeredUnix, endedUnix } = this.leg ?? {}
    return answeredUnix === undefined ? 0 : secondsBetween(answeredUnix, endedUnix ?? this.#host.unix())
  }

  /** `prelude` is committed in the same unit as the first leg; without a route nothing is written. */
  start(prelude: readonly Change[], admitted: (result: 'placed' | 'refused' | 'no-route') => void = () => {}): void {
    if (this.#admission?.enter() === false) this.#end('END.4429')
    else this.#queue(prelude, admitted)
  }

  /** End of the last paid second of a leg that was answered: it ends there at the latest. */
  get paidUntilUnix(): number | undefined {
    return this.#billed?.paidUntilUnix
  }

  /** Ends it whatever its state; commits what that means. */
  cancel(reason: EndReason): void {
    this.#end(reason)
  }

  /** Another of those who rang has answered: its phone need not report a missed call. */
  answeredElsewhere(): void {
    this.#end('END.0487', { isAnsweredElsewhere: true })
  }

  /** Ends talk at its limit. The timer fires a moment later, never before; we absorb the difference. */
  cutAfter(limitMs: number, reason: EndReason): void {
    const answeredUnix = this.leg?.answeredUnix
    if (answeredUnix !== undefined) this.#limitUnix = answeredUnix + limitMs
    this.#end(reason)
  }

  /** The call ends, and so does the leg. The changes are in `finalChanges`, for the call's last unit. */
  stop(reason: EndReason): void {
    if (this.#step('stop')) this.#leave(reason)
  }

  /** Once every unit before the last is through; empty when it was over before the call ended. */
  finalChanges(): readonly Change[] {
    return this.#state === 'stopped' ? this.#closing() : []
  }

  opened(leg: Leg): void {
    if (leg === this.leg && this.#state === 'trying') this.#trials.dial(leg)
  }

  ready(leg: Leg): void {
    if (leg !== this.leg) return
    this.#answered()
    if (this.#state === 'answered') this.#listener.ready(this)
    else if (this.#state === 'trying') this.#listener.early(this)
  }

  failed(leg: Leg, reason: EndReason): void {
    if (leg === this.leg) this.#end(reason)
  }

  signalled(leg: Leg, event: OwnedSignal): void {
    if (leg !== this.leg) return
    switch (event.type) {
      case 'leg.ringing':
        this.#ring()
        return
      case 'leg.early':
        if (event.ringing) this.#ring()
        leg.takeAnswer(event.sdp)
        return
      case 'leg.answered':
        this.#answer(leg, event.sdp)
        return
      case 'leg.ended':
        this.#legEnded(event)
        return
      case 'leg.confirmed':
        return
      default:
        assertNever(event)
    }
  }

  /** A dialled leg that leaves the switch begins when its turn has come, within a second or not at all. */
  #queue(prelude: readonly Change[], admitted: (result: 'placed' | 'refused' | 'no-route') => void): void {
    const begin = () => this.#attempt(prelude, admitted)
    if (this.#admission === undefined || !this.#trials.leavesSwitch) {
      begin()
      return
    }
    this.#step('queue')
    if (!this.#admission.onTurn(begin)) this.#end('END.4430')
  }

  #attempt(prelude: readonly Change[], admitted: (result: 'placed' | 'refused' | 'no-route') => void): void {
    const route = this.#trials.next()
    if (route === undefined) {
      admitted('no-route')
      this.#end(this.#reason)
      return
    }
    const leg = new Leg(this.#host, {
      uuid: this.#host.env.uuid() as LegUuid,
      role: 'callee',
      number: this.options.to,
      ...legBy(route),
      prefer: this.options.prefer ?? [],
    })
    const isFirst = this.#announced === 'nothing'
    const { rate } = this.options
    const announcement = isFirst ? this.#announcement('initiated', leg) : []
    const billed = new BilledLeg(this.#host, leg, rate, this.#alarms)
    this.#billed = billed
    this.#step('place')
    this.#host.adopt(leg, this)
    const begin: Change = { type: 'leg.insert', leg: leg.record(this.#openDial) }
    const unit = prelude.concat(begin, this.#namedElsewhere(), billed.holding(), announcement)
    // Nothing of the unit was written: there is no leg.
    const undone = () => {
      this.#billed = undefined
      if (isFirst) this.#announced = 'nothing'
    }
    this.#host.commit(
      unit,
      result => {
        if (result.ok) this.#handingOver = undefined
        else {
          undone()
          leg.end('END.0402')
        }
        admitted(result.ok ? 'placed' : 'refused')
        this.#committed(result.ok, leg)
      },
      () => {
        undone()
        this.#failedAnnouncement = announcement
        this.#databaseFailed()
      },
    )
  }

  #committed(isPlaced: boolean, leg: Leg): void {
    const wasWithdrawn = this.#state === 'withdrawn'
    if (!this.#step(isPlaced ? 'placed' : 'refused')) return
    if (wasWithdrawn) this.#host.commitClosing(this.#closing())
    else if (isPlaced) leg.openMedia()
    else this.#end('END.0402')
  }

  /** The call ends after this, and its last unit says what was announced. */
  #databaseFailed(): void {
    const wasWithdrawn = this.#state === 'withdrawn'
    if (this.isOver) this.#admission?.leave()
    this.#step('refused')
    if (wasWithdrawn) this.#host.commitClosing(this.#closing())
  }

  #ring(): void {
    if (this.#state !== 'trying') return
    if (this.#announced !== 'ringing') {
      const events = this.#announcement('ringing', this.leg)
      this.#announced = 'ringing'
      if (events.length > 0) this.#host.commit(events)
    }
    this.#listener.ringing(this)
  }

  /** `sdp` undefined: what was agreed before holds. */
  #answer(leg: Leg, sdp: string | undefined): void {
    if (!this.#step('accepted')) return
    const wasReady = leg.isReady
    if (sdp !== undefined) leg.takeAnswer(sdp)
    // Early media has already agreed.
    if (wasReady) this.ready(leg)
  }

  #answered(): void {
    if (this.#billed === undefined || !this.#step('agreed')) return
    const row = this.#billed.answered(this.#host.unix())
    this.#host.commit([row].concat(this.#announcement('answered', this.leg)))
    this.#listener.answered(this)
  }

  #legEnded(event: Extract<OwnedSignal, { type: 'leg.ended' }>): void {
    if (this.isOver) {
      this.#admission?.leave()
      this.#listener.released(this)
      return
    }
    const reason = reasonOf(event.cause)
    // Hung up in the same step: it counts as answered.
    this.#answered()
    if (this.#state === 'trying' && this.#trials.goesOnAfter(event.cause)) {
      this.#reason = reason
      this.#failOver(reason)
      return
    }
    this.#end(reason)
  }

  /** The next attempt is a new leg; the old one's hold is given back before the new one's is opened. */
  #failOver(reason: EndReason): void {
    const billed = this.#billed
    if (billed === undefined) return
    const unix = this.#host.unix()
    billed.leg.closeMedia()
    this.#trials.leave()
    billed.leg.endedUnix = unix
    this.#host.commitClosing(billed.closing(unix, reason))
    this.#listener.retrying(this, billed.leg)
    // Its rows are closed: what becomes of the branch is not theirs any more.
    this.#billed = undefined
    if (this.options.isDial) this.#handingOver = billed.leg.uuid
    if (this.#step('fail-over')) this.#queue([], () => {})
  }

  #end(reason: EndReason, more?: LegEnding): void {
    // The leg of a placed call is closed in the call's own last unit.
    if (!this.#step(this.options.isDial ? 'end' : 'stop')) return
    this.#leave(reason, more)
    if (this.#state === 'over') {
      const changes = this.#closing()
      if (changes.length > 0) this.#host.commitClosing(changes)
    }
    this.#listener.over(this)
    if (this.isReleased) this.#listener.released(this)
  }

  /** False: not allowed in this state, and nothing changed. */
  #step(input: BranchInput): boolean {
    const next = branchTable[this.#state][input]
    if (next === undefined) return false
    this.#state = next
    return true
  }

  /** Ends what it has: the leg, the trunk's place, its turn. */
  #leave(reason: EndReason, more?: LegEnding): void {
    this.#reason = reason
    this.#trials.end()
    this.#admission?.leaveQueue()
    const { leg } = this
    if (leg === undefined) {
      this.#admission?.leave()
      return
    }
    const unix = this.#host.unix()
    const endedUnix = Math.min(unix, this.#limitUnix ?? unix, this.paidUntilUnix ?? unix)
    // What we end in the moment of its answer, since another has won, has not begun to talk.
    leg.endedUnix = leg.hasEnded ? endOfTalk(leg.answeredUnix ?? null, endedUnix) : endedUnix
    leg.end(reason, more)
    if (leg.hasEnded) this.#admission?.leave()
  }

  #closing(): readonly Change[] {
    const { leg } = this
    const endedUnix = leg?.endedUnix ?? this.#host.unix()
    const first = this.#announced === 'nothing' ? this.#firstAnnouncement() : []
    return first.concat(
      this.#billed?.closing(endedUnix, this.#reason, { dial: null }) ?? [],
      this.#namedElsewhere(),
      this.#announcement(this.wasAnswered ? 'completed' : 'failed', leg),
    )
  }

  /** What its row says, so that the next start can report its end if this process is killed. */
  get #openDial(): OpenDial | null {
    const { isDial, kind, sid, from } = this.options
    return isDial ? { kind, sid, from: from.user } : null
  }

  /** The row of the leg before names the Dial no more: another row does, or its last event is written. */
  #namedElsewhere(): readonly Change[] {
    const uuid = this.#handingOver
    return uuid === undefined ? [] : [{ type: 'leg.update', uuid, set: { dial: null } }]
  }

  /** The same event again, as the unit that failed may have been written all the same: the store knows it then. */
  #firstAnnouncement(): readonly Change[] {
    const announcement = this.#failedAnnouncement ?? this.#announcement('initiated', undefined)
    this.#announced = 'initiated'
    return announcement
  }

  #announcement(status: DialledLeg['status'], leg: Leg | undefined): readonly Change[] {
    if (this.#announced === 'nothing') this.#announced = 'initiated'
    // The leg of a placed call is reported by the call's own events.
    if (!this.options.isDial) return []
    return [dialEvent(this.#host, this.options, status, leg, { reason: this.#reason, talkSeconds: this.talkSeconds })]
  }
}
