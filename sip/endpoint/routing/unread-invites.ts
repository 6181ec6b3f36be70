import { InviteView, type Span } from '../../message/invite-view.ts'
import { reasonPhrase } from '../../message/reason-phrase.ts'
import { defaultPort, type Flow } from '../../network/flow.ts'
import type { PeerTable } from '../peers/peer.ts'
import type { Counters } from '../services/counters.ts'
import type { InviteGate } from '../services/invite-gate.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import { reasonFields } from '../services/reason-header.ts'
import { type KnownInvites, retrySecondsOf } from './known-invites.ts'

/** An INVITE whose answer would be longer is for the parser. */
const mostBytes = 4096
const lineEnd = [0x0d, 0x0a]

/** A refusal, valid until the next one; it goes to the INVITE's source, to this port. */
export interface UnreadRefusal {
  readonly bytes: Uint8Array
  readonly port: number
}

interface UnreadInvitesParts {
  readonly peers: PeerTable
  readonly gate: InviteGate
  readonly isPhone: (flow: Flow) => boolean
  /** Turned away before, and taken before: a copy gets what its first got. */
  readonly refused: KnownInvites
  readonly taken: KnownInvites
  readonly counters: Counters
  readonly reason: ReasonHeader
  /** The To tag of all refusals. */
  readonly tag: string
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, letter => letter.charCodeAt(0))

/**
 * Refuses trunks' INVITEs before they are parsed, while the gate is shut for them: a 503 without a transaction
 * (RFC 3261 §8.2.7), byte for byte what the parser's way would answer, written into one buffer.
 */
export class UnreadInvites {
  readonly #parts: UnreadInvitesParts
  readonly #view = new InviteView()
  readonly #out = new Uint8Array(mostBytes)
  readonly #statusLine: Uint8Array
  readonly #via = ascii('Via: ')
  readonly #from = ascii('From: ')
  readonly #to = ascii('To: ')
  readonly #callId = ascii('Call-ID: ')
  readonly #cseq = ascii('CSeq: ')
  readonly #received = ascii(';received=')
  readonly #tag: Uint8Array
  readonly #end: Uint8Array
  /** Retry-After is a digit in what ends every refusal. */
  readonly #retryAt: number
  #at = 0

  constructor(parts: UnreadInvitesParts) {
    this.#parts = parts
    const { reason, tag } = parts
    this.#statusLine = ascii(`SIP/2.0 ${reason.status} ${reasonPhrase(reason.status)}\r\n`)
    this.#tag = ascii(`;tag=${tag}`)
    const fields = reasonFields({ ...reason, retryAfterSeconds: 0 }).map(({ name, value }) => `${name}: ${value}\r\n`)
    this.#end = ascii(`${fields.join('')}Content-Length: 0\r\n\r\n`)
    this.#retryAt = fields.join('').lastIndexOf('0')
  }

  /** Undefined: it is to be read. `waitedMs`: how long it has waited since it was taken from the socket. */
  refuse(bytes: Uint8Array, flow: Flow, now: number, waitedMs: number): UnreadRefusal | undefined {
    const { peers, gate, refused, taken, counters, isPhone } = this.#parts
    if (flow.transport !== 'udp' || bytes[0] !== 0x49 || bytes.length > mostBytes) return undefined
    const peer = peers.bySource(flow.address)
    if (peer === undefined || gate.isOpenTo(peer.id, now, waitedMs) || isPhone(flow)) return undefined
    if (!this.#view.look(bytes)) return undefined
    const isAsked = this.#view.rportEnd !== 0
    if (!isAsked && !this.#view.isSentBy(bytes, flow.address)) return undefined
    const key = this.#view.key(bytes)
    if (taken.has(key, now)) return undefined
    if (!this.#write(bytes, flow, retrySecondsOf(key))) return undefined
    if (!refused.has(key, now)) {
      // Counted as what it is; a copy takes no place.
      gate.admits(peer.id, now, waitedMs)
      refused.add(key, now)
    }
    counters.received++
    counters.sent++
    const port = isAsked ? flow.port : this.#view.port || defaultPort(flow.transport)
    return { bytes: this.#out.subarray(0, this.#at), port }
  }

  /** False: it has no room. */
  #write(bytes: Uint8Array, flow: Flow, retrySeconds: number): boolean {
    const { vias, viaCount, from, to, callId, cseq } = this.#view
    const own = this.#statusLine.length + this.#end.length + 256
    if (bytes.length + own > mostBytes) return false
    this.#at = 0
    this.#put(this.#statusLine)
    for (let at = 0; at < viaCount; at++) {
      this.#put(this.#via)
      if (at === 0) this.#topVia(bytes, vias[0]!, flow)
      else this.#copy(bytes, vias[at]!.from, vias[at]!.end)
      this.#put(lineEnd)
    }
    this.#field(this.#from, bytes, from)
    this.#put(lineEnd)
    this.#field(this.#to, bytes, to)
    this.#put(this.#tag)
    this.#put(lineEnd)
    this.#field(this.#callId, bytes, callId)
    this.#put(lineEnd)
    this.#field(this.#cseq, bytes, cseq)
    this.#put(lineEnd)
    const end = this.#at
    this.#put(this.#end)
    this.#out[end + this.#retryAt] = 0x30 + retrySeconds
    return true
  }

  /** RFC 3261 §18.2.1, RFC 3581 §4: stamped with where it came from. */
  #topVia(bytes: Uint8Array, via: Span, { address, port }: Flow): void {
    const { rportEnd } = this.#view
    if (rportEnd === 0) {
      this.#copy(bytes, via.from, via.end)
      return
    }
    this.#copy(bytes, via.from, rportEnd)
    this.#out[this.#at++] = 0x3d
    this.#text(String(port))
    this.#copy(bytes, rportEnd, via.end)
    this.#put(this.#received)
    this.#text(address)
  }

  #field(name: Uint8Array, bytes: Uint8Array, value: Span): void {
    this.#put(name)
    this.#copy(bytes, value.from, value.end)
  }

  #put(bytes: ArrayLike<number>): void {
    for (let at = 0; at < bytes.length; at++) this.#out[this.#at++] = bytes[at]!
  }

  #copy(bytes: Uint8Array, from: number, end: number): void {
    for (let at = from; at < end; at++) this.#out[this.#at++] = bytes[at]!
  }

  #text(text: string): void {
    for (let at = 0; at < text.length; at++) this.#out[this.#at++] = text.charCodeAt(at)
  }
}
