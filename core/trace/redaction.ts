const lf = 0x0a
const cr = 0x0d
const at = 0x40
const colon = 0x3a
const star = 0x2a
const space = 0x20
const tab = 0x09
const lowerCase = 0x20

/** Headers whose value is a secret or made of one (RFC 3261 §20.7, §20.28, §20.6; RFC 8224 is signed in public). */
const secretHeaders: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
]
const secretWords = /token|secret|passw|api-?key|auth|cookie/

/**
 * Covers secrets of a SIP message in place, length unchanged: credentials, passwords in URIs, keys in SDP (RFC 4568), ICE
 * passwords. Returns where the Call-ID's value is as `start * 65536 + length`, -1 when there is none. One pass.
 */
export function coverSecrets(bytes: Uint8Array, from: number, to: number): number {
  let callId = -1
  let isCovering = false
  let line = from
  while (line < to) {
    let end = line
    for (; end < to; end++) {
      const byte = bytes[end]
      if (byte === lf) break
      if (byte === at) {
        coverPassword(bytes, line, end)
      }
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
        else if (first === 0x61 && bytes[line + 1] === 0x3d) coverAttribute(bytes, line, end)
      } else if (callId === -1 && (first === 0x63 || first === 0x69)) callId = callIdAt(bytes, line, end, from)
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

/** `sip:user:password@host`: what stands between the second colon and the sign. */
function coverPassword(bytes: Uint8Array, line: number, sign: number): void {
  let colonAt = -1
  for (let index = sign - 1; index >= line; index--) {
    const byte = bytes[index]
    if (byte === colon) {
      if (colonAt !== -1) {
        cover(bytes, colonAt + 1, sign)
        return
      }
      colonAt = index
    } else if (byte === space || byte === 0x3c || byte === 0x22 || byte === 0x2c) return
  }
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

/** Values of attributes and of query parameters that are secrets, in a document, a URL or JSON. */
export const withoutSecrets = (text: string): string => (maySecret.test(text) ? covered(text) : text)

const covered = (text: string): string =>
  text
    .replace(/(\bpassword\s*=\s*)("[^"]*"|'[^']*')/gi, '$1"****"')
    .replace(/(https?:\/\/)[^/\s"'<>@]+@/gi, '$1****@')
    .replace(/(\bsips?:[^\s:@"'<>;]+):[^\s@"'<>]+@/gi, '$1:****@')
    .replace(
      /([?&;](?:[\w-]*(?:token|secret|passw|api_?-?key|signature|auth)[\w-]*|key|sig|pwd)=)[^&\s"'<>;]+/gi,
      '$1****',
    )
    .replace(/("[\w-]*(?:token|secret|passw|api_?-?key)[\w-]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi, '$1"****"')
