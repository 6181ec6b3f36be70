import type { CallHost } from '../leg/call-host.ts'
import type { Change } from '../ports/store.ts'
import type { StoreRequests } from './store-requests.ts'

/** The longest pause between two tries of a call's closing transaction when the database fails. */
const mostPauseMs = 60_000

const retryTimer = 'closing-transaction'

interface ClosingTransactionListener {
  /** Asked once, when every other unit is through: a hold that is being opened must exist to be settled. */
  changes(): readonly Change[]
  /** Durable. */
  closed(): void
}

/**
 * The one unit of work that ends a call: settlement, legs, the final row and its event. It is tried until it is written: a
 * row that stays open holds its money, and the next start would take the call for one that was live until then.
 */
export class ClosingTransaction {
  readonly #host: CallHost
  readonly #storeRequests: StoreRequests
  readonly #listener: ClosingTransactionListener
  #unit: readonly Change[] | undefined
  #tries = 0
  #isThrough = false

  constructor(host: CallHost, storeRequests: StoreRequests, listener: ClosingTransactionListener) {
    this.#host = host
    this.#storeRequests = storeRequests
    this.#listener = listener
  }

  /** Writes it as soon as nothing else is on its way. */
  advance(): void {
    if (this.#isThrough || this.#storeRequests.pendingCommits > 0 || this.#host.timers.has(retryTimer)) return
    this.#unit ??= this.#listener.changes()
    // A call's end may be stored some milliseconds later.
    const commit = this.#storeRequests.commit(this.#unit, {
      done: () => {
        this.#isThrough = true
        this.#listener.closed()
      },
      failed: () => this.#failed(),
      isAwaited: false,
    })
    this.#host.emit(commit)
  }

  #failed(): void {
    this.#tries++
    const fields = { sid: this.#host.record.sid, tries: this.#tries }
    this.#host.emit({ type: 'log', level: 'error', fields, message: "a call's last row could not be written" })
    const pauseMs = Math.min(mostPauseMs, this.#host.env.times.retryCommitMs * 2 ** (this.#tries - 1))
    this.#host.timers.set(retryTimer, this.#host.now() + pauseMs, () => {})
  }
}
