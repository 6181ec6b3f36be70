import type { Log } from '../../ports/log.ts'
import type { MediaEvent } from '../../ports/media.ts'

/** Emits events in their order, never from inside a command; a listener that throws does not stop the others. */
export class EventQueue {
  readonly #emit: (event: MediaEvent) => void
  readonly #log: Log
  readonly #waiting: MediaEvent[] = []

  constructor(emit: (event: MediaEvent) => void, log: Log) {
    this.#emit = emit
    this.#log = log
  }

  /** After what is being done now. */
  add(event: MediaEvent): void {
    if (this.#waiting.push(event) === 1) queueMicrotask(this.#flush)
  }

  readonly #flush = (): void => {
    for (const event of this.#waiting.splice(0)) this.#report(event)
  }

  #report(event: MediaEvent): void {
    try {
      this.#emit(event)
    } catch (error) {
      this.#log.error({ error: String(error), event: event.type }, 'a listener of media failed')
    }
  }
}
