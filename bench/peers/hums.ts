import { readFileSync } from 'node:fs'
import { HumFollower } from '../soak/sounds.ts'

const headerBytes = 44
/** From the answer until the tone is there, and at the end until the call is over in the file: no more than this is not judged. */
const beginFrames = 75
const endFrames = 15
const frameSamples = 160

export interface HumCheck {
  readonly seconds: number
  /** Frames of both sides in which the tone jumps, or is not there. */
  readonly jumps: number
  readonly silent: number
  /** Sides that stood somewhere else meanwhile: samples were left out or doubled one by one. */
  readonly moved: number
  /** The farthest of them, samples. */
  readonly movedSamples: number
}

/** Follows the tone through both sides of a recording. */
export function checkHums(path: string): HumCheck {
  const bytes = readFileSync(path)
  const pcm = new Int16Array(bytes.buffer, bytes.byteOffset + headerBytes, (bytes.length - headerBytes) >> 1)
  const frames = Math.floor(pcm.length / 2 / frameSamples)
  const sides = [0, 1].map(side => follow(pcm, side, frames - endFrames))
  const sum = (of: (side: HumFollower) => number) => sides.reduce((all, side) => all + of(side), 0)
  return {
    seconds: pcm.length / 2 / 8000,
    jumps: sum(side => side.jumps),
    silent: sum(side => side.silent + Math.max(0, frames - beginFrames - endFrames - side.frames)),
    moved: sides.filter(side => side.movedSamples >= 1).length,
    movedSamples: Math.max(...sides.map(side => side.movedSamples)),
  }
}

function follow(pcm: Int16Array, side: number, frames: number): HumFollower {
  const hum = new HumFollower()
  for (let i = 0; i < frames * frameSamples; i++) hum.receive(pcm[2 * i + side]!)
  return hum
}
