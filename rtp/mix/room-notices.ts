import { ToneSource } from '../tone/tone-source.ts'
import { tones } from '../tone/tones.ts'
import { type MixRate, samplesOfFrame } from './mix-rate.ts'

/** A tone to all members of a room. */
export type RoomTone = 'enter' | 'leave'

/** Tones need no more. */
const rate: MixRate = 8000
/** When many come at once their tones need not be counted. */
const maxWaiting = 2

/** The tones that sound in a room, one after another. */
export class RoomNotices {
  readonly rate = rate
  readonly pcm = new Int16Array(samplesOfFrame(rate))
  readonly #waiting: RoomTone[] = []
  #source: ToneSource | undefined

  sound(tone: RoomTone): void {
    if (this.#waiting.length < maxWaiting && this.#waiting.at(-1) !== tone) this.#waiting.push(tone)
  }

  /** Fills the next frame. Returns false when the frame is silent. */
  read(): boolean {
    if (this.#source === undefined) {
      const next = this.#waiting.shift()
      if (next === undefined) return false
      this.#source = new ToneSource(tones[next], rate)
    }
    const count = this.#source.fillInto(this.pcm, 0, this.pcm.length)
    if (count < this.pcm.length) {
      this.pcm.fill(0, count)
      this.#source = undefined
    }
    return true
  }
}
