import type { IncomingRequest } from '../../transaction/incoming.ts'

/** Timer H and what is on the way: no copy of an INVITE comes later (RFC 3261 §17.1.1.2, 64*T1). */
const rememberedMs = 32_000
/** In each of two generations: at 6,000 refusals a second all of them. */
const mostRemembered = 200_000
/** Retry-After is spread over these seconds, so that refused callers do not come back together. */
const leastRetrySeconds = 1
const retrySpread = 4

/**
 * INVITEs that came a while ago, by `keyOfInvite`, so that a copy gets what its first got. One that was refused without
 * a transaction (RFC 3261 §8.2.7) is refused when there is room again, too: its sender has done with it, and would not
 * know what to do with a call. One that was taken is not refused when there is no room any more.
 */
export class KnownInvites {
  #young = new Set<number>()
  #old = new Set<number>()
  #turnedAt = Number.NEGATIVE_INFINITY

  get size(): number {
    return this.#young.size + this.#old.size
  }

  add(key: number, now: number): void {
    this.#turn(now)
    this.#young.add(key)
    if (this.#young.size >= mostRemembered) this.#age(now)
  }

  has(key: number, now: number): boolean {
    this.#turn(now)
    return this.#young.has(key) || this.#old.has(key)
  }

  #turn(now: number): void {
    if (now - this.#turnedAt < rememberedMs) return
    if (now - this.#turnedAt >= 2 * rememberedMs) this.#young = new Set()
    this.#age(now)
  }

  #age(now: number): void {
    this.#old = this.#young
    this.#young = new Set()
    this.#turnedAt = now
  }
}

/** The same for every copy of one INVITE on one path: 32 bits of FNV-1a over Call-ID and topmost Via. */
export function keyOfInvite({ callId, via }: IncomingRequest): number {
  let hash = 0x811c9dc5
  for (const text of [callId, via.text]) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

/** Made of the key: every copy of a refused INVITE gets the same answer. */
export const retrySecondsOf = (key: number): number => leastRetrySeconds + (key % retrySpread)
