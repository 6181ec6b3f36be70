const clipped = (sum: number): number => Math.max(-32_768, Math.min(32_767, sum))

/** Adds `count` samples from `pcm[from]` on to those from `into[at]` on, clipped to 16 bits. */
export const addInto = (into: Int16Array, at: number, pcm: Int16Array, from: number, count: number): void => {
  for (let i = 0; i < count; i++) into[at + i] = clipped(into[at + i]! + pcm[from + i]!)
}

/** Adds `count` samples from `pcm[from]` on to a sum of many, which is clipped only once, at its end. */
export const sumInto = (sum: Int32Array, pcm: Int16Array, from: number, count: number): void => {
  for (let i = 0; i < count; i++) sum[i]! += pcm[from + i]!
}

/** Adds `count` samples of one sum of many, from `sum[from]` on, on to another. */
export const addSumInto = (into: Int32Array, sum: Int32Array, from: number, count: number): void => {
  for (let i = 0; i < count; i++) into[i]! += sum[from + i]!
}

/** The sum as samples, clipped. */
export const clipInto = (into: Int16Array, at: number, sum: Int32Array, count: number): void => {
  for (let i = 0; i < count; i++) into[at + i] = clipped(sum[i]!)
}

/** The sum without one of those in it: what that one receives of the others. */
export const clipWithoutInto = (
  into: Int16Array,
  at: number,
  sum: Int32Array,
  own: Int16Array,
  from: number,
  count: number,
): void => {
  for (let i = 0; i < count; i++) into[at + i] = clipped(sum[i]! - own[from + i]!)
}

/** Makes `count` samples from `pcm[at]` on louder or quieter by a factor, clipped. */
export const scaleInPlace = (pcm: Int16Array, at: number, count: number, factor: number): void => {
  for (let i = at; i < at + count; i++) pcm[i] = clipped(Math.round(pcm[i]! * factor))
}
