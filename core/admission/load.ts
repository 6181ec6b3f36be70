/** What the load of a switch is measured by. Each is held against its bound. */
export interface LoadMeasures {
  /** How late the signalling thread's event loop came to its timers, mean since the last measure, ms. */
  readonly loopDelayMs: number
  /** How long INVITEs wait before they are read, in the socket and in our queue, ms. */
  readonly inviteWaitMs: number
  /** Units of work that wait to be committed. */
  readonly storeBacklog: number
  /** Share of its ticks that the latest media thread had to leave out, 0 to 1. */
  readonly mediaLate: number
  /** Share of its time that the busiest media thread works, 0 to 1. */
  readonly mediaBusy: number
  /** Resident memory and JavaScript heap, the fuller of them, as a share of what there may be. */
  readonly memory: number
  /** Share of its time that the signalling thread works, 0 to 1; beside the others it says how much room is left. */
  readonly loopBusy: number
  /** No media thread answers: a new call would have no sound. */
  readonly isMediaSilent: boolean
}

export type LoadSignal = Exclude<keyof LoadMeasures, 'isMediaSilent' | 'loopBusy'>

/** Beyond its bound a measure slows the admission of new calls. 0 = it is not looked at. */
export type LoadBounds = Readonly<Record<LoadSignal, number>>

const loadSignals = [
  'loopDelayMs',
  'inviteWaitMs',
  'storeBacklog',
  'mediaLate',
  'mediaBusy',
  'memory',
] as const satisfies readonly LoadSignal[]

/** What follows the calls that begin; the others follow those that live, and stay when no more begin. */
export const flowSignals: ReadonlySet<LoadSignal> = new Set(['loopDelayMs', 'inviteWaitMs', 'storeBacklog'])

export const noLoad: LoadMeasures = Object.freeze({
  loopDelayMs: 0,
  inviteWaitMs: 0,
  storeBacklog: 0,
  mediaLate: 0,
  mediaBusy: 0,
  memory: 0,
  loopBusy: 0,
  isMediaSilent: false,
})

export const defaultLoadBounds: LoadBounds = Object.freeze({
  loopDelayMs: 10,
  inviteWaitMs: 20,
  storeBacklog: 500,
  mediaLate: 0.05,
  mediaBusy: 0.85,
  memory: 0.85,
})

/** The measure that is nearest to its bound, or farthest beyond it; `pressure` 1 is the bound itself. */
export function pressureOf(
  measures: LoadMeasures,
  bounds: LoadBounds,
): { readonly pressure: number; readonly of: LoadSignal } {
  let pressure = 0
  let of: LoadSignal = 'loopDelayMs'
  for (const signal of loadSignals) {
    const bound = bounds[signal]
    const share = bound === 0 ? 0 : measures[signal] / bound
    if (share <= pressure) continue
    pressure = share
    of = signal
  }
  return { pressure, of }
}
