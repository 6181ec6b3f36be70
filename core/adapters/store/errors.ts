export type StoreErrorCode =
  /** Another process has the data folder open. */
  | 'store.locked'
  /** The database was written by a newer program. */
  | 'store.too-new'
  /** Read-only opening of a database that has yet to be migrated, or that is not there. */
  | 'store.not-ready'
  /** A unit names a row that is not there, or money that is no whole amount: a fault of the caller. */
  | 'store.misuse'
  | 'store.closed'

export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
