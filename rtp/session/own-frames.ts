import type { Passage } from '../bridge/passage.ts'
import { codecFacts } from '../codec/codec-name.ts'
import { isOpusRest } from '../codec/opus.ts'
import type { Agreement, EngineCodec } from '../engine/command.ts'
import type { DatagramNetwork } from '../engine/network.ts'
import { headerLength } from '../packet/header.ts'
import type { DigitQueue } from './digit-queue.ts'
import type { OutStream } from './out-stream.ts'
import type { Pace } from './pace.ts'
import type { PlayLine } from './play-line.ts'
import type { Voice } from './voice.ts'

export interface SenderEvents {
  played(playId: string, completed: boolean): void
  digitsSent(digitsId: string): void
  /** A frame of a play goes out: a whole packet, due at `at`. */
  sounded(packet: Uint8Array, length: number, at: number): void
}

/** Where packets go; undefined while nothing may be sent. */
export interface Destination {
  address: number
  port: number
  maySend(now: number): boolean
}

export interface FrameParts {
  readonly network: DatagramNetwork
  readonly stream: OutStream
  readonly to: Destination
  readonly events: SenderEvents
  readonly passage: Passage
  readonly send: (packet: Uint8Array, length: number) => void
}

/** The frames that the clock paces: of digits before a prompt, of a prompt before the other leg, of that before silence. */
export class OwnFrames {
  readonly #parts: FrameParts
  readonly #pace: Pace
  readonly #digits: DigitQueue
  readonly #plays: PlayLine
  readonly #voice: Voice

  constructor(parts: FrameParts, pace: Pace, digits: DigitQueue, plays: PlayLine, voice: Voice) {
    this.#parts = parts
    this.#pace = pace
    this.#digits = digits
    this.#plays = plays
    this.#voice = voice
  }

  /** The frame that is due. `isBridged`: another leg is to be heard. */
  make(agreement: Agreement, isBridged: boolean, now: number): void {
    const { network, stream, to, events, passage, send } = this.#parts
    const units = (this.#pace.frameMs * codecFacts[agreement.codec].clockRate) / 1000
    const packet = network.slot()
    const maySend = to.maySend(now)
    if (this.#digits.busy && this.#digit(agreement, packet, units, maySend)) {
      this.#voice.pass(this.#pace.frameMs, now)
      return
    }
    const isPlay = this.#plays.isPlaying
    const bytes = this.#fill(packet, agreement.codec, isBridged, now)
    if (maySend && bytes > 0 && (isPlay || now >= passage.eventUntil)) {
      const length = stream.frame(packet, agreement.payloadType, bytes, units)
      if (isPlay) events.sounded(packet, length, this.#pace.dueAt)
      send(packet, length)
      return
    }
    // Not sent, but passed: a prompt during hold takes its time, and so does its stream.
    stream.skip(units)
    stream.mark()
  }

  /** A frame in which a digit is sent. Returns false when none is: there is room for audio. */
  #digit(agreement: Agreement, packet: Uint8Array, units: number, maySend: boolean): boolean {
    const { stream, send } = this.#parts
    const digits = this.#digits
    switch (digits.next()) {
      case 'events': {
        const length = digits.nextInto(packet, headerLength, stream.timestamp)
        if (length === 0) return false
        const type = agreement.sendEvents
        if (!maySend || type === undefined) stream.skip(units)
        else send(packet, stream.event(packet, type, digits.marker, digits.timestamp, length, units))
        stream.mark()
        return true
      }
      case 'tones': {
        // The first tone would be lost in a coder that is still being made.
        if (!this.#voice.isReady) return false
        const bytes = this.#voice.digitsInto(packet, headerLength, this.#pace.frameMs, digits)
        if (bytes === 0) return false
        if (maySend) send(packet, stream.frame(packet, agreement.payloadType, bytes, units))
        else stream.skip(units)
        return true
      }
      case undefined:
        return false
    }
  }

  /** The next frame's payload. Returns its bytes; 0 = there is nothing to send for it. */
  #fill(packet: Uint8Array, codec: EngineCodec, isBridged: boolean, now: number): number {
    const { frameMs } = this.#pace
    const voice = this.#voice
    if (this.#plays.isPlaying || !isBridged || !voice.sounds) {
      if (this.#plays.isPlaying) return this.#plays.frameInto(packet, codec, frameMs, this.#pace.dueAt, voice)
      return voice.silenceInto(packet, headerLength, frameMs)
    }
    // Nothing of the other leg is lost meanwhile: it is heard a frame later.
    if (!voice.isReady) return voice.silenceInto(packet, headerLength, frameMs)
    const bytes = voice.frameInto(packet, headerLength, frameMs, now)
    // What the encoder would not send.
    return codec === 'opus' && isOpusRest(bytes) ? 0 : bytes
  }
}
