import { maxDropout, maxMisorder, sequenceDelta } from '../packet/sequence.ts'

/** RFC 3550 §A.1 MIN_SEQUENTIAL. */
const minSequential = 2
/** Out of range of any sequence number: no jump is being watched. */
const noNumber = 0x1_0001

/**
 * `probation`: too early to decide; `jump`: far from the last number, perhaps the beginning of a restart. The verdict
 * is for the statistics and for a source that must first be accepted; audio need not wait for it.
 */
export type SequenceVerdict = 'valid' | 'probation' | 'jump'

/** The sequence numbers of one source: RFC 3550 §A.1 (validity, probation, restarts) and §A.3 (loss). */
export class SequenceStatistics {
  #started = false
  #probation = minSequential
  #base = 0
  #highest = 0
  #cycles = 0
  #awaited = noNumber
  #received = 0
  #expectedBefore = 0
  #receivedBefore = 0
  #restarts = 0

  /** Takes the number of a packet that came. */
  receive(sequence: number): SequenceVerdict {
    if (!this.#started) {
      this.#started = true
      this.#restart(sequence)
      this.#probation = minSequential - 1
      return 'probation'
    }
    const delta = sequenceDelta(sequence, this.#highest)
    if (this.#probation > 0) {
      this.#probation = delta === 1 ? this.#probation - 1 : minSequential - 1
      if (this.#probation > 0) {
        this.#restart(sequence)
        return 'probation'
      }
      this.#advance(sequence)
    } else if (delta > 0 && delta < maxDropout) {
      this.#advance(sequence)
    } else if (delta > 0 || delta <= -maxMisorder) {
      if (sequence !== this.#awaited) {
        this.#awaited = (sequence + 1) & 0xffff
        return 'jump'
      }
      // Two packets in a row from the new place: the remote restarted without telling.
      this.#restarts++
      this.#restart(sequence)
      return 'valid'
    }
    this.#received++
    return 'valid'
  }

  /** Cycles and highest number in 32 bits. */
  get highestSequence(): number {
    return (this.#cycles + this.#highest) >>> 0
  }
  /** The number with its cycles, counted from the beginning of this source: it does not wrap. */
  indexOf(sequence: number): number {
    return this.#cycles + this.#highest + sequenceDelta(sequence, this.#highest & 0xffff)
  }
  get received(): number {
    return this.#received
  }
  /** Packets that should have come since the beginning, or the last restart. */
  get expected(): number {
    return this.#started ? this.#cycles + this.#highest - this.#base + 1 : 0
  }
  /** May be negative when packets came twice. */
  get lost(): number {
    return this.expected - this.#received
  }
  get restarts(): number {
    return this.#restarts
  }

  /** Loss since it was asked before, in 1/256 (§A.3); begins a new interval. */
  takeFractionLost(): number {
    const expected = this.expected - this.#expectedBefore
    const lost = expected - (this.#received - this.#receivedBefore)
    this.#expectedBefore = this.expected
    this.#receivedBefore = this.#received
    return expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / expected))
  }

  #advance(sequence: number): void {
    if (sequence < this.#highest) this.#cycles += 0x10000
    this.#highest = sequence
  }

  #restart(sequence: number): void {
    this.#base = sequence
    this.#highest = sequence
    this.#cycles = 0
    this.#awaited = noNumber
    this.#received = 1
    this.#expectedBefore = 0
    this.#receivedBefore = 0
  }
}
