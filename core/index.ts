// The door of the API and of what runs beside it. A program that embeds the switch opens core/embedding/index.ts, the package's `sauti`.

export { type AudioFacts, type AudioInspection, inspectAudio } from './adapters/audio/index.ts'
export { BackupError, type BackupManifest } from './adapters/backup/manifest.ts'
export { type Restored, restoreBackup } from './adapters/backup/restore-backup.ts'
export { takeBackup } from './adapters/backup/take-backup.ts'
export { RtpLoad, type RtpLoadReport, type Speech } from './adapters/benchmark/rtp-load.ts'
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
export type { AccountChange, NewAccount } from './adapters/store/accounts.ts'
export type { CallFilter, CallPage } from './adapters/store/calls.ts'
export { type BookProblem, checkBooks } from './adapters/store/check.ts'
export { type Database, isFolderInUse, openDatabase, storedSchema } from './adapters/store/database.ts'
export { StoreError, unusableStore } from './adapters/store/errors.ts'
export type { EventListener, LoggedEvent } from './adapters/store/events.ts'
export { makeFirstRows } from './adapters/store/first-rows.ts'
export type { KeyOwner } from './adapters/store/keys.ts'
export type { StatementLine } from './adapters/store/ledger.ts'
export { migrationsFrom, schemaVersion } from './adapters/store/migrations.ts'
export type { OperatorChange } from './adapters/store/operator-changes.ts'
export { PortalSessions } from './adapters/store/portal-sessions.ts'
export { openRepositories, type Repositories } from './adapters/store/repositories.ts'
export type { TrunkFields } from './adapters/store/trunks.ts'
export type { EndUserRecord } from './adapters/store/users.ts'
export type { WebhookSettingsChange } from './adapters/store/webhook-settings.ts'
export { ownModule } from './adapters/system/own-module.ts'
export { residentBytes } from './adapters/system/resident-memory.ts'
export type { TlsIdentity, TlsIdentityFiles } from './adapters/tls/identity.ts'
export { streamTokenSeconds } from './adapters/tokens/stream-tokens.ts'
export { Destinations } from './billing/destinations.ts'
export { RateDeck } from './billing/rate-deck.ts'
export { isSipPrefix } from './billing/sip-prefix.ts'
export type { OriginateCode, OriginateOrder, OriginateRefusal, OriginateResult } from './contract/originate-order.ts'
export { refusalCodes } from './contract/refusal-codes.ts'
export { callView, recordingResource } from './events/call-data.ts'
export { type EventCode, eventCatalogue } from './events/catalogue.ts'
export { callbackEnvelope, streamEnvelope } from './events/envelope.ts'
export { mediaResource, qualityResource } from './events/quality-data.ts'
export type { VoiceEvent } from './events/voice-event.ts'
export { capRetrySeconds, drainRetrySeconds, loadRetrySeconds } from './leg/release.ts'
export type { LatencyListener } from './metrics/latencies.ts'
export type { AccountProfile, FallbackMode, OwnedNumber, WebhookPurpose, WebhookSettings } from './model/account.ts'
export type { AccountRecord } from './model/account-record.ts'
export type { ApiKeyRecord } from './model/api-key.ts'
export type { AssetRecord } from './model/asset.ts'
export type { CallDirection, CallRecord, CallStatus, LegRecord, RecordingRecord } from './model/call-record.ts'
export { type EndReason, endReasons } from './model/end-reason.ts'
export type { HostedDocumentRecord } from './model/hosted-document.ts'
export type { AccountUuid, CallUuid, LegUuid, RecordingUuid, Sid, TrunkUuid } from './model/ids.ts'
export type { LegMediaStats, LegQuality, MediaSource } from './model/leg-quality.ts'
export type { CallSlice, CallSummary } from './model/list.ts'
export { formatMoney, type Money, parseMoney } from './model/money.ts'
export type { NumberRecord, PoolNumberRecord } from './model/number-record.ts'
export type { PhoneTokenRecord } from './model/phone-token.ts'
export type { PortalSession, SessionOrigin } from './model/portal-session.ts'
export { type QuotaName, type Quotas, quotaSentence } from './model/quota.ts'
export type { Rate } from './model/rate.ts'
export { defaultSettings, type HttpListener, type LogLevel, type Settings, type SipListener } from './model/settings.ts'
export { type CodecName, codecNames, type Trunk } from './model/trunk.ts'
export type { Clock, Random } from './ports/clock.ts'
export type { Log } from './ports/log.ts'
export type { ByteRange, RecordingStorage, StoredRecording } from './ports/recording-storage.ts'
export { numberForTrunk, routesTo } from './routing/routes.ts'
export { type ParsedSettings, parseSettings, type SettingsProblem, type SettingsSources } from './settings.ts'
export { type SettingOption, settingOptions } from './settings-options.ts'
export { Switch, type SwitchCounters, type SwitchOptions } from './switch.ts'
export { endOf, explanations, reasonsPath } from './trace/explanation.ts'
export { drawEntries, drawLadder } from './trace/ladder.ts'
export {
  type Trace,
  type TraceAnswer,
  type TraceEntry,
  type TraceForm,
  type TraceQuery,
  type TraceReader,
  traceForms,
  traceKinds,
} from './trace/trace.ts'
export { traceJson } from './trace/trace-json.ts'
export { traceOfRecord } from './trace/trace-of-record.ts'
export { checkDocument, dialNouns, vocabulary } from './verbs/index.ts'
