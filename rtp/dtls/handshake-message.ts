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

interface Partial {
  readonly type: number
  readonly body: Uint8Array
  readonly has: Uint8Array
  missing: number
}

/**
 * Puts messages together and in order. What was received first stays: an overlap changes nothing (RFC 6347 §4.2.3). But
 * a fragment of another message under the same number replaces what is not whole yet, which may have been forged.
 */
export class Reassembly {
  /** The number of the message that is to come. */
  next: number
  readonly #partial = new Map<number, Partial>()

  constructor(next = 0) {
    this.next = next
  }

  add({ type, length, sequence, offset, body }: Fragment): void {
    if (sequence < this.next || sequence >= this.next + mostAhead) return
    let message = this.#partial.get(sequence)
    const isOther = message !== undefined && (message.type !== type || message.body.length !== length)
    if (isOther && message?.missing === 0) return
    if (message === undefined || isOther) {
      message = { type, body: new Uint8Array(length), has: new Uint8Array(length), missing: length }
      this.#partial.set(sequence, message)
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
    const message = this.#partial.get(this.next)
    return message?.missing === 0 ? handshakeMessage(message.type, this.next, message.body) : undefined
  }

  took(): void {
    this.#partial.delete(this.next)
    this.next++
  }

  /** It cannot be what the remote means: room for another of that number. */
  refuse(): void {
    this.#partial.delete(this.next)
  }
}
