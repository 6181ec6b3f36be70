import type { OpusCoders } from '../codec/opus.ts'
import { coderKeyOf, MixCoder } from './mix-coder.ts'
import { type MixRate, mixFrameMs, mixRateOf, samplesOfFrame } from './mix-rate.ts'
import type { Seat, SeatFormat } from './seat.ts'
import { SpeechGate } from './speech-gate.ts'

/**
 * Frames for which a member keeps its own encoder after it has spoken: by then both encoders have had the same input
 * for long enough that their states are alike, and the change is inaudible. G.711 has no state.
 */
const ownFrames = 50
/** The longest packet, and a frame more. */
const longestHeldMs = 80

/** One member in a room: its voice of this frame, and the coder for what only it receives. */
export class RoomMember {
  readonly seat: Seat
  isMuted: boolean
  /** Its voice is in this frame's sum. */
  isAudible = false
  /** What it has said in this frame, as it is in the sum. */
  pcm = new Int16Array(0)
  rate: MixRate | undefined
  /** Key of the encoder that may be shared; '' = its packets are not as long as the room's frames. */
  coderKey = ''
  readonly #coders: OpusCoders
  readonly #gate = new SpeechGate()
  #format: SeatFormat | undefined
  #ownFrames = 0
  #own: MixCoder | undefined
  /** What waits until it makes a packet. */
  #held = new Int16Array(0)
  #heldCount = 0

  constructor(seat: Seat, isMuted: boolean, coders: OpusCoders) {
    this.seat = seat
    this.isMuted = isMuted
    this.#coders = coders
  }

  /** It receives audio, or packet lengths, of its own. */
  get hasOwnMix(): boolean {
    return this.isAudible || this.#ownFrames > 0 || this.coderKey === ''
  }

  /** Follows what is agreed on with its remote. */
  refresh(): void {
    const { format } = this.seat
    if (format === this.#format) return
    this.#format = format
    this.#own?.free()
    this.#own = undefined
    this.#heldCount = 0
    this.#ownFrames = 0
    if (format === undefined) {
      this.rate = undefined
      return
    }
    const rate = mixRateOf(format.codec)
    if (rate !== this.rate) this.pcm = new Int16Array(samplesOfFrame(rate))
    this.rate = rate
    this.coderKey = format.frameMs === mixFrameMs ? coderKeyOf(format) : ''
    this.#held = new Int16Array(this.coderKey === '' ? (rate * longestHeldMs) / 1000 : 0)
  }

  /** Reads its frame. */
  read(now: number): void {
    const { rate, pcm } = this
    this.isAudible = false
    if (rate === undefined || (this.isMuted && !this.#gate.isOpen)) {
      if (this.#ownFrames > 0) this.#ownFrames--
      return
    }
    this.seat.readInto(pcm, pcm.length, rate, now)
    this.isAudible = this.isMuted ? this.#gate.shut(pcm, pcm.length) : this.#gate.pass(pcm, pcm.length)
    if (this.isAudible) this.#ownFrames = this.#isStateless ? 0 : ownFrames
    else if (this.#ownFrames > 0) this.#ownFrames--
  }

  /** Audio that others still receive of it when it leaves; undefined when there is none. */
  lastWords(now: number): Int16Array | undefined {
    const { rate, pcm } = this
    if (rate === undefined || !this.#gate.isOpen) return undefined
    this.seat.readInto(pcm, pcm.length, rate, now)
    return this.#gate.shut(pcm, pcm.length) ? pcm : undefined
  }

  /** Sends what it alone receives: a frame of `mix`. */
  send(mix: Int16Array, at: number, now: number): void {
    const format = this.#format
    if (format === undefined) return
    this.#own ??= new MixCoder(format, this.#coders)
    this.#own.tune(this.seat.lossPercent)
    if (this.coderKey !== '') {
      this.#own.encode(mix, 0, this.pcm.length)
      this.seat.sendMix(this.#own.payload, this.#own.length, at, now)
    } else this.#pack(this.#own, format.frameMs, mix, at, now)
  }

  free(): void {
    this.#own?.free()
    this.#own = undefined
  }

  get #isStateless(): boolean {
    return this.#format?.codec === 'PCMU' || this.#format?.codec === 'PCMA'
  }

  /** In packets of another length than the room's frames. */
  #pack(own: MixCoder, frameMs: number, mix: Int16Array, at: number, now: number): void {
    const count = this.pcm.length
    const wanted = (count * frameMs) / mixFrameMs
    const held = this.#held
    for (let i = 0; i < count; i++) held[this.#heldCount + i] = mix[i]!
    this.#heldCount += count
    let from = 0
    for (let due = at; this.#heldCount - from >= wanted; due += frameMs) {
      own.encode(held, from, wanted)
      this.seat.sendMix(own.payload, own.length, due, now)
      from += wanted
    }
    held.copyWithin(0, from, this.#heldCount)
    this.#heldCount -= from
  }
}
