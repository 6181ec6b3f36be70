import { isIPv6 } from 'node:net'
import { Refusal } from '../answer/refusal.ts'
import type { RefusalSentence } from '../answer/refusal-sentences.ts'
import { SlidingWindow } from './sliding-window.ts'

const windowMs = 60_000
const requestsPerAccount = 3000
const unknownKeysPerAddress = 20
/**
 * A client over its limit gets at most one refusal in this time, and this many may wait; beyond that the connection
 * is closed.
 */
const refusalEveryMs = 20
const mostRefusalsWaiting = 100
/** Addresses and accounts that are remembered at once; beyond it, idle ones go first, then the oldest. */
const maxWindows = 20_000

/** The two rate limits of docs/api.md, "Rules". `now` is monotonic milliseconds. */
export class RequestLimits {
  readonly #accounts = new Map<string, SlidingWindow>()
  readonly #addresses = new Map<string, SlidingWindow>()
  /** When the next refusal of an account or a network may leave. */
  readonly #refusals = new Map<string, number>()

  /** How many accounts and addresses are remembered. */
  get size(): number {
    return this.#accounts.size + this.#addresses.size + this.#refusals.size
  }

  /** Counts a request of an account, over all its keys; throws 429 over the limit. */
  countRequest(accountUuid: string, now: number): void {
    const wait = windowOf(this.#accounts, accountUuid, requestsPerAccount, now).take(now)
    if (wait > 0) throw tooMany(`More than ${requestsPerAccount} requests in a minute.`, wait)
  }

  /** Counts a key that is not valid; throws 429 over the limit. */
  countUnknownKey(address: string, now: number): void {
    const wait = windowOf(this.#addresses, networkOf(address), unknownKeysPerAddress, now).take(now)
    if (wait > 0) throw tooMany('Too many requests with an invalid API key from this address.', wait)
  }

  /**
   * How long the refusal of a request over the limit is to wait, so that a client which asks again at once costs little;
   * undefined: too many wait already.
   */
  refusalWaitMs(name: string, now: number): number | undefined {
    const at = Math.max(now, this.#refusals.get(name) ?? now)
    if (at - now >= mostRefusalsWaiting * refusalEveryMs) return undefined
    if (this.#refusals.size >= maxWindows) this.#forgetRefusals(now)
    this.#refusals.set(name, at + refusalEveryMs)
    return at - now
  }

  #forgetRefusals(now: number): void {
    for (const [name, at] of this.#refusals) if (at <= now) this.#refusals.delete(name)
    for (const name of this.#refusals.keys()) {
      if (this.#refusals.size < maxWindows) return
      this.#refusals.delete(name)
    }
  }
}

const tooMany = (sentence: RefusalSentence, waitMs: number): Refusal =>
  new Refusal(429, sentence, { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } })

function windowOf(windows: Map<string, SlidingWindow>, name: string, limit: number, now: number): SlidingWindow {
  let window = windows.get(name)
  if (window === undefined) {
    if (windows.size >= maxWindows) makeRoom(windows, now)
    window = new SlidingWindow(limit, windowMs)
    windows.set(name, window)
  }
  return window
}

/** A tenth at a time, so that what it costs is spread over many requests. */
function makeRoom(windows: Map<string, SlidingWindow>, now: number): void {
  for (const [name, window] of windows) if (window.isIdle(now)) windows.delete(name)
  for (const name of windows.keys()) {
    if (windows.size <= maxWindows * 0.9) return
    windows.delete(name)
  }
}

/** A subscriber has a whole /64 of IPv6 addresses: they count as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1]!
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  return [...front, ...Array.from({ length: zeros }, () => '0'), ...back].slice(0, 4).join(':')
}
