/** Decides by load whether a new call is taken. Asked before anything is spent on the call. */
export interface InviteGate {
  /**
   * True: it is taken, and counts. `source`: a peer's id, or `phones`. `waitedMs`: how long its INVITE has waited.
   * `group`: that of the phone.
   */
  admits(source: string, now: number, waitedMs: number, group?: string): boolean
  /** What `admits` would say now; takes and counts nothing. */
  isOpenTo(source: string, now: number, waitedMs: number): boolean
  /** How many new calls may be set up at the same time now. Default: no limit. */
  readonly mostSetUps?: number
}

/** All softphones are one source; their groups share it fairly. */
export const phonesSource = 'phones'

export const openGate: InviteGate = { admits: () => true, isOpenTo: () => true }
