/** Answer of DNS; `failed`: no server answered, which differs from an empty answer. */
export type Answer<Found> =
  | { readonly kind: 'found'; readonly records: readonly Found[]; readonly ttlMs: number }
  | { readonly kind: 'none'; readonly code: string }
  | { readonly kind: 'failed'; readonly code: string }

/** Names remembered; the oldest goes first. */
const mostRemembered = 20_000
/**
 * RFC 2308 takes the time from the zone, which is not reported here; this is short enough for a name that is being
 * created.
 */
const noneMs = 10_000
/** A name whose servers do not answer is not asked for again at once: each asking costs seconds. */
const failedMs = 5_000
const leastFoundMs = 1000
const mostFoundMs = 300_000
/** RFC 8767 §4: an old answer is better than none while the servers of a name do not answer. */
const staleMs = 3600_000
const staleAgainMs = 30_000

interface Remembered<Found> {
  readonly answer: Answer<Found>
  readonly freshUntil: number
  /** For how long it may replace an answer that does not come. */
  readonly staleUntil: number
}

/** Answers by question, for as long as they hold, and questions that are under way. */
export class NameCache<Found> {
  readonly #known = new Map<string, Remembered<Found>>()
  readonly #underWay = new Map<string, Promise<Answer<Found>>>()

  get size(): number {
    return this.#known.size
  }

  /** Undefined: it was not asked for lately. */
  find(question: string, now: number): Answer<Found> | undefined {
    const known = this.#known.get(question)
    return known !== undefined && known.freshUntil > now ? known.answer : undefined
  }

  /** The same query of another caller, which is not answered yet. */
  underWay(question: string): Promise<Answer<Found>> | undefined {
    return this.#underWay.get(question)
  }

  /** Asks once for all who ask meanwhile. `ask` never rejects. */
  ask(question: string, clock: () => number, ask: () => Promise<Answer<Found>>): Promise<Answer<Found>> {
    const asked = ask().then(answer => {
      this.#underWay.delete(question)
      return this.#remember(question, answer, clock())
    })
    this.#underWay.set(question, asked)
    return asked
  }

  #remember(question: string, answer: Answer<Found>, now: number): Answer<Found> {
    const known = this.#known.get(question)
    if (answer.kind === 'failed' && known !== undefined && known.staleUntil > now) {
      this.#set(question, { ...known, freshUntil: now + staleAgainMs })
      return known.answer
    }
    const freshUntil = now + lifeOf(answer)
    this.#set(question, { answer, freshUntil, staleUntil: answer.kind === 'found' ? freshUntil + staleMs : 0 })
    return answer
  }

  #set(question: string, entry: Remembered<Found>): void {
    this.#known.delete(question)
    this.#known.set(question, entry)
    if (this.#known.size <= mostRemembered) return
    const oldest = this.#known.keys().next()
    if (oldest.done !== true) this.#known.delete(oldest.value)
  }
}

function lifeOf(answer: Answer<unknown>): number {
  switch (answer.kind) {
    case 'found':
      return Math.min(mostFoundMs, Math.max(leastFoundMs, answer.ttlMs))
    case 'none':
      return noneMs
    case 'failed':
      return failedMs
  }
}
