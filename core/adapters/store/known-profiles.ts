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

/** Parts of the store whose changes touch no account, number or document. */
const otherParts: ReadonlySet<string> = new Set([
  'callbackEnds',
  'destinations',
  'heartbeat',
  'idempotency',
  'keys',
  'oldEvents',
  'operatorChanges',
  'phoneTokens',
  'portalSessions',
  'quotas',
  'rates',
  'trunks',
])

/** Changes of a call that touch an account's profile: what its recordings take. */
const profileChanges: ReadonlySet<Change['type']> = new Set(['recording.insert', 'recording.update'])

/**
 * Whether a writing method of the store may change what calls read of accounts, numbers and hosted documents. What is not
 * known to leave them alone may.
 */
export function changesProfiles(part: string, method: string, args: readonly unknown[]): boolean {
  if (otherParts.has(part)) return false
  if (part !== 'calls' || method !== 'commit') return true
  const [unit] = args as [readonly Change[]]
  return unit.some(({ type }) => profileChanges.has(type))
}

/**
 * What every call reads of its account, number and hosted document, kept by the signalling thread until something may
 * have changed it. A change is asked for by this thread too, so that what was read before its answer is not kept.
 */
export class KnownProfiles {
  readonly #reads: ProfileReads
  readonly #accounts = new Map<AccountUuid, AccountProfile>()
  readonly #owners = new Map<string, NumberOwner>()
  readonly #documents = new Map<string, HostedDocumentRecord>()
  /** Counts the changes: a read that began before the last one is not kept. */
  #changes = 0

  constructor(reads: ProfileReads) {
    this.#reads = reads
  }

  /** Something may have been changed, and is durable. */
  changed(): void {
    this.#changes++
    this.#accounts.clear()
    this.#owners.clear()
    this.#documents.clear()
  }

  account(uuid: AccountUuid): Promise<AccountProfile | undefined> {
    return this.#read(this.#accounts, uuid, () => this.#reads.calls.account(uuid))
  }

  numberOwner(e164: string): Promise<NumberOwner | undefined> {
    return this.#read(this.#owners, e164, () => this.#reads.calls.numberOwner(e164))
  }

  knownOwner(e164: string): NumberOwner | undefined {
    return this.#owners.get(e164)
  }

  async ownedNumber(account: AccountUuid, e164: string): Promise<OwnedNumber | undefined> {
    const owner = this.#owners.get(e164)
    if (owner === undefined) return this.#reads.calls.ownedNumber(account, e164)
    return owner.account.uuid === account ? owner.number : undefined
  }

  byUrl(url: string): Promise<HostedDocumentRecord | undefined> {
    return this.#read(
      this.#documents,
      url,
      () => this.#reads.documents.byUrl(url),
      ({ body }) => body.length <= longestDocument,
    )
  }

  async #read<Key, Value>(
    known: Map<Key, Value>,
    key: Key,
    ask: () => Promise<Value | undefined>,
    isKept: (value: Value) => boolean = () => true,
  ): Promise<Value | undefined> {
    const kept = known.get(key)
    if (kept !== undefined) return kept
    const changes = this.#changes
    const value = await ask()
    // What does not exist is asked for each time: callers choose the numbers that they try.
    if (value === undefined || changes !== this.#changes || !isKept(value)) return value
    if (known.size >= mostEntries) known.clear()
    known.set(key, value)
    return value
  }
}
