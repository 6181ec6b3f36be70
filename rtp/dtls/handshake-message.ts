import { concat, uint, WireReader } from './wire.ts'

// |  type  |       length, 24      |  message_seq  |  fragment offset, 24  |  fragment length, 24  |   RFC 6347 §4.2.2

export const handshakeTypes = {
  helloRequest: 0,
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  newSessionTicket: 4,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
} as const

/** A chain of certificates of a browser has some hundred bytes, a hello with post-quantum shares two thousand. */
const longestMessage = 16_384
/** Messages ahead of the next that are kept. */
const mostAhead = 8

export interface HandshakeMessage {
  readonly type: number
  readonly sequence: number
  readonly body: Uint8Array
  /** As if it came in one fragment, for the transcript. */
  readonly whole: Uint8Array
}

export interface Fragment {
  readonly type: number
  readonly length: number
  readonly sequence: number
  readonly offset: number
  readonly body: Uint8Array
}

export const handshakeMessage = (type: number, sequence: number, body: Uint8Array): HandshakeMessage => ({
  type,
  sequence,
  body,
  whole: concat(uint(type, 1), uint(body.length, 3), uint(sequence, 2), uint(0, 3), uint(body.length, 3), body),
})

/** The fragments in a record; those that do not lie inside their message are left out, with what follows. */
export const fragmentsOf = (record: Uint8Array): readonly Fragment[] => {
  const fragments: Fragment[] = []
  const reader = new WireReader(record)
  while (!reader.isAtEnd) {
    const type = reader.number(1)
    const length = reader.number(3)
    const sequence = reader.number(2)
    const offset = reader.number(3)
    const body = reader.vector(3)
    if (reader.isBroken || offset + body.length > length || length > longestMessage) break
    fragments.push({ type, length, sequence, offset, body })
  }
  return fragments
}

/** Room for one message, used again for others. */
interface Partial {
  /** −1 = empty. */
  sequence: number
  type: number
  length: number
  body: Uint8Array
  has: Uint8Array
  missing: number
}

/**
 * Puts messages together and in order. What was received first stays: an overlap changes nothing (RFC 6347 §4.2.3). But
 * a fragment of another message under the same number replaces what is not whole yet, which may have been forged. Memory
 * is taken when the first bytes of a message come, and kept: whatever comes, it is never more than `mostAhead` messages need.
 */
export class Reassembly {
  /** The number of the message that is to come. */
  next: number
  /** Bytes of memory that were taken, ever. */
  taken = 0
  readonly #partial: (Partial | undefined)[] = new Array(mostAhead).fill(undefined)

  constructor(next = 0) {
    this.next = next
  }

  add({ type, length, sequence, offset, body }: Fragment): void {
    if (sequence < this.next || sequence >= this.next + mostAhead) return
    // It says nothing of a message that has a body (RFC 6347 §4.2.3).
    if (body.length === 0 && length > 0) return
    const message = this.#roomFor(sequence)
    if (message.sequence !== sequence || message.type !== type || message.length !== length) {
      if (message.sequence === sequence && message.missing === 0) return
      this.#begin(message, sequence, type, length)
    }
    for (let i = 0; i < body.length; i++) {
      if (message.has[offset + i] !== 0) continue
      message.has[offset + i] = 1
      message.body[offset + i] = body[i]!
      message.missing--
    }
  }

  /** The next message if it is complete; it stays until `took` or `refuse`. */
  peek(): HandshakeMessage | undefined {
    const message = this.#partial[this.next % mostAhead]
    if (message?.sequence !== this.next || message.missing > 0) return undefined
    return handshakeMessage(message.type, this.next, message.body.slice(0, message.length))
  }

  took(): void {
    this.refuse()
    this.next++
  }

  /** It cannot be what the remote means: room for another of that number. */
  refuse(): void {
    const message = this.#partial[this.next % mostAhead]
    if (message?.sequence === this.next) message.sequence = -1
  }

  /** All that is there is dropped; `next` is to come. */
  restart(next: number): void {
    this.next = next
    for (const message of this.#partial) if (message !== undefined) message.sequence = -1
  }

  #roomFor(sequence: number): Partial {
    const at = sequence % mostAhead
    const there = this.#partial[at]
    if (there !== undefined) return there
    const room = { sequence: -1, type: 0, length: 0, body: nothing, has: nothing, missing: 0 }
    this.#partial[at] = room
    return room
  }

  #begin(message: Partial, sequence: number, type: number, length: number): void {
    if (message.body.length < length) {
      message.body = new Uint8Array(length)
      message.has = new Uint8Array(length)
      this.taken += 2 * length
    } else message.has.fill(0, 0, length)
    message.sequence = sequence
    message.type = type
    message.length = length
    message.missing = length
  }
}

const nothing = new Uint8Array(0)
