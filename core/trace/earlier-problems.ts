import { problemOfEvent } from '../model/call-problem.ts'
import { type EndReason, endReasons } from '../model/end-reason.ts'
import { type EndFacts, sayingOf } from './end-facts.ts'
import { explanations, linkOf } from './explanation.ts'
import { isProblemCode, type ProblemCode, problemExplanations } from './problem-explanations.ts'
import type { TraceProblem } from './trace.ts'

type Fields = Readonly<Record<string, unknown>>

/** How many are listed; a document may be wrong in a hundred places. */
const mostProblems = 5

/** Events of what was skipped in a document, with its place, and what they are explained as. */
const mistakes: ReadonlyMap<string, EndReason | ProblemCode> = new Map<string, EndReason | ProblemCode>([
  ['DOC.0422', 'END.3422'],
  ['SAY.0413', 'SAY.0413'],
])

/** A leg that lost to another one, or whose caller gave up, is nothing that went wrong. */
const expected: ReadonlySet<string> = new Set(['', 'END.0200', 'END.0201', 'END.0202', 'END.0487'])

const problemOf = (code: EndReason | ProblemCode, facts: EndFacts): TraceProblem => {
  const explanation = isProblemCode(code) ? problemExplanations[code] : explanations[code]
  return { code, ...sayingOf(explanation, facts), link: linkOf(code) }
}

/** Problems with the same code and subject are one. */
const keyOf = (code: string, subject = ''): string => `${code} ${subject}`

/** What an end is about: a document, else a number. */
const subjectOf = (reason: EndReason, { document, number }: EndFacts): string | undefined =>
  reason.startsWith('END.3') ? document?.url : number

/**
 * What went wrong in a call that went on: a document whose fallback ran until the caller hung up, audio that could not be played,
 * a number that was busy before the document said goodbye. The reason of the end does not name them.
 */
export class EarlierProblems {
  /** By their keys, the oldest first. */
  readonly #problems = new Map<string, TraceProblem>()
  /** Those of them that a Dial may still make good. */
  readonly #dials = new Set<string>()

  /** `facts`: of the document that was asked for last. */
  document(event: string, data: Fields, facts: EndFacts): void {
    const mistake = mistakes.get(event)
    const reason = problemOfEvent(event)
    if (reason !== undefined && !isProblemCode(reason))
      this.#add(keyOf(reason, subjectOf(reason, facts)), problemOf(reason, facts))
    else if (mistake !== undefined && typeof data.line === 'number') {
      const sentence = `The document of ${facts.document?.url ?? String(data.url)} has a mistake in line ${data.line}, column ${String(data.column)}: ${String(data.message)}.`
      this.#add(sentence, { ...problemOf(mistake, {}), sentence })
    }
  }

  /** Audio or a recording failed, and the call went on. */
  sound(code: ProblemCode, facts: EndFacts): void {
    const subject = facts.source ?? facts.voice ?? facts.text ?? facts.detail
    this.#add(keyOf(code, subject), problemOf(code, facts))
  }

  /** One leg of a Dial ended without an answer. */
  dialFailed(reason: string, facts: EndFacts): void {
    if (expected.has(reason) || !Object.hasOwn(endReasons, reason)) return
    const key = keyOf(reason, facts.number)
    this.#dials.add(key)
    this.#add(key, problemOf(reason as EndReason, facts))
  }

  /** A dialled party has answered: earlier failures went as the document intends. */
  dialAnswered(): void {
    for (const key of this.#dials) this.#problems.delete(key)
    this.#dials.clear()
  }

  /** Problems that the end itself does not name. */
  beside(
    end: { readonly reason_code: EndReason; readonly sentence: string },
    facts: EndFacts,
  ): readonly TraceProblem[] {
    const { reason_code: reason, sentence: said } = end
    const own = keyOf(reason, subjectOf(reason, facts))
    return [...this.#problems]
      .filter(
        ([key, { code, sentence }]) =>
          key !== own && sentence !== said && !(code === 'END.3422' && reason === 'END.3422'),
      )
      .map(([, problem]) => problem)
      .slice(0, mostProblems)
  }

  #add(key: string, problem: TraceProblem): void {
    if (!this.#problems.has(key)) this.#problems.set(key, problem)
  }
}
