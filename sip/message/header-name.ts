/** Header fields with a one-letter form: RFC 3261 §7.3.3 and the registry's later ones. */
const compactForms: Readonly<Record<string, string>> = {
  'accept-contact': 'a',
  'allow-events': 'u',
  'call-id': 'i',
  contact: 'm',
  'content-encoding': 'e',
  'content-length': 'l',
  'content-type': 'c',
  event: 'o',
  from: 'f',
  identity: 'y',
  'refer-to': 'r',
  'referred-by': 'b',
  'reject-contact': 'j',
  'request-disposition': 'd',
  'session-expires': 'x',
  subject: 's',
  supported: 'k',
  to: 't',
  via: 'v',
}

/** Names as they are usually written: a parsed name that equals one becomes this very string, and outlives its message cheaply. */
const usualNames = [
  'Accept',
  'Allow',
  'Allow-Events',
  'Authorization',
  'Call-ID',
  'Contact',
  'Content-Length',
  'Content-Type',
  'CSeq',
  'Date',
  'Diversion',
  'Event',
  'Expires',
  'From',
  'History-Info',
  'Identity',
  'Max-Forwards',
  'Min-Expires',
  'Min-SE',
  'P-Asserted-Identity',
  'P-Preferred-Identity',
  'Path',
  'Privacy',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'Proxy-Require',
  'RAck',
  'Reason',
  'Record-Route',
  'Refer-To',
  'Referred-By',
  'Remote-Party-ID',
  'Replaces',
  'Require',
  'Retry-After',
  'Route',
  'RSeq',
  'Server',
  'Session-Expires',
  'Subscription-State',
  'Supported',
  'To',
  'Unsupported',
  'User-Agent',
  'Via',
  'Warning',
  'WWW-Authenticate',
] as const

const compactNames = Object.values(compactForms)

const interned: ReadonlyMap<string, string> = new Map(
  [...usualNames, ...compactNames, ...compactNames.map(form => form.toUpperCase())].map(name => [name, name]),
)

/** The same name, as a shared string where it is a usual one. */
export const internHeaderName = (name: string): string => interned.get(name) ?? name

/** What a name is compared by: lower case, and its one-letter form or ''. */
export interface HeaderKey {
  readonly lower: string
  readonly compact: string
}

const longForms: ReadonlyMap<string, string> = new Map(
  Object.entries(compactForms).map(([long, compact]) => [compact, long]),
)

const keyOfLower = (lower: string): HeaderKey => ({
  lower,
  compact: Object.hasOwn(compactForms, lower) ? (compactForms[lower] ?? '') : '',
})

const usualKeys: ReadonlyMap<string, HeaderKey> = new Map(
  usualNames.map(name => [name, keyOfLower(name.toLowerCase())]),
)

/** The key of a name in any spelling, its one-letter form included. */
export function headerKey(name: string): HeaderKey {
  const usual = usualKeys.get(name)
  if (usual !== undefined) return usual
  const lower = name.toLowerCase()
  return keyOfLower(longForms.get(lower) ?? lower)
}

/** Whether `name`, as written in a message, is the header of `key`. Allocates only for an odd spelling that may fit. */
export function isHeader(name: string, key: HeaderKey): boolean {
  const { lower, compact } = key
  if (name.length === 1) {
    return compact !== '' ? (name.charCodeAt(0) | 0x20) === compact.charCodeAt(0) : name.toLowerCase() === lower
  }
  if (name.length !== lower.length) return false
  if ((name.charCodeAt(0) | 0x20) !== (lower.charCodeAt(0) | 0x20)) return false
  const last = lower.length - 1
  if ((name.charCodeAt(last) | 0x20) !== (lower.charCodeAt(last) | 0x20)) return false
  return name.toLowerCase() === lower
}

/** RFC 3261 §7.3.1 and the registry: fields whose grammar is a comma-separated list, in lower case. */
const listed: ReadonlySet<string> = new Set([
  'accept',
  'accept-contact',
  'accept-encoding',
  'accept-language',
  'alert-info',
  'allow',
  'allow-events',
  'call-info',
  'contact',
  'content-encoding',
  'content-language',
  'diversion',
  'error-info',
  'history-info',
  'in-reply-to',
  'p-asserted-identity',
  'p-preferred-identity',
  'path',
  'proxy-require',
  'reason',
  'record-route',
  'reject-contact',
  'remote-party-id',
  'require',
  'route',
  'security-client',
  'security-server',
  'security-verify',
  'service-route',
  'supported',
  'unsupported',
  'via',
  'warning',
])

export const isListed = (key: HeaderKey): boolean => listed.has(key.lower)
