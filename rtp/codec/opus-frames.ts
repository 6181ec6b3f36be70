/** Frames that a packet can hold (RFC 6716 §3.2.5: 120 ms of 2.5 ms). */
export const mostOpusFrames = 48
/** RFC 6716 §3.4, R2. */
const longestFrame = 1275

/**
 * Where the frames of a packet of Opus lie (RFC 6716 §3.2), read again for each packet. All frames of a packet are of one
 * kind: configuration and channels, the upper bits of its first byte.
 */
export class OpusFrames {
  count = 0
  kind = 0
  readonly starts = new Uint16Array(mostOpusFrames)
  readonly lengths = new Uint16Array(mostOpusFrames)
  /** After the last length that was read; −1 = it was cut off. */
  #at = 0

  /** Reads the packet of `length` bytes at `payload[from]`. False for what is no packet: then there are no frames. */
  read(payload: Uint8Array, from: number, length: number): boolean {
    this.count = 0
    if (length < 1) return false
    const end = from + length
    this.kind = payload[from]! & 0xfc
    switch (payload[from]! & 3) {
      case 0:
        return this.#equal(1, from + 1, end)
      case 1:
        return this.#equal(2, from + 1, end)
      case 2:
        return this.#withLengths(payload, 2, from + 1, end)
      default:
        return this.#several(payload, from + 1, end)
    }
  }

  // |v|p|     M     |   v: each frame but the last gives its length; p: padding; M frames. RFC 6716 §3.2.5
  #several(payload: Uint8Array, from: number, end: number): boolean {
    if (from >= end) return false
    const count = payload[from]!
    const frames = count & 0x3f
    if (frames === 0 || frames > mostOpusFrames) return false
    let at = from + 1
    let last = end
    for (let more = (count & 0x40) !== 0; more; ) {
      if (at >= last) return false
      const padding = payload[at++]!
      more = padding === 255
      last -= more ? 254 : padding
    }
    if (at > last) return false
    return (count & 0x80) === 0 ? this.#equal(frames, at, last) : this.#withLengths(payload, frames, at, last)
  }

  #equal(frames: number, from: number, end: number): boolean {
    const each = (end - from) / frames
    if (!Number.isInteger(each) || each > longestFrame) return false
    for (let i = 0; i < frames; i++) {
      this.starts[i] = from + i * each
      this.lengths[i] = each
    }
    this.count = frames
    return true
  }

  #withLengths(payload: Uint8Array, frames: number, from: number, end: number): boolean {
    this.#at = from
    let sum = 0
    for (let i = 0; i < frames - 1; i++) {
      const length = this.#lengthAt(payload, end)
      if (this.#at < 0) return false
      this.lengths[i] = length
      sum += length
    }
    const last = end - this.#at - sum
    if (last < 0 || last > longestFrame) return false
    this.lengths[frames - 1] = last
    let start = this.#at
    for (let i = 0; i < frames; i++) {
      this.starts[i] = start
      start += this.lengths[i]!
    }
    this.count = frames
    return true
  }

  /** One or two bytes (RFC 6716 §3.2.1). */
  #lengthAt(payload: Uint8Array, end: number): number {
    const at = this.#at
    const first = at < end ? payload[at]! : 0
    const size = first < 252 ? 1 : 2
    this.#at = at + size > end ? -1 : at + size
    return size === 1 ? first : first + 4 * (payload[at + 1] ?? 0)
  }
}
