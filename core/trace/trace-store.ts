/** Records of one call that leave the memory; what is kept of a call is its parts, oldest first. */
export interface TracePart {
  readonly uuid: string
  /** Empty: not known. */
  readonly sid: string
  readonly unixMs: number
  /** Worth more than others when room is short. */
  readonly isFailed: boolean
  /** Takes the place of all parts that were put before. */
  readonly isWhole: boolean
  readonly bytes: Uint8Array
}

/** Where traces are that are not in memory. */
export interface TraceStore {
  /** False: it could not be kept. */
  put(part: TracePart): boolean
  /** By uuid or sid, oldest first; none: nothing is kept of such a call. */
  partsOf(id: string): readonly Uint8Array[]
}
