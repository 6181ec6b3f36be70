import type { Parsed } from '../base/parsed.ts'
import type { Parameter } from '../grammar/parameters.ts'
import { hasBadEscape } from './escape.ts'
import { parseHostPort } from './host.ts'
import type { SipUri, TelUri, Uri, UriFault } from './uri.ts'

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*$/
// Characters that must be escaped anywhere in a URI.
const forbidden = /[\s<>"\x00-\x1f\x7f]/
// At least one digit among separators. Written so that no text is matched in more than linear time.
const telNumber = /^\+?[().-]*[0-9A-Fa-f*#][0-9A-Fa-f*#().-]*$/

const fault = (reason: UriFault, at: number): Parsed<never, UriFault> => ({ ok: false, reason, at })

/** RFC 3261 §19.1, RFC 3966 §3. */
export function parseUri(text: string): Parsed<Uri, UriFault> {
  if (text.startsWith('sip:') && !forbidden.test(text)) return parseSip(text, 'sip', 4)
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0))
  if (!scheme.test(name) || forbidden.test(text)) return fault('bad-scheme', 0)
  const lower = name.toLowerCase()
  if (lower === 'sip' || lower === 'sips') return parseSip(text, lower, colon + 1)
  if (lower === 'tel') return parseTel(text, colon + 1)
  const rest = text.slice(colon + 1)
  return rest === '' ? fault('bad-host', colon + 1) : { ok: true, value: { kind: 'other', scheme: name, rest } }
}

function parseSip(text: string, scheme: 'sip' | 'sips', at: number): Parsed<SipUri, UriFault> {
  // A user may hold ; and ? but no bare @, so the first @ ends it.
  const userEnd = text.indexOf('@', at)
  let user: string | undefined
  let password: string | undefined
  if (userEnd !== -1) {
    const info = text.slice(at, userEnd)
    const colon = info.indexOf(':')
    user = colon === -1 ? info : info.slice(0, colon)
    password = colon === -1 ? undefined : info.slice(colon + 1)
    if (hasBadEscape(info) || password?.includes(':') === true) return fault('bad-user', at)
  }
  const hostAt = userEnd === -1 ? at : userEnd + 1
  const headersAt = indexOrEnd(text, '?', hostAt)
  const hostEnd = Math.min(indexOrEnd(text, ';', hostAt), headersAt)
  const hostPort = parseHostPort(text.slice(hostAt, hostEnd))
  if (hostPort === undefined) return fault('bad-host', hostAt)
  if (text.includes('@', hostEnd)) return fault('bad-parameter', hostEnd)
  const parameters = parsePairs(text.slice(hostEnd + 1, headersAt), ';')
  if (hostEnd < headersAt && parameters === undefined) return fault('bad-parameter', hostEnd)
  const headers = parsePairs(text.slice(headersAt + 1), '&')
  if (headersAt < text.length && headers === undefined) return fault('bad-header', headersAt)
  const { host, port } = hostPort
  return {
    ok: true,
    value: { kind: 'sip', scheme, user, password, host, port, parameters: parameters ?? [], headers: headers ?? [] },
  }
}

function parseTel(text: string, at: number): Parsed<TelUri, UriFault> {
  const end = indexOrEnd(text, ';', at)
  const number = text.slice(at, end)
  if (!telNumber.test(number)) return fault('bad-number', at)
  const parameters = parsePairs(text.slice(end + 1), ';')
  if (end < text.length && parameters === undefined) return fault('bad-parameter', end)
  return { ok: true, value: { kind: 'tel', scheme: 'tel', number, parameters: parameters ?? [] } }
}

function indexOrEnd(text: string, mark: string, at: number): number {
  const index = text.indexOf(mark, at)
  return index === -1 ? text.length : index
}

/** `name[=value]` between marks; undefined when a name is missing or an escape is broken. */
function parsePairs(text: string, mark: string): readonly Parameter[] | undefined {
  if (text === '' || hasBadEscape(text)) return undefined
  const pairs: Parameter[] = []
  let equals = text.indexOf('=')
  for (let at = 0; at <= text.length; ) {
    const end = indexOrEnd(text, mark, at)
    if (equals !== -1 && equals < at) equals = text.indexOf('=', at)
    if (end === at || equals === at) return undefined
    pairs.push(
      equals === -1 || equals > end
        ? { name: text.slice(at, end), value: undefined }
        : { name: text.slice(at, equals), value: text.slice(equals + 1, end) },
    )
    at = end + 1
  }
  return pairs
}
