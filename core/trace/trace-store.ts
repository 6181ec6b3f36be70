/** Records of one call that leave the memory; what is kept of a call is its parts, oldest first. */
export interface TracePart {
  readonly uuid: string
  /** Empty: not known. */
  readonly sid: string
  /** Takes the place of all parts that were put before. */
  readonly isWhole: boolean
  /** Views of its records, one after another. */
  readonly pieces: readonly Uint8Array[]
}

/** Where traces are that are not in memory. */
export interface TraceStore {
  /** Parts of different calls. `areFailed`: worth more than others when room is short. False: none of them could be kept. */
  put(parts: readonly TracePart[], areFailed: boolean): boolean
  /** By uuid or sid, oldest first; none: nothing is kept of such a call. */
  partsOf(id: string): readonly Uint8Array[]
}
