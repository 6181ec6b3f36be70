/** What would bring the delay nearer to the aim: nothing, leaving out a little of the sound, or drawing it out. */
export type Wish = 'keep' | 'shrink' | 'grow'

/** Begun when the delay is off the aim by more, and gone on with until it is off by less. */
const shrinkFromMs = 25
const shrinkToMs = 8
export const growFromMs = 5
const growToMs = 0
/** Between two steps, for the ear's sake; one that is far too late leaves out something of every frame. */
const shrinkPauseMs = 40
const growPauseMs = 60
const farMs = 80
/** Time after which a pending request accepts a place that fits less well. */
const patienceMs = 800
/** Half of the window over which the delay is looked at. */
const halfMs = 80

/**
 * Watches how long packets lie before they are needed, and says when to stretch time. What counts is the least excess in
 * a window: a listener that comes late once, or takes several frames at once, finds others that have waited longer.
 */
export class DelayControl {
  // The least excess in this half of the window and in the one before; NaN = nothing was played in it.
  #least = Number.NaN
  #leastBefore = Number.NaN
  #halfUntil = -Infinity
  #wish: Wish = 'keep'
  #wishedAt = 0
  #steppedAt = -Infinity

  /** Takes by how much longer than aimed at what is pulled now has waited; less: negative. */
  observe(excessMs: number, now: number): Wish {
    if (now >= this.#halfUntil) this.#turn(now)
    if (!(excessMs >= this.#least)) this.#least = excessMs
    const wish = this.#choose()
    if (wish !== this.#wish) this.#wishedAt = now
    this.#wish = wish
    if (wish === 'keep') return wish
    const pauseMs = wish === 'grow' ? growPauseMs : this.excessMs > farMs ? 0 : shrinkPauseMs
    return now - this.#steppedAt < pauseMs ? 'keep' : wish
  }

  /** The least excess of the window; NaN while too little is known. */
  get excessMs(): number {
    return Math.min(this.#least, this.#leastBefore)
  }

  /** A place in the sound that fits less will do. */
  isUrgent(now: number): boolean {
    return Math.abs(this.excessMs) > farMs || now - this.#wishedAt > patienceMs
  }

  /** Time was stretched: the next audio will have waited longer by this (shorter: negative). */
  stepped(byMs: number, now: number): void {
    this.#least += byMs
    this.#leastBefore += byMs
    this.#steppedAt = now
  }

  /** The sound stopped; where it goes on is another matter. */
  restart(): void {
    this.#halfUntil = -Infinity
    this.#wish = 'keep'
  }

  #choose(): Wish {
    const least = this.excessMs
    if (least > (this.#wish === 'shrink' ? shrinkToMs : shrinkFromMs)) return 'shrink'
    if (least < -(this.#wish === 'grow' ? growToMs : growFromMs)) return 'grow'
    return 'keep'
  }

  #turn(now: number): void {
    this.#leastBefore = now < this.#halfUntil + halfMs ? this.#least : Number.NaN
    this.#least = Number.NaN
    this.#halfUntil = now + halfMs
  }
}
