import { Passage } from '../bridge/passage.ts'
import { codecFacts } from '../codec/codec-name.ts'
import { type OpusCoders, opusFrameMs } from '../codec/opus.ts'
import type { Agreement, EngineCodec } from '../engine/command.ts'
import type { DatagramNetwork, DatagramSocket } from '../engine/network.ts'
import type { SeatFormat } from '../mix/seat.ts'
import { headerLength, payloadOffsetOf } from '../packet/header.ts'
import { timestampAfter } from '../packet/sequence.ts'
import type { Beats } from './beats.ts'
import { DigitQueue } from './digit-queue.ts'
import type { Ear } from './ear.ts'
import type { OutStream } from './out-stream.ts'
import { type Destination, OwnFrames, type SenderEvents } from './own-frames.ts'
import { Pace } from './pace.ts'
import { PlayLine } from './play-line.ts'
import type { Playback, Prompt } from './playback.ts'
import { type ToneWatch, Voice } from './voice.ts'

/** Work of an encoder, against that of passing bytes on. */
const opusCost = 4
/** When the other leg was silent for so long, we send silence of our own, lest the far end believes us gone. */
export const relayIdleMs = 500
/** The order of digits that the other leg's far end pressed. Nobody waits for it. */
const passedOn = 'passed-on as events'

/**
 * What a leg's far end hears. Digits go before a prompt, a prompt before the other leg, the other leg before silence.
 * Prompts, digits and silence are paced by the clock, a frame every ptime; the other leg's packets by themselves.
 */
export class Sender {
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  readonly #to: Destination
  readonly #stream: OutStream
  readonly #events: SenderEvents
  readonly #passage: Passage
  readonly #digits: DigitQueue
  readonly #voice: Voice
  readonly #plays: PlayLine
  #isBridged = false
  #agreement: Agreement | undefined
  #mixFormat: SeatFormat | undefined
  #unitsPerMs = 8
  readonly #pace: Pace
  readonly #frames: OwnFrames
  #isTalking = false
  /** Until then nothing of its own is due, unless something happens: most legs merely pass on most of the time. */
  #restsUntil = 0

  constructor(
    network: DatagramNetwork,
    socket: DatagramSocket,
    to: Destination,
    stream: OutStream,
    events: SenderEvents,
    coders: OpusCoders,
    beats: Beats,
  ) {
    this.#network = network
    this.#socket = socket
    this.#to = to
    this.#stream = stream
    this.#events = events
    this.#pace = new Pace(beats)
    this.#digits = new DigitQueue(id => events.digitsSent(id))
    this.#voice = new Voice(coders)
    this.#plays = new PlayLine((playId, completed) => events.played(playId, completed))
    const send = (packet: Uint8Array, length: number) => this.#send(packet, length)
    this.#passage = new Passage(network, stream, send)
    const parts = { network, stream, to, events, send, passage: this.#passage }
    this.#frames = new OwnFrames(parts, this.#pace, this.#digits, this.#plays, this.#voice)
  }

  /** Silence is sent when there is nothing else. */
  get isTalking(): boolean {
    return this.#isTalking
  }
  set isTalking(isTalking: boolean) {
    this.#isTalking = isTalking
    this.#stir()
  }
  get codec(): EngineCodec | undefined {
    return this.#agreement?.codec
  }
  /** The far end takes digits as telephone-events; else only their tones reach it. */
  get takesEvents(): boolean {
    return this.#agreement?.sendEvents !== undefined
  }
  /** In what a room's mix is to come. Another object after each agreement. */
  get mixFormat(): SeatFormat | undefined {
    return this.#mixFormat
  }
  /** False while a room's mix would not be sent, whatever it is. */
  get isMixHeard(): boolean {
    return this.#isBridged && !this.#plays.isPlaying && !this.#digits.busy && this.#agreement?.send === true
  }
  /** What plays, and needs its prompt in the present codec. */
  get playNeedingPrompt(): string | undefined {
    const codec = this.#agreement?.codec
    return codec === undefined ? undefined : this.#plays.needsPromptIn(codec)
  }

  /** Where the stream's clock stands, for sender reports. */
  rtpTimeAt(now: number): number {
    const aheadMs = this.#pace.dueAt < 0 ? 0 : this.#pace.dueAt - now
    return timestampAfter(this.#stream.timestamp, Math.round(-aheadMs * this.#unitsPerMs))
  }

  agree(agreement: Agreement): void {
    this.#stir()
    const before = this.#agreement
    const { clockRate } = codecFacts[agreement.codec]
    this.#agreement = agreement
    this.#pace.frameMs = agreement.codec === 'opus' ? opusFrameMs : agreement.ptimeMs
    const { codec, opus } = agreement
    this.#mixFormat = { codec, frameMs: this.#pace.frameMs, ...(opus === undefined ? {} : { opus }) }
    const isOther = before !== undefined && clockRate / 1000 !== this.#unitsPerMs
    if (isOther) this.#stream.renew()
    this.#unitsPerMs = clockRate / 1000
    this.#passage.agree(this.#frameUnits, this.#unitsPerMs, isOther)
    this.#digits.agree(this.#pace.frameMs, agreement.sendEvents !== undefined, agreement.eventClockRate ?? clockRate)
    this.#voice.agree(agreement)
    if (before?.payloadType !== agreement.payloadType) this.#stream.mark()
  }

  play(playback: Playback): void {
    this.#stir()
    this.#plays.begin(playback, this.#pace.dueAt)
    this.#stream.mark()
  }

  /** Stops what plays, or only the play of that name. What has been sent whole was played, though it still sounds. */
  stop(playId?: string): void {
    this.#stir()
    this.#plays.stop(playId)
  }

  /** The prompt of a play in another codec; the play goes on where it is. */
  goOnWith(playId: string, prompt: Prompt): void {
    this.#stir()
    this.#plays.goOnWith(playId, prompt)
  }

  sendDigits(digitsId: string, digits: string): void {
    this.#stir()
    this.#digits.enqueue(digitsId, digits)
  }

  /** The other leg is to be heard, or no more: what comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    this.#stir()
    this.#isBridged = isBridged
    if (isBridged) this.isTalking = true
    this.#digits.releaseAll()
    this.#voice.listen(undefined)
    this.#passage.interrupt()
  }

  /** What the far end says it loses, 0 to 100. */
  tune(lossPercent: number): void {
    this.#voice.tune(lossPercent)
  }

  tick(now: number): void {
    if (now < this.#restsUntil) return
    const agreement = this.#agreement
    if (agreement === undefined) return
    this.#plays.tick(now)
    const pace = this.#pace
    if (!this.#hasFrames(now)) {
      pace.rest()
      if (!this.#plays.isEnding) this.#restsUntil = this.#isTalking ? pace.dueAt + relayIdleMs : Infinity
      return
    }
    if (pace.isResting) this.#resume(agreement, now)
    pace.beginTick()
    while (pace.isDue(now)) {
      this.#frames.make(agreement, this.#isBridged, now)
      pace.next(now)
    }
    pace.endTick(now)
  }

  /**
   * The other leg's audio, of a codec whose packets cannot be relayed: it is read, a frame every ptime. `watch`: tells
   * where it holds a digit, which `toneEnded` brings too.
   */
  listen(ear: Ear, watch: ToneWatch | undefined): void {
    if (!this.#isBridged) return
    this.#stir()
    if (!this.#voice.isHeard) this.#passage.interrupt()
    this.#voice.listen(ear, watch)
  }

  /** A packet of audio of the other leg, of a codec that can be relayed; it may be altered. */
  hear(packet: Uint8Array, payloadLength: number, codec: EngineCodec, now: number): void {
    const agreement = this.#agreement
    this.#voice.listen(undefined)
    if (agreement === undefined || !this.#isRelaying(now)) return
    this.#voice.unsettle()
    this.#passage.audio(packet, payloadLength, codec, agreement, now)
    this.#pace.follow(now)
  }

  /** A packet's `length` bytes of a room's mix, due at `at`, in the format asked for; 0 = none is to be sent. */
  mix(payload: Uint8Array, length: number, at: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying(now)) return
    if (this.#pace.dueAt >= 0 && at - this.#pace.dueAt >= this.#pace.frameMs) this.#resume(agreement, at)
    this.#passage.mix()
    // A packet of a prompt that has just ended, or of the silence before, lies in this one's place.
    if (this.#pace.dueAt - at >= this.#pace.frameMs / 2) return
    if (length > 0) {
      const packet = this.#network.slot()
      for (let i = 0; i < length; i++) packet[headerLength + i] = payload[i]!
      const whole = this.#stream.frame(packet, agreement.payloadType, length, this.#frameUnits)
      this.#events.sounded(packet, whole, at)
      this.#send(packet, whole)
    } else {
      this.#stream.skip(this.#frameUnits)
      this.#stream.mark()
    }
    this.#pace.follow(at)
  }

  /** The other leg rests, and tells how its silence sounds (RFC 3389); the far end hears that from us, if not itself. */
  hearRest(packet: Uint8Array, payloadLength: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying(now) || this.#voice.isHeard) return
    if (this.#passage.rest(packet, payloadLength, agreement, now)) return
    this.#stir()
    this.#voice.rest(packet, payloadOffsetOf(packet), payloadLength)
  }

  /** A telephone-event of the other leg, its duration counted in `clockRate`. */
  hearEvent(packet: Uint8Array, payloadLength: number, clockRate: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying(now)) return
    this.#stir()
    this.#passage.event(packet, payloadLength, clockRate, agreement, this.#voice.isHeard, now)
  }

  /** A key of the other leg goes down, as its telephone-events tell, and up: who takes none hears the tone. */
  keyDown(digit: string, now: number): void {
    this.#stir()
    if (!this.takesEvents && this.#isRelaying(now)) this.#digits.press(digit)
  }
  keyUp(digit: string, durationMs: number): void {
    this.#stir()
    if (!this.takesEvents && this.#isBridged && !this.#plays.isPlaying) this.#digits.release(digit, durationMs)
  }

  /** The other leg's far end has sent a digit as a tone: who takes events gets one, and has not heard the tone. */
  toneEnded(digit: string): void {
    this.#stir()
    if (this.takesEvents && this.#isBridged && !this.#plays.isPlaying) this.#digits.enqueue(passedOn, digit)
  }

  /** Ends what runs, told as not completed. */
  close(): void {
    this.stop()
    this.#digits.close()
    this.#voice.free()
    this.#pace.close()
  }

  #stir(): void {
    this.#restsUntil = 0
  }

  get #frameUnits(): number {
    return this.#pace.frameMs * this.#unitsPerMs
  }

  #isRelaying(now: number): boolean {
    if (this.#isBridged && !this.#plays.isPlaying && !this.#digits.busy && this.#to.maySend(now)) return true
    this.#passage.interrupt()
    this.#stir()
    return false
  }

  #hasFrames(now: number): boolean {
    if (this.#plays.isPlaying || this.#digits.busy) return true
    if (!this.isTalking) return false
    if (!this.#isBridged || this.#voice.sounds) return true
    return !this.#passage.isFlowing || now - this.#pace.dueAt >= relayIdleMs
  }

  /** The media clock has gone on while nothing was sent. */
  #resume(agreement: Agreement, now: number): void {
    this.#passage.interrupt()
    const frames = this.#pace.resume(agreement.codec === 'opus' ? opusCost : 1, now)
    if (frames === 0) return
    this.#stream.skip(frames * this.#frameUnits)
    this.#stream.mark()
  }

  #send(packet: Uint8Array, length: number): void {
    this.#socket.send(packet, length, this.#to.address, this.#to.port)
  }
}
