import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { SequenceUnwrapper } from '../packet/sequence.ts'
import { type DelayConfig, DelayEstimate } from './delay-estimate.ts'
import { ExcessDelay } from './excess-delay.ts'
import { MediaLine } from './media-line.ts'
import { audio, empty, noted, PacketSlots, played } from './packet-slots.ts'

export interface JitterBufferConfig extends DelayConfig {
  /** Units of the RTP timestamp a second. Default 8000. */
  readonly clockRate?: number
  /** Timestamp units that a payload lasts. Default its bytes, as G.711 has it. */
  readonly unitsIn?: (payload: Uint8Array, from: number, length: number) => number
  /** Packets that fit, a power of two. Default 64. */
  readonly capacity?: number
  /** Longest payload that fits, bytes. Default 480: 60 ms of G.711. */
  readonly slotLength?: number
  /** Never drop audio to shorten the delay: for recordings, where delay is nothing. Default false. */
  readonly keepAll?: boolean
}

/** What became of a packet. `doubtful`: a leap to another place or source, believed when a second packet follows. */
export type Pushed = 'queued' | 'late' | 'duplicate' | 'oversize' | 'doubtful'

/**
 * What is to be heard now. `frame`: decode the payload. `lost`: conceal `units` of the timestamp clock. `gap`: the far
 * end sent nothing for `units`: silence. `waiting`: nothing yet; fill the time as after a loss, then with silence.
 */
export type Pulled = 'frame' | 'lost' | 'gap' | 'waiting'

export type JitterCounters = Readonly<Record<Pushed, number>> & {
  /** Never came, or too late to be heard. */
  readonly lost: number
  /** Came and was left out: the delay had become too long, or nobody listened. */
  readonly dropped: number
  /** Another source, or the same at quite another place. */
  readonly restarts: number
}

/** A way longer than the fastest by this is the far end's clock starting anew, not the network. */
const leapMs = 1000
/** RFC 3550 §A.1: a number further back is no late packet but a restart. */
const maxMisorder = 100
/** Another source, or place, is believed at once when nothing came for so long. */
const silentMs = 100
/**
 * An adaptive jitter buffer, pulled by the listener's clock. Packets are put in order; a missing one is waited for
 * until the delay has reached the aim, and only then lost. What comes after a wait is still played, so that the delay
 * grows to what the network needs; it shrinks by dropped frames.
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

  readonly #counters = { queued: 0, late: 0, duplicate: 0, oversize: 0, doubtful: 0, lost: 0, dropped: 0, restarts: 0 }
  readonly #slots: PacketSlots
  readonly #unitsIn: (payload: Uint8Array, from: number, length: number) => number
  readonly #keepAll: boolean
  readonly #estimate: DelayEstimate
  readonly #line: MediaLine
  readonly #excess = new ExcessDelay()
  readonly #sequences = new SequenceUnwrapper()

  #ssrc = -1
  #candidate = -1
  #awaited = -1
  #heardAt = 0
  /** No number of this source is known yet; none of its audio was played yet. */
  #fresh = true
  #unplayed = true
  /** The index to be played next. */
  #next = 0
  /** Where on the media line it should lie. */
  #expectedMs = 0
  #frameMs = 20
  #playing = false
  #losing = false
  #joins = false

  constructor(config: JitterBufferConfig = {}) {
    this.#slots = new PacketSlots(config.capacity ?? 64, config.slotLength ?? 480)
    this.payload = this.#slots.bytes
    this.#unitsIn = config.unitsIn ?? ((_payload, _from, length) => length)
    this.#keepAll = config.keepAll ?? false
    this.#estimate = new DelayEstimate(config)
    this.#line = new MediaLine(config.clockRate ?? 8000)
  }

  get counters(): JitterCounters {
    return this.#counters
  }
  /** The delay that it aims at, beyond the network's fastest. */
  get aimMs(): number {
    return this.#estimate.aimMs
  }
  /** Packets that wait. */
  get size(): number {
    return this.#slots.waiting
  }

  /** Takes a packet of audio that `isRtp`. */
  push(packet: Uint8Array, length: number, now: number): Pushed {
    const bytes = payloadLengthOf(packet, length)
    const result = bytes > this.#slots.slotLength ? 'oversize' : this.#take(packet, now, bytes)
    this.#counters[result]++
    return result
  }

  /** Takes note of a packet of the same stream without audio, a telephone-event: its number is not missing. */
  note(packet: Uint8Array, now: number): void {
    this.#take(packet, now, 0)
  }

  /** What is to be heard now; to be called each time when all that was pulled before is played. */
  pull(now: number): Pulled {
    let index = this.#first()
    if (index < 0) return this.#wait()
    if (this.#playing && !this.#keepAll) index = this.#shorten(index, now)
    const placeMs = this.#slots.placeOf(index)
    const aheadMs = placeMs - this.#expectedMs
    const passedOver = this.#missingBefore(index) > 0
    if (!this.#playing) {
      // A packet that merely came late goes out at once; after a silence or a loss the aim is restored first.
      const merelyLate = !this.#unplayed && !passedOver && aheadMs < 1
      if (!merelyLate && now < this.#dueAt(placeMs)) return this.#wait()
    } else if (aheadMs >= this.#frameMs / 4) {
      if (passedOver) {
        if (now < this.#dueAt(this.#expectedMs)) return this.#wait()
        this.#giveUpUntil(index)
        this.#losing = true
      }
      this.units = Math.max(1, this.#line.unitsOf(Math.min(aheadMs, this.#frameMs)))
      const lastedMs = this.#line.msOf(this.units)
      this.#expectedMs += lastedMs
      if (!this.#losing) return 'gap'
      if (aheadMs - lastedMs < this.#frameMs / 4) this.#show(index)
      else this.frameLength = 0
      return 'lost'
    }
    return this.#play(index)
  }

  /** Nobody has listened for a while: what waits is past, and the next packet begins anew. */
  skip(): void {
    if (!this.#fresh) this.#drop(Math.max(this.#next, this.#sequences.highest + 1))
    this.#wait()
  }

  #take(packet: Uint8Array, now: number, bytes: number): Pushed {
    const silent = now - this.#heardAt > silentMs
    const ssrc = ssrcOf(packet)
    if (ssrc !== this.#ssrc) {
      if (this.#ssrc >= 0 && !silent && ssrc !== this.#candidate) {
        this.#candidate = ssrc
        return 'doubtful'
      }
      this.#restart(ssrc)
    }
    this.#candidate = -1
    const sequence = sequenceOf(packet)
    if (!this.#fresh && this.#isLeap(this.#sequences.indexOf(sequence))) {
      if (!silent && sequence !== this.#awaited) {
        this.#awaited = (sequence + 1) & 0xffff
        return 'doubtful'
      }
      this.#restart(ssrc)
    }
    this.#heardAt = now
    const index = this.#sequences.unwrap(sequence)
    if (
      this.#fresh ||
      (this.#unplayed && index < this.#next && this.#sequences.highest < index + this.#slots.capacity)
    ) {
      this.#fresh = false
      this.#next = index
    }
    const state = this.#slots.stateOf(index)
    if (state !== empty) return 'duplicate'
    if (index < this.#next) {
      const wayMs = now - this.#line.placeOf(timestampOf(packet))
      if (bytes > 0 && wayMs - this.#estimate.fastestMs < leapMs) this.#estimate.receive(wayMs, now)
      return 'late'
    }
    // The listener sleeps: the newest are kept.
    if (index >= this.#next + this.#slots.capacity) this.#drop(index - this.#slots.capacity + 1)
    if (bytes <= 0) {
      this.#slots.mark(index, noted)
      return 'queued'
    }
    const from = payloadOffsetOf(packet)
    const timestamp = timestampOf(packet)
    const placeMs = this.#place(timestamp, this.#line.msOf(this.#unitsIn(packet, from, bytes)), now)
    this.#slots.put(index, placeMs, timestamp, payloadTypeOf(packet), packet, from, bytes)
    return 'queued'
  }

  /** Puts a packet on the media line and takes its way into account. */
  #place(timestamp: number, lengthMs: number, now: number): number {
    const fastestMs = this.#estimate.fastestMs
    let placeMs = this.#line.placeOf(timestamp)
    const slowerMs = now - placeMs - fastestMs
    const leaps = slowerMs > leapMs || (slowerMs < -leapMs && placeMs - this.#line.endMs > leapMs)
    if (Number.isFinite(fastestMs) && (leaps || this.#unplayed)) {
      // Behind what waits; else where a packet that came the fastest way would lie.
      if (this.#slots.waiting === 0) placeMs = Math.max(this.#line.endMs, now - fastestMs)
      else if (leaps) placeMs = this.#line.endMs
    }
    this.#line.put(timestamp, placeMs, lengthMs)
    this.#estimate.receive(now - placeMs, now)
    return placeMs
  }

  /** Far from what is awaited, and not the next of a queue that is full. */
  #isLeap(index: number): boolean {
    return index <= this.#next - maxMisorder || index >= this.#sequences.highest + this.#slots.capacity
  }

  #restart(ssrc: number): void {
    if (this.#ssrc >= 0) this.#counters.restarts++
    this.#joins = this.#ssrc >= 0
    this.#ssrc = ssrc
    this.#candidate = -1
    this.#awaited = -1
    this.#slots.clear()
    this.#sequences.reset()
    this.#fresh = true
    this.#unplayed = true
    this.#playing = false
  }

  /** The first index with audio; −1 = none. */
  #first(): number {
    if (this.#slots.waiting === 0) return -1
    let index = this.#next
    while (this.#slots.stateOf(index) !== audio) index++
    return index
  }

  #missingBefore(index: number): number {
    let missing = 0
    for (let at = this.#next; at < index; at++) if (this.#slots.stateOf(at) === empty) missing++
    return missing
  }

  #giveUpUntil(index: number): void {
    this.#counters.lost += this.#missingBefore(index)
    this.#next = index
  }

  /** Drops what waits before `index`. */
  #drop(index: number): void {
    this.#joins = true
    for (; this.#next < index; this.#next++) {
      const state = this.#slots.stateOf(this.#next)
      if (state === audio) this.#counters.dropped++
      else if (state === empty) this.#counters.lost++
      this.#slots.mark(this.#next, empty)
    }
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
      this.#drop(index + 1)
      index = this.#first()
    }
    if (index !== first) this.#expectedMs = this.#slots.placeOf(index)
    return index
  }

  #wait(): 'waiting' {
    this.#playing = false
    this.#excess.restart()
    this.units = 0
    return 'waiting'
  }

  #play(index: number): 'frame' {
    this.#giveUpUntil(index)
    this.#slots.mark(index, played)
    this.#next = index + 1
    this.#show(index)
    this.frameJoins = this.#joins
    this.units = this.#unitsIn(this.payload, this.frameFrom, this.frameLength)
    this.#frameMs = this.#line.msOf(this.units)
    this.#expectedMs = this.#slots.placeOf(index) + this.#frameMs
    this.#playing = true
    this.#unplayed = false
    this.#losing = false
    this.#joins = false
    return 'frame'
  }

  #show(index: number): void {
    this.frameFrom = this.#slots.fromOf(index)
    this.frameLength = this.#slots.lengthOf(index)
    this.framePayloadType = this.#slots.payloadTypeOf(index)
    this.frameTimestamp = this.#slots.timestampOf(index)
  }
}
