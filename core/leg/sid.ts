import type { Sid } from '../model/ids.ts'

/** Crockford's base32: no I, L, O, U, and its order is the order of the values. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeLength = 10
const tailLength = 6
const tailValues = 32 ** tailLength

/** Every two digits, so that a number takes half as many texts. */
const pairs = [...alphabet].flatMap(high => [...alphabet].map(low => high + low))

/** `length`: an even number of digits. */
function base32(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let at = 0; at < length; at += 2) {
    text = pairs[rest % 1024] + text
    rest = Math.floor(rest / 1024)
  }
  return text
}

/**
 * `CA` and 16 characters: 50 bits of Unix milliseconds, then 30 that are random in a new millisecond and count up
 * within one, so that sids of one process are unique and sort by time.
 */
export class SidSequence {
  readonly #source: { random(): number }
  #lastUnix = 0
  #tail = 0

  /** `random()` is in [0, 1). */
  constructor(source: { random(): number }) {
    this.#source = source
  }

  next(unixMs: number): Sid {
    if (unixMs > this.#lastUnix) {
      this.#lastUnix = unixMs
      // The upper half stays free for counting.
      this.#tail = Math.floor((this.#source.random() * tailValues) / 2)
    } else {
      this.#tail++
    }
    return `CA${base32(this.#lastUnix, timeLength)}${base32(this.#tail, tailLength)}` as Sid
  }
}

export const isSid = (text: string): boolean => /^CA[0-9A-HJKMNP-TV-Z]{16}$/.test(text)
