import type { CallDirection, CallStatus } from './call-record.ts'

/** Which rows of a list are wanted. */
export interface PageRange {
  readonly limit: number
  readonly offset: number
}

/** A part of a list. */
export interface Page<Record> {
  readonly rows: readonly Record[]
  /** Of the whole list. */
  readonly total: number
}

/** Which calls of a list are wanted. */
export interface CallFilter extends PageRange {
  readonly direction?: CallDirection
  readonly status?: CallStatus
  /** Digits; matches any part of either number. */
  readonly search?: string
  /** Bounds of the creation time, Unix ms, inclusive. */
  readonly fromUnix?: number
  readonly toUnix?: number
}
