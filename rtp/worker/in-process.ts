import type { BrowserOpening } from '../contract/browser-terms.ts'
import type { EngineCommand, SessionId, SharedOpening } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import { MediaLoop } from './media-loop.ts'
import type { MediaCounters, MediaThreadConfig, MediaThreads } from './protocol.ts'

/** Media in the program's own thread: for tests, and for small machines. */
export class InProcessMedia implements MediaThreads {
  /** Anyone who asks shares its thread. */
  readonly silent = 0
  readonly #loop: MediaLoop
  #isClosed = false

  constructor(config: MediaThreadConfig, emit: (event: EngineEvent) => void) {
    this.#loop = new MediaLoop(config, events => {
      for (const event of events) emit(event)
    })
  }

  open(
    session: SessionId,
    _group: string,
    browser?: BrowserOpening,
    keyed = false,
    shared?: SharedOpening,
    ipv6 = false,
  ): void {
    const more = { ...(browser === undefined ? {} : { browser }), ...(shared === undefined ? {} : { shared }) }
    this.execute({ type: 'open', session, keyed, ipv6, ...more })
  }

  execute(command: EngineCommand): void {
    if (!this.#isClosed) this.#loop.execute([command])
  }

  async counters(): Promise<readonly MediaCounters[]> {
    return [this.#loop.counters]
  }

  async dump(sessions: readonly SessionId[]): Promise<readonly SessionDump[]> {
    return this.#loop.dump(sessions)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#loop.end()
  }
}
