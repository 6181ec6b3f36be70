import { levelOfPower } from '../tone/level.ts'
import { SlidingTones } from '../tone/sliding-tones.ts'
import { columnsHz, rowsHz } from '../tone/tones.ts'

/** A block must be long enough to distinguish the rows from one another. */
const blockMs = 12.75
/** Blocks begin a sixth of their length apart, 2 ms: so finely the length of a tone is reported. */
export const hopsPerBlock = 6
/** Each of the two tones, dBm0 (ITU-T Q.24: −25 and more is to be taken, a line may lose some of it). */
const quietestDbm0 = -34
/**
 * The column may be weaker than the row by this, and stronger by that, dB. Q.24 (table A.1) has 8 and 4; in so short a
 * block the two add to one another, or take away.
 */
const mostTwistDb = 10.5
const mostReverseTwistDb = 9
/** The second strongest of a group is weaker than the strongest by at least so much, dB, whatever the other group adds. */
const leastLeadDb = 5
/** Share of a block's power that lies in the two tones. Speech has harmonics, and something in between. */
const leastShare = 0.85
/** Share of a tone that is enough for a digit that continues: there may be speech meanwhile. */
const leastShareHeld = 0.4
/** A sender's tones may be off by 1.5 % (Q.24): they are measured where they are, not where they should be. */
const detunings = [1, 0.989, 1.011] as const
const inTune = 0

const factorOf = (db: number): number => 10 ** (db / 10)
const mostTwist = factorOf(mostTwistDb)
const mostReverseTwist = factorOf(mostReverseTwistDb)
const leastLead = factorOf(leastLeadDb)

/** Whether the last 12.75 ms consist of the two tones of a digit, and of which. */
export class KeypadTones {
  /** Samples from one block to the next. */
  readonly hop: number
  /** The mean squares of all eight in tune, in this block. */
  readonly #powers = new Float64Array(rowsHz.length + columnsHz.length)
  readonly #tones: SlidingTones
  #share = 0

  constructor(sampleRate: number) {
    this.hop = Math.round((blockMs * sampleRate) / 1000 / hopsPerBlock)
    this.#tones = new SlidingTones([...rowsHz, ...columnsHz], sampleRate, this.hop, hopsPerBlock, detunings)
  }

  /** Share of the block's power that lies in the two tones of the digit that it shows; over 1 by how they meet in it. */
  get share(): number {
    return this.#share
  }

  /** Takes the next hop, all of `samples`. Returns the place on the keypad that the block up to its end shows; −1 = none. */
  analyze(samples: Float64Array): number {
    this.#tones.analyze(samples)
    const mean = this.#tones.meanSquare
    if (levelOfPower(mean) < quietestDbm0) return -1
    const row = this.#strongest(0, rowsHz.length)
    if (!this.#leads(row, 0, rowsHz.length)) return -1
    const column = this.#strongest(rowsHz.length, this.#powers.length)
    if (!this.#leads(column, rowsHz.length, this.#powers.length)) return -1
    const low = this.#wherever(row)
    const high = this.#wherever(column)
    if (low > high * mostTwist || high > low * mostReverseTwist) return -1
    if (Math.min(levelOfPower(low), levelOfPower(high)) < quietestDbm0) return -1
    this.#share = (low + high) / mean
    return this.#share < leastShare ? -1 : row * columnsHz.length + (column - rowsHz.length)
  }

  /** Whether the tones of this key are in the last block, whatever other sound there is. */
  holds(key: number): boolean {
    const mean = this.#tones.meanSquare
    if (levelOfPower(mean) < quietestDbm0) return false
    if (this.#strongest(0, rowsHz.length) !== rowOf(key)) return false
    if (this.#strongest(rowsHz.length, this.#powers.length) !== columnOf(key)) return false
    return this.#wherever(rowOf(key)) + this.#wherever(columnOf(key)) >= leastShareHeld * mean
  }

  /** Where the row's tone of a digit stands at the end of the block, and by what angle it moves from block to block. */
  rowPhase(key: number): number {
    return this.#tones.phaseOf(rowOf(key), inTune)
  }
  rowAngle(key: number): number {
    return this.#tones.angleOfHop(rowOf(key))
  }
  /** The same for its column's tone. */
  columnPhase(key: number): number {
    return this.#tones.phaseOf(columnOf(key), inTune)
  }
  columnAngle(key: number): number {
    return this.#tones.angleOfHop(columnOf(key))
  }

  /** The strongest between two places. */
  #strongest(from: number, to: number): number {
    const powers = this.#powers
    let best = from
    for (let at = from; at < to; at++) {
      powers[at] = this.#tones.powerOf(at, inTune)
      if (powers[at]! > powers[best]!) best = at
    }
    return best
  }

  /** It leads the others between two places. */
  #leads(best: number, from: number, to: number): boolean {
    const powers = this.#powers
    for (let at = from; at < to; at++) if (at !== best && powers[at]! * leastLead > powers[best]!) return false
    return true
  }

  /** The power of a tone that may be somewhat out of tune. */
  #wherever(tone: number): number {
    return Math.max(this.#powers[tone]!, this.#tones.powerOf(tone, 1), this.#tones.powerOf(tone, 2))
  }
}

const rowOf = (key: number): number => key >> 2
const columnOf = (key: number): number => rowsHz.length + (key & 3)
