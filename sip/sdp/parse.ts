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
  const lines = (typeof input === 'string' ? input : decoder.decode(input)).split(/\r\n|\n|\r/)
  const first = lines.findIndex(line => line !== '')
  if (first === -1 || lines[first]?.trimEnd() !== 'v=0') {
    return { ok: false, reason: 'bad-version', at: Math.max(first, 0) }
  }
  const session = emptySession()
  let media: Mutable<MediaDescription> | undefined
  for (let at = first + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    if (line[1] !== '=') return { ok: false, reason: 'bad-line', at }
    const value = line.slice(2)
    if (control.test(value)) {
      if (line[0] === 'a') continue
      return { ok: false, reason: 'bad-line', at }
    }
    if (line[0] === 'm') {
      const parsed = parseMedia(value)
      if (typeof parsed === 'string') return { ok: false, reason: parsed, at }
      if (session.media.length === sdpLimits.media) return { ok: false, reason: 'too-many-media', at }
      session.media.push(parsed)
      media = parsed
      continue
    }
    const fault = media === undefined ? readSessionLine(session, line, value) : readMediaLine(media, line, value)
    if (fault !== undefined) return { ok: false, reason: fault, at }
  }
  if (session.timing.length === 0) session.timing.push('t=0 0')
  return { ok: true, value: session }
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

function readSessionLine(session: Mutable<SessionDescription>, line: string, value: string): SdpFault | undefined {
  switch (line[0]) {
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
      session.timing.push(line)
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

function readMediaLine(media: Mutable<MediaDescription>, line: string, value: string): SdpFault | undefined {
  switch (line[0]) {
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
  const [network, addressType, target, more] = value.trim().split(/\s+/, 4)
  if (network?.toUpperCase() !== 'IN' || addressType === undefined || target === undefined || more !== undefined) {
    return undefined
  }
  const slash = target.indexOf('/')
  return slash === -1
    ? { addressType, address: target, scope: undefined }
    : { addressType, address: target.slice(0, slash), scope: target.slice(slash + 1) }
}

function parseOrigin(value: string): Origin | undefined {
  const [username, sessionId, sessionVersion, , addressType, address] = value.trim().split(/\s+/, 6)
  if (username === undefined || sessionId === undefined || sessionVersion === undefined) return undefined
  if (addressType === undefined || address === undefined) return undefined
  return { username, sessionId, sessionVersion, addressType, address }
}

/** RFC 8866 §5.14: `m=<media> <port>[/<number>] <protocol> <format> …` */
function parseMedia(value: string): Mutable<MediaDescription> | SdpFault {
  const [media, portText, protocol, ...formats] = value.trim().split(/\s+/, sdpLimits.formats + 4)
  if (media === undefined || portText === undefined || protocol === undefined) return 'bad-media'
  const [first = '', count] = portText.split('/', 2)
  const port = boundedNumber(first, 65535)
  const portCount = count === undefined ? undefined : boundedNumber(count, 65535)
  if (port === undefined || (count !== undefined && portCount === undefined)) return 'bad-port'
  if (formats.length > sdpLimits.formats) return 'bad-format'
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

const isRtp = (protocol: string): boolean => /(?:^|\/)RTP\//i.test(protocol)

/** RFC 3551 §6: seven bits. */
const isPayloadType = (text: string): boolean => boundedNumber(text, 127) !== undefined
