import { randomUUID } from 'node:crypto'
import type { EndUserProfile } from '../../model/account.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

const firstExtension = 1001

export interface EndUserRecord extends EndUserProfile {
  readonly createdUnix: number
}

/** Identities behind softphones. */
export class EndUsers {
  readonly #database: Database
  readonly #quotas: QuotaBook
  readonly #changing: (uuid: string) => void

  /** `changing` is called inside the unit that changes or removes an end-user. */
  constructor(database: Database, quotas: QuotaBook, changing: (uuid: string) => void = () => {}) {
    this.#database = database
    this.#quotas = quotas
    this.#changing = changing
  }

  /** Oldest first. */
  async list(account: AccountUuid): Promise<readonly EndUserRecord[]> {
    const rows = await this.#database.sql
      .selectFrom('end_users')
      .selectAll()
      .where('account_uuid', '=', account)
      .orderBy('created_unix')
      .orderBy('uuid')
      .execute()
    return rows.map(recordOf)
  }

  async byExtension(account: AccountUuid, extension: string): Promise<EndUserRecord | undefined> {
    const row = await this.#database.sql
      .selectFrom('end_users')
      .selectAll()
      .where('account_uuid', '=', account)
      .where('extension_number', '=', extension)
      .executeTakeFirst()
    return row === undefined ? undefined : recordOf(row)
  }

  /** With the next free extension of the whole switch; undefined when the account has that email already. */
  create(
    account: AccountUuid,
    user: { readonly email: string; readonly displayName: string },
    unixMs: number,
  ): Promise<EndUserRecord | undefined> {
    return this.#database.write(() => {
      const { sql } = this.#database
      const same = sql
        .selectFrom('end_users')
        .select('uuid')
        .where('account_uuid', '=', account)
        .where('email', '=', user.email)
      if (this.#database.get(same) !== undefined) return undefined
      this.#quotas.take(account, 'endUsers', 1, unixMs)
      const row: Row<'end_users'> = {
        uuid: randomUUID(),
        account_uuid: account,
        email: user.email,
        display_name: user.displayName,
        extension_number: String(this.#nextExtension()),
        is_active: 1,
        created_unix: unixMs,
      }
      this.#database.run(sql.insertInto('end_users').values(row))
      return recordOf(row)
    })
  }

  /** An extension is not given out twice, even when its user is gone: calls to it must not reach another person. */
  #nextExtension(): number {
    const { sql } = this.#database
    const given = this.#database.get(sql.selectFrom('settings').select('value').where('key', '=', 'next_extension'))
    const next = given === undefined ? firstExtension : Number(given.value)
    this.#database.run(
      sql
        .insertInto('settings')
        .values({ key: 'next_extension', value: String(next + 1) })
        .onConflict(conflict => conflict.column('key').doUpdateSet({ value: String(next + 1) })),
    )
    return next
  }

  async change(
    account: AccountUuid,
    uuid: string,
    set: { readonly displayName?: string | undefined; readonly isActive?: boolean | undefined },
  ): Promise<EndUserRecord | undefined> {
    return this.#database.write(() => {
      const found = this.#database.get(
        this.#database.sql
          .selectFrom('end_users')
          .selectAll()
          .where('account_uuid', '=', account)
          .where('uuid', '=', uuid),
      )
      if (found === undefined) return undefined
      const changed: Row<'end_users'> = {
        ...found,
        display_name: set.displayName ?? found.display_name,
        is_active: set.isActive === undefined ? found.is_active : set.isActive ? 1 : 0,
      }
      this.#changing(uuid)
      this.#database.run(
        this.#database.sql
          .updateTable('end_users')
          .set({ display_name: changed.display_name, is_active: changed.is_active })
          .where('uuid', '=', uuid),
      )
      return recordOf(changed)
    })
  }

  remove(account: AccountUuid, uuid: string): Promise<boolean> {
    return this.#database.write(() => {
      this.#changing(uuid)
      return (
        this.#database.run(
          this.#database.sql.deleteFrom('end_users').where('account_uuid', '=', account).where('uuid', '=', uuid),
        ) > 0
      )
    })
  }
}

const recordOf = (row: Row<'end_users'>): EndUserRecord => ({
  uuid: row.uuid,
  email: row.email,
  displayName: row.display_name,
  extensionNumber: row.extension_number,
  isActive: row.is_active === 1,
  createdUnix: row.created_unix,
})
