import type { AccountUuid } from './ids.ts'
import type { Money } from './money.ts'

/** The row behind the contract's Account, with what only the operator sees. */
export interface AccountRecord {
  readonly uuid: AccountUuid
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly walletBalance: Money
  /** Reserved for live calls. */
  readonly heldAmount: Money
  readonly graceAmount: Money
  readonly creditLimit: Money
  readonly maxConcurrentCalls: number
  readonly maxCallsPerSecond: number
  readonly maxInboundCalls: number
  readonly maxDialledLegs: number
  readonly createdUnix: number
}
