import { availableParallelism } from 'node:os'
import type { SpeechEngine } from '../adapters/audio/index.ts'
import type { Settings } from '../model/settings.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { RecordingStorage } from '../ports/recording-storage.ts'
import { parseSettings } from '../settings.ts'
import { SwitchError } from './errors.ts'

/** What `Switch.open` takes. Every default is that of the settings file. */
export interface OpenOptions {
  /** Folder of the database, recordings, assets and secrets. Default `./data`. */
  readonly data?: string
  /** Where SIP listens: `udp:0.0.0.0:5060`; also `tcp:`, `tls:`, `wss:`. Default UDP and TCP on 0.0.0.0:5060. */
  readonly sip?: readonly string[]
  /** SIP domain. Default `localhost`. */
  readonly realm?: string
  /** IP address written in SDP and Contact. Default: the address of the interface that a peer is reached by. */
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

/** The settings that the options mean. Throws `config.invalid` with every problem. */
export function settingsOf(options: OpenOptions): Settings {
  const { data, sip, realm, externalAddress, mediaPorts, mediaWorkers, tls, allowPrivateUrls } = options
  const paths: Readonly<Record<string, unknown>> = {
    data,
    'sip.listen': sip,
    'sip.realm': realm,
    external_address: externalAddress,
    'media.ports': mediaPorts === undefined ? undefined : mediaPorts.join('-'),
    'media.workers': mediaWorkers,
    'tls.cert': tls?.cert,
    'tls.key': tls?.key,
    allow_private_urls: allowPrivateUrls,
    ...options.settings,
  }
  const parsed = parseSettings({ file: nested(paths), cores: availableParallelism() })
  if (parsed.ok) return parsed.settings
  const problems = parsed.problems.map(({ name, message }) => `${optionNames[name] ?? name}: ${message}`)
  throw new SwitchError('config.invalid', problems.join('; '))
}

/** Paths of the settings file that have an option of another name. */
const optionNames: Readonly<Record<string, string>> = {
  'sip.listen': 'sip',
  'sip.realm': 'realm',
  external_address: 'externalAddress',
  'media.ports': 'mediaPorts',
  'media.workers': 'mediaWorkers',
  'tls.cert': 'tls.cert',
  allow_private_urls: 'allowPrivateUrls',
}

function nested(paths: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const file: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(paths)) {
    if (value === undefined) continue
    const [group = '', name] = path.split('.')
    if (name === undefined) file[group] = value
    else file[group] = { ...(file[group] as object | undefined), [name]: value }
  }
  return file
}
