import type { EventCode } from '../events/catalogue.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { CallUuid, LegUuid, Sid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { Trunk } from '../model/trunk.ts'
import type { Change, CommitResult } from '../ports/store.ts'
import { CallBook } from './call-book.ts'
import { type CallInput, CallInputs } from './call-inputs.ts'
import { qualityOf } from './call-row.ts'
import type { CallOpening, CallShare } from './call-share.ts'
import { Conversation } from './conversation.ts'
import { Deadlines } from './deadlines.ts'
import type { EndReason } from './end-reason.ts'
import type { CallEnvironment } from './environment.ts'
import type { ExchangeCommand, Lookup } from './exchange-command.ts'
import type { Found } from './exchange-event.ts'
import { farewellOf } from './farewell.ts'
import type { Host, LegOwner } from './host.ts'
import { Journal } from './journal.ts'
import { LastUnit } from './last-unit.ts'
import type { Leg } from './leg.ts'
import type { Meter, MeterAlarms } from './meter.ts'

/**
 * - `beginning`: not yet known to the database
 * - `live`
 * - `over`: the end is decided; what is left are confirmations
 */
type Phase = 'beginning' | 'live' | 'over'

/** One call: its row, its legs, its document. Events are handled whole; everything it wants goes out as commands. */
export class Call implements Host {
  readonly callId: CallUuid
  readonly sid: Sid
  readonly env: CallEnvironment
  readonly timers = new Deadlines()
  readonly talk: Conversation
  readonly journal: Journal
  readonly #inputs = new CallInputs(this)
  readonly #share: CallShare
  readonly #lastUnit: LastUnit
  readonly #legs = new Map<LegUuid, { readonly leg: Leg; readonly owner: LegOwner }>()
  readonly #startedAt: number
  readonly #startedUnix: number
  #now: number
  #phase: Phase = 'beginning'
  readonly #book: CallBook
  #hasRow = false
  #isClosed = false
  /** The leg that came in, and its money: closed by the call itself. */
  #ownLeg: { readonly leg: Leg; readonly meter: Meter | undefined } | undefined
  /** The leg that a placed call is: closed by its branch. */
  #branch: Reach | undefined
  #onEnd: () => void = () => {}
  #onDatabaseFailure: () => void = () => {}

  constructor(share: CallShare, now: number) {
    this.#share = share
    this.env = share.env
    this.callId = share.env.uuid() as CallUuid
    this.#now = now
    this.#startedAt = now
    this.#startedUnix = share.env.unixMs()
    this.#book = new CallBook(
      () => share.env.uuid(),
      () => this.unix(),
    )
    this.sid = share.sids.next(this.#startedUnix)
    this.journal = new Journal(this.callId, command => this.emit(command), this)
    this.#lastUnit = new LastUnit(this, this.journal, {
      changes: () => this.#lastChanges(),
      closed: () => this.#closed(),
    })
    this.talk = new Conversation(this, share.sids, this.alarms, { answering: leg => this.#answering(leg) })
  }

  get record(): CallRecord {
    return this.#book.record
  }

  /** Its row is durable: people know its sid. */
  get isKnown(): boolean {
    return this.#hasRow
  }

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  get isLive(): boolean {
    return this.#phase === 'live'
  }

  /** Its last row is durable, or it never had one. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Nothing is left of it anywhere: it can be forgotten. */
  get isGone(): boolean {
    return (
      this.#phase === 'over' &&
      this.#isClosed &&
      this.journal.pendingCommits === 0 &&
      this.talk.isSilent &&
      [...this.#legs.values()].every(({ leg }) => leg.isGone)
    )
  }

  get legs(): readonly Leg[] {
    return [...this.#legs.values()].map(({ leg }) => leg)
  }

  handle(input: CallInput, now: number): void {
    this.#now = now
    if (!this.#inputs.handle(input)) this.#share.absorbed()
    this.#tryClose()
  }

  timeout(now: number): void {
    this.#now = now
    this.timers.expire(now)
    this.talk.timeout(now)
    this.#tryClose()
  }

  deadline(): number | undefined {
    const timer = this.timers.next()
    const wake = this.talk.deadline()
    if (timer === undefined || wake === undefined) return timer ?? wake
    return Math.min(timer, wake)
  }

  /** Acts on the call outside of its events: beginning and ending. */
  run(now: number, act: () => void): void {
    this.#now = now
    act()
    this.#tryClose()
  }

  now(): number {
    return this.#now
  }

  unix(): number {
    return this.#startedUnix + Math.max(0, Math.round(this.#now - this.#startedAt))
  }

  emit(command: ExchangeCommand): void {
    this.#share.emit(command)
  }

  commit(unit: readonly Change[], then: (result: CommitResult) => void = () => {}): void {
    this.journal.commit(unit, then)
  }

  lookup<K extends Lookup['kind']>(
    query: Extract<Lookup, { kind: K }>,
    then: (found: Extract<Found, { kind: K }>) => void,
  ): void {
    this.journal.lookup(query, found => {
      if (this.#phase !== 'over' && found.kind === query.kind) then(found as Extract<Found, { kind: K }>)
    })
  }

  event(code: EventCode, data: Readonly<Record<string, unknown>>): Change {
    return this.#book.event(code, data)
  }

  adopt(leg: Leg, owner: LegOwner): void {
    this.#legs.set(leg.uuid, { leg, owner })
    this.#share.claim(leg, this)
  }

  legOf(uuid: LegUuid): { readonly leg: Leg; readonly owner: LegOwner } | undefined {
    return this.#legs.get(uuid)
  }

  lost(leg: Leg): void {
    if (leg.step('lost')) this.#legs.get(leg.uuid)?.owner.signalled(leg, lostSignal(leg))
  }

  addCost(charge: Money): void {
    this.#book.addCost(charge)
  }

  takeTrunk(trunk: Trunk): boolean {
    return this.#share.trunkLoads.take(trunk, this.#now)
  }

  releaseTrunk(trunk: Trunk): void {
    this.#share.trunkLoads.release(trunk, this.#now)
  }

  /** What is to happen when the call ends, however it ends, and when the database fails it before it lives. */
  watch(onEnd: () => void, onDatabaseFailure: () => void): void {
    this.#onEnd = onEnd
    this.#onDatabaseFailure = onDatabaseFailure
  }

  /** The row that the call will have. Nothing is written by this. */
  open(opening: CallOpening): void {
    this.#book.open(opening)
  }

  /** The row is durable. */
  opened(): void {
    this.#hasRow = true
    if (this.#phase === 'beginning') this.#phase = 'live'
  }

  /** Moves the status by its table and gives the changes that say so; empty when the step changes nothing. */
  advance(step: 'ring' | 'answer'): readonly Change[] {
    return this.#book.advance(step)
  }

  /** The leg that came in, and its money. */
  own(leg: Leg, meter: Meter | undefined): void {
    this.#ownLeg = { leg, meter }
  }

  /** How a placed call reaches its far end. */
  reachBy(branch: Reach): void {
    this.#branch = branch
  }

  startScript(url: string): void {
    const { opening } = this.#book
    if (opening !== undefined) this.talk.start(url, opening)
  }

  readonly alarms: MeterAlarms = {
    low: secondsLeft => {
      if (!this.isOver) this.commit([this.event('BILL.0100', { sid: this.sid, seconds_left: secondsLeft })])
    },
    warn: () => this.talk.player?.notify('warning'),
    cut: () => this.finish('END.0211'),
  }

  databaseFailed(detail: string): void {
    this.emit({ type: 'log', level: 'error', fields: { sid: this.sid, detail }, message: 'the database failed a call' })
    if (this.#phase === 'beginning') this.#onDatabaseFailure()
    this.finish('END.5500')
  }

  /** Ends the call, once. `rejectWith`: the SIP status of a caller that was never answered. */
  finish(reason: EndReason, rejectWith?: 486 | 603): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    const wasAnswered = this.#book.isOpen && this.record.status === 'answered'
    const now = this.unix()
    const unix = Math.min(now, this.#branch?.cutUnix ?? this.#ownLeg?.meter?.cutUnix ?? now)
    this.#book.end(reason, unix)
    this.timers.keepOnly('leg:')
    this.journal.forgetLookups()
    this.talk.leave(reason)
    this.#branch?.stop(reason)
    const isSoftphone = this.#book.opening?.endUser !== undefined
    const farewell = farewellOf(reason, isSoftphone, wasAnswered, rejectWith)
    if (this.#ownLeg !== undefined) this.#ownLeg.leg.endedUnix = unix
    for (const { leg } of this.#legs.values()) leg.end(farewell.reason, farewell.more)
    this.#onEnd()
  }

  /** Something of ours is wrong: the call ends however it can. */
  crash(): void {
    try {
      this.finish('END.5500')
      this.#tryClose()
    } catch {
      // What is broken stays broken; its legs must not stay up for it.
      this.#phase = 'over'
      for (const { leg } of this.#legs.values()) leg.end('END.5500')
      this.#isClosed = true
    }
  }

  #tryClose(): void {
    if (this.#phase !== 'over' || this.#isClosed) return
    if (!this.#hasRow) this.#isClosed = this.journal.pendingCommits === 0
    // How a leg was heard is known when its session has ended, which follows at once upon the leg's own end.
    else if (this.legs.every(leg => leg.isMeasured)) this.#lastUnit.advance()
  }

  #closed(): void {
    this.#isClosed = true
    this.emit({ type: 'call.over', callId: this.callId, record: this.record })
  }

  /** Settlement, legs, the final row and its event: one unit. */
  #lastChanges(): readonly Change[] {
    const own = this.#ownLeg
    const endedUnix = this.record.endedUnix ?? this.unix()
    return [
      ...(own === undefined ? [] : [ownLegEnd(own.leg, endedUnix, this.record.reasonCode)]),
      ...(own?.meter?.settle(endedUnix) ?? []),
      ...(this.#branch?.finalChanges() ?? []),
      ...this.talk.finalChanges(),
      ...this.#book.close(this.talk.speechSeconds, qualityOf(this.legs)),
    ]
  }

  #answering(leg: Leg): void {
    leg.answeredUnix = this.unix()
    this.#ownLeg?.meter?.answered()
    this.commit([
      ...this.advance('answer'),
      { type: 'leg.update', uuid: leg.uuid, set: { answeredUnix: leg.answeredUnix } },
    ])
  }
}

/** How a placed call reaches its far end. */
export interface Reach {
  /** When the money was over, if that ended it. */
  readonly cutUnix: number | undefined
  stop(reason: EndReason): void
  finalChanges(): readonly Change[]
}

const ownLegEnd = (leg: Leg, endedUnix: number, reasonCode: EndReason | ''): Change => ({
  type: 'leg.update',
  uuid: leg.uuid,
  set: { endedUnix, reasonCode },
})

const lostSignal = (leg: Leg) => ({ type: 'leg.ended', legId: leg.uuid, cause: { kind: 'timeout' } }) as const
