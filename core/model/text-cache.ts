/** What was made of texts that come again and again, within bounds. When one more does not fit, all are forgotten and made again. */
export class TextCache<Value> {
  readonly #mostTexts: number
  readonly #mostSize: number
  readonly #known = new Map<string, { readonly value: Value; readonly size: number }>()
  #size = 0

  /** `mostSize`: of all texts together. */
  constructor(mostTexts: number, mostSize: number) {
    this.#mostTexts = mostTexts
    this.#mostSize = mostSize
  }

  /** Texts that are known. */
  get count(): number {
    return this.#known.size
  }

  get(text: string): Value | undefined {
    return this.#known.get(text)?.value
  }

  /** `size`: as the bound counts it. */
  set(text: string, value: Value, size: number): void {
    if (this.#known.size >= this.#mostTexts || this.#size + size > this.#mostSize) {
      this.#known.clear()
      this.#size = 0
    }
    this.#size += size - (this.#known.get(text)?.size ?? 0)
    this.#known.set(text, { value, size })
  }
}
