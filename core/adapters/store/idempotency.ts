import { retentionBatch } from '../../events/retention.ts'
import type { CallRecord } from '../../model/call-record.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Change } from '../../ports/store.ts'
import type { Database } from './database.ts'

/** Time from its first use that a key is remembered. */
export const idempotencyLifeMs = 24 * 3600 * 1000

type IdempotencyStart =
  /** The key is ours now: run the operation, then complete or free it. */
  | { readonly state: 'begun' }
  | { readonly state: 'in-flight' }
  | { readonly state: 'other-request' }
  /** The answer, verbatim. */
  | { readonly state: 'answered'; readonly status: number; readonly body: string }
  /** A call was placed, which was then so. */
  | { readonly state: 'placed'; readonly call: CallRecord }

/** What has a status of HTTP, and its text. */
interface KeptAnswer {
  readonly accountUuid: AccountUuid
  readonly key: string
  readonly status: number
  readonly body: string
}

/** In place of a status: the body is the row of a call. */
const callPlaced = 0

/** What came of requests under Idempotency-Keys, per account: it commits in one unit with the effect. */
export class IdempotencyKeys {
  readonly #database: Database
  readonly #find
  readonly #insert
  readonly #complete
  readonly #free
  readonly #forget

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare<
      [AccountUuid, string, number],
      { fingerprint: string; status: number | null; body: string | null }
    >('SELECT fingerprint, status, body FROM idempotency WHERE account_uuid = ? AND key = ? AND created_unix > ?')
    this.#insert = database.prepare<[AccountUuid, string, string, number]>(
      'INSERT OR REPLACE INTO idempotency (account_uuid, key, fingerprint, created_unix) VALUES (?, ?, ?, ?)',
    )
    this.#complete = database.prepare<[number, string, AccountUuid, string]>(
      'UPDATE idempotency SET status = ?, body = ? WHERE account_uuid = ? AND key = ? AND status IS NULL',
    )
    this.#free = database.prepare<[AccountUuid, string]>(
      'DELETE FROM idempotency WHERE account_uuid = ? AND key = ? AND status IS NULL',
    )
    this.#forget = database.prepare<[number, number]>(
      `DELETE FROM idempotency WHERE (account_uuid, key) IN
         (SELECT account_uuid, key FROM idempotency WHERE created_unix <= ? ORDER BY created_unix LIMIT ?)`,
    )
  }

  /** Marks the key as in flight, unless it is known. `fingerprint` stands for method, path and body. */
  begin(account: AccountUuid, key: string, fingerprint: string, unixMs: number): Promise<IdempotencyStart> {
    return this.#database.write((): IdempotencyStart => {
      const known = this.#find.get(account, key, unixMs - idempotencyLifeMs)
      if (known === undefined) {
        this.#insert.run(account, key, fingerprint, unixMs)
        return { state: 'begun' }
      }
      if (known.fingerprint !== fingerprint) return { state: 'other-request' }
      if (known.status === null || known.body === null) return { state: 'in-flight' }
      if (known.status === callPlaced) return { state: 'placed', call: JSON.parse(known.body) }
      return { state: 'answered', status: known.status, body: known.body }
    })
  }

  /** For use inside a unit of work: the answer is with the effect. */
  complete({ status, body, accountUuid, key }: KeptAnswer): void {
    this.#complete.run(status, body, accountUuid, key)
  }

  /** The same for a call. */
  placed({ call, accountUuid, key }: Omit<Extract<Change, { type: 'idempotency.placed' }>, 'type'>): void {
    this.#complete.run(callPlaced, JSON.stringify(call), accountUuid, key)
  }

  /** Takes the mark of an operation that was refused away; a stored answer stays. */
  free(account: AccountUuid, key: string): Promise<void> {
    return this.#database.write(() => {
      this.#free.run(account, key)
    })
  }

  /** At start: nothing is in flight. */
  async freeInFlight(): Promise<void> {
    const all = this.#database.prepare('DELETE FROM idempotency WHERE status IS NULL')
    await this.#database.write(() => all.run())
  }

  /** A bounded number at once: true while there may be more. */
  forgetOld(unixMs: number): Promise<boolean> {
    return this.#database.write(
      () => this.#forget.run(unixMs - idempotencyLifeMs, retentionBatch).changes === retentionBatch,
    )
  }
}
