import { callData } from '../events/call-data.ts'
import type { EventCode } from '../events/catalogue.ts'
import type { AccountProfile } from '../model/account.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { CallUuid, LegUuid, Sid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { Trunk } from '../model/trunk.ts'
import type { Change, CommitResult } from '../ports/store.ts'
import type { ProgramContext } from '../verbs/program.ts'
import type { Branch } from './branch.ts'
import { callFields } from './call-fields.ts'
import { type CallInput, CallInputs } from './call-inputs.ts'
import { callStatusTable, type StatusStep } from './call-status.ts'
import type { Caps } from './caps.ts'
import { Deadlines } from './deadlines.ts'
import { Dial } from './dial.ts'
import type { EndReason } from './end-reason.ts'
import type { CallEnvironment } from './environment.ts'
import type { ExchangeCommand, Lookup } from './exchange-command.ts'
import type { Found } from './exchange-event.ts'
import type { Host, LegOwner } from './host.ts'
import { Journal } from './journal.ts'
import type { Leg } from './leg.ts'
import { type Meter, type MeterAlarms, secondsBetween } from './meter.ts'
import { Party } from './party.ts'
import { Player } from './player.ts'
import { rejectionReason } from './reason-of.ts'
import { Recorder } from './recorder.ts'
import { Script, type Stage } from './script.ts'
import type { SidSequence } from './sid.ts'

/** What a call shares with the others of its exchange. */
export interface CallShare {
  readonly env: CallEnvironment
  readonly sids: SidSequence
  /** Live legs per trunk. */
  readonly trunkLoads: Caps
  emit(command: ExchangeCommand): void
  claim(leg: Leg, call: Call): void
  absorbed(): void
}

export interface CallOpening {
  readonly record: CallRecord
  readonly account: AccountProfile
  /** The owned number whose `status` override counts, and which is presented when the call dials. */
  readonly ownNumber: string
  readonly payloadText: string | undefined
  readonly hops: number
}

/** Tries at the last unit of a call when the database fails: over a minute in all. */
const maxFinalTries = 7

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
  readonly recorder: Recorder
  readonly inputs: CallInputs
  readonly #share: CallShare
  readonly #journal: Journal
  readonly #legs = new Map<LegUuid, { readonly leg: Leg; owner: LegOwner }>()
  readonly #startedAt: number
  readonly #startedUnix: number
  #now: number
  #phase: Phase = 'beginning'
  #record: CallRecord | undefined
  #opening: CallOpening | undefined
  #hasRow = false
  #finalUnit: readonly Change[] | undefined
  #finalTries = 0
  #isClosed = false
  #speechMs = 0
  #party: Party | undefined
  #player: Player | undefined
  #dial: Dial | undefined
  #stoppedDial: Dial | undefined
  #script: Script | undefined
  #partyHears = false
  /** Requests on their way: whether each is an action, whose POST has to arrive. */
  readonly #requests = new Map<string, boolean>()
  /** Changes of the first leg that belong into the last unit. */
  #ownLeg: { readonly leg: Leg; readonly meter: Meter | undefined } | undefined
  #branch: Branch | undefined
  #onEnd: () => void = () => {}
  #onDatabaseFailure: () => void = () => {}

  constructor(share: CallShare, now: number) {
    this.#share = share
    this.env = share.env
    this.callId = share.env.uuid() as CallUuid
    this.#now = now
    this.#startedAt = now
    this.#startedUnix = share.env.unixMs()
    this.sid = share.sids.next(this.#startedUnix)
    this.#journal = new Journal(this.callId, command => this.emit(command), this)
    this.recorder = new Recorder(this, event => this.#script?.handle(event, this.#now))
    this.inputs = new CallInputs(this)
  }

  get record(): CallRecord {
    if (this.#record === undefined) throw new Error('the call has no row yet')
    return this.#record
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
      this.#journal.pendingCommits === 0 &&
      this.recorder.isIdle &&
      this.#script?.isOver !== false &&
      [...this.#legs.values()].every(({ leg }) => leg.isGone)
    )
  }

  get legs(): readonly Leg[] {
    return [...this.#legs.values()].map(({ leg }) => leg)
  }

  get party(): Party | undefined {
    return this.#party
  }

  get player(): Player | undefined {
    return this.#player
  }

  get dial(): Dial | undefined {
    return this.#dial
  }

  get script(): Script | undefined {
    return this.#script
  }

  handle(input: CallInput, now: number): void {
    this.#now = now
    if (!this.inputs.handle(input)) this.#share.absorbed()
    this.#tryClose()
  }

  timeout(now: number): void {
    this.#now = now
    this.timers.expire(now)
    const wake = this.#script?.deadline()
    if (wake !== undefined && wake <= now) this.#script?.timeout(now)
    this.#tryClose()
  }

  deadline(): number | undefined {
    const timer = this.timers.next()
    const wake = this.#script?.deadline()
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
    this.#journal.commit(unit, then)
  }

  lookup<K extends Lookup['kind']>(
    query: Extract<Lookup, { kind: K }>,
    then: (found: Extract<Found, { kind: K }>) => void,
  ): void {
    this.#journal.lookup(query, found => {
      if (this.#phase !== 'over' && found.kind === query.kind) then(found as Extract<Found, { kind: K }>)
    })
  }

  get journal(): Journal {
    return this.#journal
  }

  event(code: EventCode, data: Readonly<Record<string, unknown>>): Change {
    const { accountUuid, uuid, sid, customPayload } = this.record
    const number = this.#opening?.ownNumber ?? null
    const createdUnix = this.unix()
    const event = {
      uuid: this.env.uuid(),
      code,
      accountUuid,
      callUuid: uuid,
      sid,
      number,
      customPayload,
      createdUnix,
      data,
    }
    return { type: 'event.append', event }
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
    this.#record = { ...this.record, cost: this.record.cost + charge }
  }

  takeTrunk(trunk: Trunk): boolean {
    const limit = (value: number) => (value > 0 ? value : Number.POSITIVE_INFINITY)
    const { maxCalls, maxCps } = trunk
    return this.#share.trunkLoads.take(trunk.uuid, limit(maxCalls), limit(maxCps), this.#now) === undefined
  }

  releaseTrunk(trunk: Trunk): void {
    this.#share.trunkLoads.release(trunk.uuid, this.#now)
  }

  /** What is to happen when the call ends, however it ends, and when the database fails it before it lives. */
  watch(onEnd: () => void, onDatabaseFailure: () => void): void {
    this.#onEnd = onEnd
    this.#onDatabaseFailure = onDatabaseFailure
  }

  /** The row that the call will have. Nothing is written by this. */
  open(opening: CallOpening): void {
    this.#opening = opening
    this.#record = opening.record
  }

  /** The row is durable. */
  opened(): void {
    this.#hasRow = true
    if (this.#phase === 'beginning') this.#phase = 'live'
  }

  /** Moves the status by its table and gives the changes that say so; empty when the step changes nothing. */
  advance(step: StatusStep): readonly Change[] {
    const status = callStatusTable[this.record.status][step]
    if (status === undefined || status === this.record.status) return []
    const set: Partial<CallRecord> = step === 'answer' ? { status, answeredUnix: this.unix() } : { status }
    this.#record = { ...this.record, ...set }
    const code = step === 'answer' ? 'CALL.0200' : 'CALL.0180'
    return [{ type: 'call.update', uuid: this.callId, set }, this.event(code, callData(this.record))]
  }

  /** The leg that the document talks to. A caller is answered by it; the leg of a placed call has answered already. */
  meet(leg: Leg, isPlaced: boolean): Party {
    const party = new Party(this, leg, {
      answering: () => this.#answering(leg),
      answered: () => {
        this.#partyHears = true
        if (!this.isOver) this.#script?.handle({ type: 'answered' }, this.#now)
      },
      changed: () => {
        if (!this.isOver) this.#dial?.partyChanged()
      },
      ended: reason => this.finish(reason),
    })
    this.#party = party
    this.#partyHears = isPlaced
    this.#player = new Player(this, leg, {
      played: (playId, spokenMs) => this.#script?.handle({ type: 'played', playId, spokenMs }, this.#now),
      spoke: durationMs => {
        this.#speechMs += durationMs
      },
    })
    this.adopt(leg, party)
    return party
  }

  /** The leg that came in, and its money: closed by the call itself. */
  own(leg: Leg, meter: Meter | undefined): void {
    this.#ownLeg = { leg, meter }
  }

  /** The leg that a placed call is: closed by its branch. */
  reachBy(branch: Branch): void {
    this.#branch = branch
  }

  startScript(url: string): void {
    const call = this
    const account = this.#opening?.account
    const context: ProgramContext = {
      get answered() {
        return call.record.status === 'answered'
      },
      fallbackMode: account?.fallbackMode ?? 'drop',
      fallbackValue: account?.fallbackValue ?? '',
    }
    this.#script = new Script(url, context, this.#stage())
    this.#script.start(this.#now)
  }

  readonly alarms: MeterAlarms = {
    low: secondsLeft => {
      if (!this.isOver) this.commit([this.event('BILL.0100', { sid: this.sid, seconds_left: secondsLeft })])
    },
    warn: () => this.#player?.warn(),
    cut: () => this.finish('END.0211'),
  }

  /** The request has been answered: true when it was awaited. */
  requestDone(requestId: string): boolean {
    return this.#requests.delete(requestId) && !this.isOver
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
    const wasAnswered = this.#record?.status === 'answered'
    if (this.#record !== undefined) this.#record = ended(this.#record, reason, this.unix())
    this.timers.keepOnly('leg:')
    this.#journal.forgetLookups()
    if (this.#requests.size > 0 && ![...this.#requests.values()].includes(true)) {
      this.emit({ type: 'document.abandon', callId: this.callId })
    }
    this.#script?.handle({ type: 'caller-gone' }, this.#now)
    this.#dial?.stop(reason)
    this.#branch?.stop(reason)
    const legReason = wasAnswered ? reason : rejectionReason(reason, rejectWith)
    const retryAfter = reason === 'END.5503' ? drainRetrySeconds : undefined
    if (this.#ownLeg !== undefined) this.#ownLeg.leg.endedUnix = this.unix()
    for (const { leg } of this.#legs.values()) leg.end(legReason, retryAfter)
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

  /** The last unit waits for all others: a hold that is being opened must exist to be settled. */
  #tryClose(): void {
    if (this.#phase !== 'over' || this.#isClosed || this.#journal.pendingCommits > 0) return
    if (!this.#hasRow) {
      this.#isClosed = true
      return
    }
    if (this.timers.has(retryTimer)) return
    this.#finalUnit ??= this.#lastChanges()
    this.#journal.commit(
      this.#finalUnit,
      () => this.#closed(),
      () => this.#retryFinal(),
    )
  }

  #retryFinal(): void {
    this.#finalTries++
    const fields = { sid: this.sid, tries: this.#finalTries }
    this.emit({ type: 'log', level: 'error', fields, message: "a call's last row could not be written" })
    if (this.#finalTries >= maxFinalTries) {
      this.#closed()
      return
    }
    const pauseMs = this.env.times.retryCommitMs * 2 ** (this.#finalTries - 1)
    this.timers.set(retryTimer, this.#now + pauseMs, () => {})
  }

  #closed(): void {
    this.#isClosed = true
    this.emit({ type: 'call.over', callId: this.callId, record: this.record })
  }

  /** Settlement, legs, the final row and its event: one unit. */
  #lastChanges(): readonly Change[] {
    const own = this.#ownLeg
    const endedUnix = this.record.endedUnix ?? this.unix()
    const changes: Change[] = [
      ...(own === undefined
        ? []
        : [
            {
              type: 'leg.update',
              uuid: own.leg.uuid,
              set: { endedUnix, reasonCode: this.record.reasonCode },
            } as const,
            ...(own.meter?.settle(endedUnix) ?? []),
          ]),
      ...(this.#branch?.finalChanges() ?? []),
      ...(this.#stoppedDial?.finalChanges() ?? []),
    ]
    this.#record = { ...this.record, ttsSeconds: Math.ceil(this.#speechMs / 1000) }
    const { status, reasonCode, durationSeconds, talkSeconds, ttsSeconds } = this.record
    const set = { status, reasonCode, durationSeconds, talkSeconds, ttsSeconds, endedUnix }
    const code = status === 'completed' ? 'CALL.0300' : 'CALL.0400'
    return [...changes, { type: 'call.update', uuid: this.callId, set }, this.event(code, callData(this.record))]
  }

  #answering(leg: Leg): void {
    leg.answeredUnix = this.unix()
    this.#ownLeg?.meter?.answered()
    this.commit([
      ...this.advance('answer'),
      { type: 'leg.update', uuid: leg.uuid, set: { answeredUnix: leg.answeredUnix } },
    ])
  }

  #stage(): Stage {
    return {
      request: ({ requestId, url, extras, ignoreReply }) => {
        if (!ignoreReply) this.#requests.set(requestId, Object.keys(extras).length > 0)
        this.emit({
          type: 'document.fetch',
          callId: this.callId,
          requestId,
          accountId: this.record.accountUuid,
          url,
          fields: { ...callFields(this.record, this.#opening?.payloadText), ...extras },
          ...(ignoreReply ? { ignoreReply } : {}),
        })
      },
      answer: () => {
        if (this.#partyHears) this.#script?.handle({ type: 'answered' }, this.#now)
        else this.#party?.answer()
      },
      perform: command => {
        const player = this.#player
        if (player === undefined || this.isOver) return
        if (command.type === 'say') player.say(command)
        else if (command.type === 'play') player.play(command)
        else if (command.type === 'beep') player.beep(command)
        else if (command.type === 'stop') player.stop(command)
        else player.sendDigits(command)
      },
      record: ({ recordId, options }) => {
        if (this.#party !== undefined && !this.isOver) this.recorder.start(this.#party.leg, recordId, options)
      },
      stopRecord: recordId => this.recorder.stop(recordId),
      dial: ({ dialId, dial }) => this.#startDial(dialId, dial),
      report: ({ code, data }) => {
        if (!this.isOver) this.commit([this.event(code, { sid: this.sid, ...data })])
      },
      end: (reason, rejectWith) => this.finish(reason, rejectWith),
    }
  }

  #startDial(dialId: string, request: ConstructorParameters<typeof Dial>[1]): void {
    const party = this.#party
    const player = this.#player
    if (party === undefined || player === undefined || this.isOver) return
    const dial = new Dial(this, request, {
      party,
      player,
      sids: this.#share.sids,
      ownNumber: this.#opening?.ownNumber ?? '',
      hops: this.#opening?.hops ?? 0,
      alarms: this.alarms,
      done: outcome => {
        if (this.isOver) this.#stoppedDial = dial
        this.#dial = undefined
        this.#script?.handle({ type: 'dialled', dialId, ...outcome }, this.#now)
      },
    })
    this.#dial = dial
    dial.start()
  }
}

/** How long a refused or ended caller is told to wait while the switch drains. */
export const drainRetrySeconds = 30

const retryTimer = 'final-retry'

const lostSignal = (leg: Leg) => ({ type: 'leg.ended', legId: leg.uuid, cause: { kind: 'timeout' } }) as const

function ended(record: CallRecord, reason: EndReason, endedUnix: number): CallRecord {
  const status = callStatusTable[record.status].end ?? record.status
  const { startedUnix, answeredUnix, createdUnix } = record
  return {
    ...record,
    status,
    reasonCode: reason,
    endedUnix,
    durationSeconds: secondsBetween(startedUnix ?? createdUnix, endedUnix),
    talkSeconds: answeredUnix === null ? 0 : secondsBetween(answeredUnix, endedUnix),
  }
}
