import { readFileSync } from 'node:fs'
import { HumFollower } from '../soak/sounds.ts'

const headerBytes = 44
/** A side ends with what is made up for packets that no longer come. */
const endFrames = 10 * 160

export interface HumCheck {
  readonly seconds: number
  /** Frames of both sides in which the tone jumps, or is not there. */
  readonly jumps: number
  readonly silent: number
  /** Sides that stand somewhere else in the end than in the beginning: samples were left out or doubled one by one. */
  readonly moved: number
}

/** Follows the tone through both sides of a recording. */
export function checkHums(path: string): HumCheck {
  const bytes = readFileSync(path)
  const pcm = new Int16Array(bytes.buffer, bytes.byteOffset + headerBytes, (bytes.length - headerBytes) >> 1)
  const sides = [0, 1].map(side => follow(pcm, side))
  const sum = (of: (side: HumFollower) => number) => sides.reduce((all, side) => all + of(side), 0)
  return {
    seconds: pcm.length / 2 / 8000,
    jumps: sum(side => side.jumps),
    silent: sum(side => side.silent),
    moved: sides.filter(side => side.movedSamples >= 1 || side.frames === 0).length,
  }
}

function follow(pcm: Int16Array, side: number): HumFollower {
  const frames = pcm.length / 2
  let end = frames
  while (end > 0 && pcm[2 * (end - 1) + side] === 0) end--
  const hum = new HumFollower()
  for (let i = 0; i < end - endFrames; i++) hum.hear(pcm[2 * i + side]!)
  return hum
}
