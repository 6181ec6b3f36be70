import type { CallTrace } from '../api-types.ts'

/** `GET /calls/{uuid}/trace`, the flight recorder of a call; a long call has several pages of it. */
export type Trace = CallTrace
export type TraceEntry = Trace['entries'][number]
export type TraceRtp = Trace['rtp'][number]
export type TraceProblem = NonNullable<Trace['end']>['problems'][number]
