import { type VoiceName, voiceNameOf } from './model/engine-voice.ts'
import { listenerTransportNames, type SipListener } from './model/settings.ts'

export type ParsedOption =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

const good = (value: unknown): ParsedOption => ({ ok: true, value })
const bad = (problem: string): ParsedOption => ({ ok: false, problem })
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}

export const text =
  (what: string) =>
  (value: unknown): ParsedOption =>
    typeof value === 'string' && value.trim() !== '' && !/[\0\r\n]/.test(value)
      ? good(value.trim())
      : bad(`${shown(value)} is no ${what}`)

export const integer =
  (min: number, max: number) =>
  (value: unknown): ParsedOption => {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
      ? good(number)
      : bad(`${shown(value)} must be a whole number from ${min} to ${max}`)
  }

/** Upper limit of counted quotas: documents, end-users, tokens, streams. */
export const maxQuota = 1_000_000

/** MB, kept as bytes. */
export function megabytes(value: unknown): ParsedOption {
  const parsed = integer(0, 100_000_000)(value)
  return parsed.ok ? good((parsed.value as number) * 1_000_000) : parsed
}

export function flag(value: unknown): ParsedOption {
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

/** `127.0.0.1:8080`, `https:0.0.0.0:8443`; several with commas, or a list. */
export function http(value: unknown): ParsedOption {
  const written = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]
  const listeners = []
  for (const entry of written) {
    const match = typeof entry === 'string' ? /^(?:(https?):)?(.+)$/.exec(entry.trim()) : null
    const parsed = addressAndPort(match?.[2] ?? '')
    if (parsed === undefined)
      return bad(`${shown(entry)} must be address:port, as 127.0.0.1:8080 or https:0.0.0.0:8443`)
    listeners.push(Object.freeze({ scheme: match?.[1] ?? 'http', ...parsed }))
  }
  return good(listeners)
}

export function publicUrl(value: unknown): ParsedOption {
  const match = typeof value === 'string' ? /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i.exec(value.trim()) : null
  return match === null
    ? bad(`${shown(value)} must be an absolute address, as https://voice.example.com`)
    : good(match[0].replace(/\/+$/, ''))
}

export function databaseUrl(value: unknown): ParsedOption {
  // The value is not repeated in the message: it holds a password.
  return typeof value === 'string' && /^postgres(ql)?:\/\/\S+$/.test(value)
    ? good(value)
    : bad('must be postgres://user:password@host:port/database; leave it out for SQLite in the data folder')
}

export function listeners(value: unknown): ParsedOption {
  const items = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(items) || items.length === 0) return bad(`${shown(value)} must be a list, as udp:0.0.0.0:5060`)
  const seen = new Set<string>()
  const parsed: SipListener[] = []
  for (const item of items) {
    const match = typeof item === 'string' ? /^([a-z]+):(.+)$/.exec(item.trim().toLowerCase()) : null
    const place = match === null ? undefined : addressAndPort(match[2] ?? '')
    if (match === null || place === undefined) return bad(`${shown(item)} must be transport:address:port`)
    if (!listenerTransportNames.includes(match[1] ?? ''))
      return bad(`${shown(item)}: transport is ${listenerTransportNames.join(', ').replace(/, (\w+)$/, ' or $1')}`)
    if (place.port !== 0 && seen.has(match[0])) return bad(`${shown(item)} is written twice`)
    seen.add(match[0])
    parsed.push(Object.freeze({ transport: match[1] as SipListener['transport'], ...place }))
  }
  return good(parsed)
}

export function mediaPorts(value: unknown): ParsedOption {
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

export const oneOf =
  (choices: readonly string[]) =>
  (value: unknown): ParsedOption =>
    typeof value === 'string' && choices.includes(value.trim().toLowerCase())
      ? good(value.trim().toLowerCase())
      : bad(`${shown(value)} must be one of ${choices.join(', ')}`)

/** `203.0.113.7`; with IPv6 beside it `203.0.113.7,2001:db8::7`, or a list. */
export function externalAddresses(value: unknown): ParsedOption {
  const written: unknown = typeof value === 'string' ? value.split(',') : value
  const parts: readonly unknown[] = Array.isArray(written) ? written : [written]
  const addresses = parts.map(part => (typeof part === 'string' ? part.trim() : ''))
  if (!addresses.every(address => network(address) === address && !address.includes('/')))
    return bad(`${shown(value)} must be an IP address`)
  if (new Set(addresses.map(address => address.includes(':'))).size < addresses.length)
    return bad(`${shown(value)} must be one address, or one of IPv4 and one of IPv6`)
  return good(addresses)
}

/** Up to `most` printable characters without spaces. */
export const secret =
  (most: number) =>
  (value: unknown): ParsedOption =>
    // The value is not repeated in the message.
    typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) && value.length <= most
      ? good(value)
      : bad(`must be 1 to ${most} printable characters without spaces`)

/** A comma list, or a list in YAML; `read` gives an entry as it is kept, undefined when it is none. */
export const list =
  (read: (entry: string) => string | undefined, example: string) =>
  (value: unknown): ParsedOption => {
    const entries: unknown = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(entries)) return bad(`${shown(value)} must be a list, as ${example}`)
    const kept = new Set<string>()
    for (const entry of entries) {
      const known = typeof entry === 'string' ? read(entry.trim()) : undefined
      if (known === undefined) return bad(`${shown(entry)} must be as ${example}`)
      kept.add(known)
    }
    return good([...kept])
  }

// RFC 7064, RFC 7065.
export const stunUri = (text: string) =>
  /^stuns?:(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(text) ? text : undefined
export const turnUri = (text: string) =>
  /^turns?:(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?(\?transport=(udp|tcp))?$/i.test(text) ? text : undefined

/** As a browser writes it in its Origin header: lower case, no path. */
export const origin = (text: string) =>
  text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/i.test(text) ? text.toLowerCase() : undefined

export const network = (text: string) => {
  const [address = '', bits = '0', more] = text.split('/')
  const isFour = address.includes('.') && !address.includes(':')
  const isAddress = isFour
    ? isPlausibleAddress(address) && /^[\d.]+$/.test(address)
    : /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address)
  return isAddress && more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= (isFour ? 32 : 128)
    ? text
    : undefined
}

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53`, `[2001:db8::53]:5353`. */
export const dnsServer = (text: string) => {
  const [, bracketed, port = '53'] = /^(?:\[([^\]]+)\]|[^:[\]]+|[0-9a-f:.]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const hasPort = text.startsWith('[') || text.split(':').length === 2
  const address = bracketed ?? (hasPort ? text.replace(/:\d+$/, '') : text)
  const isGood = !address.includes('/') && network(address) !== undefined && Number(port) > 0 && Number(port) < 65_536
  return isGood ? text : undefined
}

/** `name=engine:voice`, comma list or list in YAML; a name counts once, whatever its case. */
export function voices(value: unknown): ParsedOption {
  const entries: unknown = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(entries)) return bad(`${shown(value)} must be a list, as sw=piper:sw_CD-lanfrica-medium`)
  const kept = new Map<string, VoiceName>()
  for (const entry of entries) {
    const voice = typeof entry === 'string' ? voiceNameOf(entry) : undefined
    if (voice === undefined)
      return bad(`${shown(entry)} must be as sw=piper:sw_CD-lanfrica-medium or alice=openai:nova`)
    if (kept.has(voice.name.toLowerCase())) return bad(`${shown(voice.name)} is named twice`)
    kept.set(voice.name.toLowerCase(), Object.freeze(voice))
  }
  return good([...kept.values()])
}

/** An http(s) address with a path or without; a key has its own place. */
export function serverUrl(value: unknown): ParsedOption {
  const url = typeof value === 'string' ? URL.parse(value.trim()) : null
  const isOne = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return isOne ? good(url.href) : bad(`${shown(value)} must be an http or https address without user and password`)
}

/** `udp:homer.example.com:9060`, `udp:192.0.2.9:9060`. */
export function hepServer(value: unknown): ParsedOption {
  const [, place = ''] = /^udp:(.+)$/.exec(String(value).trim()) ?? []
  const server = addressAndPort(place)
  return server === undefined || server.port === 0
    ? bad('must be udp:host:port, as udp:homer.example.com:9060 or udp:192.0.2.9:9060')
    : good(server)
}
