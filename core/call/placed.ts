import { isCovered } from '../billing/charge.ts'
import { callData } from '../events/call-data.ts'
import type { CallDirection, CallRecord } from '../model/call-record.ts'
import type { Change } from '../ports/store.ts'
import { isE164 } from '../routing/e164.ts'
import { admitPlacing, checkOrder, defaultTimeoutSeconds, refusal } from './admit.ts'
import type { Branch } from './branch.ts'
import type { BranchListener } from './branch-options.ts'
import type { Call } from './call.ts'
import { customPayloadOf } from './call-fields.ts'
import { begunRow } from './call-row.ts'
import type { Caps } from './caps.ts'
import { Fork } from './fork.ts'
import { noHops } from './hops.ts'
import type { OriginateOrder, OriginateResult } from './originate-order.ts'

const ringTimer = 'placed:ring'

/**
 * A call placed by API. It is admitted (account, number, destination, rate, caps, money) and durable before the INVITE
 * goes out; the answer of the API is given then. A refused one leaves nothing.
 */
export function beginPlaced(
  call: Call,
  order: OriginateOrder,
  caps: Caps,
  reply: (result: OriginateResult) => void,
): void {
  let isReplied = false
  let hasPlace = false
  const replyOnce = (result: OriginateResult) => {
    if (isReplied) return
    isReplied = true
    reply(result)
  }
  const refuse = (result: OriginateResult) => {
    replyOnce(result)
    call.finish('END.0403')
  }
  call.watch(
    () => {
      if (hasPlace) caps.release(order.accountId, call.now())
      // Ended before it was placed; while its rows are on their way, their fate is the answer.
      if (call.journal.pendingCommits === 0) replyOnce(refusal(503, 'END.5503', 'the switch is draining'))
    },
    () => replyOnce(refusal(500, 'END.5500', 'the database failed')),
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
    const { account, direction, unreachable, forks, rate } = placing
    const capped = caps.take(account.uuid, account.maxConcurrentCalls, account.maxCallsPerSecond, call.now())
    if (capped !== undefined) {
      const what =
        capped === 'LIMIT.0429'
          ? `more than ${account.maxConcurrentCalls} live calls`
          : `more than ${account.maxCallsPerSecond} new calls per second`
      refuse(refusal(429, capped, what))
      return
    }
    hasPlace = true
    const payload = customPayloadOf(order.customPayload)
    const record = rowOf(call, order, direction, payload.object)
    call.book.open({ record, account, ownNumber: order.from, payloadText: payload.text, hops: noHops })
    const prelude: readonly Change[] = [
      { type: 'call.insert', call: record },
      call.event('CALL.0100', callData(record)),
      ...(order.alongWith?.(record) ?? []),
    ]
    const placed = () => {
      call.opened()
      replyOnce({ ok: true, call: record })
    }
    const failAtOnce = (reason: Parameters<Call['finish']>[0]) =>
      call.commit(prelude, () => {
        placed()
        call.finish(reason)
      })
    if (unreachable !== undefined) {
      failAtOnce(unreachable)
      return
    }
    const from = { user: order.from, displayName: '' }
    const options = { sid: call.sid, kind: 'number', to: order.to, from, rate, hops: noHops, isDial: false } as const
    const branch = new Fork(call, options, forks, new PlacedLeg(call, order.url), call.alarms)
    call.reachBy(branch)
    const ringMs = (order.timeoutSeconds ?? defaultTimeoutSeconds) * 1000
    const cannotPay = () => refuse(refusal(402, 'BILL.0402', 'the balance does not cover the call'))
    branch.start(prelude, result => {
      switch (result) {
        case 'placed':
          placed()
          if (!call.isOver) call.timers.set(ringTimer, call.now() + ringMs, () => call.finish('END.0408'))
          return
        case 'refused':
          cannotPay()
          return
        case 'no-route':
          // Nothing is held for it; but who could not pay for it is told that first, route or not.
          if (rate !== undefined && !isCovered(rate, found.spendable)) cannotPay()
          else failAtOnce('END.0503')
      }
    })
  })
}

/** What the one branch of a placed call means for the call. */
class PlacedLeg implements BranchListener {
  readonly #call: Call
  readonly #url: string

  constructor(call: Call, url: string) {
    this.#call = call
    this.#url = url
  }

  ringing(): void {
    const changes = this.#call.isOver ? [] : this.#call.book.advance('ring')
    if (changes.length > 0) this.#call.commit(changes)
  }

  early(): void {
    // Nobody listens before the answer.
  }

  answered(): void {
    this.#call.timers.clear(ringTimer)
    this.#call.commit(this.#call.book.advance('answer'))
  }

  ready(branch: Branch): void {
    if (this.#call.isOver || branch.leg === undefined) return
    this.#call.talk.meet(branch.leg, true)
    this.#call.startScript(this.#url)
  }

  retrying(): void {
    // Nobody hears it.
  }

  over(branch: Branch): void {
    // Before its row is durable, whoever places it decides.
    if (this.#call.isLive) this.#call.finish(branch.reason)
  }

  released(): void {
    // The call itself waits for its legs.
  }
}

const rowOf = (
  call: Call,
  order: OriginateOrder,
  direction: CallDirection,
  customPayload: CallRecord['customPayload'],
): CallRecord =>
  begunRow(
    {
      uuid: call.callId,
      sid: call.sid,
      accountUuid: order.accountId,
      direction,
      fromNumber: order.from,
      toNumber: order.to,
      customPayload,
    },
    call.unix(),
  )
