import type { AccountUuid } from './ids.ts'

/** A key of the REST API without its secret, which is nowhere but with its owner. Times are Unix milliseconds. */
export interface ApiKeyRecord {
  readonly uuid: string
  readonly accountUuid: AccountUuid
  readonly name: string
  /** First characters of the key. */
  readonly prefix: string
  readonly isActive: boolean
  readonly createdUnix: number
  readonly lastUsedUnix: number | null
}
