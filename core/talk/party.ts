import type { CallHost } from '../leg/call-host.ts'
import type { Leg } from '../leg/leg.ts'
import type { LegOwner, OwnedSignal } from '../leg/leg-owner.ts'
import { reasonOf } from '../leg/reason-of.ts'
import { assertNever } from '../model/assert-never.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { CodecName } from '../model/trunk.ts'

export interface PartyListener {
  /** 200 goes out next: talk runs. */
  answering(): void
  /** The caller has our answer: what is played now reaches the caller. */
  answered(): void
  /** Something that a bridge waits for has come. */
  changed(): void
  /** Its media cannot be used. */
  failed(reason: EndReason): void
  ended(reason: EndReason): void
}

/** The party that the document serves: an inbound caller, or the answered leg of a call placed by API. */
export class Party implements LegOwner {
  readonly leg: Leg
  readonly #host: CallHost
  readonly #listener: PartyListener
  #wants: 'nothing' | 'early-media' | 'answer' = 'nothing'
  #hasProgressed = false
  #prefer: CodecName | undefined
  #isAdapting = false

  constructor(host: CallHost, leg: Leg, listener: PartyListener) {
    this.#host = host
    this.leg = leg
    this.#listener = listener
  }

  /** A 200 has gone out, or has come. */
  get isAnswered(): boolean {
    return this.leg.state === 'answering' || this.leg.state === 'up'
  }

  /** Not answered, but with early media (183). */
  get hasEarlyMedia(): boolean {
    return this.#hasProgressed
  }

  /** It receives what is played or bridged to it. */
  get isListening(): boolean {
    return this.leg.isReady && (this.isAnswered || this.#hasProgressed)
  }

  /** A delayed offer leaves nothing to answer early: a 183 with an offer would need a PRACK (RFC 3262 §5). */
  get canHearEarly(): boolean {
    return this.leg.state === 'offered' && this.leg.offer !== undefined
  }

  /** Reads the caller's offer before any phone rings: a call without usable media is refused while it costs nothing. */
  prepare(): void {
    if (this.leg.state === 'offered' && this.leg.offer !== undefined) this.leg.openMedia()
  }

  /** `prefer`: the codec of the leg that it will be bridged to. */
  answer(prefer?: CodecName): void {
    if (this.leg.state !== 'offered') return
    this.#wants = 'answer'
    this.#prefer = prefer
    this.#advance()
  }

  progress(prefer?: CodecName): void {
    if (!this.canHearEarly || this.#wants !== 'nothing') return
    this.#wants = 'early-media'
    this.#prefer = prefer
    this.#advance()
  }

  opened(leg: Leg): void {
    if (leg.offer !== undefined) leg.isReady = true
    this.#advance()
  }

  ready(leg: Leg): void {
    if (leg.state === 'up' && leg.offer === undefined) this.#listener.answered()
    this.#listener.changed()
  }

  /** Its answer for another codec is ready, or impossible: it is sent as it is. */
  adapted(): void {
    this.#isAdapting = false
    this.#advance()
  }

  failed(_leg: Leg, reason: EndReason): void {
    this.#listener.failed(reason)
  }

  signalled(leg: Leg, event: OwnedSignal): void {
    switch (event.type) {
      case 'leg.confirmed':
        if (leg.offer !== undefined) this.#listener.answered()
        else if (event.sdp === undefined) this.#host.finish('END.0488')
        else leg.takeAnswer(event.sdp)
        this.#listener.changed()
        return
      case 'leg.ended':
        this.#listener.ended(reasonOf(event.cause))
        return
      case 'leg.ringing':
      case 'leg.early':
      case 'leg.answered':
        return
      default:
        assertNever(event)
    }
  }

  #advance(): void {
    if (this.#wants === 'nothing') return
    if (!this.leg.isOpen) {
      this.leg.openMedia()
      return
    }
    if (this.#adapts()) return
    if (this.#wants === 'answer') {
      this.leg.answer(() => this.#listener.answering())
    } else if (!this.#hasProgressed) {
      this.#hasProgressed = true
      this.leg.progress()
    }
    this.#listener.changed()
  }

  /** Whether its answer is being made for another codec than the offer's first. */
  #adapts(): boolean {
    if (this.#isAdapting) return true
    const codec = this.#prefer
    this.#prefer = undefined
    this.#isAdapting = codec !== undefined && this.leg.adapt(codec)
    return this.#isAdapting
  }
}
