import {
  type AccountRecord,
  type ApiKeyRecord,
  type AssetRecord,
  callView,
  type EndUserRecord,
  formatMoney,
  type HostedDocumentRecord,
  type LiveCall,
  type LiveLeg,
  type MediaSource,
  mediaResource,
  type NumberRecord,
  type PhoneTokenRecord,
  type PoolNumberRecord,
  type Quotas,
  type Rate,
  type StatementLine,
  type Trunk,
  type WebhookSettings,
} from '../../core/index.ts'

/** Records of the core as the API's resources. Times are ISO-8601 in Z, money is a decimal string. */
export const timeOf = (unixMs: number): string => new Date(unixMs).toISOString()
const timeOrNull = (unixMs: number | null): string | null => (unixMs === null ? null : timeOf(unixMs))

export const renderAccount = (account: AccountRecord) => ({
  uuid: account.uuid,
  name: account.name,
  wallet_balance: formatMoney(account.walletBalance),
  status: account.status,
})

const quotaFields = (limits: Quotas) => ({
  max_asset_bytes: limits.assetBytes,
  max_recording_bytes: limits.recordingBytes,
  max_documents: limits.documents,
  max_end_users: limits.endUsers,
  max_live_tokens: limits.liveTokens,
  max_stream_connections: limits.streamConnections,
})

export const renderOperatorAccount = (account: AccountRecord, liveCalls: number, openStreams: number) => ({
  ...renderAccount(account),
  grace_amount: formatMoney(account.graceAmount),
  credit_limit: formatMoney(account.creditLimit),
  max_concurrent_calls: account.maxConcurrentCalls,
  max_calls_per_second: account.maxCallsPerSecond,
  max_inbound_calls: account.maxInboundCalls,
  max_dialled_legs: account.maxDialledLegs,
  ...quotaFields(account.quotas),
  held_amount: formatMoney(account.heldAmount),
  live_calls: liveCalls,
  usage: {
    asset_bytes: account.usage.assetBytes,
    recording_bytes: account.usage.recordingBytes,
    documents: account.usage.documents,
    end_users: account.usage.endUsers,
    live_tokens: account.usage.liveTokens,
    stream_connections: openStreams,
  },
  created_at: timeOf(account.createdUnix),
})

export const renderLedgerLine = (line: StatementLine) => ({
  id: line.id,
  kind: line.kind,
  amount: formatMoney(line.amount),
  reference: line.reference,
  call_uuid: line.callUuid,
  details: line.details,
  created_at: timeOf(line.createdUnix),
})

export const renderKey = (key: ApiKeyRecord) => ({
  uuid: key.uuid,
  name: key.name,
  prefix: key.prefix,
  is_active: key.isActive,
  created_at: timeOf(key.createdUnix),
  last_used_at: timeOrNull(key.lastUsedUnix),
})

export function renderNumber(number: NumberRecord, defaultInbound: string) {
  const custom = number.webhookUrls.voice_inbound
  const url = custom === '' ? defaultInbound : custom
  return {
    uuid: number.uuid,
    number: number.number,
    friendly_name: number.friendlyName,
    webhook_urls: { ...number.webhookUrls },
    webhook_inbound: {
      url,
      source: custom !== '' ? ('custom' as const) : url !== '' ? ('default' as const) : ('none' as const),
    },
    is_active: number.isActive,
    acquired_at: timeOrNull(number.acquiredUnix),
  }
}

export const renderOperatorNumber = (number: PoolNumberRecord) => ({
  uuid: number.uuid,
  number: number.number,
  setup_fee: formatMoney(number.setupFee),
  account: number.accountUuid,
})

export const renderWebhooks = (settings: WebhookSettings, numbers: readonly NumberRecord[]) => ({
  endpoints: { ...settings.endpoints },
  fallback_mode: settings.fallbackMode,
  fallback_value: settings.fallbackValue,
  numbers: numbers.flatMap(number =>
    (['voice_inbound', 'voice_outbound', 'status'] as const)
      .filter(purpose => number.webhookUrls[purpose] !== '')
      .map(purpose => ({ number: number.number, purpose, url: number.webhookUrls[purpose] })),
  ),
})

export const renderCall = callView

const renderLeg = ({ leg, codec, room, media }: LiveLeg) => ({
  uuid: leg.uuid,
  role: leg.role,
  direction: leg.direction,
  number: leg.number,
  trunk: leg.trunkName,
  started_at: timeOf(leg.startedUnix),
  answered_at: timeOrNull(leg.answeredUnix),
  codec: codec ?? null,
  conference: room ?? null,
  quality: media === undefined ? null : mediaResource(media),
  media_source: media === undefined ? null : renderSource(media.source),
})

const renderSource = ({ address, state, changes, refused, withheld }: MediaSource) => ({
  address,
  state,
  changes,
  refused_packets: refused,
  withheld_packets: withheld,
})

export const renderLiveCall = ({ call, legs }: LiveCall) => ({
  uuid: call.uuid,
  sid: call.sid,
  account: call.accountUuid,
  direction: call.direction,
  from_number: call.fromNumber,
  to_number: call.toNumber,
  status: call.status,
  created_at: timeOf(call.createdUnix),
  answered_at: timeOrNull(call.answeredUnix),
  legs: legs.map(renderLeg),
})

export const renderDocument = (document: HostedDocumentRecord) => ({
  uuid: document.uuid,
  name: document.name,
  url: document.url,
  body: document.body,
  created_at: timeOf(document.createdUnix),
  updated_at: timeOf(document.updatedUnix),
})

export const renderAsset = (asset: AssetRecord) => ({
  slug: asset.slug,
  media_format: asset.mediaFormat,
  duration_seconds: asset.durationMs / 1000,
  size_bytes: asset.sizeBytes,
  created_at: timeOf(asset.createdUnix),
})

export const renderTrunk = (trunk: Trunk) => ({
  uuid: trunk.uuid,
  name: trunk.name,
  host: trunk.host,
  port: trunk.port,
  transport: trunk.transport,
  username: trunk.username,
  // A secret goes in and does not come out; the mask sent back unchanged leaves it as it is.
  password: trunk.password === '' ? '' : passwordMask,
  register: trunk.register,
  inbound_hosts: trunk.inboundHosts,
  media_hosts: trunk.mediaHosts,
  media_source: trunk.mediaSource,
  // As it is written: in a list of the command line an empty prefix would look like none at all.
  prefixes: trunk.prefixes.map(prefix => (prefix === '' ? '+' : prefix)),
  strip: trunk.strip,
  prepend: trunk.prepend,
  priority: trunk.priority,
  weight: trunk.weight,
  max_calls: trunk.maxCalls,
  max_cps: trunk.maxCps,
  codecs: trunk.codecs,
  options_ping_seconds: trunk.optionsPingSeconds,
  srtp: trunk.srtp,
})
export const passwordMask = '********'

export const renderRate = (rate: Rate) => ({
  prefix: rate.prefix,
  direction: rate.direction,
  rate_per_minute: formatMoney(rate.ratePerMinute),
  increment_seconds: rate.incrementSeconds,
  minimum_seconds: rate.minimumSeconds,
  connection_fee: formatMoney(rate.connectionFee),
})

export const renderUser = (user: EndUserRecord, isRegistered: boolean) => ({
  uuid: user.uuid,
  extension_number: user.extensionNumber,
  email: user.email,
  display_name: user.displayName,
  is_active: user.isActive,
  is_registered: isRegistered,
  created_at: timeOf(user.createdUnix),
})

export const renderPhoneToken = (token: PhoneTokenRecord, unixMs: number) => ({
  uuid: token.uuid,
  end_user: token.endUserUuid,
  extension_number: token.extensionNumber,
  max_concurrent: token.maxConcurrent,
  is_valid: token.revokedUnix === null && token.expiresUnix > unixMs,
  expires_at: timeOf(token.expiresUnix),
  revoked_at: timeOrNull(token.revokedUnix),
  created_at: timeOf(token.createdUnix),
})
