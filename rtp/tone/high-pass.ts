/** A Butterworth high-pass of second order, by the bilinear transform. */
export class HighPass {
  readonly #gain: number
  readonly #near: number
  readonly #far: number
  #before = 0
  #last = 0

  constructor(hz: number, sampleRate: number) {
    const edge = Math.tan((Math.PI * hz) / sampleRate)
    const scale = 1 + Math.SQRT2 * edge + edge * edge
    this.#gain = 1 / scale
    this.#near = (2 * (edge * edge - 1)) / scale
    this.#far = (1 - Math.SQRT2 * edge + edge * edge) / scale
  }

  pass(sample: number): number {
    const next = sample - this.#near * this.#last - this.#far * this.#before
    const out = this.#gain * (next - 2 * this.#last + this.#before)
    this.#before = this.#last
    this.#last = next
    return out
  }
}
