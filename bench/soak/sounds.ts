import { pcmu } from '../../rtp/index.ts'
import { LibOpus } from '../../rtp/io/index.ts'

const loopSeconds = 5
export const framesPerLoop = loopSeconds * 50
/** In 20 ms its phase moves by 0.24 turns: a frame that is missing or said twice shows. In five seconds it closes. */
export const humHz = 412
const humLevel = 9000
/** More than by a sample, as a clock that is followed may move: a twentieth of a turn. */
const mostTurn = 0.08

/** What the PCMU legs say, over and over: a voice of gliding pitch in noise, no two places alike. */
export function speechLoop(): Uint8Array {
  const count = loopSeconds * 8000
  const pcm = new Int16Array(count)
  let state = 12_345
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 0x1_0000_0000
  }
  let phase = 0
  for (let i = 0; i < count; i++) {
    const seconds = i / 8000
    phase += (2 * Math.PI * (140 + 40 * Math.sin(2 * Math.PI * 0.6 * seconds))) / 8000
    const syllable = 0.55 + 0.45 * Math.sin(2 * Math.PI * 3.2 * seconds)
    let voice = 0
    for (let n = 1; n <= 12; n++) voice += Math.sin(n * phase + n * n) / n
    pcm[i] = Math.round(3500 * syllable * voice + 600 * (random() - 0.5))
  }
  const bytes = new Uint8Array(count)
  pcmu.encodeInto(bytes, 0, pcm, 0, count)
  return bytes
}

/** A tone that closes in itself after `framesPerLoop` frames, twice: the second round begins where the first has brought a coder. */
export const hum = (rate: number): Int16Array =>
  Int16Array.from({ length: (2 * framesPerLoop * rate) / 50 }, (_, i) =>
    Math.round(humLevel * Math.sin((2 * Math.PI * humHz * i) / rate)),
  )

/** What the Opus legs say: a tone, in packets that can be repeated without a seam. */
export async function humLoop(): Promise<readonly Uint8Array[]> {
  const rate = 16_000
  const frame = rate / 50
  const encoder = await new Promise<Parameters<Parameters<LibOpus['encoder']>[1]>[0]>(resolve =>
    new LibOpus().encoder({ sampleRate: rate, bitrate: 28_000, fec: true, dtx: false }, resolve),
  )
  if (encoder === undefined) throw new Error('no Opus')
  const packets: Uint8Array[] = []
  const pcm = hum(rate)
  const bytes = new Uint8Array(1275)
  for (let n = 0; n < 2 * framesPerLoop; n++) {
    const length = encoder.encodeInto(bytes, 0, pcm, n * frame, frame)
    if (n >= framesPerLoop) packets.push(bytes.slice(0, length))
  }
  encoder.free()
  return packets
}

/** Follows the phase of the hum through consecutive samples at 8,000 Hz, a frame of 20 ms at a time. */
export class HumFollower {
  #sin = 0
  #cos = 0
  #at = 0
  #filled = 0
  #phase = Number.NaN
  #settled = 0
  /** Frames in which the tone jumped, and those in which it was not there. */
  jumps = 0
  silent = 0
  frames = 0
  /** By how many turns its phase has strayed, now and at most either way. */
  #strayed = 0
  #least = 0
  #most = 0

  /** Frames at the beginning that are not judged: coders and buffers settle. */
  readonly #settling: number
  constructor(settling = 25) {
    this.#settling = settling
  }

  /** How far apart the tone stood in the frames that were judged, samples. */
  get movedSamples(): number {
    return ((this.#most - this.#least) * 8000) / humHz
  }

  receive(sample: number): void {
    const angle = (2 * Math.PI * humHz * this.#at++) / 8000
    this.#sin += sample * Math.sin(angle)
    this.#cos += sample * Math.cos(angle)
    if (++this.#filled === 160) this.#judge()
  }

  #judge(): void {
    const level = (2 * Math.hypot(this.#sin, this.#cos)) / 160
    const phase = Math.atan2(this.#cos, this.#sin) / (2 * Math.PI)
    this.#sin = 0
    this.#cos = 0
    this.#filled = 0
    const isThere = level > humLevel / 2
    if (this.#settled < this.#settling) {
      if (isThere) this.#settled++
    } else {
      this.frames++
      const step = phase - this.#phase
      if (!isThere) this.silent++
      else if (Math.abs(step - Math.round(step)) > mostTurn) this.jumps++
      this.#strayed += step - Math.round(step)
      this.#least = Math.min(this.#least, this.#strayed)
      this.#most = Math.max(this.#most, this.#strayed)
    }
    this.#phase = phase
  }
}
