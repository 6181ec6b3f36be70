import { maxPayloadBytes, type RecordHead, recordHeadBytes, recordLength, writeRecordHead } from './record.ts'

const firstBytes = 4096

/** Records of one call, one after another, in memory that grows with them. */
export class RecordPages {
  #bytes: Uint8Array = new Uint8Array(0)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** What is written. */
  get length(): number {
    return this.#length
  }

  /** What is taken of the memory. */
  get capacity(): number {
    return this.#bytes.length
  }

  /** A view of what is written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  add(head: RecordHead, payload: Uint8Array): void {
    this.#room(payload.length)
    this.#bytes.set(payload, this.#length + recordHeadBytes)
    this.#commit(head, payload.length)
  }

  /** A payload of two parts. */
  addJoined(head: RecordHead, first: Uint8Array, second: Uint8Array): void {
    this.#room(first.length + second.length)
    const at = this.#length + recordHeadBytes
    this.#bytes.set(first, at)
    this.#bytes.set(second, at + first.length)
    this.#commit(head, first.length + second.length)
  }

  addJson(head: RecordHead, value: object, encoder: TextEncoder): void {
    const text = JSON.stringify(value)
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    this.#room(Math.min(maxPayloadBytes, text.length * 3))
    const at = this.#length + recordHeadBytes
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at, at + maxPayloadBytes))
    this.#commit(head, written)
  }

  clear(): void {
    this.#bytes = new Uint8Array(0)
    this.#view = new DataView(this.#bytes.buffer)
    this.#length = 0
  }

  #room(payloadBytes: number): void {
    const needed = this.#length + recordLength(payloadBytes)
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(firstBytes, needed, this.#bytes.length * 2))
    grown.set(this.bytes)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  #commit(head: RecordHead, payloadBytes: number): void {
    writeRecordHead(this.#view, this.#length, head, payloadBytes)
    this.#length += recordLength(payloadBytes)
  }
}
