import { type Cipheriv, createCipheriv, createSecretKey } from 'node:crypto'
import { maxPacketLength } from '../packet/header.ts'

const blockLength = 16
const mostBlocks = Math.ceil(maxPacketLength / blockLength)

/**
 * AES-128 in counter mode (RFC 3711 §4.1.1) as the keystream of one ECB cipher that lives as long as the key: a cipher
 * object a packet would cost five times as much. All packets of a thread use the same counter blocks, one at a time.
 */
export class CounterMode {
  readonly #cipher: Cipheriv

  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-128-ecb', createSecretKey(key), null).setAutoPadding(false)
  }

  /** Turns `count` bytes from `bytes[from]` on into cipher text, or back. `iv`: 14 bytes and two for the counter. */
  apply(bytes: Uint8Array, from: number, count: number, iv: Uint8Array): void {
    if (count <= 0) return
    const blocks = (count + blockLength - 1) >> 4
    for (let i = 0, at = 0; i < blocks; i++, at += blockLength) {
      for (let k = 0; k < 14; k++) counters[at + k] = iv[k]!
      counters[at + 14] = i >> 8
      counters[at + 15] = i
    }
    const stream = this.#cipher.update(counterRuns[blocks]!)
    for (let i = 0; i < count; i++) bytes[from + i]! ^= stream[i]!
  }
}

const counters = new Uint8Array(mostBlocks * blockLength)
/** The first n blocks, by n: a view a packet is an allocation. */
const counterRuns = Array.from({ length: mostBlocks + 1 }, (_, n) => counters.subarray(0, n * blockLength))
