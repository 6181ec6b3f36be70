import { randomUUID } from 'node:crypto'
import type { CallControl } from '../adapters/exchange/index.ts'
import { causeOfRefusal } from '../contract/originate-order.ts'
import type { CallAnswer, CallHandler } from '../document-builder/call-handler.ts'
import { type Duration, durationMs } from '../document-builder/duration.ts'
import { callView } from '../events/call-data.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { AccountUuid } from '../model/ids.ts'
import type { CallFilter, Page } from '../model/list.ts'
import type { LiveCall } from '../model/live-call.ts'
import { type Range, rangeOf } from './accounts.ts'
import { SwitchError } from './errors.ts'
import type { FunctionDocuments } from './function-documents.ts'
import { type NamesOf, refuseUnknown } from './known-options.ts'

/** A call, as `GET /calls/{uuid}` shows it. */
export type Call = ReturnType<typeof callView> & { readonly account: string }

/** A call to be placed: `to`, `from`, and either `url` or `document`. */
export interface PlaceOrder {
  /** The account's uuid. */
  readonly account: string
  /** E.164, or an extension of the account. */
  readonly to: string
  /** A number that the account owns. */
  readonly from: string
  /** Webhook that gives the document once the call is answered. */
  readonly url?: string
  /** The document itself, or a function that gives it, and those of its actions. */
  readonly document?: CallHandler | Exclude<CallAnswer, undefined>
  /** How long it may ring. Default 30 s. */
  readonly timeout?: Duration
  readonly customPayload?: string | Readonly<Record<string, unknown>>
}

const fieldsOfOrder: NamesOf<PlaceOrder> = {
  account: true,
  to: true,
  from: true,
  url: true,
  document: true,
  timeout: true,
  customPayload: true,
}

/** Which calls a list shows. */
export type CallsQuery = Range & Pick<CallFilter, 'direction' | 'status' | 'search'>

/** Calls: place, end, look. */
export class Calls {
  readonly #control: CallControl
  readonly #functions: FunctionDocuments

  /** @internal */
  constructor(control: CallControl, functions: FunctionDocuments) {
    this.#control = control
    this.#functions = functions
  }

  /**
   * Places a call; resolves once it is on record, before it rings. Throws `call.refused` with the API's code and sentence:
   * no funds, a cap, a destination that is not allowed, a number that is not owned.
   */
  async originate(order: PlaceOrder): Promise<Call> {
    refuseUnknown('originate', order, fieldsOfOrder)
    const { account, to, from, timeout, customPayload } = order
    const placed = this.#documentOf(order)
    const result = await this.#control.originate({
      accountId: account as AccountUuid,
      to,
      from,
      url: placed.url,
      ...(timeout === undefined ? {} : { timeoutSeconds: durationMs(timeout) / 1000 }),
      ...(customPayload === undefined ? {} : { customPayload }),
    })
    if (result.ok) return callOf(result.call)
    placed.drop()
    throw new SwitchError('call.refused', `${causeOfRefusal(result)}: ${result.sentence}`)
  }

  /** Ends a call of the account, and gives its record; one that has ended is unchanged. Throws `not-found`. */
  async hangup(account: string, sid: string): Promise<Call> {
    const record = await this.#control.hangup(account as AccountUuid, sid)
    if (record === undefined) throw new SwitchError('not-found', `the account has no call ${sid}`)
    return callOf(record)
  }

  /** Undefined when the account has no such call. */
  async get(account: string, uuid: string): Promise<Call | undefined> {
    const record = await this.#control.get(account as AccountUuid, uuid)
    return record === undefined ? undefined : callOf(record)
  }

  /** The account's calls, newest first. */
  async list(account: string, query: CallsQuery = {}): Promise<Page<Call>> {
    const { calls, total } = await this.#control.list(account as AccountUuid, { ...query, ...rangeOf(query) })
    return { rows: calls.map(callOf), total }
  }

  /** Calls that have not ended, of all accounts, with their legs. */
  live(): readonly (Omit<LiveCall, 'call'> & { readonly call: Call })[] {
    return this.#control.live().map(({ call, legs }) => ({ call: callOf(call), legs }))
  }

  #documentOf({ url, document }: PlaceOrder): { url: string; drop(): void } {
    if (url !== undefined && document === undefined) return { url, drop: () => {} }
    if (document === undefined || url !== undefined) {
      throw new SwitchError('config.invalid', 'originate: give either url or document')
    }
    return this.#functions.place(randomUUID(), typeof document === 'function' ? document : () => document)
  }
}

const callOf = (record: CallRecord): Call => ({ ...callView(record), account: record.accountUuid })
