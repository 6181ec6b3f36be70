/** The order to the measured program: a number of calls, an Opus leg and a PCMU leg each, recorded in two channels. */
export interface SoakOpen {
  readonly type: 'open'
  readonly calls: number
  /** Where the remotes listen: leg `n` sends to the `n % peerPorts.length`th. */
  readonly peerPorts: readonly number[]
  /** For `<call>.wav`. */
  readonly folder: string
}

/** The calls begin, one after the other. Answered when the last one has begun. */
interface SoakBegin {
  readonly type: 'begin'
}

interface SoakStop {
  readonly type: 'stop'
}

export type SoakQuestion = SoakOpen | SoakBegin | SoakStop

/** Ports of the legs: of call `n`, `2n` speaks PCMU and `2n + 1` Opus. */
export type SoakPorts = readonly number[]

export interface SoakEnd {
  /** Recordings that ended otherwise than ordered. */
  readonly failedRecordings: number
  readonly packetsLost: number
  /** Sums over the calls. */
  readonly packetsLate: number
  readonly packetsDropped: number
  readonly ticks: number
  readonly ticksMissed: number
  readonly worstLateMs: number
  readonly unsent: number
}

export const opusPayloadType = 111
export const isOpusLeg = (leg: number): boolean => leg % 2 === 1
export const recordingOf = (folder: string, call: number): string => `${folder}/${call}.wav`
