import type { KeyObject } from 'node:crypto'
import type { AccountUuid } from '../../model/ids.ts'
import type { PhoneTokenRecord } from '../../model/phone-token.ts'
import { readJwt } from '../tokens/jwt.ts'
import {
  type KnownToken,
  maxEndedOfUser,
  type PhoneTokens,
  type PresentedToken,
  presentableAtOnce,
  tokenText,
} from './phone-tokens.ts'
import type { Served } from './served.ts'

/** What the HTTP side and SIP ask of phone tokens. */
export type PhoneTokenAccess = Pick<
  PhoneTokens,
  | 'onRevoked'
  | 'mint'
  | 'textOf'
  | 'read'
  | 'get'
  | 'presentableOf'
  | 'usableOf'
  | 'revoke'
  | 'revokeAllOf'
  | 'forgetOld'
  | 'list'
>

/** Time after its expiry in which a token is reported as expired instead of unknown. */
const keptAfterExpiryMs = 2 * 3_600_000

/**
 * Phone tokens in the memory of the signalling thread, which must not wait when a phone signs in. They live an hour at
 * most; the thread that owns the database reports every change before it answers the request for it.
 */
export class KnownTokens implements PhoneTokenAccess {
  readonly #rows: Served['phoneTokens']
  readonly #key: KeyObject
  readonly #byUuid = new Map<string, KnownToken>()
  readonly #ofUser = new Map<string, readonly KnownToken[]>()
  readonly #ofExtension = new Map<string, Set<string>>()
  readonly #listeners = new Set<(revoked: PhoneTokenRecord) => void>()

  constructor(rows: Served['phoneTokens'], key: KeyObject, tokens: readonly KnownToken[]) {
    this.#rows = rows
    this.#key = key
    for (const [endUserUuid, known] of Map.groupBy(tokens, ({ record }) => record.endUserUuid)) {
      this.changed(endUserUuid, known, 0)
    }
  }

  /** These are all that the end-user has; the last expired ones of before stay known for a while. */
  changed(endUserUuid: string, tokens: readonly KnownToken[], unixMs: number): void {
    const now = new Set(tokens.map(({ record }) => record.uuid))
    const expired = (this.#ofUser.get(endUserUuid) ?? [])
      .filter(({ record }) => record.expiresUnix <= unixMs && !now.has(record.uuid))
      .sort((a, b) => b.record.expiresUnix - a.record.expiresUnix)
      .slice(0, maxEndedOfUser)
    this.#drop(endUserUuid)
    const all = [...tokens, ...expired]
    if (all.length === 0) return
    this.#ofUser.set(endUserUuid, all)
    for (const token of all) {
      this.#byUuid.set(token.record.uuid, token)
      const users = this.#ofExtension.get(token.record.extensionNumber) ?? new Set()
      this.#ofExtension.set(token.record.extensionNumber, users.add(endUserUuid))
    }
  }

  /** All that have not expired, as they are now, after changes that may not have been reported. */
  reload(tokens: readonly KnownToken[], unixMs: number): void {
    const before = [...this.#byUuid.values()]
    const ofUser = Map.groupBy(tokens, ({ record }) => record.endUserUuid)
    for (const endUserUuid of new Set([...this.#ofUser.keys(), ...ofUser.keys()]))
      this.changed(endUserUuid, ofUser.get(endUserUuid) ?? [], unixMs)
    for (const { record } of before) {
      if (record.revokedUnix !== null || record.expiresUnix <= unixMs) continue
      // Those of an end-user that was deleted are gone.
      const now = this.get(record.uuid)
      if (now === undefined || now.revokedUnix !== null) this.revoked(now ?? record)
    }
  }

  list(account: AccountUuid, unixMs: number): Promise<readonly PhoneTokenRecord[]> {
    return this.#rows.list(account, unixMs)
  }

  revoked(record: PhoneTokenRecord): void {
    for (const listener of this.#listeners) listener(record)
  }

  onRevoked(listener: (revoked: PhoneTokenRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  textOf(record: PhoneTokenRecord, realm: string): string {
    return tokenText(record, realm, this.#key)
  }

  read(token: string, unixMs: number): PresentedToken | undefined {
    const claims = readJwt(token, this.#key)
    if (claims === undefined || typeof claims.jti !== 'string') return undefined
    const known = this.#byUuid.get(claims.jti)
    return known && presentedOf(known, unixMs)
  }

  get(uuid: string): PhoneTokenRecord | undefined {
    return this.#byUuid.get(uuid)?.record
  }

  presentableOf(extensionNumber: string, unixMs: number): readonly PresentedToken[] {
    return this.#unexpiredOf(extensionNumber, unixMs)
      .map(known => presentedOf(known, unixMs))
      .sort((a, b) => Number(b.isUsable) - Number(a.isUsable) || b.record.createdUnix - a.record.createdUnix)
      .slice(0, presentableAtOnce)
  }

  usableOf(extensionNumber: string, unixMs: number): readonly PhoneTokenRecord[] {
    return this.#unexpiredOf(extensionNumber, unixMs)
      .filter(known => presentedOf(known, unixMs).isUsable)
      .map(({ record }) => record)
      .sort((a, b) => b.createdUnix - a.createdUnix)
  }

  mint(...order: Parameters<PhoneTokens['mint']>) {
    return this.#rows.mint(...order)
  }

  revoke(account: AccountUuid, uuid: string, unixMs: number) {
    return this.#rows.revoke(account, uuid, unixMs)
  }

  revokeAllOf(account: AccountUuid, endUserUuid: string, unixMs: number) {
    return this.#rows.revokeAllOf(account, endUserUuid, unixMs)
  }

  forgetOld(unixMs: number): Promise<void> {
    for (const [endUserUuid, tokens] of [...this.#ofUser]) {
      const kept = tokens.filter(({ record }) => record.expiresUnix + keptAfterExpiryMs > unixMs)
      if (kept.length < tokens.length) this.changed(endUserUuid, kept, 0)
    }
    return this.#rows.forgetOld(unixMs)
  }

  #unexpiredOf(extensionNumber: string, unixMs: number): readonly KnownToken[] {
    return [...(this.#ofExtension.get(extensionNumber) ?? [])]
      .flatMap(user => this.#ofUser.get(user) ?? [])
      .filter(({ record }) => record.extensionNumber === extensionNumber && record.expiresUnix > unixMs)
  }

  #drop(endUserUuid: string): void {
    for (const { record } of this.#ofUser.get(endUserUuid) ?? []) {
      this.#byUuid.delete(record.uuid)
      const users = this.#ofExtension.get(record.extensionNumber)
      if (users?.delete(endUserUuid) === true && users.size === 0) this.#ofExtension.delete(record.extensionNumber)
    }
    this.#ofUser.delete(endUserUuid)
  }
}

const presentedOf = ({ record, userIsActive }: KnownToken, unixMs: number): PresentedToken => ({
  record,
  isUsable: record.revokedUnix === null && record.expiresUnix > unixMs && userIsActive,
})
