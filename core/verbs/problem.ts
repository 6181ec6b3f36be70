import type { EventCode } from '../events/catalogue.ts'
import type { ProblemSentence } from './problem-sentences.ts'

/** Something in a document that is not as it should be. Lines and columns start at 1. */
export interface Problem {
  readonly line: number
  readonly column: number
  readonly code: EventCode
  readonly message: string
}

/** What is wrong, and where. */
export type Place = Omit<Problem, 'code'>

export interface Position {
  readonly line: number
  readonly column: number
}

/** Problems that are reported of one document; further ones would say nothing new. */
export const maxProblems = 100

const quotedLength = 64

/** What the reader of a document knows of the switch that reads it. */
export interface DocumentRules {
  /** The URI names, by itself, a place that a `<Sip>` does not reach. Default: none does. */
  readonly refusesSip?: (uri: string) => boolean
}

/** Collects what is wrong while a document is read; reading always goes on. */
export class ProblemList {
  readonly rules: DocumentRules
  readonly #problems: Problem[] = []

  constructor(rules: DocumentRules = {}) {
    this.rules = rules
  }

  add(at: Position, message: ProblemSentence, code: EventCode = 'DOC.0422'): void {
    if (this.#problems.length >= maxProblems) return
    this.#problems.push({ line: at.line, column: at.column, code, message })
  }

  list(): readonly Problem[] {
    return this.#problems
  }
}

/** A name or value from the document as it is in a message: on one line, in quotes, cut to a sane length. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > quotedLength ? `${text.slice(0, quotedLength)}…` : text)
