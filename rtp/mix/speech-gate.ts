import { levelOf } from '../tone/level.ts'

/** Quieter than this, dBm0, is a line or a room without a voice: fifty of them would add up to a hiss. */
const gateDbm0 = -55
/** Frames of quiet after which audio is no longer passed: words have pauses. */
export const gateHoldFrames = 20
/** How long a voice that begins swells, in parts of a frame. */
const swellPart = 0.2

/**
 * Lets a member's voice into the sum and keeps its noise out, a frame at a time. It opens with the frame that holds a
 * voice, so that no beginning is lost, and both its edges are soft.
 */
export class SpeechGate {
  #quietFrames = gateHoldFrames
  #isOpen = false

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Takes a frame, and shapes it at an edge. Returns true when it is to be mixed. */
  pass(pcm: Int16Array, count: number): boolean {
    const isLoud = levelOf(pcm, 0, count) > gateDbm0
    this.#quietFrames = isLoud ? 0 : this.#quietFrames + 1
    if (this.#quietFrames > gateHoldFrames) return this.#isOpen && this.shut(pcm, count)
    if (this.#isOpen || !isLoud) return this.#isOpen
    this.#isOpen = true
    swell(pcm, Math.round(count * swellPart))
    return true
  }

  /** The last frame of a member that leaves, or may speak no longer: it fades. Returns true when it is to be mixed. */
  shut(pcm: Int16Array, count: number): boolean {
    const wasOpen = this.#isOpen
    this.#isOpen = false
    this.#quietFrames = gateHoldFrames
    if (wasOpen) fade(pcm, count)
    return wasOpen
  }
}

const swell = (pcm: Int16Array, count: number): void => {
  for (let i = 0; i < count; i++) pcm[i] = Math.round((pcm[i]! * i) / count)
}

const fade = (pcm: Int16Array, count: number): void => {
  for (let i = 0; i < count; i++) pcm[i] = Math.round((pcm[i]! * (count - 1 - i)) / count)
}
