import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import type { Events } from './events.ts'
import type { Outbox, PendingCallback } from './outbox.ts'

/** Result of one try of a status callback. */
export type CallbackEnd =
  | { readonly type: 'retry'; readonly tries: number; readonly dueUnix: number }
  | { readonly type: 'delivered' | 'gave-up'; readonly tries: number; readonly report: CallbackReport }

/** The event of the stream that reports the end. */
interface CallbackReport {
  readonly uuid: string
  /** What the endpoint answered, or why it did not. */
  readonly outcome: Readonly<Record<string, unknown>>
}

/** Ends of callbacks: the outbox, the endpoint's failures and the event that reports it, in one unit. */
export class CallbackEnds {
  readonly #database: Database
  readonly #outbox: Outbox
  readonly #events: Events

  constructor(database: Database, outbox: Outbox, events: Events) {
    this.#database = database
    this.#outbox = outbox
    this.#events = events
  }

  /** A test event, whose callback goes to the `status` webhook of the account. */
  test(account: AccountUuid, url: string, uuid: string, unixMs: number): Promise<void> {
    return this.#database.write(() => {
      const none = { callUuid: null, sid: null, number: null, customPayload: null }
      this.#events.append({ ...none, uuid, code: 'WH.0100', accountUuid: account, createdUnix: unixMs, data: { url } })
    })
  }

  /** Sends the callback of an event once more, to where its end says that it went. False: there is no such event. */
  again(account: AccountUuid, eventUuid: string, url: string): Promise<boolean> {
    return this.#database.write(() => {
      const found = this.#events.rowOf(account, eventUuid)
      if (found === undefined) return false
      this.#outbox.add(found.id, { ...found.event, createdUnix: Date.now() }, url)
      return true
    })
  }

  /** An end that is stored already changes nothing. */
  store(callback: PendingCallback, end: CallbackEnd, unixMs: number): Promise<void> {
    return this.#database.write(() => {
      if (end.type === 'retry') {
        this.#outbox.reschedule(callback.id, end.tries, end.dueUnix)
        return
      }
      const about = this.#outbox.message(callback.id)?.event
      const isNews =
        end.type === 'delivered' ? this.#outbox.delivered(callback.id) : this.#outbox.gaveUp(callback, unixMs)
      if (!isNews || about === undefined) return
      this.#events.append({
        ...about,
        uuid: end.report.uuid,
        code: end.type === 'delivered' ? 'WH.0200' : 'WH.0400',
        createdUnix: unixMs,
        data: { id: about.uuid, code: about.code, url: callback.url, tries: end.tries, ...end.report.outcome },
      })
    })
  }
}
