import { LossPattern } from '../stats/loss-pattern.ts'
import { InterarrivalJitter } from './interarrival-jitter.ts'
import { middleOf, unitsAgoOf } from './ntp-time.ts'
import type { ReportBlock, SenderInfo } from './packet.ts'
import { SequenceStatistics, type SequenceVerdict } from './sequence-statistics.ts'

const clampLost = (lost: number): number => Math.max(-0x80_0000, Math.min(0x7f_ffff, lost))

/** What we know of one source that we receive, and the report block about it (RFC 3550 §6.4). */
export class ReceptionStatistics {
  readonly ssrc: number
  readonly clockRate: number
  readonly sequences = new SequenceStatistics()
  readonly jitter: InterarrivalJitter
  readonly losses = new LossPattern()
  #lastSr = 0
  #lastSrAt = 0

  /** `clockRate`: units of its RTP timestamp a second. */
  constructor(ssrc: number, clockRate: number) {
    this.ssrc = ssrc
    this.clockRate = clockRate
    this.jitter = new InterarrivalJitter(clockRate)
  }

  /** Takes a packet of audio. */
  receive(sequence: number, timestamp: number, now: number): SequenceVerdict {
    const verdict = this.receiveUntimed(sequence)
    if (verdict !== 'jump') this.jitter.receive(timestamp, now)
    return verdict
  }

  /** Takes a packet whose timestamp is not its time of sending, a telephone-event. */
  receiveUntimed(sequence: number): SequenceVerdict {
    const { restarts } = this.sequences
    const verdict = this.sequences.receive(sequence)
    if (verdict === 'valid') {
      const index = this.sequences.indexOf(sequence)
      if (this.sequences.restarts !== restarts) this.losses.restart(index)
      this.losses.receive(index)
    }
    return verdict
  }

  /** Takes a sender report of this source. */
  senderReport(sender: SenderInfo, now: number): void {
    this.#lastSr = middleOf(sender.ntpSeconds, sender.ntpFraction)
    this.#lastSrAt = now
  }

  /** The report about it as of now; the fraction lost restarts. */
  takeReport(now: number): ReportBlock {
    // One that is too long ago is none: a delay cut short would make a round trip of hours.
    const delay = this.#lastSr === 0 ? undefined : unitsAgoOf(now - this.#lastSrAt)
    return {
      ssrc: this.ssrc,
      fractionLost: this.sequences.takeFractionLost(),
      cumulativeLost: clampLost(this.sequences.lost),
      highestSequence: this.sequences.highestSequence,
      jitter: this.jitter.units,
      lastSr: delay === undefined ? 0 : this.#lastSr,
      delaySinceLastSr: delay ?? 0,
    }
  }
}
