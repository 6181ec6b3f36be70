import type { CallDirection, CallStatus } from './call-record.ts'

/** Which rows of a list are wanted. */
export interface PageRange {
  readonly limit: number
  readonly offset: number
}

/** A part of a list. */
export interface Page<Record> {
  readonly rows: readonly Record[]
  /** Number of entries in the whole list. */
  readonly total: number
}

/** Calls that began within a stretch of time. */
interface CallSlice {
  readonly atUnix: number
  readonly calls: number
  readonly failed: number
  readonly talkSeconds: number
  readonly cost: number
}

export interface CallSummary {
  readonly slices: readonly CallSlice[]
  readonly reasons: readonly { readonly reason: string; readonly calls: number }[]
}

/** Which calls of a list are wanted. */
export interface CallFilter extends PageRange {
  readonly direction?: CallDirection
  readonly status?: CallStatus
  /** Only calls that have not ended. */
  readonly isLive?: boolean
  /** Digits; matches any part of either number. */
  readonly search?: string
  /** The whole sid of one call. */
  readonly sid?: string
  /** Why it ended: `END.0486`. */
  readonly reason?: string
  /** Bounds of the creation time, Unix ms, inclusive. */
  readonly fromUnix?: number
  readonly toUnix?: number
}
