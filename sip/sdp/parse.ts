import type { Parsed } from '../base/parsed.ts'
import { boundedNumber } from '../grammar/token.ts'
import {
  type Attribute,
  type Connection,
  type MediaDescription,
  type Origin,
  type SessionDescription,
  sdpLimits,
} from './session.ts'

/** What is wrong with a session description, as a word that stays. */
export type SdpFault =
  | 'too-large'
  | 'bad-version'
  | 'bad-line'
  | 'bad-connection'
  | 'bad-media'
  | 'bad-port'
  | 'bad-format'
  | 'too-many-media'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/**
 * RFC 8866. Any line end and any order within a level; unknown types, missing `o=`, `s=` or `t=`, and attributes with
 * control characters are let pass. Ports, payload types, `c=` and the version line must be right. `at`: the line.
 */
export function parseSdp(input: string | Uint8Array): Parsed<SessionDescription, SdpFault> {
  if (input.length > sdpLimits.length) return { ok: false, reason: 'too-large', at: 0 }
  const text = typeof input === 'string' ? input : decoder.decode(input)
  const hasControl = control.test(text)
  let session: Mutable<SessionDescription> | undefined
  let media: Mutable<MediaDescription> | undefined
  let next = 0
  for (let at = 0; next <= text.length; at++) {
    const start = next
    const end = lineEnd(text, start)
    next = text.startsWith('\r\n', end) ? end + 2 : end + 1
    if (end === start) continue
    if (session === undefined) {
      if (text.slice(start, end).trimEnd() !== 'v=0') return { ok: false, reason: 'bad-version', at }
      session = emptySession()
      continue
    }
    if (end < start + 2 || text.charAt(start + 1) !== '=') return { ok: false, reason: 'bad-line', at }
    const type = text.charAt(start)
    const value = text.slice(start + 2, end)
    if (hasControl && control.test(value)) {
      if (type === 'a') continue
      return { ok: false, reason: 'bad-line', at }
    }
    if (type === 'm') {
      const parsed = parseMedia(value)
      if (typeof parsed === 'string') return { ok: false, reason: parsed, at }
      if (session.media.length === sdpLimits.media) return { ok: false, reason: 'too-many-media', at }
      session.media.push(parsed)
      media = parsed
      continue
    }
    const fault = media === undefined ? readSessionLine(session, type, value) : readMediaLine(media, type, value)
    if (fault !== undefined) return { ok: false, reason: fault, at }
  }
  if (session === undefined) return { ok: false, reason: 'bad-version', at: 0 }
  if (session.timing.length === 0) session.timing.push('t=0 0')
  return { ok: true, value: session }
}

/** Where the line that begins at `at` ends: a CR or LF, or the end of the text. */
function lineEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && text.charCodeAt(end) !== 0x0a && text.charCodeAt(end) !== 0x0d) end++
  return end
}

const emptySession = (): Mutable<SessionDescription> => ({
  origin: undefined,
  name: '-',
  information: undefined,
  uri: undefined,
  emails: [],
  phones: [],
  connection: undefined,
  bandwidths: [],
  timing: [],
  key: undefined,
  attributes: [],
  media: [],
})

function readSessionLine(session: Mutable<SessionDescription>, type: string, value: string): SdpFault | undefined {
  switch (type) {
    case 'a':
      session.attributes.push(parseAttribute(value))
      break
    case 'c':
      session.connection ??= parseConnection(value)
      return session.connection === undefined ? 'bad-connection' : undefined
    case 'o':
      session.origin = parseOrigin(value)
      break
    case 's':
      session.name = value.trim() === '' ? '-' : value
      break
    case 't':
    case 'r':
    case 'z':
      session.timing.push(`${type}=${value}`)
      break
    case 'b':
      session.bandwidths.push(value)
      break
    case 'i':
      session.information = value
      break
    case 'u':
      session.uri = value
      break
    case 'e':
      session.emails.push(value)
      break
    case 'p':
      session.phones.push(value)
      break
    case 'k':
      session.key = value
      break
  }
  return undefined
}

function readMediaLine(media: Mutable<MediaDescription>, type: string, value: string): SdpFault | undefined {
  switch (type) {
    case 'a':
      media.attributes.push(parseAttribute(value))
      break
    case 'c': {
      const connection = parseConnection(value)
      if (connection === undefined) return 'bad-connection'
      media.connections.push(connection)
      break
    }
    case 'b':
      media.bandwidths.push(value)
      break
    case 'i':
      media.title = value
      break
    case 'k':
      media.key = value
      break
  }
  return undefined
}

function parseAttribute(value: string): Attribute {
  const colon = value.indexOf(':')
  return colon === -1
    ? { name: value.trimEnd(), value: undefined }
    : { name: value.slice(0, colon), value: value.slice(colon + 1) }
}

function parseConnection(value: string): Connection | undefined {
  const words = new Words(value)
  if (words.next()?.toUpperCase() !== 'IN') return undefined
  const addressType = words.next()
  const target = words.next()
  if (addressType === undefined || target === undefined || words.next() !== undefined) return undefined
  const slash = target.indexOf('/')
  return slash === -1
    ? { addressType, address: target, scope: undefined }
    : { addressType, address: target.slice(0, slash), scope: target.slice(slash + 1) }
}

function parseOrigin(value: string): Origin | undefined {
  const words = new Words(value)
  const username = words.next()
  const sessionId = words.next()
  const sessionVersion = words.next()
  // The network: `IN`.
  words.next()
  const addressType = words.next()
  const address = words.next()
  if (username === undefined || sessionId === undefined || sessionVersion === undefined) return undefined
  if (addressType === undefined || address === undefined) return undefined
  return { username, sessionId, sessionVersion, addressType, address }
}

/** RFC 8866 §5.14: `m=<media> <port>[/<number>] <protocol> <format> …` */
function parseMedia(value: string): Mutable<MediaDescription> | SdpFault {
  const words = new Words(value)
  const media = words.next()
  const portText = words.next()
  const protocol = words.next()
  if (media === undefined || portText === undefined || protocol === undefined) return 'bad-media'
  const slash = portText.indexOf('/')
  const count = slash === -1 ? undefined : portText.slice(slash + 1).split('/', 1)[0]
  const port = boundedNumber(slash === -1 ? portText : portText.slice(0, slash), 65535)
  const portCount = count === undefined ? undefined : boundedNumber(count, 65535)
  if (port === undefined || (count !== undefined && portCount === undefined)) return 'bad-port'
  const formats: string[] = []
  for (let format = words.next(); format !== undefined; format = words.next()) {
    if (formats.length === sdpLimits.formats) return 'bad-format'
    formats.push(format)
  }
  if (isRtp(protocol) && !formats.every(isPayloadType)) return 'bad-format'
  return {
    media,
    port,
    portCount,
    protocol,
    formats,
    title: undefined,
    connections: [],
    bandwidths: [],
    key: undefined,
    attributes: [],
  }
}

/** The words of a value, one by one: thousands of lines a second are read, and of most the words are few and known. */
class Words {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Undefined: there are no more. */
  next(): string | undefined {
    const text = this.#text
    let start = this.#at
    while (start < text.length && isSpace(text.charCodeAt(start))) start++
    let end = start
    while (end < text.length && !isSpace(text.charCodeAt(end))) end++
    this.#at = end
    return end === start ? undefined : text.slice(start, end)
  }
}

/** What `\s` matches: a space or tab, as written; and the white space of Unicode, which is let pass. */
const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x09 || (code > 0x7f && /\s/.test(String.fromCharCode(code)))

const isRtp = (protocol: string): boolean => /(?:^|\/)RTP\//i.test(protocol)

/** RFC 3551 §6: seven bits. */
const isPayloadType = (text: string): boolean => boundedNumber(text, 127) !== undefined
