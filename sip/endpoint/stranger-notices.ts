import { subscriberOf } from '../uri/format.ts'
import { callerOf } from './caller.ts'
import type { DroppedCall } from './input.ts'
import type { ReadRequest } from './read.ts'

/** Each address is spoken of so often at most. */
export const noticeEveryMs = 60_000
/** Addresses that are kept in mind: a flood of forged ones makes no more lines than this in that time. */
export const mostNoticed = 64

/**
 * Which dropped calls are worth a word to the operator: the first of an address, and one a minute of those that go on.
 * Bounded, whatever addresses are forged.
 */
export class StrangerNotices {
  readonly #tell: (call: DroppedCall) => void
  readonly #noticed = new Map<string, { at: number; dropped: number }>()

  constructor(tell: (call: DroppedCall) => void) {
    this.#tell = tell
  }

  /** A stranger's request was dropped. Only those that would have been calls are told of. */
  dropped({ request, uri }: ReadRequest, now: number): void {
    if (request.message.method !== 'INVITE') return
    const { address, transport } = request.flow
    const dropped = this.#countOf(address, now)
    if (dropped === undefined) return
    const to = uri === undefined ? '' : (subscriberOf(uri) ?? '')
    this.#tell({ address, transport, from: callerOf(request).user, to, dropped })
  }

  /** How many were dropped since the last word about that address; undefined = say nothing now. */
  #countOf(address: string, now: number): number | undefined {
    const known = this.#noticed.get(address)
    if (known === undefined) {
      if (this.#noticed.size >= mostNoticed) this.#forget(now)
      if (this.#noticed.size >= mostNoticed) return undefined
      this.#noticed.set(address, { at: now, dropped: 0 })
      return 1
    }
    known.dropped++
    if (now - known.at < noticeEveryMs) return undefined
    const { dropped } = known
    known.at = now
    known.dropped = 0
    return dropped
  }

  #forget(now: number): void {
    for (const [address, { at }] of this.#noticed) if (now - at >= noticeEveryMs) this.#noticed.delete(address)
  }
}
