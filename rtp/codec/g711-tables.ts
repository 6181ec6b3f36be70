/**
 * The two companding laws of ITU-T G.711, sample for sample as the reference of G.191 has them: negative
 * samples take the one's complement, so that −1 and 0 are mirror images. Much-copied code negates
 * instead and differs at every lower edge of a negative mu-law step.
 */

/** Makes the 8-bit mu-law code of a 16-bit sample. Only the upper 14 bits count. */
const compressMuLaw = (sample: number): number => {
  const folded = sample < 0 ? ~sample : sample
  const biased = Math.min((folded >> 2) + 33, 0x1fff)
  const exponent = 26 - Math.clz32(biased)
  const mantissa = (biased >> (exponent + 1)) & 0x0f
  return (((exponent << 4) | mantissa) ^ 0x7f) | (sample < 0 ? 0 : 0x80)
}

/** The 16-bit sample in the middle of a mu-law step. */
export const expandMuLaw = (code: number): number => {
  const exponent = (~code >> 4) & 7
  const mantissa = ~code & 0x0f
  const magnitude = (((mantissa << 1) + 33) << (exponent + 2)) - 132
  return code & 0x80 ? magnitude : 0 - magnitude
}

/** Makes the 8-bit A-law code of a 16-bit sample. Only the upper 12 bits count. */
export const compressALaw = (sample: number): number => {
  const folded = (sample < 0 ? ~sample : sample) >> 4
  const exponent = folded > 15 ? 28 - Math.clz32(folded) : 0
  const mantissa = (exponent > 1 ? folded >> (exponent - 1) : folded) & 0x0f
  return ((exponent << 4) | mantissa | (sample < 0 ? 0 : 0x80)) ^ 0x55
}

/** The 16-bit sample in the middle of an A-law step. */
export const expandALaw = (code: number): number => {
  const plain = code ^ 0x55
  const exponent = (plain >> 4) & 7
  const half = ((plain & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? half : (half + 0x100) << (exponent - 1)
  return code & 0x80 ? magnitude : 0 - magnitude
}

/** Index: the upper 14 bits of the sample, as unsigned. */
export const muLawOfLinear = Uint8Array.from({ length: 1 << 14 }, (_, at) => compressMuLaw((at << 18) >> 16))
/** Index: the upper 12 bits of the sample, as unsigned. */
export const aLawOfLinear = Uint8Array.from({ length: 1 << 12 }, (_, at) => compressALaw((at << 20) >> 16))
export const linearOfMuLaw = Int16Array.from({ length: 256 }, (_, code) => expandMuLaw(code))
export const linearOfALaw = Int16Array.from({ length: 256 }, (_, code) => expandALaw(code))
export const aLawOfMuLaw = linearToCodes(linearOfMuLaw, compressALaw)
export const muLawOfALaw = linearToCodes(linearOfALaw, compressMuLaw)

function linearToCodes(linear: Int16Array, compress: (sample: number) => number): Uint8Array {
  return Uint8Array.from(linear, compress)
}
