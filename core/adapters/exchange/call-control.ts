import type { OverloadControl } from '../../admission/overload-control.ts'
import {
  type OriginateOrder,
  type OriginateRefusal,
  type OriginateResult,
  refusedBy,
} from '../../contract/originate-order.ts'
import type { Exchange } from '../../exchange/exchange.ts'
import type { CallRecord } from '../../model/call-record.ts'
import type { AccountUuid, LegUuid, Sid } from '../../model/ids.ts'
import type { LegMediaStats } from '../../model/leg-quality.ts'
import type { CallSummary, Page } from '../../model/list.ts'
import type { LiveCall, LiveLeg } from '../../model/live-call.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CallFilter, CallPage } from '../store/calls.ts'
import type { Served } from '../store/served.ts'
import { type DumpSources, dumpOfLive, type LiveCallDump } from './live-dump.ts'
import type { ExchangeRunner } from './runner.ts'

export type { LiveCall, LiveLeg }

interface CallControlParts {
  readonly exchange: Exchange
  readonly runner: ExchangeRunner
  readonly store: Pick<Served['calls'], 'get' | 'getBySid' | 'list' | 'listTexts' | 'summary'>
  readonly statsOf?: (legId: LegUuid) => LegMediaStats | undefined
  /** Decides by load whether a call may be placed. Default: every one may. */
  readonly admission?: OverloadControl
  readonly clock?: Pick<Clock, 'now' | 'unixMs'>
  /** Where a dump of a live call comes from, beside the exchange. Default: there are no dumps. */
  readonly dumps?: DumpSources
}

/** All calls that are placed by the API are one source; accounts share it fairly. */
const apiSource = 'api'

const loadRefusal = refusedBy('LIMIT.0503', 'the switch is loaded and takes no new calls for now')

/** What an embedder and the API do with calls: place, end, look. */
export class CallControl {
  readonly #parts: CallControlParts

  constructor(parts: CallControlParts) {
    this.#parts = parts
  }

  /** Resolves once the call is durable, or with why it may not be placed; never rejects for what the order says. */
  async originate(order: OriginateOrder): Promise<OriginateResult> {
    const { admission } = this.#parts
    if (admission?.decide(apiSource, this.#now(), 0, order.accountId) !== undefined) return loadRefusal
    return this.#parts.runner.originate(order)
  }

  /** Why the account may place no call now, by load, before anything is spent on it; undefined: one may. */
  refuseNewCalls(account: AccountUuid): OriginateRefusal | undefined {
    const { admission } = this.#parts
    if (admission?.isOpenTo(apiSource, this.#now(), 0, account) !== false) return undefined
    admission.decide(apiSource, this.#now(), 0, account)
    return loadRefusal
  }

  /** Ends a call and gives its record as it is then; one that has ended is unchanged, an unknown one undefined. */
  async hangup(account: AccountUuid, sid: string): Promise<CallRecord | undefined> {
    const call = this.#parts.exchange.find(sid as Sid)
    if (call?.isKnown && call.record.accountUuid === account) await this.#parts.runner.hangUp(call)
    return this.#parts.store.getBySid(account, sid)
  }

  get(account: AccountUuid, uuid: string): Promise<CallRecord | undefined> {
    return this.#parts.store.get(account, uuid)
  }

  /** The account's calls, newest first. */
  list(account: AccountUuid, filter: CallFilter): Promise<CallPage> {
    return this.#parts.store.list(account, filter)
  }

  /** The same, each call in JSON as the API shows it. */
  listTexts(account: AccountUuid, filter: CallFilter): Promise<Page<string>> {
    return this.#parts.store.listTexts(account, filter)
  }

  /** How many calls began in each `sliceMs` since then, and why those that failed did. */
  summary(account: AccountUuid, fromUnix: number, sliceMs: number): Promise<CallSummary> {
    return this.#parts.store.summary(account, fromUnix, sliceMs)
  }

  /** Calls that have not ended, of all accounts. */
  live(): readonly LiveCall[] {
    return this.#parts.exchange.live().map(call => ({
      call: call.record,
      legs: call.legs.all
        .filter(leg => leg.isLive)
        .map(leg => ({ leg: leg.record(), codec: leg.codec, room: leg.room, media: this.#parts.statsOf?.(leg.uuid) })),
    }))
  }

  /** The state of a call that has not ended, by uuid or sid, for support; undefined: no such call lives. */
  async dump(id: string): Promise<LiveCallDump | undefined> {
    const { exchange, dumps, clock } = this.#parts
    const call = exchange.known(id)
    if (call === undefined || dumps === undefined) return undefined
    return dumpOfLive(call, dumps, this.#now(), clock?.unixMs() ?? 0)
  }

  liveOf(account: AccountUuid): number {
    return this.#parts.exchange.live(account).length
  }

  #now(): number {
    return this.#parts.clock?.now() ?? 0
  }
}
