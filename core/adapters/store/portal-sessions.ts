import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { AccountUuid } from '../../model/ids.ts'
import type { PortalSession, SessionOrigin } from '../../model/portal-session.ts'
import type { Database } from './database.ts'
import type { Events } from './events.ts'
import type { Row } from './schema.ts'

/** A working day; after that a new sign-in is needed. */
const sessionMs = 12 * 3_600_000
/** A session that was not used for so long has ended. */
const idleMs = 2 * 3_600_000
const linkMs = 3_600_000
/** When it was last used is written so often at most. */
const seenEveryMs = 60_000
const secretBytes = 32
const secretForm = /^[A-Za-z0-9_-]{43}$/
const maxSessions = 50
const maxUserAgent = 200

interface SessionOrder {
  readonly accountUuid: AccountUuid | null
  readonly origin: SessionOrigin
  /** The key that it was exchanged for, or the fingerprint of the operator's: without that key the session has ended. */
  readonly keyUuid?: string
  readonly address: string
  readonly userAgent: string
}

type SessionRow = Row<'portal_sessions'> & {
  readonly status: 'active' | 'suspended' | null
  readonly name: string | null
}

/** Signed-in browsers and the one-time links that sign one in. Only hashes of their secrets are stored. */
export class PortalSessions {
  readonly #database: Database
  readonly #events: Pick<Events, 'append'>
  readonly #byHash
  readonly #ofAccount
  readonly #touch
  readonly #forget
  readonly #oldest
  readonly #takeLink

  constructor(database: Database, events: Pick<Events, 'append'>) {
    this.#database = database
    this.#events = events
    const select = `SELECT s.*, a.status, a.name FROM portal_sessions s LEFT JOIN accounts a ON a.uuid = s.account_uuid
       LEFT JOIN api_keys k ON k.uuid = s.key_uuid
      WHERE s.expires_unix > ? AND s.seen_unix > ? AND (s.account_uuid IS NULL OR s.key_uuid IS NULL OR k.is_active = 1)`
    this.#byHash = database.prepare<[number, number, string], SessionRow>(`${select} AND s.hash = ?`)
    this.#ofAccount = database.prepare<[number, number, string | null], SessionRow>(
      `${select} AND s.account_uuid IS ? ORDER BY s.created_unix DESC`,
    )
    this.#touch = database.prepare<[number, string]>('UPDATE portal_sessions SET seen_unix = ? WHERE uuid = ?')
    this.#forget = database.prepare<[number, number]>(
      'DELETE FROM portal_sessions WHERE expires_unix <= ? OR seen_unix <= ?',
    )
    this.#oldest = database.prepare<[string | null, number]>(
      `DELETE FROM portal_sessions WHERE uuid IN
        (SELECT uuid FROM portal_sessions WHERE account_uuid IS ? ORDER BY created_unix DESC LIMIT -1 OFFSET ?)`,
    )
    this.#takeLink = database.prepare<[string, number], Row<'portal_links'>>(
      'DELETE FROM portal_links WHERE hash = ? AND expires_unix > ? RETURNING *',
    )
  }

  /** The session of a cookie's secret; undefined for any other text, and once it has ended. */
  async find(secret: string, unixMs: number): Promise<PortalSession | undefined> {
    if (!secretForm.test(secret)) return undefined
    const row = this.#byHash.get(unixMs, unixMs - idleMs, hashOf(secret))
    return row === undefined ? undefined : recordOf(row)
  }

  /** Whether `seen` should be called for a use now. */
  static isStale(session: PortalSession, unixMs: number): boolean {
    return unixMs - session.seenUnix > seenEveryMs
  }

  seen(uuid: string, unixMs: number): Promise<void> {
    return this.#database.write(() => {
      this.#touch.run(unixMs, uuid)
    })
  }

  /** Newest first. */
  async list(account: AccountUuid | null, unixMs: number): Promise<readonly PortalSession[]> {
    return this.#ofAccount.all(unixMs, unixMs - idleMs, account).map(recordOf)
  }

  open(order: SessionOrder, unixMs: number): Promise<{ secret: string; session: PortalSession }> {
    return this.#database.write(() => this.#insert(order, unixMs))
  }

  /** The secret of a link that opens one session, once, within an hour. */
  async link(account: AccountUuid | null, origin: SessionOrigin, unixMs: number): Promise<string> {
    const secret = newSecret()
    await this.#database.write(() => {
      const row = { hash: hashOf(secret), account_uuid: account, origin, expires_unix: unixMs + linkMs }
      this.#database.run(this.#database.sql.deleteFrom('portal_links').where('expires_unix', '<=', unixMs))
      this.#database.run(this.#database.sql.insertInto('portal_links').values(row))
    })
    return secret
  }

  /** Undefined when the link was used, has expired, or never was. */
  redeem(
    secret: string,
    { operatorKey, ...from }: Pick<SessionOrder, 'address' | 'userAgent'> & { readonly operatorKey: string },
    unixMs: number,
  ): Promise<{ secret: string; session: PortalSession } | undefined> {
    return this.#database.write(() => {
      const link = secretForm.test(secret) ? this.#takeLink.get(hashOf(secret), unixMs) : undefined
      if (link === undefined) return undefined
      const { account_uuid: accountUuid, origin } = link
      // The console is opened by no key of an account: it lives as long as the operator's key of now.
      const ofKey = accountUuid === null ? { keyUuid: operatorKey } : {}
      return this.#insert({ ...from, ...ofKey, accountUuid, origin }, unixMs)
    })
  }

  /** False when the account has no such session. */
  end(account: AccountUuid | null, uuid: string): Promise<boolean> {
    return this.#database.write(
      () =>
        this.#database.run(
          this.#database.sql
            .deleteFrom('portal_sessions')
            .where('account_uuid', 'is', account)
            .where('uuid', '=', uuid),
        ) > 0,
    )
  }

  #insert(order: SessionOrder, unixMs: number): { secret: string; session: PortalSession } {
    const secret = newSecret()
    const row: Row<'portal_sessions'> = {
      uuid: randomUUID(),
      account_uuid: order.accountUuid,
      hash: hashOf(secret),
      key_uuid: order.keyUuid ?? null,
      origin: order.origin,
      address: order.address,
      user_agent: order.userAgent.slice(0, maxUserAgent),
      created_unix: unixMs,
      seen_unix: unixMs,
      expires_unix: unixMs + sessionMs,
    }
    this.#forget.run(unixMs, unixMs - idleMs)
    this.#oldest.run(order.accountUuid, maxSessions - 1)
    this.#database.run(this.#database.sql.insertInto('portal_sessions').values(row))
    const found = this.#byHash.get(unixMs, unixMs - idleMs, row.hash)
    if (found === undefined) throw new Error('a new session is not there')
    if (order.origin === 'operator' && order.accountUuid !== null)
      this.#logSignIn(order.accountUuid, order.address, unixMs)
    return { secret, session: recordOf(found) }
  }

  /** The account can read in its event log who was there. */
  #logSignIn(accountUuid: AccountUuid, address: string, unixMs: number): void {
    this.#events.append({
      uuid: randomUUID(),
      code: 'ACCT.0200',
      accountUuid,
      callUuid: null,
      sid: null,
      number: null,
      customPayload: null,
      createdUnix: unixMs,
      data: { address },
    })
  }
}

const recordOf = (row: SessionRow): PortalSession => ({
  uuid: row.uuid,
  accountUuid: row.account_uuid,
  accountName: row.name,
  accountStatus: row.status,
  origin: row.origin,
  keyUuid: row.key_uuid,
  address: row.address,
  userAgent: row.user_agent,
  createdUnix: row.created_unix,
  seenUnix: row.seen_unix,
  expiresUnix: row.expires_unix,
})

const newSecret = (): string => randomBytes(secretBytes).toString('base64url')
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')
