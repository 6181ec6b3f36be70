/** `+254…` and `254…` are the same prefix and the same number; anything else than a leading plus stays. */
export const digitsOf = (prefix: string): string => (prefix.startsWith('+') ? prefix.slice(1) : prefix)

/** Values by prefix; the longest that a number begins with is found in as many look-ups as there are lengths. */
export class PrefixTable<Value> {
  readonly #values = new Map<string, Value>()
  /** Lengths in use, longest first. */
  #lengths: readonly number[] = []

  constructor(entries: Iterable<readonly [prefix: string, value: Value]> = []) {
    for (const [prefix, value] of entries) this.add(prefix, value)
  }

  /** A later entry replaces an earlier one of the same prefix. An empty prefix (`+`) fits every number. */
  add(prefix: string, value: Value): void {
    const digits = digitsOf(prefix)
    this.#values.set(digits, value)
    if (!this.#lengths.includes(digits.length))
      this.#lengths = [...this.#lengths, digits.length].sort((one, other) => other - one)
  }

  /** The value of the longest prefix of `number`, written with or without plus. */
  longest(number: string): Value | undefined {
    const digits = digitsOf(number)
    for (let at = 0; at < this.#lengths.length; at++) {
      const length = this.#lengths[at]!
      if (length > digits.length) continue
      const value = this.#values.get(digits.slice(0, length))
      if (value !== undefined) return value
    }
    return undefined
  }
}
