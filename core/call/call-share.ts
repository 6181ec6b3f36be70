import type { AccountLoads } from '../caps/account-loads.ts'
import type { TrunkLoads } from '../caps/trunk-loads.ts'
import type { CallEnvironment } from '../contract/environment.ts'
import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { Leg } from '../leg/leg.ts'
import type { SidSequence } from '../leg/sid.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { ConversationFacts } from './conversation.ts'

/** What a call shares with the others of its exchange. */
export interface CallShare<Call> {
  readonly env: CallEnvironment
  readonly sids: SidSequence
  readonly trunkLoads: TrunkLoads
  readonly accountLoads: AccountLoads
  emit(command: ExchangeCommand): void
  claim(leg: Leg, call: Call): void
  absorbed(): void
}

/** The row that a call will have, and what its document is to know. */
export interface CallOpening extends ConversationFacts {
  readonly record: CallRecord
}
