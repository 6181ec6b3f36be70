import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../../core/adapters/store/database.ts'
import type { NewRow } from '../../../core/adapters/store/schema.ts'
import { type Store, storeOver } from '../../../core/adapters/store/store.ts'
import { silentLog } from '../../../core/adapters/system/silent-log.ts'
import { begunRow } from '../../../core/call/call-book.ts'
import type { EventCode } from '../../../core/events/catalogue.ts'
import type { VoiceEvent } from '../../../core/events/voice-event.ts'
import type { CallRecord, LegRecord } from '../../../core/model/call-record.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid, Sid } from '../../../core/model/ids.ts'
import type { Rate } from '../../../core/model/rate.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Hold } from '../../../core/ports/store.ts'

export const startUnix = Date.UTC(2026, 10, 21, 8, 0, 0)

/** Virtual time: nothing fires until `pass` is called. */
export class TestClock implements Clock {
  #now = 0
  #timers: { readonly deadline: number; readonly fire: () => void }[] = []

  now(): number {
    return this.#now
  }

  unixMs(): number {
    return startUnix + this.#now
  }

  at(deadline: number, fire: () => void): () => void {
    const timer = { deadline, fire }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(each => each !== timer)
    }
  }

  pass(ms: number): void {
    const until = this.#now + ms
    for (;;) {
      const next = this.#timers.filter(each => each.deadline <= until).sort((a, b) => a.deadline - b.deadline)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter(each => each !== next)
      this.#now = Math.max(this.#now, next.deadline)
      next.fire()
    }
    this.#now = until
  }
}

export interface StoreBed extends Store {
  readonly folder: string
  readonly clock: TestClock
  /** Closes and opens again, as a new process would. */
  reopen(): StoreBed
  close(): void
}

export function openBed(folder = mkdtempSync(join(tmpdir(), 'sauti-store-')), clock = new TestClock()): StoreBed {
  const store = storeOver(openDatabase(folder), { clock, log: silentLog })
  return {
    ...store,
    folder,
    clock,
    reopen() {
      store.database.close()
      return openBed(folder, clock)
    },
    close() {
      store.database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let made = 0
const newId = (kind: string) => `${kind}-${++made}`

export function addAccount(database: Database, fields: Partial<NewRow<'accounts'>> = {}): AccountUuid {
  const uuid = newId('account') as AccountUuid
  const row = {
    uuid,
    name: 'Test',
    status: 'active',
    fallback_mode: 'message',
    fallback_value: 'Sorry.',
    signing_secret: 'secret',
    created_unix: startUnix,
    ...fields,
  } as const
  database.run(database.sql.insertInto('accounts').values(row))
  return uuid
}

export const rateOf = (fields: Partial<Rate> = {}): Rate => ({
  prefix: '254',
  direction: 'outbound',
  ratePerMinute: 30_000,
  incrementSeconds: 60,
  minimumSeconds: 0,
  connectionFee: 0,
  ...fields,
})

export function callOf(accountUuid: AccountUuid, fields: Partial<CallRecord> = {}): CallRecord {
  const uuid = newId('call') as CallUuid
  const begun = {
    uuid,
    sid: `CA-${uuid}` as Sid,
    accountUuid,
    direction: 'outbound',
    fromNumber: '+254201234567',
    toNumber: '+254712345678',
    customPayload: null,
  } as const
  return { ...begunRow(begun, startUnix), ...fields }
}

export const legOf = (call: CallRecord, fields: Partial<LegRecord> = {}): LegRecord => ({
  uuid: newId('leg') as LegUuid,
  callUuid: call.uuid,
  role: 'callee',
  direction: 'outbound',
  trunkName: 'carrier',
  number: call.toNumber,
  startedUnix: call.createdUnix,
  answeredUnix: null,
  endedUnix: null,
  reasonCode: '',
  dial: null,
  ...fields,
})

export const holdOf = (call: CallRecord, leg: LegRecord, fields: Partial<Hold> = {}): Hold => ({
  uuid: newId('hold') as HoldUuid,
  accountUuid: call.accountUuid,
  callUuid: call.uuid,
  legUuid: leg.uuid,
  rate: rateOf(),
  amount: 30_000,
  ...fields,
})

export const eventOf = (call: CallRecord, code: EventCode, fields: Partial<VoiceEvent> = {}): VoiceEvent => ({
  uuid: newId('event'),
  code,
  accountUuid: call.accountUuid,
  callUuid: call.uuid,
  sid: call.sid,
  number: call.fromNumber,
  customPayload: call.customPayload,
  createdUnix: call.createdUnix,
  data: { sid: call.sid },
  ...fields,
})

export function wallet(database: Database, account: AccountUuid): { balance: number; held: number } {
  const query = database.sql.selectFrom('accounts').select(['balance', 'held']).where('uuid', '=', account)
  const row = database.get(query)
  if (row === undefined) throw new Error('no such account')
  return row
}
