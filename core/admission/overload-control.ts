import { Allowance } from '../caps/allowance.ts'
import { type CallSource, CallSources, headroom } from './call-source.ts'
import {
  defaultLoadBounds,
  flowSignals,
  type LoadBounds,
  type LoadMeasures,
  type LoadSignal,
  noLoad,
  pressureOf,
} from './load.ts'

/** Load is measured so often. */
export const measureEveryMs = 50
/** The lowest of this many measures in a row counts, as in CoDel: one garbage-collection pause is no load. */
const measuresInARow = 3
/** Target for the thread's working share while calls are limited. */
const busyAimed = 0.97
/**
 * Part of the way to the aim that the rate goes with each measure. What a call costs comes over the next tenths of a
 * second: faster steps would overshoot.
 */
const gain = 0.07
/** A pressure that is lower than the one before by this factor is falling. */
const easing = 0.97
const mostFall = 0.15
const mostRise = 0.05
/** Below this part of what the thread could bear before, there is no need to feel the way. */
const knownPart = 0.8
const mostKnownRise = 0.2
/** The thread's capacity is learned while it works at least this share, as a mean over that time. */
const learnFromBusy = 0.2
const learnOverMs = 4000
/** The limit ends when demand and work stay below these shares for this time. */
const openBelow = 0.5
const openAfterMs = 1500
/**
 * Never less than this a second, in all: so few calls are not what loads a thread, and a measure that stays bad must not
 * shut the switch for good. The second where what presses are the calls that live already.
 */
const leastRate = { begun: 10, living: 1 }
/**
 * Longest wait of an INVITE while calls are limited; then it is refused. Its set-up takes this wait and then up to 80
 * ms (p99) together with the calls that are set up at the same time: in all less than 100 ms. More INVITEs arrive in
 * this time than are set up in it, so that no place stays empty.
 */
const lateWhileLimitingMs = 15
/**
 * Number of calls that are set up at the same time, plus one for each millisecond that a commit takes. While calls are limited
 * there are fewer: as many calls a second are answered, and each sooner. Before that the larger number takes a burst.
 */
const leastSetUps = { limiting: 2, before: 6 }
const commitOver = 32
/** Factor of its bound at which the wait of one INVITE counts as a flood, before any mean shows it. */
const floodWaits = 2
/**
 * INVITEs that are taken at once, and after that each second, however long they have waited: so few are no flood. The thread
 * stood still, or its code ran for the first time. Of what is taken in ten seconds of a flood they are about a hundredth.
 */
const [lateAtOnce, latePerSecond] = [40, 1]
export type Refusal = 'rate' | 'late' | 'no-media'

export interface OverloadCounters {
  admitted: number
  /** Refused because the rate was used up; because it had waited too long; because no media thread answered. */
  refusedRate: number
  refusedLate: number
  refusedNoMedia: number
}

/**
 * Whether a new call is taken, by measured load (RFC 7339 is the model: the rate follows the load, in small steps). While
 * nothing is beyond its bound there is no limit. Beyond, calls are admitted at a rate that falls with how far and rises
 * again when there is room; sources share it fairly, so that one that floods takes no other's place.
 */
export class OverloadControl {
  readonly counters: OverloadCounters = { admitted: 0, refusedRate: 0, refusedLate: 0, refusedNoMedia: 0 }
  readonly #bounds: LoadBounds
  readonly #sources = new CallSources()
  readonly #late = new Allowance(lateAtOnce, latePerSecond)
  readonly #pressures: number[] = []
  #rate = Number.POSITIVE_INFINITY
  #measures: LoadMeasures = noLoad
  #pressure = 0
  #of: LoadSignal = 'loopDelayMs'
  #measuredAt: number | undefined
  /** Mean of the last commits. */
  #commitMs = 0
  #calmSince: number | undefined
  /** Calls a second that would keep the thread busy all the time, as far as is known. */
  #capacity = Number.POSITIVE_INFINITY

  constructor(bounds: LoadBounds = defaultLoadBounds) {
    this.#bounds = bounds
  }

  /** Calls a second that are admitted now; Infinity = there is no limit. */
  get rate(): number {
    return this.#rate
  }

  get isLimiting(): boolean {
    return this.#rate !== Number.POSITIVE_INFINITY
  }

  /** How near the load is to its bound: 1 is the bound. `of`: by which measure. */
  get load(): { readonly pressure: number; readonly of: LoadSignal; readonly measures: LoadMeasures } {
    return { pressure: this.#pressure, of: this.#of, measures: this.#measures }
  }

  /**
   * How many calls may be set up side by side. A burst waits its turn for some milliseconds, so that each call that is
   * taken is soon set up; a disk that is slow by itself takes no fewer calls a second.
   */
  get mostSetUps(): number {
    if (this.#bounds.inviteWaitMs === 0) return Number.POSITIVE_INFINITY
    return (this.isLimiting ? leastSetUps.limiting : leastSetUps.before) + this.#commitMs
  }

  committed(durationMs: number): void {
    this.#commitMs += (durationMs - this.#commitMs) / commitOver
  }

  /** What has been measured since the last time. */
  handle(measures: LoadMeasures, now: number): void {
    const intervalMs = Math.max(1, now - (this.#measuredAt ?? now - measureEveryMs))
    this.#measuredAt = now
    this.#measures = measures
    this.#sources.settle(intervalMs, now)
    const { pressure, of } = pressureOf(measures, this.#bounds)
    this.#pressures.push(pressure)
    if (this.#pressures.length > measuresInARow) this.#pressures.shift()
    this.#pressure = this.#pressures.length < measuresInARow ? 0 : Math.min(...this.#pressures)
    this.#of = of
    if (this.isLimiting) this.#adapt(now)
    else if (this.#pressure > 1 && !this.#isOfOthers) this.#begin()
    if (this.#pressure < 1) this.#learn(intervalMs)
    this.#sources.divide(this.isLimiting ? this.#rate : undefined)
  }

  /**
   * A new call of the source; undefined: it is taken. `waitedMs`: how long its INVITE has waited with us. `account`: whose
   * call it is, where accounts share a source: they divide its share as sources divide the rate.
   */
  decide(source: string, now: number, waitedMs = 0, account?: string): Refusal | undefined {
    const from = this.#sources.of(source, now)
    const part = account === undefined ? undefined : from.parts.of(account, now)
    from.offered(now)
    part?.offered(now)
    const refusal = this.#refusalOf(from, part, now, waitedMs)
    if (refusal === undefined) {
      if (this.#isLate(waitedMs) && !this.#areFew) this.#late.take(now)
      this.counters.admitted++
      from.admitted(this.isLimiting)
      part?.admitted(this.isLimiting)
    } else if (refusal === 'rate') this.counters.refusedRate++
    else if (refusal === 'late') this.counters.refusedLate++
    else this.counters.refusedNoMedia++
    return refusal
  }

  /** The same, without the reason. */
  admits(source: string, now: number, waitedMs = 0, account?: string): boolean {
    return this.decide(source, now, waitedMs, account) === undefined
  }

  /** Whether a call of the source would be admitted, before anything is spent on finding out whose it is. */
  isOpenTo(source: string, now: number, waitedMs = 0, account?: string): boolean {
    const from = this.#sources.of(source, now)
    const part = account === undefined ? undefined : from.parts.of(account, now)
    return this.#refusalOf(from, part, now, waitedMs) === undefined
  }

  /** What each source offers and gets, calls a second, the one that offers most first. */
  sources(): readonly { readonly source: string; readonly offered: number; readonly admitted: number }[] {
    return [...this.#sources.all]
      .map(([source, { offeredRate, admittedRate }]) => ({ source, offered: offeredRate, admitted: admittedRate }))
      .sort((one, two) => two.offered - one.offered)
  }

  #refusalOf(from: CallSource, part: CallSource | undefined, now: number, waitedMs: number): Refusal | undefined {
    if (this.#measures.isMediaSilent) return 'no-media'
    if (this.#isLate(waitedMs) && !this.#areFew && !this.#late.has(now)) return 'late'
    if (!this.isLimiting) return undefined
    const share = this.#sources.shareOf(from, this.#rate)
    // Who has used up its part takes nothing of the others'.
    const isOpen = (part?.hasToken(from.parts.shareOf(part, share), now) ?? true) && from.hasToken(share, now)
    return isOpen ? undefined : 'rate'
  }

  #isLate(waitedMs: number): boolean {
    if (this.isLimiting) return waitedMs > lateWhileLimitingMs
    const { inviteWaitMs } = this.#bounds
    return inviteWaitMs > 0 && waitedMs > floodWaits * inviteWaitMs
  }

  /** It is not for new calls that the thread is late. */
  get #areFew(): boolean {
    return this.#offeredRate() <= leastRate.begun
  }

  #begin(): void {
    this.#rate = Math.max(this.#leastRate, Math.min(this.#admittedRate() * (1 - mostFall), this.#capacity * busyAimed))
    this.#calmSince = undefined
  }

  /** How many calls go with how much work, while both are in proportion. */
  #learn(intervalMs: number): void {
    const { loopBusy } = this.#measures
    if (loopBusy < learnFromBusy || loopBusy > busyAimed) return
    const found = this.#admittedRate() / loopBusy
    const weight = Math.min(1, intervalMs / learnOverMs)
    this.#capacity =
      this.#capacity === Number.POSITIVE_INFINITY ? found : this.#capacity + weight * (found - this.#capacity)
  }

  /** Beyond a bound the rate falls by how far; before it, it goes to where the thread is as busy as is aimed at. */
  #adapt(now: number): void {
    const room = Math.min(1, 2 * (1 - this.#pressure))
    const towards =
      this.#pressure > 1 ? 1 / this.#pressure - 1 : busyAimed / Math.max(0.05, this.#measures.loopBusy) - 1
    // What has piled up is being worked off: the rate is low enough, and to lower it further would overshoot.
    if (this.#pressure > 1 && this.#isEasing()) return
    const isKnown = this.#rate < knownPart * this.#capacity && this.#capacity !== Number.POSITIVE_INFINITY
    const rise = isKnown ? mostKnownRise : mostRise
    const change = Math.max(-mostFall, Math.min(rise, gain * (towards > 0 ? room * towards : towards)))
    const offered = this.#offeredRate()
    // Load that is not offered says nothing about what could be carried: the rate rises no further than that.
    if (change < 0 || this.#rate < 2 * headroom * offered)
      this.#rate = Math.max(this.#leastRate, this.#rate * (1 + change))
    const isCalm = (this.#pressure < openBelow || this.#isOfOthers) && offered < openBelow * this.#rate
    if (!isCalm) this.#calmSince = undefined
    else if (this.#calmSince === undefined) this.#calmSince = now
    else if (now - this.#calmSince >= openAfterMs) this.#open()
  }

  /** What presses is no work of new calls: there are few, and to refuse some of them would not help. */
  get #isOfOthers(): boolean {
    return flowSignals.has(this.#of) && this.#areFew
  }

  get #leastRate(): number {
    return this.#pressure > 1 && !flowSignals.has(this.#of) ? leastRate.living : leastRate.begun
  }

  #isEasing(): boolean {
    const [first = 0] = this.#pressures
    return (this.#pressures.at(-1) ?? 0) < easing * first
  }

  #open(): void {
    this.#rate = Number.POSITIVE_INFINITY
    this.#calmSince = undefined
  }

  #offeredRate(): number {
    return this.#sources.sum(({ offeredRate }) => offeredRate)
  }

  #admittedRate(): number {
    return this.#sources.sum(({ admittedRate }) => admittedRate)
  }
}
