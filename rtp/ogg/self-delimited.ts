/** Frames that a packet can hold (RFC 6716 §3.2.5: 120 ms of 2.5 ms). */
const maxFrames = 48
const longestFrame = 1275

/** A length of one or two bytes (RFC 6716 §3.1): its value and how many bytes it takes; 0 bytes when it is cut off. */
const lengthAt = (bytes: Uint8Array, at: number, end: number): readonly [value: number, size: number] => {
  if (at >= end) return [0, 0]
  const first = bytes[at]!
  if (first < 252) return [first, 1]
  return at + 1 < end ? [4 * bytes[at + 1]! + first, 2] : [0, 0]
}

/**
 * The first of several packets that lie in one (RFC 6716 appendix B): where what stands after it begins, and the bytes
 * in between that a packet of its own would not have. Undefined for what is no packet.
 */
interface FirstPacket {
  readonly extraFrom: number
  readonly extraLength: number
  readonly next: number
}

export const firstPacketIn = (bytes: Uint8Array, from: number, end: number): FirstPacket | undefined => {
  if (from >= end) return undefined
  let at = from + 1
  let frames = 1
  let padding = 0
  /** Length of all frames but the last. */
  let known = 0
  let isConstant = true
  const kind = bytes[from]! & 3
  if (kind === 1 || kind === 2) frames = 2
  if (kind === 3) {
    if (at >= end) return undefined
    const count = bytes[at++]!
    frames = count & 0x3f
    if (frames === 0 || frames > maxFrames) return undefined
    isConstant = (count & 0x80) === 0
    for (let more = (count & 0x40) !== 0; more; ) {
      if (at >= end) return undefined
      const byte = bytes[at++]!
      more = byte === 255
      padding += more ? 254 : byte
    }
  }
  if (kind === 2 || !isConstant) {
    isConstant = false
    for (let frame = 1; frame < frames; frame++) {
      const [length, size] = lengthAt(bytes, at, end)
      if (size === 0) return undefined
      at += size
      known += length
    }
  }
  const [last, size] = lengthAt(bytes, at, end)
  const next = at + size + (isConstant ? last * frames : known + last) + padding
  return size === 0 || next > end ? undefined : { extraFrom: at, extraLength: size, next }
}

/** The first packet as one of its own. */
export const withoutDelimiter = (bytes: Uint8Array, from: number, first: FirstPacket): Uint8Array => {
  const packet = new Uint8Array(first.next - from - first.extraLength)
  packet.set(bytes.subarray(from, first.extraFrom))
  packet.set(bytes.subarray(first.extraFrom + first.extraLength, first.next), first.extraFrom - from)
  return packet
}

/**
 * Writes a packet of one frame so that another can follow it. Returns the bytes written; 0 for a packet of several
 * frames, which no encoder of ours makes.
 */
export const delimitInto = (into: Uint8Array, at: number, packet: Uint8Array, length: number): number => {
  if (length < 1 || length - 1 > longestFrame || (packet[0]! & 3) !== 0) return 0
  const frame = length - 1
  const low = frame < 252 ? frame : 252 + (frame & 3)
  into[at] = packet[0]!
  into[at + 1] = low
  const head = frame < 252 ? 2 : 3
  if (head === 3) into[at + 2] = (frame - low) >> 2
  into.set(packet.subarray(1, length), at + head)
  return head + frame
}
