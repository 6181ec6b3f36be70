import { secondsBetween } from '../billing/charge.ts'
import { callData } from '../events/call-data.ts'
import type { EventCode } from '../events/catalogue.ts'
import { problemOfEvent } from '../model/call-problem.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { CallUuid, Sid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { Change } from '../ports/store.ts'
import { callStatusTable, type StatusStep } from './call-status.ts'
import type { ConversationFacts } from './conversation.ts'

/** What identifies a call from its first moment on. */
type BegunFacts = Pick<
  CallRecord,
  'uuid' | 'sid' | 'accountUuid' | 'direction' | 'fromNumber' | 'toNumber' | 'customPayload'
>

/** A call at its first moment: what its row says, and what its document is to know. */
export interface CallOpening
  extends ConversationFacts,
    Pick<BegunFacts, 'direction' | 'fromNumber' | 'toNumber' | 'customPayload'> {
  readonly startedUnix: number
}

interface CallIdentity {
  readonly callId: CallUuid
  readonly sid: Sid
  /** A new UUID. */
  uuid(): string
}

/** A call's row as it is now, and the changes and events that bring the database there. `unix`: the call's own wall clock, ms. */
export class CallBook {
  readonly #identity: CallIdentity
  #record: CallRecord | undefined
  #opening: CallOpening | undefined
  #problem: CallRecord['problemCode'] = ''

  constructor(identity: CallIdentity) {
    this.#identity = identity
  }

  /** The row that the call will have. Nothing is written by this. */
  open(opening: CallOpening): void {
    const { callId: uuid, sid } = this.#identity
    const { account, direction, fromNumber, toNumber, customPayload, startedUnix } = opening
    this.#opening = opening
    const begun = { uuid, sid, accountUuid: account.uuid, direction, fromNumber, toNumber, customPayload }
    this.#record = begunRow(begun, startedUnix)
  }

  get opening(): CallOpening | undefined {
    return this.#opening
  }

  get isOpen(): boolean {
    return this.#record !== undefined
  }

  get record(): CallRecord {
    if (this.#record === undefined) throw new Error('the call has no row yet')
    return this.#record
  }

  /** The change that appends an event. */
  event(code: EventCode, data: Readonly<Record<string, unknown>>, createdUnix: number): Change {
    if (this.#problem === '') this.#problem = problemOfEvent(code) ?? ''
    const { accountUuid, uuid, sid, customPayload } = this.record
    const number = this.#opening?.ownNumber ?? null
    const event = {
      uuid: this.#identity.uuid(),
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

  /** Moves the status by its table and gives the changes that say so; empty when the step changes nothing. */
  advance(step: Exclude<StatusStep, 'end'>, unix: number): readonly Change[] {
    const { record } = this
    const status = callStatusTable[record.status][step]
    if (status === undefined) return []
    const set = step === 'answer' ? { status, answeredUnix: unix } : { status }
    this.#record = { ...record, ...set }
    const code = step === 'answer' ? 'CALL.0200' : 'CALL.0180'
    return [{ type: 'call.update', uuid: record.uuid, set }, this.event(code, callData(this.#record), unix)]
  }

  addCost(charge: Money): void {
    this.#record = { ...this.record, cost: this.record.cost + charge }
  }

  /** Changes nothing when there was no row. */
  end(reason: EndReason, unix: number): void {
    if (this.#record !== undefined) this.#record = endedRow(this.#record, reason, unix)
  }

  /** The last of the row, and its event. */
  close(ttsSeconds: number, quality: CallRecord['quality'], unix: number): readonly Change[] {
    const problemCode = this.#problem === this.record.reasonCode ? '' : this.#problem
    this.#record = { ...this.record, problemCode, ttsSeconds, quality }
    const code = this.#record.status === 'completed' ? 'CALL.0300' : 'CALL.0400'
    const row: Change = { type: 'call.update', uuid: this.#record.uuid, set: endingOf(this.#record) }
    return [row, this.event(code, callData(this.#record), unix)]
  }
}

/** The row of a call that begins at `unixMs`. */
export const begunRow = (
  { uuid, sid, accountUuid, direction, fromNumber, toNumber, customPayload }: BegunFacts,
  unixMs: number,
): CallRecord => ({
  uuid,
  sid,
  accountUuid,
  direction,
  fromNumber,
  toNumber,
  status: 'initiated',
  reasonCode: '',
  durationSeconds: null,
  talkSeconds: null,
  problemCode: '',
  cost: 0,
  ttsSeconds: 0,
  customPayload,
  quality: null,
  startedUnix: unixMs,
  answeredUnix: null,
  endedUnix: null,
  createdUnix: unixMs,
})

/** The row of a call that ends now. */
function endedRow(call: CallRecord, reason: EndReason, unixMs: number): CallRecord {
  const { startedUnix, answeredUnix, createdUnix } = call
  return {
    ...call,
    status: callStatusTable[call.status].end ?? call.status,
    reasonCode: reason,
    endedUnix: unixMs,
    durationSeconds: secondsBetween(startedUnix ?? createdUnix, unixMs),
    talkSeconds: answeredUnix === null ? 0 : secondsBetween(answeredUnix, unixMs),
  }
}

/** What the end writes into the row; the cost is the store's own sum. */
const endingOf = (call: CallRecord): Partial<CallRecord> => {
  // The answer again: its own unit may have been refused by a database that failed.
  const { status, reasonCode, problemCode, durationSeconds, talkSeconds, ttsSeconds, quality } = call
  const { answeredUnix, endedUnix } = call
  return { status, reasonCode, problemCode, durationSeconds, talkSeconds, ttsSeconds, quality, answeredUnix, endedUnix }
}
