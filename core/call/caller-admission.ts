import { callData } from '../events/call-data.ts'
import { BilledLeg } from '../leg/billed-leg.ts'
import type { Leg } from '../leg/leg.ts'
import type { AccountProfile, OwnedNumber, WebhookPurpose } from '../model/account.ts'
import { assertNever } from '../model/assert-never.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Rate } from '../model/rate.ts'
import type { Change, CommitResult } from '../ports/store.ts'
import type { Call } from './call.ts'
import type { CallOpening } from './call-book.ts'
import { type CallerAction, type CallerInput, type CallerState, callerTable } from './caller-states.ts'

/** A caller who may come in. */
interface Admitted {
  /** Undefined: the leg costs nothing. */
  readonly rate: Rate | undefined
  /** URL of the document. */
  readonly url: string
  /** Gives back the places that the call has taken; it is called when the call ends. */
  readonly release: () => void
}

/**
 * A caller, of a trunk or of a phone, until it rings: nothing rings before its rows are durable. Who it is, and whether
 * it may come in, is for those who look it up.
 */
export class CallerAdmission {
  readonly #call: Call
  readonly #leg: Leg
  #state: CallerState = 'looking-up'
  /** What begins the call: its row, its leg's and their event. */
  #begun: readonly Change[] = []
  #opening: CallOpening | undefined
  #admitted: Admitted | undefined
  /** Why it is refused. */
  #reason: EndReason = 'END.0402'

  constructor(call: Call, leg: Leg) {
    this.#call = call
    this.#leg = leg
    call.watch(
      () => {
        this.#admitted?.release()
        this.#step('ended')
      },
      () => {},
    )
  }

  /** There is no account to keep a row of it. */
  unknown(reason: EndReason): void {
    this.#reason = reason
    this.#step('unknown')
  }

  refuse(opening: CallOpening, reason: EndReason): void {
    this.#begin(opening)
    this.#reason = reason
    this.#step('refuse')
  }

  admit(opening: CallOpening, admitted: Admitted): void {
    this.#begin(opening)
    this.#admitted = admitted
    this.#step('admit')
  }

  #begin(opening: CallOpening): void {
    const call = this.#call
    this.#opening = opening
    call.book.open(opening)
    call.own(new BilledLeg(call, this.#leg, undefined, call.alarms))
    this.#begun = [
      { type: 'call.insert', call: call.record },
      { type: 'leg.insert', leg: this.#leg.record() },
      call.event('CALL.0100', callData(call.record)),
    ]
  }

  #step(input: CallerInput): void {
    const cell = callerTable[this.#state][input]
    if (cell === undefined) return
    this.#state = cell[0]
    for (let at = 1; at < cell.length; at++) this.#act(cell[at] as CallerAction)
  }

  #act(action: CallerAction): void {
    const call = this.#call
    switch (action) {
      case 'store':
        call.commit(this.#begun, result => this.#stored(result))
        return
      case 'store-ringing': {
        const billed = new BilledLeg(call, this.#leg, this.#admitted?.rate, call.alarms)
        call.own(billed)
        const unit = this.#begun.concat(billed.holding(), call.book.advance('ring', call.unix()))
        call.commit(unit, result => this.#stored(result))
        return
      }
      case 'drop-hold':
        call.own(new BilledLeg(call, this.#leg, undefined, call.alarms))
        if (this.#opening !== undefined) call.book.open(this.#opening)
        return
      case 'open':
        call.opened()
        return
      case 'ring':
        this.#leg.ring()
        return
      case 'try-document':
        if (this.#admitted !== undefined && call.env.isHosted(this.#admitted.url)) call.tryScript(this.#admitted.url)
        return
      case 'drop-document':
        call.dropScript()
        return
      case 'start-document':
        if (this.#admitted !== undefined) call.startScript(this.#admitted.url)
        return
      case 'finish':
        call.finish(this.#reason)
        return
      default:
        assertNever(action)
    }
  }

  #stored(result: CommitResult): void {
    // A call that was broken off by a fault has not reported its end.
    if (this.#call.isOver) this.#step('ended')
    this.#step(result.ok ? 'stored' : 'cannot-pay')
  }
}

/** URL resolution of one purpose: the number's override, then the account's default; empty: there is none. */
export const webhookUrl = (purpose: WebhookPurpose, account: AccountProfile, number: OwnedNumber): string =>
  number.webhookUrls[purpose] || account.endpoints[purpose]
