import { agreeAsUas, minSessionSeconds, sessionDelayMs } from '../../dialog/session-timer.ts'
import { formatSessionExpires, type SessionExpires } from '../../header/session-expires.ts'
import type { HeaderField, SipRequest, SipResponse } from '../../message/message.ts'
import { sessionExpiresOf, supports } from '../../message/typed-fields.ts'
import { Timer } from '../../transaction/timer-queue.ts'
import type { TimerOwner } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'

const retryAfterMs = 10_000

/** What a session timer does to its session. */
interface Refreshed {
  sendRefresh(fields: readonly HeaderField[], now: number): void
  sessionExpired(now: number): void
}

/** The session timer of one dialog (RFC 4028): who refreshes, and when the session is over. */
export class SessionRefresh implements TimerOwner {
  readonly #services: EndpointServices
  readonly #session: Refreshed
  readonly #timer = new Timer<TimerOwner>(this, 'session')
  #interval: SessionExpires | undefined
  #weRefresh = false
  #expiresAt = 0

  constructor(services: EndpointServices, session: Refreshed) {
    this.#services = services
    this.#session = session
  }

  /** Session-Expires of our 2xx to an INVITE or UPDATE: accepts the interval that was asked for. */
  answerFields(request: SipRequest, now: number): readonly HeaderField[] {
    const asked = sessionExpiresOf(request)
    if (asked === undefined) {
      this.stop()
      return []
    }
    const peerSupports = supports(request, 'timer')
    const interval = agreeAsUas(asked, peerSupports)
    this.#start(interval, interval.refresher === 'uas', now)
    const fields: HeaderField[] = [{ name: 'Session-Expires', value: formatSessionExpires(interval) }]
    // RFC 4028 §9: only a refresher that knows the extension is held to it.
    if (interval.refresher === 'uac') fields.push({ name: 'Require', value: 'timer' })
    return fields
  }

  /** A 2xx to our INVITE, UPDATE or refresh: what the remote made of it (RFC 4028 §7.2). */
  answered(response: SipResponse, now: number): void {
    const given = sessionExpiresOf(response)
    if (given === undefined) {
      this.stop()
      return
    }
    const seconds = Math.max(given.seconds, minSessionSeconds)
    this.#start({ seconds, refresher: given.refresher }, given.refresher !== 'uas', now)
  }

  /** Our refresh was refused or may not be sent yet, but the dialog still exists: try again while there is time. */
  retryLater(now: number): void {
    if (this.#interval === undefined || !this.#weRefresh) return
    this.#services.timers.set(this.#timer, Math.min(now + retryAfterMs, Math.max(now, this.#expiresAt)))
  }

  stop(): void {
    this.#interval = undefined
    this.#services.timers.stop(this.#timer)
  }

  expired(_name: string, now: number): void {
    const interval = this.#interval
    if (interval === undefined) return
    if (!this.#weRefresh || now >= this.#expiresAt) {
      this.stop()
      this.#session.sessionExpired(now)
      return
    }
    this.#services.timers.set(this.#timer, this.#expiresAt)
    this.#session.sendRefresh(
      [{ name: 'Session-Expires', value: formatSessionExpires({ seconds: interval.seconds, refresher: 'uac' }) }],
      now,
    )
  }

  #start(interval: SessionExpires, weRefresh: boolean, now: number): void {
    this.#interval = interval
    this.#weRefresh = weRefresh
    this.#expiresAt = now + interval.seconds * 1000
    this.#services.timers.set(this.#timer, now + sessionDelayMs(interval, weRefresh))
  }
}

/** RFC 4028 §5, §9: an interval shorter than ours gets a 422, when the remote supports it. */
export function isIntervalTooSmall(request: SipRequest): boolean {
  const asked = sessionExpiresOf(request)
  return asked !== undefined && asked.seconds < minSessionSeconds && supports(request, 'timer')
}
