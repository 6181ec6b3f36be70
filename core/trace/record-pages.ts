import { recordHeadBytes, recordLength, writeRecordHead } from './record.ts'

/** Most calls take a few of them; a longer record has one of its own length. */
const pageBytes = 4096
/** Pages of ended calls that wait for others, 1 MB in all. */
const mostSpare = 256

class Page {
  readonly bytes: Buffer
  readonly view: DataView
  used = 0

  constructor(length: number) {
    this.bytes = Buffer.alloc(length)
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, length)
  }
}

/** Pages go from one call to the next: new memory for each would have to be cleared and collected. */
export class SparePages {
  readonly #pages: Page[] = []

  take(bytes: number): Page {
    return (bytes <= pageBytes ? this.#pages.pop() : undefined) ?? new Page(Math.max(bytes, pageBytes))
  }

  give(page: Page): void {
    if (page.bytes.length !== pageBytes || this.#pages.length >= mostSpare) return
    page.used = 0
    this.#pages.push(page)
  }
}

/** Records of one call, one after another, none across two pages. */
export class RecordPages {
  readonly #spare: SparePages
  #pages: Page[] = []
  #length = 0
  #capacity = 0

  constructor(spare: SparePages) {
    this.#spare = spare
  }

  /** Bytes of the records. */
  get length(): number {
    return this.#length
  }

  /** What is taken of the memory. */
  get capacity(): number {
    return this.#capacity
  }

  /** Views of the records, until they are cleared. */
  get pieces(): readonly Uint8Array[] {
    return this.#pages.map(({ bytes, used }) => bytes.subarray(0, used))
  }

  /** Its payload is from `from` to `to` in `bytes`. */
  add(
    kind: number,
    leg: number,
    unixMs: number,
    seq: number,
    bytes: Buffer,
    from: number = 0,
    to: number = bytes.length,
  ): void {
    const length = recordLength(to - from)
    const page = this.#pageFor(length)
    bytes.copy(page.bytes, page.used + recordHeadBytes, from, to)
    writeRecordHead(page.view, page.used, kind, leg, unixMs, seq, to - from)
    page.used += length
    this.#length += length
  }

  clear(): void {
    for (const page of this.#pages) this.#spare.give(page)
    this.#pages = []
    this.#length = 0
    this.#capacity = 0
  }

  #pageFor(length: number): Page {
    const last = this.#pages.at(-1)
    if (last !== undefined && last.used + length <= last.bytes.length) return last
    const page = this.#spare.take(length)
    this.#pages.push(page)
    this.#capacity += page.bytes.length
    return page
  }
}
