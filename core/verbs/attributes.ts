import { type Place, type ProblemList, quoted } from './problem.ts'
import type { ProblemSentence, WantedValue } from './problem-sentences.ts'
import { urlProblem } from './url.ts'
import type { Element } from './xml.ts'

export interface Range {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

/**
 * Reads the attributes of one element. A bad value is noted (DOC.0422) and its default stands instead. What was not
 * read by the time of `noteUnknown` is unknown.
 */
export class Attributes {
  readonly #element: Element
  readonly #problems: ProblemList
  readonly #asked = new Set<string>()

  constructor(element: Element, problems: ProblemList) {
    this.#element = element
    this.#problems = problems
  }

  /** The value as written, of at most `maxLength` characters; undefined when missing or bad. */
  text(name: string, pattern: RegExp, wanted: WantedValue): string | undefined {
    const value = this.#value(name)
    if (value === undefined) return undefined
    if (pattern.test(value)) return value
    this.bad(name, value, wanted)
    return undefined
  }

  whole(name: string, range: Range): number {
    return this.#number(name, range, /^\d{1,9}$/, 'a whole number')
  }

  /** Seconds in the document, milliseconds in the result; the range is in seconds. */
  secondsMs(name: string, range: Range): number {
    return Math.round(1000 * this.#number(name, range, /^\d{1,9}(\.\d{1,3})?$/, 'a number of seconds'))
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true'
  }

  choice<Value extends string>(name: string, values: readonly Value[], fallback: Value): Value {
    const value = this.#value(name)?.trim()
    if (value === undefined) return fallback
    const chosen = values.find(candidate => candidate === value)
    if (chosen === undefined) this.#note(name, value, values.join(' or '))
    return chosen ?? fallback
  }

  /** An absolute http(s) URL, or one relative to the document. */
  url(name: string): string | undefined {
    const value = this.#value(name)?.trim()
    if (value === undefined) return undefined
    const problem = urlProblem(value)
    if (problem === undefined) return value
    this.bad(name, value, `a URL: ${problem}`)
    return undefined
  }

  /** Reports a value that was understood but cannot be honoured. */
  bad(name: string, value: string, wanted: WantedValue): void {
    this.#note(name, value, wanted)
  }

  /** The same, for a value that only the call can judge: it is reported then, or never. */
  problem(name: string, value: string, wanted: WantedValue): Place {
    const { line, column } = this.#element
    return { line, column, message: this.#sentence(name, value, wanted) }
  }

  noteUnknown(): void {
    for (const name of this.#element.attributes.keys()) {
      if (this.#asked.has(name) || isNamespace(name)) continue
      this.#problems.add(this.#element, `<${this.#element.name}> has no attribute ${quoted(name)}; it is ignored`)
    }
  }

  #note(name: string, value: string, wanted: string): void {
    this.#problems.add(this.#element, this.#sentence(name, value, wanted))
  }

  #sentence(name: string, value: string, wanted: string): ProblemSentence {
    return `<${this.#element.name}> ${name}=${quoted(value)}: must be ${wanted}`
  }

  #value(name: string): string | undefined {
    this.#asked.add(name)
    return this.#element.attributes.get(name)
  }

  #number(name: string, range: Range, pattern: RegExp, wanted: 'a whole number' | 'a number of seconds'): number {
    const value = this.#value(name)?.trim()
    if (value === undefined) return range.fallback
    const number = pattern.test(value) ? Number(value) : Number.NaN
    if (number >= range.min && number <= range.max) return number
    this.bad(name, value, `${wanted} from ${range.min} to ${range.max}`)
    return range.fallback
  }
}

// Editors add namespace declarations and schema hints; they mean nothing here and are no mistake.
const isNamespace = (name: string): boolean => name === 'xmlns' || /^(xmlns|xml|xsi):/.test(name)
