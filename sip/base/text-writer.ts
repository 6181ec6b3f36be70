import { OctetPool } from './octet-pool.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const cr = 0x0d
const lf = 0x0a
const lastAscii = 0x7f
/** One character of a string is at most so many bytes of UTF-8. */
const mostBytesOfCharacter = 3

// A line end inside a value would begin a foreign line: it becomes a space.
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

/**
 * Text that is put together octet by octet, in UTF-8: a string put together of its parts leaves all of them as garbage. The
 * memory grows with the longest text so far and is used again; what is given away is a copy.
 */
export class TextWriter {
  #octets = new Uint8Array(4096)
  readonly #pool = new OctetPool()
  #length = 0

  /** Begins another text. */
  clear(): void {
    this.#length = 0
  }

  /** What belongs into one line. */
  write(text: string): void {
    this.#makeRoom(text.length * mostBytesOfCharacter)
    const octets = this.#octets
    const at = this.#length
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      // Nearly all is ASCII; what is not is written by the encoder.
      if (code > lastAscii || code === cr || code === lf) {
        this.#length += encoder.encodeInto(oneLine(text), octets.subarray(at)).written
        return
      }
      octets[at + i] = code
    }
    this.#length = at + text.length
  }

  endLine(): void {
    this.#makeRoom(2)
    this.#octets[this.#length++] = cr
    this.#octets[this.#length++] = lf
  }

  /** All that was written since `clear`, and `more` after it. */
  bytesWith(more: Uint8Array): Uint8Array {
    this.#makeRoom(more.length)
    this.#octets.set(more, this.#length)
    return this.#pool.copy(this.#octets.subarray(0, this.#length + more.length))
  }

  text(): string {
    return decoder.decode(this.#octets.subarray(0, this.#length))
  }

  #makeRoom(length: number): void {
    const most = this.#length + length
    if (most <= this.#octets.length) return
    const larger = new Uint8Array(2 * most)
    larger.set(this.#octets)
    this.#octets = larger
  }
}
