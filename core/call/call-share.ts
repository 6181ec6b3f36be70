import type { CallRecord } from '../model/call-record.ts'
import type { AccountLoads } from './account-loads.ts'
import type { Call } from './call.ts'
import type { ConversationFacts } from './conversation.ts'
import type { CallEnvironment } from './environment.ts'
import type { ExchangeCommand } from './exchange-command.ts'
import type { Leg } from './leg.ts'
import type { SidSequence } from './sid.ts'
import type { TrunkLoads } from './trunk-loads.ts'

/** What a call shares with the others of its exchange. */
export interface CallShare {
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
