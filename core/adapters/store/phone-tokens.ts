import { type KeyObject, randomUUID } from 'node:crypto'
import { spendableOf } from '../../billing/wallet.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { PhoneTokenRecord } from '../../model/phone-token.ts'
import { readJwt, signJwt } from '../tokens/jwt.ts'
import type { Database } from './database.ts'
import { quotaUsedUp, type StoreError } from './errors.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

/** Time that an expired or revoked row is kept, for requests about it. */
const keptAfterExpiryMs = 30 * 24 * 3_600_000
const forgetAtOnce = 1000
/** Tokens of one end-user that are valid at once: every change of one makes the others be read and told again. */
const maxLiveOfUser = 100
/** Revoked and expired tokens of one end-user that stay known; an older one is unknown, and so refused as well. */
export const maxEndedOfUser = 100
/** How many tokens of one extension a digest answer is compared with, usable and newest ones first. */
export const presentableAtOnce = 32

export interface MintOrder {
  readonly endUserUuid: string
  readonly ttlSeconds: number
  readonly maxConcurrent: number
  /** `iss` of the token. */
  readonly realm: string
}

type Minted =
  | { readonly ok: true; readonly record: PhoneTokenRecord; readonly token: string }
  | { readonly ok: false; readonly refused: 'unknown' | 'other-account' | 'inactive' | 'insufficient-funds' }

/** A token as memory keeps it. */
export interface KnownToken {
  readonly record: PhoneTokenRecord
  readonly userIsActive: boolean
}

/** All unexpired tokens of an end-user, after one of them, or the end-user, has changed. */
type TokensListener = (endUserUuid: string, tokens: readonly KnownToken[]) => void

/** `isUsable` false: expired, revoked, or its end-user is not active. */
export interface PresentedToken {
  readonly record: PhoneTokenRecord
  readonly isUsable: boolean
}

type TokenRow = Row<'phone_tokens'> & {
  readonly extension_number: string
  readonly display_name: string
  readonly user_is_active: 0 | 1
}

/**
 * Sign-ins of softphones (docs/phones.md). The text of a token is made of its row and the key alone, so that a digest
 * answer can be checked, whose password the token is, although no token is stored.
 */
export class PhoneTokens {
  readonly #database: Database
  readonly #key: KeyObject
  readonly #quotas: QuotaBook
  readonly #byUuid
  readonly #liveOf
  readonly #presentable
  readonly #unexpired
  readonly #unexpiredOf
  readonly #revokeOf
  readonly #ofAccount
  readonly #forget
  readonly #liveOfUser
  readonly #forgetEnded
  readonly #listeners = new Set<(revoked: PhoneTokenRecord) => void>()
  readonly #watchers = new Set<TokensListener>()

  constructor(database: Database, key: KeyObject, quotas: QuotaBook) {
    this.#database = database
    this.#key = key
    this.#quotas = quotas
    const select =
      'SELECT t.*, u.extension_number, u.display_name, u.is_active AS user_is_active FROM phone_tokens t JOIN end_users u ON u.uuid = t.end_user_uuid'
    this.#byUuid = database.prepare<[string], TokenRow>(`${select} WHERE t.uuid = ?`)
    this.#liveOf = database.prepare<[string, number], TokenRow>(
      `${select} WHERE u.extension_number = ? AND u.is_active = 1 AND t.revoked_unix IS NULL AND t.expires_unix > ?
       ORDER BY t.created_unix DESC`,
    )
    this.#presentable = database.prepare<[string, number, number], TokenRow>(
      `${select} WHERE u.extension_number = ? AND t.expires_unix > ?
       ORDER BY (t.revoked_unix IS NULL AND u.is_active = 1) DESC, t.created_unix DESC LIMIT ?`,
    )
    this.#unexpired = database.prepare<[number], TokenRow>(`${select} WHERE t.expires_unix > ?`)
    this.#unexpiredOf = database.prepare<[string, number], TokenRow>(
      `${select} WHERE t.end_user_uuid = ? AND t.expires_unix > ?`,
    )
    this.#ofAccount = database.prepare<[AccountUuid, number], TokenRow>(
      `${select} WHERE t.account_uuid = ? AND t.expires_unix > ? ORDER BY t.created_unix DESC LIMIT 200`,
    )
    this.#revokeOf = database.prepare<[number, AccountUuid, string], Row<'phone_tokens'>>(
      `UPDATE phone_tokens SET revoked_unix = ? WHERE account_uuid = ? AND end_user_uuid = ? AND revoked_unix IS NULL
       RETURNING *`,
    )
    this.#forget = database.prepare<[number, number]>(
      'DELETE FROM phone_tokens WHERE uuid IN (SELECT uuid FROM phone_tokens WHERE expires_unix < ? LIMIT ?)',
    )
    this.#liveOfUser = database.prepare<[string, number], { live: number }>(
      `SELECT count(*) AS live FROM phone_tokens
        WHERE end_user_uuid = ? AND revoked_unix IS NULL AND expires_unix > ?`,
    )
    this.#forgetEnded = database.prepare<[string, number, number]>(
      `DELETE FROM phone_tokens WHERE uuid IN
        (SELECT uuid FROM phone_tokens
          WHERE end_user_uuid = ? AND (revoked_unix IS NOT NULL OR expires_unix <= ?)
          ORDER BY min(coalesce(revoked_unix, expires_unix), expires_unix) DESC, rowid DESC LIMIT -1 OFFSET ?)`,
    )
  }

  /** Reports every token that is revoked, once that is durable: registrations by it end. Returns what ends it. */
  onRevoked(listener: (revoked: PhoneTokenRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reports, once it is durable, every end-user whose tokens have changed. Returns what ends it. */
  watch(listener: TokensListener): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  /** Inside a unit: a token of the end-user, or the end-user itself, changes. */
  changing(endUserUuid: string, unixMs: number): void {
    if (this.#watchers.size === 0) return
    this.#database.afterCommit(() => {
      const tokens = this.#unexpiredOf.all(endUserUuid, unixMs).map(knownOf)
      for (const watcher of this.#watchers) watcher(endUserUuid, tokens)
    })
  }

  /** Every token that has not expired: what memory begins with. */
  unexpired(unixMs: number): readonly KnownToken[] {
    return this.#unexpired.all(unixMs).map(knownOf)
  }

  /**
   * Throws `store.quota` where the account, or the end-user, has as many as it may. A token ends only after it was minted:
   * to forget ended ones here bounds them.
   */
  mint(account: AccountUuid, order: MintOrder, unixMs: number): Promise<Minted> {
    return this.#database.write((): Minted => {
      const { sql } = this.#database
      const user = this.#database.get(sql.selectFrom('end_users').selectAll().where('uuid', '=', order.endUserUuid))
      if (user === undefined) return { ok: false, refused: 'unknown' }
      if (user.account_uuid !== account) return { ok: false, refused: 'other-account' }
      if (user.is_active !== 1) return { ok: false, refused: 'inactive' }
      if (!this.#canFundCall(account)) return { ok: false, refused: 'insufficient-funds' }
      if ((this.#liveOfUser.get(user.uuid, unixMs)?.live ?? 0) >= maxLiveOfUser) throw tooManyOfUser()
      this.#quotas.take(account, 'liveTokens', 1, unixMs)
      this.#forgetEnded.run(user.uuid, unixMs, maxEndedOfUser)
      // Whole seconds, as the token says them.
      const issuedUnix = Math.floor(unixMs / 1000) * 1000
      const row: Row<'phone_tokens'> = {
        uuid: randomUUID(),
        account_uuid: account,
        end_user_uuid: user.uuid,
        max_concurrent: order.maxConcurrent,
        expires_unix: issuedUnix + order.ttlSeconds * 1000,
        revoked_unix: null,
        created_unix: issuedUnix,
      }
      this.#database.run(sql.insertInto('phone_tokens').values(row))
      this.changing(user.uuid, unixMs)
      const record = recordOf({
        ...row,
        extension_number: user.extension_number,
        display_name: user.display_name,
        user_is_active: 1,
      })
      return { ok: true, record, token: this.textOf(record, order.realm) }
    })
  }

  /** The token itself. */
  textOf(record: PhoneTokenRecord, realm: string): string {
    return tokenText(record, realm, this.#key)
  }

  /** The token that a softphone presents: undefined when it is none of ours; `isUsable` says whether it opens anything. */
  read(token: string, unixMs: number): PresentedToken | undefined {
    const claims = readJwt(token, this.#key)
    if (claims === undefined || typeof claims.jti !== 'string') return undefined
    const row = this.#byUuid.get(claims.jti)
    return row && presentedOf(row, unixMs)
  }

  get(uuid: string): PhoneTokenRecord | undefined {
    const row = this.#byUuid.get(uuid)
    return row && recordOf(row)
  }

  /** Unexpired tokens of the extension that may still be presented, revoked ones too; a bounded number. */
  presentableOf(extensionNumber: string, unixMs: number): readonly PresentedToken[] {
    return this.#presentable.all(extensionNumber, unixMs, presentableAtOnce).map(row => presentedOf(row, unixMs))
  }

  /** Tokens that open something for this extension now, newest first. */
  usableOf(extensionNumber: string, unixMs: number): readonly PhoneTokenRecord[] {
    return this.#liveOf.all(extensionNumber, unixMs).map(recordOf)
  }

  /** False when the account has no such token. Revoking twice is no fault. */
  revoke(account: AccountUuid, uuid: string, unixMs: number): Promise<boolean> {
    return this.#database.write(() => {
      const row = this.#byUuid.get(uuid)
      if (row === undefined || row.account_uuid !== account) return false
      if (row.revoked_unix !== null) return true
      const { sql } = this.#database
      this.#database.run(sql.updateTable('phone_tokens').set({ revoked_unix: unixMs }).where('uuid', '=', uuid))
      this.changing(row.end_user_uuid, unixMs)
      this.#emitRevoked([{ ...recordOf(row), revokedUnix: unixMs }])
      return true
    })
  }

  /** All that the end-user still has: it was deactivated. */
  revokeAllOf(account: AccountUuid, endUserUuid: string, unixMs: number): Promise<void> {
    return this.#database.write(() => {
      const revoked = this.#revokeOf.all(unixMs, account, endUserUuid)
      this.changing(endUserUuid, unixMs)
      this.#emitRevoked(revoked.flatMap(({ uuid }) => this.#byUuid.get(uuid) ?? []).map(recordOf))
    })
  }

  /** Tokens of the account that have not expired, newest first; a bounded number. */
  async list(account: AccountUuid, unixMs: number): Promise<readonly PhoneTokenRecord[]> {
    return this.#ofAccount.all(account, unixMs).map(recordOf)
  }

  /** Takes away rows that expired long ago, a bounded number at once. */
  forgetOld(unixMs: number): Promise<void> {
    return this.#database.write(() => {
      this.#forget.run(unixMs - keptAfterExpiryMs, forgetAtOnce)
    })
  }

  #canFundCall(account: AccountUuid): boolean {
    const wallet = this.#database.get(
      this.#database.sql
        .selectFrom('accounts')
        .select(['balance', 'held', 'grace_amount as graceAmount', 'credit_limit as creditLimit'])
        .where('uuid', '=', account),
    )
    return wallet !== undefined && spendableOf(wallet) > 0
  }

  #emitRevoked(revoked: readonly PhoneTokenRecord[]): void {
    this.#database.afterCommit(() => {
      for (const record of revoked) for (const listener of this.#listeners) listener(record)
    })
  }
}

const tooManyOfUser = (): StoreError =>
  quotaUsedUp(
    `The end-user already has ${maxLiveOfUser} phone tokens that are valid now, the limit of ${maxLiveOfUser}; revoke one, or retry once one has expired.`,
  )

/** The text of a token, made of its row and the key alone. */
export function tokenText(record: PhoneTokenRecord, realm: string, key: KeyObject): string {
  const claims = {
    iss: realm,
    sub: record.endUserUuid,
    ext: record.extensionNumber,
    acc: record.accountUuid,
    jti: record.uuid,
    max_concurrent: record.maxConcurrent,
    iat: record.createdUnix / 1000,
    exp: record.expiresUnix / 1000,
  }
  return signJwt(claims, key)
}

const knownOf = (row: TokenRow): KnownToken => ({ record: recordOf(row), userIsActive: row.user_is_active === 1 })

const presentedOf = (row: TokenRow, unixMs: number): PresentedToken => ({
  record: recordOf(row),
  isUsable: row.revoked_unix === null && row.expires_unix > unixMs && row.user_is_active === 1,
})

const recordOf = (row: TokenRow): PhoneTokenRecord => ({
  uuid: row.uuid,
  accountUuid: row.account_uuid,
  endUserUuid: row.end_user_uuid,
  extensionNumber: row.extension_number,
  displayName: row.display_name,
  maxConcurrent: row.max_concurrent,
  expiresUnix: row.expires_unix,
  revokedUnix: row.revoked_unix,
  createdUnix: row.created_unix,
})
