//  capture "OggS" | version | flags | granule position (8) | serial (4) | sequence (4) | CRC (4) | segments | lacing …
// RFC 3533 §6; little-endian.

export const oggHeadLength = 27
export const oggContinued = 1
export const oggFirst = 2
export const oggLast = 4

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc
})

/** The checksum of a page from `bytes[from]` on, its own field taken as 0. */
export const oggChecksum = (bytes: Uint8Array, from: number, length: number): number => {
  let crc = 0
  for (let i = 0; i < length; i++) {
    const byte = i >= 22 && i < 26 ? 0 : bytes[from + i]!
    crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ byte]!
  }
  return crc >>> 0
}

export const isOgg = (bytes: Uint8Array, at = 0): boolean =>
  bytes[at] === 0x4f && bytes[at + 1] === 0x67 && bytes[at + 2] === 0x67 && bytes[at + 3] === 0x53
