import { readFileSync } from 'node:fs'
import { linearOfMuLaw } from '../../rtp/codec/g711-tables.ts'
import { HumFollower } from './sounds.ts'

const headerBytes = 44
/** The legs stop speaking at beats of their own: of the last two frames one side may be silent. */
const endFrames = 2 * 160
/** Samples by which a place in the loop is recognised. */
const print = 64

export interface FileCheck {
  readonly seconds: number
  /** Samples on the left that are not what was said there. */
  readonly wrong: number
  /** Places at which what was said is somewhere else than before: something is missing, or there twice. */
  readonly slips: number
  /** The same of one sample, as a clock that is followed makes them. */
  readonly drifts: number
  /** Frames on the right in which the tone jumps, or is not there. */
  readonly humJumps: number
  readonly humSilent: number
}

/** Compares a recording of two channels with what was said: on the left sample by sample, on the right by the tone. */
export function checkRecording(path: string, speech: Uint8Array): FileCheck {
  const bytes = readFileSync(path)
  const pcm = new Int16Array(bytes.buffer, bytes.byteOffset + headerBytes, (bytes.length - headerBytes) >> 1)
  const frames = pcm.length >> 1
  const said = Int16Array.from(speech, code => linearOfMuLaw[code]!)
  let begin = 0
  while (begin < frames && pcm[2 * begin] === 0) begin++
  let end = frames
  while (end > begin && pcm[2 * (end - 1)] === 0) end--
  let offset = placeOf(pcm, begin, said)
  let wrong = 0
  let slips = 0
  let drifts = 0
  for (let i = begin; i < end; i++) {
    if (offset >= 0 && pcm[2 * i] === said[(i + offset) % said.length]) continue
    if (stands(pcm, i, said, offset + 1) || stands(pcm, i, said, offset + said.length - 1)) {
      offset += stands(pcm, i, said, offset + 1) ? 1 : said.length - 1
      drifts++
      continue
    }
    wrong++
    // Now and then: to look for a place takes a while.
    const place = wrong % print === 1 && i + print < end ? placeOf(pcm, i, said) : -1
    if (place >= 0 && place !== offset) {
      slips++
      offset = place
    }
  }
  const hum = new HumFollower()
  for (let i = 0; i < end - endFrames; i++) hum.receive(pcm[2 * i + 1]!)
  return { seconds: frames / 8000, wrong, slips, drifts, humJumps: hum.jumps, humSilent: hum.silent }
}

/** What was said is at `at` as it does at that place ahead of it in the loop. */
const stands = (pcm: Int16Array, at: number, said: Int16Array, ahead: number): boolean => {
  let i = 0
  while (i < print && pcm[2 * (at + i)] === said[(at + i + ahead) % said.length]) i++
  return i === print
}

/** How far ahead of the file the loop is at `at`; −1 = what is there was not said. */
const placeOf = (pcm: Int16Array, at: number, said: Int16Array): number => {
  for (let shift = 0; shift < said.length; shift++) {
    if (stands(pcm, at, said, shift)) return shift
  }
  return -1
}
