import type { ApiKeyRecord } from '../../model/api-key.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { KeyOwner } from './keys.ts'
import type { Served } from './served.ts'

type KeyRows = Served['keys']

/** API keys, and when each was last used: noted in memory, shown by lists at once, written by `flushUses`. */
export class UsedKeys implements Omit<KeyRows, 'touch'> {
  readonly #rows: KeyRows
  readonly #uses = new Map<string, number>()

  constructor(rows: KeyRows) {
    this.#rows = rows
  }

  used(uuid: string, unixMs: number): void {
    this.#uses.set(uuid, unixMs)
  }

  async flushUses(): Promise<void> {
    if (this.#uses.size === 0) return
    const uses = [...this.#uses]
    await this.#rows.touch(uses)
    // A key that was used again meanwhile stays noted.
    for (const [uuid, unixMs] of uses) if (this.#uses.get(uuid) === unixMs) this.#uses.delete(uuid)
  }

  async list(account: AccountUuid): Promise<readonly ApiKeyRecord[]> {
    const records = await this.#rows.list(account)
    return records.map(record => ({ ...record, lastUsedUnix: this.#uses.get(record.uuid) ?? record.lastUsedUnix }))
  }

  ownerOf(key: string): Promise<KeyOwner | undefined> {
    return this.#rows.ownerOf(key)
  }

  create(account: AccountUuid, name: string, unixMs: number) {
    return this.#rows.create(account, name, unixMs)
  }

  revoke(account: AccountUuid, uuid: string) {
    return this.#rows.revoke(account, uuid)
  }
}
