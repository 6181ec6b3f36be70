import type { ConnectionFault } from '../model/connection-fault.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { FetchFault } from '../ports/documents.ts'

/** A verb of a document. */
interface VerbPlace {
  readonly name: string
  readonly url: string
  readonly line: number
  readonly column: number
}

/** What a trace has shown that a sentence may name. */
export interface EndFacts {
  /** Number of the callee, or of the caller. */
  readonly number?: string
  /** `number` is the one that this call came to. */
  readonly isOwnNumber?: boolean
  /** The number that this call came to, where the document of `number` had dialled it. */
  readonly dialsBack?: string
  /** `number` led into a circle of numbers that dial one another, which the switch ended. */
  readonly isCircle?: boolean
  /** The party whose BYE came before ours; empty: a party without a number. */
  readonly hungUp?: string
  /** The Q.850 cause of that BYE, where it speaks of a failure. */
  readonly cut?: number
  /** The final response that ended the leg: `486 Busy Here`. */
  readonly response?: string
  /** The document that came, or the request for one that failed. */
  readonly document?: {
    readonly url: string
    readonly detail: string
    readonly ms: number
    readonly fault?: FetchFault
    readonly cause?: ConnectionFault
  }
  /** The first problem of the document. */
  readonly problem?: { readonly line: number; readonly column: number; readonly message: string }
  /** The verb of the document that began last. */
  readonly verb?: VerbPlace
  /** The call ended before it was answered. */
  readonly isUnanswered?: boolean
  /** Codecs that the remote offered or answered with last. */
  readonly codecs?: readonly string[]
  /** Codecs that were offered to the remote whose response ended the leg. */
  readonly offered?: readonly string[]
  /** The party of which no RTP came for the media timeout; empty: a party without a number. */
  readonly silent?: string
  /** A leg's end that explains the call's. */
  readonly leg?: { readonly id: string; readonly reason: EndReason }
  /** What was to be played: the address of audio, or the name of an asset. */
  readonly source?: string
  /** What was to be spoken. */
  readonly text?: string
  readonly voice?: string
  /** What the event of a problem says besides. */
  readonly detail?: string
}

interface Saying {
  readonly why: (facts: EndFacts) => string
  /** Empty: nothing is wrong. */
  readonly advice: string
}

/** What can be said of an end or of a problem. */
export interface Explanation extends Saying {
  /** In its place the first whose `when` this call has shown. */
  readonly cases?: readonly (Saying & { readonly when: (facts: EndFacts) => boolean })[]
}

export function sayingOf({ cases = [], ...usual }: Explanation, facts: EndFacts): { sentence: string; advice: string } {
  const { why, advice } = cases.find(({ when }) => when(facts)) ?? usual
  return { sentence: why(facts), advice }
}

export const placeOf = ({ url, line, column }: VerbPlace): string => `line ${line}, column ${column} of ${url}`
