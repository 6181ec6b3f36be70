import { Goertzel, powersOfFour, turnOf } from '../tone/goertzel.ts'
import { HighPass } from '../tone/high-pass.ts'
import { levelOfPower } from '../tone/level.ts'
import { TuneMeter } from '../tone/tune-meter.ts'
import type { Press } from './digit-receiver.ts'

// ITU-T Q.23: rows and columns of the keypad.
const rows = [697, 770, 852, 941] as const
const columns = [1209, 1336, 1477, 1633] as const
const keypad = '123A456B789C*0#D'

/** A block is as long as it takes to tell the rows from one another; blocks overlap by half. */
const blockMs = 12.75
/** Blocks in a row that must show the same digit: 32 ms, the most that a digit of 40 ms always gives. */
const leastHits = 4
/** So many are a suspicion: next to no voice shows two. */
const suspectHits = 2
/** So many of these in a row must have the same power, within this factor: a voice swells and fades. */
const leastSteady = 3
const steadyFactor = 1.25
/** Blocks without it that end a digit: a break of 10 ms (Q.24, table A.1) touches three, a pause of 30 ms five. */
const leastMisses = 4
/**
 * How far each tone may be off its frequency, a bit more than Q.24's 1.5 %, and how far from the other: the third and
 * fourth harmonic of a high voice are 3.8 % further apart than 941 and 1209 Hz.
 */
const mostOffTune = 0.021
const mostApart = 0.033
/** What lies far below the tones is no voice but hum, rumble or an offset: it is taken out before anything is measured. */
const rumbleHz = 300
/** Each of the two tones, dBm0 (ITU-T Q.24: −25 and more is to be taken, a line may lose some of it). */
const quietestDbm0 = -34
/** The column may be weaker than the row by this, and stronger by that, dB (Q.24, table A.1). */
const mostTwistDb = 9.5
const mostReverseTwistDb = 9
/** The second strongest of a group is weaker than the strongest by at least so much, dB. */
const leastLeadDb = 7
/** Share of a block's power that lies in the two tones. Speech has harmonics, and something in between. */
const leastShare = 0.85
/** A sender's tones may be off by 1.5 % (Q.24): they are measured where they are, not where they should be. */
const offTune = [0.989, 1, 1.011] as const

const factorOf = (db: number): number => 10 ** (db / 10)
const mostTwist = factorOf(mostTwistDb)
const mostReverseTwist = factorOf(mostReverseTwistDb)
const leastLead = factorOf(leastLeadDb)

/**
 * Finds the digits that a far end sends as tones (ITU-T Q.24) and no voice: both tones of a digit and next to nothing
 * else, at like levels, for long enough. Each press is told once, at its end.
 */
export class InbandDetector {
  readonly #perMs: number
  readonly #block: Float64Array
  readonly #rumble: HighPass
  readonly #hop: number
  /** Goertzel's factors of rows and then columns, each out of tune, in tune, and out of tune the other way. */
  readonly #turns: Float64Array
  readonly #goertzel = new Goertzel()
  /** The powers of those in tune in this block. */
  readonly #powers = new Float64Array(rows.length + columns.length)
  #filled = 0
  /** What the last blocks showed: a place on the keypad, −1 = none; and how many of them. */
  #seen = -1
  #hits = 0
  #steady = 0
  /** Of this block and of the one before, as mean square. */
  #power = 0
  #powerBefore = 0
  readonly #row: TuneMeter
  readonly #column: TuneMeter
  /** The digit that sounds, since how many blocks, and blocks without it since. */
  #digit = -1
  #lasted = 0
  #misses = 0

  /** `sampleRate`: Hz. Default 8000. */
  constructor(sampleRate = 8000) {
    this.#perMs = sampleRate / 1000
    const length = 2 * Math.round((blockMs * this.#perMs) / 2)
    this.#block = new Float64Array(length)
    this.#rumble = new HighPass(rumbleHz, sampleRate)
    this.#hop = length / 2
    this.#row = new TuneMeter(this.#hop)
    this.#column = new TuneMeter(this.#hop)
    const tried = [...rows, ...columns].flatMap(hz => offTune.map(off => hz * off))
    this.#turns = Float64Array.from(tried, hz => turnOf(hz, sampleRate))
  }

  /** What was heard last is a digit, or may become one: its two tones have been there for some 20 ms. */
  get hearsTone(): boolean {
    return this.#digit >= 0 || (this.#seen >= 0 && this.#hits >= suspectHits)
  }

  /** The digit that sounds now, and will be told when it ends; undefined = none. */
  get held(): string | undefined {
    return keypad[this.#digit]
  }

  /** Takes `count` samples from `pcm[from]` on. Returns the press that ended in them; two cannot, within 60 ms. */
  hear(pcm: Int16Array, from: number, count: number): Press | undefined {
    let ended: Press | undefined
    for (let i = from; i < from + count; i++) {
      this.#block[this.#filled++] = this.#rumble.pass(pcm[i]!)
      if (this.#filled < this.#block.length) continue
      ended = this.#step(this.#digitOfBlock()) ?? ended
      this.#block.copyWithin(0, this.#hop)
      this.#filled -= this.#hop
    }
    return ended
  }

  #step(key: number): Press | undefined {
    const goesOn = key === this.#seen
    if (key >= 0) {
      this.#row.hear(this.#block, this.#turns[3 * (key >> 2) + 1]!, goesOn)
      this.#column.hear(this.#block, this.#turns[3 * (rows.length + (key & 3)) + 1]!, goesOn)
    }
    this.#hits = goesOn ? this.#hits + 1 : 1
    this.#steady = goesOn && this.#isSteady ? this.#steady + 1 : 1
    this.#seen = key
    this.#powerBefore = this.#power
    if (key === this.#digit) {
      if (key >= 0) {
        this.#lasted += 1 + this.#misses
        this.#misses = 0
      }
      return undefined
    }
    let ended: Press | undefined
    const isOther = key >= 0 && this.#hits >= leastHits && this.#steady >= leastSteady && this.#isInTune
    if (this.#digit >= 0 && (isOther || ++this.#misses >= leastMisses)) {
      ended = { digit: keypad[this.#digit]!, durationMs: this.#durationMs }
      this.#digit = -1
    }
    if (isOther) {
      this.#digit = key
      this.#lasted = this.#hits
      this.#misses = 0
    }
    return ended
  }

  get #isInTune(): boolean {
    const row = this.#row.offTune
    const column = this.#column.offTune
    return Math.max(Math.abs(row), Math.abs(column)) <= mostOffTune && Math.abs(row - column) <= mostApart
  }

  get #isSteady(): boolean {
    const [a, b] = [this.#power, this.#powerBefore]
    return a <= b * steadyFactor && b <= a * steadyFactor
  }

  /** From the first block to the last, and half of what the blocks before and after may hold. */
  get #durationMs(): number {
    return Math.round(((this.#lasted + 1.5) * this.#hop) / this.#perMs)
  }

  /** The place on the keypad whose two tones this block consists of; −1 = none. */
  #digitOfBlock(): number {
    const block = this.#block
    let squares = 0
    for (let i = 0; i < block.length; i++) squares += block[i]! * block[i]!
    const mean = squares / block.length
    this.#power = mean
    if (levelOfPower(mean) < quietestDbm0) return -1
    const powers = this.#powers
    powersOfFour(powers, 0, block, this.#turns, 1, 3)
    const row = strongest(powers, 0, rows.length)
    if (row < 0) return -1
    powersOfFour(powers, rows.length, block, this.#turns, 3 * rows.length + 1, 3)
    const column = strongest(powers, rows.length, powers.length)
    if (column < 0) return -1
    const low = this.#wherever(row)
    const high = this.#wherever(column)
    if (low > high * mostTwist || high > low * mostReverseTwist) return -1
    if (Math.min(levelOfPower(low), levelOfPower(high)) < quietestDbm0) return -1
    if (low + high < leastShare * mean) return -1
    return row * columns.length + (column - rows.length)
  }

  /** The power of a tone that may be somewhat out of tune. */
  #wherever(tone: number): number {
    return Math.max(this.#powers[tone]!, this.#powerOf(3 * tone), this.#powerOf(3 * tone + 2))
  }

  /** The mean square of the sine of one frequency. */
  #powerOf(at: number): number {
    this.#goertzel.hear(this.#block, this.#turns[at]!)
    return this.#goertzel.power
  }
}

/** The strongest between two places, where it leads the others of its group; else −1. */
const strongest = (powers: Float64Array, from: number, to: number): number => {
  let best = from
  for (let at = from + 1; at < to; at++) if (powers[at]! > powers[best]!) best = at
  for (let at = from; at < to; at++) if (at !== best && powers[at]! * leastLead > powers[best]!) return -1
  return best
}
