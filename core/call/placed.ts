import { isCovered } from '../billing/charge.ts'
import type { Place } from '../caps/caps.ts'
import type { Found } from '../contract/exchange-event.ts'
import { arrived } from '../contract/hops.ts'
import { type OriginateOrder, type OriginateRefusal, refusedBy } from '../contract/originate-order.ts'
import { Branch } from '../dial/branch.ts'
import type { BranchListener, BranchOptions } from '../dial/branch-options.ts'
import { PlacedBranches } from '../dial/placed-branches.ts'
import { callData } from '../events/call-data.ts'
import type { AccountProfile } from '../model/account.ts'
import { assertNever } from '../model/assert-never.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Change } from '../ports/store.ts'
import { isE164 } from '../routing/e164.ts'
import type { Call } from './call.ts'
import { customPayloadOf } from './call-fields.ts'
import { OriginateAnswer } from './originate-answer.ts'
import { type AdmittedPlacing, admitPlacing, checkOrder, defaultTimeoutSeconds } from './placing.ts'

const ringTimer = 'placed:ring'

/**
 * A call placed by API. It is admitted (account, number, destination, rate, caps, money) and durable before the INVITE
 * goes out; the answer of the API is given then. A refused one leaves nothing.
 */
export class PlacedCall implements BranchListener<Branch> {
  readonly #call: Call
  readonly #order: OriginateOrder
  readonly #answer: OriginateAnswer
  readonly #hops = arrived()
  /** Under the caps of the account. */
  #slot: Place | undefined

  constructor(call: Call, requestId: string, order: OriginateOrder) {
    this.#call = call
    this.#order = order
    this.#answer = new OriginateAnswer(result => call.emit({ type: 'originate.done', requestId, result }))
  }

  begin(): void {
    const { accountId, from, to } = this.#order
    this.#call.watch(
      () => {
        this.#slot?.release(this.#call.now())
        this.#answer.ended()
      },
      () => this.#answer.databaseFailed(),
    )
    const faulty = checkOrder(this.#order)
    if (faulty !== undefined) {
      this.#refuse(faulty)
      return
    }
    const whom = isE164(to) ? { to } : { to: '', user: to }
    this.#call.lookup({ kind: 'placing', accountId, from, ...whom, withSpendable: true }, found => this.#admit(found))
  }

  #admit(found: Extract<Found, { kind: 'placing' }>): void {
    const placing = admitPlacing(this.#order, found, this.#call.env)
    if (!placing.ok) {
      this.#refuse(placing)
      return
    }
    // Before the caps: what is refused for money uses up none of the calls a second.
    if (placing.rate !== undefined && !isCovered(placing.rate, found.spendable ?? 0)) {
      this.#refuseForMoney()
      return
    }
    const capped = this.#takeSlot(placing.account)
    if (capped === undefined) this.#reach(placing, this.#open(placing))
    else this.#refuse(capped)
  }

  #takeSlot(account: AccountProfile): OriginateRefusal | undefined {
    const { uuid, maxConcurrentCalls, maxCallsPerSecond } = account
    const { places, loads } = this.#call
    const slot = places.take(loads.placed, uuid, this.#call.now(), maxConcurrentCalls, maxCallsPerSecond)
    if (slot === 'LIMIT.0429') return refusedBy(slot, `more than ${maxConcurrentCalls} live calls`)
    if (slot === 'LIMIT.0430') return refusedBy(slot, `more than ${maxCallsPerSecond} new calls per second`)
    this.#slot = slot
    return undefined
  }

  /** Gives the changes that make the call known. */
  #open({ account, direction }: AdmittedPlacing): readonly Change[] {
    const { customPayload, idempotencyKey: key, from, to } = this.#order
    const payload = customPayloadOf(customPayload)
    this.#call.book.open({
      direction,
      fromNumber: from,
      toNumber: to,
      customPayload: payload.object,
      startedUnix: this.#call.unix(),
      account,
      ownNumber: from,
      payloadText: payload.text,
      hops: this.#hops,
    })
    const { record } = this.#call
    const keyed: Change[] =
      key === undefined ? [] : [{ type: 'idempotency.placed', accountUuid: account.uuid, key, call: record }]
    return [{ type: 'call.insert', call: record }, this.#call.event('CALL.0100', callData(record)), ...keyed]
  }

  /** Rings at the place, or at each of several. `prelude` is committed with the first leg. */
  #reach({ places, rate, unreachable }: AdmittedPlacing, prelude: readonly Change[]): void {
    const [routes, ...others] = places
    if (unreachable !== undefined || routes === undefined) {
      this.#fail(prelude, unreachable ?? 'END.0503')
      return
    }
    const call = this.#call
    const from = { user: this.#order.from, displayName: '' }
    const options: BranchOptions = {
      sid: call.sid,
      kind: 'number',
      to: this.#order.to,
      from,
      routes,
      rate,
      hops: this.#hops,
      isDial: false,
    }
    const reached =
      others.length === 0
        ? new Branch(call, options, this, call.alarms)
        : new PlacedBranches(call, options, places, this, call.alarms)
    call.reachBy(reached)
    reached.start(prelude, result => this.#started(result, prelude))
    this.#answer.storing()
  }

  #started(result: 'placed' | 'refused' | 'no-route', prelude: readonly Change[]): void {
    switch (result) {
      case 'placed':
        this.#opened()
        this.#limitRinging()
        return
      case 'refused':
        // Other calls have taken the money meanwhile.
        this.#slot?.giveBack(this.#call.now())
        this.#refuseForMoney()
        return
      case 'no-route':
        this.#fail(prelude, 'END.0503')
        return
      default:
        assertNever(result)
    }
  }

  #limitRinging(): void {
    if (this.#call.isOver) return
    const ringMs = (this.#order.timeoutSeconds ?? defaultTimeoutSeconds) * 1000
    this.#call.timers.set(ringTimer, this.#call.now() + ringMs, () => this.#call.finish('END.0408'))
  }

  /** It is placed, though nothing can be reached: its row says why it ended. */
  #fail(prelude: readonly Change[], reason: EndReason): void {
    this.#call.commit(prelude, () => {
      this.#opened()
      this.#call.finish(reason)
    })
    this.#answer.storing()
  }

  /** Its row is durable. */
  #opened(): void {
    this.#call.opened()
    this.#answer.stored(this.#call.record)
  }

  #refuseForMoney(): void {
    this.#refuse(refusedBy('BILL.0402', 'the balance does not cover the call'))
  }

  #refuse(refusal: OriginateRefusal): void {
    this.#answer.refused(refusal)
    this.#call.finish('END.0403')
  }

  ringing(): void {
    const changes = this.#call.isOver ? [] : this.#call.book.advance('ring', this.#call.unix())
    if (changes.length > 0) this.#call.commit(changes)
  }

  early(): void {
    // Nothing is played before the answer.
  }

  answered(): void {
    this.#call.timers.clear(ringTimer)
    this.#call.commit(this.#call.book.advance('answer', this.#call.unix()))
  }

  ready(branch: Branch): void {
    if (this.#call.isOver || branch.leg === undefined) return
    this.#call.talk.meet(branch.leg, true)
    this.#call.startScript(this.#order.url)
  }

  retrying(): void {
    // It is not played.
  }

  over(branch: Branch): void {
    // Before its row is durable, the API's answer decides.
    if (this.#call.isLive) this.#call.finish(branch.reason)
  }

  released(): void {
    // The call itself waits for its legs.
  }
}
