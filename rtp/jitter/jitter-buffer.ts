import { payloadLengthOf, payloadOffsetOf, sequenceOf, timestampOf } from '../packet/header.ts'
import { ClockStep, stepMs } from './clock-step.ts'
import { DelayControl, growFromMs, type Wish } from './delay-control.ts'
import { DelayEstimate } from './delay-estimate.ts'
import { ExcessDelay } from './excess-delay.ts'
import type { JitterBufferConfig } from './jitter-buffer-config.ts'
import { MediaLine } from './media-line.ts'
import { type JitterCounters, nothing, PacketQueue, type Pushed } from './packet-queue.ts'
import { audio, type PacketSlots } from './packet-slots.ts'
import { ProbationPacket } from './probation-packet.ts'

/**
 * What is to be played now. `frame`: decode the payload. `lost`: conceal `units` of the timestamp clock. `gap`: the
 * remote sent nothing for `units`: silence. `waiting`: nothing yet; fill the time as after a loss, then with silence.
 */
export type Pulled = 'frame' | 'lost' | 'gap' | 'waiting'

export type { JitterCounters, Pushed } from './packet-queue.ts'

/** A transit time longer than the shortest by this is the remote's clock starting again, not the network. */
const leapMs = 1000
/** What is missing is not reported in smaller pieces than this, however short packets are: a second of them may be missing. */
const leastPieceMs = 10
/** A packet that follows another lies no further after its end than this share of a frame. */
const adjoining = 0.25

/**
 * An adaptive jitter buffer, pulled by the listener's clock. Packets are put in order; a missing one is waited for
 * until the delay has reached the aim, and only then lost. What comes after a wait is still played, so that the delay
 * grows to what the network needs; it shrinks by the listener's stretching of time, or else by dropped frames.
 */
export class JitterBuffer {
  /**
   * After `frame`: the payload is `frameLength` bytes of `payload` from `frameFrom` on, until the next push. After
   * `lost`: the packet that follows at once, which may hold a copy of what was lost; `frameLength` 0 when none does.
   */
  readonly payload: Uint8Array
  frameFrom = 0
  frameLength = 0
  framePayloadType = 0
  frameTimestamp = 0
  /** True when audio before this frame was dropped, or another source speaks: join it softly. */
  frameJoins = false
  /** How long what was pulled lasts, in timestamp units; 0 after `waiting`. */
  units = 0
  /** After `frame`, for a listener that stretches: what to do with what it has not played yet. */
  wish: Wish = 'keep'

  readonly #queue: PacketQueue
  readonly #slots: PacketSlots
  readonly #doubted: ProbationPacket
  readonly #unitsIn: (payload: Uint8Array, from: number, length: number) => number
  readonly #repairs: ((payload: Uint8Array, from: number, length: number) => boolean) | undefined
  readonly #keepAll: boolean
  readonly #estimate: DelayEstimate
  readonly #line: MediaLine
  readonly #step: ClockStep
  readonly #excess: ExcessDelay
  readonly #control: DelayControl | undefined
  /** Delay below the target that is tolerated without waiting. */
  readonly #borneMs: number

  /** Where on the media line what is played next should lie. */
  #expectedMs = 0
  #frameMs = 20
  #playing = false
  #losing = false
  /** When there was nothing more to be played. */
  #stoppedAt = 0
  #delayMs = 0

  constructor(config: JitterBufferConfig = {}) {
    const stretches = config.stretches ?? false
    this.#queue = new PacketQueue(config.capacity ?? 64, config.slotLength ?? 480)
    this.#slots = this.#queue.slots
    this.#doubted = new ProbationPacket(this.#slots.slotLength)
    this.payload = this.#slots.bytes
    this.#unitsIn = config.unitsIn ?? ((_payload, _from, length) => length)
    this.#repairs = config.repairs
    this.#keepAll = config.keepAll ?? false
    this.#estimate = new DelayEstimate(config)
    this.#line = new MediaLine(config.clockRate ?? 8000)
    this.#step = new ClockStep(config.clockRate ?? 8000)
    this.#excess = new ExcessDelay(stretches)
    this.#control = stretches ? new DelayControl() : undefined
    this.#borneMs = stretches ? growFromMs : 0
  }

  get counters(): JitterCounters {
    return this.#queue.counters
  }
  /** The delay that it aims at, beyond the network's fastest. */
  get aimMs(): number {
    return this.#estimate.aimMs
  }
  /** By how much the last frame was played later than with the shortest transit time and no buffering. */
  get delayMs(): number {
    return this.#delayMs
  }
  /** Packets that wait. */
  get size(): number {
    return this.#slots.waiting
  }
  /** The packet that follows what was pulled last is here. */
  get isNextReady(): boolean {
    const { next, isUnplayed } = this.#queue
    if (!this.#playing || isUnplayed || this.#slots.stateOf(next) !== audio) return false
    return this.#slots.placeOf(next) - this.#expectedMs < this.#frameMs * adjoining
  }

  /** Takes a packet of audio that `isRtp`. */
  push(packet: Uint8Array, length: number, now: number): Pushed {
    const bytes = payloadLengthOf(packet, length)
    const result = bytes > this.#slots.slotLength ? 'oversize' : this.#take(packet, now, bytes)
    this.#queue.counters[result]++
    return result
  }

  /** Takes note of a packet of the same stream without audio, a telephone-event: its number is not missing. */
  note(packet: Uint8Array, now: number): void {
    this.#take(packet, now, 0)
  }

  /**
   * The next audio to be played. `now`: when it is needed. `playsAt`: when all audio that was pulled before will have
   * been played, which is later for a listener that holds the rest of a frame.
   */
  pull(now: number, playsAt = now): Pulled {
    if (this.#queue.isUnplayed) this.#playing = false
    let index = this.#queue.first()
    if (index === nothing) return this.#wait(playsAt)
    if (this.#playing && !this.#keepAll) index = this.#shorten(index, now)
    const placeMs = this.#slots.placeOf(index)
    const isBehindLoss = this.#queue.missingBefore(index) > 0
    // A listener that stretches needs no silence to restore the aim after a loss.
    const mayResume = this.#control !== undefined && !this.#queue.isUnplayed
    if (!this.#playing && isBehindLoss && mayResume) this.#resumePlayout(placeMs, playsAt)
    const aheadMs = placeMs - this.#expectedMs
    if (!this.#playing) {
      // A packet that merely came late goes out at once; after a silence or a loss the aim is restored first.
      const isMerelyLate = !this.#queue.isUnplayed && !isBehindLoss && aheadMs < 1
      if (!isMerelyLate && now < this.#dueAt(placeMs)) return this.#wait(playsAt)
    } else if (aheadMs >= this.#frameMs * adjoining) {
      if (isBehindLoss) {
        if (now < this.#dueAt(this.#expectedMs) - this.#borneMs) return this.#wait(playsAt)
        this.#queue.giveUpUntil(index)
        this.#losing = true
      }
      return this.#fill(index, aheadMs)
    }
    return this.#play(index, now, playsAt)
  }

  /** A place in the sound that fits less well will do for the next stretch. */
  isUrgent(now: number): boolean {
    return this.#control?.isUrgent(now) === true
  }

  /** The listener has left out (less than 0) or added time in what it has not played yet. */
  stretched(ms: number, now: number): void {
    this.#control?.stepped(ms, now)
    const { counters } = this.#queue
    if (ms < 0) counters.acceleratedMs -= ms
    else counters.expandedMs += ms
  }

  /** Playout was paused for a while: what waits is out of date, and the next packet restarts. */
  skip(): void {
    this.#queue.skip()
    this.#playing = false
    this.#wait(0)
  }

  #take(packet: Uint8Array, now: number, bytes: number): Pushed {
    let result = this.#queue.admit(packet, now)
    if (result === 'doubtful') this.#doubted.keep(packet, bytes, now)
    const first = this.#queue.hasRestarted ? this.#doubted.before(packet, now) : undefined
    if (first !== undefined) {
      const { bytes: firstBytes, at } = this.#doubted
      if (this.#queue.readmit(first, at) === 'queued') this.#lay(first, at, firstBytes)
      result = this.#queue.admit(packet, now)
    }
    if (result === 'late' && bytes > 0) {
      const transitMs = now - this.#line.placeOf(timestampOf(packet))
      if (Math.abs(transitMs - this.#estimate.fastestMs) < leapMs) this.#estimate.receive(transitMs, now)
    }
    if (result === 'queued') this.#lay(packet, now, bytes)
    return result
  }

  /** Puts the packet that was admitted in its place. */
  #lay(packet: Uint8Array, now: number, bytes: number): void {
    if (bytes <= 0) {
      this.#queue.note()
      return
    }
    const from = payloadOffsetOf(packet)
    const lengthMs = this.#line.msOf(this.#unitsIn(packet, from, bytes))
    const placeMs = this.#place(packet, lengthMs, now)
    this.#queue.put(packet, bytes, placeMs)
    // With this packet the one before it arrives too, as it were, a frame later than it should.
    if (this.#queue.isMissingBefore && this.#repairs?.(packet, from, bytes) === true) {
      this.#estimate.receive(now - placeMs + lengthMs, now)
    }
  }

  /** Puts a packet on the media line and takes its transit time into account. */
  #place(packet: Uint8Array, lengthMs: number, now: number): number {
    const timestamp = timestampOf(packet)
    const step = this.#step.judge(sequenceOf(packet), timestamp, now)
    const { fastestMs } = this.#estimate
    let placeMs = this.#line.placeOf(timestamp)
    const slowerMs = now - placeMs - fastestMs
    const isSet = step === 'back' || (step === 'ahead' && slowerMs < -stepMs)
    const leaps = isSet || slowerMs > leapMs || (slowerMs < -leapMs && placeMs - this.#line.endMs > leapMs)
    if (Number.isFinite(fastestMs) && (leaps || this.#queue.isUnplayed)) {
      // After what waits; else where a packet with the shortest transit time would lie.
      if (this.#slots.waiting === 0) placeMs = Math.max(this.#line.endMs, now - fastestMs)
      else if (leaps) placeMs = this.#line.endMs
    }
    this.#line.put(timestamp, placeMs, lengthMs)
    this.#estimate.receive(now - placeMs, now)
    return placeMs
  }

  #dueAt(placeMs: number): number {
    return placeMs + this.#estimate.fastestMs + this.#estimate.aimMs
  }

  /** Drops audio when the delay was too long for a whole window. Returns the index to be played. */
  #shorten(first: number, now: number): number {
    const excessMs = now - this.#dueAt(this.#slots.placeOf(first))
    let index = first
    for (let left = this.#excess.observe(excessMs, this.#frameMs, now); left > 0; left -= this.#frameMs) {
      if (this.#slots.waiting < 2) break
      this.#queue.drop(index + 1)
      index = this.#queue.first()
    }
    if (index !== first) {
      this.#expectedMs = this.#slots.placeOf(index)
      this.#control?.restart()
    }
    return index
  }

  /** The time that was waited was that of what was lost, or of a part of it. */
  #resumePlayout(placeMs: number, playsAt: number): void {
    this.#expectedMs = Math.min(placeMs, this.#expectedMs + playsAt - this.#stoppedAt)
    this.#playing = true
  }

  #wait(playsAt: number): 'waiting' {
    if (this.#playing) this.#stoppedAt = playsAt
    this.#playing = false
    this.#excess.restart()
    this.#control?.restart()
    this.units = 0
    return 'waiting'
  }

  /** Brings the listener nearer to what waits at `index`, further on by `aheadMs`: whole frames come last. */
  #fill(index: number, aheadMs: number): 'lost' | 'gap' {
    const pieceMs = Math.max(this.#frameMs, leastPieceMs)
    const part = aheadMs % pieceMs
    this.units = Math.max(1, this.#line.unitsOf(part >= this.#frameMs * adjoining ? part : pieceMs))
    const lastedMs = this.#line.msOf(this.units)
    this.#expectedMs += lastedMs
    if (!this.#losing) return 'gap'
    if (aheadMs - lastedMs < this.#frameMs * adjoining) this.#show(index)
    else this.frameLength = 0
    return 'lost'
  }

  #play(index: number, now: number, playsAt: number): 'frame' {
    const placeMs = this.#slots.placeOf(index)
    this.frameJoins = this.#queue.joins
    this.#queue.take(index)
    this.#show(index)
    this.units = this.#unitsIn(this.payload, this.frameFrom, this.frameLength)
    this.#frameMs = this.#line.msOf(this.units)
    this.#expectedMs = placeMs + this.#frameMs
    this.#delayMs = playsAt - placeMs - this.#estimate.fastestMs
    if (this.#control !== undefined && this.#estimate.isKnown) {
      // A transit time that has become longer looks like delay; but where nothing waits, nothing can be left out.
      const mostMs = this.#slots.waiting === 0 ? this.#frameMs / 2 : Infinity
      this.wish = this.#control.observe(Math.min(now - this.#dueAt(placeMs), mostMs), now)
    }
    this.#playing = true
    this.#losing = false
    return 'frame'
  }

  #show(index: number): void {
    this.frameFrom = this.#slots.fromOf(index)
    this.frameLength = this.#slots.lengthOf(index)
    this.framePayloadType = this.#slots.payloadTypeOf(index)
    this.frameTimestamp = this.#slots.timestampOf(index)
  }
}
