/** A problem of one field of the request, for people who fill in forms. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

interface RefusalExtras {
  /** Stands in `detail` before the sentence, and alone in `code`: `BILL.0402`, `LIMIT.0430`. */
  readonly code?: string
  readonly errors?: readonly FieldProblem[]
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer other than 2xx that was meant: the error handler renders it as `{ detail, code?, errors? }`. */
export class Refusal extends Error {
  readonly status: number
  readonly extras: RefusalExtras

  constructor(status: number, sentence: string, extras: RefusalExtras = {}) {
    super(extras.code === undefined ? sentence : `${extras.code}: ${sentence}`)
    this.status = status
    this.extras = extras
  }
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

export const notFound = (sentence: string): Refusal => new Refusal(404, sentence)
export const conflict = (sentence: string): Refusal => new Refusal(409, sentence)

/** 422 whose `detail` names the field and says what would be right. */
export const invalid = (field: string, message: string): Refusal =>
  new Refusal(422, `${field}: ${message}`, { errors: [{ field, message }] })
