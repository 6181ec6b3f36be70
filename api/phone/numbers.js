// Country codes of one digit, and of two; all others have three (ITU-T E.164).
const one = /^[17]/
const two = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** Threes from the left; what is left over makes the last group longer. */
const groups = digits => digits.replace(/(\d{3})(?=\d{2})/g, '$1 ')

/** A telephone number as people read it: `+254 711 000 001`, `0711 000 001`. Anything else as it is. */
export function grouped(text) {
  const international = /^\+(\d{7,15})$/.exec(text)?.[1]
  if (international !== undefined) {
    const length = one.test(international) ? 1 : two.test(international) ? 2 : 3
    return `+${international.slice(0, length)} ${groups(international.slice(length))}`
  }
  return /^0\d{8,11}$/.test(text) ? `${text.slice(0, 4)} ${groups(text.slice(4))}` : text
}
