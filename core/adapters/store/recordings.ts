import { randomUUID } from 'node:crypto'
import { join, resolve, sep } from 'node:path'
import { recordingData } from '../../events/call-data.ts'
import type { EventCode } from '../../events/catalogue.ts'
import type { RecordingRecord } from '../../model/call-record.ts'
import type { AccountUuid } from '../../model/ids.ts'
import { parseObject, recordingOf } from './call-rows.ts'
import type { Database } from './database.ts'
import type { Events } from './events.ts'
import type { PageRange } from './page.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

/** Time that a deleted recording's file is kept, in case of a mistake; then it is purged without another event. */
export const deletedKeptMs = 7 * 24 * 3_600_000

/** Where the files are, by the paths of the rows. */
export const recordingsFolder = (dataFolder: string): string => resolve(dataFolder, 'recordings')

/** Where the audio is; undefined for a path that would lead out of the folder, which is absolute. */
export function recordingFile(folder: string, record: RecordingRecord): string | undefined {
  const file = join(folder, record.path)
  return file.startsWith(`${folder}${sep}`) ? file : undefined
}

export interface RecordingFilter extends PageRange {
  readonly callUuid?: string
}

interface RecordedParties {
  readonly callUuid: string
  readonly fromNumber: string
  readonly toNumber: string
}

interface FoundRecording {
  readonly record: RecordingRecord
  /** Deleted by its owner, or past its expiry. */
  readonly isGone: boolean
}

/** Recordings as the lists show them, and their end. The call machine writes the rows. */
export class Recordings {
  readonly #database: Database
  readonly #events: Events
  readonly #quotas: QuotaBook
  readonly #folder: string
  readonly #byUuid
  readonly #due
  readonly #nextExpiry
  readonly #delete
  readonly #purge
  readonly #call
  readonly #parties

  /** `folder` holds the files, by the paths of the rows. */
  constructor(database: Database, events: Events, quotas: QuotaBook, folder: string) {
    this.#database = database
    this.#events = events
    this.#quotas = quotas
    this.#folder = resolve(folder)
    this.#byUuid = database.prepare<[string], Row<'recordings'>>('SELECT * FROM recordings WHERE uuid = ?')
    this.#due = database.prepare<[number, number], Row<'recordings'>>(
      'SELECT * FROM recordings WHERE purged_unix IS NULL AND expires_unix <= ? ORDER BY expires_unix LIMIT ?',
    )
    this.#nextExpiry = database.prepare<[], { next: number | null }>(
      'SELECT min(expires_unix) AS next FROM recordings WHERE purged_unix IS NULL',
    )
    this.#delete = database.prepare<[number, number, string]>(
      `UPDATE recordings SET deleted_unix = ?, expires_unix = min(ifnull(expires_unix, 9e15), ?) WHERE uuid = ?`,
    )
    this.#purge = database.prepare<[number, string]>(
      'UPDATE recordings SET purged_unix = ? WHERE uuid = ? AND purged_unix IS NULL',
    )
    this.#parties = database.prepare<[AccountUuid, string], RecordedParties>(
      `SELECT uuid AS callUuid, from_number AS fromNumber, to_number AS toNumber FROM calls
        WHERE account_uuid = ? AND uuid IN (SELECT value FROM json_each(?))`,
    )
    this.#call = database.prepare<[string, string], { custom_payload: string | null; number: string | null }>(
      `SELECT c.custom_payload, n.number FROM calls c LEFT JOIN numbers n ON n.account_uuid = ?
         AND n.number = CASE c.direction WHEN 'inbound' THEN c.to_number ELSE c.from_number END WHERE c.uuid = ?`,
    )
  }

  /** Newest first; without those that are gone. */
  async list(account: AccountUuid, filter: RecordingFilter, unixMs: number): Promise<readonly RecordingRecord[]> {
    let fitting = this.#database.sql
      .selectFrom('recordings')
      .selectAll()
      .where('account_uuid', '=', account)
      .where('deleted_unix', 'is', null)
      .where('purged_unix', 'is', null)
      .where(({ or, eb }) => or([eb('expires_unix', 'is', null), eb('expires_unix', '>', unixMs)]))
    if (filter.callUuid !== undefined)
      fitting = fitting.where('call_uuid', '=', filter.callUuid as Row<'calls'>['uuid'])
    const page = fitting.orderBy('created_unix', 'desc').orderBy('uuid').limit(filter.limit).offset(filter.offset)
    return (await page.execute()).map(recordingOf)
  }

  /** Who called whom in these calls of the account. */
  parties(account: AccountUuid, calls: readonly string[]): readonly RecordedParties[] {
    return this.#parties.all(account, JSON.stringify(calls))
  }

  /** A recording of any account: for a link that was signed for it. */
  get(uuid: string, unixMs: number): FoundRecording | undefined {
    const row = this.#byUuid.get(uuid)
    if (row === undefined) return undefined
    const isExpired = row.expires_unix !== null && row.expires_unix <= unixMs
    return { record: recordingOf(row), isGone: row.deleted_unix !== null || row.purged_unix !== null || isExpired }
  }

  find(account: AccountUuid, uuid: string, unixMs: number): FoundRecording | undefined {
    const found = this.get(uuid, unixMs)
    return found?.record.accountUuid === account ? found : undefined
  }

  /** Where the audio is; undefined for a path that would lead out of the folder. */
  fileOf(record: RecordingRecord): string | undefined {
    return recordingFile(this.#folder, record)
  }

  /**
   * Soft: the row stays, and the file for `deletedKeptMs`, unless the account needs the room. False when the account has
   * none; twice is no fault.
   */
  remove(account: AccountUuid, uuid: string, unixMs: number): Promise<boolean> {
    return this.#database.write(() => {
      const found = this.find(account, uuid, unixMs)
      if (found === undefined) return false
      if (found.isGone) return true
      const keptMs = this.#quotas.isTight(account, 'recordingBytes', unixMs) ? 0 : deletedKeptMs
      this.#delete.run(unixMs, unixMs + keptMs, uuid)
      this.#emit('REC.0300', found.record, unixMs)
      return true
    })
  }

  /** Recordings whose file is to be purged by now, the longest overdue first. */
  due(unixMs: number, limit: number): readonly RecordingRecord[] {
    return this.#due.all(unixMs, limit).map(recordingOf)
  }

  /** When the next file is to be purged; undefined when none is. */
  nextExpiry(): number | undefined {
    return this.#nextExpiry.get()?.next ?? undefined
  }

  /** The file is gone from the disk. */
  purged(uuid: string, unixMs: number): Promise<void> {
    return this.#database.write(() => {
      const row = this.#byUuid.get(uuid)
      if (row === undefined || this.#purge.run(unixMs, uuid).changes === 0) return
      // Of a deleted one its owner was informed when it was deleted.
      if (row.deleted_unix === null) this.#emit('REC.0310', recordingOf(row), unixMs)
    })
  }

  #emit(code: EventCode, record: RecordingRecord, unixMs: number): void {
    const call = this.#call.get(record.accountUuid, record.callUuid)
    this.#events.append({
      uuid: randomUUID(),
      code,
      accountUuid: record.accountUuid,
      callUuid: record.callUuid,
      sid: record.callSid,
      number: call?.number ?? null,
      customPayload: parseObject(call?.custom_payload ?? null),
      createdUnix: unixMs,
      data: recordingData(record),
    })
  }
}
