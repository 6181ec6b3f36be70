import { payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { maxMisorder, SequenceUnwrapper } from '../packet/sequence.ts'
import { audio, empty, noted, PacketSlots, played } from './packet-slots.ts'
import { SourceWatch } from './source-watch.ts'

/** What became of a packet. `doubtful`: a leap to another place or source, believed when a second packet follows. */
export type Pushed = 'queued' | 'late' | 'duplicate' | 'oversize' | 'doubtful'

/** How many packets became what. */
export type JitterCounters = Readonly<Record<Pushed, number>> & {
  /** Never came, or too late to be played. */
  readonly lost: number
  /** Came and was left out: the delay had become too long, or there was no listener. */
  readonly dropped: number
  /** Another source, or the same at quite another place. */
  readonly restarts: number
  /** Time left out and added by stretching, ms. */
  readonly acceleratedMs: number
  readonly expandedMs: number
}

/** No index. */
export const nothing = Number.NEGATIVE_INFINITY

/** The packets of the source that is accepted, in the order of their numbers, from the one to be played next. */
export class PacketQueue {
  readonly slots: PacketSlots
  readonly counters = {
    queued: 0,
    late: 0,
    duplicate: 0,
    oversize: 0,
    doubtful: 0,
    lost: 0,
    dropped: 0,
    restarts: 0,
    acceleratedMs: 0,
    expandedMs: 0,
  }
  /** Audio before what is played next was left out, or another source spoke before. */
  joins = false
  /** The packet that was admitted last is the first of another source, or of another place. */
  hasRestarted = false
  readonly #watch = new SourceWatch()
  readonly #sequences = new SequenceUnwrapper()
  #isFresh = true
  #isUnplayed = true
  #next = 0
  #index = 0

  constructor(capacity: number, slotLength: number) {
    this.slots = new PacketSlots(capacity, slotLength)
  }

  /** The index to be played next, and that of the packet that was admitted last. */
  get next(): number {
    return this.#next
  }
  get index(): number {
    return this.#index
  }
  /** The packet before the one that was admitted last has not come; nor is there anything before the first. */
  get isMissingBefore(): boolean {
    return !this.#isUnplayed && this.slots.stateOf(this.#index - 1) === empty
  }
  /** No number of this source is known yet. */
  get isFresh(): boolean {
    return this.#isFresh
  }
  /** None of this source's audio was played yet. */
  get isUnplayed(): boolean {
    return this.#isUnplayed
  }

  /** Finds a packet's place, `index`; what is `queued` is to be put there, or marked as none. */
  admit(packet: Uint8Array, now: number): Pushed {
    this.hasRestarted = false
    const sequence = sequenceOf(packet)
    const isFar = !this.#isFresh && this.#isLeap(this.#sequences.indexOf(sequence))
    const belief = this.#watch.judge(ssrcOf(packet), sequence, isFar, now)
    if (belief === 'doubtful') return 'doubtful'
    this.hasRestarted = belief === 'restart'
    if (belief !== 'same') this.#restart(belief === 'restart')
    const index = this.#sequences.unwrap(sequence)
    this.#index = index
    const { capacity } = this.slots
    const isEarlier = this.#isUnplayed && index < this.#next && this.#sequences.highest < index + capacity
    if (this.#isFresh || isEarlier) {
      this.#isFresh = false
      this.#next = index
    }
    if (this.slots.stateOf(index) !== empty) return 'duplicate'
    if (index < this.#next) return 'late'
    // The listener sleeps: the newest are kept.
    if (index >= this.#next + capacity) this.drop(index - capacity + 1)
    return 'queued'
  }

  /** Begins again with a packet that came before the one that has just restarted the queue. */
  readmit(packet: Uint8Array, at: number): Pushed {
    this.#sequences.reset()
    this.#isFresh = true
    return this.admit(packet, at)
  }

  /** Lays the packet that was admitted in its place: `length` bytes of audio that lie at `placeMs` of the media line. */
  put(packet: Uint8Array, length: number, placeMs: number): void {
    const from = payloadOffsetOf(packet)
    this.slots.put(this.#index, placeMs, timestampOf(packet), payloadTypeOf(packet), packet, from, length)
  }

  /** The packet that was admitted holds no audio. */
  note(): void {
    this.slots.mark(this.#index, noted)
  }

  /** The first index with audio, or `nothing`. Indexes before a first number near 0 are less than 0. */
  first(): number {
    if (this.slots.waiting === 0) return nothing
    let index = this.#next
    while (this.slots.stateOf(index) !== audio) index++
    return index
  }

  missingBefore(index: number): number {
    let missing = 0
    for (let at = this.#next; at < index; at++) if (this.slots.stateOf(at) === empty) missing++
    return missing
  }

  giveUpUntil(index: number): void {
    this.counters.lost += this.missingBefore(index)
    this.#next = index
  }

  /** Takes the packet at `index` out; its payload stays where it is until the next one comes. */
  take(index: number): void {
    this.giveUpUntil(index)
    this.slots.mark(index, played)
    this.#next = index + 1
    this.#isUnplayed = false
    this.joins = false
  }

  /** Drops what waits before `index`. */
  drop(index: number): void {
    this.joins = true
    for (; this.#next < index; this.#next++) {
      const state = this.slots.stateOf(this.#next)
      if (state === audio) this.counters.dropped++
      else if (state === empty) this.counters.lost++
      this.slots.mark(this.#next, empty)
    }
  }

  /** Drops all that came so far. */
  skip(): void {
    if (!this.#isFresh) this.drop(Math.max(this.#next, this.#sequences.highest + 1))
  }

  /** Far from what is awaited, and not the next of a queue that is full. */
  #isLeap(index: number): boolean {
    return index <= this.#next - maxMisorder || index >= this.#sequences.highest + this.slots.capacity
  }

  #restart(isAnother: boolean): void {
    if (isAnother) this.counters.restarts++
    this.joins = isAnother
    this.slots.clear()
    this.#sequences.reset()
    this.#isFresh = true
    this.#isUnplayed = true
  }
}
