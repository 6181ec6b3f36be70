import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { PacketRing } from './packet-ring.ts'
import { RecordPages, type SparePages } from './record-pages.ts'
import type { RtpSeries } from './rtp-series.ts'

/** What is known of a call while something of it may still come. */
export interface CallTrack {
  readonly uuid: CallUuid
  readonly legs: LegUuid[]
  readonly dialogs: string[]
  readonly pages: RecordPages
  readonly rtp: Map<number, RtpSeries>
  readonly packets: Map<number, PacketRing>
  sid: string
  /** The highest sequence number that was given. */
  seq: number
  /** Of the oldest record in memory. */
  sinceMs: number
  /** Unix ms of its end; undefined: it lives. */
  endedMs: number | undefined
  isFailed: boolean
  /** Of audio that was captured. */
  audioBytes: number
  /** Of messages, documents and notes, on the disk or not. */
  textBytes: number
  /** It has more than is kept of a call. */
  isFull: boolean
  /** Parts of it were put into the store. */
  isStored: boolean
}

export const newTrack = (uuid: CallUuid, spare: SparePages): CallTrack => ({
  uuid,
  legs: [],
  dialogs: [],
  pages: new RecordPages(spare),
  rtp: new Map(),
  packets: new Map(),
  sid: '',
  seq: 0,
  sinceMs: 0,
  endedMs: undefined,
  isFailed: false,
  audioBytes: 0,
  textBytes: 0,
  isFull: false,
  isStored: false,
})

export interface LegPlace {
  readonly track: CallTrack
  readonly index: number
}
