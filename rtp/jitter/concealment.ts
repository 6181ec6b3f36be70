import { pitchOf } from './pitch.ts'

// By ITU-T G.711 appendix I: pitch from 66 to 200 Hz, compared over 20 ms; up to three periods of it are repeated.
const shortestPitchMs = 5
const longestPitchMs = 15
const compareMs = 20
const maxPeriods = 3
/** Time that one period is repeated, then two, then three: one alone would buzz. */
const periodStepMs = 10
/** Full level at first, then a fifth less every 10 ms, silence after 60 ms. */
const fullLevelMs = 10
const silentAfterMs = 60
/** What comes after is overlapped for a quarter period, and longer after a longer loss. */
const joinShare = 0.4
const maxJoinMs = 10
/** After silence, and where only what was concealed may be bent: just enough that nothing clicks. */
const riseMs = 3

/**
 * Fills in what was lost, in the manner of ITU-T G.711 appendix I: the last pitch period goes on, weaker and weaker,
 * and what comes after is overlapped with it. Unlike there nothing is delayed, so that what arrives whole stays
 * bit for bit; the beginning of a loss is smoothed inside the loss. One for each stream, every frame through it.
 */
export class Concealment {
  readonly #perMs: number
  /** What was played last, concealed or not; its end is now. */
  readonly #history: Int16Array
  /** The same when the loss began. */
  readonly #past: Int16Array
  /** The concealed signal goes on here while it is blended with the received one. */
  readonly #made: Int16Array
  #hasReceived = false
  /** Samples concealed in this loss; 0 = none is going on. */
  #concealed = 0
  #pitch = 1
  #quarter = 0
  /** Periods that are repeated, where in them, and where in those before the last change of their number. */
  #periods = 1
  #at = 0
  #atBefore = 0
  /** What is left of the overlap of the two. */
  #changing = 0
  /** The step between the last good sample and the sample that ends the period before it; faded out. */
  #step = 0

  constructor(sampleRate = 8000) {
    this.#perMs = sampleRate / 1000
    const longest = Math.round(longestPitchMs * this.#perMs)
    this.#history = new Int16Array(maxPeriods * longest + (longest >> 2) + 1)
    this.#made = new Int16Array(maxJoinMs * this.#perMs)
    this.#past = new Int16Array(this.#history.length)
  }

  /**
   * A good frame: `count` samples from `pcm[at]` on. After a loss its beginning is overlapped, in place, with what was
   * concealed; after a long one there is nothing to overlap with. `joins`: overlap in any case, since samples before it were
   * left out, or with the silence after a long loss.
   */
  receive(pcm: Int16Array, at: number, count: number, joins = false): void {
    const lostMs = this.#concealed / this.#perMs
    if (this.#hasReceived && (joins || (lostMs > 0 && lostMs < silentAfterMs))) {
      if (lostMs === 0) this.#begin()
      this.#join(pcm, at, count, lostMs)
    }
    this.#concealed = 0
    this.#hasReceived = true
    this.#remember(pcm, at, count)
  }

  /**
   * A good frame of which nothing is altered, for recordings: the end of what was concealed, if that lies just before
   * `pcm[at]`, is bent until it leads up to it.
   */
  keep(pcm: Int16Array, at: number, count: number): void {
    const length = Math.min(at, this.#concealed, riseMs * this.#perMs)
    if (length > 0 && count > 0) {
      const step = pcm[at]! - this.#next()
      for (let i = 0; i < length; i++) {
        const bent = pcm[at - length + i]! + Math.round((step * (i + 1)) / (length + 1))
        pcm[at - length + i] = Math.max(-32_768, Math.min(32_767, bent))
      }
    }
    this.#concealed = 0
    this.#hasReceived = true
    this.#remember(pcm, at, count)
  }

  /**
   * A good frame after a wait for it: as `hear`, but it does not follow the concealed audio, so its start is moved
   * within its first pitch period to where it fits best. Samples before that are dropped. Returns the number of
   * remaining samples.
   */
  resume(pcm: Int16Array, at: number, count: number): number {
    const lostMs = this.#concealed / this.#perMs
    if (!this.#hasReceived || lostMs === 0 || lostMs >= silentAfterMs) {
      this.receive(pcm, at, count, lostMs > 0)
      return count
    }
    const length = Math.min(this.#made.length, count - this.#pitch)
    let skipped = 0
    if (length > this.#perMs) {
      const made = this.#made
      for (let i = 0; i < length; i++) made[i] = this.#next()
      skipped = this.#placeOf(pcm, at, length)
      for (let i = 0; i < length; i++) {
        const share = (i + 1) / (length + 1)
        pcm[at + i] = Math.round(made[i]! + (pcm[at + skipped + i]! - made[i]!) * share)
      }
      pcm.copyWithin(at + length, at + skipped + length, at + count)
    }
    this.#concealed = 0
    this.#remember(pcm, at, count - skipped)
    return count - skipped
  }

  /** A lost frame: conceals `count` samples from `pcm[at]` on; silence when the loss lasts. */
  concealInto(pcm: Int16Array, at: number, count: number): void {
    if (this.#concealed === 0) this.#begin()
    for (let i = 0; i < count; i++) pcm[at + i] = this.#next()
    this.#remember(pcm, at, count)
  }

  /** Silence that the remote meant: `count` samples from `pcm[at]` on become 0, and nothing is repeated into them. */
  silenceInto(pcm: Int16Array, at: number, count: number): void {
    pcm.fill(0, at, at + count)
    this.#concealed = 0
    this.#remember(pcm, at, count)
  }

  #begin(): void {
    const past = this.#past
    past.set(this.#history)
    const compare = Math.round(compareMs * this.#perMs)
    const shortest = Math.round(shortestPitchMs * this.#perMs)
    this.#pitch = pitchOf(past, past.length, compare, shortest, Math.round(longestPitchMs * this.#perMs))
    this.#quarter = this.#pitch >> 2
    this.#periods = 1
    this.#at = 0
    this.#changing = 0
    this.#step = past[past.length - 1]! - past[past.length - 1 - this.#pitch]!
  }

  #next(): number {
    const ms = this.#concealed / this.#perMs
    if (ms >= silentAfterMs) {
      this.#concealed++
      return 0
    }
    if (this.#periods < maxPeriods && ms >= this.#periods * periodStepMs) {
      this.#atBefore = this.#at
      this.#at %= this.#pitch
      this.#periods++
      this.#changing = this.#quarter
    }
    let sample = this.#repeated(this.#periods, this.#at)
    this.#at++
    if (this.#changing > 0) {
      const share = this.#changing / (this.#quarter + 1)
      sample += (this.#repeated(this.#periods - 1, this.#atBefore) - sample) * share
      this.#atBefore++
      this.#changing--
    }
    if (this.#concealed < this.#quarter) sample += this.#step * (1 - (this.#concealed + 1) / (this.#quarter + 1))
    this.#concealed++
    const level = ms < fullLevelMs ? 1 : 1 - (ms - fullLevelMs) / (silentAfterMs - fullLevelMs)
    return Math.max(-32_768, Math.min(32_767, Math.round(sample * level)))
  }

  /** The last `periods` periods before the loss as a ring: the quarter period at its end fades to what precedes its start. */
  #repeated(periods: number, at: number): number {
    const length = periods * this.#pitch
    const place = at % length
    const from = this.#past.length - length
    const sample = this.#past[from + place]!
    const beyond = place - (length - this.#quarter)
    if (beyond < 0) return sample
    const before = this.#past[from + place - length] ?? sample
    return sample + ((before - sample) * (beyond + 1)) / (this.#quarter + 1)
  }

  #join(pcm: Int16Array, at: number, count: number, lostMs: number): void {
    const overlapMs = Math.min(maxJoinMs, this.#quarter / this.#perMs + joinShare * lostMs)
    const longest = lostMs >= silentAfterMs ? riseMs : overlapMs
    const length = Math.min(count, Math.round(longest * this.#perMs))
    for (let i = 0; i < length; i++) {
      const share = (i + 1) / (length + 1)
      const made = this.#next()
      pcm[at + i] = Math.round(made + (pcm[at + i]! - made) * share)
    }
  }

  /** Where in its first pitch period `pcm[at]` on is most like what is being concealed. */
  #placeOf(pcm: Int16Array, at: number, length: number): number {
    const made = this.#made
    let best = 0
    let bestScore = -Infinity
    for (let place = 0; place < this.#pitch; place++) {
      let product = 0
      let energy = 1
      for (let i = 0; i < length; i++) {
        const sample = pcm[at + place + i]!
        product += made[i]! * sample
        energy += sample * sample
      }
      const score = product / Math.sqrt(energy)
      if (score <= bestScore) continue
      bestScore = score
      best = place
    }
    return best
  }

  #remember(pcm: Int16Array, at: number, count: number): void {
    const history = this.#history
    const kept = Math.max(0, history.length - count)
    history.copyWithin(0, history.length - kept)
    const from = at + count - (history.length - kept)
    for (let i = kept; i < history.length; i++) history[i] = pcm[from + i - kept]!
  }
}
