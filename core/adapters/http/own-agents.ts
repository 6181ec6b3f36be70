import { Agent, type Dispatcher } from 'undici'
import { boundedPieces } from './bounded-pieces.ts'
import { guardedConnector } from './guarded-connect.ts'
import { KeptOrigins } from './kept-origins.ts'
import type { ResolveHost } from './resolve-host.ts'

/** Many servers drop idle connections after 5 s: ours go first, so that no request meets a closing one. */
const keptMs = 4000
/** Hardly a server has closed its end by then. */
const keptBrieflyMs = 1000

/** One owner's connections. */
interface Agents {
  readonly kept: Dispatcher
  /** For requests that must not go twice. */
  readonly keptBriefly: Dispatcher
  /** Never keeps a connection: for a request that met a kept one as it was closed. */
  readonly fresh: Dispatcher
  /** What is known of the servers that `keptBriefly` asks. */
  readonly origins: KeptOrigins
  usedAt: number
}

/** By then no exchange runs, and no connection is kept: both last seconds. */
const idleMs = 120_000

export interface AgentOptions {
  /** An account's connections to one origin. */
  readonly connections: number
  readonly connectTimeoutMs: number
  /** Which addresses will do. */
  readonly may: (address: string) => boolean
  readonly resolve: ResolveHost
}

/** Connections of each account by itself: servers of one that hang take no connection of another's. */
export class OwnAgents {
  readonly #options: AgentOptions
  /** The longest unused first. */
  readonly #byOwner = new Map<string, Agents>()
  #isClosed = false

  constructor(options: AgentOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byOwner.size
  }

  of(owner: string): Omit<Agents, 'usedAt'> {
    const now = performance.now()
    const known = this.#byOwner.get(owner) ?? this.#make(owner)
    known.usedAt = now
    if (this.#isClosed) {
      // Its requests say that it is closed.
      void Promise.all(allOf(known).map(agent => agent.destroy())).catch(() => {})
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
    await Promise.all(all.flatMap(allOf).map(agent => agent.destroy()))
  }

  #make(owner: string): Agents {
    const { connections, connectTimeoutMs: timeoutMs, may, resolve } = this.#options
    const shared = {
      connections,
      // The exchange has one deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guardedConnector({ may, resolve, owner, timeoutMs }),
    }
    const keptFor = (ms: number) =>
      new Agent({ ...shared, pipelining: 1, keepAliveTimeout: ms, keepAliveMaxTimeout: ms })
    const origins = new KeptOrigins()
    const keptBriefly = keptFor(keptBrieflyMs)
    keptBriefly.on('connect', ({ origin }) => {
      origins.of(origin).connects++
    })
    return {
      kept: keptFor(keptMs).compose(boundedPieces),
      keptBriefly: keptBriefly.compose(boundedPieces),
      fresh: new Agent({ ...shared, pipelining: 0 }).compose(boundedPieces),
      origins,
      usedAt: 0,
    }
  }

  #forgetIdle(now: number): void {
    for (const [owner, agents] of this.#byOwner) {
      if (now - agents.usedAt < idleMs) return
      this.#byOwner.delete(owner)
      void Promise.all(allOf(agents).map(agent => agent.close())).catch(() => {})
    }
  }
}

const allOf = ({ kept, keptBriefly, fresh }: Agents): readonly Dispatcher[] => [kept, keptBriefly, fresh]
