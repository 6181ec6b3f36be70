import { type EndReason, localEnd } from './base/end-reason.ts'
import { PhoneError } from './base/errors.ts'
import { Engine } from './engine.ts'
import { describeFailure } from './failure.ts'
import type { Log } from './log.ts'
import type { RegistrationEvent } from './signaling/registration.ts'
import type { CallEvent } from './signaling/services.ts'
import type { TokenClaims } from './token.ts'
import { TokenClock } from './token-clock.ts'

interface SignInEvents {
  connected(): void
  disconnected(detail: string, willRetry: boolean): void
  /** On a new flow: what lives must be shown there. */
  registered(): void
  registrationFailed(reason: EndReason): void
  unregistered(reason: EndReason): void
  tokenWillExpire(secondsLeft: number): void
  call(event: CallEvent): void
}

export interface Account {
  readonly token: string
  readonly claims: TokenClaims
  readonly url: string
  readonly realm: string
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (fault: PhoneError) => void
}

const mostWaitForSignOutMs = 3_000
/** Date has whole seconds, and the answer was on its way for a while. */
const clockToleranceMs = 3_000

/**
 * `proving`: the first try, which fails for good. `proven`: it has succeeded, and the phone tries again by itself.
 * `leaving`: signed out; the line stands while calls live. `closed`: nothing of it is left.
 */
type SignInState = 'proving' | 'proven' | 'leaving' | 'closed'

/** One sign-in to one switch: its engine, its token's time, and the callers that wait for the outcome. */
export class SignIn {
  readonly engine: Engine
  readonly #events: SignInEvents
  readonly #clock: TokenClock
  #account: Account
  #state: SignInState = 'proving'
  #isRegistered = false
  /** The end-user's; '' when the switch sends none. */
  displayName = ''
  #waiting: Waiting | undefined
  #signedOut: (() => void) | undefined
  #outReason: EndReason = localEnd('Signed out', 'local')
  /** The switch's clock less ours, in ms: a computer's may be hours off. */
  #clockOffset = 0

  constructor(account: Account, log: Log, events: SignInEvents) {
    this.#account = account
    this.#events = events
    this.#clock = new TokenClock(
      secondsLeft => events.tokenWillExpire(secondsLeft),
      () => this.leave(localEnd('Token expired', 'local')),
    )
    this.engine = new Engine(account.url, log, {
      lineUp: () => events.connected(),
      lineDown: (detail, willRetry) => this.#lineDown(detail, willRetry),
      output: output => {
        switch (output.type) {
          case 'registered':
          case 'registration-failed':
          case 'unregistered':
          case 'clock':
            this.#registrationChanged(output)
            break
          default:
            events.call(output)
        }
      },
    })
  }

  get state(): SignInState {
    return this.#state
  }

  get account(): Account {
    return this.#account
  }

  get isRegistered(): boolean {
    return this.#isRegistered
  }

  /** Whether `account` is the same phone at the same switch, so that its token renews this sign-in. */
  isFor(account: Account): boolean {
    const { url, realm, claims } = this.#account
    return url === account.url && realm === account.realm && claims.ext === account.claims.ext
  }

  /** Begins, or renews; resolves when the switch has registered us, rejects with a PhoneError. */
  register(account: Account): Promise<void> {
    this.#account = account
    if (this.#state === 'leaving') this.#state = 'proven'
    this.#settle(new PhoneError('sign-in.replaced', 'Another sign-in began.'))
    this.#clock.stop()
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      const { realm, token, claims } = account
      this.engine.handle({ type: 'register', identity: { extension: claims.ext, realm, token } })
      this.engine.open()
    })
  }

  /** Signs out; the line stands until `close`. Resolves when the switch has confirmed, or after three seconds. */
  leave(reason: EndReason): Promise<void> {
    if (this.#state === 'leaving' || this.#state === 'closed') return Promise.resolve()
    this.#state = 'leaving'
    this.#outReason = reason
    this.#clock.stop()
    this.#settle(new PhoneError('sign-in.replaced', describeFailure(reason)))
    return new Promise(resolve => {
      const late = setTimeout(() => this.#unregistered(), mostWaitForSignOutMs)
      this.#signedOut = () => {
        clearTimeout(late)
        resolve()
      }
      this.engine.handle({ type: 'unregister' })
    })
  }

  close(): void {
    // Sent before the line closes; the answer is not awaited.
    if (this.#isRegistered) this.engine.handle({ type: 'unregister' })
    this.#state = 'closed'
    this.#isRegistered = false
    this.#clock.stop()
    this.#settle(new PhoneError('sign-in.replaced', 'The sign-in ended.'))
    this.#signedOut?.()
    this.#signedOut = undefined
    this.engine.close()
  }

  /** By our clock. */
  get #expiresUnix(): number {
    return this.#account.claims.exp * 1000 - this.#clockOffset
  }

  #registrationChanged(event: RegistrationEvent): void {
    switch (event.type) {
      case 'registered': {
        const isNews = !this.#isRegistered
        if (this.#state === 'proving') this.#state = 'proven'
        this.#isRegistered = true
        this.displayName = event.displayName
        this.#clock.start(this.#expiresUnix)
        if (isNews) this.#events.registered()
        this.#settle()
        break
      }
      case 'registration-failed':
        this.#refused(event.reason, event.isFinal)
        break
      case 'unregistered':
        if (event.reason !== undefined) this.#ended(event.reason)
        else this.#unregistered()
        break
      case 'clock': {
        const offset = event.unix - Date.now()
        this.#clockOffset = Math.abs(offset) < clockToleranceMs ? 0 : offset
        break
      }
      default:
        event satisfies never
    }
  }

  #refused(reason: EndReason, isFinal: boolean): void {
    this.#isRegistered = false
    const isExpired = reason.status === 401 && this.#expiresUnix <= Date.now()
    const fault = isExpired
      ? new PhoneError('token.expired', 'The phone token has expired.')
      : new PhoneError('sign-in.failed', describeFailure(reason), { status: reason.status })
    if (this.#state === 'proving') {
      this.#fail(reason, fault)
      return
    }
    this.#events.registrationFailed(reason)
    this.#settle(fault)
    // The token was revoked, or its time is over: live calls go on.
    if (isFinal) this.#ended(reason)
  }

  /** By the switch's will. */
  #ended(reason: EndReason): void {
    this.#state = 'leaving'
    this.#outReason = reason
    this.#clock.stop()
    this.#unregistered()
  }

  #lineDown(detail: string, willRetry: boolean): void {
    this.#isRegistered = false
    this.#events.disconnected(detail, willRetry)
    if (this.#state !== 'proving') return
    const fault = new PhoneError('sign-in.failed', `No connection to ${this.#account.url}: ${detail}.`)
    this.#fail(localEnd('Connection lost', 'network', detail), fault)
  }

  /** The first try failed: there is no second by itself. */
  #fail(reason: EndReason, fault: PhoneError): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.close()
    this.#events.registrationFailed(reason)
    waiting?.reject(fault)
  }

  #unregistered(): void {
    this.#isRegistered = false
    const signedOut = this.#signedOut
    this.#signedOut = undefined
    this.#events.unregistered(this.#outReason)
    signedOut?.()
  }

  #settle(fault?: PhoneError): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (fault === undefined) waiting?.resolve()
    else waiting?.reject(fault)
  }
}
