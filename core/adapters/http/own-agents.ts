import { Agent } from 'undici'

/** One owner's connections. */
interface Agents {
  readonly kept: Agent
  /** Never keeps a connection: for a request that met a kept one as it was closed. */
  readonly fresh: Agent
  usedAt: number
}

/** By then no exchange runs, and no connection is kept: both last seconds. */
const idleMs = 120_000

/** Connections of each account by itself: servers of one that hang take no connection of another's. */
export class OwnAgents {
  readonly #options: (owner: string) => Agent.Options
  /** The longest unused first. */
  readonly #byOwner = new Map<string, Agents>()
  #isClosed = false

  constructor(options: (owner: string) => Agent.Options) {
    this.#options = options
  }

  get size(): number {
    return this.#byOwner.size
  }

  of(owner: string): Pick<Agents, 'kept' | 'fresh'> {
    const now = performance.now()
    const known = this.#byOwner.get(owner) ?? this.#make(owner)
    known.usedAt = now
    if (this.#isClosed) {
      // Its requests say that it is closed.
      void Promise.all([known.kept.destroy(), known.fresh.destroy()]).catch(() => {})
      return known
    }
    this.#byOwner.delete(owner)
    this.#byOwner.set(owner, known)
    this.#forgetIdle(now)
    return known
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#byOwner.values()]
    this.#byOwner.clear()
    await Promise.all(all.flatMap(({ kept, fresh }) => [kept.destroy(), fresh.destroy()]))
  }

  #make(owner: string): Agents {
    const shared = this.#options(owner)
    return { kept: new Agent({ ...shared, pipelining: 1 }), fresh: new Agent({ ...shared, pipelining: 0 }), usedAt: 0 }
  }

  #forgetIdle(now: number): void {
    for (const [owner, { kept, fresh, usedAt }] of this.#byOwner) {
      if (now - usedAt < idleMs) return
      this.#byOwner.delete(owner)
      void Promise.all([kept.close(), fresh.close()]).catch(() => {})
    }
  }
}
