import { levelOfPower } from './level.ts'

/**
 * The level in dBm0 of one frequency in `count` samples from `pcm[from]` on, by Goertzel's recursion: as narrow as
 * `sampleRate / count` Hz. A sine of that frequency shows its own level.
 */
export const levelAt = (pcm: Int16Array, from: number, count: number, hz: number, sampleRate: number): number => {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / sampleRate)
  let before = 0
  let last = 0
  for (let i = from; i < from + count; i++) {
    const next = pcm[i]! + turn * last - before
    before = last
    last = next
  }
  return levelOfPower((2 * (last * last + before * before - turn * last * before)) / (count * count))
}
