import { Allowance } from '../caps/allowance.ts'
import { dialDigitsId } from '../dial/dial.ts'
import type { CallHost } from '../leg/call-host.ts'
import { DigitDeduplication } from '../leg/digit-deduplication.ts'
import type { Leg } from '../leg/leg.ts'
import type { LostLeg } from '../leg/leg-host.ts'
import type { LegOwner } from '../leg/leg-owner.ts'
import type { Release } from '../leg/release.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegUuid, Sid } from '../model/ids.ts'
import type { LegQuality } from '../model/leg-quality.ts'
import { SmallMap } from '../model/small-map.ts'
import type { MediaEvent } from '../ports/media.ts'
import type { SignalingEvent } from '../ports/signaling.ts'
import type { Conversation } from './conversation.ts'

type LegSignal = Exclude<SignalingEvent, { readonly type: 'leg.offered' }>
export type LegInput = LegSignal | MediaEvent

const mediaFaults: Readonly<Record<Extract<MediaEvent, { type: 'media.failed' }>['fault'], EndReason>> = {
  'no-common-codec': 'END.0488',
  'bad-sdp': 'END.0488',
  'no-ports': 'END.2408',
  internal: 'END.2408',
}

/** The remote sends nothing any more, or a browser never did. */
const timeoutReasons = { silent: 'END.0212', ice: 'END.2410', dtls: 'END.2409' } as const

/** Digits of a leg that are taken at once, and after that each second: a key that people press lasts at least 40 ms. */
const [digitsAtOnce, digitsPerSecond] = [64, 25]

/** What the legs use of their call. */
interface LegsContext extends CallHost {
  readonly sid: Sid
  readonly isLive: boolean
  readonly talk: Conversation
}

interface OwnedLeg {
  readonly leg: Leg
  readonly owner: LegOwner
}

/** The legs that a call has and has had, who acts on what each of them does, and what that means for the call. */
export class CallLegs {
  readonly #call: LegsContext
  readonly #legs = new SmallMap<LegUuid, OwnedLeg>()
  /** Made for the first digit. */
  #digits: DigitDeduplication | undefined
  /** Made for the first digit by INFO. */
  #allowances: SmallMap<LegUuid, Allowance> | undefined

  constructor(call: LegsContext) {
    this.#call = call
  }

  get all(): readonly Leg[] {
    return this.#legs.entries.map(({ value }) => value.leg)
  }

  /** Media quality of every leg is known, or nothing ever could be. */
  get areMeasured(): boolean {
    for (const { value } of this.#legs.entries) if (!value.leg.isMeasured) return false
    return true
  }

  /** No part of these legs is left. */
  get areGone(): boolean {
    for (const { value } of this.#legs.entries) if (!value.leg.isGone) return false
    return true
  }

  /** Of the legs that agreed on a codec. */
  get quality(): readonly LegQuality[] {
    const known: LegQuality[] = []
    for (const { value } of this.#legs.entries) {
      const { uuid, role, number, stats } = value.leg
      if (stats?.codec !== undefined) known.push({ legUuid: uuid, role, number, media: stats })
    }
    return known
  }

  /** From now on the leg belongs to the call, and its events are reported to `owner`. */
  adopt(leg: Leg, owner: LegOwner): void {
    this.#legs.set(leg.uuid, { leg, owner })
  }

  /** The signalling has not reported the leg's end in time: it is taken as ended. */
  lost(lost: LostLeg): void {
    if (!lost.step('lost')) return
    const owned = this.#legs.get(lost.uuid)
    owned?.owner.signalled(owned.leg, { type: 'leg.ended', legId: lost.uuid, cause: { kind: 'timeout' } })
  }

  end({ reason, more }: Release): void {
    for (const { value } of this.#legs.entries) value.leg.end(reason, more)
  }

  /** What a leg or its media reports. False: no part of the call waits for it (late, or repeated). */
  handle(input: LegInput): boolean {
    const found = this.#legs.get(input.legId)
    if (found === undefined) return false
    return isMedia(input) ? this.#media(found.leg, input) : this.#signal(found.leg, input)
  }

  #signal(leg: Leg, event: LegSignal): boolean {
    const legId = leg.uuid
    if ('source' in event && event.source !== undefined) leg.cameFrom(event.source)
    if (!leg.step(event.type)) {
      // A new offer must have an answer, whatever the moment.
      if (event.type === 'leg.reoffered' && leg.isLive) this.#call.emit({ type: 'leg.refuse-reoffer', legId })
      return false
    }
    switch (event.type) {
      case 'leg.reoffered':
        // A caller whose first offer has no answer yet: signalling lets none through.
        if (!leg.isOpen || (leg.state === 'offered' && !leg.isAgreed))
          this.#call.emit({ type: 'leg.refuse-reoffer', legId })
        else leg.takeOffer(event.sdp)
        return true
      case 'leg.reconfirmed':
        if (event.sdp !== undefined) leg.takeAnswer(event.sdp)
        return true
      case 'leg.digit':
        if (!this.#takesDigit(legId)) return false
        this.#digit(leg, event.digit, event.durationMs, true)
        return true
      default:
        this.#legs.get(legId)?.owner.signalled(leg, event)
        return true
    }
  }

  #media(leg: Leg, event: MediaEvent): boolean {
    const owner = this.#legs.get(leg.uuid)?.owner
    switch (event.type) {
      case 'media.opened':
        if (!leg.mediaOpened(event.sdp)) return false
        owner?.opened(leg)
        return true
      case 'media.reopened':
        if (!leg.isLive) return false
        if (leg.adapted(event.sdp)) this.#adapted(leg)
        else this.#call.emit({ type: 'leg.reanswer', legId: leg.uuid, sdp: event.sdp })
        return true
      case 'media.ready':
        if (!leg.isOpen) return false
        this.#ready(leg, event)
        return true
      case 'media.failed':
        return this.#failed(leg, event)
      case 'media.played':
        if (this.#call.isOver || leg !== this.#call.talk.party?.leg) return false
        this.#call.talk.player?.mediaPlayed(event)
        return true
      case 'media.recorded':
        this.#call.talk.recorder.mediaRecorded(event.recordId, event)
        return true
      case 'media.digits-sent':
        if (this.#call.isOver) return false
        if (event.digitsId === dialDigitsId) this.#call.talk.dial?.digitsSent()
        else this.#call.talk.player?.digitsSent(event.digitsId)
        return true
      case 'media.key-down':
        this.#digits ??= new DigitDeduplication()
        this.#digits.down(leg.uuid, event.digit, this.#call.now())
        if (leg !== this.#call.talk.party?.leg || !this.#call.isLive) return false
        this.#call.talk.script?.handle({ type: 'key-down' }, this.#call.now())
        return true
      case 'media.digit':
        this.#digit(leg, event.digit, event.durationMs, false)
        return true
      case 'media.timeout':
        this.#call.finish(timeoutReasons[event.fault ?? 'silent'])
        return true
      case 'media.quiet':
        if (leg.isLive) this.#call.emit({ type: 'leg.probe', legId: leg.uuid })
        return true
      case 'media.closed':
        leg.mediaClosed(event.stats)
        this.#call.talk.sessionClosed(leg.uuid)
        return true
    }
  }

  #ready(leg: Leg, event: Extract<MediaEvent, { type: 'media.ready' }>): void {
    const wasReady = leg.isReady
    leg.codec = event.codec
    leg.isReady = true
    // A caller's own offer was answered when the session was opened; a re-negotiation changes nothing for the call.
    if (!wasReady) this.#legs.get(leg.uuid)?.owner.ready(leg)
  }

  #adapted(leg: Leg): void {
    const { party } = this.#call.talk
    if (party?.leg === leg) party.adapted()
  }

  #failed(leg: Leg, event: Extract<MediaEvent, { type: 'media.failed' }>): boolean {
    if (!event.reoffer) {
      leg.warning = event.warning
      this.#legs.get(leg.uuid)?.owner.failed(leg, mediaFaults[event.fault])
      return true
    }
    if (!leg.isLive) return false
    if (leg.state === 'offered' && !leg.isAgreed) this.#adapted(leg)
    else {
      const warning = event.warning === undefined ? {} : { warning: event.warning }
      this.#call.emit({ type: 'leg.refuse-reoffer', legId: leg.uuid, ...warning })
    }
    return true
  }

  /** By INFO a remote can send as many as its network carries; in media the receiver of digits counts them. */
  #takesDigit(legId: LegUuid): boolean {
    this.#allowances ??= new SmallMap()
    const allowance = this.#allowances.get(legId) ?? new Allowance(digitsAtOnce, digitsPerSecond)
    this.#allowances.set(legId, allowance)
    return allowance.take(this.#call.now())
  }

  #digit(leg: Leg, digit: string, durationMs: number, isByInfo: boolean): void {
    const call = this.#call
    if (!call.isLive) return
    this.#digits ??= new DigitDeduplication()
    if (!this.#digits.isNew(leg.uuid, digit, isByInfo ? 'info' : 'media', call.now())) return
    const isParty = leg === call.talk.party?.leg
    const from = isParty ? 'caller' : 'callee'
    call.commit([call.event('DTMF.0100', { sid: call.sid, digit, duration_ms: durationMs, leg: from })])
    if (isByInfo) this.#passOn(leg, isParty, digit)
    if (!isParty) return
    call.talk.dial?.partyDigit(digit)
    if (!call.isOver) call.talk.script?.handle({ type: 'digit', digit }, call.now())
  }

  /** Digits in RTP cross the bridge by themselves; those by INFO have to be put there. */
  #passOn(leg: Leg, isParty: boolean, digit: string): void {
    const { dial, party } = this.#call.talk
    const bridged = dial?.bridgedLeg
    if (bridged === undefined || party === undefined || (!isParty && leg !== bridged)) return
    const other = isParty ? bridged : party.leg
    this.#call.emit({ type: 'media.send-digits', legId: other.uuid, digitsId: 'passed-on', digits: digit })
  }
}

const isMedia = (input: LegSignal | MediaEvent): input is MediaEvent => input.type.startsWith('media.')
