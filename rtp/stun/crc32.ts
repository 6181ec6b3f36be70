const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 of ITU-T V.42 over the first `length` bytes, as FINGERPRINT takes it (RFC 8489 §14.7). */
export const crc32 = (bytes: Uint8Array, length: number): number => {
  let crc = 0xffff_ffff
  for (let i = 0; i < length; i++) crc = table[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}
