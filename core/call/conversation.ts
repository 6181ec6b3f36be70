import { Allowance } from '../caps/allowance.ts'
import type { RoomEvent } from '../contract/conference-rooms.ts'
import { arrived, type Hops } from '../contract/hops.ts'
import { Conference } from '../dial/conference.ts'
import { BridgingDial } from '../dial/dial.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { DialConnection, DialOutcome } from '../leg/dial-connection.ts'
import type { Leg } from '../leg/leg.ts'
import type { MeterAlarms } from '../leg/meter.ts'
import type { SidSequence } from '../leg/sid.ts'
import type { AccountProfile, EndUserProfile } from '../model/account.ts'
import type { DocumentDump } from '../model/call-dump.ts'
import { plainDetail } from '../model/connection-fault.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegUuid } from '../model/ids.ts'
import { SmallMap } from '../model/small-map.ts'
import type { AudioEvent } from '../ports/audio.ts'
import type { DocumentEvent } from '../ports/documents.ts'
import type { Change } from '../ports/store.ts'
import { CallRecordings, neverBegun } from '../talk/call-recordings.ts'
import { Party, type PartyListener } from '../talk/party.ts'
import { type PlayCommand, Player, type PlayerListener } from '../talk/player.ts'
import { type Command, type DocumentReading, Script, type Stage } from '../talk/script.ts'
import { type RecordedParty, SessionRecording } from '../talk/session-recording.ts'
import type { BegunVerb, ProgramContext, SessionRecordOrder, SoundCommand } from '../verbs/index.ts'
import { callFields, softphoneFields } from './call-fields.ts'

/** A Dial that ends unanswered within this time is a quick one. */
const quickDialMs = 1000
/** Quick Dials after which the document goes on at once, and after that each second: each child is two events and more. */
const [quickDialsAtOnce, quickDialsPerSecond] = [10, 1]
const dialPause = 'dial:pause'

/** What a document needs to know of its call. */
export interface ConversationFacts {
  readonly account: AccountProfile
  /** Presented when the call dials and the document names no other number of the account. */
  readonly ownNumber: string
  /** The attached metadata as webhooks carry it. */
  readonly payloadText: string | undefined
  readonly hops: Hops
  /** The softphone that placed the call. */
  readonly endUser?: EndUserProfile
}

/** What a document may ask of its call. */
class CallContext implements ProgramContext {
  readonly #host: CallHost
  readonly fallbackMode: ProgramContext['fallbackMode']
  readonly fallbackValue: string

  constructor(host: CallHost, { fallbackMode, fallbackValue }: AccountProfile) {
    this.#host = host
    this.fallbackMode = fallbackMode
    this.fallbackValue = fallbackValue
  }

  get answered(): boolean {
    return this.#host.record.status === 'answered'
  }
}

interface ConversationListener {
  /** 200 is going out to the caller: talk runs. */
  answering(): void
}

/** What conversations share. */
interface ConversationShare {
  readonly sids: SidSequence
  readonly reading: DocumentReading
}

/** Connects one party with the document of its call: prompts, recordings, the running Dial. */
export class Conversation implements Stage, PartyListener, PlayerListener {
  /** Made for the first recording: most calls have none. */
  #recorder: CallRecordings | undefined
  /** The same, for the first RecordSession. */
  #session: SessionRecording | undefined
  readonly #host: CallHost
  readonly #share: ConversationShare
  readonly #alarms: MeterAlarms
  readonly #listener: ConversationListener
  /** Requests on their way: whether each is an action, whose POST has to arrive. */
  readonly #requests = new SmallMap<string, boolean>()
  #facts: ConversationFacts | undefined
  #party: Party | undefined
  #player: Player | undefined
  #dial: DialConnection | undefined
  #stoppedDial: DialConnection | undefined
  /** Made for the first Dial that is quick. */
  #quickDials: Allowance | undefined
  /** Tells the document how its Dial ended, after a pause. */
  #heldOutcome: (() => void) | undefined
  #script: Script | undefined
  /** Why the call ends as soon as its document is confirmed. */
  #failure: EndReason | undefined
  /** A Record that begins with the answer. */
  #awaitingRecord: Command<'record'> | undefined
  /** The party has our answer: what is played reaches the caller. */
  #hasArrived = false
  #speechMs = 0

  constructor(host: CallHost, share: ConversationShare, alarms: MeterAlarms, listener: ConversationListener) {
    this.#host = host
    this.#share = share
    this.#alarms = alarms
    this.#listener = listener
  }

  get recorder(): CallRecordings {
    const host = this.#host
    this.#recorder ??= new CallRecordings(host, event => this.#script?.handle(event, host.now()))
    return this.#recorder
  }

  /** Recordings that have not ended. */
  get recordings(): number {
    return this.#recorder?.running ?? 0
  }

  get party(): Party | undefined {
    return this.#party
  }

  get player(): Player | undefined {
    return this.#player
  }

  get dial(): DialConnection | undefined {
    return this.#dial
  }

  get script(): Script | undefined {
    return this.#script
  }

  /** Where its document is; undefined before the first is asked for. */
  place(now: number): DocumentDump | undefined {
    return this.#script?.place(now)
  }

  /** Requests for documents that have no answer yet. */
  get pendingRequests(): number {
    return this.#requests.size
  }

  /** Seconds of speech that were made for it. */
  get speechSeconds(): number {
    return Math.ceil(this.#speechMs / 1000)
  }

  /** No recording runs, and the document has posted its last request. */
  get isSilent(): boolean {
    return this.recordings === 0 && this.#script?.isOver !== false
  }

  /** Its media is over: what was recorded of it ends. */
  sessionClosed(legId: LegUuid): void {
    this.#recorder?.sessionClosed(legId)
  }

  deadline(): number | undefined {
    return this.#script?.deadline()
  }

  timeout(now: number): void {
    const wake = this.#script?.deadline()
    if (wake !== undefined && wake <= now) this.#script?.timeout(now)
  }

  /** The leg that the document talks to. A caller is answered by it; the leg of a placed call has answered already. */
  meet(leg: Leg, isPlaced: boolean): void {
    const host = this.#host
    const party = new Party(host, leg, this)
    this.#party = party
    this.#hasArrived = isPlaced
    this.#player = new Player(host, leg, this)
    host.adopt(leg, party)
  }

  answering(): void {
    this.#listener.answering()
    const record = this.#takeAwaitingRecord()
    if (record !== undefined) this.record(record)
    this.#session?.answered()
  }

  answered(): void {
    this.#hasArrived = true
    if (!this.#host.isOver) this.#script?.handle({ type: 'answered' }, this.#host.now())
  }

  changed(): void {
    if (!this.#host.isOver) this.#dial?.partyChanged()
  }

  /** A caller who is refused gets the call's sid: not before it is confirmed. */
  failed(reason: EndReason): void {
    if (this.#script?.isTried === true) this.#failure = reason
    else this.#host.finish(reason)
  }

  ended(reason: EndReason): void {
    this.#host.finish(reason)
  }

  played(playId: string, spokenMs: number): void {
    this.#script?.handle({ type: 'played', playId, spokenMs }, this.#host.now())
  }

  spoke(durationMs: number): void {
    this.#speechMs += durationMs
  }

  /**
   * Asks for the first document; without a URL the account's fallback runs. `isTried`: what it does can be taken back
   * by `drop`, until `confirm`.
   */
  start(url: string, facts: ConversationFacts, isTried = false): void {
    this.#facts = facts
    this.#script = new Script(url, new CallContext(this.#host, facts.account), this.#share.reading, this)
    this.#script.start(this.#host.now(), isTried)
  }

  confirm(): void {
    if (this.#failure === undefined) this.#script?.confirm(this.#host.now())
    else this.#host.finish(this.#failure)
  }

  /** A document that was tried has never begun. */
  drop(): void {
    this.#script = undefined
    this.#failure = undefined
    this.#requests.clear()
    const dial = this.#dial
    this.#dial = undefined
    dial?.stop('END.0487')
    this.#stoppedDial = undefined
  }

  /** The answer to a request for a document. False: no request is open. */
  requestDone(event: DocumentEvent): boolean {
    const { requestId } = event
    const isAwaited = this.#requests.delete(requestId) && !this.#host.isOver
    if (!isAwaited || this.#script === undefined) return false
    const now = this.#host.now()
    if (event.type === 'document.fetched') {
      const { bytes, isConstant = false } = event
      this.#script.handle({ type: 'fetched', requestId, bytes, isConstant }, now)
    } else this.#script.handle({ type: 'fetch-failed', requestId, fault: event.fault, detail: plainDetail(event) }, now)
    return true
  }

  /** What was asked of audio. False: nothing is played any more. */
  audioDone(event: AudioEvent): boolean {
    if (this.#host.isOver || this.#player === undefined) return false
    this.#player.audioDone(event)
    return true
  }

  /** What happens in the room of its Conference. False: it is in none. */
  inRoom(event: RoomEvent): boolean {
    if (this.#host.isOver || this.#dial === undefined) return false
    this.#dial.inRoom(event)
    return true
  }

  /** The call is over: the document posts what it still has to, and its Dial ends. */
  leave(reason: EndReason): void {
    const { callId } = this.#host
    // Nothing of it has left the switch, so it has nothing to report.
    if (this.#script?.isTried === true) this.#script = undefined
    if (this.#requests.size > 0 && !this.#isReporting) this.#host.emit({ type: 'document.abandon', callId })
    if (this.#player?.hasGrown === true) this.#host.emit({ type: 'audio.abandon', callId })
    this.#script?.handle({ type: 'caller-gone' }, this.#host.now())
    this.#endAwaitingRecord()
    this.#dial?.stop(reason)
    this.#tellHeldOutcome()
  }

  /** A POST that reports how a verb ended has to arrive, even though its answer is no longer wanted. */
  get #isReporting(): boolean {
    return this.#requests.entries.some(({ value }) => value)
  }

  /** What the end of a Dial that was cut means, for the call's last unit. */
  finalChanges(): readonly Change[] {
    return this.#stoppedDial?.finalChanges() ?? []
  }

  request({ requestId, url, extras, ignoreReply }: Command<'fetch'>): void {
    const { record, callId } = this.#host
    const isAction = Object.keys(extras).length > 0
    if (!ignoreReply) this.#requests.set(requestId, isAction)
    this.#host.emit({
      type: 'document.fetch',
      callId,
      requestId,
      accountId: record.accountUuid,
      url,
      fields: {
        ...callFields(record, this.#facts?.payloadText),
        ...(this.#facts?.endUser === undefined ? undefined : softphoneFields(this.#facts.endUser, isAction)),
        ...extras,
      },
      ...(ignoreReply ? { ignoreReply } : undefined),
    })
  }

  answer(): void {
    if (this.#hasArrived) this.#script?.handle({ type: 'answered' }, this.#host.now())
    else this.#party?.answer()
  }

  perform(command: PlayCommand, isFollowed: boolean): void {
    if (!this.#host.isOver) this.#player?.perform(command, isFollowed)
  }

  prepare(command: SoundCommand): void {
    if (!this.#host.isOver) this.#player?.prepare(command)
  }

  record(command: Command<'record'>): void {
    const party = this.#party
    if (party === undefined || this.#host.isOver) return
    if (party.isAnswered) this.recorder.start(party.leg, command.recordId, command.options)
    else this.#awaitingRecord = command
  }

  stopRecord(recordId: string): void {
    if (this.#awaitingRecord?.recordId === recordId) this.#endAwaitingRecord()
    else this.recorder.stop(recordId)
  }

  #takeAwaitingRecord(): Command<'record'> | undefined {
    const record = this.#awaitingRecord
    this.#awaitingRecord = undefined
    return record
  }

  /** Over before the answer: nothing was recorded. */
  #endAwaitingRecord(): void {
    const record = this.#takeAwaitingRecord()
    if (record !== undefined) this.#script?.handle(neverBegun(record.recordId, 'stopped'), this.#host.now())
  }

  recordSession(order: SessionRecordOrder): void {
    if (!this.#host.isOver) this.#sessionRecording().perform(order)
  }

  report({ code, data }: Command<'report'>): void {
    const host = this.#host
    if (!host.isOver) host.commit([host.event(code, { sid: host.record.sid, ...data })])
  }

  end(reason: EndReason, rejectWith: 486 | 603 | undefined): void {
    this.#host.finish(reason, rejectWith)
  }

  began(verb: BegunVerb): void {
    this.#host.emit({ type: 'verb.began', callId: this.#host.callId, verb })
  }

  #sessionRecording(): SessionRecording {
    this.#session ??= new SessionRecording(
      () => this.#host.now(),
      this.recorder,
      () => this.#recorded(),
    )
    return this.#session
  }

  #recorded(): RecordedParty | undefined {
    const party = this.#party
    const player = this.#player
    return party === undefined || player === undefined ? undefined : { party, player }
  }

  startDial({ dialId, dial: request }: Command<'dial'>): void {
    const party = this.#party
    const player = this.#player
    if (party === undefined || player === undefined || this.#host.isOver) return
    const startedAt = this.#host.now()
    const done = (outcome: DialOutcome) => {
      if (this.#host.isOver) this.#stoppedDial = dial
      this.#dial = undefined
      const tell = () => this.#script?.handle({ type: 'dialled', dialId, ...outcome }, this.#host.now())
      const isQuick = outcome.status !== 'completed' && this.#host.now() - startedAt < quickDialMs
      if (isQuick && !this.#host.isOver && !this.#takesQuickDial()) this.#pauseAfterDial(tell)
      else tell()
    }
    const common = { party, player, recorder: () => this.recorder, done }
    const dial: DialConnection =
      request.conference === undefined
        ? new BridgingDial(this.#host, request, {
            ...common,
            sids: this.#share.sids,
            ownNumber: this.#facts?.ownNumber ?? '',
            endUser: this.#facts?.endUser,
            hops: this.#facts?.hops ?? arrived(),
            alarms: this.#alarms,
          })
        : new Conference(this.#host, request, request.conference, {
            ...common,
            sid: this.#share.sids.next(this.#host.unix()),
          })
    this.#dial = dial
    dial.start()
  }

  #takesQuickDial(): boolean {
    this.#quickDials ??= new Allowance(quickDialsAtOnce, quickDialsPerSecond)
    return this.#quickDials.take(this.#host.now())
  }

  /** A document whose Dials end at once, again and again, is slowed down. */
  #pauseAfterDial(tell: () => void): void {
    const { timers } = this.#host
    this.#heldOutcome = tell
    timers.set(dialPause, this.#host.now() + 1000 / quickDialsPerSecond, () => {
      this.#takesQuickDial()
      this.#tellHeldOutcome()
    })
  }

  #tellHeldOutcome(): void {
    const tell = this.#heldOutcome
    this.#heldOutcome = undefined
    tell?.()
  }
}
