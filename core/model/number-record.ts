import type { OwnedNumber } from './account.ts'
import type { AccountUuid } from './ids.ts'
import type { Money } from './money.ts'

/** A number of an account with what its owner sees. */
export interface NumberRecord extends OwnedNumber {
  readonly friendlyName: string
  readonly acquiredUnix: number | null
}

/** A number of the switch as the operator sees it; without an owner it is in the pool. */
export interface PoolNumberRecord {
  readonly uuid: string
  readonly number: string
  readonly setupFee: Money
  readonly accountUuid: AccountUuid | null
}
