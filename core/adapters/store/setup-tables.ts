import type { Generated } from 'kysely'
import type { FallbackMode } from '../../model/account.ts'
import type { AccountUuid, TrunkUuid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import type { SessionOrigin } from '../../model/portal-session.ts'
import type { Rate } from '../../model/rate.ts'
import type { Trunk } from '../../model/trunk.ts'

/** The tables of what people set up; columns as `schema.ts` says. */
export type Flag = 0 | 1
type UnixMs = number
type Json = string

export interface AccountTable {
  uuid: AccountUuid
  name: string
  status: 'active' | 'suspended'
  /** Sum of the account's ledger entries; only a trigger on `ledger_entries` moves it. */
  balance: Generated<Money>
  /** Sum of the account's open holds; only `holds.ts` moves it. */
  held: Generated<Money>
  grace_amount: Generated<Money>
  credit_limit: Generated<Money>
  max_concurrent_calls: Generated<number>
  max_calls_per_second: Generated<number>
  max_inbound_calls: Generated<number>
  max_dialled_legs: Generated<number>
  /** Quotas; null = the setting's. */
  max_asset_bytes: Generated<number | null>
  max_recording_bytes: Generated<number | null>
  max_documents: Generated<number | null>
  max_end_users: Generated<number | null>
  max_live_tokens: Generated<number | null>
  max_stream_connections: Generated<number | null>
  /** What is stored; only triggers move these. */
  asset_bytes: Generated<number>
  recording_bytes: Generated<number>
  document_count: Generated<number>
  end_user_count: Generated<number>
  /** Account-default webhooks; empty = none set. */
  endpoint_voice_inbound: Generated<string>
  endpoint_voice_outbound: Generated<string>
  endpoint_status: Generated<string>
  fallback_mode: FallbackMode
  fallback_value: string
  signing_secret: string
  /** The last `seq` given to an event of the account. */
  event_seq: Generated<number>
  created_unix: UnixMs
}

export interface ApiKeyTable {
  uuid: string
  account_uuid: AccountUuid
  name: string
  prefix: string
  /** SHA-256 of the secret, hex; the secret itself is nowhere. */
  hash: string
  is_active: Flag
  created_unix: UnixMs
  last_used_unix: UnixMs | null
}

export interface EndUserTable {
  uuid: string
  account_uuid: AccountUuid
  email: string
  display_name: string
  extension_number: string
  is_active: Flag
  created_unix: UnixMs
}

export interface PhoneTokenTable {
  uuid: string
  account_uuid: AccountUuid
  end_user_uuid: string
  max_concurrent: number
  expires_unix: UnixMs
  revoked_unix: UnixMs | null
  created_unix: UnixMs
}

export interface NumberTable {
  uuid: string
  number: string
  setup_fee: Money
  /** Null = free in the pool. */
  account_uuid: AccountUuid | null
  friendly_name: Generated<string>
  /** Overrides; empty = inherits the account default. */
  webhook_voice_inbound: Generated<string>
  webhook_voice_outbound: Generated<string>
  webhook_status: Generated<string>
  is_active: Generated<Flag>
  acquired_unix: UnixMs | null
  created_unix: UnixMs
}

export interface TrunkTable {
  uuid: TrunkUuid
  name: string
  host: string
  port: number
  transport: Trunk['transport']
  username: string
  password: string
  register: Flag
  inbound_hosts: Json
  prefixes: Json
  strip: number
  prepend: string
  priority: number
  weight: number
  max_calls: number
  max_cps: number
  codecs: Json
  options_ping_seconds: number
  srtp: Trunk['srtp']
  media_hosts: Json
  media_source: Trunk['mediaSource']
  created_unix: UnixMs
}

export interface RateTable {
  direction: Rate['direction']
  /** Digits only, without `+`. */
  prefix: string
  rate_per_minute: Money
  increment_seconds: number
  minimum_seconds: number
  connection_fee: Money
}

export interface DestinationTable {
  /** Digits only, without `+`. */
  prefix: string
  permission: 'blocked' | 'allowed'
}

export interface DocumentTable {
  uuid: string
  account_uuid: AccountUuid
  name: string
  body: string
  /** The unguessable last part of its URL. */
  token: string
  created_unix: UnixMs
  updated_unix: UnixMs
}

export interface AssetTable {
  account_uuid: AccountUuid
  slug: string
  media_format: string
  duration_ms: number
  size_bytes: number
  /** Relative to the assets folder. */
  path: string
  created_unix: UnixMs
}

export interface IdempotencyTable {
  account_uuid: AccountUuid
  key: string
  /** Hash of method, path and body. */
  fingerprint: string
  /** Null status = still in flight. */
  status: number | null
  body: string | null
  created_unix: UnixMs
}

export interface PortalSessionTable {
  uuid: string
  /** Null = the operator's console. */
  account_uuid: AccountUuid | null
  /** SHA-256 of the cookie's secret, hex. */
  hash: string
  key_uuid: string | null
  origin: SessionOrigin
  address: string
  user_agent: string
  created_unix: UnixMs
  seen_unix: UnixMs
  expires_unix: UnixMs
}

export interface PortalLinkTable {
  hash: string
  account_uuid: AccountUuid | null
  origin: SessionOrigin
  expires_unix: UnixMs
}

export interface DocumentRevisionTable {
  id: Generated<number>
  document_uuid: string
  name: string
  body: string
  created_unix: UnixMs
}

export interface OperatorChangeTable {
  id: Generated<number>
  actor: string
  address: string
  action: string
  path: string
  status: number
  before: Json | null
  after: Json | null
  created_unix: UnixMs
}

export interface SettingTable {
  key: string
  value: string
}
