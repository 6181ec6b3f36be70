/** Header fields whose grammar is a comma-separated list (RFC 3261 §7.3.1 and the registry). */
const lists = [
  'Accept',
  'Accept-Contact',
  'Accept-Encoding',
  'Accept-Language',
  'Alert-Info',
  'Allow',
  'Allow-Events',
  'Call-Info',
  'Contact',
  'Content-Encoding',
  'Content-Language',
  'Diversion',
  'Error-Info',
  'History-Info',
  'In-Reply-To',
  'P-Asserted-Identity',
  'P-Preferred-Identity',
  'Path',
  'Proxy-Require',
  'Reason',
  'Record-Route',
  'Reject-Contact',
  'Remote-Party-ID',
  'Require',
  'Route',
  'Security-Client',
  'Security-Server',
  'Security-Verify',
  'Service-Route',
  'Supported',
  'Unsupported',
  'Via',
  'Warning',
]

/** Others that are usual. */
const singles = [
  'Authorization',
  'Call-ID',
  'Content-Length',
  'Content-Type',
  'CSeq',
  'Date',
  'Event',
  'Expires',
  'From',
  'Identity',
  'Max-Forwards',
  'Min-Expires',
  'Min-SE',
  'Privacy',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'RAck',
  'Refer-To',
  'Referred-By',
  'Replaces',
  'Request-Disposition',
  'Retry-After',
  'RSeq',
  'Server',
  'Session-Expires',
  'Subject',
  'Subscription-State',
  'To',
  'User-Agent',
  'WWW-Authenticate',
]

/** Header fields with a one-letter form: RFC 3261 §7.3.3 and the registry's later ones. */
const compactForms: Readonly<Record<string, string>> = {
  'Accept-Contact': 'a',
  'Allow-Events': 'u',
  'Call-ID': 'i',
  Contact: 'm',
  'Content-Encoding': 'e',
  'Content-Length': 'l',
  'Content-Type': 'c',
  Event: 'o',
  From: 'f',
  Identity: 'y',
  'Refer-To': 'r',
  'Referred-By': 'b',
  'Reject-Contact': 'j',
  'Request-Disposition': 'd',
  'Session-Expires': 'x',
  Subject: 's',
  Supported: 'k',
  To: 't',
  Via: 'v',
}

/** Names as they are usually written: a parsed name that equals one becomes this very string, and outlives its message cheaply. */
const usualNames = [...lists, ...singles]

const slotOf = (text: string, at: number, end: number): number =>
  ((end - at) * 37 + text.charCodeAt(at) * 7 + text.charCodeAt(end - 1)) & 0xff
/** Those names by `slotOf`: compared in the message without making a string. */
const namesBySlot = Array.from({ length: 256 }, (): string[] => [])
for (const name of usualNames) namesBySlot[slotOf(name, 0, name.length)]?.push(name)

/** The name that stands in `text` from `at` to `end`, as a shared string where it is a usual one. */
export function headerNameAt(text: string, at: number, end: number): string {
  for (const name of namesBySlot[slotOf(text, at, end)] ?? [])
    if (name.length === end - at && text.startsWith(name, at)) return name
  return text.slice(at, end)
}

/** What a name is compared by: lower case, and its one-letter form or ''. `isList`: its values may be separated by commas. */
export interface HeaderKey {
  readonly lower: string
  readonly compact: string
  readonly isList: boolean
}

const keyOf = (name: string, compact = ''): HeaderKey => ({
  lower: name.toLowerCase(),
  compact,
  isList: lists.includes(name),
})

/** By the name as it is usually written, by it in lower case, and by its one-letter form. */
const usualKeys: ReadonlyMap<string, HeaderKey> = new Map(
  usualNames.flatMap(name => {
    const compact = compactForms[name]
    const key = keyOf(name, compact)
    return [name, key.lower, compact ?? name].map(spelling => [spelling, key] as const)
  }),
)

/** The key of a name in any spelling, its one-letter form included. */
export const headerKey = (name: string): HeaderKey =>
  usualKeys.get(name) ?? usualKeys.get(name.toLowerCase()) ?? keyOf(name)

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
