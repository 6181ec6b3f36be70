import type { RoomEvent } from '../contract/conference-rooms.ts'
import type { StoreEvent } from '../contract/exchange-event.ts'
import { dialDigitsId } from '../dial/dial.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { CallLegs } from '../leg/call-legs.ts'
import { DigitDeduplication } from '../leg/digit-deduplication.ts'
import type { Leg } from '../leg/leg.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Sid } from '../model/ids.ts'
import type { AudioEvent } from '../ports/audio.ts'
import type { DocumentEvent } from '../ports/documents.ts'
import type { MediaEvent } from '../ports/media.ts'
import type { SignalingEvent } from '../ports/signaling.ts'
import type { Conversation } from './conversation.ts'
import type { StoreRequests } from './store-requests.ts'

type LegSignal = Exclude<SignalingEvent, { readonly type: 'leg.offered' }>
export type CallInput = LegSignal | MediaEvent | AudioEvent | DocumentEvent | StoreEvent | RoomEvent

const mediaFaults: Readonly<Record<Extract<MediaEvent, { type: 'media.failed' }>['fault'], EndReason>> = {
  'no-common-codec': 'END.0488',
  'bad-sdp': 'END.0488',
  'no-ports': 'END.2408',
  internal: 'END.2408',
}

/** The remote sends nothing any more, or a browser never did. */
const timeoutReasons = { silent: 'END.0212', ice: 'END.2410', dtls: 'END.2409' } as const

/** What the inputs use of their call. */
interface InputsContext extends CallHost {
  readonly sid: Sid
  readonly isLive: boolean
  readonly legs: CallLegs
  readonly storeRequests: StoreRequests
  readonly talk: Conversation
}

/** Routes each input of a call to the part that it concerns. False: no part waits for it (late, or repeated). */
export class CallInputs {
  readonly #call: InputsContext
  /** Made for the first digit. */
  #digits: DigitDeduplication | undefined

  constructor(call: InputsContext) {
    this.#call = call
  }

  handle(input: CallInput): boolean {
    switch (input.type) {
      case 'store.committed':
      case 'store.commit-failed':
      case 'store.found':
      case 'store.lookup-failed':
        return this.#call.storeRequests.handle(input)
      case 'document.fetched':
      case 'document.failed':
        return this.#document(input)
      case 'audio.ready':
      case 'audio.grown':
      case 'audio.failed':
        if (this.#call.isOver || this.#call.talk.player === undefined) return false
        this.#call.talk.player.audioDone(input)
        return true
      case 'room.entered':
      case 'room.full':
      case 'room.waiting':
      case 'room.started':
      case 'room.ended':
        if (this.#call.isOver || this.#call.talk.dial === undefined) return false
        this.#call.talk.dial.inRoom(input)
        return true
      default: {
        const found = this.#call.legs.find(input.legId)
        if (found === undefined) return false
        return isMedia(input) ? this.#media(found.leg, input) : this.#signal(found.leg, input)
      }
    }
  }

  #document(event: DocumentEvent): boolean {
    const { script } = this.#call.talk
    if (!this.#call.talk.requestDone(event.requestId) || script === undefined) return false
    const { requestId } = event
    const now = this.#call.now()
    if (event.type === 'document.fetched') script.handle({ type: 'fetched', requestId, bytes: event.bytes }, now)
    else script.handle({ type: 'fetch-failed', requestId, fault: event.fault, detail: event.detail }, now)
    return true
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
        this.#digit(leg, event.digit, event.durationMs, true)
        return true
      default:
        this.#call.legs.find(legId)?.owner.signalled(leg, event)
        return true
    }
  }

  #media(leg: Leg, event: MediaEvent): boolean {
    const owner = this.#call.legs.find(leg.uuid)?.owner
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
    if (!wasReady) this.#call.legs.find(leg.uuid)?.owner.ready(leg)
  }

  #adapted(leg: Leg): void {
    const { party } = this.#call.talk
    if (party?.leg === leg) party.adapted()
  }

  #failed(leg: Leg, event: Extract<MediaEvent, { type: 'media.failed' }>): boolean {
    if (!event.reoffer) {
      this.#call.legs.find(leg.uuid)?.owner.failed(leg, mediaFaults[event.fault])
      return true
    }
    if (!leg.isLive) return false
    if (leg.state === 'offered' && !leg.isAgreed) this.#adapted(leg)
    else this.#call.emit({ type: 'leg.refuse-reoffer', legId: leg.uuid })
    return true
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
