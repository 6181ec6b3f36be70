const alphabet = '0123456789abcdefghijklmnopqrstuv'
const blockLength = 4096

/**
 * Unguessable short names for tags, branches and Call-IDs, five bits a character, from randomness that comes in. It
 * is taken in blocks: a name costs no call outside.
 */
export class Tokens {
  readonly #random: (length: number) => Uint8Array
  #block: Uint8Array = new Uint8Array(0)
  #at = 0

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random
  }

  /** `length` characters of [0-9a-v]. */
  take(length: number): string {
    if (this.#at + length > this.#block.length) {
      this.#block = this.#random(blockLength)
      this.#at = 0
    }
    // At once: a name put together letter by letter would leave one string for each letter.
    const letters = new Array<number>(length)
    for (let at = 0; at < length; at++) letters[at] = alphabet.charCodeAt(this.#block[this.#at++]! & 31)
    return String.fromCharCode(...letters)
  }

  /** A number in [0, 1). */
  fraction(): number {
    if (this.#at + 2 > this.#block.length) {
      this.#block = this.#random(blockLength)
      this.#at = 0
    }
    const value = (this.#block[this.#at]! << 8) | this.#block[this.#at + 1]!
    this.#at += 2
    return value / 65536
  }
}
