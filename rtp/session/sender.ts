import { Passage } from '../bridge/passage.ts'
import { changeLaw } from '../bridge/relay.ts'
import { codecFacts, isRelayable } from '../codec/codec-name.ts'
import { isOpusRest, type OpusCoders, opusFrameMs } from '../codec/opus.ts'
import { silenceInto } from '../codec/silence.ts'
import type { Agreement, EngineCodec } from '../engine/command.ts'
import type { DatagramNetwork, DatagramSocket } from '../engine/network.ts'
import { headerLength, payloadOffsetOf } from '../packet/header.ts'
import { timestampAfter } from '../packet/sequence.ts'
import { DigitQueue } from './digit-queue.ts'
import type { Ear } from './ear.ts'
import type { OutStream } from './out-stream.ts'
import type { Playback, Prompt } from './playback.ts'
import { Voice } from './voice.ts'

/** Frames sent at once after a stall; what is owed beyond them is sent later, not faster. */
export const maxCatchUpFrames = 5
/** When the other leg was silent for so long, we send silence of our own, lest the far end believes us gone. */
export const relayIdleMs = 500
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

/**
 * What a leg's far end hears. Digits go before a prompt, a prompt before the other leg, the other leg before silence.
 * Prompts, digits and silence are paced by the clock, a frame every ptime; the other leg's packets by themselves.
 */
export class Sender {
  /** Silence is sent when there is nothing else. */
  isTalking = false
  /** Times that a stall was too long to be caught up. */
  stalls = 0
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  readonly #to: Destination
  readonly #stream: OutStream
  readonly #events: SenderEvents
  readonly #passage: Passage
  readonly #digits: DigitQueue
  readonly #voice: Voice
  #isBridged = false
  #agreement: Agreement | undefined
  #frameMs = 20
  #unitsPerMs = 8
  #playback: Playback | undefined
  /** Its last frame is out, and ends at `#endsAt`. */
  #ending: Playback | undefined
  #endsAt = 0
  /** When the next frame is due. */
  #dueAt = -1
  #isPaused = true

  constructor(
    network: DatagramNetwork,
    socket: DatagramSocket,
    to: Destination,
    stream: OutStream,
    events: SenderEvents,
    coders: OpusCoders,
  ) {
    this.#network = network
    this.#socket = socket
    this.#to = to
    this.#stream = stream
    this.#events = events
    this.#digits = new DigitQueue(id => events.digitsSent(id))
    this.#voice = new Voice(coders)
    this.#passage = new Passage(network, stream, (packet, length) => this.#send(packet, length))
  }

  get codec(): EngineCodec | undefined {
    return this.#agreement?.codec
  }
  /** What plays, and needs its prompt in the present codec. */
  get playNeedingPrompt(): string | undefined {
    const playback = this.#playback
    const codec = this.#agreement?.codec
    if (playback === undefined || codec === undefined || isRelayable(playback.codec, codec)) return undefined
    return playback.playId
  }

  /** Where the stream's clock stands, for sender reports. */
  rtpTimeAt(now: number): number {
    const aheadMs = this.#dueAt < 0 ? 0 : this.#dueAt - now
    return timestampAfter(this.#stream.timestamp, Math.round(-aheadMs * this.#unitsPerMs))
  }

  agree(agreement: Agreement): void {
    const before = this.#agreement
    const { clockRate } = codecFacts[agreement.codec]
    this.#agreement = agreement
    this.#frameMs = agreement.codec === 'opus' ? opusFrameMs : agreement.ptimeMs
    const isOther = before !== undefined && clockRate / 1000 !== this.#unitsPerMs
    if (isOther) this.#stream.renew()
    this.#unitsPerMs = clockRate / 1000
    this.#passage.agree(this.#frameUnits, this.#unitsPerMs, isOther)
    this.#digits.agree(this.#frameMs, agreement.sendEvents !== undefined, agreement.eventClockRate ?? clockRate)
    this.#voice.agree(agreement)
    if (before?.payloadType !== agreement.payloadType) this.#stream.mark()
  }

  play(playback: Playback): void {
    this.stop()
    this.#playback = playback
    this.#stream.mark()
    if (playback.ended) this.#end(this.#dueAt)
  }

  /** Stops what plays, or only the play of that name. What has been sent whole was played, though it still sounds. */
  stop(playId?: string): void {
    if (this.#ending !== undefined && (playId === undefined || this.#ending.playId === playId)) this.#tellEnd()
    const stopped = this.#playback
    if (stopped === undefined || (playId !== undefined && stopped.playId !== playId)) return
    this.#playback = undefined
    this.#events.played(stopped.playId, false)
  }

  /** The prompt of a play in another codec; the play goes on where it is. */
  goOnWith(playId: string, prompt: Prompt): void {
    if (this.#playback?.playId === playId) this.#playback.goOnWith(prompt)
  }

  sendDigits(digitsId: string, digits: string): void {
    this.#digits.enqueue(digitsId, digits)
  }

  /** The other leg is to be heard, or no more: what comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    this.#isBridged = isBridged
    if (isBridged) this.isTalking = true
    this.#voice.listen(undefined)
    this.#passage.interrupt()
  }

  /** What the far end says it loses, 0 to 100. */
  tune(lossPercent: number): void {
    this.#voice.tune(lossPercent)
  }

  tick(now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined) return
    if (this.#ending !== undefined && now >= this.#endsAt) this.#tellEnd()
    if (!this.#hasFrames(now)) {
      this.#isPaused = true
      return
    }
    if (this.#isPaused) this.#resume(now)
    for (let frames = 0; frames < maxCatchUpFrames && this.#dueAt <= now; frames++) {
      this.#frame(agreement, now)
      this.#dueAt += this.#frameMs
    }
    if (this.#dueAt <= now) {
      this.stalls++
      this.#dueAt = now + this.#frameMs
    }
  }

  /** The other leg's audio, of a codec whose packets cannot be relayed: it is read, a frame every ptime. */
  listen(ear: Ear): void {
    if (!this.#isBridged) return
    if (!this.#voice.isHeard) this.#passage.interrupt()
    this.#voice.listen(ear)
  }

  /** A packet of audio of the other leg, of a codec that can be relayed; it may be altered. */
  hear(packet: Uint8Array, payloadLength: number, codec: EngineCodec, now: number): void {
    const agreement = this.#agreement
    this.#voice.listen(undefined)
    if (agreement === undefined || !this.#isRelaying(now)) return
    this.#passage.audio(packet, payloadLength, codec, agreement, now)
    this.#dueAt = now + this.#frameMs
  }

  /** The other leg rests, and tells how its silence sounds (RFC 3389); the far end hears that from us, if not itself. */
  hearRest(packet: Uint8Array, payloadLength: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying(now) || this.#voice.isHeard) return
    if (this.#passage.rest(packet, payloadLength, agreement, now)) return
    this.#voice.rest(packet, payloadOffsetOf(packet), payloadLength)
  }

  /** A telephone-event of the other leg, its duration counted in `clockRate`. */
  hearEvent(packet: Uint8Array, payloadLength: number, clockRate: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying(now)) return
    this.#passage.event(packet, payloadLength, clockRate, agreement, this.#voice.isHeard, now)
  }

  /** Ends what runs, told as not completed. */
  close(): void {
    this.stop()
    this.#digits.close()
    this.#voice.free()
  }

  get #frameUnits(): number {
    return this.#frameMs * this.#unitsPerMs
  }

  #isRelaying(now: number): boolean {
    if (this.#isBridged && this.#playback === undefined && !this.#digits.busy && this.#to.maySend(now)) return true
    this.#passage.interrupt()
    return false
  }

  #hasFrames(now: number): boolean {
    if (this.#playback !== undefined || this.#digits.busy) return true
    if (!this.isTalking) return false
    if (!this.#isBridged || this.#voice.sounds) return true
    return !this.#passage.isFlowing || now - this.#dueAt >= relayIdleMs
  }

  /** The media clock has gone on while nothing was sent. */
  #resume(now: number): void {
    this.#isPaused = false
    this.#passage.interrupt()
    if (this.#dueAt < 0) this.#dueAt = now
    const frames = Math.floor((now - this.#dueAt) / this.#frameMs)
    if (frames <= 0) return
    this.#stream.skip(frames * this.#frameUnits)
    this.#stream.mark()
    this.#dueAt = now
  }

  #frame(agreement: Agreement, now: number): void {
    const units = this.#frameUnits
    const packet = this.#network.slot()
    const maySend = this.#to.maySend(now)
    if (this.#digits.busy) {
      const length = this.#digits.nextInto(packet, headerLength, this.#stream.timestamp)
      if (length > 0) {
        const { marker, timestamp } = this.#digits
        const type = agreement.sendEvents
        if (!maySend || type === undefined) this.#stream.skip(units)
        else this.#send(packet, this.#stream.event(packet, type, marker, timestamp, length, units))
        this.#stream.mark()
        return
      }
    }
    const isPlay = this.#playback !== undefined
    const bytes = this.#fill(packet, agreement.codec, now)
    if (maySend && bytes > 0 && (isPlay || now >= this.#passage.eventUntil)) {
      const length = this.#stream.frame(packet, agreement.payloadType, bytes, units)
      if (isPlay) this.#events.sounded(packet, length, this.#dueAt)
      this.#send(packet, length)
      return
    }
    // Not sent, but passed: a prompt during hold takes its time, and so does its stream.
    this.#stream.skip(units)
    this.#stream.mark()
  }

  /** The next frame's payload. Returns its bytes; 0 = there is nothing to send for it. */
  #fill(packet: Uint8Array, codec: EngineCodec, now: number): number {
    const playback = this.#playback
    const frameMs = this.#frameMs
    if (playback === undefined) {
      if (!this.#isBridged || !this.#voice.sounds) return silenceInto(packet, headerLength, codec, frameMs)
      const bytes = this.#voice.frameInto(packet, headerLength, frameMs, now)
      // What the encoder would not send, or cannot yet.
      return codec === 'opus' && isOpusRest(bytes) ? 0 : bytes
    }
    let bytes = 0
    if (isRelayable(playback.codec, codec)) {
      bytes = playback.frameInto(packet, headerLength, frameMs)
      changeLaw(packet, bytes, playback.codec, codec)
    } else {
      // Its prompt in the new codec is on the way.
      playback.skip(frameMs)
      bytes = silenceInto(packet, headerLength, codec, frameMs)
    }
    if (playback.ended) this.#end(this.#dueAt + frameMs)
    return bytes
  }

  #end(at: number): void {
    this.#ending = this.#playback
    this.#playback = undefined
    this.#endsAt = at
  }

  #tellEnd(): void {
    const ended = this.#ending
    this.#ending = undefined
    if (ended !== undefined) this.#events.played(ended.playId, true)
  }

  #send(packet: Uint8Array, length: number): void {
    this.#socket.send(packet, length, this.#to.address, this.#to.port)
  }
}
