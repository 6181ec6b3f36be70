import type { EndpointInput } from '../endpoint/input.ts'

/** The set-up of a call is over: it rings, has early media, is answered or refused. */
const ends: ReadonlySet<EndpointInput['type']> = new Set(['ring', 'progress', 'answer', 'end'])

/**
 * Calls that were admitted and have no response beyond 100 yet. Only a limited number is set up at the same time, so
 * that each is soon ready; the others wait unread.
 */
export class SetUps {
  readonly #most: () => number
  readonly #ids = new Set<string>()

  constructor(most: () => number = () => Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get hasRoom(): boolean {
    return this.#ids.size < this.#most()
  }

  began(id: string): void {
    this.#ids.add(id)
  }

  /** Its caller has given up, or it failed. */
  ended(id: string): boolean {
    return this.#ids.delete(id)
  }

  /** True: this was one that made room. */
  commanded(input: EndpointInput): boolean {
    return ends.has(input.type) && 'id' in input && this.#ids.delete(input.id)
  }
}
