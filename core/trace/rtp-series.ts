import { type RtpFigures, type RtpSums, rtpPointBytes, writeRtpPoint } from './rtp-point.ts'

/** Points that are gathered before they become one record. */
const pointsPerRecord = 60
/** Points of a leg at one a second; then as many at one in two seconds, and so on. */
const pointsPerStep = 3600

/** The RTP of one leg as it comes, a point a second, thinned in long calls. */
export class RtpSeries {
  readonly #bytes = Buffer.alloc(pointsPerRecord * rtpPointBytes)
  readonly #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset)
  readonly #before: RtpSums = { received: 0, sent: 0, lost: 0, concealedMs: 0 }
  #count = 0
  #points = 0
  #beganMs = 0
  #lastMs = Number.NEGATIVE_INFINITY

  /** Unix ms of the record that is gathered. */
  get beganMs(): number {
    return this.#beganMs
  }

  /** Points that are gathered; a view. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#count * rtpPointBytes)
  }

  /** Sequence number of the first of them. */
  get firstSeq(): number {
    return this.#count === 0 ? 0 : this.#view.getUint32(0, true)
  }

  get isFull(): boolean {
    return this.#count === pointsPerRecord
  }

  /** Whether a point is due at `unixMs`: every second, in long calls less often. */
  isDue(unixMs: number): boolean {
    return unixMs - this.#lastMs >= 1000 * this.#seconds - 500
  }

  add(unixMs: number, seq: number, figures: RtpFigures): void {
    if (this.#count === 0) this.#beganMs = unixMs
    const seconds = Number.isFinite(this.#lastMs) ? Math.max(1, Math.round((unixMs - this.#lastMs) / 1000)) : 1
    const ms = Math.max(0, Math.round(unixMs - this.#beganMs))
    writeRtpPoint(this.#view, this.#count * rtpPointBytes, { seq, ms, seconds }, this.#before, figures)
    this.#before.received = figures.received
    this.#before.sent = figures.sent
    this.#before.lost = figures.lost
    if (!Number.isNaN(figures.concealedMs)) this.#before.concealedMs = figures.concealedMs
    this.#lastMs = unixMs
    this.#count++
    this.#points++
  }

  clear(): void {
    this.#count = 0
  }

  get #seconds(): number {
    return 2 ** Math.floor(this.#points / pointsPerStep)
  }
}
