import type { Problem } from '../verbs/index.ts'

/** A document that cannot be built: what is wrong with the verb that was added last. */
export class DocumentError extends Error {
  readonly code = 'document.invalid'
  /** As `/documents/check` reports them; lines and columns are those of the verb alone. */
  readonly problems: readonly Problem[]

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message)
    this.name = 'DocumentError'
    this.problems = problems
  }
}
