import { isCovered } from '../billing/charge.ts'
import { arrived } from '../contract/hops.ts'
import { type OriginateOrder, type OriginateRefusal, refusedBy } from '../contract/originate-order.ts'
import type { Branch } from '../dial/branch.ts'
import type { BranchListener } from '../dial/branch-options.ts'
import { PlacedBranches } from '../dial/placed-branches.ts'
import { callData } from '../events/call-data.ts'
import { assertNever } from '../model/assert-never.ts'
import type { Change } from '../ports/store.ts'
import { isE164 } from '../routing/e164.ts'
import type { Call } from './call.ts'
import { customPayloadOf } from './call-fields.ts'
import { OriginateAnswer } from './originate-answer.ts'
import { admitPlacing, checkOrder, defaultTimeoutSeconds } from './placing.ts'

const ringTimer = 'placed:ring'

/**
 * A call placed by API. It is admitted (account, number, destination, rate, caps, money) and durable before the INVITE
 * goes out; the answer of the API is given then. A refused one leaves nothing.
 */
export function beginPlaced(call: Call, requestId: string, order: OriginateOrder): void {
  const answer = new OriginateAnswer(result => call.emit({ type: 'originate.done', requestId, result }))
  const refuse = (refusal: OriginateRefusal) => {
    answer.refused(refusal)
    call.finish('END.0403')
  }
  call.watch(
    () => answer.ended(),
    () => answer.databaseFailed(),
  )
  const faulty = checkOrder(order)
  if (faulty !== undefined) {
    refuse(faulty)
    return
  }
  const whom = isE164(order.to) ? { to: order.to } : { to: '', user: order.to }
  call.lookup({ kind: 'placing', accountId: order.accountId, from: order.from, ...whom }, found => {
    const placing = admitPlacing(order, found, call.env)
    if (!placing.ok) {
      refuse(placing)
      return
    }
    const { account, direction, unreachable, places, rate } = placing
    const cannotPay = () => refuse(refusedBy('BILL.0402', 'the balance does not cover the call'))
    // Before the caps: what is refused for money uses up none of the calls a second.
    if (rate !== undefined && !isCovered(rate, found.spendable)) {
      cannotPay()
      return
    }
    const { maxConcurrentCalls, maxCallsPerSecond } = account
    const capped = call.places.take(call.loads.placed, account.uuid, call.now(), maxConcurrentCalls, maxCallsPerSecond)
    if (typeof capped === 'string') {
      const what =
        capped === 'LIMIT.0429'
          ? `more than ${account.maxConcurrentCalls} live calls`
          : `more than ${account.maxCallsPerSecond} new calls per second`
      refuse(refusedBy(capped, what))
      return
    }
    call.watch(
      () => {
        capped.release(call.now())
        answer.ended()
      },
      () => answer.databaseFailed(),
    )
    const hops = arrived()
    const payload = customPayloadOf(order.customPayload)
    call.book.open({
      direction,
      fromNumber: order.from,
      toNumber: order.to,
      customPayload: payload.object,
      startedUnix: call.unix(),
      account,
      ownNumber: order.from,
      payloadText: payload.text,
      hops,
    })
    const { record } = call
    const { idempotencyKey: key } = order
    const prelude: readonly Change[] = [
      { type: 'call.insert', call: record },
      call.event('CALL.0100', callData(record)),
      ...(key === undefined
        ? []
        : [{ type: 'idempotency.placed', accountUuid: account.uuid, key, call: record } as const]),
    ]
    const placed = () => {
      call.opened()
      answer.stored(record)
    }
    const failAtOnce = (reason: Parameters<Call['finish']>[0]) => {
      call.commit(prelude, () => {
        placed()
        call.finish(reason)
      })
      answer.storing()
    }
    if (unreachable !== undefined) {
      failAtOnce(unreachable)
      return
    }
    const from = { user: order.from, displayName: '' }
    const options = { sid: call.sid, kind: 'number', to: order.to, from, rate, hops, isDial: false } as const
    const branch = new PlacedBranches(call, options, places, new PlacedLeg(call, order.url), call.alarms)
    call.reachBy(branch)
    const ringMs = (order.timeoutSeconds ?? defaultTimeoutSeconds) * 1000
    branch.start(prelude, result => {
      switch (result) {
        case 'placed':
          placed()
          if (!call.isOver) call.timers.set(ringTimer, call.now() + ringMs, () => call.finish('END.0408'))
          return
        case 'refused':
          // Other calls have taken the money meanwhile.
          capped.giveBack(call.now())
          cannotPay()
          return
        case 'no-route':
          failAtOnce('END.0503')
          return
        default:
          assertNever(result)
      }
    })
    answer.storing()
  })
}

/** What the one branch of a placed call means for the call. */
class PlacedLeg implements BranchListener<Branch> {
  readonly #call: Call
  readonly #url: string

  constructor(call: Call, url: string) {
    this.#call = call
    this.#url = url
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
    this.#call.startScript(this.#url)
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
