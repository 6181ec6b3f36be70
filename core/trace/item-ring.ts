/**
 * One writer and one reader in two threads, over shared memory: what is written waits there until the reader drains it.
 * Positions are unsigned 32-bit and wrap; the size is a power of two. Each item, a multiple of 8 bytes:
 *
 *     0 u32 length   4 u8 kind   5 u8 flags   6 u16 unused bytes at its end   8 f64 Unix ms   16 payload
 */
const headBytes = 16
const controlBytes = 192
/** Each in a cache line of its own, as two threads write them. */
const writtenAt = 0
const readAt = 16
const droppedAt = 32
/** Not an item: the next one is at the beginning of the memory. */
const skip = 0
/** The reader gives items back so many at a time: to write where two threads look takes as long as many an item. */
const givenBackTogether = 16
/** An empty ring is used from its beginning again once so much is written: what is written often stays in the processor's cache. */
const warmBytes = 64 * 1024

export const ringMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(controlBytes + bytes)

class Ring {
  readonly control: Int32Array
  readonly bytes: Uint8Array
  /** The same bytes, for texts. */
  readonly text: Buffer
  readonly view: DataView
  readonly size: number

  constructor(memory: SharedArrayBuffer) {
    this.control = new Int32Array(memory, 0, controlBytes / 4)
    this.bytes = new Uint8Array(memory, controlBytes)
    this.text = Buffer.from(memory, controlBytes)
    this.view = new DataView(memory, controlBytes)
    this.size = this.bytes.length
  }
}

/** What finds no room is dropped and counted: the writer never waits. */
export class RingWriter extends Ring {
  #head = 0
  #tail = 0

  get dropped(): number {
    return Atomics.load(this.control, droppedAt) >>> 0
  }

  /** Where at most this many bytes of payload may be written, in one piece; −1: there is no room. */
  reserve(payloadBytes: number): number {
    const needed = (headBytes + payloadBytes + 7) & ~7
    const { size, control, view } = this
    this.#beginAnewIfEmpty()
    const at = this.#head & (size - 1)
    const rest = size - at
    const whole = rest < needed ? rest + needed : needed
    if (whole > this.#free()) {
      this.#tail = Atomics.load(control, readAt)
      if (whole > this.#free()) {
        Atomics.add(control, droppedAt, 1)
        return -1
      }
    }
    if (rest >= needed) return at + headBytes
    view.setUint32(at, rest, true)
    view.setUint8(at + 4, skip)
    this.#head = (this.#head + rest) >>> 0
    return headBytes
  }

  /** Hands on what was written where `reserve` said. `kind` is not 0. */
  commit(payloadAt: number, kind: number, flags: number, unixMs: number, payloadBytes: number): void {
    const { view, control } = this
    const at = payloadAt - headBytes
    const length = (headBytes + payloadBytes + 7) & ~7
    view.setUint32(at, length, true)
    view.setUint8(at + 4, kind)
    view.setUint8(at + 5, flags)
    view.setUint16(at + 6, length - headBytes - payloadBytes, true)
    view.setFloat64(at + 8, unixMs, true)
    this.#head = (this.#head + length) >>> 0
    Atomics.store(control, writtenAt, this.#head | 0)
  }

  #free(): number {
    return this.size - ((this.#head - this.#tail) >>> 0)
  }

  /**
   * The reader writes its position no more once it has taken all, so that here it may be moved. Until the next item is there
   * it is ahead of what is written, by which the reader knows.
   */
  #beginAnewIfEmpty(): void {
    const { size, control } = this
    const head = this.#head
    if ((head & (size - 1)) < warmBytes || Atomics.load(control, readAt) !== (head | 0)) return
    this.#head = (head + size - (head & (size - 1))) >>> 0
    this.#tail = this.#head
    Atomics.store(control, readAt, this.#head | 0)
  }
}

/** Takes an item. Its payload is from `from` to `to` in the ring's bytes: the reader's own until the item is done with. */
export type TakeItem = (kind: number, flags: number, unixMs: number, from: number, to: number) => void

export class RingReader extends Ring {
  /** The part of the memory that is full, 0 to 1. */
  get fill(): number {
    const written = Atomics.load(this.control, writtenAt) - Atomics.load(this.control, readAt)
    // An empty ring whose writer begins again at its start: the reader's position is ahead.
    return written >>> 0 > this.size ? 0 : (written >>> 0) / this.size
  }

  /** All that is there now, in the order in which it was written. An item that cannot be taken is given up: it would stand before the others for ever. */
  drain(take: TakeItem, failed: (cause: unknown) => void): void {
    const { control, view, size } = this
    const head = Atomics.load(control, writtenAt) >>> 0
    let tail = Atomics.load(control, readAt) >>> 0
    if ((head - tail) >>> 0 > size) return
    for (let taken = 1; tail !== head; taken++) {
      const at = tail & (size - 1)
      const length = view.getUint32(at, true)
      const kind = view.getUint8(at + 4)
      if (kind !== skip) {
        const to = at + length - view.getUint16(at + 6, true)
        const unixMs = view.getFloat64(at + 8, true)
        try {
          take(kind, view.getUint8(at + 5), unixMs, at + headBytes, to)
        } catch (cause) {
          failed(cause)
        }
      }
      tail = (tail + length) >>> 0
      if (tail === head || taken % givenBackTogether === 0) Atomics.store(control, readAt, tail | 0)
    }
  }
}
