import { endOfTalk } from '../billing/charge.ts'
import type { AccountLoads } from '../caps/account-loads.ts'
import { CallSlots } from '../caps/caps.ts'
import { DialCaps } from '../caps/dial-caps.ts'
import type { TrunkLoads } from '../caps/trunk-loads.ts'
import type { RoomEvent } from '../contract/conference-rooms.ts'
import type { CallEnvironment } from '../contract/environment.ts'
import type { ExchangeCommand, Lookup } from '../contract/exchange-command.ts'
import type { Found, StoreEvent } from '../contract/exchange-event.ts'
import type { Branch } from '../dial/branch.ts'
import type { PlacedBranches } from '../dial/placed-branches.ts'
import type { EventCode } from '../events/catalogue.ts'
import type { BilledLeg } from '../leg/billed-leg.ts'
import type { CallHost } from '../leg/call-host.ts'
import { Deadlines } from '../leg/deadlines.ts'
import type { Leg } from '../leg/leg.ts'
import type { LegOwner } from '../leg/leg-owner.ts'
import type { MeterAlarms } from '../leg/meter.ts'
import { releaseOf } from '../leg/release.ts'
import type { SidSequence } from '../leg/sid.ts'
import type { CallDump, HoldDump } from '../model/call-dump.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { CallUuid, Sid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { AudioEvent } from '../ports/audio.ts'
import type { DocumentEvent } from '../ports/documents.ts'
import type { Change, CommitResult } from '../ports/store.ts'
import type { DocumentReading } from '../talk/script.ts'
import { CallBook } from './call-book.ts'
import { dumpOf } from './call-dump.ts'
import { CallLegs, type LegInput } from './call-legs.ts'
import { type CallPhase, callPhaseTable, type PhaseStep, phaseFacts } from './call-phase.ts'
import { ClosingTransaction } from './closing-transaction.ts'
import { Conversation } from './conversation.ts'
import { EventBudget } from './event-budget.ts'
import { StoreRequests } from './store-requests.ts'

export type CallInput = LegInput | AudioEvent | DocumentEvent | StoreEvent | RoomEvent

/** What a call shares with the others of its exchange. */
export interface CallShare {
  readonly env: CallEnvironment
  readonly sids: SidSequence
  readonly reading: DocumentReading
  readonly trunkLoads: TrunkLoads
  readonly accountLoads: AccountLoads
  emit(command: ExchangeCommand): void
  /** Events of the leg are to come to that call. */
  claim(leg: Leg, call: Call): void
  absorbed(): void
}

/** One call: its row, its legs, its document. Events are handled whole; everything it wants goes out as commands. */
export class Call implements CallHost {
  readonly callId: CallUuid
  readonly sid: Sid
  readonly env: CallEnvironment
  readonly timers = new Deadlines()
  readonly talk: Conversation
  readonly storeRequests: StoreRequests
  readonly legs: CallLegs
  readonly book: CallBook
  readonly trunkLoads: TrunkLoads
  readonly loads: AccountLoads
  /** What it takes under caps. */
  readonly places = new CallSlots()
  readonly #share: CallShare
  /** What a database that failed has refused: rows of legs that had ended, and reports. */
  readonly #unclosed: Change[] = []
  readonly #events = new EventBudget()
  /** Made when the call ends. */
  #closing: ClosingTransaction | undefined
  readonly #startedAt: number
  readonly #startedUnix: number
  #dialCaps: DialCaps | undefined
  #now: number
  #phase: CallPhase = 'beginning'
  /** The leg that came in: closed by the call itself. */
  #caller: BilledLeg | undefined
  /** The remote's leg of a placed call: closed by its branches. */
  #reached: Branch | PlacedBranches | undefined
  #onEnd: (() => void) | undefined
  #onDatabaseFailure: (() => void) | undefined
  #hasDatabaseFailed = false
  /** Its document has begun, and its row is not known to be durable. */
  #isTried = false

  constructor(share: CallShare, now: number) {
    this.#share = share
    this.env = share.env
    this.callId = share.env.uuid() as CallUuid
    this.#now = now
    this.#startedAt = now
    this.#startedUnix = share.env.unixMs()
    this.trunkLoads = share.trunkLoads
    this.loads = share.accountLoads
    this.legs = new CallLegs(this)
    this.sid = share.sids.next(this.#startedUnix)
    this.book = new CallBook({ callId: this.callId, sid: this.sid, uuid: share.env.uuid })
    this.storeRequests = new StoreRequests(this.callId, this)
    this.talk = new Conversation(this, share, this.alarms, this)
  }

  /** Made for the first leg that is dialled. */
  get dialCaps(): DialCaps {
    this.#dialCaps ??= new DialCaps(this.loads, this.places, this.book)
    return this.#dialCaps
  }

  get record(): CallRecord {
    return this.book.record
  }

  get phase(): CallPhase {
    return this.#phase
  }

  /** Money that is held for its legs. */
  get holds(): readonly HoldDump[] {
    const own = this.#caller?.hold
    const dialled = this.talk.dial?.holds ?? []
    return [...(own === undefined ? [] : [own]), ...(this.#reached?.holds ?? []), ...dialled]
  }

  /** Its state, for support. */
  dump(now: number): CallDump {
    return dumpOf(this, now)
  }

  /** Its row is durable: people know its sid. */
  get isKnown(): boolean {
    return phaseFacts[this.#phase].isKnown
  }

  get isOver(): boolean {
    return phaseFacts[this.#phase].isOver
  }

  get isLive(): boolean {
    return this.#phase === 'live'
  }

  /** Its last row is durable, or it never had one. */
  get isClosed(): boolean {
    return phaseFacts[this.#phase].isClosed
  }

  /** No part of the call is left: it can be forgotten. */
  get isGone(): boolean {
    return this.isClosed && this.storeRequests.pendingCommits === 0 && this.talk.isSilent && this.legs.areGone
  }

  handle(input: CallInput, now: number): void {
    this.#now = now
    if (!this.#isTaken(input)) this.#share.absorbed()
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

  adopt(leg: Leg, owner: LegOwner): void {
    this.legs.adopt(leg, owner)
    this.#share.claim(leg, this)
  }

  commit(unit: readonly Change[], then?: (result: CommitResult) => void, undone?: () => void): void {
    const admitted = this.#guarded(this.#events.admit(unit, this.#now))
    if (then === undefined && undone === undefined && admitted.every(isReport)) this.#report(admitted)
    else if (admitted.length > 0 || then !== undefined)
      this.emit(this.storeRequests.commit(admitted, { done: then, undone }))
  }

  #guarded(unit: readonly Change[]): readonly Change[] {
    return this.#isTried && unit.length > 0 ? [{ type: 'call.exists', uuid: this.callId }, ...unit] : unit
  }

  ask(unit: readonly Change[], then: (result: CommitResult) => void, failed: () => void): void {
    this.emit(this.storeRequests.commit(unit, { done: then, failed }))
  }

  /** Nothing of the call waits for it: what a failing database refuses goes with the next report, at the latest with the last unit. */
  #report(changes: readonly Change[]): void {
    if (changes.length === 0) return
    const unit = [...this.#unclosed.splice(0), ...changes]
    const failed = (detail: string) => {
      this.#unclosed.unshift(...unit)
      const fields = { sid: this.sid, detail }
      this.emit({ type: 'log', level: 'error', fields, message: 'a report of a call waits for the database' })
    }
    this.emit(this.storeRequests.commit(unit, { failed }))
  }

  commitClosing(unit: readonly Change[]): void {
    this.commit(unit, undefined, () => this.#unclosed.push(...unit))
  }

  lookup<K extends Lookup['kind']>(
    query: Extract<Lookup, { kind: K }>,
    then: (found: Extract<Found, { kind: K }>) => void,
  ): void {
    const ask = this.storeRequests.lookup(query, found => {
      if (!this.isOver && found.kind === query.kind) then(found as Extract<Found, { kind: K }>)
    })
    this.emit(ask)
  }

  event(code: EventCode, data: Readonly<Record<string, unknown>>): Change {
    return this.book.event(code, data, this.unix())
  }

  get mayRecord(): boolean {
    const account = this.book.opening?.account
    return account !== undefined && this.loads.recordings.hasRoom(account, this.env.recordingQuota)
  }

  recorded(bytes: number): void {
    this.loads.recordings.add(this.record.accountUuid, bytes)
  }

  addCost(charge: Money): void {
    this.book.addCost(charge)
  }

  /** What is to happen when the call ends, however it ends, and when the database fails it before its row is durable. The last one counts. */
  watch(onEnd: () => void, onDatabaseFailure: () => void): void {
    this.#onEnd = onEnd
    this.#onDatabaseFailure = onDatabaseFailure
  }

  /** The row is durable. */
  opened(): void {
    this.#step('opened')
    const account = this.book.opening?.account
    if (account !== undefined) this.loads.recordings.seen(account)
  }

  /** The leg that came in. */
  own(leg: BilledLeg): void {
    this.#caller = leg
  }

  /** The remote's leg of a placed call. */
  reachBy(reached: Branch | PlacedBranches): void {
    this.#reached = reached
  }

  /** Begins with the document before the row is durable; what it commits is refused when the row was. */
  tryScript(url: string): void {
    this.#isTried = true
    const { opening } = this.book
    if (opening !== undefined) this.talk.start(url, opening, true)
  }

  /** The row was refused: nothing of the document has left the switch. */
  dropScript(): void {
    this.#isTried = false
    this.talk.drop()
  }

  /** A document that was tried goes on. */
  startScript(url: string): void {
    const { opening } = this.book
    if (this.#isTried) this.talk.confirm()
    else if (opening !== undefined) this.talk.start(url, opening)
    this.#isTried = false
  }

  /** Joins every meter to the call, the caller's and those of dialled legs: one that is cut ends the whole call. */
  readonly alarms: MeterAlarms = {
    low: secondsLeft => {
      if (!this.isOver) this.commit([this.event('BILL.0100', { sid: this.sid, seconds_left: secondsLeft })])
    },
    warn: () => this.talk.player?.notify('warning'),
    cut: () => this.finish('END.0211'),
  }

  databaseFailed(detail: string): void {
    this.emit({ type: 'log', level: 'error', fields: { sid: this.sid, detail }, message: 'the database failed a call' })
    // The request that waits for the row gets an answer, also when the call has ended meanwhile.
    if (!this.isKnown) this.#onDatabaseFailure?.()
    this.#hasDatabaseFailed = true
    this.finish('END.5500')
  }

  /** Ends the call, once. `rejectWith`: the SIP status of a caller that was never answered. */
  finish(reason: EndReason, rejectWith?: 486 | 603): void {
    if (this.isOver) return
    const sid = this.isKnown ? this.sid : undefined
    this.#step('finished')
    const wasAnswered = this.book.isOpen && this.record.status === 'answered'
    const now = this.unix()
    const paidUntilUnix = this.#reached?.paidUntilUnix ?? this.#caller?.paidUntilUnix ?? now
    const unix = endOfTalk(this.book.isOpen ? this.record.answeredUnix : null, Math.min(now, paidUntilUnix))
    this.book.end(reason, unix)
    this.timers.keepOnly('leg:')
    this.storeRequests.forgetLookups()
    this.talk.leave(reason)
    this.#reached?.stop(reason)
    const isSoftphone = this.book.opening?.endUser !== undefined
    if (this.#caller !== undefined) this.#caller.leg.endedUnix = unix
    const hasDatabaseFailed = this.#hasDatabaseFailed
    this.legs.end(releaseOf({ reason, sid, isSoftphone, wasAnswered, rejectWith, hasDatabaseFailed }))
    this.#onEnd?.()
  }

  /** A fault of ours: ends the call by any means. */
  crash(): void {
    try {
      this.finish('END.5500')
      this.#tryClose()
    } catch {
      // What is broken stays broken; its legs must not stay up for it.
      this.#step('finished')
      this.legs.end({ reason: 'END.5500', more: {} })
      this.#closed()
    }
  }

  /** False: no part of the call waits for it (late, or repeated). */
  #isTaken(input: CallInput): boolean {
    switch (input.type) {
      case 'store.committed':
      case 'store.commit-failed':
      case 'store.found':
      case 'store.lookup-failed':
        return this.storeRequests.handle(input)
      case 'document.fetched':
      case 'document.failed':
        return this.talk.requestDone(input)
      case 'audio.ready':
      case 'audio.grown':
      case 'audio.failed':
        return this.talk.audioDone(input)
      case 'room.entered':
      case 'room.full':
      case 'room.waiting':
      case 'room.started':
      case 'room.ended':
        return this.talk.inRoom(input)
      default:
        return this.legs.handle(input)
    }
  }

  #step(step: PhaseStep): void {
    this.#phase = callPhaseTable[this.#phase][step] ?? this.#phase
  }

  #tryClose(): void {
    if (this.#phase === 'withdrawn' && this.storeRequests.pendingCommits === 0) this.#step('closed')
    // Media quality of a leg is known when its session has ended, which follows at once upon the leg's own end.
    else if (this.#phase === 'ending' && this.legs.areMeasured) {
      this.#closing ??= this.#closingTransaction()
      this.#closing.advance()
    }
  }

  #closingTransaction(): ClosingTransaction {
    return new ClosingTransaction(this, this.storeRequests, {
      changes: () => this.#lastChanges(),
      closed: () => this.#lastUnitWritten(),
    })
  }

  /** What was refused after the last unit was made is one more. */
  #lastUnitWritten(): void {
    if (this.#unclosed.length === 0) this.#closed()
    else {
      const changes = () => this.#unclosed.splice(0)
      this.#closing = new ClosingTransaction(this, this.storeRequests, {
        changes,
        closed: () => this.#lastUnitWritten(),
      })
      this.#closing.advance()
    }
  }

  /** Once. Requests that wait for the end of a known call get it. */
  #closed(): void {
    if (this.isClosed) return
    this.#step('closed')
    if (this.isKnown) this.emit({ type: 'call.over', callId: this.callId, record: this.record })
  }

  /** Settlement, legs, the final row and its event: one unit. */
  #lastChanges(): readonly Change[] {
    const { endedUnix, reasonCode } = this.record
    const { omitted } = this.#events
    return this.#unclosed
      .splice(0)
      .concat(
        omitted === 0 ? [] : [this.event('EVENT.0429', { sid: this.sid, omitted })],
        this.#caller?.closing(endedUnix ?? this.unix(), reasonCode) ?? [],
        this.#reached?.finalChanges() ?? [],
        this.talk.finalChanges(),
        this.book.close(this.talk.speechSeconds, this.legs.quality, this.unix()),
      )
  }

  /** 200 is going out to the caller: talk runs. */
  answering(): void {
    const leg = this.#caller?.answered(this.unix())
    const changes = this.book.advance('answer', this.unix())
    this.commit(leg === undefined ? changes : [...changes, leg])
  }
}

/** It says what has happened, and nothing that the call does next hangs on it. */
const isReport = ({ type }: Change): boolean =>
  type === 'event.append' || type === 'recording.insert' || type === 'recording.update'
