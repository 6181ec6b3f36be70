import { payloadOffsetOf, sequenceOf, ssrcOf } from '../packet/header.ts'
import { sequenceAfter } from '../packet/sequence.ts'

/** A header with all sources and an extension of some words. */
const longestHeader = 128
/** The one after it comes within this, or is not of the same beginning. */
const longestMs = 200

/** A packet that may be another source's first: once the one after it has come, it is accepted and played. */
export class ProbationPacket {
  readonly #longest: number
  /** Made at the first need. */
  #packet: Uint8Array | undefined
  /** Length of its payload; 0: no audio. */
  bytes = 0
  at = 0
  #isKept = false

  constructor(longestPayload: number) {
    this.#longest = longestHeader + longestPayload
  }

  keep(packet: Uint8Array, bytes: number, now: number): void {
    const length = payloadOffsetOf(packet) + bytes
    this.#isKept = length <= this.#longest
    if (!this.#isKept) return
    this.#packet ??= new Uint8Array(this.#longest)
    for (let i = 0; i < length; i++) this.#packet[i] = packet[i]!
    this.bytes = bytes
    this.at = now
  }

  /** The packet that was kept, if `next` follows it at once; it is forgotten. */
  before(next: Uint8Array, now: number): Uint8Array | undefined {
    const kept = this.#isKept && now - this.at <= longestMs ? this.#packet : undefined
    this.#isKept = false
    if (kept === undefined || ssrcOf(kept) !== ssrcOf(next)) return undefined
    return sequenceAfter(sequenceOf(kept), 1) === sequenceOf(next) ? kept : undefined
  }
}
