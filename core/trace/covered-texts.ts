import { TextCache } from '../model/text-cache.ts'
import { withoutSecrets } from './redaction.ts'

const [mostTexts, mostCharacters] = [64, 256 * 1024]

/** Documents without their secrets. A customer's calls get the same document again and again, and each is searched once. */
export class CoveredTexts {
  readonly #known = new TextCache<string>(mostTexts, mostCharacters)

  of(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const covered = withoutSecrets(text)
    // A long one would push out all others.
    if (text.length <= mostCharacters / 4) this.#known.set(text, covered, text.length)
    return covered
  }
}
