/** Turns of at least this are written down one by one. */
export const longMs = 4

/** A turn of the event loop that took long. It lies between two looks at the thread, which are some milliseconds more. */
export interface LongTurn {
  /** CLOCK_MONOTONIC, ms. */
  readonly fromMs: number
  readonly toMs: number
  readonly tookMs: number
  /** Between the looks: the thread ran; it could have run, but its processor did something else. */
  readonly ranMs: number
  readonly waitedMs: number
}

/** A collection of garbage that the thread stood still for. */
export interface Collection {
  /** CLOCK_MONOTONIC, ms. */
  readonly beginMs: number
  readonly tookMs: number
}

export interface Spread {
  readonly count: number
  readonly mean: number
  /** 50, 90, 99 and 99.9 %. */
  readonly percentiles: readonly [p50: number, p90: number, p99: number, p999: number]
  readonly max: number
}

/** What `preload-turns.ts` writes down, ms. */
export interface MeasuredTurns {
  /** Turns of the event loop: from one wait for events to the next. */
  readonly turns: Spread
  /** How late a timer of 1 ms was. */
  readonly delays: Spread
  readonly long: readonly LongTurn[]
  readonly collections: readonly Collection[]
}

/** Time in which a processor did not run what should have run. */
export interface Stall {
  readonly processor: number
  /** CLOCK_MONOTONIC, ms. */
  readonly fromMs: number
  readonly toMs: number
}

/** Where the time of a turn was, ms. A stall may lie in a collection, and in time in which the thread ran. */
export interface TurnParts {
  readonly tookMs: number
  readonly collectionMs: number
  /** Another thread, or a program, had its processor. */
  readonly waitedMs: number
  /** It slept, for a lock or for another thread's part of a collection. */
  readonly sleptMs: number
  /** The longest time in which a processor of the machine stood still. */
  readonly stallMs: number
}

const overlapMs = (turn: LongTurn, fromMs: number, toMs: number): number =>
  Math.max(0, Math.min(turn.toMs, toMs) - Math.max(turn.fromMs, fromMs))

/** The longest turn first. */
export function partsOf(
  { long, collections }: Pick<MeasuredTurns, 'long' | 'collections'>,
  stalls: readonly Stall[],
): readonly TurnParts[] {
  return long
    .map(turn => ({
      tookMs: turn.tookMs,
      collectionMs: collections.reduce(
        (sum, { beginMs, tookMs }) => sum + overlapMs(turn, beginMs, beginMs + tookMs),
        0,
      ),
      waitedMs: Math.min(turn.tookMs, turn.waitedMs),
      sleptMs: Math.max(0, turn.tookMs - turn.ranMs - turn.waitedMs),
      stallMs: Math.max(0, ...stalls.map(({ fromMs, toMs }) => overlapMs(turn, fromMs, toMs))),
    }))
    .sort((one, other) => other.tookMs - one.tookMs)
}
