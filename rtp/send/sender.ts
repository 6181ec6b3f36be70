import { Forwarder } from '../bridge/forwarder.ts'
import { codecFacts } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { Prompt } from '../contract/prompts.ts'
import type { DatagramNetwork, DatagramSocket } from '../net/network.ts'
import type { Destination, SenderEvents } from '../packetize/destination.ts'
import { FrameClock } from '../packetize/frame-clock.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import { Packetizer } from '../packetize/packetizer.ts'
import { StreamClock } from '../packetize/stream-clock.ts'
import type { TickSlots } from '../packetize/tick-slots.ts'
import { BridgeSource } from './bridge-source.ts'
import { DigitQueue } from './digit-queue.ts'
import { FrameSources } from './frame-sources.ts'
import type { Playback } from './playback.ts'
import { PromptPlayer } from './prompt-player.ts'
import { Transcoder } from './transcoder.ts'

/** When the other leg was silent for so long, we send silence of our own; otherwise the remote believes us gone. */
const relayIdleMs = 500

/**
 * The sending side of a leg. A digit is sent before a prompt, a prompt before the other leg, the
 * other leg before silence. Prompts, digits and silence are paced by the
 * frame clock, one frame every ptime; forwarded packets are paced by the other leg.
 */
export class Sender {
  /** The way in for the other leg, or a room. */
  readonly bridged: BridgeSource
  readonly clock: StreamClock
  readonly #socket: DatagramSocket
  readonly #stream: OutgoingStream
  readonly #forwarder: Forwarder
  readonly #digits: DigitQueue
  readonly #transcoder: Transcoder
  readonly #plays: PromptPlayer
  readonly #frameClock: FrameClock
  readonly #frames: FrameSources
  readonly #packetizer: Packetizer
  #agreement: Agreement | undefined
  #isTalking = false

  constructor(
    network: DatagramNetwork,
    socket: DatagramSocket,
    to: Destination,
    stream: OutgoingStream,
    events: SenderEvents,
    coders: OpusCoders,
    tickSlots: TickSlots,
  ) {
    this.#socket = socket
    this.#stream = stream
    this.#frameClock = new FrameClock(tickSlots)
    this.clock = new StreamClock(this.#frameClock, stream)
    this.#digits = new DigitQueue(id => events.digitsSent(id))
    this.#transcoder = new Transcoder(coders)
    this.#plays = new PromptPlayer((playId, completed) => events.played(playId, completed))
    const send = (packet: Uint8Array, length: number) => {
      socket.send(packet, length, to.address, to.port)
      to.sent()
    }
    this.#packetizer = new Packetizer(network, stream, to, events, send)
    stream.held = this.#packetizer
    this.#forwarder = new Forwarder(network, stream, this.#packetizer, send)
    const parts = {
      network,
      stream,
      clock: this.clock,
      to,
      events,
      digits: this.#digits,
      plays: this.#plays,
      transcoder: this.#transcoder,
      forwarder: this.#forwarder,
      packetizer: this.#packetizer,
      send,
    }
    this.#frames = new FrameSources(parts)
    this.bridged = new BridgeSource(parts)
  }

  /** Silence is sent when there is nothing else. */
  get isTalking(): boolean {
    return this.#isTalking
  }
  set isTalking(isTalking: boolean) {
    this.#isTalking = isTalking
    this.#frameClock.wake()
  }
  /** Until then `tick` has nothing to do. */
  get restsUntil(): number {
    return this.#packetizer.units > 0 || this.#forwarder.isRepacking ? 0 : this.#frameClock.restsUntil
  }
  /** What plays, and needs its prompt in the present codec. */
  get playNeedingPrompt(): string | undefined {
    const codec = this.#agreement?.codec
    return codec === undefined ? undefined : this.#plays.needsPromptIn(codec)
  }

  agree(agreement: Agreement): void {
    const before = this.#agreement
    const { codec, payloadType, ptimeMs, sendEvents, eventClockRate } = agreement
    this.#agreement = agreement
    this.#frameClock.wake()
    const isOther = this.clock.agree(codec, ptimeMs)
    const { unitsPerMs } = this.clock
    this.#packetizer.agree(codec === 'opus' ? ptimeMs : 0)
    this.#forwarder.agree(ptimeMs * unitsPerMs, unitsPerMs, isOther)
    this.#digits.agree(
      this.#frameClock.frameMs,
      sendEvents !== undefined,
      eventClockRate ?? codecFacts[codec].clockRate,
    )
    this.#transcoder.agree(agreement)
    this.bridged.agree(agreement)
    if (before?.payloadType !== payloadType) this.#stream.mark()
  }

  play(playback: Playback): void {
    this.#frameClock.wake()
    this.#plays.begin(playback, this.#frameClock.dueAt)
    this.#stream.mark()
  }

  /** Stops what plays, or only the play of that name. What has been sent whole was played, though it still sounds. */
  stop(playId?: string): void {
    this.#frameClock.wake()
    this.#plays.stop(playId)
  }

  /** The prompt of a play in another codec; the play goes on where it is. */
  continueWith(playId: string, prompt: Prompt): void {
    this.#frameClock.wake()
    this.#plays.continueWith(playId, prompt)
  }

  sendDigits(digitsId: string, digits: string): void {
    this.#frameClock.wake()
    this.#digits.enqueue(digitsId, digits)
  }

  /** The other leg is to be heard, or no more: what comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    this.#frameClock.wake()
    if (isBridged) this.isTalking = true
    this.bridged.bridge(isBridged)
  }

  /** What the remote says it loses, 0 to 100. */
  tune(lossPercent: number): void {
    this.#transcoder.tune(lossPercent)
  }

  tick(now: number, tickAt: number): void {
    const frames = this.#frameClock
    this.#packetizer.tick(now)
    this.#forwarder.tick(now)
    if (frames.isIdle(now)) return
    const agreement = this.#agreement
    if (agreement === undefined) return
    this.#plays.tick(now)
    if (!this.#hasFrames(now)) {
      if (!frames.isPaused) this.#packetizer.flush()
      frames.pause()
      if (!this.#plays.isEnding) frames.idleUntil(this.#isTalking ? this.#missedAt : Infinity)
      return
    }
    if (frames.isPaused) {
      this.#forwarder.interrupt()
      this.clock.resume(tickAt)
    }
    frames.beginTick()
    while (frames.isDue(tickAt)) {
      this.#frames.make(agreement, this.bridged.isBridged, now)
      frames.next(tickAt)
    }
    const leftOut = frames.endTick(tickAt)
    if (leftOut > 0) this.clock.pass(leftOut)
    if (this.#isSteady) frames.idleUntilDue()
  }

  /** The chain of what is sent, best source first: `dtmf | prompt | bridge(forward PCMU) | silence → packetize(20 ms)`. */
  describe(): string {
    const agreement = this.#agreement
    if (agreement === undefined) return 'not agreed'
    const { codec, ptimeMs } = agreement
    const bridge = `bridge(${this.#transcoder.isReading ? 'transcode' : 'forward'} ${codec})`
    const sources = [
      'dtmf',
      'prompt',
      ...(this.bridged.isBridged ? [bridge] : []),
      ...(this.#isTalking ? ['silence'] : []),
    ]
    return `${sources.join(' | ')} → packetize(${ptimeMs} ms)`
  }

  /** Ends what runs, reported as not completed. */
  close(): void {
    // RFC 3261 §15.1.1: nothing is sent after a BYE. Frames that wait in the packetizer are an exception: a play may have ended with them.
    if (!this.#packetizer.isPacking) this.#stream.takeBack(this.#socket.takeBack?.() ?? 0)
    this.#packetizer.flush()
    this.stop()
    this.#digits.close()
    this.#transcoder.free()
    this.#frameClock.close()
  }

  #hasFrames(now: number): boolean {
    if (this.#plays.isPlaying || this.#digits.busy) return true
    if (!this.isTalking) return false
    if (!this.bridged.isBridged || this.#transcoder.hasAudio) return true
    return !this.#forwarder.isFlowing || now >= this.#missedAt
  }

  /** A prompt or silence goes on, and nothing else is to be looked for before its next frame. */
  get #isSteady(): boolean {
    if (this.#plays.isEnding || this.#digits.busy) return false
    return this.#plays.isPlaying || (this.#isTalking && !this.bridged.isBridged)
  }

  /** When the other leg, of which something passes, will have been silent for too long. */
  get #missedAt(): number {
    return Math.max(this.#frameClock.dueAt, this.#forwarder.forwardedAt) + relayIdleMs
  }
}
