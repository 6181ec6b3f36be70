import type { Generated, Insertable, Selectable } from 'kysely'
import type { EventCode } from '../../events/catalogue.ts'
import type { CallProblem } from '../../model/call-problem.ts'
import type { CallDirection, CallStatus, LegRecord } from '../../model/call-record.ts'
import type { EndReason } from '../../model/end-reason.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid, RecordingUuid, Sid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import type { Rate } from '../../model/rate.ts'
import type {
  AccountTable,
  ApiKeyTable,
  AssetTable,
  DestinationTable,
  DocumentRevisionTable,
  DocumentTable,
  EndUserTable,
  IdempotencyTable,
  NumberTable,
  OperatorChangeTable,
  PhoneTokenTable,
  PortalLinkTable,
  PortalSessionTable,
  RateTable,
  SettingTable,
  TrunkTable,
} from './setup-tables.ts'

/**
 * The tables, as `migrations.ts` makes them. Money is INTEGER in 1/10000 KES, a time is INTEGER Unix milliseconds and
 * its column ends in `_unix`, a flag is 0 or 1, a list or an object is JSON text.
 */
type UnixMs = number
type Json = string

interface CallTable {
  id: Generated<number>
  uuid: CallUuid
  sid: Sid
  account_uuid: AccountUuid
  direction: CallDirection
  from_number: string
  to_number: string
  status: CallStatus
  reason_code: EndReason | ''
  problem_code: CallProblem | ''
  duration_seconds: number | null
  talk_seconds: number | null
  cost: Money
  tts_seconds: number
  custom_payload: Json | null
  quality: Json | null
  started_unix: UnixMs | null
  answered_unix: UnixMs | null
  ended_unix: UnixMs | null
  created_unix: UnixMs
}

interface LegTable {
  uuid: LegUuid
  call_uuid: CallUuid
  role: LegRecord['role']
  direction: LegRecord['direction']
  trunk_name: string
  number: string
  started_unix: UnixMs
  answered_unix: UnixMs | null
  ended_unix: UnixMs | null
  reason_code: EndReason | ''
  dial: Json | null
}

interface HoldTable {
  uuid: HoldUuid
  account_uuid: AccountUuid
  call_uuid: CallUuid
  leg_uuid: LegUuid
  amount: Money
  /** The rate as it was when the hold was opened. */
  rate_prefix: string
  rate_direction: Rate['direction']
  rate_per_minute: Money
  increment_seconds: number
  minimum_seconds: number
  connection_fee: Money
  opened_unix: UnixMs
  /** Null = open. The fields after it are null as long. */
  settled_unix: UnixMs | null
  charge: Money | null
  talk_seconds: number | null
  billed_seconds: number | null
}

export type LedgerKind = 'call' | 'number' | 'credit' | 'speech'

interface LedgerTransactionTable {
  id: Generated<number>
  kind: LedgerKind
  /** The customer whom it concerns. */
  account_uuid: AccountUuid
  /** Given with the credit; an idempotency reference: repeating it changes nothing. */
  reference: string | null
  /** A hold is charged at most once: unique. */
  hold_uuid: HoldUuid | null
  call_uuid: CallUuid | null
  /** What explains the amount: rate, seconds, units, number. */
  details: Json
  created_unix: UnixMs
}

interface LedgerEntryTable {
  id: Generated<number>
  transaction_id: number
  /** `customer:<uuid>`, `revenue:calls`, `revenue:numbers`, `operator:credit`. */
  book: string
  /** The entries of a transaction sum to 0; a customer's positive entry is money to spend. */
  amount: Money
}

interface EventTable {
  id: Generated<number>
  uuid: string
  account_uuid: AccountUuid
  /** 1, 2, 3 … within the account, without gaps. */
  seq: number
  code: EventCode
  call_uuid: CallUuid | null
  sid: Sid | null
  number: string | null
  custom_payload: Json | null
  data: Json
  created_unix: UnixMs
}

/** A status callback that is still to be delivered; the row goes when it was delivered or given up. */
interface OutboxTable {
  id: Generated<number>
  event_id: number
  account_uuid: AccountUuid
  call_uuid: CallUuid | null
  url: string
  /** Tries finished. */
  tries: number
  due_unix: UnixMs
}

interface WebhookEndpointTable {
  account_uuid: AccountUuid
  url: string
  /** Callbacks given up after all tries. */
  failures: number
  last_failure_unix: UnixMs
}

interface RecordingTable {
  uuid: RecordingUuid
  account_uuid: AccountUuid
  call_uuid: CallUuid
  call_sid: Sid
  path: string
  duration_ms: number | null
  size_bytes: number | null
  media_format: 'wav' | 'ogg'
  created_unix: UnixMs
  expires_unix: UnixMs | null
  deleted_unix: UnixMs | null
  /** The file is gone from the disk. */
  purged_unix: UnixMs | null
}

/** One row: when the switch last was seen alive with live calls. */
interface HeartbeatTable {
  id: number
  beat_unix: UnixMs
}

export interface Tables {
  accounts: AccountTable
  api_keys: ApiKeyTable
  end_users: EndUserTable
  phone_tokens: PhoneTokenTable
  numbers: NumberTable
  trunks: TrunkTable
  rates: RateTable
  destinations: DestinationTable
  calls: CallTable
  legs: LegTable
  holds: HoldTable
  ledger_transactions: LedgerTransactionTable
  ledger_entries: LedgerEntryTable
  events: EventTable
  outbox: OutboxTable
  webhook_endpoints: WebhookEndpointTable
  recordings: RecordingTable
  documents: DocumentTable
  document_revisions: DocumentRevisionTable
  operator_changes: OperatorChangeTable
  portal_links: PortalLinkTable
  portal_sessions: PortalSessionTable
  assets: AssetTable
  idempotency: IdempotencyTable
  settings: SettingTable
  heartbeat: HeartbeatTable
}

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>
export type NewRow<Name extends keyof Tables> = Insertable<Tables[Name]>
