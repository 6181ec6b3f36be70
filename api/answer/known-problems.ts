import { hash } from 'node:crypto'
import type { checkDocument } from '../../core/index.ts'

type Problems = ReturnType<typeof checkDocument>['problems']

/** Texts whose problems are remembered. A text has at most 100. */
const mostKnown = 1000

/**
 * Problems of hosted documents. To check a text takes up to 8 ms, and a page of a list has two hundred: of the texts that were
 * asked for last they are remembered, by the SHA-256 of the text, so that another text cannot have them.
 */
export class KnownProblems {
  readonly #check: (body: string) => Problems
  /** The one that was asked for last is the last. */
  readonly #known = new Map<string, Problems>()

  constructor(check: (body: string) => Problems) {
    this.#check = check
  }

  of(body: string): Problems {
    const key = hash('sha256', body, 'base64')
    const problems = this.#known.get(key) ?? this.#check(body)
    this.#known.delete(key)
    this.#known.set(key, problems)
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.keys().next().value ?? '')
    return problems
  }
}
