import { sha1Block, sha1BlockLength, sha1Length, sha1Start } from './sha1.ts'

/**
 * HMAC-SHA1 (RFC 2104) with a key of its own whose pads are taken in once: a packet costs its own blocks and one more.
 * A call to node's `createHmac` costs twice as much. The last result stays in `digest`.
 */
export class HmacSha1 {
  readonly digest = new Uint8Array(sha1Length)
  readonly #inner: Int32Array
  readonly #outer: Int32Array
  readonly #state = sha1Start()
  /** The end of the message and its padding. */
  readonly #tail = new Uint8Array(2 * sha1BlockLength)

  constructor(key: Uint8Array) {
    const short = key.length > sha1BlockLength ? sha1(key) : key
    this.#inner = padded(short, 0x36)
    this.#outer = padded(short, 0x5c)
  }

  /** HMAC of the first `length` bytes of `message`, followed by the 32 bits of `suffix` when there is one. */
  take(message: Uint8Array, length: number, suffix?: number): Uint8Array {
    const { digest } = this
    const state = this.#state
    state.set(this.#inner)
    finish(state, message, length, sha1BlockLength, suffix, this.#tail)
    writeState(digest, state)
    state.set(this.#outer)
    finish(state, digest, sha1Length, sha1BlockLength, undefined, this.#tail)
    writeState(digest, state)
    return digest
  }

  /** True when the `count` bytes at `bytes[at]` begin the digest; takes the same time whatever differs. */
  matches(bytes: Uint8Array, at: number, count: number): boolean {
    let difference = 0
    for (let i = 0; i < count; i++) difference |= bytes[at + i]! ^ this.digest[i]!
    return difference === 0
  }
}

const sha1 = (message: Uint8Array): Uint8Array => {
  const state = sha1Start()
  finish(state, message, message.length, 0, undefined, new Uint8Array(2 * sha1BlockLength))
  const digest = new Uint8Array(sha1Length)
  writeState(digest, state)
  return digest
}

const padded = (key: Uint8Array, pad: number): Int32Array => {
  const block = new Uint8Array(sha1BlockLength).fill(pad)
  for (let i = 0; i < key.length; i++) block[i] = key[i]! ^ pad
  const state = sha1Start()
  sha1Block(state, block, 0)
  return state
}

/** Takes in the message, with `before` bytes taken in already, and the padding. */
const finish = (
  state: Int32Array,
  message: Uint8Array,
  length: number,
  before: number,
  suffix: number | undefined,
  tail: Uint8Array,
): void => {
  let at = 0
  for (; at + sha1BlockLength <= length; at += sha1BlockLength) sha1Block(state, message, at)
  let used = 0
  while (at < length) tail[used++] = message[at++]!
  let total = before + length
  if (suffix !== undefined) {
    writeWord(tail, used, suffix)
    used += 4
    total += 4
  }
  tail[used++] = 0x80
  const end = used > sha1BlockLength - 8 ? 2 * sha1BlockLength : sha1BlockLength
  tail.fill(0, used, end)
  // Messages are datagrams: their bits are counted by 32.
  writeWord(tail, end - 4, total << 3)
  for (let block = 0; block < end; block += sha1BlockLength) sha1Block(state, tail, block)
}

const writeWord = (into: Uint8Array, at: number, value: number): void => {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
}

const writeState = (into: Uint8Array, state: Int32Array): void => {
  for (let i = 0; i < 5; i++) writeWord(into, i << 2, state[i]!)
}
