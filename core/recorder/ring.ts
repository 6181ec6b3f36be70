import { recordHeadBytes, recordKinds } from './record.ts'

/** Longest payload: a SIP message or a document of 64 KB, with room for its addresses. */
export const maxPayloadBytes = 72 * 1024
/** The writer may be so far into a record that a reader still looks at. */
export const ringMarginBytes = maxPayloadBytes + recordHeadBytes + 8

/**
 * A ring of records in one preallocated block that another thread may read. Positions rise for ever: `position % size` is
 * the place. One writer; `publish` is called for every complete record.
 */
export class TraceRing {
  readonly bytes: Uint8Array
  readonly size: number
  readonly #view: DataView
  readonly #encoder = new TextEncoder()
  #head: number

  /** `size` is a multiple of 8; positions begin at `start`, which is one as well. */
  constructor(memory: ArrayBufferLike, start = 0) {
    this.bytes = new Uint8Array(memory)
    this.size = memory.byteLength
    this.#view = new DataView(memory)
    this.#head = start
  }

  /** Where the next record will be. */
  get head(): number {
    return this.#head
  }

  /** Whether what lies there has not been overwritten. */
  holds(position: number): boolean {
    return position >= 0 && position < this.#head && this.#head - position <= this.size - ringMarginBytes
  }

  /** Makes room for a payload of at most so many bytes; gives the place in `bytes` where it begins. */
  reserve(payloadBytes: number): number {
    const needed = (recordHeadBytes + payloadBytes + 7) & ~7
    const place = this.#head % this.size
    const rest = this.size - place
    if (rest < needed) {
      this.#view.setUint32(place, rest, true)
      this.#view.setUint32(place + 4, recordKinds.pad, true)
      this.#head += rest
      return recordHeadBytes
    }
    return place + recordHeadBytes
  }

  /** Text at `at`; how many bytes it took of at most `room`. */
  writeText(text: string, at: number, room: number): number {
    return this.#encoder.encodeInto(text, this.bytes.subarray(at, at + room)).written
  }

  /** Closes the record that was reserved. Returns its position. */
  commit(kind: number, leg: number, call: number, previous: number, unixMs: number, payloadBytes: number): number {
    const position = this.#head
    const place = position % this.size
    const length = (recordHeadBytes + payloadBytes + 7) & ~7
    const view = this.#view
    view.setUint32(place, length, true)
    view.setUint32(place + 4, kind | (leg << 8), true)
    view.setFloat64(place + 8, previous, true)
    view.setFloat64(place + 16, unixMs, true)
    view.setUint32(place + 24, payloadBytes, true)
    view.setUint32(place + 28, call, true)
    this.#head = position + length
    return position
  }
}
