import { textsBy } from './patterns.ts'
import { swCause } from './sw-causes.ts'
import { swEvents } from './sw-events.ts'
import { swFetches, swParser, swProblems, swProblemValues } from './sw-problems.ts'
import { swFields, swRefusals, swRefusalValues } from './sw-refusals.ts'
import { swVocabulary } from './sw-vocabulary.ts'

// What comes from the switch in English, in Kiswahili. Loaded where it is wanted: English needs none of it.

/** Sentences of refusals. */
export const refusal = textsBy(swRefusals, swRefusalValues)
/** What a field of a request must be. */
export const field = textsBy(swFields, swRefusalValues)
const said = textsBy({ ...swRefusalValues, ...swProblems, ...swParser, ...swFetches }, swProblemValues)
/** What is wrong in a document, or with the answer that should have brought it or audio; a cause of Q.850. */
export const problem = (message: string): string | undefined => swCause(message) ?? said(message)
/** Of a verb, or an attribute of one, as `Say.voice`. */
export const word = (name: string): string | undefined => (swVocabulary as Readonly<Record<string, string>>)[name]
/** What an event reports, by its code. */
export const event = (code: string): string | undefined => (swEvents as Readonly<Record<string, string>>)[code]
