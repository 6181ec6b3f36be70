import { type AudioCodecName, codecFacts, isRelayable, rateBetween } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { Press } from '../dtmf/digit-receiver.ts'
import { ToneMute } from '../dtmf/tone-mute.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import type { Recordings } from '../record/recordings.ts'
import type { BridgedFrames } from '../send/bridge-source.ts'
import { KeyEvents } from './digit-events.ts'
import { Hearing } from './inband-digit-listener.ts'
import type { Meaning, PayloadMeanings } from './payload-types.ts'
import { HeardSource } from './received-source.ts'

/** After a key is up its tone may still be on its way, or in a jitter buffer. */
const toneTrailMs = 400

export interface ReceiverHost {
  readonly opus: OpusCoders
  /** A far end that was to send is missed after so long. */
  readonly timeoutMs: number
  emit(event: EngineEvent): void
}

/** The leg that hears this one. */
export interface OtherLeg {
  readonly sender: { readonly bridged: BridgedFrames }
  readonly recordings: Recordings
}

/**
 * What a leg's far end says, once it is believed: counted, recorded, and passed on to the other leg, or listened to
 * where that has to be encoded anew. Its keys are told, whether they come as telephone-events or as tones.
 */
export class Receiver {
  readonly source: HeardSource
  readonly hearing: Hearing
  readonly keys: KeyEvents
  readonly #id: SessionId
  readonly #host: ReceiverHost
  readonly #meanings: PayloadMeanings
  readonly #recordings: Recordings
  #agreement: Agreement | undefined
  #other: OtherLeg | undefined
  /** Where digits come as tones, or have come as telephone-events with their tones beside them. */
  #toneMute: ToneMute | undefined
  #areDigitsTones = false
  /** Telephone-events tell of a key until then. */
  #keyedUntil = Number.NEGATIVE_INFINITY
  #heardAt: number
  /** RTP or RTCP. */
  #aliveAt: number
  #received = 0

  constructor(id: SessionId, host: ReceiverHost, meanings: PayloadMeanings, recordings: Recordings, now: number) {
    this.#id = id
    this.#host = host
    this.#meanings = meanings
    this.#recordings = recordings
    this.#heardAt = now
    this.#aliveAt = now
    this.hearing = new Hearing(meanings.codecs, host.opus, {
      toneBegan: digit => this.#host.emit({ type: 'key-down', session: this.#id, digit }),
      toneEnded: (press, began) => this.#tellTone(press, began),
    })
    this.source = new HeardSource(gone => this.keys.leave(gone, this.#heardAt))
    this.keys = new KeyEvents({
      keyDown: (digit, at) => this.#keyDown(digit, at),
      keyUp: (press, began, at) => this.#keyUp(press, began, at),
    })
  }

  /** Packets, of all sources. */
  get received(): number {
    return this.#received
  }

  /** Once its payload types have their new meanings. */
  agree(agreement: Agreement, now: number): void {
    this.#agreement = agreement
    const areDigitsTones = agreement.receive && !this.#meanings.hasEvents
    this.hearing.agree(areDigitsTones, codecFacts[agreement.codec].clockRate)
    this.#areDigitsTones = areDigitsTones
    this.#heardAt = now
    this.#aliveAt = now
  }

  /** Who is to hear it from now on; undefined = nobody. */
  passTo(other: OtherLeg | undefined): void {
    this.#other = other
    this.hearing.release()
  }

  /** A packet that was let in; it may be altered. */
  receive(packet: Uint8Array, length: number, meaning: Meaning, now: number): void {
    this.#received++
    this.#heardAt = now
    this.#aliveAt = now
    const payloadLength = payloadLengthOf(packet, length)
    if (meaning === 'events' || meaning === 'noise') {
      const isBeside = meaning === 'events' && this.source.isOther(ssrcOf(packet))
      if (!isBeside) this.source.of(ssrcOf(packet), this.#clockRate).receiveUntimed(sequenceOf(packet))
      if (meaning === 'events') this.#receiveEvent(packet, payloadLength, isBeside, now)
      else this.#receiveNoise(packet, length, payloadLength, now)
      return
    }
    const reception = this.source.of(ssrcOf(packet), codecFacts[meaning].clockRate)
    reception.receive(sequenceOf(packet), timestampOf(packet), now)
    if (payloadLength === 0 || this.#agreement?.receive !== true) return
    this.#recordings.heard(packet, length, now)
    this.#other?.recordings.heardFar(this.#recordings, packet, length, now)
    const onward = this.#other?.sender.bridged
    const wanted = onward?.codec
    const isTooLong = onward?.isTooLong(meaning, packet[payloadOffsetOf(packet)]!) === true
    const mustEncode = wanted !== undefined && (isTooLong || !isRelayable(meaning, wanted))
    const watch = onward?.takesEvents === true ? this.hearing : undefined
    if (mustEncode) onward?.listen(this.hearing.earFor(rateBetween(meaning, wanted)), watch)
    this.hearing.push(packet, length, now)
    if (mustEncode || onward === undefined) return
    const mayHoldTones = watch !== undefined && (this.#areDigitsTones || now < this.#keyedUntil)
    const left = mayHoldTones ? this.#muteIn(packet, payloadLength, meaning, now) : payloadLength
    onward.audio(packet, left, meaning, now)
  }

  /** RTCP of the remote. */
  noteReport(now: number): void {
    this.#aliveAt = now
  }

  /**
   * Tells a remote that has sent nothing for long, though it was to: again after the same time. On hold no RTP is
   * expected, whichever side may send: only that nothing at all comes is told, for signalling to ask whether it is there.
   */
  tellMissed(isTalking: boolean, now: number): void {
    if (this.#agreement?.onHold === true) {
      if (!isTalking || now - this.#aliveAt < this.#host.timeoutMs) return
      this.#aliveAt = now
      this.#host.emit({ type: 'timeout', session: this.#id, onHold: true })
      return
    }
    // A far end that merely rings need not send: it is missed once we talk to each other.
    const isAwaited = this.#agreement?.receive === true && isTalking
    if (!isAwaited && this.#received === 0) this.#heardAt = now
    if (isAwaited && now - this.#heardAt >= this.#host.timeoutMs) {
      this.#heardAt = now
      this.#host.emit({ type: 'timeout', session: this.#id })
    }
  }

  /** Nothing more comes. */
  free(): void {
    this.hearing.free()
    this.#toneMute?.free()
  }

  /** Returns the bytes of payload that are left. */
  #muteIn(packet: Uint8Array, payloadLength: number, codec: AudioCodecName, now: number): number {
    this.#toneMute ??= new ToneMute(this.#host.opus)
    return this.#toneMute.muteIn(packet, payloadOffsetOf(packet), payloadLength, codec, now)
  }

  /**
   * A key is told by telephone-events until then: of its tone, if it sounds beside them, nobody else is to hear. Of a
   * sender whose events have a source of their own the audio goes on.
   */
  #keyed(until: number, now: number): void {
    if (this.source.isOther(this.keys.ssrc)) return
    if (now >= this.#keyedUntil && this.#other?.sender.bridged.takesEvents === true) {
      this.#toneMute ??= new ToneMute(this.#host.opus)
      this.#toneMute.begin(now)
    }
    this.#keyedUntil = until
    this.hearing.keyed(until)
  }

  /** What timestamps are taken to count, when a packet does not say. */
  get #clockRate(): number {
    return this.source.present?.clockRate ?? codecFacts[this.#agreement?.codec ?? 'PCMU'].clockRate
  }

  /** `isBeside`: it belongs to another source than the audio, whose numbers and times have nothing to do with its own. */
  #receiveEvent(packet: Uint8Array, payloadLength: number, isBeside: boolean, now: number): void {
    const clock = this.#meanings.eventClockOf(payloadTypeOf(packet))
    if (!isBeside) {
      this.#note(packet, now)
      this.hearing.note(packet, now)
    }
    this.keys.receive(packet, payloadLength, clock, now)
    this.#other?.sender.bridged.event(packet, payloadLength, clock, now)
  }

  #receiveNoise(packet: Uint8Array, length: number, payloadLength: number, now: number): void {
    if (this.#agreement?.receive !== true) return
    this.#note(packet, now)
    this.hearing.rest(packet, length, now)
    this.#other?.sender.bridged.rest(packet, payloadLength, now)
  }

  #note(packet: Uint8Array, now: number): void {
    this.#recordings.note(packet, now)
    this.#other?.recordings.noteFar(this.#recordings, packet, now)
  }

  /** A digit that came as a tone. */
  #tellTone(press: Press, began: number): void {
    this.#tellDigit(press, began, false, this.#heardAt)
    this.#other?.sender.bridged.toneEnded(press.digit)
  }

  #keyDown(digit: string, now: number): void {
    this.#keyed(Number.POSITIVE_INFINITY, now)
    this.#host.emit({ type: 'key-down', session: this.#id, digit })
    this.#other?.sender.bridged.keyDown(digit)
  }

  #keyUp(press: Press, began: number, now: number): void {
    this.#keyed(now + toneTrailMs, now)
    this.#tellDigit(press, began, this.source.isOther(this.keys.ssrc), now)
    this.#other?.sender.bridged.keyUp(press.digit, press.durationMs)
  }

  #tellDigit({ digit, durationMs }: Press, began: number, isBeside: boolean, now: number): void {
    if (!isBeside) this.#recordings.key(began, now)
    this.#host.emit({ type: 'digit', session: this.#id, digit, durationMs })
  }
}
