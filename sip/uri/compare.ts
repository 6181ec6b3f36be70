import type { Parameter } from '../grammar/parameters.ts'
import type { SipUri, TelUri, Uri } from './uri.ts'

/** Whether two URIs are equal. SIP: RFC 3261 §19.1.4; tel: RFC 3966 §4; others: letter by letter. Not transitive. */
export function sameUri(a: Uri, b: Uri): boolean {
  if (a.kind === 'sip' && b.kind === 'sip') return sameSip(a, b)
  if (a.kind === 'tel' && b.kind === 'tel') return sameTel(a, b)
  return (
    a.kind === 'other' && b.kind === 'other' && a.scheme.toLowerCase() === b.scheme.toLowerCase() && a.rest === b.rest
  )
}

// An escape equals its character unless that is a reserved one (§19.1.2); hex digits in one case.
const plain = (text: string): string =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (octet, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16))
    return /[A-Za-z0-9\-_.!~*'()]/.test(char) ? char : octet.toUpperCase()
  })

const plainOrNone = (text: string | undefined): string | undefined => (text === undefined ? undefined : plain(text))

function sameSip(a: SipUri, b: SipUri): boolean {
  return (
    a.scheme === b.scheme &&
    plainOrNone(a.user) === plainOrNone(b.user) &&
    plainOrNone(a.password) === plainOrNone(b.password) &&
    a.host.toLowerCase() === b.host.toLowerCase() &&
    a.port === b.port &&
    sameParameters(a.parameters, b.parameters) &&
    sameHeaders(a.headers, b.headers)
  )
}

// In one URI alone these never match; the others are then ignored. The rule's text leaves `transport` out,
// its examples (§19.1.4) do not.
const decisive: ReadonlySet<string> = new Set(['user', 'ttl', 'method', 'maddr', 'transport'])

const byName = (pairs: readonly Parameter[]): Map<string, string> =>
  new Map(pairs.map(({ name, value }) => [plain(name).toLowerCase(), plain(value ?? '').toLowerCase()]))

function sameParameters(a: readonly Parameter[], b: readonly Parameter[]): boolean {
  if (a.length === 0 && b.length === 0) return true
  const left = byName(a)
  const right = byName(b)
  for (const [name, value] of left) {
    const other = right.get(name)
    if (other === undefined ? decisive.has(name) : other !== value) return false
  }
  for (const name of right.keys()) if (!left.has(name) && decisive.has(name)) return false
  return true
}

/** Header components count on both sides, in any order; their values are compared as text. */
function sameHeaders(a: readonly Parameter[], b: readonly Parameter[]): boolean {
  if (a.length !== b.length) return false
  const sorted = (pairs: readonly Parameter[]) =>
    pairs.map(({ name, value }) => `${plain(name).toLowerCase()}=${plain(value ?? '')}`).sort()
  const left = sorted(a)
  return sorted(b).every((pair, at) => pair === left[at])
}

function sameTel(a: TelUri, b: TelUri): boolean {
  const digits = (uri: TelUri) => uri.number.replace(/[().-]/g, '').toLowerCase()
  if (digits(a) !== digits(b) || a.parameters.length !== b.parameters.length) return false
  const left = byName(a.parameters)
  return [...byName(b.parameters)].every(([name, value]) => left.get(name) === value)
}
