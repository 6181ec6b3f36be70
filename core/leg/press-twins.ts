import type { LegUuid } from '../model/ids.ts'

/** By which way a digit came. */
export type PressWay = 'info' | 'media'

/** A press is told at its end in media, and by INFO at its beginning or its end. */
const twinWithinMs = 1500
/** A key that was down for so long was let go of, though nobody told. */
const longestPressMs = 10_000
/** Presses of one leg that wait for their twins. */
const mostWaiting = 16

interface Press {
  readonly digit: string
  readonly way: PressWay
  readonly at: number
}

/**
 * Some phones send each digit twice, by INFO and in RTP. It is taken once; and once that is known of a leg, what it sends
 * by INFO is not listened to, lest it is passed on as well.
 */
export class PressTwins {
  readonly #waiting = new Map<LegUuid, Press[]>()
  readonly #doubles = new Set<LegUuid>()
  /** What is down in media, until it is told. */
  readonly #down = new Map<LegUuid, { readonly digit: string; readonly at: number }>()

  /** A key has gone down in media: what INFO tells of it meanwhile is its twin, though it is told sooner. */
  down(legId: LegUuid, digit: string, now: number): void {
    this.#down.set(legId, { digit, at: now })
  }

  /** Takes a press. Returns false for one that was taken by the other way. */
  isNew(legId: LegUuid, digit: string, way: PressWay, now: number): boolean {
    const waiting = (this.#waiting.get(legId) ?? []).filter(press => now - press.at <= twinWithinMs)
    this.#waiting.set(legId, waiting)
    if (way === 'media') this.#down.delete(legId)
    else if (this.#isDown(legId, digit, now)) {
      this.#doubles.add(legId)
      return false
    }
    const twin = waiting.findIndex(press => press.digit === digit && press.way !== way)
    if (twin !== -1) {
      waiting.splice(twin, 1)
      this.#doubles.add(legId)
      return false
    }
    if (this.#doubles.has(legId)) return way === 'media'
    waiting.push({ digit, way, at: now })
    if (waiting.length > mostWaiting) waiting.shift()
    return true
  }

  #isDown(legId: LegUuid, digit: string, now: number): boolean {
    const down = this.#down.get(legId)
    return down?.digit === digit && now - down.at <= longestPressMs
  }
}
