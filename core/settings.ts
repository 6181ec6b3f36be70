import { suggestion } from './model/nearest.ts'
import { defaultSettings, needsCertificate, type Settings } from './model/settings.ts'
import { type SettingOption, settingOptions } from './settings-options.ts'

/** Where settings come from: flags win over the environment, that over the file, that over the defaults. */
export interface SettingsSources {
  /** By flag name without dashes: `{ http: '127.0.0.1:8080', 'allow-private-urls': true }`. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  /** By the names of docs/settings.md; an empty value counts as not set. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** The YAML file as parsed: nested, `sip: { listen: […], realm: … }`. */
  readonly file?: unknown
  /** Cores of the machine: the default number of media threads is one less, at least 1. */
  readonly cores?: number | undefined
}

/** `name` is what the user wrote: `--http`, `SAUTI_HTTP`, or the path in the file. */
interface SettingsProblem {
  readonly name: string
  readonly message: string
}

export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly SettingsProblem[] }

/** Checks all sources whole: a frozen `Settings`, or every problem with its name. */
export function parseSettings(sources: SettingsSources): ParsedSettings {
  const problems: SettingsProblem[] = []
  const given = new Map<string, unknown>()
  const flags = sources.flags ?? {}
  const environment = sources.environment ?? {}
  const file = flattenFile(sources.file, problems)
  problems.push(...unknownSettings(Object.keys(flags), option => option.flag, '--'))
  problems.push(...unknownSettings([...file.keys()], option => option.path))
  for (const option of settingOptions) {
    const found = firstGiven(option, flags, environment, file)
    if (found === undefined) continue
    const parsed = option.parse(found.value)
    if (parsed.ok) given.set(option.path, parsed.value)
    else problems.push({ name: found.name, message: parsed.problem })
  }
  if (given.has('ice.turn') && !given.has('ice.turn_secret')) {
    problems.push({ name: 'SAUTI_TURN_SECRET', message: 'is needed for the credentials of the TURN servers' })
  }
  if (given.has('tls.cert') !== given.has('tls.key')) {
    const name = given.has('tls.cert') ? 'SAUTI_TLS_KEY' : 'SAUTI_TLS_CERT'
    problems.push({ name, message: 'certificate and key are needed together' })
  }
  const listeners = (given.get('sip.listen') ?? []) as Settings['sip']['listeners']
  const https = ((given.get('http') ?? []) as Settings['http']).find(({ scheme }) => scheme === 'https')
  const secure = https?.scheme ?? listeners.find(needsCertificate)?.transport
  if (secure !== undefined && !given.has('tls.cert') && !given.has('tls.key')) {
    problems.push({ name: 'SAUTI_TLS_CERT', message: `is needed for ${secure}:, and SAUTI_TLS_KEY with it` })
  }
  for (const [engine, path, needed] of [
    ['piper', 'speech.piper_voices', 'SAUTI_PIPER_VOICES'],
    ['openai', 'speech.openai_url', 'SAUTI_OPENAI_URL'],
  ] as const) {
    const voices = (given.get('speech.voices') ?? []) as Settings['speech']['voices']
    const voice = voices.find(named => named.engine === engine)
    if (voice !== undefined && !given.has(path)) problems.push({ name: needed, message: `is needed for ${voice.name}` })
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, settings: assemble(given, sources.cores ?? 2) }
}

function firstGiven(
  option: SettingOption,
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  file: ReadonlyMap<string, unknown>,
): { name: string; value: unknown } | undefined {
  if (option.flag !== undefined && Object.hasOwn(flags, option.flag)) {
    return { name: `--${option.flag}`, value: flags[option.flag] }
  }
  const text = option.environment === undefined ? undefined : environment[option.environment]
  if (option.environment !== undefined && text !== undefined && text !== '') {
    return { name: option.environment, value: text }
  }
  const value = file.get(option.path)
  return value === undefined || value === null ? undefined : { name: option.path, value }
}

function unknownSettings(
  names: readonly string[],
  nameOf: (option: SettingOption) => string | undefined,
  dashes = '',
): SettingsProblem[] {
  const known = settingOptions.flatMap(option => nameOf(option) ?? [])
  return names
    .filter(name => !known.includes(name))
    .map(name => ({ name: `${dashes}${name}`, message: `is no setting${suggestion(name, known, dashes)}` }))
}

/** `{ sip: { realm: 'x' } }` → `sip.realm`. Only two levels exist; lists are values. */
function flattenFile(file: unknown, problems: SettingsProblem[]): Map<string, unknown> {
  const flat = new Map<string, unknown>()
  if (file === undefined || file === null) return flat
  if (!isRecord(file)) {
    problems.push({ name: 'settings file', message: 'must be a mapping of names to values' })
    return flat
  }
  const groups = new Set(settingOptions.flatMap(option => option.path.split('.').slice(0, -1)))
  for (const [name, value] of Object.entries(file)) {
    if (!groups.has(name)) flat.set(name, value)
    else if (isRecord(value)) for (const [inner, item] of Object.entries(value)) flat.set(`${name}.${inner}`, item)
    else if (value !== null) problems.push({ name, message: 'must be a mapping of names to values' })
  }
  return flat
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function assemble(given: ReadonlyMap<string, unknown>, cores: number): Settings {
  // Each option's parser makes the type that its path has in Settings; tests/core/settings.test.ts holds the two together.
  const pick = <T>(path: string, fallback: T): T => (given.has(path) ? (given.get(path) as T) : fallback)
  const http = Object.freeze(pick('http', defaultSettings.http))
  // Port 0 is known only after listening, so it cannot be part of an address that customers see.
  const [first] = http
  const seenScheme = first?.scheme ?? 'http'
  const seenPort = first === undefined || first.port === 0 ? 8080 : first.port
  return Object.freeze({
    dataFolder: pick('data', defaultSettings.dataFolder),
    databaseUrl: pick('database_url', defaultSettings.databaseUrl),
    http,
    publicUrl: pick('public_url', `${seenScheme}://localhost:${seenPort}`),
    sip: Object.freeze({
      listeners: Object.freeze(pick('sip.listen', defaultSettings.sip.listeners)),
      realm: pick('sip.realm', defaultSettings.sip.realm),
    }),
    tls: given.has('tls.cert')
      ? Object.freeze({ certFile: pick('tls.cert', ''), keyFile: pick('tls.key', '') })
      : defaultSettings.tls,
    externalAddresses: pick('external_address', defaultSettings.externalAddresses),
    media: Object.freeze({
      ports: Object.freeze(pick('media.ports', defaultSettings.media.ports)),
      workers: pick('media.workers', Math.max(1, cores - 1)),
      timeoutSeconds: pick('media.timeout_seconds', defaultSettings.media.timeoutSeconds),
      weakFingerprints: pick('media.weak_fingerprints', defaultSettings.media.weakFingerprints),
    }),
    recorder: Object.freeze({
      memoryMb: pick('recorder.memory_mb', defaultSettings.recorder.memoryMb),
      diskMb: pick('recorder.disk_mb', defaultSettings.recorder.diskMb),
      hours: pick('recorder.hours', defaultSettings.recorder.hours),
      rtpHeaders: pick('recorder.rtp_headers', defaultSettings.recorder.rtpHeaders),
    }),
    hep: pick('hep', defaultSettings.hep),
    admission: Object.freeze({
      loopDelayMs: pick('admission.loop_delay_ms', defaultSettings.admission.loopDelayMs),
      inviteWaitMs: pick('admission.invite_wait_ms', defaultSettings.admission.inviteWaitMs),
      storeBacklog: pick('admission.store_backlog', defaultSettings.admission.storeBacklog),
      mediaLatePercent: pick('admission.media_late_percent', defaultSettings.admission.mediaLatePercent),
      mediaBusyPercent: pick('admission.media_busy_percent', defaultSettings.admission.mediaBusyPercent),
      memoryPercent: pick('admission.memory_percent', defaultSettings.admission.memoryPercent),
    }),
    operatorKey: pick('operator_key', defaultSettings.operatorKey),
    allowPrivateUrls: pick('allow_private_urls', defaultSettings.allowPrivateUrls),
    dns: Object.freeze(pick('dns', defaultSettings.dns)),
    ice: Object.freeze({
      stun: Object.freeze(pick('ice.stun', defaultSettings.ice.stun)),
      turn: Object.freeze(pick('ice.turn', defaultSettings.ice.turn)),
      turnSecret: pick('ice.turn_secret', defaultSettings.ice.turnSecret),
    }),
    speech: Object.freeze({
      voices: Object.freeze(pick('speech.voices', defaultSettings.speech.voices)),
      piper: pick('speech.piper', defaultSettings.speech.piper),
      piperVoices: pick('speech.piper_voices', defaultSettings.speech.piperVoices),
      openaiUrl: pick('speech.openai_url', defaultSettings.speech.openaiUrl),
      openaiKey: pick('speech.openai_key', defaultSettings.speech.openaiKey),
      openaiModel: pick('speech.openai_model', defaultSettings.speech.openaiModel),
      openaiFormat: pick('speech.openai_format', defaultSettings.speech.openaiFormat),
    }),
    allowedOrigins: Object.freeze(pick('allowed_origins', defaultSettings.allowedOrigins)),
    trustedProxies: Object.freeze(pick('trusted_proxies', defaultSettings.trustedProxies)),
    metricsHosts: Object.freeze(pick('metrics_hosts', defaultSettings.metricsHosts)),
    recordingDays: pick('recording_days', defaultSettings.recordingDays),
    eventDays: pick('event_days', defaultSettings.eventDays),
    quotas: Object.freeze({
      assetBytes: pick('quotas.asset_mb', defaultSettings.quotas.assetBytes),
      recordingBytes: pick('quotas.recording_mb', defaultSettings.quotas.recordingBytes),
      documents: pick('quotas.documents', defaultSettings.quotas.documents),
      endUsers: pick('quotas.end_users', defaultSettings.quotas.endUsers),
      liveTokens: pick('quotas.live_tokens', defaultSettings.quotas.liveTokens),
      streamConnections: pick('quotas.stream_connections', defaultSettings.quotas.streamConnections),
    }),
    log: pick('log', defaultSettings.log),
    drainSeconds: pick('drain.seconds', defaultSettings.drainSeconds),
  })
}
