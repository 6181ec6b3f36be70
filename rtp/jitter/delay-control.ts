/** What would bring the delay nearer to the aim: nothing, leaving out a little of the sound, or drawing it out. */
export type Wish = 'keep' | 'shrink' | 'grow'

/** Begun when the delay is off the aim by more, and gone on with until it is off by less. */
const shrinkFromMs = 25
const shrinkToMs = 8
export const growFromMs = 15
const growToMs = 5
/** Between two steps, for the ear's sake; one that is far too late leaves out something of every frame. */
const shrinkPauseMs = 40
const growPauseMs = 60
const farMs = 80
/** Who has wished in vain for so long takes a place that fits less. */
const patienceMs = 800
/** Half of the window over which the delay is looked at. */
const halfMs = 80

/**
 * Watches the delay of what is played and says when to stretch time. A listener that is late once, and a burst, say
 * nothing: the delay has to be off all through a window.
 */
export class DelayControl {
  // The least and the most excess in this half of the window and in the one before.
  #least = Infinity
  #most = -Infinity
  #leastBefore = -Infinity
  #mostBefore = Infinity
  #halfUntil = -Infinity
  #wish: Wish = 'keep'
  #wishedAt = 0
  #steppedAt = -Infinity

  /** Takes by how much what is pulled now will be heard later than aimed at (earlier: negative). */
  observe(excessMs: number, now: number): Wish {
    if (now >= this.#halfUntil) this.#turn(now)
    if (excessMs < this.#least) this.#least = excessMs
    if (excessMs > this.#most) this.#most = excessMs
    const wish = this.#choose()
    if (wish !== this.#wish) this.#wishedAt = now
    this.#wish = wish
    if (wish === 'keep') return wish
    const pauseMs = wish === 'grow' ? growPauseMs : this.excessMs > farMs ? 0 : shrinkPauseMs
    return now - this.#steppedAt < pauseMs ? 'keep' : wish
  }

  /** How far off the delay was all through the window; 0 when it was on both sides of the aim. */
  get excessMs(): number {
    return Math.max(0, this.#leastOf()) + Math.min(0, this.#mostOf())
  }

  /** A place in the sound that fits less will do. */
  isUrgent(now: number): boolean {
    return Math.abs(this.excessMs) > farMs || now - this.#wishedAt > patienceMs
  }

  /** Time was stretched: what is pulled next will be heard so much later (earlier: negative). */
  stepped(byMs: number, now: number): void {
    this.#least += byMs
    this.#most += byMs
    this.#leastBefore += byMs
    this.#mostBefore += byMs
    this.#steppedAt = now
  }

  /** The sound stopped; where it goes on is another matter. */
  restart(): void {
    this.#halfUntil = -Infinity
    this.#wish = 'keep'
  }

  #leastOf(): number {
    return Math.min(this.#least, this.#leastBefore)
  }
  #mostOf(): number {
    return Math.max(this.#most, this.#mostBefore)
  }

  #choose(): Wish {
    const least = this.#leastOf()
    const most = this.#mostOf()
    if (least > (this.#wish === 'shrink' ? shrinkToMs : shrinkFromMs)) return 'shrink'
    if (most < -(this.#wish === 'grow' ? growToMs : growFromMs)) return 'grow'
    return 'keep'
  }

  #turn(now: number): void {
    // Nothing is known of a half in which nothing was heard.
    const isNext = now < this.#halfUntil + halfMs
    this.#leastBefore = isNext ? this.#least : -Infinity
    this.#mostBefore = isNext ? this.#most : Infinity
    this.#least = Infinity
    this.#most = -Infinity
    this.#halfUntil = now + halfMs
  }
}
