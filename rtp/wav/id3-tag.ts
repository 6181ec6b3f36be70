const headLength = 10
const footerFlag = 0x10
/** More than a tag and one that was put before it is no honest file. */
const maxTags = 8

/**
 * Bytes of the ID3v2 tags that a file begins with (id3.org, "ID3 tag version 2.4.0" §3.1); 0 when there is none. They stand
 * before MP3, and taggers put them before other audio too. May be more than `bytes` are.
 */
export const id3LengthOf = (bytes: Uint8Array): number => {
  let at = 0
  for (let tag = 0; tag < maxTags; tag++) {
    const [i, d, three, version, , flags, ...size] = bytes.subarray(at, at + headLength)
    if (i !== 0x49 || d !== 0x44 || three !== 0x33 || version === 0xff || flags === undefined) return at
    if (size.length < 4 || size.some(part => part >= 0x80)) return at
    const length = size.reduce((sum, part) => 128 * sum + part, 0)
    at += headLength + length + ((flags & footerFlag) === 0 ? 0 : headLength)
  }
  return at
}
