import { TextMap } from '../../sip/base/text-map.ts'
import type { LegUuid } from '../model/ids.ts'

/** How a digit came: by INFO (RFC 6086), or in media (RFC 4733 event or tone). */
export type DigitPath = 'info' | 'media'

/** Media report a digit at its end, INFO at its beginning or its end: a pair of both within this time is one digit. */
const duplicateWithinMs = 1500
/** A digit without an end for this time has ended: its end packets were lost. */
const longestDigitMs = 10_000
/** Digits of one leg that wait for their duplicates. */
const mostWaiting = 16

interface Digit {
  readonly digit: string
  readonly path: DigitPath
  readonly at: number
}

/**
 * Some phones send each digit twice, by INFO and in RTP. It is taken once; and once that is known of a leg, what it sends
 * by INFO is ignored from then on, so that it is not relayed as well.
 */
export class DigitDeduplication {
  readonly #waiting = new TextMap<LegUuid, Digit[]>()
  readonly #doubles = new TextMap<LegUuid, true>()
  /** Digits that have begun in media and not ended. */
  readonly #down = new TextMap<LegUuid, { readonly digit: string; readonly at: number }>()

  /** A digit has begun in media: an INFO for it meanwhile is its duplicate, although it is reported first. */
  down(legId: LegUuid, digit: string, now: number): void {
    this.#down.set(legId, { digit, at: now })
  }

  /** False for a digit that has been taken by the other path already. */
  isNew(legId: LegUuid, digit: string, path: DigitPath, now: number): boolean {
    const waiting = (this.#waiting.get(legId) ?? []).filter(entry => now - entry.at <= duplicateWithinMs)
    this.#waiting.set(legId, waiting)
    if (path === 'media') this.#down.delete(legId)
    else if (this.#isDown(legId, digit, now)) {
      this.#doubles.set(legId, true)
      return false
    }
    const duplicate = waiting.findIndex(entry => entry.digit === digit && entry.path !== path)
    if (duplicate !== -1) {
      waiting.splice(duplicate, 1)
      this.#doubles.set(legId, true)
      return false
    }
    if (this.#doubles.has(legId)) return path === 'media'
    waiting.push({ digit, path, at: now })
    if (waiting.length > mostWaiting) waiting.shift()
    return true
  }

  #isDown(legId: LegUuid, digit: string, now: number): boolean {
    const down = this.#down.get(legId)
    return down?.digit === digit && now - down.at <= longestDigitMs
  }
}
