import { PhoneError } from './base/errors.ts'
import { DEFAULT_ICE_SERVERS, type IceServer } from './ice-servers.ts'
import { type LogLevel, type LogSink, logLevels } from './log.ts'

export interface PhoneOptions {
  /** Default `none`. `debug` shows SIP messages, without the token. */
  readonly logLevel?: LogLevel
  /** Where the log goes. Default: the console. */
  readonly onLog?: LogSink
  /** Ms to wait for ICE candidates before an offer or answer goes out; 0 waits for all. Default 3000. */
  readonly iceGatheringTimeout?: number
  /** Used when `authenticate` gets none. Default: public STUN. */
  readonly iceServers?: readonly IceServer[]
  /** The switch's SIP over WebSocket. Default: `wss://<realm>/sip`. */
  readonly wssUrl?: string
  /** SIP domain. Default: the issuer of the token. */
  readonly realm?: string
  /** Bell, ringback and busy tones, and the keys' own. Default true. */
  readonly tones?: boolean
}

export interface CheckedOptions {
  readonly logLevel: LogLevel
  readonly onLog: LogSink | undefined
  readonly iceGatheringTimeoutMs: number
  readonly iceServers: readonly IceServer[]
  readonly wssUrl: string | undefined
  readonly realm: string | undefined
  readonly tones: boolean
}

const defaultGatheringMs = 3000

/** Throws a PhoneError `option.invalid` that names the option. */
export function checkOptions(options: PhoneOptions): CheckedOptions {
  const { logLevel = 'none', onLog, iceGatheringTimeout = defaultGatheringMs, wssUrl, realm } = options
  const refuse = (name: string, wanted: string) => new PhoneError('option.invalid', `${name} must be ${wanted}.`)
  if (!logLevels.includes(logLevel)) throw refuse('logLevel', `one of ${logLevels.join(', ')}`)
  if (onLog !== undefined && typeof onLog !== 'function') throw refuse('onLog', 'a function')
  if (!(Number.isFinite(iceGatheringTimeout) && iceGatheringTimeout >= 0))
    throw refuse('iceGatheringTimeout', 'a number of milliseconds, 0 or more')
  if (options.iceServers !== undefined && !Array.isArray(options.iceServers)) throw refuse('iceServers', 'an array')
  if (wssUrl !== undefined && !/^wss?:\/\/[^\s#]+$/i.test(wssUrl)) throw refuse('wssUrl', 'a wss:// or ws:// URL')
  if (realm !== undefined && !/^[\w.-]+$/.test(realm)) throw refuse('realm', 'a host name')
  return {
    logLevel,
    onLog,
    iceGatheringTimeoutMs: iceGatheringTimeout,
    iceServers: options.iceServers ?? DEFAULT_ICE_SERVERS,
    wssUrl,
    realm,
    tones: options.tones ?? true,
  }
}
