import type { Log } from '../../ports/log.ts'
import type { EventListener, LoggedEvent } from './events.ts'

/** Reports every event to the listeners once it is durable, in the order of its account. One that throws stops no other. */
export class EventListeners {
  readonly #listeners = new Set<EventListener>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Returns what ends it. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(logged: LoggedEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(logged)
      } catch (fault) {
        this.#log.error({ fault: String(fault), code: logged.event.code }, 'a listener of events failed')
      }
    }
  }
}
