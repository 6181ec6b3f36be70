// The door of the API and of what runs beside it. A program that embeds the switch opens core/embedding/index.ts, the package's `sauti`.

export { inspectAudio } from './adapters/audio/index.ts'
export { BackupError, type BackupManifest } from './adapters/backup/manifest.ts'
export { restoreBackup } from './adapters/backup/restore-backup.ts'
export { takeBackup } from './adapters/backup/take-backup.ts'
export { RtpLoad } from './adapters/benchmark/rtp-load.ts'
export { type PlacedCall, SipLoad } from './adapters/benchmark/sip-load.ts'
export type { LiveCall, LiveLeg } from './adapters/exchange/index.ts'
export { storedOf } from './adapters/recordings/recording-hand-over.ts'
export {
  isAllowedOrigin,
  namesPrivateHost,
  type PhoneUpgrade,
  type RegisteredPhone,
  type TrunkHealth,
  type TrunkTest,
} from './adapters/signaling/index.ts'
export type { CallFilter, CallPage } from './adapters/store/calls.ts'
export { checkBooks } from './adapters/store/check.ts'
export { openDatabase, storedSchema } from './adapters/store/database.ts'
export { StoreError, unusableStore } from './adapters/store/errors.ts'
export type { LoggedEvent } from './adapters/store/events.ts'
export { makeFirstRows } from './adapters/store/first-rows.ts'
export type { StatementLine } from './adapters/store/ledger.ts'
export { migrationsFrom, schemaVersion } from './adapters/store/migrations.ts'
export { PortalSessions } from './adapters/store/portal-sessions.ts'
export type { Repositories } from './adapters/store/repositories.ts'
export type { TrunkFields } from './adapters/store/trunks.ts'
export type { EndUserRecord } from './adapters/store/users.ts'
export type { WebhookSettingsChange } from './adapters/store/webhook-settings.ts'
export { ownModule } from './adapters/system/own-module.ts'
export { residentBytes } from './adapters/system/resident-memory.ts'
export type { TlsIdentityFiles } from './adapters/tls/identity.ts'
export { streamTokenSeconds } from './adapters/tokens/stream-tokens.ts'
export { Destinations } from './billing/destinations.ts'
export { RateDeck } from './billing/rate-deck.ts'
export { isSipPrefix } from './billing/sip-prefix.ts'
export type { OriginateCode, OriginateOrder, OriginateRefusal, OriginateResult } from './contract/originate-order.ts'
export { refusalCodes } from './contract/refusal-codes.ts'
export { callView, recordingResource } from './events/call-data.ts'
export { eventCatalogue } from './events/catalogue.ts'
export { callbackEnvelope, streamEnvelope } from './events/envelope.ts'
export { mediaResource } from './events/quality-data.ts'
export { capRetrySeconds, drainRetrySeconds, loadRetrySeconds } from './leg/release.ts'
export type { LatencyListener } from './metrics/latencies.ts'
export type { WebhookSettings } from './model/account.ts'
export type { AccountRecord } from './model/account-record.ts'
export type { ApiKeyRecord } from './model/api-key.ts'
export type { AssetRecord } from './model/asset.ts'
export type { CallRecord, RecordingRecord } from './model/call-record.ts'
export { endReasons } from './model/end-reason.ts'
export type { HostedDocumentRecord } from './model/hosted-document.ts'
export type { AccountUuid, Sid } from './model/ids.ts'
export type { MediaSource } from './model/leg-quality.ts'
export type { CallSummary } from './model/list.ts'
export { formatMoney, type Money, parseMoney } from './model/money.ts'
export type { NumberRecord, PoolNumberRecord } from './model/number-record.ts'
export type { PhoneTokenRecord } from './model/phone-token.ts'
export type { PortalSession } from './model/portal-session.ts'
export { type Quotas, quotaSentence } from './model/quota.ts'
export type { Rate } from './model/rate.ts'
export { defaultSettings, type HttpListener, type LogLevel, type Settings, type SipListener } from './model/settings.ts'
export { codecNames, type Trunk } from './model/trunk.ts'
export type { Log } from './ports/log.ts'
export type { RecordingStorage } from './ports/recording-storage.ts'
export { numberForTrunk, routesTo } from './routing/routes.ts'
export { type ParsedSettings, parseSettings } from './settings.ts'
export { settingOptions } from './settings-options.ts'
export { Switch, type SwitchCounters } from './switch.ts'
export { explanations, reasonsPath } from './trace/explanation.ts'
export { drawEntries, drawLadder } from './trace/ladder.ts'
export {
  type Trace,
  type TraceAnswer,
  type TraceQuery,
  type TraceReader,
  traceForms,
  traceKinds,
} from './trace/trace.ts'
export { traceJson } from './trace/trace-json.ts'
export { traceOfRecord } from './trace/trace-of-record.ts'
export { checkDocument, dialNouns, vocabulary } from './verbs/index.ts'
