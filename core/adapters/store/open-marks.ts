import type { AccountUuid } from '../../model/ids.ts'
import type { Served } from './served.ts'

/** The most marks that are remembered; of older ones the key is free after a day. */
const mostRemembered = 10_000

/**
 * Marks of Idempotency-Keys, as requests set and free them. When the database fails it is not known whether a mark was
 * written, or taken away: no request runs under it, so it is taken away before the key is used again.
 */
export class OpenMarks {
  readonly #rows: Served['idempotency']
  readonly #unfreed = new Set<string>()

  constructor(rows: Served['idempotency']) {
    this.#rows = rows
  }

  async begin(...[account, key, fingerprint, unixMs]: Parameters<Served['idempotency']['begin']>) {
    const mark = `${account} ${key}`
    if (this.#unfreed.has(mark)) {
      // Units are written in order: this one comes before whatever another request begins under the key.
      await this.#rows.free(account, key)
      this.#unfreed.delete(mark)
    }
    try {
      return await this.#rows.begin(account, key, fingerprint, unixMs)
    } catch (fault) {
      this.#remember(mark)
      throw fault
    }
  }

  /** Now or, when the database fails, before the key is used again. */
  async free(account: AccountUuid, key: string): Promise<void> {
    try {
      await this.#rows.free(account, key)
    } catch {
      this.#remember(`${account} ${key}`)
    }
  }

  freeInFlight(): Promise<void> {
    return this.#rows.freeInFlight()
  }

  forgetOld(unixMs: number): Promise<boolean> {
    return this.#rows.forgetOld(unixMs)
  }

  #remember(mark: string): void {
    for (const oldest of this.#unfreed) {
      if (this.#unfreed.size < mostRemembered) break
      this.#unfreed.delete(oldest)
    }
    this.#unfreed.add(mark)
  }
}
