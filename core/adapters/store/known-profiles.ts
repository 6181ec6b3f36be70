import type { AccountProfile, NumberOwner, OwnedNumber } from '../../model/account.ts'
import type { HostedDocumentRecord } from '../../model/hosted-document.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Change } from '../../ports/store.ts'
import type { Served } from './served.ts'

interface ProfileReads {
  readonly calls: Pick<Served['calls'], 'account' | 'numberOwner' | 'ownedNumber'>
  readonly documents: Pick<Served['documents'], 'byUrl'>
}

/** Entries of each kind; when one more comes, all are forgotten and read again as they are needed. */
const mostEntries = 5000
/** A longer document is read each time. */
const longestDocument = 4096

/** Parts of the store whose changes touch no account, number or document that calls read. */
const otherParts: ReadonlySet<string> = new Set([
  'assets',
  'callbackEnds',
  'destinations',
  'heartbeat',
  'idempotency',
  'keys',
  'ledger',
  'lostUnits',
  'oldEvents',
  'operatorChanges',
  'phoneTokens',
  'portalSessions',
  'quotas',
  'rates',
  'trunks',
  'users',
])

/** What a write may have changed of what calls read; an account with its numbers. */
export type ProfileScope =
  | { readonly type: 'nothing' }
  | { readonly type: 'documents' }
  /** One more number is stored. */
  | { readonly type: 'number-added'; readonly e164: string }
  | { readonly type: 'accounts'; readonly uuids: readonly AccountUuid[] }
  | { readonly type: 'all' }

/**
 * Of the other parts. A number or document that comes into being was not kept before, a number of the pool belongs to no
 * account, and a balance is read each time.
 */
const scopes: Readonly<Record<string, 'nothing' | 'documents' | 'account' | 'number-added'>> = {
  'accounts.create': 'nothing',
  'accounts.credit': 'nothing',
  'accounts.change': 'account',
  'documents.create': 'nothing',
  'documents.change': 'documents',
  'documents.remove': 'documents',
  'numbers.add': 'number-added',
  'numbers.remove': 'nothing',
  'numbers.acquire': 'nothing',
  'numbers.configure': 'account',
  'numbers.release': 'account',
  'recordings.remove': 'account',
  'webhookSettings.change': 'account',
  'webhookSettings.rotate': 'account',
}

/**
 * What a writing method of the store may change of accounts, numbers and hosted documents: no more, as what one account
 * changes is not to be read again for all others. What is not known to leave them alone may change them all.
 */
export function profileScopeOf(part: string, method: string, args: readonly unknown[]): ProfileScope {
  if (otherParts.has(part)) return { type: 'nothing' }
  if (part === 'calls' && (method === 'commit' || method === 'commitSoon'))
    return scopeOfUnit((args as [readonly Change[]])[0])
  const scope = scopes[`${part}.${method}`] ?? 'all'
  if (scope === 'account') return { type: 'accounts', uuids: [args[0] as AccountUuid] }
  return scope === 'number-added' ? { type: scope, e164: args[0] as string } : { type: scope }
}

/** What recordings take stands in the account's profile. */
function scopeOfUnit(unit: readonly Change[]): ProfileScope {
  const uuids = unit.flatMap(change => {
    if (change.type === 'recording.insert') return change.recording.accountUuid
    return change.type === 'recording.update' ? change.accountUuid : []
  })
  return uuids.length === 0 ? { type: 'nothing' } : { type: 'accounts', uuids }
}

/** A number that is kept; its account is kept by itself. */
interface KnownNumber {
  readonly account: AccountUuid
  readonly number: OwnedNumber
}

/**
 * What every call reads of its account, number and hosted document, kept by the signalling thread until something may
 * have changed it. A change is asked for by this thread too, so that what was read before its answer is not kept.
 */
export class KnownProfiles {
  readonly #reads: ProfileReads
  /** Every number that is stored, as digits; one that was removed may still be here. */
  readonly #stored: Set<number>
  readonly #accounts = new Map<AccountUuid, AccountProfile>()
  readonly #numbers = new Map<string, KnownNumber>()
  readonly #numbersOf = new Map<AccountUuid, Set<string>>()
  readonly #documents = new Map<string, HostedDocumentRecord>()
  /** Reads that are not answered yet, and what was changed meanwhile. */
  readonly #underWay = new Set<ProfileScope[]>()

  /** `stored`: the digits of every number that is stored. */
  constructor(reads: ProfileReads, stored: Iterable<number>) {
    this.#reads = reads
    this.#stored = new Set(stored)
  }

  /** Something may have been changed, and is durable. */
  changed(scope: ProfileScope): void {
    if (scope.type === 'nothing') return
    if (scope.type === 'number-added') {
      this.#stored.add(digitsOf(scope.e164))
      return
    }
    for (const missed of this.#underWay) missed.push(scope)
    if (scope.type === 'accounts') {
      for (const uuid of scope.uuids) this.#forgetAccount(uuid)
      return
    }
    this.#documents.clear()
    if (scope.type === 'documents') return
    this.#accounts.clear()
    this.#forgetNumbers()
  }

  account(uuid: AccountUuid): Promise<AccountProfile | undefined> {
    const known = this.#accounts.get(uuid)
    if (known !== undefined) return Promise.resolve(known)
    return this.#read(
      () => this.#reads.calls.account(uuid),
      account => this.#keep(this.#accounts, uuid, account),
      scope => concerns(scope, uuid),
    )
  }

  numberOwner(e164: string): Promise<NumberOwner | undefined> {
    const known = this.knownOwner(e164)
    if (known !== undefined) return Promise.resolve(known)
    // Most numbers that calls dial are not ours: none of them is asked for.
    if (!this.#stored.has(digitsOf(e164))) return nothing
    return this.#read(
      () => this.#reads.calls.numberOwner(e164),
      owner => this.#keepOwner(e164, owner),
      (scope, { account }) => concerns(scope, account.uuid),
    )
  }

  knownOwner(e164: string): NumberOwner | undefined {
    const known = this.#numbers.get(e164)
    const account = known && this.#accounts.get(known.account)
    return account && { account, number: known.number }
  }

  async ownedNumber(account: AccountUuid, e164: string): Promise<OwnedNumber | undefined> {
    const known = this.#numbers.get(e164)
    if (known === undefined)
      return this.#stored.has(digitsOf(e164)) ? this.#reads.calls.ownedNumber(account, e164) : undefined
    return known.account === account ? known.number : undefined
  }

  byUrl(url: string): Promise<HostedDocumentRecord | undefined> {
    const known = this.#documents.get(url)
    if (known !== undefined) return Promise.resolve(known)
    return this.#read(
      () => this.#reads.documents.byUrl(url),
      document => {
        if (document.body.length <= longestDocument) this.#keep(this.#documents, url, document)
      },
      ({ type }) => type === 'documents' || type === 'all',
    )
  }

  /** What does not exist is not kept. */
  async #read<Value>(
    ask: () => Promise<Value | undefined>,
    keep: (value: Value) => void,
    isOutdatedBy: (scope: ProfileScope, value: Value) => boolean,
  ): Promise<Value | undefined> {
    const missed: ProfileScope[] = []
    this.#underWay.add(missed)
    try {
      const value = await ask()
      if (value !== undefined && !missed.some(scope => isOutdatedBy(scope, value))) keep(value)
      return value
    } finally {
      this.#underWay.delete(missed)
    }
  }

  #keep<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
    if (known.size >= mostEntries) known.clear()
    known.set(key, value)
  }

  #keepOwner(e164: string, { account, number }: NumberOwner): void {
    if (this.#numbers.size >= mostEntries) this.#forgetNumbers()
    this.#keep(this.#accounts, account.uuid, account)
    this.#numbers.set(e164, { account: account.uuid, number })
    const all = this.#numbersOf.get(account.uuid) ?? new Set()
    this.#numbersOf.set(account.uuid, all.add(e164))
  }

  #forgetAccount(uuid: AccountUuid): void {
    this.#accounts.delete(uuid)
    for (const e164 of this.#numbersOf.get(uuid) ?? []) this.#numbers.delete(e164)
    this.#numbersOf.delete(uuid)
  }

  #forgetNumbers(): void {
    this.#numbers.clear()
    this.#numbersOf.clear()
  }
}

/** A stored number is + and 7 to 15 digits, which a `number` holds exactly; NaN, of another text, is in no set of these. */
const digitsOf = (e164: string): number => Number(e164.slice(1))

const nothing: Promise<undefined> = Promise.resolve(undefined)

const concerns = (scope: ProfileScope, account: AccountUuid): boolean =>
  scope.type === 'all' || (scope.type === 'accounts' && scope.uuids.includes(account))
