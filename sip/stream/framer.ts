import { isBlankCode } from '../grammar/token.ts'
import type { MessageFault, ParseFault } from '../message/fault.ts'
import { assemble, type Head, messageFault, parseHead } from '../message/head.ts'
import { headerKey, isHeader } from '../message/header-name.ts'
import { messageLimits } from '../message/limits.ts'
import type { SipMessage } from '../message/message.ts'
import { decodeHead } from '../message/parse.ts'
import { parseStartLine } from '../message/start-line.ts'
import { ReceiveBuffer } from './receive-buffer.ts'

/**
 * `pong`: a line end between messages (RFC 5626 §3.5.1). `ping`: the second in a row, to be answered with one CRLF; a
 * `pong` went before it. `fault`: a message that cannot be; `closes`: the start of the next one is unknown, so
 * the connection is to be closed once the fault is answered.
 */
export type Framed =
  | { readonly kind: 'message'; readonly message: SipMessage }
  | { readonly kind: 'fault'; readonly fault: MessageFault; readonly closes: boolean }
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }

type State =
  | { readonly name: 'between'; readonly lineEnds: number }
  /** `scan`: no empty line ends before it. `greeted`: the start line was looked at. */
  | { readonly name: 'head'; readonly scan: number; readonly greeted: boolean }
  | { readonly name: 'body'; readonly head: Head; readonly length: number }
  | { readonly name: 'closed' }

const lf = 0x0a
const cr = 0x0d
const ping: Framed = { kind: 'ping' }
const pong: Framed = { kind: 'pong' }
const contentType = headerKey('Content-Type')
const between: State = { name: 'between', lineEnds: 0 }

/** Header fields of which an answer is made (RFC 3261 §8.2.6.2). */
const answerKeys = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map(headerKey)

/** Messages out of a stream (RFC 3261 §18.3). The pieces may be cut anywhere; limits are `messageLimits`. */
export class StreamFramer {
  readonly #buffer = new ReceiveBuffer()
  #state: State = between

  /** Part of a message is here: a peer that does not send the rest keeps the connection for nothing. */
  get waiting(): boolean {
    return this.#state.name === 'head' || this.#state.name === 'body'
  }

  /** A fault lost the framing; whatever else comes is ignored. */
  get closed(): boolean {
    return this.#state.name === 'closed'
  }

  /** What is complete with this piece, in order. The messages own their bytes. */
  push(chunk: Uint8Array): readonly Framed[] {
    if (this.#state.name === 'closed') return []
    this.#buffer.append(chunk)
    const out: Framed[] = []
    while (this.#step(out)) {
      // each step uses bytes up or moves the state on
    }
    return out
  }

  #step(out: Framed[]): boolean {
    switch (this.#state.name) {
      case 'between':
        return this.#skipLineEnds(this.#state.lineEnds, out)
      case 'head':
        return this.#readHead(this.#state.scan, this.#state.greeted, out)
      case 'body':
        return this.#readBody(this.#state.head, this.#state.length, out)
      case 'closed':
        return false
    }
  }

  #skipLineEnds(before: number, out: Framed[]): boolean {
    let lineEnds = before
    let at = 0
    for (let byte = this.#buffer.at(0); byte === cr || byte === lf; byte = this.#buffer.at(++at)) {
      if (byte === lf) out.push(++lineEnds % 2 === 0 ? ping : pong)
    }
    this.#buffer.discard(at)
    const more = this.#buffer.length > 0
    this.#state = more ? { name: 'head', scan: 0, greeted: false } : { name: 'between', lineEnds }
    return more
  }

  #readHead(scan: number, greeted: boolean, out: Framed[]): boolean {
    let seen = greeted
    for (let at = this.#buffer.indexOf(lf, scan); at !== -1; at = this.#buffer.indexOf(lf, at + 1)) {
      if (at >= messageLimits.bytes) break
      // What does not even begin like SIP is not waited for.
      if (!seen && !speaksSip(this.#buffer.view(at))) return this.#close(messageFault('bad-start-line', 0), out)
      seen = true
      const next = this.#buffer.at(at + 1)
      const end = next === lf ? at + 2 : next === cr && this.#buffer.at(at + 2) === lf ? at + 3 : 0
      if (end > 0) return this.#takeHead(at + 1, end, out)
      if (next === undefined || (next === cr && this.#buffer.at(at + 2) === undefined)) {
        this.#state = { name: 'head', scan: at, greeted: seen }
        return false
      }
    }
    const { length } = this.#buffer
    if (length > messageLimits.bytes) return this.#close(this.#endlessHead(), out)
    this.#state = { name: 'head', scan: length, greeted: seen }
    return false
  }

  #takeHead(headEnd: number, bodyAt: number, out: Framed[]): boolean {
    const head = parseHead(decodeHead(this.#buffer.view(headEnd)))
    this.#buffer.discard(bodyAt)
    const { fault, contentLength } = head
    // Without a length there is no body, unless the message says of what type it is.
    const length = contentLength ?? (head.headers.some(({ name }) => isHeader(name, contentType)) ? undefined : 0)
    if (head.line === undefined || length === undefined) {
      const reason: ParseFault = fault?.reason ?? 'no-content-length'
      return this.#close(messageFault(reason, fault?.at ?? headEnd, head), out)
    }
    if (fault?.reason === 'bad-content-length') return this.#close(messageFault(fault.reason, fault.at, head), out)
    if (bodyAt + length > messageLimits.bytes) return this.#close(messageFault('message-too-large', headEnd, head), out)
    this.#state = { name: 'body', head, length }
    return true
  }

  #readBody(head: Head, length: number, out: Framed[]): boolean {
    if (this.#buffer.length < length) return false
    const message = assemble(head, this.#buffer.view(length).slice())
    this.#buffer.discard(length)
    this.#state = between
    if (head.fault !== undefined) {
      out.push({ kind: 'fault', fault: messageFault(head.fault.reason, head.fault.at, head), closes: false })
    } else if (message !== undefined) out.push({ kind: 'message', message })
    return this.#buffer.length > 0
  }

  /** RFC 3261 §21.5.7: too large already; answered where what an answer needs lies in front of the limit. */
  #endlessHead(): MessageFault {
    const bytes = this.#buffer.view(messageLimits.bytes)
    const head = parseHead(decodeHead(bytes.subarray(0, wholeFieldsEnd(bytes))))
    const isAnswerable = answerKeys.every(key => head.headers.some(({ name }) => isHeader(name, key)))
    return messageFault('message-too-large', messageLimits.bytes, isAnswerable ? head : undefined)
  }

  #close(fault: MessageFault, out: Framed[]): boolean {
    out.push({ kind: 'fault', fault, closes: true })
    this.#buffer.discard(this.#buffer.length)
    this.#state = { name: 'closed' }
    return false
  }
}

/** Where the last line ends that no further one can go on (RFC 3261 §7.3.1). */
function wholeFieldsEnd(bytes: Uint8Array): number {
  let end = bytes.lastIndexOf(lf)
  while (end > 0 && (end + 1 === bytes.length || isBlankCode(bytes[end + 1] ?? 0))) end = bytes.lastIndexOf(lf, end - 1)
  return end + 1
}

function speaksSip(line: Uint8Array): boolean {
  const start = parseStartLine(decodeHead(line[line.length - 1] === cr ? line.subarray(0, -1) : line))
  return start.ok || start.line !== undefined
}
