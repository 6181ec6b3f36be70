import { isOpusRest } from '../codec/opus.ts'
import type { Agreement, EngineCodec } from '../contract/agreement.ts'
import { headerLength } from '../packet/header.ts'
import type { SendParts } from './frame-parts.ts'

/** The frames that the clock paces: of digits before a prompt, of a prompt before the other leg, of that before silence. */
export class FrameSources {
  readonly #parts: SendParts

  constructor(parts: SendParts) {
    this.#parts = parts
  }

  /** The frame that is due. `isBridged`: another leg is to be heard. */
  make(agreement: Agreement, isBridged: boolean, now: number): void {
    const { network, clock, to, packetizer, digits, plays, transcoder, forwarder } = this.#parts
    const { frames, frameUnits: units } = clock
    const packet = network.slot()
    const maySend = to.maySend()
    if (digits.busy && this.#digit(agreement, packet, units, maySend, now)) {
      transcoder.discard(frames.frameMs, now)
      return
    }
    const isPlay = plays.isPlaying
    const bytes = this.#fill(packet, agreement.codec, isBridged, now)
    if (maySend && bytes > 0 && (isPlay || now >= forwarder.eventUntil)) {
      packetizer.put(packet, agreement.payloadType, bytes, units, isPlay, frames.dueAt, now)
      return
    }
    // Not sent, but passed: a prompt during hold takes its time, and so does its stream.
    clock.pass(1)
  }

  /** A frame in which a digit is sent. Returns false when none is: there is room for audio. */
  #digit(agreement: Agreement, packet: Uint8Array, units: number, maySend: boolean, now: number): boolean {
    const { stream, clock, digits, transcoder, packetizer, send } = this.#parts
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
        if (!transcoder.isReady) return false
        const bytes = transcoder.digitsInto(packet, headerLength, clock.frames.frameMs, digits)
        if (bytes === 0) return false
        if (maySend) packetizer.put(packet, agreement.payloadType, bytes, units, false, clock.frames.dueAt, now)
        else stream.skip(units)
        return true
      }
      case undefined:
        return false
    }
  }

  /** The next frame's payload. Returns its bytes; 0 = there is nothing to send for it. */
  #fill(packet: Uint8Array, codec: EngineCodec, isBridged: boolean, now: number): number {
    const { clock, plays, transcoder } = this.#parts
    const { frameMs, dueAt } = clock.frames
    if (plays.isPlaying || !isBridged || !transcoder.hasAudio) {
      if (plays.isPlaying) return plays.frameInto(packet, codec, frameMs, dueAt, transcoder)
      return transcoder.silenceInto(packet, headerLength, frameMs)
    }
    // Nothing of the other leg is lost meanwhile: it is heard a frame later.
    if (!transcoder.isReady) return transcoder.silenceInto(packet, headerLength, frameMs)
    const bytes = transcoder.frameInto(packet, headerLength, frameMs, now)
    // What the encoder would not send.
    return codec === 'opus' && isOpusRest(bytes) ? 0 : bytes
  }
}
