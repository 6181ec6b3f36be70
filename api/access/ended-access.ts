/** A stream token that was issued before is no good any more after this. */
const rememberedMs = 310_000

/** Keys and sessions that were revoked or have signed out, for the streams that they have opened. */
export class EndedAccess {
  /** When each may be forgotten, oldest first. */
  readonly #ended = new Map<string, number>()
  readonly #listeners = new Set<(uuid: string) => void>()

  end(uuid: string, now: number): void {
    for (const [known, forgetAt] of this.#ended) {
      if (forgetAt > now) break
      this.#ended.delete(known)
    }
    this.#ended.delete(uuid)
    this.#ended.set(uuid, now + rememberedMs)
    for (const listener of this.#listeners) listener(uuid)
  }

  onEnd(listener: (uuid: string) => void): void {
    this.#listeners.add(listener)
  }

  has(uuids: readonly string[]): boolean {
    return uuids.some(uuid => this.#ended.has(uuid))
  }
}
