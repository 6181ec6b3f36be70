import { withoutSecrets } from './redaction.ts'

/** More, or longer ones together, are forgotten. */
const mostTexts = 64
const mostCharacters = 256 * 1024

/** Documents without their secrets. A customer's calls get the same document again and again, and each is searched once. */
export class CoveredTexts {
  readonly #known = new Map<string, string>()
  #characters = 0

  of(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const covered = withoutSecrets(text)
    if (text.length > mostCharacters / 4) return covered
    if (this.#known.size === mostTexts || this.#characters + text.length > mostCharacters) {
      this.#known.clear()
      this.#characters = 0
    }
    this.#known.set(text, covered)
    this.#characters += text.length
    return covered
  }
}
