// Numbers of RTCP as they lie on the wire, the most significant byte first.

export const uint16 = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!
export const uint32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

export const setUint16 = (into: Uint8Array, at: number, value: number): void => {
  into[at] = value >>> 8
  into[at + 1] = value
}

export const setUint32 = (into: Uint8Array, at: number, value: number): void => {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
}

/** Writes the head of a packet that spans `length` bytes, a multiple of four. */
export const setHead = (into: Uint8Array, at: number, packetType: number, count: number, length: number): void => {
  into[at] = 0x80 | count
  into[at + 1] = packetType
  setUint16(into, at + 2, length / 4 - 1)
}
