import { isField } from './peek.ts'

const lf = 0x0a
const cr = 0x0d
const space = 0x20
const tab = 0x09
const lastPrintable = 0x7e
const colon = 0x3a
const semicolon = 0x3b
const equals = 0x3d
const zero = 0x30
const nine = 0x39
const lowerCase = 0x20
const mostVias = 16
const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193

const start = 'INVITE '
const protocol = 'SIP/2.0/UDP '
const cseqMethod = ' INVITE'

/** A part of the message: `from` is its first byte, `end` the one after its last. */
export interface Span {
  from: number
  end: number
}

const span = (): Span => ({ from: 0, end: 0 })

/**
 * Positions of the fields of an INVITE that its response repeats (RFC 3261 §8.2.6), found without parsing: for
 * refusing many of them. Made once and reused. It reads what usual senders write; all else is left to the parser.
 */
export class InviteView {
  readonly vias: readonly Span[] = Array.from({ length: mostVias }, span)
  viaCount = 0
  readonly from: Span = span()
  readonly to: Span = span()
  readonly callId: Span = span()
  readonly cseq: Span = span()
  /** Parts of the topmost Via: host and port of sent-by (port 0 = none), and the end of a bare `rport` (0 = none). */
  readonly host: Span = span()
  port = 0
  rportEnd = 0

  /** False: the parser has to look at it. */
  look(bytes: Uint8Array): boolean {
    this.viaCount = 0
    for (const field of [this.from, this.to, this.callId, this.cseq]) field.end = 0
    if (!isAt(bytes, 0, start)) return false
    let line = bytes.indexOf(lf) + 1
    while (line > 0 && line < bytes.length) {
      const end = bytes.indexOf(lf, line)
      if (end === -1 || bytes[end - 1] !== cr) return false
      if (end - 1 === line) return this.#isWhole(bytes)
      if (bytes[line] === space || bytes[line] === tab || !this.#field(bytes, line, end - 1)) return false
      line = end + 1
    }
    return false
  }

  /** The same for every copy of one INVITE on one path: 32 bits of FNV-1a over Call-ID and topmost Via. */
  key(bytes: Uint8Array): number {
    return fnv(bytes, this.vias[0]!, fnv(bytes, this.callId, fnvOffset)) >>> 0
  }

  /** The host of sent-by is this one. */
  isSentBy(bytes: Uint8Array, host: string): boolean {
    return this.host.end - this.host.from === host.length && isAt(bytes, this.host.from, host)
  }

  #field(bytes: Uint8Array, line: number, end: number): boolean {
    switch (bytes[line]! | lowerCase) {
      case 0x76: // v
        if (!isField(bytes, line, 'via') && !isField(bytes, line, 'v')) return true
        return this.viaCount < mostVias && take(bytes, line, end, this.vias[this.viaCount++]!)
      case 0x66: // f
        return !isField(bytes, line, 'from') && !isField(bytes, line, 'f') ? true : takeOne(bytes, line, end, this.from)
      case 0x74: // t
        return !isField(bytes, line, 'to') && !isField(bytes, line, 't') ? true : takeOne(bytes, line, end, this.to)
      case 0x69: // i
        return !isField(bytes, line, 'i') ? true : takeOne(bytes, line, end, this.callId)
      case 0x63: // c
        if (isField(bytes, line, 'call-id')) return takeOne(bytes, line, end, this.callId)
        return !isField(bytes, line, 'cseq') ? true : takeOne(bytes, line, end, this.cseq)
    }
    return true
  }

  #isWhole(bytes: Uint8Array): boolean {
    const { from, to, callId, cseq } = this
    if (this.viaCount === 0 || from.end === 0 || to.end === 0 || callId.end === 0 || cseq.end === 0) return false
    return !holdsTag(bytes, to) && isCSeqOfInvite(bytes, cseq) && this.#topVia(bytes, this.vias[0]!)
  }

  #topVia(bytes: Uint8Array, via: Span): boolean {
    if (!isAt(bytes, via.from, protocol)) return false
    let at = via.from + protocol.length
    this.host.from = at
    while (at < via.end && isHostByte(bytes[at]!)) at++
    this.host.end = at
    if (at === this.host.from) return false
    this.port = 0
    if (bytes[at] === colon && at < via.end) {
      if (bytes[at + 1] === zero) return false
      for (at++; at < via.end && isDigit(bytes[at]!); at++) this.port = this.port * 10 + bytes[at]! - zero
      if (this.port === 0 || this.port > 65535) return false
    }
    return this.#viaParameters(bytes, at, via.end)
  }

  #viaParameters(bytes: Uint8Array, from: number, end: number): boolean {
    this.rportEnd = 0
    let hasBranch = false
    for (let at = from; at < end; ) {
      if (bytes[at] !== semicolon) return false
      const name = at + 1
      for (at = name; at < end && bytes[at] !== semicolon; at++) if (!isParameterByte(bytes[at]!)) return false
      if (isNamed(bytes, name, 'branch') && bytes[name + 6] === equals && at - name > 'branch=z9hG4bK'.length) {
        if (hasBranch) return false
        hasBranch = true
      } else if (isNamed(bytes, name, 'rport')) {
        if (this.rportEnd !== 0 || at !== name + 'rport'.length) return false
        this.rportEnd = at
      } else if (isNamed(bytes, name, 'received') || isNamed(bytes, name, 'maddr')) return false
    }
    return hasBranch
  }
}

function takeOne(bytes: Uint8Array, line: number, end: number, into: Span): boolean {
  // A second one is another message for another reader.
  return into.end === 0 && take(bytes, line, end, into)
}

/** The field's value without blanks at its ends; false: it is empty, or holds what is not printable ASCII. */
function take(bytes: Uint8Array, line: number, lineEnd: number, into: Span): boolean {
  let from = line
  while (bytes[from] !== colon) from++
  from++
  let end = lineEnd
  while (from < end && (bytes[from] === space || bytes[from] === tab)) from++
  while (end > from && (bytes[end - 1] === space || bytes[end - 1] === tab)) end--
  into.from = from
  into.end = end
  for (let at = from; at < end; at++) if (bytes[at]! < space || bytes[at]! > lastPrintable) return false
  return end > from
}

/** A parameter `tag`; inside a quoted name it looks like one, and the parser distinguishes them. */
function holdsTag(bytes: Uint8Array, { from, end }: Span): boolean {
  for (let at = from; at < end; at++) {
    if (bytes[at] !== semicolon) continue
    let name = at + 1
    while (bytes[name] === space) name++
    if (isNamed(bytes, name, 'tag')) return true
  }
  return false
}

function isCSeqOfInvite(bytes: Uint8Array, { from, end }: Span): boolean {
  let at = from
  while (at < end && isDigit(bytes[at]!)) at++
  return at > from && end - at === cseqMethod.length && isAt(bytes, at, cseqMethod)
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** In upper or lower case; `name` is in lower case. */
function isNamed(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if ((bytes[at + i]! | lowerCase) !== name.charCodeAt(i)) return false
  return true
}

function fnv(bytes: Uint8Array, { from, end }: Span, before: number): number {
  let hash = before
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, fnvPrime)
  return hash
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine
const isLetter = (byte: number): boolean => (byte | lowerCase) >= 0x61 && (byte | lowerCase) <= 0x7a
const isHostByte = (byte: number): boolean => isDigit(byte) || isLetter(byte) || byte === 0x2e || byte === 0x2d
/** A byte of a token, or what separates name and value. */
const isParameterByte = (byte: number): boolean =>
  isHostByte(byte) ||
  byte === equals ||
  byte === 0x5f ||
  byte === 0x2b ||
  byte === 0x7e ||
  byte === 0x21 ||
  byte === 0x2a
