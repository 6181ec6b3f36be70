/** A sine that just fills 16 bits has this level in G.711 (ITU-T G.711 §4: 3.14 for A-law, 3.17 for mu-law). */
const fullScaleDbm0 = 3.14

/** The peak of a sine of that level, in 16-bit samples. */
export const amplitudeOf = (dbm0: number): number => 32_767 * 10 ** ((dbm0 - fullScaleDbm0) / 20)

/** The level of a sine of that mean square; silence is −Infinity. */
export const levelOfPower = (meanSquare: number): number =>
  fullScaleDbm0 + 10 * Math.log10((2 * meanSquare) / (32_767 * 32_767))

/** The level of `count` samples from `pcm[from]` on, all frequencies together. */
export const levelOf = (pcm: Int16Array, from: number, count: number): number => {
  let squares = 0
  for (let i = from; i < from + count; i++) squares += pcm[i]! * pcm[i]!
  return levelOfPower(squares / count)
}
