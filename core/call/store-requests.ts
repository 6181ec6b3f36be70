import type { ExchangeCommand, Lookup } from '../contract/exchange-command.ts'
import type { Found, StoreEvent } from '../contract/exchange-event.ts'
import type { CallUuid } from '../model/ids.ts'
import { SmallMap } from '../model/small-map.ts'
import type { Change, CommitResult } from '../ports/store.ts'

interface CommitAnswers {
  readonly done?: ((result: CommitResult) => void) | undefined
  /** Nothing of the unit was written; after this the call is ended. */
  readonly undone?: (() => void) | undefined
  /** Instead of ending the call. */
  readonly failed?: (detail: string) => void
  /** The call goes on only then. Default: where there is a `done`. */
  readonly isAwaited?: boolean
}

interface StoreRequestsListener {
  /** The database itself has failed: nothing of the unit is written. */
  databaseFailed(detail: string): void
}

/**
 * Requests of a call to the store that are not answered yet; each begins with the command that it returns. Answers to
 * requests that were forgotten are absorbed.
 */
export class StoreRequests {
  readonly #callId: CallUuid
  readonly #listener: StoreRequestsListener
  readonly #commits = new SmallMap<number, CommitAnswers>()
  readonly #lookups = new SmallMap<number, (found: Found) => void>()
  #lastId = 0

  constructor(callId: CallUuid, listener: StoreRequestsListener) {
    this.#callId = callId
    this.#listener = listener
  }

  /** Units that are not known to be durable yet. */
  get pendingCommits(): number {
    return this.#commits.size
  }

  /** Questions that have no answer yet. */
  get pendingLookups(): number {
    return this.#lookups.size
  }

  commit(unit: readonly Change[], answers: CommitAnswers): ExchangeCommand {
    const commitId = ++this.#lastId
    const { isAwaited = answers.done !== undefined } = answers
    this.#commits.set(commitId, answers)
    return { type: 'store.commit', callId: this.#callId, commitId, unit, isAwaited }
  }

  lookup(query: Lookup, then: (found: Found) => void): ExchangeCommand {
    const lookupId = ++this.#lastId
    this.#lookups.set(lookupId, then)
    return { type: 'store.lookup', callId: this.#callId, lookupId, query }
  }

  /** The call has ended: it asks nothing more. */
  forgetLookups(): void {
    this.#lookups.clear()
  }

  /** False when no request waits for it. */
  handle(event: StoreEvent): boolean {
    switch (event.type) {
      case 'store.committed':
      case 'store.commit-failed': {
        const pending = this.#commits.get(event.commitId)
        if (pending === undefined) return false
        this.#commits.delete(event.commitId)
        if (event.type === 'store.committed') pending.done?.(event.result)
        else if (pending.failed !== undefined) pending.failed(event.detail)
        else {
          pending.undone?.()
          this.#listener.databaseFailed(event.detail)
        }
        return true
      }
      case 'store.found':
      case 'store.lookup-failed': {
        const then = this.#lookups.get(event.lookupId)
        if (then === undefined) return false
        this.#lookups.delete(event.lookupId)
        if (event.type === 'store.found') then(event.found)
        else this.#listener.databaseFailed(event.detail)
        return true
      }
    }
  }
}
