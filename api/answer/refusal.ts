import type { FieldSentence } from './field-sentences.ts'
import type { RefusalSentence } from './refusal-sentences.ts'

/** A problem of one field of the request, for people who fill in forms. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

interface RefusalExtras {
  /** Stands in `detail` before the sentence, and alone in `code`: `BILL.0402`, `LIMIT.0430`. */
  readonly code?: string
  /** The first stands in `detail` instead of the sentence. */
  readonly errors?: readonly FieldProblem[]
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer other than 2xx that was meant: the error handler renders it as `{ detail, code?, errors? }`. */
export class Refusal extends Error {
  readonly status: number
  readonly extras: RefusalExtras

  constructor(status: number, sentence: RefusalSentence, extras: RefusalExtras = {}) {
    super(detailOf(sentence, extras))
    this.status = status
    this.extras = extras
  }
}

function detailOf(sentence: string, { code, errors }: RefusalExtras): string {
  const [first] = errors ?? []
  if (first !== undefined) return `${first.field}: ${first.message}`
  return code === undefined ? sentence : `${code}: ${sentence}`
}

interface ErrorBody {
  readonly detail: string
  readonly code?: string
  readonly errors?: readonly FieldProblem[]
}

export const bodyOf = (refusal: Refusal): ErrorBody => ({
  detail: refusal.message,
  ...(refusal.extras.code === undefined ? {} : { code: refusal.extras.code }),
  ...(refusal.extras.errors === undefined ? {} : { errors: refusal.extras.errors }),
})

export const notFound = (sentence: RefusalSentence): Refusal => new Refusal(404, sentence)
export const conflict = (sentence: RefusalSentence): Refusal => new Refusal(409, sentence)
export const preconditionFailed = (): Refusal =>
  new Refusal(412, 'The file does not meet the conditions of the request.')

/** 422 whose `detail` names the field and says what would be right. */
export const invalid = (field: string, message: FieldSentence): Refusal => misfit([{ field, message }])

/** The same for several fields; `detail` names the first. */
export const misfit = (errors: readonly FieldProblem[]): Refusal =>
  new Refusal(422, 'The request is not valid.', { errors })
