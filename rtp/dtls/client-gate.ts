import { type Fragment, handshakeMessage, handshakeTypes } from './handshake-message.ts'
import { cookieOf, dtls12 } from './hello.ts'
import { concat, sameBytes, sameSecret, uint, vector } from './wire.ts'

const cookieLength = 20
/** Another hello is answered this long after the last: each costs a signature. */
const leastHelloMs = 100

/** `begin-again`: it has proved that it receives at its address, and it is another client than the one answered so far. */
type HelloVerdict = 'let-in' | 'begin-again' | 'ask-for-cookie' | 'ignore'

/**
 * Who may begin a handshake with the passive side. ICE has proved the address, so a first hello needs nothing more; but
 * a datagram's source can be forged. Once hellos contradict each other, or while many are forged, only that one counts
 * which brings back a cookie that was sent to the address (RFC 6347 §4.2.1).
 */
export class ClientGate {
  readonly #cookie: Uint8Array
  readonly #isUnderAttack: () => boolean
  /** The message that asks for the cookie. */
  readonly request: Uint8Array
  /** The hello that is being answered, as far as it is known. */
  #hello: Uint8Array | undefined
  #isProved = false
  #begunAt = -Infinity
  #askedAt = -Infinity

  constructor(randomBytes: (length: number) => Uint8Array, isUnderAttack: () => boolean) {
    this.#cookie = new Uint8Array(randomBytes(cookieLength))
    this.#isUnderAttack = isUnderAttack
    const body = concat(uint(dtls12, 2), vector(1, this.#cookie))
    this.request = handshakeMessage(handshakeTypes.helloVerifyRequest, 0, body).whole
  }

  judge({ body, offset, sequence }: Fragment, now: number): HelloVerdict {
    const hello = this.#hello
    if (hello !== undefined && sameBytes(body, hello.subarray(offset, offset + body.length))) return 'let-in'
    // The cookie stands near the beginning; what follows it belongs to whatever was let in.
    if (offset > 0) return hello === undefined ? 'let-in' : 'ignore'
    if (sequence === 1 && sameSecret(cookieOf(body), this.#cookie)) {
      if (now - this.#begunAt < leastHelloMs) return this.#isProved ? 'let-in' : 'ignore'
      this.#begunAt = now
      this.#isProved = true
      this.#hello = undefined
      return 'begin-again'
    }
    if (hello === undefined && !this.#isProved && !this.#isUnderAttack()) return 'let-in'
    if (now <= this.#askedAt) return 'ignore'
    this.#askedAt = now
    return 'ask-for-cookie'
  }

  /** A hello came whole, and is being answered. */
  entered(hello: Uint8Array): void {
    this.#hello = hello
  }
}
