import { Passage } from '../bridge/forwarder.ts'
import { codecFacts } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { Prompt } from '../contract/prompts.ts'
import type { DatagramNetwork, DatagramSocket } from '../net/network.ts'
import type { Destination, SenderEvents } from '../packetize/destination.ts'
import { Pace } from '../packetize/frame-clock.ts'
import type { OutStream } from '../packetize/outgoing-stream.ts'
import { FrameOutlet } from '../packetize/packetizer.ts'
import { OutClock } from '../packetize/stream-clock.ts'
import type { Beats } from '../packetize/tick-slots.ts'
import { BridgedFrames } from './bridge-source.ts'
import { DigitQueue } from './digit-queue.ts'
import { OwnFrames } from './frame-sources.ts'
import type { Playback } from './playback.ts'
import { PlayLine } from './prompt-player.ts'
import { Voice } from './transcoder.ts'

/** When the other leg was silent for so long, we send silence of our own, lest the far end believes us gone. */
export const relayIdleMs = 500

/**
 * What a leg's far end hears. Digits go before a prompt, a prompt before the other leg, the other leg before silence.
 * Prompts, digits and silence are paced by the clock, a frame every ptime; the other leg's packets by themselves.
 */
export class Sender {
  /** The way in for the other leg, or a room. */
  readonly bridged: BridgedFrames
  readonly clock: OutClock
  readonly #socket: DatagramSocket
  readonly #stream: OutStream
  readonly #passage: Passage
  readonly #digits: DigitQueue
  readonly #voice: Voice
  readonly #plays: PlayLine
  readonly #pace: Pace
  readonly #frames: OwnFrames
  readonly #outlet: FrameOutlet
  #agreement: Agreement | undefined
  #isTalking = false

  constructor(
    network: DatagramNetwork,
    socket: DatagramSocket,
    to: Destination,
    stream: OutStream,
    events: SenderEvents,
    coders: OpusCoders,
    beats: Beats,
  ) {
    this.#socket = socket
    this.#stream = stream
    this.#pace = new Pace(beats)
    this.clock = new OutClock(this.#pace, stream)
    this.#digits = new DigitQueue(id => events.digitsSent(id))
    this.#voice = new Voice(coders)
    this.#plays = new PlayLine((playId, completed) => events.played(playId, completed))
    const send = (packet: Uint8Array, length: number) => {
      socket.send(packet, length, to.address, to.port)
      to.sent()
    }
    this.#outlet = new FrameOutlet(network, stream, to, events, send)
    stream.held = this.#outlet
    this.#passage = new Passage(network, stream, this.#outlet, send)
    const parts = {
      network,
      stream,
      clock: this.clock,
      to,
      events,
      digits: this.#digits,
      plays: this.#plays,
      voice: this.#voice,
      passage: this.#passage,
      outlet: this.#outlet,
      send,
    }
    this.#frames = new OwnFrames(parts)
    this.bridged = new BridgedFrames(parts)
  }

  /** Silence is sent when there is nothing else. */
  get isTalking(): boolean {
    return this.#isTalking
  }
  set isTalking(isTalking: boolean) {
    this.#isTalking = isTalking
    this.#pace.stir()
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
    this.#pace.stir()
    const isOther = this.clock.agree(codec, ptimeMs)
    const { unitsPerMs } = this.clock
    this.#outlet.agree(codec === 'opus' ? ptimeMs : 0)
    this.#passage.agree(ptimeMs * unitsPerMs, unitsPerMs, isOther)
    this.#digits.agree(this.#pace.frameMs, sendEvents !== undefined, eventClockRate ?? codecFacts[codec].clockRate)
    this.#voice.agree(agreement)
    this.bridged.agree(agreement)
    if (before?.payloadType !== payloadType) this.#stream.mark()
  }

  play(playback: Playback): void {
    this.#pace.stir()
    this.#plays.begin(playback, this.#pace.dueAt)
    this.#stream.mark()
  }

  /** Stops what plays, or only the play of that name. What has been sent whole was played, though it still sounds. */
  stop(playId?: string): void {
    this.#pace.stir()
    this.#plays.stop(playId)
  }

  /** The prompt of a play in another codec; the play goes on where it is. */
  goOnWith(playId: string, prompt: Prompt): void {
    this.#pace.stir()
    this.#plays.goOnWith(playId, prompt)
  }

  sendDigits(digitsId: string, digits: string): void {
    this.#pace.stir()
    this.#digits.enqueue(digitsId, digits)
  }

  /** The other leg is to be heard, or no more: what comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    this.#pace.stir()
    if (isBridged) this.isTalking = true
    this.bridged.bridge(isBridged)
  }

  /** What the far end says it loses, 0 to 100. */
  tune(lossPercent: number): void {
    this.#voice.tune(lossPercent)
  }

  tick(now: number, beatAt: number): void {
    const pace = this.#pace
    this.#outlet.tick(now)
    this.#passage.tick(now)
    if (pace.isIdle(now)) return
    const agreement = this.#agreement
    if (agreement === undefined) return
    this.#plays.tick(now)
    if (!this.#hasFrames(now)) {
      if (!pace.isResting) this.#outlet.flush()
      pace.rest()
      if (!this.#plays.isEnding) pace.idleUntil(this.#isTalking ? this.#missedAt : Infinity)
      return
    }
    if (pace.isResting) {
      this.#passage.interrupt()
      this.clock.resume(beatAt)
    }
    pace.beginTick()
    while (pace.isDue(beatAt)) {
      this.#frames.make(agreement, this.bridged.isBridged, now)
      pace.next(beatAt)
    }
    const leftOut = pace.endTick(beatAt)
    if (leftOut > 0) this.clock.pass(leftOut)
  }

  /** Ends what runs, told as not completed. */
  close(): void {
    // Nothing of ours is sent behind a BYE (RFC 3261 §15.1.1); but of frames that wait for others a play may have ended.
    if (!this.#outlet.isPacking) this.#stream.takeBack(this.#socket.takeBack?.() ?? 0)
    this.#outlet.flush()
    this.stop()
    this.#digits.close()
    this.#voice.free()
    this.#pace.close()
  }

  #hasFrames(now: number): boolean {
    if (this.#plays.isPlaying || this.#digits.busy) return true
    if (!this.isTalking) return false
    if (!this.bridged.isBridged || this.#voice.sounds) return true
    return !this.#passage.isFlowing || now >= this.#missedAt
  }

  /** When the other leg, of which something passes, will have been silent for too long. */
  get #missedAt(): number {
    return Math.max(this.#pace.dueAt, this.#passage.passedAt) + relayIdleMs
  }
}
