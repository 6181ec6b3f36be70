export interface DelayConfig {
  /** Least delay that the buffer aims at; covers the unevenness of our own clock. Default 20. */
  readonly minDelayMs?: number
  /** Most delay that it aims at. Default 200. */
  readonly maxDelayMs?: number
  /** What it aims at until it knows better. Default 40. */
  readonly firstDelayMs?: number
}

const binMs = 5
const bins = 100
/**
 * What delay and loss cost a conversation, in points of ITU-T G.107's rating: a ms of delay, a ms from where people begin
 * to talk into each other's words (§7.4, with 60 ms for the network), and all packets being late where few are (Ie,eff of
 * G.711 with concealment, Bpl 25).
 */
const delayPrice = 0.024
const longDelayPrice = 0.134
const longDelayMs = 120
const latePrice = 380
/** Each packet weighs less than the one after by this factor: half forgotten after 5 s of 20 ms packets. */
const forgetting = 0.997
/** A weight this large is scaled down together with all others. */
const largestWeight = 1e6
const trustedPackets = 50
const aimEvery = 10
/** Half of the window over which the shortest transit time is taken. */
const fastestHalfMs = 3000

/**
 * How long packets must be held so that most arrive in time: the spread of their transit times. A transit time is arrival minus the
 * sender's time, which is known up to a constant; the fastest recent one is the zero to which others are compared.
 */
export class DelayEstimate {
  readonly #minMs: number
  readonly #maxMs: number
  readonly #weights = new Float64Array(bins)
  #weight = 1
  #total = 0
  #packets = 0
  #aimMs: number
  // The shortest transit time in this half of the window and in the one before.
  #fastest = Infinity
  #fastestBefore = Infinity
  #halfUntil = 0

  constructor(config: DelayConfig = {}) {
    this.#minMs = config.minDelayMs ?? 20
    this.#maxMs = config.maxDelayMs ?? 200
    this.#aimMs = config.firstDelayMs ?? 40
  }

  /** How long to hold a packet with the shortest transit time. */
  get aimMs(): number {
    return this.#aimMs
  }
  /** The aim comes from what was seen. */
  get isKnown(): boolean {
    return this.#packets >= trustedPackets
  }
  /** The shortest recent transit time; Infinity before the first packet. */
  get fastestMs(): number {
    return Math.min(this.#fastest, this.#fastestBefore)
  }

  /** Takes a packet's transit time. */
  receive(transitMs: number, now: number): void {
    if (now >= this.#halfUntil) {
      this.#fastestBefore = now < this.#halfUntil + fastestHalfMs ? this.#fastest : Infinity
      this.#fastest = Infinity
      this.#halfUntil = now + fastestHalfMs
    }
    if (transitMs < this.#fastest) this.#fastest = transitMs
    const bin = Math.min(bins - 1, Math.floor((transitMs - this.fastestMs) / binMs))
    this.#weight /= forgetting
    this.#weights[bin]! += this.#weight
    this.#total += this.#weight
    if (this.#weight > largestWeight) this.#scaleDown()
    if (++this.#packets >= trustedPackets && this.#packets % aimEvery === 0) this.#aim()
  }

  /** Transit times so far say nothing about those to come: another source, another clock. The aim stays. */
  restart(): void {
    this.#fastest = Infinity
    this.#fastestBefore = Infinity
  }

  /** Takes the delay at which a little more would cost as much as the late packets that it saves. */
  #aim(): void {
    let late = this.#total
    let best = Infinity
    for (let bin = 0; bin < bins; bin++) {
      late -= this.#weights[bin]!
      const delayMs = (bin + 1) * binMs
      if (delayMs < this.#minMs) continue
      if (delayMs > this.#maxMs) break
      const price =
        delayPrice * Math.min(delayMs, longDelayMs) +
        longDelayPrice * Math.max(0, delayMs - longDelayMs) +
        (latePrice * late) / this.#total
      if (price >= best) continue
      best = price
      this.#aimMs = delayMs
    }
  }

  #scaleDown(): void {
    for (let bin = 0; bin < bins; bin++) this.#weights[bin]! /= this.#weight
    this.#total /= this.#weight
    this.#weight = 1
  }
}
