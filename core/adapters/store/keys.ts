import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { ApiKeyRecord } from '../../model/api-key.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

const maxActiveKeys = 10
/** Who makes and revokes keys in a loop must not fill the database, nor the list, which has no pages. */
const maxRevokedKeys = 100
/** A whole key is `vk_<prefix>_<secret>`; the prefix is shown in lists, only a hash of the whole is stored. */
const prefixBytes = 6
const secretBytes = 32
const keyForm = /^vk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/

export interface KeyOwner {
  readonly keyUuid: string
  readonly accountUuid: AccountUuid
  readonly accountStatus: 'active' | 'suspended'
}

export class ApiKeys {
  readonly #database: Database
  readonly #byHash
  readonly #touch
  readonly #forgetRevoked

  constructor(database: Database) {
    this.#database = database
    this.#byHash = database.prepare<
      [string],
      { uuid: string; hash: string; account_uuid: AccountUuid; status: 'active' | 'suspended' }
    >(
      'SELECT k.uuid, k.hash, k.account_uuid, a.status FROM api_keys k JOIN accounts a ON a.uuid = k.account_uuid WHERE k.hash = ? AND k.is_active = 1',
    )
    this.#touch = database.prepare<[number, string]>('UPDATE api_keys SET last_used_unix = ? WHERE uuid = ?')
    this.#forgetRevoked = database.prepare<[AccountUuid, string, number]>(
      `DELETE FROM api_keys WHERE uuid IN
        (SELECT uuid FROM api_keys WHERE account_uuid = ? AND is_active = 0 AND uuid <> ?
          ORDER BY created_unix DESC, rowid DESC LIMIT -1 OFFSET ?)`,
    )
  }

  /** The account of an active key; undefined for any other text. */
  async ownerOf(key: string): Promise<KeyOwner | undefined> {
    if (!keyForm.test(key)) return undefined
    const hash = hashOf(key)
    const row = this.#byHash.get(hash)
    if (row === undefined || !timingSafeEqual(Buffer.from(row.hash, 'hex'), Buffer.from(hash, 'hex'))) return undefined
    return { keyUuid: row.uuid, accountUuid: row.account_uuid, accountStatus: row.status }
  }

  /** When keys were last used. */
  touch(uses: readonly (readonly [uuid: string, unixMs: number])[]): Promise<void> {
    return this.#database.write(() => {
      for (const [uuid, unixMs] of uses) this.#touch.run(unixMs, uuid)
    })
  }

  /** Oldest first. */
  async list(account: AccountUuid): Promise<readonly ApiKeyRecord[]> {
    const rows = await this.#database.sql
      .selectFrom('api_keys')
      .selectAll()
      .where('account_uuid', '=', account)
      .orderBy('created_unix')
      .execute()
    return rows.map(recordOf)
  }

  /** The new key with its secret; undefined when the account has `maxActiveKeys` already. */
  create(
    account: AccountUuid,
    name: string,
    unixMs: number,
  ): Promise<{ record: ApiKeyRecord; key: string } | undefined> {
    return this.#database.write(() => {
      const { sql } = this.#database
      const count = this.#database.get(
        sql
          .selectFrom('api_keys')
          .select(of => of.fn.countAll<number>().as('active'))
          .where('account_uuid', '=', account)
          .where('is_active', '=', 1),
      )
      return (count?.active ?? 0) >= maxActiveKeys ? undefined : this.insert(account, name, unixMs)
    })
  }

  /** For use inside a unit of work. */
  insert(account: AccountUuid, name: string, unixMs: number): { record: ApiKeyRecord; key: string } {
    const prefix = `vk_${randomText(prefixBytes)}`
    const key = `${prefix}_${randomBytes(secretBytes).toString('base64url')}`
    const row: Row<'api_keys'> = {
      uuid: randomUUID(),
      account_uuid: account,
      name,
      prefix,
      hash: hashOf(key),
      is_active: 1,
      created_unix: unixMs,
      last_used_unix: null,
    }
    this.#database.run(this.#database.sql.insertInto('api_keys').values(row))
    return { record: recordOf(row), key }
  }

  /**
   * False when the account has no such key. Revoking twice is no fault. Of the other revoked keys the newest stay, to
   * `maxRevokedKeys` with this one; a session of the portal needs its key's row, and so stays ended without it.
   */
  revoke(account: AccountUuid, uuid: string): Promise<boolean> {
    return this.#database.write(() => {
      const revoked = this.#database.run(
        this.#database.sql
          .updateTable('api_keys')
          .set({ is_active: 0 })
          .where('account_uuid', '=', account)
          .where('uuid', '=', uuid),
      )
      if (revoked === 0) return false
      this.#forgetRevoked.run(account, uuid, maxRevokedKeys - 1)
      return true
    })
  }
}

const recordOf = (row: Row<'api_keys'>): ApiKeyRecord => ({
  uuid: row.uuid,
  accountUuid: row.account_uuid,
  name: row.name,
  prefix: row.prefix,
  isActive: row.is_active === 1,
  createdUnix: row.created_unix,
  lastUsedUnix: row.last_used_unix,
})

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')

/** Letters and digits only, so that `_` parts the key: 8 of them from 6 bytes. */
function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('+', 'a').replaceAll('/', 'b')
}
