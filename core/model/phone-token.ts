import type { AccountUuid } from './ids.ts'

/** A softphone's sign-in without its text, which is nowhere but with its owner. Times are Unix milliseconds. */
export interface PhoneTokenRecord {
  readonly uuid: string
  readonly accountUuid: AccountUuid
  readonly endUserUuid: string
  readonly extensionNumber: string
  /** The end-user's, '' for none. */
  readonly displayName: string
  /** Calls that may live at once under it. */
  readonly maxConcurrent: number
  readonly expiresUnix: number
  readonly revokedUnix: number | null
  readonly createdUnix: number
}
