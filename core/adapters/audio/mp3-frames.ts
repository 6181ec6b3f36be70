/** A frame of free format is searched at the beginning, with another of its kind after it, within these bytes. */
const searched = 4096
const longestFrame = 4608
const leastFrame = 32

/**
 * MP3 whose frames name no bit rate (ISO 11172-3 §2.4.2.3, `bitrate_index` 0): as long as they are, and only the next one
 * shows how long. Hardly any decoder plays that. Frames are taken for it when three follow one another at one distance.
 */
export function isFreeFormat(bytes: Uint8Array): boolean {
  for (let at = 0; at < Math.min(searched, bytes.length - 4); at++) {
    if (!isFrame(bytes, at)) continue
    return bitRateAt(bytes, at) === 0 && repeats(bytes, at)
  }
  return false
}

const isFrame = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xff &&
  (bytes[at + 1]! & 0xe6) > 0xe0 &&
  (bytes[at + 1]! & 0x18) !== 0x08 &&
  bitRateAt(bytes, at) !== 15 &&
  (bytes[at + 2]! & 0x0c) !== 0x0c

const bitRateAt = (bytes: Uint8Array, at: number): number => bytes[at + 2]! >> 4

/** Another frame of the same version, layer and rate; padding may differ. */
const isLike = (bytes: Uint8Array, at: number, other: number): boolean =>
  bytes[other] === 0xff && bytes[other + 1] === bytes[at + 1] && ((bytes[other + 2]! ^ bytes[at + 2]!) & 0xfc) === 0

function repeats(bytes: Uint8Array, at: number): boolean {
  for (let length = leastFrame; length <= longestFrame && at + 2 * length + 3 < bytes.length; length++) {
    if (!isLike(bytes, at, at + length)) continue
    for (const further of [-1, 0, 1]) if (isLike(bytes, at, at + 2 * length + further)) return true
  }
  return false
}
