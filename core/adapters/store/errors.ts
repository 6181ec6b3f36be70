import type { QuotaSentence } from '../../model/quota-sentences.ts'

export type StoreErrorCode =
  /** Another process has the data folder open. */
  | 'store.locked'
  /** The database was written by a newer program. */
  | 'store.too-new'
  /** Read-only opening of a database that has yet to be migrated, or that is not there. */
  | 'store.not-ready'
  /**
   * The folder or the database in it cannot be opened, read or written: full, damaged, read-only, not ours. Or its thread has
   * died, and whether it did what it was given is not known.
   */
  | 'store.unusable'
  /** Its thread has died, and another is being started: nothing of the request was done. */
  | 'store.away'
  /** A unit names a row that is not there, or money that is no whole amount: a fault of the caller. */
  | 'store.misuse'
  /** The account has as much as it may have; the message is the sentence for it. */
  | 'store.quota'
  | 'store.closed'
  /** An account has too many lists under way. */
  | 'store.too-many'
  /** More waits than there is room for: lists of all accounts, or units while another process holds the write lock. */
  | 'store.busy'

/** What the store cannot or may not do; `code` says which. */
export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}

export const quotaUsedUp = (sentence: QuotaSentence): StoreError => new StoreError('store.quota', sentence)

const reasons: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'its database is damaged, or is none: restore a backup'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'the disk is full'],
  [/^(SQLITE_READONLY|EROFS)/, 'it is read-only'],
  [/^(SQLITE_PERM|SQLITE_AUTH|EACCES|EPERM)/, 'this user may not write there'],
  [/^(EEXIST|ENOTDIR)/, 'it is no folder'],
  [/^(SQLITE_CANTOPEN|ENOENT|ENAMETOOLONG|ELOOP)/, 'it cannot be made, or its files cannot be opened or written'],
  [/^(SQLITE_IOERR|EIO)/, 'the disk cannot be read or written'],
]

/** What the system or the database says against a data folder, for a person; a fault of ours comes back as it is. */
export function unusableStore(folder: string, cause: unknown): unknown {
  const code =
    cause instanceof Error && !(cause instanceof StoreError) ? (cause as NodeJS.ErrnoException).code : undefined
  const reason = code === undefined ? undefined : reasons.find(([codes]) => codes.test(code))?.[1]
  if (reason === undefined) return cause
  return new StoreError('store.unusable', `the data folder ${folder} cannot be used: ${reason} (${code})`, { cause })
}
