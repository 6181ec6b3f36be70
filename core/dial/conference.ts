import { secondsBetween } from '../billing/charge.ts'
import type { RoomEvent } from '../contract/conference-rooms.ts'
import { conferenceData, dialCodes } from '../events/call-data.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { DialConnection, DialOutcome } from '../leg/dial-connection.ts'
import { assertNever } from '../model/assert-never.ts'
import type { DialDump, HoldDump } from '../model/call-dump.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Sid } from '../model/ids.ts'
import type { OpenDial } from '../model/open-dial.ts'
import type { Change } from '../ports/store.ts'
import type { CallRecordings } from '../talk/call-recordings.ts'
import { recordDial } from '../talk/dial-recording.ts'
import type { Party } from '../talk/party.ts'
import type { Player } from '../talk/player.ts'
import type { ConferenceOrder, DialRequest } from '../verbs/index.ts'
import { dialStatusOf } from './dial-outcome.ts'

interface ConferenceParts {
  readonly party: Party
  readonly player: Player
  /** Made for the first recording. */
  readonly recorder: () => CallRecordings
  readonly sid: Sid
  readonly done: (outcome: DialOutcome) => void
}

/**
 * - `asking`: for a place in the room
 * - `answering`: has one, and is not there yet
 * - `waiting`: for the room to start
 * - `talking`
 * - `over`: reported
 */
type State = 'asking' | 'answering' | 'waiting' | 'talking' | 'over'

const limitTimer = 'dial:limit'

/** A Dial that leads to a room: the party takes its place there and keeps it until it leaves or the room ends. */
export class Conference implements DialConnection {
  readonly bridgedLeg = undefined
  readonly holds: readonly HoldDump[] = []
  readonly #host: CallHost
  readonly #request: DialRequest
  readonly #order: ConferenceOrder
  readonly #parts: ConferenceParts
  #state: State = 'asking'
  #sinceUnix: number | undefined
  #endedUnix: number | undefined
  #reason: EndReason | undefined
  #recordId: string | undefined
  /** The call has ended it, and its last unit says so. */
  #isStopped = false

  constructor(host: CallHost, request: DialRequest, order: ConferenceOrder, parts: ConferenceParts) {
    this.#host = host
    this.#request = request
    this.#order = order
    this.#parts = parts
  }

  start(): void {
    const { name, startOnEnter, endOnExit, beepOnExit, maxMembers } = this.#order
    const rules = { startOnEnter, endOnExit, beepOnExit, maxMembers }
    this.#host.commit([this.#event('initiated'), this.#named()])
    const accountId = this.#host.record.accountUuid
    this.#host.emit({ type: 'room.enter', legId: this.#parts.party.leg.uuid, accountId, name, rules })
  }

  get dump(): DialDump {
    const { name } = this.#order
    return { kind: 'conference', state: this.#state, room: name, bridgedLegUuid: undefined, branches: [] }
  }

  inRoom(event: RoomEvent): void {
    if (this.#state === 'over') return
    switch (event.type) {
      case 'room.full':
        this.#finish('END.0486')
        return
      case 'room.entered':
        this.#state = 'answering'
        this.#parts.party.answer()
        this.partyChanged()
        return
      case 'room.waiting':
        this.#parts.player.wait(this.#order.wait)
        return
      case 'room.started':
        this.#talk(event.room)
        return
      case 'room.ended':
        this.#finish('END.0200')
        return
      default:
        assertNever(event)
    }
  }

  partyChanged(): void {
    const { party } = this.#parts
    if (this.#state !== 'answering' || !party.isAnswered || !party.isListening) return
    this.#state = 'waiting'
    this.#sinceUnix = this.#host.unix()
    party.leg.room = this.#order.name
    const { timeLimitMs } = this.#request
    this.#host.timers.set(limitTimer, this.#host.now() + timeLimitMs, () => this.#finish('END.0210'))
    this.#host.commit([this.#event('answered'), this.#named()])
    this.#host.emit({ type: 'room.attend', legId: party.leg.uuid })
  }

  partyDigit(digit: string): void {
    const isIn = this.#state === 'waiting' || this.#state === 'talking'
    if (digit === '*' && this.#request.hangupOnStar && isIn) this.#finish('END.0200')
  }

  digitsSent(): void {}

  stop(reason: EndReason): void {
    if (this.#state === 'over') return
    this.#isStopped = true
    this.#leave(reason)
    this.#parts.done(this.#outcome(reason))
  }

  finalChanges(): readonly Change[] {
    return this.#isStopped ? this.#ending() : []
  }

  #talk(room: string): void {
    const { party, player, recorder } = this.#parts
    const legId = party.leg.uuid
    this.#state = 'talking'
    player.stopRinging()
    this.#host.emit({ type: 'media.join', legId, room, muted: this.#order.muted })
    if (this.#order.beepOnEnter) this.#host.emit({ type: 'media.room-tone', legId, tone: 'enter' })
    this.#recordId = recordDial(recorder, party.leg, this.#request.record)
  }

  #finish(reason: EndReason): void {
    if (this.#state === 'over') return
    const wasTalking = this.#state === 'talking'
    this.#leave(reason)
    if (wasTalking) this.#host.emit({ type: 'media.leave', legId: this.#parts.party.leg.uuid })
    this.#host.commit(this.#ending())
    this.#parts.done(this.#outcome(reason))
  }

  #leave(reason: EndReason): void {
    const { party, player, recorder } = this.#parts
    const unix = this.#host.unix()
    const limitUnix = (this.#sinceUnix ?? unix) + this.#request.timeLimitMs
    this.#state = 'over'
    this.#reason = reason
    // The timer fires a moment late; we absorb the difference.
    this.#endedUnix = Math.min(unix, limitUnix)
    party.leg.room = undefined
    this.#host.timers.clear(limitTimer)
    player.stopRinging()
    if (this.#recordId !== undefined) recorder().stop(this.#recordId)
    this.#host.emit({ type: 'room.leave', legId: party.leg.uuid })
  }

  get #seconds(): number {
    return this.#sinceUnix === undefined ? 0 : secondsBetween(this.#sinceUnix, this.#endedUnix ?? this.#host.unix())
  }

  #outcome(reason: EndReason): DialOutcome {
    const status = dialStatusOf(this.#sinceUnix !== undefined, reason)
    return { status, durationSeconds: this.#seconds, reason, sid: this.#parts.sid }
  }

  #ending(): readonly Change[] {
    const event = this.#event(this.#sinceUnix === undefined ? 'failed' : 'completed')
    return [event, { type: 'leg.update', uuid: this.#parts.party.leg.uuid, set: { dial: null } }]
  }

  /** The row of the party's leg says it, so that the next start can report the end if this process is killed. */
  #named(): Change {
    const { party, sid } = this.#parts
    const sinceUnix = this.#sinceUnix ?? null
    const dial: OpenDial = { kind: 'conference', sid, room: this.#order.name, sinceUnix }
    return { type: 'leg.update', uuid: party.leg.uuid, set: { dial } }
  }

  #event(status: 'initiated' | 'answered' | 'completed' | 'failed'): Change {
    const { record } = this.#host
    const data = conferenceData(record, {
      dialSid: this.#parts.sid,
      name: this.#order.name,
      status,
      reason: this.#reason ?? '',
      talkSeconds: status === 'completed' ? this.#seconds : 0,
      sinceUnix: this.#sinceUnix ?? null,
      endedUnix: this.#endedUnix ?? null,
    })
    return this.#host.event(dialCodes[status], data)
  }
}
