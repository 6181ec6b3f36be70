import { secondsBetween } from '../../billing/charge.ts'
import { callData } from '../../events/call-data.ts'
import type { CallRecord } from '../../model/call-record.ts'
import type { CallUuid, HoldUuid, LegUuid } from '../../model/ids.ts'
import type { Change } from '../../ports/store.ts'
import { type CallTables, callOf, callTables } from './call-rows.ts'
import type { Database } from './database.ts'
import type { Events } from './events.ts'
import type { Holds } from './holds.ts'

/** As the calls themselves have ended: their callers got a 500. */
const reasonCode = 'END.5500'

/** What units of work would have begun whose thread ended before it answered. */
export interface LostBeginnings {
  /** When the thread ended. */
  readonly unixMs: number
  readonly calls: readonly CallUuid[]
  readonly legs: readonly LegUuid[]
  readonly holds: readonly HoldUuid[]
}

/** Undefined: the units begin nothing. */
export function beginningsOf(units: readonly (readonly Change[])[], unixMs: number): LostBeginnings | undefined {
  const [calls, legs, holds]: [CallUuid[], LegUuid[], HoldUuid[]] = [[], [], []]
  for (const change of units.flat()) {
    if (change.type === 'call.insert') calls.push(change.call.uuid)
    else if (change.type === 'leg.insert') legs.push(change.leg.uuid)
    else if (change.type === 'hold.open') holds.push(change.hold.uuid)
  }
  return calls.length + legs.length + holds.length === 0 ? undefined : { unixMs, calls, legs, holds }
}

interface LostUnitsParts {
  readonly database: Database
  readonly events: Events
  readonly holds: Holds
}

/**
 * Units that may have been committed though their calls were answered that they were not: such a call has ended, and writes
 * nothing of what the unit had begun any more. The rows that the database does hold are closed, and what was held is free again.
 */
export class LostUnits {
  readonly #parts: LostUnitsParts
  readonly #tables: CallTables
  readonly #openCall
  readonly #openLeg
  readonly #openHold

  constructor(parts: LostUnitsParts) {
    const { database } = parts
    this.#parts = parts
    this.#tables = callTables(database)
    this.#openCall = database.prepare<[CallUuid], Parameters<typeof callOf>[0]>(
      'SELECT * FROM calls WHERE uuid = ? AND ended_unix IS NULL',
    )
    this.#openLeg = database.prepare<[LegUuid], { started: number }>(
      'SELECT started_unix AS started FROM legs WHERE uuid = ? AND ended_unix IS NULL',
    )
    this.#openHold = database.prepare<[HoldUuid], { uuid: HoldUuid }>(
      'SELECT uuid FROM holds WHERE uuid = ? AND settled_unix IS NULL',
    )
  }

  /** In one transaction; how many calls and holds it has ended. What is not there, or has ended, stays as it is. */
  end(lost: LostBeginnings): Promise<{ readonly calls: number; readonly holds: number }> {
    return this.#parts.database.write(() => {
      for (const uuid of lost.legs) this.#endLeg(uuid, lost.unixMs)
      const holds = lost.holds.filter(uuid => this.#release(uuid, lost.unixMs))
      const calls = lost.calls.filter(uuid => this.#endCall(uuid, lost.unixMs))
      return { calls: calls.length, holds: holds.length }
    })
  }

  #endLeg(uuid: LegUuid, unixMs: number): void {
    const open = this.#openLeg.get(uuid)
    if (open !== undefined) this.#tables.legs.update(uuid, { endedUnix: Math.max(open.started, unixMs), reasonCode })
  }

  /** Nothing rings before its rows are durable: there was no talk. */
  #release(uuid: HoldUuid, unixMs: number): boolean {
    if (this.#openHold.get(uuid) === undefined) return false
    this.#parts.holds.settle(uuid, { charge: 0, talkSeconds: 0, billedSeconds: 0 }, unixMs)
    return true
  }

  #endCall(uuid: CallUuid, unixMs: number): boolean {
    const row = this.#openCall.get(uuid)
    if (row === undefined) return false
    const call = callOf(row)
    const began = call.startedUnix ?? call.createdUnix
    const endedUnix = Math.max(began, unixMs)
    const durationSeconds = secondsBetween(began, endedUnix)
    const set = { status: 'failed', reasonCode, endedUnix, durationSeconds, talkSeconds: 0 } as const
    this.#tables.calls.update(uuid, set)
    this.#report({ ...call, ...set })
    return true
  }

  #report(call: CallRecord): void {
    this.#parts.events.append({
      uuid: crypto.randomUUID(),
      code: 'CALL.0400',
      accountUuid: call.accountUuid,
      callUuid: call.uuid,
      sid: call.sid,
      number: call.direction === 'inbound' ? call.toNumber : call.fromNumber,
      customPayload: call.customPayload,
      createdUnix: call.endedUnix ?? call.createdUnix,
      data: callData(call),
    })
  }
}
