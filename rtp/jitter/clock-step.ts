import { sequenceDelta, timestampDelta } from '../packet/sequence.ts'

/** A timestamp that runs so far ahead of the time between two packets was set by the sender: the network cannot speed packets up. */
export const stepMs = 80

/** `back`: the timestamp fell back though the numbers continue. `ahead`: it has outrun the time that passed. */
export type Step = 'none' | 'back' | 'ahead'

/**
 * Detects that the remote has set its clock without a sign: a gateway that joins another stream to this one keeps the
 * numbers and the source and forgets the times. A pause, a loss or a slow network never looks so.
 */
export class ClockStep {
  readonly #unitsPerMs: number
  #hasBegun = false
  #sequence = 0
  #timestamp = 0
  #at = 0

  /** `clockRate`: units of the RTP timestamp a second. */
  constructor(clockRate: number) {
    this.#unitsPerMs = clockRate / 1000
  }

  /** Takes a packet; a reordered one is no evidence. */
  judge(sequence: number, timestamp: number, now: number): Step {
    const isNewest = !this.#hasBegun || sequenceDelta(sequence, this.#sequence) > 0
    if (!isNewest) return 'none'
    const movedMs = timestampDelta(timestamp, this.#timestamp) / this.#unitsPerMs
    const passedMs = now - this.#at
    const isFirst = !this.#hasBegun
    this.#hasBegun = true
    this.#sequence = sequence
    this.#timestamp = timestamp
    this.#at = now
    if (isFirst) return 'none'
    if (movedMs < 0) return 'back'
    return movedMs - passedMs > stepMs ? 'ahead' : 'none'
  }
}
