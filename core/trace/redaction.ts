const lf = 0x0a
const cr = 0x0d
const at = 0x40
const colon = 0x3a
const star = 0x2a
const space = 0x20
const tab = 0x09
const lowerCase = 0x20
const equals = 0x3d
const backslash = 0x5c
/** By octet: `coverSecrets` stops there. */
const stops = new Uint8Array(256)
for (const octet of [lf, at, equals]) stops[octet] = 1
/** By octet: a URI cannot go on after it. */
const isWordEnd = new Uint8Array(256)
for (const octet of new TextEncoder().encode(' \t",<>')) isWordEnd[octet] = 1

/** Headers whose value is a secret or made of one (RFC 3261 §20.7, §20.28, §20.6; RFC 8224 is signed in public). */
const secretHeaders: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
]
const secretWords = /token|secret|passw|api-?key|auth|cookie/
const quote = 0x22
/** Ends of names of parameters whose value is secret, by their last letter; `pn-prid` names a device to a push service (RFC 8599). */
const secretNames = byLastLetter([
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'apikey',
  'api_key',
  'api-key',
  'signature',
  'sig',
  'jwt',
  'pn-prid',
])
/** By octet: the value of a parameter does not go on after it. */
const isValueEnd = new Uint8Array(256)
for (const octet of new TextEncoder().encode(' \t\r\n",;&<>')) isValueEnd[octet] = 1

/**
 * Covers secrets of a SIP message in place, length unchanged: credentials, passwords in URIs, parameters named as secrets, keys
 * in SDP (RFC 4568, `k=` of RFC 4566), ICE passwords. Returns where the Call-ID's value is as `start * 65536 + length`, -1 when there is none. One pass.
 */
export function coverSecrets(bytes: Uint8Array, from: number, to: number): number {
  let callId = -1
  let isCovering = false
  let line = from
  while (line < to) {
    let end = line
    // How many colons the word has up to its last `@`, and where it goes on.
    let colons = 0
    let seen = line
    for (; end < to; end++) {
      // Four at a time, as few have a stop among them.
      while (
        end + 3 < to &&
        (stops[bytes[end]!]! | stops[bytes[end + 1]!]! | stops[bytes[end + 2]!]! | stops[bytes[end + 3]!]!) === 0
      )
        end += 4
      if (end === to) break
      const byte = bytes[end]!
      if (stops[byte] === 0) continue
      if (byte === lf) break
      if (byte === equals) {
        if (isSecretName(bytes, line, end)) coverParameter(bytes, end + 1, to)
        continue
      }
      // `sip:user:password@host`: back to the begin of the word, or to the sign before.
      let password = seen
      let found = 0
      for (let index = end - 1; index >= seen; index--) {
        if (bytes[index] === colon) {
          if (++found === 1) password = index + 1
        } else if (isWordEnd[bytes[index]!] === 1) {
          colons = 0
          break
        }
      }
      colons += found
      seen = end + 1
      if (colons > 1) cover(bytes, password, end)
    }
    const first = bytes[line]! | lowerCase
    if (bytes[line] === space || bytes[line] === tab) {
      // A folded line goes on with the header before it (RFC 3261 §7.3.1).
      if (isCovering) cover(bytes, line + 1, end)
    } else {
      isCovering = false
      if (first === 0x61 || first === 0x70 || first === 0x78) {
        isCovering = isSecret(bytes, line, end)
        if (isCovering) coverValue(bytes, line, end)
        else if (first === 0x61 && bytes[line + 1] === equals) coverAttribute(bytes, line, end)
      } else if (first === 0x6b && bytes[line + 1] === equals) cover(bytes, line + 2, end)
      else if (callId === -1 && (first === 0x63 || first === 0x69)) callId = callIdAt(bytes, line, end, from)
    }
    line = end + 1
  }
  return callId
}

function isSecret(bytes: Uint8Array, line: number, end: number): boolean {
  let stop = line
  while (stop < end && bytes[stop] !== colon && bytes[stop] !== space && bytes[stop] !== 0x3d && stop - line < 64)
    stop++
  if (stop - line < 5 || bytes[stop] === 0x3d) return false
  const isExtension = (bytes[line]! | lowerCase) === 0x78
  const second = bytes[line + 1]! | lowerCase
  // Authorization, Authentication-Info, Proxy-…, X-…; Allow, Accept, P-Asserted-Identity and the like are left at once.
  if (!isExtension && second !== 0x75 && second !== 0x72) return false
  let name = ''
  for (let index = line; index < stop; index++) name += String.fromCharCode(bytes[index]! | lowerCase)
  return isExtension ? secretWords.test(name) : secretHeaders.includes(name)
}

function byLastLetter(names: readonly string[]): readonly (readonly Uint8Array[] | undefined)[] {
  const found: Uint8Array[][] = []
  for (const name of names) {
    const bytes = new TextEncoder().encode(name)
    const last = bytes[bytes.length - 1]!
    found[last] = [...(found[last] ?? []), bytes]
  }
  return found
}

/** Whether what ends at `end` is the name of a parameter whose value is secret. */
function isSecretName(bytes: Uint8Array, line: number, end: number): boolean {
  const names = end === line ? undefined : secretNames[bytes[end - 1]! | lowerCase]
  if (names === undefined) return false
  for (const name of names) {
    const begin = end - name.length
    let at = 0
    while (at < name.length && begin >= line && (bytes[begin + at]! | lowerCase) === (name[at]! | lowerCase)) at++
    if (at === name.length) return true
  }
  return false
}

/** A token, or a quoted string. */
function coverParameter(bytes: Uint8Array, from: number, to: number): void {
  let begin = from
  if (bytes[begin] === quote) begin++
  let end = begin
  while (end < to && isValueEnd[bytes[end]!] === 0) end++
  cover(bytes, begin, end)
}

/** All after the scheme: `Digest ****`. */
function coverValue(bytes: Uint8Array, line: number, end: number): void {
  let start = bytes.indexOf(colon, line) + 1
  while (start < end && bytes[start] === space) start++
  let word = start
  while (word < end && bytes[word] !== space && bytes[word] !== cr) word++
  cover(bytes, word < end && bytes[word] === space ? word + 1 : start, end)
}

function coverAttribute(bytes: Uint8Array, line: number, end: number): void {
  const third = bytes[line + 2]
  if (third === 0x63 && bytes[line + 3] === 0x72) {
    // a=crypto:1 SUITE inline:KEY
    for (let index = line; index < end - 7; index++) {
      if (bytes[index] === 0x69 && bytes[index + 1] === 0x6e && bytes[index + 6] === colon) {
        cover(bytes, index + 7, end)
        return
      }
    }
    cover(bytes, line + 9, end)
  } else if (third === 0x69 && bytes[line + 6] === 0x70) cover(bytes, line + 10, end)
  else if (third === 0x6b && bytes[line + 3] === 0x65) cover(bytes, line + 6, end)
}

function cover(bytes: Uint8Array, from: number, to: number): void {
  for (let index = from; index < to; index++) if (bytes[index] !== cr) bytes[index] = star
}

function callIdAt(bytes: Uint8Array, line: number, end: number, from: number): number {
  const isCompact = (bytes[line]! | lowerCase) === 0x69
  if (!isCompact && !((bytes[line + 5]! | lowerCase) === 0x69 && bytes[line + 4] === 0x2d)) return -1
  let start = line + (isCompact ? 1 : 7)
  while (bytes[start] === space || bytes[start] === tab) start++
  if (bytes[start] !== colon) return -1
  start++
  while (start < end && (bytes[start] === space || bytes[start] === tab)) start++
  let stop = end
  while (stop > start && (bytes[stop - 1] === cr || bytes[stop - 1] === space)) stop--
  return (start - from) * 65536 + Math.min(65535, stop - start)
}

/** What no text without a secret needs to be looked at for. */
const maySecret = /[=@]|"\s*:/
/** One of these stands in every text that `covered` changes: each of its patterns needs one. */
const secretSign = /@|token|secret|passw|key|sig|pwd|jwt|hmac|auth|credential|session/i

const isSign = new Uint8Array(256)
for (const octet of [equals, at, backslash]) isSign[octet] = 1

/** The same of JSON whose names are no secrets: a quotation mark in a text has a backslash before it. */
export function mayHoldSecret(json: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (isSign[json[index]!] === 1) return true
  return false
}

/** Whether what covers secrets may change one of its texts: JSON writes each of these signs as it is. */
export const hasSecretSign = (json: string): boolean => secretSign.test(json)

/**
 * Values of attributes and of query parameters that are secrets, in a document, a URL or JSON. The time it takes grows with
 * the length alone: customers write these texts, so no pattern tries one place again and again.
 */
export const withoutSecrets = (text: string): string =>
  maySecret.test(text) && secretSign.test(text) ? covered(text) : text

/** The same of JSON that is already parsed, string by string: what covers a secret in its text may break the text. */
export function dataWithoutSecrets(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return secretMember.test(name) ? '****' : withoutSecrets(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => dataWithoutSecrets(item, name))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, dataWithoutSecrets(item, key)]))
}

/** Its first characters, without secrets: covered before it is cut, since half a secret no longer looks like one. */
export const withoutSecretsUpTo = (text: string, length: number): string =>
  text.length > length ? `${withoutSecrets(text).slice(0, length)}…` : text

/** A document that was cut in the middle loses the tag, or the word, that it ends with: its secret may have no end any more. */
export function withoutCutTag(text: string): string {
  const tag = text.lastIndexOf('<')
  return text.slice(0, tag > text.lastIndexOf('>') ? tag : wordBegin(text, text.length, 0))
}

const secretParameter =
  /^(?:[\w-]*(?:token|secret|passw|api_?-?key|signature|auth|credential)[\w-]*|key|sig|pwd|jwt|hmac|session|session_?id)$/i
const secretMember = /token|secret|passw|api_?-?key|authorization|credential|^jwt$/i

const covered = (text: string): string =>
  withoutPasswords(text)
    .replace(/(\bpassword\s*=\s*)("[^"]*"|'[^']*'|\\+"[^"\\]*|\\+'[^'\\]*)/gi, '$1"****"')
    .replace(/(:\/\/)[^/\s"'<>@]+@/g, '$1****@')
    .replace(/((?:^|[?&;"'\s])([\w-]+)=)[^&\s"'<>;\\]+/g, (all, begin: string, name: string) =>
      secretParameter.test(name) ? `${begin}****` : all,
    )
    .replace(/("([\w-]+)"\s*:\s*)"(?:[^"\\]|\\.)*"/g, (all, begin: string, name: string) =>
      secretMember.test(name) ? `${begin}"****"` : all,
    )
    // JSON in a text of JSON, as a customer's own payload is.
    .replace(/((?<!\\)\\+"([\w-]+)\\+"\s*:\s*\\+")[^"\\]*/g, (all, begin: string, name: string) =>
      secretMember.test(name) ? `${begin}****` : all,
    )

const betweenWords = /[\s"'<>]/
function wordBegin(text: string, end: number, least: number): number {
  let begin = end
  while (begin > least && !betweenWords.test(text[begin - 1]!)) begin--
  return begin
}

const sipUser = /\bsips?:[^:;]+:(?=.)/i

/** `sip:user:password@host`: the word before each sign is looked at once. */
function withoutPasswords(text: string): string {
  let result = ''
  let from = 0
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const word = wordBegin(text, sign, from)
    const before = text.slice(word, sign)
    const user = sipUser.exec(before)
    result += text.slice(from, word)
    result += user === null ? before : `${before.slice(0, user.index + user[0].length)}****`
    from = sign
  }
  return result + text.slice(from)
}
