import { availableParallelism } from 'node:os'
import type { SpeechEngine } from '../adapters/audio/index.ts'
import type { Settings } from '../model/settings.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { RecordingStorage } from '../ports/recording-storage.ts'
import { parseSettings } from '../settings.ts'
import { SwitchError } from './errors.ts'
import { isObject, type NamesOf, unknownOptions } from './known-options.ts'

/** What `Switch.open` takes. Every default is that of the settings file. */
export interface OpenOptions {
  /** Folder of the database, recordings, assets and secrets. Default `./data`. */
  readonly data?: string
  /** Where SIP listens: `udp:0.0.0.0:5060`; also `tcp:`, `tls:`, `wss:`. Default UDP and TCP on 0.0.0.0:5060. */
  readonly sip?: readonly string[]
  /** SIP domain. Default `localhost`. */
  readonly realm?: string
  /** IP address written in SDP and Contact, one of IPv6 after a comma. Default: of the interface that a peer is reached by. */
  readonly externalAddress?: string
  /** UDP ports for RTP, inclusive. Default [10000, 20000]. */
  readonly mediaPorts?: readonly [first: number, last: number]
  /** Media threads; 0 = in the thread of the program. Default: cores − 1, at least 1. */
  readonly mediaWorkers?: number
  /** PEM files of the certificate and key for `tls:` and `wss:`. Default: none. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Webhooks, Play and `<Sip>` may reach private and loopback addresses. Default false. */
  readonly allowPrivateUrls?: boolean
  /** Any other setting by its path in the settings file: `{ 'media.timeout_seconds': 30 }`. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Where log lines go: a pino logger fits. Default: nowhere. */
  readonly log?: Log
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default: the system's. */
  readonly random?: Random
  /** What turns text into audio. Default: what the settings name, else espeak-ng. */
  readonly speech?: SpeechEngine
  /** Where recordings are once they have ended, such as an object store. Default: the data folder. */
  readonly recordings?: RecordingStorage
}

const optionsOfOpen: NamesOf<OpenOptions> = {
  data: true,
  sip: true,
  realm: true,
  externalAddress: true,
  mediaPorts: true,
  mediaWorkers: true,
  tls: true,
  allowPrivateUrls: true,
  settings: true,
  log: true,
  clock: true,
  random: true,
  speech: true,
  recordings: true,
}
const optionsOfTls: NamesOf<NonNullable<OpenOptions['tls']>> = { cert: true, key: true }

/** The settings that the options mean. Throws `config.invalid` with every problem. */
export function settingsOf(options: OpenOptions): Settings {
  if (!isObject(options)) throw new SwitchError('config.invalid', 'the options must be an object, as { data: … }')
  const strange = [...unknownOptions(options, optionsOfOpen)]
  if (strange.length > 0)
    strange.push(
      `known are ${Object.keys(optionsOfOpen).join(', ')}; any other setting goes into "settings" by its path`,
    )
  if (isObject(options.tls)) strange.push(...unknownOptions(options.tls, optionsOfTls).map(text => `tls: ${text}`))
  else if (options.tls !== undefined) strange.push('tls: must be { cert, key }, the names of two PEM files')
  if (options.settings !== undefined && !isObject(options.settings))
    strange.push("settings: must be an object, as { 'media.timeout_seconds': 30 }")
  const { data, sip, realm, externalAddress, mediaPorts, mediaWorkers, tls, allowPrivateUrls } = options
  const paths: Readonly<Record<string, unknown>> = {
    data,
    'sip.listen': sip,
    'sip.realm': realm,
    external_address: externalAddress,
    'media.ports': mediaPorts,
    'media.workers': mediaWorkers,
    'tls.cert': tls?.cert,
    'tls.key': tls?.key,
    allow_private_urls: allowPrivateUrls,
    ...(isObject(options.settings) ? options.settings : {}),
  }
  const parsed = parseSettings({ file: nested(paths), cores: availableParallelism() })
  const wrong = parsed.ok ? [] : parsed.problems.map(({ name, message }) => `${optionNames[name] ?? name}: ${message}`)
  if (parsed.ok && strange.length === 0) return parsed.settings
  throw new SwitchError('config.invalid', [...strange, ...wrong].join('; '))
}

/** Paths of the settings file that have an option of another name. */
const optionNames: Readonly<Record<string, string>> = {
  'sip.listen': 'sip',
  'sip.realm': 'realm',
  external_address: 'externalAddress',
  'media.ports': 'mediaPorts',
  'media.workers': 'mediaWorkers',
  SAUTI_TLS_CERT: 'tls.cert',
  SAUTI_TLS_KEY: 'tls.key',
  allow_private_urls: 'allowPrivateUrls',
}

function nested(paths: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const file: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(paths)) {
    if (value === undefined) continue
    const [group = '', ...rest] = path.split('.')
    const name = rest.join('.')
    if (name === '') file[group] = value
    else file[group] = { ...(file[group] as object | undefined), [name]: value }
  }
  return file
}
