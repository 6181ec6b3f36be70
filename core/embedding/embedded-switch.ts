import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../adapters/system/silent-log.ts'
import { systemClock } from '../adapters/system/system-clock.ts'
import type { CallHandler } from '../document-builder/call-handler.ts'
import type { AccountUuid } from '../model/ids.ts'
import type { SipListener } from '../model/settings.ts'
import { Switch as WholeSwitch } from '../switch.ts'
import { Accounts } from './accounts.ts'
import { Calls } from './calls.ts'
import { Destinations } from './destinations.ts'
import { EndUsers } from './end-users.ts'
import { type EventsOptions, eventFeed, type SwitchEvent } from './event-feed.ts'
import { FunctionDocuments } from './function-documents.ts'
import { Numbers } from './numbers.ts'
import { type OpenOptions, settingsOf } from './open-options.ts'
import { Rates } from './rates.ts'
import { Recordings } from './recordings.ts'
import { Trunks } from './trunks.ts'

const drainPollMs = 20

/**
 * A whole switch inside a program: SIP, media, documents, billing and store, without the HTTP API.
 *
 *     const sauti = await Switch.open({ data: './data', sip: ['udp:0.0.0.0:5060'] })
 *     sauti.onCall(call => response().say(`Hello ${call.from}`))
 *     for await (const event of sauti.events()) console.log(event.code, event.sid)
 */
export class Switch {
  readonly accounts: Accounts
  readonly numbers: Numbers
  readonly trunks: Trunks
  readonly rates: Rates
  readonly destinations: Destinations
  readonly endUsers: EndUsers
  readonly calls: Calls
  readonly recordings: Recordings
  readonly #whole: WholeSwitch
  readonly #functions: FunctionDocuments

  private constructor(whole: WholeSwitch, functions: FunctionDocuments, unixMs: () => number) {
    const { accounts, destinations, numbers, trunks, rates } = whole.repositories
    this.accounts = new Accounts(accounts, unixMs)
    this.numbers = new Numbers(numbers, accounts, unixMs)
    this.trunks = new Trunks(trunks, unixMs)
    this.rates = new Rates(rates)
    this.destinations = new Destinations(destinations)
    this.endUsers = new EndUsers(whole.repositories, whole.settings.sip.realm, unixMs)
    this.calls = new Calls(whole.calls, functions)
    this.recordings = new Recordings(
      whole.repositories.recordings,
      whole.recordingStorage,
      () => whole.recordingsWaiting,
      unixMs,
    )
    this.#whole = whole
    this.#functions = functions
  }

  /**
   * Opens the data folder, the media threads and the SIP listeners. Rejects with everything closed again: a `SwitchError`
   * `config.invalid` that names every wrong option, a `StoreError` (`store.locked`: another process has the folder open),
   * or a `ListenError`, whose `code` is the system's, as `EADDRINUSE`.
   */
  static async open(options: OpenOptions = {}): Promise<Switch> {
    const { log = silentLog, clock = systemClock, random, speech, recordings } = options
    const functions = new FunctionDocuments(log)
    const whole = await WholeSwitch.open(settingsOf(options), {
      log,
      clock,
      functions,
      ...(random === undefined ? {} : { random }),
      ...(speech === undefined ? {} : { speech }),
      ...(recordings === undefined ? {} : { recordings }),
    })
    return new Switch(whole, functions, () => clock.unixMs())
  }

  /**
   * A function answers for the documents of calls: of one number, or of all that have no function of their own. It wins
   * over webhooks. The function has 10 s; when it throws or gives nothing, the account's fallback runs. Returns what ends it.
   */
  onCall(handler: CallHandler, options: { readonly number?: string } = {}): () => void {
    return this.#functions.handle(handler, options.number)
  }

  /**
   * Events as they happen, once they are stored; with `account` and `after` those stored before as well. Throws
   * `config.invalid`; `not-found`, when there is no such account, comes with the first event that is read.
   */
  events(options: EventsOptions = {}): AsyncGenerator<SwitchEvent, void, undefined> {
    const { events } = this.#whole.store
    const { accounts } = this.#whole.repositories
    return eventFeed(
      {
        hasAccount: async account => (await accounts.get(account)) !== undefined,
        subscribe: listener => events.subscribe(listener),
        after: (account, seq, limit) => events.after(account as AccountUuid, seq, limit),
      },
      options,
    )
  }

  /** Where SIP listens, with the ports that the system chose. */
  get sipListeners(): readonly SipListener[] {
    return this.#whole.sipListeners
  }

  /** False when the database, a SIP listener or a media thread fails, and while draining. */
  health(): Promise<boolean> {
    return this.#whole.health()
  }

  /** No new calls; live ones may go on for so long, then they end with END.5503. Default 30 s. */
  drain(seconds?: number): void {
    this.#whole.drain(seconds)
  }

  /** Takes new calls again after `drain`. */
  resume(): void {
    this.#whole.resume()
  }

  /** Lets live calls end for `drainSeconds` (default 0), then ends them with END.5503 and closes everything. Idempotent. */
  async close(options: { readonly drainSeconds?: number } = {}): Promise<void> {
    const { drainSeconds = 0 } = options
    if (drainSeconds > 0) {
      this.#whole.drain(drainSeconds)
      const until = performance.now() + drainSeconds * 1000
      while (this.#whole.calls.live().length > 0 && performance.now() < until) await sleep(drainPollMs)
    }
    await this.#whole.close()
  }
}
