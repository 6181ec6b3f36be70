import { Relay, transcode } from '../bridge/relay.ts'
import { Repacker } from '../bridge/repacker.ts'
import { silenceOfPcma, silenceOfPcmu } from '../codec/g711.ts'
import type { Agreement, EngineCodec } from '../engine/command.ts'
import type { DatagramNetwork, DatagramSocket } from '../engine/network.ts'
import { headerLength, payloadOffsetOf, timestampOf } from '../packet/header.ts'
import { timestampAfter } from '../packet/sequence.ts'
import { DigitQueue } from './digit-queue.ts'
import type { OutStream } from './out-stream.ts'
import type { Playback } from './playback.ts'

const samplesPerMs = 8
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
  /** The other leg is to be heard. */
  isBridged = false
  /** Silence is sent when there is nothing else. */
  isTalking = false
  /** Times that a stall was too long to be caught up. */
  stalls = 0
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  readonly #to: Destination
  readonly #stream: OutStream
  readonly #events: SenderEvents
  readonly #relay = new Relay()
  readonly #repacker = new Repacker()
  readonly #digits: DigitQueue
  #isRepacking = false
  #eventIn = -1
  #eventOut = 0
  #agreement: Agreement | undefined
  #frameSamples = 160
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
  ) {
    this.#network = network
    this.#socket = socket
    this.#to = to
    this.#stream = stream
    this.#events = events
    this.#digits = new DigitQueue(id => events.digitsSent(id))
  }

  get codec(): EngineCodec | undefined {
    return this.#agreement?.codec
  }
  get isPlaying(): boolean {
    return this.#playback !== undefined
  }

  /** Where the stream's clock stands, for sender reports. */
  rtpTimeAt(now: number): number {
    const aheadMs = this.#dueAt < 0 ? 0 : this.#dueAt - now
    return timestampAfter(this.#stream.timestamp, Math.round(-aheadMs * samplesPerMs))
  }

  agree(agreement: Agreement): void {
    const before = this.#agreement
    this.#agreement = agreement
    this.#frameSamples = agreement.ptimeMs * samplesPerMs
    this.#digits.agree(agreement.ptimeMs, agreement.sendEvents !== undefined)
    this.#isRepacking = false
    this.#repacker.reset()
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

  sendDigits(digitsId: string, digits: string): void {
    this.#digits.enqueue(digitsId, digits)
  }

  /** The bridge is gone, or new: what comes next does not continue what came before. */
  interrupt(): void {
    this.#relay.interrupt()
    this.#isRepacking = false
    this.#repacker.reset()
  }

  tick(now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined) return
    if (this.#ending !== undefined && now >= this.#endsAt) this.#tellEnd()
    if (!this.#hasFrames(now)) {
      this.#isPaused = true
      return
    }
    if (this.#isPaused) this.#resume(now, agreement.ptimeMs)
    for (let frames = 0; frames < maxCatchUpFrames && this.#dueAt <= now; frames++) {
      this.#frame(agreement, now)
      this.#dueAt += agreement.ptimeMs
    }
    if (this.#dueAt <= now) {
      this.stalls++
      this.#dueAt = now + agreement.ptimeMs
    }
  }

  /** A packet of audio of the other leg, whose payload is a byte a sample; it may be altered. */
  hear(packet: Uint8Array, payloadLength: number, codec: EngineCodec, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying(now)) return
    if (agreement.ptimeAsked && (this.#isRepacking || payloadLength !== this.#frameSamples)) {
      this.#repack(packet, payloadLength, codec, agreement)
    } else {
      const plain = this.#plain(packet, payloadLength)
      transcode(plain, payloadLength, codec, agreement.codec)
      const sent = this.#relay.rewrite(plain, this.#stream, agreement.payloadType, payloadLength, payloadLength, now)
      if (sent) this.#send(plain, headerLength + payloadLength)
    }
    this.#dueAt = now + agreement.ptimeMs
  }

  /** A telephone-event of the other leg: its payload passes as it is. */
  hearEvent(packet: Uint8Array, payloadLength: number, now: number): void {
    const payloadType = this.#agreement?.sendEvents
    if (payloadType === undefined || !this.#isRelaying(now)) return
    const plain = this.#plain(packet, payloadLength)
    if (!this.#isRepacking) {
      if (this.#relay.rewrite(plain, this.#stream, payloadType, payloadLength, 0, now)) {
        this.#send(plain, headerLength + payloadLength)
      }
      return
    }
    const timestamp = timestampOf(packet)
    const isFirst = timestamp !== this.#eventIn
    if (isFirst) this.#eventOut = this.#stream.timestamp
    this.#eventIn = timestamp
    this.#send(plain, this.#stream.event(plain, payloadType, isFirst, this.#eventOut, payloadLength, 0))
  }

  /** Ends what runs, told as not completed. */
  close(): void {
    this.stop()
    this.#digits.close()
  }

  #isRelaying(now: number): boolean {
    if (this.isBridged && this.#playback === undefined && !this.#digits.busy && this.#to.maySend(now)) return true
    this.interrupt()
    return false
  }

  #hasFrames(now: number): boolean {
    if (this.#playback !== undefined || this.#digits.busy) return true
    if (!this.isTalking) return false
    const isHeard = this.#relay.running || this.#isRepacking
    return !this.isBridged || !isHeard || now - this.#dueAt >= relayIdleMs
  }

  /** The media clock has gone on while nothing was sent. */
  #resume(now: number, ptimeMs: number): void {
    this.#isPaused = false
    this.interrupt()
    if (this.#dueAt < 0) this.#dueAt = now
    const frames = Math.floor((now - this.#dueAt) / ptimeMs)
    if (frames <= 0) return
    this.#stream.skip(frames * this.#frameSamples)
    this.#stream.mark()
    this.#dueAt = now
  }

  #frame(agreement: Agreement, now: number): void {
    const samples = this.#frameSamples
    const packet = this.#network.slot()
    const maySend = this.#to.maySend(now)
    if (this.#digits.busy) {
      const length = this.#digits.nextInto(packet, headerLength, this.#stream.timestamp)
      if (length > 0) {
        const { marker, timestamp } = this.#digits
        const type = agreement.sendEvents
        if (!maySend || type === undefined) this.#stream.skip(samples)
        else this.#send(packet, this.#stream.event(packet, type, marker, timestamp, length, samples))
        this.#stream.mark()
        return
      }
    }
    const isPlay = this.#playback !== undefined
    this.#fill(packet, samples, agreement.codec)
    if (maySend) {
      const length = this.#stream.frame(packet, agreement.payloadType, samples, samples)
      if (isPlay) this.#events.sounded(packet, length, this.#dueAt)
      this.#send(packet, length)
      return
    }
    // Not sent, but passed: a prompt during hold takes its time, and so does its stream.
    this.#stream.skip(samples)
    this.#stream.mark()
  }

  #fill(packet: Uint8Array, samples: number, codec: EngineCodec): void {
    const playback = this.#playback
    if (playback === undefined) {
      packet.fill(codec === 'PCMU' ? silenceOfPcmu : silenceOfPcma, headerLength, headerLength + samples)
      return
    }
    playback.readInto(packet, headerLength, samples)
    transcode(packet, samples, playback.codec, codec)
    if (playback.ended) this.#end(this.#dueAt + samples / samplesPerMs)
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

  #repack(packet: Uint8Array, payloadLength: number, codec: EngineCodec, agreement: Agreement): void {
    this.#isRepacking = true
    if (!this.#repacker.push(packet, payloadOffsetOf(packet), payloadLength)) return
    if (this.#repacker.missing > 0) {
      this.#stream.skip(this.#repacker.missing)
      this.#repacker.missing = 0
    }
    const samples = this.#frameSamples
    for (;;) {
      const frame = this.#network.slot()
      if (!this.#repacker.takeInto(frame, headerLength, samples)) return
      transcode(frame, samples, codec, agreement.codec)
      this.#send(frame, this.#stream.frame(frame, agreement.payloadType, samples, samples))
    }
  }

  /** The packet without CSRCs, extension and padding, which were agreed on with the other far end, if at all. */
  #plain(packet: Uint8Array, payloadLength: number): Uint8Array {
    if ((packet[0]! & 0x3f) === 0) return packet
    const plain = this.#network.slot()
    const from = payloadOffsetOf(packet)
    for (let i = 1; i < headerLength; i++) plain[i] = packet[i]!
    for (let i = 0; i < payloadLength; i++) plain[headerLength + i] = packet[from + i]!
    plain[0] = 0x80
    return plain
  }

  #send(packet: Uint8Array, length: number): void {
    this.#socket.send(packet, length, this.#to.address, this.#to.port)
  }
}
