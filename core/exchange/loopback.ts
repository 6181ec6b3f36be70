import { TextMap } from '../../sip/base/text-map.ts'
import type { CircleFound, LoopDial } from '../contract/exchange-command.ts'
import type { LoopOffered } from '../contract/exchange-event.ts'
import { inCircle } from '../contract/hops.ts'
import { endReasons } from '../model/end-reason.ts'
import type { LegUuid } from '../model/ids.ts'
import type { SignalingCommand, SignalingEvent } from '../ports/signaling.ts'

/**
 * - `calling`: the called side has not answered
 * - `up`
 */
interface Pair {
  readonly caller: LegUuid
  readonly called: LegUuid
  /** Of the caller's call, without its SDP. */
  readonly dial: Pick<LoopDial, 'callId' | 'to' | 'hops'>
  state: 'calling' | 'up'
}

export type LoopEvent = SignalingEvent | LoopOffered

/**
 * Signalling between two legs of this switch: what one side does comes to the other as if SIP had carried it. Their
 * media meet through sessions of their own, whose SDP goes from one to the other here.
 */
export class Loopback {
  readonly #pairs = new TextMap<LegUuid, Pair>()
  readonly #newLegId: () => LegUuid

  constructor(newLegId: () => LegUuid) {
    this.#newLegId = newLegId
  }

  get size(): number {
    return this.#pairs.size / 2
  }

  has(legId: LegUuid): boolean {
    return this.#pairs.has(legId)
  }

  dial(command: LoopDial): readonly LoopEvent[] {
    const { callId, from, to, sdp, hops } = command
    const pair: Pair = { caller: command.legId, called: this.#newLegId(), dial: { callId, to, hops }, state: 'calling' }
    this.#pairs.set(pair.caller, pair)
    this.#pairs.set(pair.called, pair)
    return [{ type: 'loop.offered', legId: pair.called, from, to, sdp, hops }]
  }

  /** What the trace of the caller's call reads as its called side ends. */
  circleOf(legId: LegUuid): CircleFound | undefined {
    const { called, dial } = this.#pairs.get(legId) ?? {}
    if (dial === undefined || legId !== called || !inCircle(dial.hops, dial.to)) return undefined
    return { type: 'circle.found', callId: dial.callId, number: dial.to }
  }

  execute(command: SignalingCommand): readonly LoopEvent[] {
    const pair = this.#pairs.get(command.legId)
    if (pair === undefined) return []
    switch (command.type) {
      case 'leg.ring':
        return pair.state === 'calling' ? [{ type: 'leg.ringing', legId: pair.caller }] : []
      case 'leg.progress':
        if (pair.state !== 'calling') return []
        return [{ type: 'leg.early', legId: pair.caller, sdp: command.sdp, ringing: false }]
      case 'leg.answer':
        if (pair.state !== 'calling') return []
        pair.state = 'up'
        return [
          { type: 'leg.answered', legId: pair.caller, sdp: command.sdp },
          { type: 'leg.confirmed', legId: pair.called },
        ]
      case 'leg.end':
        return this.#end(pair, command)
      // Neither side makes a new offer, and a dialled leg is dialled by `loop.dial`.
      case 'leg.dial':
      case 'leg.reanswer':
      case 'leg.refuse-reoffer':
      case 'leg.probe':
        return []
    }
  }

  #end(pair: Pair, command: Extract<SignalingCommand, { type: 'leg.end' }>): readonly LoopEvent[] {
    this.#pairs.delete(pair.caller)
    this.#pairs.delete(pair.called)
    const both = (caller: LoopEvent, called: LoopEvent) =>
      command.legId === pair.caller ? [caller, called] : [called, caller]
    if (pair.state === 'up') {
      return both(
        { type: 'leg.ended', legId: pair.caller, cause: { kind: 'bye' } },
        { type: 'leg.ended', legId: pair.called, cause: { kind: 'bye' } },
      )
    }
    if (command.legId === pair.caller) {
      return [
        { type: 'leg.ended', legId: pair.caller, cause: { kind: 'response', status: 487 } },
        { type: 'leg.ended', legId: pair.called, cause: { kind: 'cancel' } },
      ]
    }
    const { sip, q850 } = endReasons[command.reason]
    const status = command.status ?? sip
    const cause = { kind: 'response', status, ...(command.withoutQ850 === true ? {} : { q850 }) } as const
    return [
      { type: 'leg.ended', legId: pair.called, cause },
      { type: 'leg.ended', legId: pair.caller, cause },
    ]
  }
}
