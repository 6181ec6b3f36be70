import type { AccountUuid } from './ids.ts'
import type { Money } from './money.ts'
import type { QuotaName, Quotas } from './quota.ts'

/** The row behind the API's Account (docs/api.md), with what only the operator sees. */
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
  /** The quotas in force, and what is used of those that the database counts. */
  readonly quotas: Quotas
  readonly usage: Readonly<Record<Exclude<QuotaName, 'streamConnections'>, number>>
  readonly createdUnix: number
}
