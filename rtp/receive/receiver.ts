import { type AudioCodecName, codecFacts, isRelayable, rateBetween } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { ReceivedDigit } from '../dtmf/digit-receiver.ts'
import { ToneMute } from '../dtmf/tone-mute.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import type { Recordings } from '../record/recordings.ts'
import type { BridgeSource } from '../send/bridge-source.ts'
import { DigitEvents, type DigitListener } from './digit-events.ts'
import { InbandDigitListener, type ToneDigits } from './inband-digit-listener.ts'
import type { PayloadKind, PayloadTypes } from './payload-types.ts'
import { ReceivedSource } from './received-source.ts'

/** After a digit is up its tone may still be on its way, or in a jitter buffer. */
const toneTrailMs = 400

interface ReceiverHost {
  readonly opus: OpusCoders
  /** Time after which a remote that should send is reported as missing. */
  readonly timeoutMs: number
  emit(event: EngineEvent): void
}

/** The level of one packet in eight is measured: speech is the same before and after it. */
const measuredMask = 7

/** Sees what comes in: telephone-events, some packets of audio, and all others while `tapesAll` is set. */
interface IncomingTape {
  received(packet: Uint8Array, length: number, now: number): void
  receivedEvent(packet: Uint8Array, length: number, now: number): void
  /** A packet of audio that stands for those around it. */
  measure(packet: Uint8Array, length: number, codec: PayloadKind): void
}

/** The leg that receives this one. */
interface PeerLeg {
  readonly sender: { readonly bridged: BridgeSource }
  readonly recordings: Recordings
}

/**
 * Handles the packets that a leg's remote sends, once they are admitted: counts and records them, and forwards them to the
 * other leg, or decodes them where that leg needs another codec. Reports DTMF digits, from events or from tones.
 */
export class Receiver implements ToneDigits, DigitListener {
  readonly source: ReceivedSource
  readonly inband: InbandDigitListener
  readonly digits: DigitEvents
  tape: IncomingTape | undefined
  /** The tape sees all packets. Rarely so: it is held here, since to ask the tape each packet would read slow memory. */
  tapesAll = false
  readonly #id: SessionId
  readonly #host: ReceiverHost
  readonly #payloadTypes: PayloadTypes
  readonly #recordings: Recordings
  readonly #digitHeld: () => void
  #agreement: Agreement | undefined
  #other: PeerLeg | undefined
  /** Set where digits come as tones, or have come as telephone-events with their tones in the audio. */
  #toneMute: ToneMute | undefined
  #areDigitsTones = false
  /** Telephone-events report a digit until then. */
  #eventsUntil = Number.NEGATIVE_INFINITY
  #receivedAt: number
  /** RTP or RTCP. */
  #aliveAt: number
  #received = 0

  /** `digitHeld`: called when a digit goes down, whose end may have to be found by the clock. */
  constructor(
    id: SessionId,
    host: ReceiverHost,
    payloadTypes: PayloadTypes,
    recordings: Recordings,
    digitHeld: () => void,
    now: number,
  ) {
    this.#digitHeld = digitHeld
    this.#id = id
    this.#host = host
    this.#payloadTypes = payloadTypes
    this.#recordings = recordings
    this.#receivedAt = now
    this.#aliveAt = now
    this.inband = new InbandDigitListener(payloadTypes, host.opus, this)
    this.source = new ReceivedSource(lastSsrc => this.digits.leave(lastSsrc, this.#receivedAt))
    this.digits = new DigitEvents(this)
  }

  /** Packets, of all sources. */
  get received(): number {
    return this.#received
  }

  /** Once its payload types have their new meanings. */
  agree(agreement: Agreement, now: number): void {
    this.#agreement = agreement
    const areDigitsTones = agreement.receive && !this.#payloadTypes.hasEvents
    this.inband.agree(areDigitsTones, codecFacts[agreement.codec].clockRate)
    this.#areDigitsTones = areDigitsTones
    this.#receivedAt = now
    this.#aliveAt = now
  }

  /** The leg that receives it from now on; undefined = no other leg. */
  forwardTo(other: PeerLeg | undefined): void {
    this.#other = other
    this.inband.release()
  }

  /** A packet that was let in; it may be altered. */
  receive(packet: Uint8Array, length: number, meaning: PayloadKind, now: number): void {
    this.#received++
    this.#receivedAt = now
    this.#aliveAt = now
    if (this.tapesAll && meaning !== 'events') this.tape?.received(packet, length, now)
    const payloadLength = payloadLengthOf(packet, length)
    if (meaning === 'events' || meaning === 'noise') {
      const isBeside = meaning === 'events' && this.source.isOther(ssrcOf(packet))
      if (!isBeside) this.source.select(ssrcOf(packet), this.#clockRate).receiveUntimed(sequenceOf(packet))
      if (meaning === 'events') this.#receiveEvent(packet, length, payloadLength, isBeside, now)
      else this.#receiveNoise(packet, length, payloadLength, now)
      return
    }
    if ((this.#received & measuredMask) === 1) this.tape?.measure(packet, length, meaning)
    const reception = this.source.select(ssrcOf(packet), codecFacts[meaning].clockRate)
    reception.receive(sequenceOf(packet), timestampOf(packet), now)
    if (payloadLength === 0 || this.#agreement?.receive !== true) return
    this.#recordings.received(packet, length, now)
    this.#other?.recordings.receivedByPeer(this.#recordings, packet, length, now)
    const onward = this.#other?.sender.bridged
    const wanted = onward?.codec
    const isTooLong = onward?.isTooLong(meaning, packet[payloadOffsetOf(packet)]!) === true
    const mustEncode = wanted !== undefined && (isTooLong || !isRelayable(meaning, wanted))
    const watch = onward?.takesEvents === true ? this.inband : undefined
    if (mustEncode) onward?.transcode(this.inband.readerFor(rateBetween(meaning, wanted)), watch)
    this.inband.push(packet, length, now)
    if (mustEncode || onward === undefined) return
    const mayHoldTones = watch !== undefined && (this.#areDigitsTones || now < this.#eventsUntil)
    const left = mayHoldTones ? this.#muteIn(packet, payloadLength, meaning, now) : payloadLength
    onward.audio(packet, left, meaning, now)
  }

  /** RTCP of the remote. */
  noteReport(now: number): void {
    this.#aliveAt = now
  }

  /**
   * Reports a remote that has sent nothing for long although it should: again after the same time. On hold no RTP is
   * expected, whichever side may send: only that nothing at all comes is reported, for signalling to ask whether it is there.
   */
  reportMissing(isTalking: boolean, now: number): void {
    if (this.#agreement?.onHold === true) {
      if (!isTalking || now - this.#aliveAt < this.#host.timeoutMs) return
      this.#aliveAt = now
      this.#host.emit({ type: 'timeout', session: this.#id, onHold: true })
      return
    }
    // A remote that merely rings need not send: it is missed once we talk to each other.
    const isAwaited = this.#agreement?.receive === true && isTalking
    if (!isAwaited && this.#received === 0) this.#receivedAt = now
    if (isAwaited && now - this.#receivedAt >= this.#host.timeoutMs) {
      this.#receivedAt = now
      this.#host.emit({ type: 'timeout', session: this.#id })
    }
  }

  /** The session has closed. */
  free(): void {
    this.inband.free()
    this.#toneMute?.free()
  }

  /** Returns the bytes of payload that are left. */
  #muteIn(packet: Uint8Array, payloadLength: number, codec: AudioCodecName, now: number): number {
    this.#toneMute ??= new ToneMute(this.#host.opus)
    return this.#toneMute.muteIn(packet, payloadOffsetOf(packet), payloadLength, codec, now)
  }

  /**
   * Until then telephone-events report a digit: its tone in the audio must reach no other leg. When events have their
   * own source, the audio continues.
   */
  #eventsReport(until: number, now: number): void {
    if (this.source.isOther(this.digits.ssrc)) return
    if (now >= this.#eventsUntil && this.#other?.sender.bridged.takesEvents === true) {
      this.#toneMute ??= new ToneMute(this.#host.opus)
      this.#toneMute.begin(now)
    }
    this.#eventsUntil = until
    this.inband.eventsUntil(until)
  }

  /** What timestamps are taken to count, when a packet does not say. */
  get #clockRate(): number {
    return this.source.present?.clockRate ?? codecFacts[this.#agreement?.codec ?? 'PCMU'].clockRate
  }

  /** `isBeside`: it belongs to another source than the audio, whose numbers and times have nothing to do with its own. */
  #receiveEvent(packet: Uint8Array, length: number, payloadLength: number, isBeside: boolean, now: number): void {
    this.tape?.receivedEvent(packet, length, now)
    const clock = this.#payloadTypes.eventClockOf(payloadTypeOf(packet))
    if (!isBeside) {
      this.#note(packet, now)
      this.inband.noteWithoutAudio(packet, now)
    }
    this.digits.receive(packet, payloadLength, clock, now)
    this.#other?.sender.bridged.event(packet, payloadLength, clock, now)
  }

  #receiveNoise(packet: Uint8Array, length: number, payloadLength: number, now: number): void {
    if (this.#agreement?.receive !== true) return
    this.#note(packet, now)
    this.inband.comfortNoise(packet, length, now)
    this.#other?.sender.bridged.comfortNoise(packet, payloadLength, now)
  }

  #note(packet: Uint8Array, now: number): void {
    this.#recordings.note(packet, now)
    this.#other?.recordings.notePeer(this.#recordings, packet, now)
  }

  /** Digits that come as tones. */
  toneBegan(digit: string): void {
    this.#host.emit({ type: 'key-down', session: this.#id, digit })
  }
  toneEnded(received: ReceivedDigit, began: number): void {
    this.#emitDigit(received, began, false, this.#receivedAt)
    this.#other?.sender.bridged.toneEnded(received.digit)
  }

  /** Digits that come as telephone-events. */
  digitDown(digit: string, now: number): void {
    this.#digitHeld()
    this.#eventsReport(Number.POSITIVE_INFINITY, now)
    this.#host.emit({ type: 'key-down', session: this.#id, digit })
    this.#other?.sender.bridged.digitDown(digit)
  }

  digitUp(received: ReceivedDigit, began: number, now: number): void {
    this.#eventsReport(now + toneTrailMs, now)
    this.#emitDigit(received, began, this.source.isOther(this.digits.ssrc), now)
    this.#other?.sender.bridged.digitUp(received.digit, received.durationMs)
  }

  #emitDigit({ digit, durationMs }: ReceivedDigit, began: number, isBeside: boolean, now: number): void {
    if (!isBeside) this.#recordings.digit(began, now)
    this.#host.emit({ type: 'digit', session: this.#id, digit, durationMs })
  }
}
