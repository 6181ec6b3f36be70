/** Packets that may still come after one with a higher number before they are held for lost: as an integer has bits. */
const patience = 32
/** RFC 3611 §4.7.2, recommended: so many packets without loss part one burst from the next. */
export const gapMinimum = 16

const bitOf = (index: number): number => 1 << (index & (patience - 1))

/** How losses lie to each other (RFC 3611 §4.7.2). Densities are parts of one, lengths packets. */
interface BurstGap {
  readonly burstDensity: number
  readonly gapDensity: number
  /** Mean lengths; bursts of 0 packets: there was none. */
  readonly burstPackets: number
  readonly gapPackets: number
}

/**
 * The order in which packets of one stream were lost, for the counters of RFC 3611 appendix A.2 and for the burst ratio
 * of ITU-T G.107. What comes late but within the patience is not lost. Numbers are indexes that do not wrap.
 */
export class LossPattern {
  /** A bit for each number that may still come: set when it has. */
  #window = 0
  #started = false
  /** The first index that is not decided; one beyond the highest that came. */
  #next = 0
  #end = 0
  #lost = 0
  #received = 0
  /** Losses after a packet that came. */
  #runs = 0
  #wasLost = false
  /** RFC 3611 §A.2: packets since the last loss, losses in the present burst, transitions. */
  #sinceLoss = 0
  #inBurst = 0
  #c11 = 0
  #c13 = 0
  #c14 = 0
  #c22 = 0
  #c23 = 0
  #c33 = 0

  /** A packet that came. */
  receive(index: number): void {
    if (!this.#started) this.restart(index)
    if (index < this.#next) return
    // As often as numbers are missing, which the statistics of sequence numbers bound.
    while (index >= this.#next + patience) this.#decide()
    for (; this.#end <= index; this.#end++) this.#window &= ~bitOf(this.#end)
    this.#window |= bitOf(index)
  }

  /** The source counts again from `index`; what it missed before, it will not send. The counters go on. */
  restart(index: number): void {
    if (this.#started) while (this.#next < this.#end) this.#decide()
    this.#started = true
    this.#next = index
    this.#end = index
  }

  /**
   * The mean run of losses, compared with that of as many losses at random: 1 = random, more = they come together
   * (G.107 §7.1: BurstR).
   */
  get burstRatio(): number {
    if (this.#runs === 0) return 1
    const lossRatio = this.#lost / (this.#lost + this.#received)
    return Math.max(1, (this.#lost / this.#runs) * (1 - lossRatio))
  }

  /** RFC 3611 §A.2, as of now. */
  get burstGap(): BurstGap {
    // Bursts end as often as they begin, and what leaves their losses comes back to them.
    const c31 = this.#c13
    const c32 = this.#c23
    const gapLosses = this.#c11 + this.#c14
    if (c31 === 0) {
      // One gap, from the beginning on.
      const all = this.#received + this.#lost
      return { burstDensity: 0, gapDensity: all === 0 ? 0 : this.#lost / all, burstPackets: 0, gapPackets: all }
    }
    const p23 = this.#c22 + this.#c23 < 1 ? 1 : 1 - this.#c22 / (this.#c22 + this.#c23)
    const leaving = c31 + c32 + this.#c33
    const p32 = c32 / leaving
    const total = gapLosses + this.#c13 + this.#c22 + this.#c23 + leaving
    const gapPackets = (gapLosses + this.#c13) / c31
    return {
      burstDensity: p23 / (p23 + p32),
      gapDensity: gapLosses === 0 ? 0 : this.#c14 / gapLosses,
      burstPackets: Math.max(0, total / c31 - gapPackets),
      gapPackets,
    }
  }

  #decide(): void {
    const isHere = this.#next < this.#end && (this.#window & bitOf(this.#next)) !== 0
    this.#next++
    this.#end = Math.max(this.#end, this.#next)
    if (isHere) {
      this.#received++
      this.#sinceLoss++
      this.#wasLost = false
      return
    }
    this.#lost++
    if (!this.#wasLost) this.#runs++
    this.#wasLost = true
    this.#lose()
  }

  #lose(): void {
    const since = this.#sinceLoss
    this.#sinceLoss = 0
    if (since >= gapMinimum) {
      // The one before stood alone, or ended a burst.
      if (this.#inBurst === 1) this.#c14++
      else this.#c13++
      this.#inBurst = 1
      this.#c11 += since
      return
    }
    this.#inBurst++
    if (since === 0) this.#c33++
    else {
      this.#c23++
      this.#c22 += since - 1
    }
  }
}
