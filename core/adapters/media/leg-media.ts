import type { SessionDump, SessionStats } from '../../../rtp/worker/index.ts'
import type { CallUuid, LegUuid } from '../../model/ids.ts'
import type { CodecName } from '../../model/trunk.ts'
import type { MediaCommand, MediaSources } from '../../ports/media.ts'
import type { BrowserSide } from './browser-side.ts'
import type { KeySide } from './key-side.ts'
import { isCodecName, type LegSdp } from './leg-sdp.ts'

export type OpenCommand = Extract<MediaCommand, { readonly type: 'media.open' }>
export type SdpCommand = Extract<MediaCommand, { readonly type: 'media.answered' | 'media.reoffer' }>

export type RecordOrder = Extract<
  MediaCommand,
  {
    readonly type:
      | 'media.record'
      | 'media.record-session'
      | 'media.pause-record'
      | 'media.resume-record'
      | 'media.stop-record'
  }
>

/**
 * `opening`: its ports are not known yet. `failed`: there is no session, and `media.close` will be answered.
 * `closing`: the engine ends it.
 */
type LegMediaState = 'opening' | 'open' | 'failed' | 'closing'

/** One leg as the adapter knows it. */
export interface LegMedia {
  readonly legId: LegUuid
  readonly callId: CallUuid
  readonly open: OpenCommand
  readonly codecs: readonly CodecName[]
  /** Where its media is reached. */
  readonly address: string
  /** Of a browser's leg. */
  readonly browser: BrowserSide | undefined
  /** Where keys in SDP may protect its packets. */
  readonly keys: KeySide | undefined
  state: LegMediaState
  /** Where its media may come from, as the last offer or answer said. */
  sources: MediaSources
  /** Undefined while it opens. */
  sdp: LegSdp | undefined
  /** What its session reported of itself last. */
  stats: SessionStats | undefined
  /** Offer and answer have met. */
  isAgreed: boolean
  /** What needs the SDP of a leg that opens. */
  readonly waiting: SdpCommand[]
  /** Orders to record a caller whose leg opens: its codec, which decides the file's rate, is not agreed on yet. */
  readonly toRecord: RecordOrder[]
  /** What was ordered and has not been reported as ended. */
  readonly plays: Set<string>
  /** Their files. */
  readonly recordings: Map<string, string>
  readonly digits: Set<string>
}

/** What media's adapter knows of a leg, and its session. */
export interface MediaLegDump {
  readonly state: LegMediaState
  /** Offer and answer have met. */
  readonly isAgreed: boolean
  /** Plays, recordings and digits that were ordered and have not ended. */
  readonly plays: number
  readonly recordings: number
  readonly digits: number
  /** Undefined: there is none, or its thread has not answered in a second. */
  readonly session: SessionDump | undefined
}

const nowhereElse: MediaSources = { sip: undefined, hosts: [] }

/** A leg whose ports are still to be bound. */
export const beginLeg = (
  open: OpenCommand,
  address: string,
  browser: BrowserSide | undefined,
  keys: KeySide | undefined,
): LegMedia => ({
  legId: open.legId,
  callId: open.callId,
  open,
  codecs: (open.codecs ?? []).filter(isCodecName),
  address,
  browser,
  keys,
  state: 'opening',
  sources: open.sources ?? nowhereElse,
  sdp: undefined,
  stats: undefined,
  isAgreed: false,
  waiting: [],
  toRecord: [],
  plays: new Set(),
  recordings: new Map(),
  digits: new Set(),
})
