import type { Log } from '../ports/log.ts'

/** What was opened, closed again in the opposite order; one that fails to close does not keep the others open. */
export class Closers {
  readonly #steps: { readonly what: string; readonly close: () => unknown }[] = []
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  add(what: string, close: () => unknown): void {
    this.#steps.push({ what, close })
  }

  async closeAll(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step.close()
      } catch (fault) {
        this.#log.error({ what: step.what, detail: String(fault).slice(0, 400) }, 'could not be closed')
      }
    }
  }
}
