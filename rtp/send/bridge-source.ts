import { opusFrameMs, opusFrameUnitsOf } from '../codec/opus.ts'
import type { Agreement, EngineCodec } from '../contract/agreement.ts'
import type { SeatFormat } from '../mix/seat.ts'
import { headerLength, payloadOffsetOf } from '../packet/header.ts'
import type { PlayoutReader } from '../playout/playout-reader.ts'
import type { SendParts, SendState } from './frame-parts.ts'
import { isBridgePreempted } from './frame-sources.ts'
import type { ToneDetection } from './transcoder.ts'

const opusUnitsPerMs = 48
/** The order of digits that the other leg's remote sends. Its end is not reported. */
const passedOn = 'passed-on as events'

/**
 * What a leg's remote receives from those who are bridged with it: the other leg's packets, or a room's mix. They pace
 * themselves, and nothing of them goes out while a play or digits of our own do.
 */
export class BridgeSource {
  readonly #parts: SendParts
  readonly #state: SendState
  #mixFormat: SeatFormat | undefined

  constructor(parts: SendParts) {
    this.#parts = parts
    this.#state = parts.state
  }

  get codec(): EngineCodec | undefined {
    return this.#state.agreement?.codec
  }
  /** The remote takes digits as telephone-events; else only their tones reach it. */
  get takesEvents(): boolean {
    return this.#state.agreement?.sendEvents !== undefined
  }
  /**
   * A packet that begins with `first` cannot be passed on, though it is of the right codec: its frames are longer than
   * packets of ours may be, and a frame cannot be divided.
   */
  isTooLong(codec: EngineCodec, first: number): boolean {
    const longestMs = this.#state.agreement?.maxPtimeMs
    if (codec !== 'opus' || longestMs === undefined) return false
    return opusFrameUnitsOf(first) > opusUnitsPerMs * Math.max(longestMs, opusFrameMs)
  }
  /** In what a room's mix is to come. Another object after each agreement. */
  get mixFormat(): SeatFormat | undefined {
    return this.#mixFormat
  }
  /** False while a room's mix would not be sent, whatever it is. */
  get isMixSent(): boolean {
    return this.#isSelected && this.#state.agreement?.send === true
  }

  agree(agreement: Agreement): void {
    const { codec, opus } = agreement
    const { frameMs } = this.#parts.clock.frames
    this.#mixFormat = { codec, frameMs, ...(opus === undefined ? {} : { opus }) }
  }

  /** What comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    const { digits, transcoder, forwarder } = this.#parts
    this.#state.isBridged = isBridged
    digits.releaseAll()
    transcoder.read(undefined)
    forwarder.interrupt()
  }

  /**
   * The other leg's audio, of a codec whose packets cannot be relayed: it is read, a frame every ptime. `watch`: reports
   * where it holds a digit, which `toneEnded` brings too.
   */
  transcode(reader: PlayoutReader, watch: ToneDetection | undefined): void {
    if (!this.#state.isBridged) return
    const { transcoder, forwarder } = this.#parts
    this.#wake()
    if (!transcoder.isReading) forwarder.interrupt()
    transcoder.read(reader, watch)
  }

  /** A packet of audio of the other leg, of a codec that can be relayed; it may be altered. */
  audio(packet: Uint8Array, payloadLength: number, codec: EngineCodec, now: number): void {
    const { agreement } = this.#state
    const { transcoder, forwarder, clock } = this.#parts
    transcoder.read(undefined)
    if (agreement === undefined || !this.#isRelaying()) return
    transcoder.markDecoderUnsettled()
    forwarder.audio(packet, payloadLength, codec, agreement, now)
    clock.frames.follow(now)
    if (forwarder.isRepacking) this.#wake()
  }

  /** A packet's `length` bytes of a room's mix, due at `at`, in the format asked for; 0 = none is to be sent. */
  mix(payload: Uint8Array, length: number, at: number, now: number): void {
    const { agreement } = this.#state
    if (agreement === undefined || !this.#isRelaying()) return
    const { network, clock, forwarder, packetizer } = this.#parts
    const { frames } = clock
    if (frames.dueAt >= 0 && at - frames.dueAt >= frames.frameMs) {
      forwarder.interrupt()
      clock.resume(at)
    }
    forwarder.mix()
    // A packet of a prompt that has just ended, or of the silence before, lies in this one's place.
    if (frames.dueAt - at >= frames.frameMs / 2) return
    if (length > 0) {
      const packet = network.slot()
      for (let i = 0; i < length; i++) packet[headerLength + i] = payload[i]!
      packetizer.put(packet, agreement.payloadType, length, clock.frameUnits, true, at, now)
    } else clock.pass(1)
    frames.follow(at)
    if (packetizer.units > 0) this.#wake()
  }

  /** The other leg is silent (DTX), and describes how its silence sounds (RFC 3389); we generate it for a remote that does not. */
  comfortNoise(packet: Uint8Array, payloadLength: number, now: number): void {
    const { agreement } = this.#state
    const { transcoder, forwarder } = this.#parts
    if (agreement === undefined || !this.#isRelaying() || transcoder.isReading) return
    if (forwarder.comfortNoise(packet, payloadLength, agreement, now)) return
    this.#wake()
    transcoder.comfortNoise(packet, payloadOffsetOf(packet), payloadLength)
  }

  /** A telephone-event of the other leg, its duration counted in `clockRate`. */
  event(packet: Uint8Array, payloadLength: number, clockRate: number, now: number): void {
    const { agreement } = this.#state
    if (agreement === undefined || !this.#isRelaying()) return
    const { transcoder, forwarder } = this.#parts
    this.#wake()
    forwarder.event(packet, payloadLength, clockRate, agreement, transcoder.isReading, now)
  }

  /**
   * A digit of the other leg begins, as its telephone-events report, or ends: a remote that takes no events gets the
   * tone. A digit that begins during another waits for its turn: otherwise a remote that also sends the tone in its
   * audio would be audible with it until the digit ends.
   */
  digitDown(digit: string): void {
    const { digits, plays, to } = this.#parts
    this.#wake()
    if (!this.takesEvents && this.#state.isBridged && !plays.isPlaying && to.maySend()) digits.digitDown(digit)
  }
  digitUp(digit: string, durationMs: number): void {
    const { digits, plays } = this.#parts
    this.#wake()
    // It went down before a prompt, or before events were agreed on: it must not sound for ever.
    if (this.takesEvents || plays.isPlaying) digits.releaseAll()
    else if (this.#state.isBridged) digits.digitUp(digit, durationMs)
  }

  /**
   * The other leg's remote has sent a digit as a tone: a remote that takes events gets one, and has not received the
   * tone.
   */
  toneEnded(digit: string): void {
    const { digits, plays } = this.#parts
    this.#wake()
    if (this.takesEvents && this.#state.isBridged && !plays.isPlaying) digits.enqueue(passedOn, digit)
  }

  /** No source of ours precedes it. */
  get #isSelected(): boolean {
    return this.#state.isBridged && !isBridgePreempted(this.#parts)
  }

  #isRelaying(): boolean {
    const { to, forwarder } = this.#parts
    if (this.#isSelected && to.maySend()) return true
    forwarder.interrupt()
    this.#wake()
    return false
  }

  #wake(): void {
    this.#parts.clock.frames.wake()
  }
}
