const lf = 0x0a
const cr = 0x0d
const colon = 0x3a
const semicolon = 0x3b
const lowerCase = 0x20

/** What can be seen of a message without parsing it. */
interface Glance {
  /** `invite`: one that begins a call (no To tag). A `cancel` follows its INVITE. */
  readonly kind: 'invite' | 'cancel' | 'other'
  /** Call-ID as a view into the message; undefined when there is none. */
  readonly callId: Uint8Array | undefined
}

const other: Glance = { kind: 'other', callId: undefined }

/** Distinguishes a new call from everything else, in a microsecond; when in doubt it is something else. */
export function glanceAt(bytes: Uint8Array): Glance {
  let start = 0
  while (bytes[start] === cr || bytes[start] === lf) start++
  const isInvite = startsWith(bytes, start, 'INVITE ')
  if (!isInvite && !startsWith(bytes, start, 'CANCEL ')) return other
  let callId: Uint8Array | undefined
  for (let line = bytes.indexOf(lf, start) + 1; line > 0 && line < bytes.length; line = bytes.indexOf(lf, line) + 1) {
    if (bytes[line] === cr || bytes[line] === lf) break
    if (callId === undefined && (isField(bytes, line, 'call-id') || isField(bytes, line, 'i'))) {
      callId = fieldValue(bytes, line)
    } else if (isInvite && (isField(bytes, line, 'to') || isField(bytes, line, 't')) && hasTag(bytes, line))
      return other
  }
  return { kind: isInvite ? 'invite' : 'cancel', callId }
}

/** An ACK whose To tag is this one. */
export function isAckTo(bytes: Uint8Array, tag: Uint8Array): boolean {
  if (!startsWith(bytes, 0, 'ACK ')) return false
  const first = tag[0]!
  for (let at = bytes.indexOf(first, 4); at !== -1; at = bytes.indexOf(first, at + 1)) {
    let same = 1
    while (same < tag.length && bytes[at + same] === tag[same]) same++
    if (same === tag.length) return true
  }
  return false
}

export function sameBytes(one: Uint8Array | undefined, two: Uint8Array | undefined): boolean {
  if (one === undefined || two === undefined || one.length !== two.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== two[at]) return false
  return true
}

function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** `name` is in lower case. White space may stand before the colon (RFC 3261 §7.3.1). */
export function isField(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const expected = name.charCodeAt(i)
    const found = bytes[at + i]!
    if (found !== expected && (found | lowerCase) !== expected) return false
  }
  let next = at + name.length
  while (isSpace(bytes[next])) next++
  return bytes[next] === colon
}

function fieldValue(bytes: Uint8Array, line: number): Uint8Array {
  let from = bytes.indexOf(colon, line) + 1
  let end = bytes.indexOf(lf, from)
  if (end === -1) end = bytes.length
  while (from < end && isSpace(bytes[from])) from++
  while (end > from && (isSpace(bytes[end - 1]) || bytes[end - 1] === cr)) end--
  return bytes.subarray(from, end)
}

/** A parameter `tag` in the line; inside a quoted name it would look like one, which costs only the INVITE's place. */
function hasTag(bytes: Uint8Array, line: number): boolean {
  let end = bytes.indexOf(lf, line)
  if (end === -1) end = bytes.length
  for (let at = bytes.indexOf(semicolon, line); at !== -1 && at < end; at = bytes.indexOf(semicolon, at + 1)) {
    let name = at + 1
    while (isSpace(bytes[name])) name++
    if (name + 4 > end) return false
    const isTag = [0x74, 0x61, 0x67].every((letter, i) => (bytes[name + i]! | lowerCase) === letter)
    if (isTag && (bytes[name + 3] === 0x3d || isSpace(bytes[name + 3]))) return true
  }
  return false
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09
