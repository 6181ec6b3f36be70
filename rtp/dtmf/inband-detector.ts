import { HighPass } from '../tone/high-pass.ts'
import { keypad } from '../tone/tones.ts'
import { TuneMeter } from '../tone/tune-meter.ts'
import type { ReceivedDigit } from './digit-receiver.ts'
import { hopsPerBlock, KeypadTones } from './keypad-tones.ts'

/**
 * Blocks in a row that must show the same digit: every tone of 27 ms gives this many, none of 22 ms does. ITU-T Q.24
 * (table A.1) requires 40 ms to be accepted and 23 not; tones that a sender cuts short are between them.
 */
const leastHits = 8
/** Hits that raise a suspicion: next to no voice produces them. */
const suspectHits = 4
/** The mean share of their power that lies in the two tones. Voices that pass in each block have 0.87 at most. */
const leastMeanShare = 0.9
/** Blocks without it that end a digit: a break of 10 ms (Q.24, table A.1) has four at most, a pause of 30 ms twelve at least. */
const leastMisses = 8
/**
 * How far each tone may be off its frequency, a bit more than Q.24's 1.5 %, and how far from the other: the third and
 * fourth harmonic of a high voice are 3.8 % further apart than 941 and 1209 Hz.
 */
const mostOffTune = 0.021
const mostApart = 0.033
/** What lies far below the tones is no voice but hum, rumble or an offset: it is taken out before anything is measured. */
const rumbleHz = 300
/** Hops by which a digit is longer than its blocks are apart: the length of one, less what it may lack at both ends. */
const edgeHops = 1.3

/**
 * Finds the digits that a remote sends as tones (ITU-T Q.24) and no voice: both tones of a digit and next to nothing
 * else, at like levels, in tune, for long enough. Each digit is reported once, at its end.
 */
export class InbandDetector {
  readonly #perMs: number
  readonly #rumble: HighPass
  readonly #tones: KeypadTones
  readonly #samples: Float64Array
  #filled = 0
  /** What the last blocks showed: a place on the keypad, −1 = none; how many of them, and the sum of their shares. */
  #seen = -1
  #hits = 0
  #shares = 0
  readonly #row = new TuneMeter()
  readonly #column = new TuneMeter()
  /** The present digit, how many blocks it has lasted, and blocks without it since. */
  #digit = -1
  #lasted = 0
  #misses = 0
  /** Blocks since it was detected last that reported nothing; and how many more will report nothing, over the seam after them. */
  #passedOver = 0
  #seam = 0

  /** `sampleRate`: Hz. Default 8000. */
  constructor(sampleRate = 8000) {
    this.#perMs = sampleRate / 1000
    this.#rumble = new HighPass(rumbleHz, sampleRate)
    this.#tones = new KeypadTones(sampleRate)
    this.#samples = new Float64Array(this.#tones.hop)
  }

  /** The last audio is a digit, or may become one: its two tones have been there for some 20 ms. */
  get hasTone(): boolean {
    return this.#digit >= 0 || (this.#seen >= 0 && this.#hits >= suspectHits)
  }

  /** The present digit, which will be reported when it ends; undefined = none. */
  get held(): string | undefined {
    return keypad[this.#digit]
  }

  /** Takes `count` samples from `pcm[from]` on. Returns the digit that ended in them; two cannot, within 20 ms. */
  analyze(pcm: Int16Array, from: number, count: number): ReceivedDigit | undefined {
    let ended: ReceivedDigit | undefined
    for (let i = from; i < from + count; i++) {
      this.#samples[this.#filled++] = this.#rumble.pass(pcm[i]!)
      if (this.#filled < this.#samples.length) continue
      this.#filled = 0
      ended = this.#step(this.#tones.analyze(this.#samples)) ?? ended
    }
    return ended
  }

  /** `count` samples were concealed: they are no evidence, and a present digit continues. */
  passOver(count: number): void {
    if (this.#digit < 0) return
    this.#passedOver += Math.round(count / this.#tones.hop)
    this.#seam = hopsPerBlock
  }

  /** The next block shows this key; −1 = none. */
  #step(key: number): ReceivedDigit | undefined {
    this.#count(key)
    if (this.#digit >= 0 && this.#seam > 0) {
      this.#seam--
      this.#passedOver++
      return undefined
    }
    if (this.#digit >= 0 && (key === this.#digit || this.#tones.holds(this.#digit))) {
      this.#lasted += 1 + this.#misses + this.#passedOver
      this.#misses = 0
      this.#passedOver = 0
      return undefined
    }
    let ended: ReceivedDigit | undefined
    const isOther = key >= 0 && this.#hits >= leastHits && this.#isPure && this.#isInTune
    if (this.#digit >= 0 && (isOther || ++this.#misses >= leastMisses)) {
      ended = { digit: keypad[this.#digit]!, durationMs: this.#durationMs }
      this.#digit = -1
    }
    if (isOther) {
      this.#digit = key
      this.#lasted = this.#hits
      this.#misses = 0
      this.#passedOver = 0
      this.#seam = 0
    }
    return ended
  }

  #count(key: number): void {
    const goesOn = key === this.#seen
    this.#seen = key
    this.#hits = goesOn ? this.#hits + 1 : 1
    if (key < 0) return
    const tones = this.#tones
    this.#shares = goesOn ? this.#shares + tones.share : tones.share
    this.#row.analyze(tones.rowPhase(key), tones.rowAngle(key), goesOn)
    this.#column.analyze(tones.columnPhase(key), tones.columnAngle(key), goesOn)
  }

  get #isPure(): boolean {
    return this.#shares >= leastMeanShare * this.#hits
  }

  get #isInTune(): boolean {
    const row = this.#row.offTune
    const column = this.#column.offTune
    return Math.max(Math.abs(row), Math.abs(column)) <= mostOffTune && Math.abs(row - column) <= mostApart
  }

  get #durationMs(): number {
    return Math.round(((this.#lasted + edgeHops) * this.#tones.hop) / this.#perMs)
  }
}
