import { opusFrameMs, opusFrameUnitsOf } from '../codec/opus.ts'
import type { Agreement, EngineCodec } from '../contract/agreement.ts'
import type { SeatFormat } from '../mix/seat.ts'
import { headerLength, payloadOffsetOf } from '../packet/header.ts'
import type { Ear } from '../playout/playout-reader.ts'
import type { FrameParts } from './frame-parts.ts'
import type { ToneWatch } from './transcoder.ts'

const opusUnitsPerMs = 48
/** The order of digits that the other leg's far end pressed. Nobody waits for it. */
const passedOn = 'passed-on as events'

/**
 * What a leg's far end hears of those who are bridged with it: the other leg's packets, or a room's mix. They pace
 * themselves, and nothing of them goes out while a play or digits of our own do.
 */
export class BridgedFrames {
  readonly #parts: FrameParts
  #isBridged = false
  #agreement: Agreement | undefined
  #mixFormat: SeatFormat | undefined

  constructor(parts: FrameParts) {
    this.#parts = parts
  }

  /** Another leg, or a room, is to be heard. */
  get isBridged(): boolean {
    return this.#isBridged
  }
  get codec(): EngineCodec | undefined {
    return this.#agreement?.codec
  }
  /** The far end takes digits as telephone-events; else only their tones reach it. */
  get takesEvents(): boolean {
    return this.#agreement?.sendEvents !== undefined
  }
  /**
   * A packet that begins with `first` cannot be passed on, though it is of the right codec: its frames are longer than
   * packets of ours may be, and a frame cannot be divided.
   */
  isTooLong(codec: EngineCodec, first: number): boolean {
    const longestMs = this.#agreement?.maxPtimeMs
    if (codec !== 'opus' || longestMs === undefined) return false
    return opusFrameUnitsOf(first) > opusUnitsPerMs * Math.max(longestMs, opusFrameMs)
  }
  /** In what a room's mix is to come. Another object after each agreement. */
  get mixFormat(): SeatFormat | undefined {
    return this.#mixFormat
  }
  /** False while a room's mix would not be sent, whatever it is. */
  get isMixHeard(): boolean {
    return this.#isHeard && this.#agreement?.send === true
  }

  agree(agreement: Agreement): void {
    this.#agreement = agreement
    const { codec, opus } = agreement
    const { frameMs } = this.#parts.clock.pace
    this.#mixFormat = { codec, frameMs, ...(opus === undefined ? {} : { opus }) }
  }

  /** What comes next does not continue what came before. */
  bridge(isBridged: boolean): void {
    const { digits, voice, passage } = this.#parts
    this.#isBridged = isBridged
    digits.releaseAll()
    voice.listen(undefined)
    passage.interrupt()
  }

  /**
   * The other leg's audio, of a codec whose packets cannot be relayed: it is read, a frame every ptime. `watch`: tells
   * where it holds a digit, which `toneEnded` brings too.
   */
  listen(ear: Ear, watch: ToneWatch | undefined): void {
    if (!this.#isBridged) return
    const { voice, passage } = this.#parts
    this.#stir()
    if (!voice.isHeard) passage.interrupt()
    voice.listen(ear, watch)
  }

  /** A packet of audio of the other leg, of a codec that can be relayed; it may be altered. */
  audio(packet: Uint8Array, payloadLength: number, codec: EngineCodec, now: number): void {
    const agreement = this.#agreement
    const { voice, passage, clock } = this.#parts
    voice.listen(undefined)
    if (agreement === undefined || !this.#isRelaying()) return
    voice.unsettle()
    passage.audio(packet, payloadLength, codec, agreement, now)
    clock.pace.follow(now)
  }

  /** A packet's `length` bytes of a room's mix, due at `at`, in the format asked for; 0 = none is to be sent. */
  mix(payload: Uint8Array, length: number, at: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying()) return
    const { network, clock, passage, outlet } = this.#parts
    const { pace } = clock
    if (pace.dueAt >= 0 && at - pace.dueAt >= pace.frameMs) {
      passage.interrupt()
      clock.resume(at)
    }
    passage.mix()
    // A packet of a prompt that has just ended, or of the silence before, lies in this one's place.
    if (pace.dueAt - at >= pace.frameMs / 2) return
    if (length > 0) {
      const packet = network.slot()
      for (let i = 0; i < length; i++) packet[headerLength + i] = payload[i]!
      outlet.put(packet, agreement.payloadType, length, clock.frameUnits, true, at, now)
    } else clock.pass(1)
    pace.follow(at)
  }

  /** The other leg rests, and tells how its silence sounds (RFC 3389); the far end hears that from us, if not itself. */
  rest(packet: Uint8Array, payloadLength: number, now: number): void {
    const agreement = this.#agreement
    const { voice, passage } = this.#parts
    if (agreement === undefined || !this.#isRelaying() || voice.isHeard) return
    if (passage.rest(packet, payloadLength, agreement, now)) return
    this.#stir()
    voice.rest(packet, payloadOffsetOf(packet), payloadLength)
  }

  /** A telephone-event of the other leg, its duration counted in `clockRate`. */
  event(packet: Uint8Array, payloadLength: number, clockRate: number, now: number): void {
    const agreement = this.#agreement
    if (agreement === undefined || !this.#isRelaying()) return
    const { voice, passage } = this.#parts
    this.#stir()
    passage.event(packet, payloadLength, clockRate, agreement, voice.isHeard, now)
  }

  /**
   * A key of the other leg goes down, as its telephone-events tell, and up: who takes none hears the tone. One that
   * comes while another sounds waits its turn from when it is down: else a far end that sends its tone in the audio, too,
   * would be heard with that until the key is up.
   */
  keyDown(digit: string): void {
    const { digits, plays, to } = this.#parts
    this.#stir()
    if (!this.takesEvents && this.#isBridged && !plays.isPlaying && to.maySend()) digits.press(digit)
  }
  keyUp(digit: string, durationMs: number): void {
    const { digits, plays } = this.#parts
    this.#stir()
    // It went down before a prompt, or before events were agreed on: it must not sound for ever.
    if (this.takesEvents || plays.isPlaying) digits.releaseAll()
    else if (this.#isBridged) digits.release(digit, durationMs)
  }

  /** The other leg's far end has sent a digit as a tone: who takes events gets one, and has not heard the tone. */
  toneEnded(digit: string): void {
    const { digits, plays } = this.#parts
    this.#stir()
    if (this.takesEvents && this.#isBridged && !plays.isPlaying) digits.enqueue(passedOn, digit)
  }

  /** Nothing of our own goes before. */
  get #isHeard(): boolean {
    return this.#isBridged && !this.#parts.plays.isPlaying && !this.#parts.digits.busy
  }

  #isRelaying(): boolean {
    const { to, passage } = this.#parts
    if (this.#isHeard && to.maySend()) return true
    passage.interrupt()
    this.#stir()
    return false
  }

  #stir(): void {
    this.#parts.clock.pace.stir()
  }
}
