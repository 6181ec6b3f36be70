/** What became of a remote's sound on its way through a jitter buffer; zeros where packets were only passed on. */
export interface PlayoutCounters {
  /** Packets that never came, or too late to be played. */
  readonly lost: number
  /** Packets that came after they should have been played. */
  readonly late: number
  /** Packets that were left out, since far too many waited. */
  readonly dropped: number
  /** Sound that was concealed in the place of what was lost or late. */
  readonly concealedMs: number
  /** Sound that was left out, and drawn out, to bring the delay to what the network needs. */
  readonly acceleratedMs: number
  readonly expandedMs: number
}

export const noPlayout: PlayoutCounters = {
  lost: 0,
  late: 0,
  dropped: 0,
  concealedMs: 0,
  acceleratedMs: 0,
  expandedMs: 0,
}

export const playoutSum = (a: PlayoutCounters, b: PlayoutCounters): PlayoutCounters => ({
  lost: a.lost + b.lost,
  late: a.late + b.late,
  dropped: a.dropped + b.dropped,
  concealedMs: a.concealedMs + b.concealedMs,
  acceleratedMs: a.acceleratedMs + b.acceleratedMs,
  expandedMs: a.expandedMs + b.expandedMs,
})
