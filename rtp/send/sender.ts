import { Forwarder } from '../bridge/forwarder.ts'
import { codecFacts } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { Prompt } from '../contract/prompts.ts'
import { type DatagramNetwork, type DatagramSocket, describeSocket } from '../net/network.ts'
import type { Destination, SenderEvents } from '../packetize/destination.ts'
import { FrameClock } from '../packetize/frame-clock.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import { Packetizer } from '../packetize/packetizer.ts'
import { StreamClock } from '../packetize/stream-clock.ts'
import type { TickSlots } from '../packetize/tick-slots.ts'
import { BridgeSource } from './bridge-source.ts'
import { DigitQueue } from './digit-queue.ts'
import type { SendParts, SendState } from './frame-parts.ts'
import { describeSources, type FrameSourceName, makeFrame, presentSource, silentFrom } from './frame-sources.ts'
import type { Playback } from './playback.ts'
import { PromptPlayer } from './prompt-player.ts'
import { Transcoder } from './transcoder.ts'

/**
 * The sending side of a leg: sources by the priority of `frameSources`, frames, packets. Prompts, digits and silence are
 * paced by the frame clock, one frame every ptime; forwarded packets are paced by the other leg.
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
  readonly #packetizer: Packetizer
  readonly #state: SendState = { agreement: undefined, isTalking: false, isBridged: false }
  readonly #parts: SendParts

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
      if (stream.tapesAll) stream.tape?.leaves(packet, length)
      socket.send(packet, length, to.address, to.port)
      to.sent()
    }
    this.#packetizer = new Packetizer(network, stream, to, events, send)
    stream.held = this.#packetizer
    this.#forwarder = new Forwarder(network, stream, this.#packetizer, send)
    this.#parts = {
      state: this.#state,
      network,
      stream,
      clock: this.clock,
      to,
      digits: this.#digits,
      plays: this.#plays,
      transcoder: this.#transcoder,
      forwarder: this.#forwarder,
      packetizer: this.#packetizer,
      send,
    }
    this.bridged = new BridgeSource(this.#parts)
  }

  /** Silence is sent when there is nothing else. */
  get isTalking(): boolean {
    return this.#state.isTalking
  }
  set isTalking(isTalking: boolean) {
    this.#state.isTalking = isTalking
    this.#frameClock.wake()
  }
  /** Until then `tick` has nothing to do. */
  get idleUntil(): number {
    return this.#packetizer.units > 0 || this.#forwarder.isRepacking ? 0 : this.#frameClock.idleUntil
  }
  /** What plays, and needs its prompt in the present codec. */
  get playNeedingPrompt(): string | undefined {
    const codec = this.#state.agreement?.codec
    return codec === undefined ? undefined : this.#plays.needsPromptIn(codec)
  }

  agree(agreement: Agreement): void {
    const before = this.#state.agreement
    const { codec, payloadType, ptimeMs, sendEvents, eventClockRate } = agreement
    this.#state.agreement = agreement
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

  /** The other leg's audio is sent from now on, or no longer: what comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    this.#frameClock.wake()
    if (isBridged) this.isTalking = true
    this.bridged.bridge(isBridged)
  }

  /** What the remote says it loses, 0 to 100. */
  tune(lossPercent: number): void {
    this.#transcoder.tune(lossPercent)
  }

  /** Reads what `tick` and a forwarded packet need; see `readAheadOf`. */
  readAhead(): number {
    const { idleUntil, dueAt, frameMs } = this.#frameClock
    const { packets, octets, timestamp, ssrc } = this.#stream
    const { forwardedAt, eventUntil, isFlowing } = this.#forwarder
    const flags = Number(isFlowing) + Number(this.#digits.busy) + Number(this.#transcoder.isReading)
    const counts = packets + octets + timestamp + ssrc + this.#packetizer.units + this.#socket.port
    return (idleUntil + dueAt + frameMs + forwardedAt + eventUntil + flags + counts + this.#plays.readAhead()) | 0
  }

  tick(now: number, tickAt: number): void {
    const frames = this.#frameClock
    this.#packetizer.tick(now)
    this.#forwarder.tick(now)
    if (frames.isIdle(now)) return
    const { agreement } = this.#state
    if (agreement === undefined) return
    this.#plays.tick(now)
    if (presentSource(this.#parts, now) === undefined) {
      if (!frames.isPaused) this.#packetizer.flush()
      frames.pause()
      if (!this.#plays.isEnding) frames.idleUntil = this.isTalking ? silentFrom(this.#parts) : Infinity
      return
    }
    if (frames.isPaused) {
      this.#forwarder.interrupt()
      this.clock.resume(tickAt)
    }
    frames.beginTick()
    while (frames.isDue(tickAt)) {
      makeFrame(this.#parts, agreement, now)
      frames.next(tickAt)
    }
    const leftOut = frames.endTick(tickAt)
    if (leftOut > 0) this.clock.pass(leftOut)
    if (this.#isSteady(now)) frames.idleUntilDue()
  }

  /** The chain, the most urgent source first: `dtmf | prompt | bridge(forward PCMU) → packetize(20 ms) → srtp → udp:10002`. */
  describe(): string {
    const { agreement } = this.#state
    const socket = describeSocket(this.#socket)
    if (agreement === undefined) return `nothing is agreed → ${socket}`
    return [describeSources(this.#parts, agreement), this.#packetizer.describe(agreement.ptimeMs), socket].join(' → ')
  }

  /** What is sent now; `nothing`: no packet is due, or none may be sent. */
  sourceAt(now: number): FrameSourceName | 'nothing' {
    const source = presentSource(this.#parts, now)?.name
    if (source !== undefined) return source
    return this.#state.isBridged && this.#forwarder.isFlowing ? 'bridge' : 'nothing'
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

  /** A prompt or silence goes on, and nothing else is to be looked for before its next frame. */
  #isSteady(now: number): boolean {
    if (this.#plays.isEnding) return false
    const source = presentSource(this.#parts, now)?.name
    return source === 'prompt' || (source === 'silence' && !this.#state.isBridged)
  }
}
