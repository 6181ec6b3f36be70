import type { Parsed } from '../base/parsed.ts'
import { formatParameters, type Parameter, parameterOf, parseParameters, withParameter } from '../grammar/parameters.ts'
import { quote, quotedEnd, unquote } from '../grammar/quoted-string.ts'
import { skipBlanks } from '../grammar/token.ts'
import { formatUri } from '../uri/format.ts'
import { parseUri } from '../uri/parse.ts'
import type { Uri, UriFault } from '../uri/uri.ts'

/** `"Display Name" <uri>;parameters`, or a bare URI. `displayName` without quotes and escapes, '' = none. */
export interface NameAddr {
  readonly displayName: string
  readonly uri: Uri
  readonly parameters: readonly Parameter[]
}

/** Why an address cannot be read. */
export type NameAddrFault = 'bad-display-name' | 'bad-address' | 'bad-parameter' | UriFault

// Beyond tokens, what peers put there unquoted and cannot be misread (RFC 4475 §3.1.2.15 is misread: a comma).
const ambiguous = /[",;:<>]/

/**
 * What nearly every sender writes: no escapes, no IPv6 address, no headers in the URI. Nothing in it can be read in two
 * ways, and `parseNameAddr` takes all of it; one pass over the text shows it, and no object is made.
 */
const usual =
  /^(?:"[^"\\]*" ?)?<sip:(?:[\w.+-]+@)?(?:[A-Za-z0-9][A-Za-z0-9.]*-+)*[A-Za-z0-9][A-Za-z0-9.]*(?::(?:[1-9]\d{0,3}|[1-5]\d{4}))?(?:;[\w-]+(?:=[\w.+-]+)?)*>(?:;[\w-]+(?:=[\w.+-]+)?)*$/
/** No host in it is longer than a host name may be. */
const longestUsual = 200

/** An address of a SIP URI that is as it should be, in the form that nearly every sender writes; false: to be parsed. */
export const isUsualAddress = (text: string): boolean => text.length <= longestUsual && usual.test(text)

/** The URI of an address that `isUsualAddress`, as `formatUri` would write it. */
export const uriOfUsual = (text: string): string => text.slice(text.lastIndexOf('<') + 1, text.lastIndexOf('>'))

/** The tag of From or To, '' when there is none; undefined: the address cannot be read. */
export function tagOfAddress(text: string): string | undefined {
  if (isUsualAddress(text)) {
    const after = text.lastIndexOf('>') + 1
    if (after === text.length) return ''
    if (text.startsWith(';tag=', after) && text.indexOf(';', after + 1) === -1)
      return text.slice(after + ';tag='.length)
  }
  const address = parseNameAddr(text)
  return address.ok ? (tagOf(address.value) ?? '') : undefined
}

/** RFC 3261 §20.10. Without angle brackets all parameters are the header's, none the URI's. */
export function parseNameAddr(text: string): Parsed<NameAddr, NameAddrFault> {
  const start = skipBlanks(text, 0)
  let displayName = ''
  let open: number
  if (text.charCodeAt(start) === 0x22) {
    const end = quotedEnd(text, start)
    if (end === -1) return { ok: false, reason: 'bad-display-name', at: start }
    displayName = unquote(text.slice(start, end))
    open = skipBlanks(text, end)
    if (text.charCodeAt(open) !== 0x3c) return { ok: false, reason: 'bad-address', at: open }
  } else {
    open = text.indexOf('<', start)
    const semicolon = text.indexOf(';', start)
    if (open === -1 || (semicolon !== -1 && semicolon < open)) return parseBare(text, start, semicolon)
    displayName = text.slice(start, open).trim().replace(/\s+/g, ' ')
    if (ambiguous.test(displayName)) return { ok: false, reason: 'bad-display-name', at: start }
  }
  const close = text.indexOf('>', open)
  if (close === -1) return { ok: false, reason: 'bad-address', at: open }
  return complete(text, displayName, open + 1, close, close + 1)
}

function parseBare(text: string, start: number, semicolon: number): Parsed<NameAddr, NameAddrFault> {
  const end = semicolon === -1 ? text.length : semicolon
  return complete(text, '', start, text.slice(0, end).trimEnd().length, end)
}

function complete(
  text: string,
  displayName: string,
  uriAt: number,
  uriEnd: number,
  parametersAt: number,
): Parsed<NameAddr, NameAddrFault> {
  const uri = parseUri(text.slice(uriAt, uriEnd))
  if (!uri.ok) return { ok: false, reason: uri.reason, at: uriAt + uri.at }
  const parameters = parseParameters(text, parametersAt)
  if (!parameters.ok) return parameters
  return { ok: true, value: { displayName, uri: uri.value, parameters: parameters.value } }
}

/** Always with angle brackets, which never misreads. */
export function formatNameAddr(address: NameAddr): string {
  const name = address.displayName === '' ? '' : `${quote(address.displayName)} `
  return `${name}<${formatUri(address.uri)}>${formatParameters(address.parameters)}`
}

/** The tag of From or To; undefined when there is none. */
export const tagOf = (address: NameAddr): string | undefined => parameterOf(address.parameters, 'tag')

/** The same address with that tag. */
export const withTag = (address: NameAddr, tag: string): NameAddr => ({
  ...address,
  parameters: withParameter(address.parameters, 'tag', tag),
})

/** All of a list; the first that cannot be read is the fault. */
export function parseNameAddrs(values: readonly string[]): Parsed<readonly NameAddr[], NameAddrFault> {
  const addresses: NameAddr[] = []
  for (const value of values) {
    const address = parseNameAddr(value)
    if (!address.ok) return address
    addresses.push(address.value)
  }
  return { ok: true, value: addresses }
}
