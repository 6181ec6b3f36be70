import { opusUnitsIn } from '../codec/opus.ts'
import { type OpusStream, opusHead, opusTags } from './opus-head.ts'
import { isOgg, oggFirst, oggHeadLength, oggLast } from './page.ts'
import { oggMaxPageLength, oggMaxSegments, oggSegmentsOf, writeOggPage } from './write-page.ts'

const vendor = 'sauti, libopus'

/** Packets of Opus on their way into the pages of a file (RFC 7845): each page holds whole packets. */
export class OpusPages {
  readonly #serial: number
  readonly #page = new Uint8Array(oggMaxPageLength)
  readonly #content = new Uint8Array(oggMaxSegments * 255)
  readonly #lengths = new Uint16Array(oggMaxSegments)
  #sequence = 0
  #position = 0
  #count = 0
  #filled = 0
  #segments = 0

  /** `serial`: any number of 32 bits, another one in each file. */
  constructor(serial: number) {
    this.#serial = serial
  }

  /** 48,000ths of a second of all packets so far. */
  get position(): number {
    return this.#position
  }

  /** The two pages that a file begins with. */
  head(stream: OpusStream): Uint8Array {
    const pages = [opusHead(stream), opusTags(vendor)].map((packet, n) => {
      const fields = { flags: n === 0 ? oggFirst : 0, position: 0, serial: this.#serial, sequence: this.#sequence++ }
      return this.#page.slice(0, writeOggPage(this.#page, fields, packet, [packet.length], 1))
    })
    const head = new Uint8Array(pages.reduce((sum, page) => sum + page.length, 0))
    head.set(pages[0]!)
    head.set(pages[1]!, pages[0]!.length)
    return head
  }

  /** False: the page has no room for a packet of that length; it must be taken first. */
  hasRoom(length: number): boolean {
    return this.#segments + oggSegmentsOf(length) <= oggMaxSegments
  }

  add(packet: Uint8Array, length: number): void {
    this.#content.set(packet.subarray(0, length), this.#filled)
    this.#lengths[this.#count++] = length
    this.#filled += length
    this.#segments += oggSegmentsOf(length)
    this.#position += opusUnitsIn(packet, 0, length)
  }

  /** The page of what was added since the last one; undefined when that is nothing. Good until the next one. */
  take(): Uint8Array | undefined {
    if (this.#count === 0) return undefined
    const fields = { flags: 0, position: this.#position, serial: this.#serial, sequence: this.#sequence++ }
    const length = writeOggPage(this.#page, fields, this.#content, this.#lengths, this.#count)
    this.#count = 0
    this.#filled = 0
    this.#segments = 0
    return this.#page.subarray(0, length)
  }
}

/**
 * A page of whole packets as the last of its stream, which ends at `position` (RFC 7845 §4.4): packets that lie wholly
 * after it are left out. `before`: the position of the page before. `page` must be one of `OpusPages`.
 */
export const lastOpusPage = (page: Uint8Array, before: number, position: number): Uint8Array => {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  const segments = page[26]!
  const content = page.subarray(oggHeadLength + segments)
  const lengths: number[] = []
  let at = 0
  let length = 0
  let reached = before
  for (let n = 0; n < segments && (reached < position || lengths.length === 0); n++) {
    const lace = page[oggHeadLength + n]!
    length += lace
    if (lace === 255) continue
    lengths.push(length)
    reached += opusUnitsIn(content, at, length)
    at += length
    length = 0
  }
  const fields = {
    flags: oggLast,
    position: Math.min(position, reached),
    serial: view.getUint32(14, true),
    sequence: view.getUint32(18, true),
  }
  const last = new Uint8Array(oggMaxPageLength)
  return last.slice(0, writeOggPage(last, fields, content, lengths, lengths.length))
}

/** Length of the page that begins there; 0 when none does, or it is cut off. */
export const oggPageLength = (bytes: Uint8Array, at: number): number => {
  if (at + oggHeadLength > bytes.length || !isOgg(bytes, at) || bytes[at + 4] !== 0) return 0
  const segments = bytes[at + 26]!
  let end = at + oggHeadLength + segments
  if (end > bytes.length) return 0
  for (let n = 0; n < segments; n++) end += bytes[at + oggHeadLength + n]!
  return end > bytes.length ? 0 : end - at
}

/** Where a page says that it ends, in 48,000ths of a second. */
export const oggPositionOf = (page: Uint8Array, at = 0): number => {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  return view.getUint32(at + 10, true) * 0x1_0000_0000 + view.getUint32(at + 6, true)
}
