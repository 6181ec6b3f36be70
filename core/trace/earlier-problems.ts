import { type EndReason, endReasons } from '../model/end-reason.ts'
import { fetchFaults } from '../verbs/index.ts'
import { type EndFacts, explanations, linkOf } from './explanation.ts'
import type { TraceProblem } from './trace.ts'

type Fields = Readonly<Record<string, unknown>>

/** How many are listed; a document may be wrong in a hundred places. */
const mostProblems = 5

/** Events of a request for a document that failed, and the reason with which the call would have ended. */
const documentFaults: ReadonlyMap<string, EndReason> = new Map([
  ...Object.values(fetchFaults).map(({ code, reason }) => [code, reason] as const),
  ['DOC.0400', 'END.3422'] as const,
])

/** A leg that lost to another one, or whose caller gave up, is nothing that went wrong. */
const expected: ReadonlySet<string> = new Set(['', 'END.0200', 'END.0201', 'END.0202', 'END.0487'])

const problemOf = (code: EndReason, facts: EndFacts): TraceProblem => {
  const { why, advice } = explanations[code]
  return { code, sentence: why(facts), advice, link: linkOf(code) }
}

/**
 * What went wrong in a call that went on: a document whose fallback ran until the caller hung up, a number that was busy before
 * the document said goodbye. The reason of the end does not name them.
 */
export class EarlierProblems {
  readonly #ofDocuments: TraceProblem[] = []
  #ofDials: TraceProblem[] = []

  /** `facts`: of the document that was asked for last. */
  document(event: string, data: Fields, facts: EndFacts): void {
    const reason = documentFaults.get(event)
    if (reason !== undefined) this.#ofDocuments.push(problemOf(reason, facts))
    else if (event === 'DOC.0422' && typeof data.line === 'number')
      this.#ofDocuments.push({
        ...problemOf('END.3422', {}),
        sentence: `The document of ${facts.document?.url ?? String(data.url)} has a mistake in line ${data.line}, column ${String(data.column)}: ${String(data.message)}.`,
      })
  }

  /** One leg of a Dial ended without an answer. */
  dialFailed(reason: string, facts: EndFacts): void {
    if (!expected.has(reason) && reason in endReasons) this.#ofDials.push(problemOf(reason as EndReason, facts))
  }

  /** A dialled party has answered: earlier failures went as the document intends. */
  dialAnswered(): void {
    this.#ofDials = []
  }

  /** Problems that the end itself does not name. */
  beside(end: Pick<TraceProblem, 'sentence'> & { readonly reason_code: EndReason }): readonly TraceProblem[] {
    const seen = new Set([end.sentence])
    const others = [...this.#ofDocuments, ...this.#ofDials].filter(({ code, sentence }) => {
      const isNew = !seen.has(sentence) && !(code === 'END.3422' && end.reason_code === code)
      seen.add(sentence)
      return isNew
    })
    return others.slice(0, mostProblems)
  }
}
