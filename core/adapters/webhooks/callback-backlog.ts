import type { AccountUuid } from '../../model/ids.ts'
import type { PendingCallback } from '../store/outbox.ts'
import type { Served } from '../store/served.ts'

export interface BacklogLimits {
  /** Callbacks in memory; what is on top stays in the outbox until there is room. Default 50,000. */
  readonly total: number
  /**
   * Callbacks of one account: with hanging servers they wait for minutes, and must leave room for others. Default
   * 2,000.
   */
  readonly perAccount: number
}

const defaultBacklogLimits: BacklogLimits = Object.freeze({ total: 50_000, perAccount: 2_000 })

const loadAtOnce = 1000

/** Which callbacks of the outbox are in memory. Those of an account are taken in their order. */
export class CallbackBacklog {
  readonly #outbox: Pick<Served['outbox'], 'pendingAfter' | 'pendingOf'>
  readonly #limits: BacklogLimits
  readonly #held = new Map<AccountUuid, number>()
  /** Accounts of which some were passed over: the last that was taken, by account. */
  readonly #lagging = new Map<AccountUuid, number>()
  #size = 0
  #lastRead = 0

  constructor(
    outbox: Pick<Served['outbox'], 'pendingAfter' | 'pendingOf'>,
    limits: BacklogLimits = defaultBacklogLimits,
  ) {
    this.#outbox = outbox
    this.#limits = limits
  }

  /** Takes in what there is room for; `take` gets each once. Not to be called again before it has resolved. */
  async load(take: (callback: PendingCallback) => void): Promise<void> {
    for (const account of [...this.#lagging.keys()]) await this.#catchUp(account, take)
    while (this.#size < this.#limits.total) {
      const asked = Math.min(loadAtOnce, this.#limits.total - this.#size)
      const rows = await this.#outbox.pendingAfter(this.#lastRead, asked)
      for (const callback of rows) {
        this.#lastRead = callback.id
        const account = callback.accountUuid
        if (this.#lagging.has(account)) continue
        if ((this.#held.get(account) ?? 0) >= this.#limits.perAccount) this.#lagging.set(account, callback.id - 1)
        else this.#take(callback, take)
      }
      if (rows.length < asked) return
    }
  }

  /** One has been delivered or given up. True: there is room worth a `load`. */
  ended({ accountUuid }: PendingCallback): boolean {
    this.#size--
    const left = (this.#held.get(accountUuid) ?? 1) - 1
    if (left === 0) this.#held.delete(accountUuid)
    else this.#held.set(accountUuid, left)
    const { total, perAccount } = this.#limits
    return this.#size < total / 2 || (this.#lagging.has(accountUuid) && left <= perAccount / 2)
  }

  async #catchUp(account: AccountUuid, take: (callback: PendingCallback) => void): Promise<void> {
    const held = this.#held.get(account) ?? 0
    const after = this.#lagging.get(account)
    if (after === undefined || held > this.#limits.perAccount / 2) return
    const room = Math.min(this.#limits.perAccount - held, this.#limits.total - this.#size)
    if (room <= 0) return
    // Callbacks after the last one read are read together with all others.
    const rows = await this.#outbox.pendingOf(account, { after, upTo: this.#lastRead }, room)
    for (const callback of rows) this.#take(callback, take)
    const last = rows.at(-1)
    if (rows.length < room || last === undefined) this.#lagging.delete(account)
    else this.#lagging.set(account, last.id)
  }

  #take(callback: PendingCallback, take: (callback: PendingCallback) => void): void {
    this.#size++
    this.#held.set(callback.accountUuid, (this.#held.get(callback.accountUuid) ?? 0) + 1)
    take(callback)
  }
}
