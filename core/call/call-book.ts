import { callData } from '../events/call-data.ts'
import type { EventCode } from '../events/catalogue.ts'
import { endedRow, endingOf, stepOf } from '../leg/call-row.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Money } from '../model/money.ts'
import type { Change } from '../ports/store.ts'
import type { CallOpening } from './call-share.ts'

/** A call's row as it is now, and the changes and events that bring the database there. */
export class CallBook {
  readonly #uuid: () => string
  readonly #unix: () => number
  #record: CallRecord | undefined
  #opening: CallOpening | undefined

  /** `unix`: the call's own wall clock, ms. */
  constructor(uuid: () => string, unix: () => number) {
    this.#uuid = uuid
    this.#unix = unix
  }

  /** The row that the call will have. Nothing is written by this. */
  open(opening: CallOpening): void {
    this.#opening = opening
    this.#record = opening.record
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
  event(code: EventCode, data: Readonly<Record<string, unknown>>): Change {
    const { accountUuid, uuid, sid, customPayload } = this.record
    const number = this.#opening?.ownNumber ?? null
    const createdUnix = this.#unix()
    const event = {
      uuid: this.#uuid(),
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
  advance(step: 'ring' | 'answer'): readonly Change[] {
    const { record } = this
    const set = stepOf(record, step, this.#unix())
    if (set === undefined) return []
    this.#record = { ...record, ...set }
    const code = step === 'answer' ? 'CALL.0200' : 'CALL.0180'
    return [{ type: 'call.update', uuid: record.uuid, set }, this.event(code, callData(this.#record))]
  }

  addCost(charge: Money): void {
    this.#record = { ...this.record, cost: this.record.cost + charge }
  }

  /** Changes nothing when there was no row. */
  end(reason: EndReason, unixMs: number): void {
    if (this.#record !== undefined) this.#record = endedRow(this.#record, reason, unixMs)
  }

  /** The last of the row, and its event. */
  close(ttsSeconds: number, quality: CallRecord['quality']): readonly Change[] {
    this.#record = { ...this.record, ttsSeconds, quality }
    const code = this.#record.status === 'completed' ? 'CALL.0300' : 'CALL.0400'
    const row: Change = { type: 'call.update', uuid: this.#record.uuid, set: endingOf(this.#record) }
    return [row, this.event(code, callData(this.#record))]
  }
}
