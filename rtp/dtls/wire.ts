import { timingSafeEqual } from 'node:crypto'

/** Reads big-endian fields of a message. A read beyond its end gives nothing and sets `isBroken`. */
export class WireReader {
  isBroken = false
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  /** `count` up to 4 bytes. */
  number(count: 1 | 2 | 3 | 4): number {
    const field = this.take(count)
    let value = 0
    for (const byte of field) value = value * 256 + byte
    return value
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#end) {
      this.isBroken = true
      this.#at = this.#end
      return nothing
    }
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  /** A field after its own length. */
  vector(lengthBytes: 1 | 2 | 3): Uint8Array {
    return this.take(this.number(lengthBytes))
  }

  /** A vector of 16-bit numbers. */
  numbers(lengthBytes: 1 | 2): number[] {
    const field = this.vector(lengthBytes)
    if (field.length % 2 !== 0) this.isBroken = true
    return Array.from({ length: field.length >> 1 }, (_, i) => (field[2 * i]! << 8) | field[2 * i + 1]!)
  }
}

const nothing = new Uint8Array(0)

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const uint = (value: number, bytes: 1 | 2 | 3 | 4): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) & 255)

/** A field after its own length. */
export const vector = (lengthBytes: 1 | 2 | 3, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = concat(...parts)
  return concat(uint(content.length, lengthBytes), content)
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** For secrets: takes the same time wherever the first difference is. */
export const sameSecret = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

export const ascii = (text: string): Uint8Array => Uint8Array.from(text, character => character.charCodeAt(0))
