import type { LogLevel, SipListener } from './model/settings.ts'

export type ParsedOption =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** One setting: its three names, what it means, and how its value is read from text or from YAML. */
export interface SettingOption {
  /** Path in the settings file. */
  readonly path: string
  readonly environment?: string
  /** Without dashes. A secret has none: every user of the machine can read a command line. */
  readonly flag?: string
  readonly help: string
  readonly parse: (value: unknown) => ParsedOption
}

const good = (value: unknown): ParsedOption => ({ ok: true, value })
const bad = (problem: string): ParsedOption => ({ ok: false, problem })
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}

const text =
  (what: string) =>
  (value: unknown): ParsedOption =>
    typeof value === 'string' && value.trim() !== '' && !/[\0\r\n]/.test(value)
      ? good(value.trim())
      : bad(`${shown(value)} is no ${what}`)

const integer =
  (min: number, max: number) =>
  (value: unknown): ParsedOption => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
      ? good(number)
      : bad(`${shown(value)} must be a whole number from ${min} to ${max}`)
  }

function flag(value: unknown): ParsedOption {
  if (value === true || value === 1) return good(true)
  if (value === false || value === 0) return good(false)
  switch (typeof value === 'string' ? value.trim().toLowerCase() : undefined) {
    case '1':
    case 'true':
    case 'yes':
    case 'on':
      return good(true)
    case '0':
    case 'false':
    case 'no':
    case 'off':
      return good(false)
    default:
      return bad(`${shown(value)} must be 1 or 0`)
  }
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`. */
function addressAndPort(written: string): { address: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9][A-Za-z0-9.-]*)):(\d{1,5})$/.exec(written.trim())
  const port = Number(match?.[3])
  const address = match?.[1] ?? match?.[2]
  return address === undefined || port > 65_535 || !isPlausibleAddress(address) ? undefined : { address, port }
}

/** What has the form of an IPv4 address must also be one: 127.0.0.300 is a slip, not a name. */
const isPlausibleAddress = (address: string): boolean =>
  !/^[\d.]+$/.test(address) ||
  (/^\d{1,3}(\.\d{1,3}){3}$/.test(address) && address.split('.').every(part => Number(part) <= 255))

function http(value: unknown): ParsedOption {
  const parsed = typeof value === 'string' ? addressAndPort(value) : undefined
  return parsed === undefined ? bad(`${shown(value)} must be address:port, as 127.0.0.1:8080`) : good(parsed)
}

function publicUrl(value: unknown): ParsedOption {
  const match = typeof value === 'string' ? /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i.exec(value.trim()) : null
  return match === null
    ? bad(`${shown(value)} must be an absolute address, as https://voice.example.com`)
    : good(match[0].replace(/\/+$/, ''))
}

function databaseUrl(value: unknown): ParsedOption {
  // The value is not repeated in the message: it holds a password.
  return typeof value === 'string' && /^postgres(ql)?:\/\/\S+$/.test(value)
    ? good(value)
    : bad('must be postgres://user:password@host:port/database; leave it out for SQLite in the data folder')
}

const sipTransports: readonly string[] = ['udp', 'tcp', 'tls', 'wss'] satisfies SipListener['transport'][]

function listeners(value: unknown): ParsedOption {
  const items = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(items) || items.length === 0) return bad(`${shown(value)} must be a list, as udp:0.0.0.0:5060`)
  const seen = new Set<string>()
  const parsed: SipListener[] = []
  for (const item of items) {
    const match = typeof item === 'string' ? /^([a-z]+):(.+)$/.exec(item.trim().toLowerCase()) : null
    const place = match === null ? undefined : addressAndPort(match[2] ?? '')
    if (match === null || place === undefined) return bad(`${shown(item)} must be transport:address:port`)
    if (!sipTransports.includes(match[1] ?? '')) return bad(`${shown(item)}: transport is udp, tcp, tls or wss`)
    if (place.port !== 0 && seen.has(match[0])) return bad(`${shown(item)} is written twice`)
    seen.add(match[0])
    parsed.push(Object.freeze({ transport: match[1] as SipListener['transport'], ...place }))
  }
  return good(parsed)
}

function mediaPorts(value: unknown): ParsedOption {
  const written = Array.isArray(value) ? value.join('-') : value
  const match = typeof written === 'string' ? /^\s*(\d{1,5})\s*-\s*(\d{1,5})\s*$/.exec(written) : null
  if (match === null) return bad(`${shown(value)} must be first-last, as 10000-20000`)
  const first = Number(match[1])
  const last = Number(match[2])
  if (first < 1024 || last > 65_535) return bad(`${shown(value)}: ports lie between 1024 and 65535`)
  if (first % 2 === 1) return bad(`${shown(value)}: ${first} is odd; RTP takes even ports`)
  if (last <= first) return bad(`${shown(value)}: the last port must be above the first`)
  return good([first, last])
}

const logLevels: readonly string[] = ['error', 'warn', 'info', 'debug'] satisfies LogLevel[]

function logLevel(value: unknown): ParsedOption {
  return typeof value === 'string' && logLevels.includes(value.trim().toLowerCase())
    ? good(value.trim().toLowerCase())
    : bad(`${shown(value)} must be one of ${logLevels.join(', ')}`)
}

function externalAddress(value: unknown): ParsedOption {
  return typeof value === 'string' && /^[0-9a-fA-F:.]+$/.test(value.trim()) && isPlausibleAddress(value.trim())
    ? good(value.trim())
    : bad(`${shown(value)} must be an IP address`)
}

function operatorKey(value: unknown): ParsedOption {
  // The value is not repeated in the message: it is a secret.
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value)
    ? good(value)
    : bad('must be 1 to 200 printable characters without spaces')
}

/** Every setting (decisions §7), in the order of the help text. */
export const settingOptions: readonly SettingOption[] = [
  {
    path: 'data',
    environment: 'SAUTI_DATA',
    flag: 'data',
    help: 'folder of the database, recordings, assets, secrets (./data)',
    parse: text('folder'),
  },
  {
    path: 'database_url',
    environment: 'SAUTI_DATABASE_URL',
    help: 'postgres://… (SQLite in the data folder)',
    parse: databaseUrl,
  },
  {
    path: 'http',
    environment: 'SAUTI_HTTP',
    flag: 'http',
    help: 'address:port of the API (127.0.0.1:8080)',
    parse: http,
  },
  {
    path: 'public_url',
    environment: 'SAUTI_PUBLIC_URL',
    flag: 'public-url',
    help: 'base address that customers see (http://localhost:8080)',
    parse: publicUrl,
  },
  {
    path: 'sip.listen',
    environment: 'SAUTI_SIP',
    flag: 'sip',
    help: 'comma list of transport:address:port (udp:0.0.0.0:5060,tcp:0.0.0.0:5060)',
    parse: listeners,
  },
  {
    path: 'sip.realm',
    environment: 'SAUTI_SIP_REALM',
    flag: 'sip-realm',
    help: 'SIP domain (localhost)',
    parse: text('SIP domain'),
  },
  {
    path: 'external_address',
    environment: 'SAUTI_EXTERNAL_ADDRESS',
    flag: 'external-address',
    help: 'IP address written in SDP and Contact (detected)',
    parse: externalAddress,
  },
  {
    path: 'media.ports',
    environment: 'SAUTI_MEDIA_PORTS',
    flag: 'media-ports',
    help: 'UDP ports for RTP (10000-20000)',
    parse: mediaPorts,
  },
  {
    path: 'media.workers',
    environment: 'SAUTI_MEDIA_WORKERS',
    flag: 'media-workers',
    help: 'media threads, 0 = in the main thread (cores − 1)',
    parse: integer(0, 256),
  },
  {
    path: 'media.timeout_seconds',
    flag: 'media-timeout',
    help: 'a leg without RTP for so long ends its call (60)',
    parse: integer(1, 86_400),
  },
  {
    path: 'operator_key',
    environment: 'SAUTI_OPERATOR_KEY',
    help: 'operator secret (made at first start)',
    parse: operatorKey,
  },
  {
    path: 'allow_private_urls',
    environment: 'SAUTI_ALLOW_PRIVATE_URLS',
    flag: 'allow-private-urls',
    help: 'webhooks and Play may reach private and loopback addresses (0)',
    parse: flag,
  },
  { path: 'log', environment: 'SAUTI_LOG', flag: 'log', help: 'error, warn, info or debug (info)', parse: logLevel },
  {
    path: 'drain.seconds',
    flag: 'drain-seconds',
    help: 'how long live calls may go on after SIGTERM (30)',
    parse: integer(0, 86_400),
  },
]
