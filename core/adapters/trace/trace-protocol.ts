import type { TraceAnswer, TraceQuery } from '../../trace/trace.ts'

/** What the thread of traces is started with. */
export interface TraceThreadConfig {
  /** What is recorded waits here to be taken. */
  readonly inlet: SharedArrayBuffer
  /** `traceFigures`, as numbers of eight bytes. */
  readonly figures: SharedArrayBuffer
  /** One a media thread. */
  readonly tapes: readonly SharedArrayBuffer[]
  readonly memoryBytes: number
  /** Headers of RTP that are kept of each leg. */
  readonly rtpHeaders: number
  /** Undefined: nothing is kept on the disk. */
  readonly disk: { readonly folder: string; readonly bytes: number; readonly keptMs: number } | undefined
  readonly hep: { readonly address: string; readonly port: number } | undefined
  /** Servers that its name is asked of; none: the system's. */
  readonly dns: readonly string[]
}

/** What the thread counts, by its place in the shared memory. */
export const traceFigures = [
  'records',
  'cut',
  'memoryBytes',
  'droppedBytes',
  'diskBytes',
  'purgedBytes',
  'diskCalls',
  'diskFaults',
  'missedMedia',
  'unreadable',
] as const
export type TraceFigure = (typeof traceFigures)[number]

export type ToTraces =
  | { readonly type: 'read'; readonly id: number; readonly call: string; readonly query: TraceQuery }
  | { readonly type: 'close' }

export type FromTraces =
  | { readonly type: 'answer'; readonly id: number; readonly answer: TraceAnswer | undefined }
  /** The disk failed, an entry could not be kept, or a trace not be read: once for each kind of fault. */
  | { readonly type: 'fault'; readonly detail: string }
  | { readonly type: 'closed' }
