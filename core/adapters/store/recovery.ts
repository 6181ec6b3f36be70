import { billedSecondsFor, chargeFor, paidSecondsOf } from '../../billing/charge.ts'
import { callData, recordingData } from '../../events/call-data.ts'
import type { EventCode } from '../../events/catalogue.ts'
import { chargeData } from '../../events/charge-data.ts'
import type { CallRecord } from '../../model/call-record.ts'
import type { LegUuid } from '../../model/ids.ts'
import { type MeasuredRecording, measureAbandoned } from './abandoned-recordings.ts'
import { type CallTables, callOf, callTables, legOf } from './call-rows.ts'
import { rateOfHold } from './holds.ts'
import { endOfDial } from './interrupted-dials.ts'
import type { Row } from './schema.ts'
import type { Store } from './store.ts'

const interrupted = 'END.5410'

interface RecoveryOptions {
  readonly recordingsFolder: string
  /** Wall clock, Unix ms. */
  readonly unixMs: number
  readonly uuid: () => string
}

/** What a crash had left open. */
interface Recovered {
  readonly calls: number
  readonly legs: number
  readonly holds: number
  readonly recordings: number
}

/** The same, and how long it took to close it, ms. */
export interface TimedRecovery extends Recovered {
  readonly tookMs: number
}

/**
 * Run at every start, before the first call: closes, bills and reports what was live when the process before ended
 * without ending it, in one transaction. After an orderly end there is nothing to do.
 */
export async function recover(store: Store, options: RecoveryOptions): Promise<Recovered> {
  const measured = await measureAbandoned(store.database, options.recordingsFolder)
  const recovered = store.database.write(() => new Recovery(store, options, measured).run())
  await Promise.all([recovered, store.idempotency.freeInFlight()])
  return await recovered
}

const secondsOf = (ms: number): number => Math.max(0, Math.ceil(ms / 1000))

class Recovery {
  readonly #store: Store
  readonly #options: RecoveryOptions
  readonly #measured: readonly MeasuredRecording[]
  readonly #tables: CallTables

  constructor(store: Store, options: RecoveryOptions, measured: readonly MeasuredRecording[]) {
    this.#store = store
    this.#options = options
    this.#measured = measured
    this.#tables = callTables(store.database)
  }

  run(): Recovered {
    const { database } = this.#store
    const { sql } = database
    // Written as the partial index is, which parameters would hide.
    const live = database.prepare<[], Row<'calls'>>(
      // Not ORDER BY id: by it the planner walks through every call that there ever was.
      "SELECT * FROM calls WHERE status IN ('initiated', 'ringing', 'answered')",
    )
    const lastBeat = Math.min(
      this.#options.unixMs,
      database.get(sql.selectFrom('heartbeat').selectAll())?.beat_unix ?? 0,
    )

    const counts = { calls: 0, legs: 0, holds: 0 }
    const openHolds = database.all(sql.selectFrom('holds').selectAll().where('settled_unix', 'is', null))
    const paid = new Map(openHolds.map(hold => [hold.leg_uuid, paidSecondsOf(rateOfHold(hold), hold.amount)]))
    const paidUntil = ({ uuid, answered_unix: answered, ended_unix: ended }: Row<'legs'>): number =>
      answered === null || ended !== null
        ? Number.POSITIVE_INFINITY
        : answered + (paid.get(uuid) ?? Number.POSITIVE_INFINITY) * 1000

    const ends = new Map<string, number>()
    /** Rows that name a Dial which has not ended. */
    const dialling: Row<'legs'>[] = []
    for (const row of live.all().sort((a, b) => a.id - b.id)) {
      const legs = database.all(sql.selectFrom('legs').selectAll().where('call_uuid', '=', row.uuid))
      // The first leg whose money is over ends the whole call.
      const seen = Math.min(lastBeat, ...legs.map(paidUntil))
      ends.set(row.uuid, lastKnown(row, legs, seen))
      dialling.push(...legs.filter(leg => leg.ended_unix !== null && leg.dial !== null))
      counts.calls++
    }
    const openLegs = database.all(sql.selectFrom('legs').selectAll().where('ended_unix', 'is', null))
    for (const leg of openLegs) {
      const seen = ends.get(leg.call_uuid) ?? Math.max(lastBeat, leg.started_unix, leg.answered_unix ?? 0)
      const endedUnix = Math.min(seen, paidUntil(leg))
      this.#tables.legs.update(leg.uuid, { endedUnix, reasonCode: interrupted })
      if (leg.dial !== null) dialling.push({ ...leg, ended_unix: endedUnix, reason_code: interrupted })
      counts.legs++
    }
    for (const hold of openHolds) {
      this.#settle(hold)
      counts.holds++
    }
    for (const row of dialling) this.#endDial(row)
    for (const [uuid, endedUnix] of ends) this.#close(uuid, endedUnix)
    return { ...counts, recordings: this.#adoptRecordings() }
  }

  /**
   * By the rate that the hold was opened with, for as long as its leg is known to have talked, and for no more than was
   * held: the beat tells nothing of a leg whose closing unit a failing disk refused, or of a clock that was put forward.
   */
  #settle(hold: Row<'holds'>): void {
    const { database, holds } = this.#store
    const leg = database.get(
      database.sql
        .selectFrom('legs')
        .select(['answered_unix', 'ended_unix', 'number'])
        .where('uuid', '=', hold.leg_uuid),
    )
    const rate = rateOfHold(hold)
    const from = leg?.answered_unix ?? null
    const talked = from === null ? 0 : secondsOf((leg?.ended_unix ?? from) - from)
    const talkSeconds = Math.min(talked, paidSecondsOf(rate, hold.amount))
    const charge = chargeFor(rate, talkSeconds)
    const billedSeconds = billedSecondsFor(rate, talkSeconds)
    holds.settle(hold.uuid, { charge, talkSeconds, billedSeconds }, this.#options.unixMs)
    if (charge === 0) return
    const call = this.#callOf(hold.call_uuid)
    const legUuid: LegUuid = hold.leg_uuid
    const settled = { legUuid, number: leg?.number ?? '', rate, talkSeconds, billedSeconds, charge }
    if (call !== undefined) this.#report(call, 'BILL.0200', chargeData(settled))
  }

  #endDial(row: Row<'legs'>): void {
    const leg = legOf(row)
    const call = this.#callOf(leg.callUuid)
    this.#tables.legs.update(leg.uuid, { dial: null })
    if (call === undefined || leg.dial === null) return
    // A leg that ended by itself left its Dial for the next route.
    const isBetweenLegs = leg.reasonCode !== interrupted
    const { code, data } = endOfDial(call, leg.dial, leg, { isBetweenLegs, reason: interrupted })
    this.#report(call, code, data)
  }

  #close(uuid: string, endedUnix: number): void {
    const call = this.#callOf(uuid)
    if (call === undefined) return
    const wasAnswered = call.answeredUnix !== null
    const set = {
      status: wasAnswered ? 'completed' : 'failed',
      reasonCode: interrupted,
      endedUnix,
      durationSeconds: secondsOf(endedUnix - (call.startedUnix ?? call.createdUnix)),
      talkSeconds: call.answeredUnix === null ? 0 : secondsOf(endedUnix - call.answeredUnix),
    } as const
    this.#tables.calls.update(uuid, set)
    const closed: CallRecord = { ...call, ...set }
    this.#report(closed, wasAnswered ? 'CALL.0300' : 'CALL.0400', callData(closed))
  }

  #adoptRecordings(): number {
    for (const { recording, isAudible } of this.#measured) {
      const { durationMs, sizeBytes } = recording
      this.#tables.recordings.update(recording.uuid, { durationMs, sizeBytes })
      const call = this.#callOf(recording.callUuid)
      if (call !== undefined) this.#report(call, isAudible ? 'REC.0200' : 'REC.0400', recordingData(recording))
    }
    return this.#measured.length
  }

  #callOf(uuid: string): CallRecord | undefined {
    const { database } = this.#store
    const row = database.get(
      database.sql
        .selectFrom('calls')
        .selectAll()
        .where('uuid', '=', uuid as CallRecord['uuid']),
    )
    return row && callOf(row)
  }

  #report(call: CallRecord, code: EventCode, data: Readonly<Record<string, unknown>>): void {
    this.#store.events.append({
      uuid: this.#options.uuid(),
      code,
      accountUuid: call.accountUuid,
      callUuid: call.uuid,
      sid: call.sid,
      number: call.direction === 'inbound' ? call.toNumber : call.fromNumber,
      customPayload: call.customPayload,
      createdUnix: this.#options.unixMs,
      data,
    })
  }
}

/** The last moment at which the call is known to have lived. What was answered has lived into its first second. */
function lastKnown(call: Row<'calls'>, legs: readonly Row<'legs'>[], lastBeat: number): number {
  const into = (answered: number | null) => (answered === null ? 0 : answered + 1)
  return Math.max(
    lastBeat,
    call.created_unix,
    call.started_unix ?? 0,
    into(call.answered_unix),
    ...legs.flatMap(leg => [leg.started_unix, into(leg.answered_unix), leg.ended_unix ?? 0]),
  )
}
