import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { LegMediaStats } from '../model/leg-quality.ts'
import type { CodecName, TrunkMediaSource } from '../model/trunk.ts'

/**
 * What is played. A file is a WAV of any rate that media can decode; it is resampled and encoded once per codec.
 * `isGrowing`: it is still written, and whole when its header gives its length; what is not there in time is waited for.
 */
export type AudioSource =
  | { readonly kind: 'file'; readonly path: string; readonly isGrowing?: true }
  | { readonly kind: 'tone'; readonly tone: ToneName }

/** Countries whose ringing tone media can sound, by ISO 3166. */
export const ringbackCountries = [
  ...['ke', 'tz', 'ug', 'rw', 'et', 'za', 'ng', 'gh', 'us', 'ca', 'gb', 'ie', 'in', 'fr'],
  ...['de', 'nl', 'be', 'ch', 'it', 'es', 'pt', 'se', 'no', 'br', 'mx', 'cn', 'nz', 'au'],
] as const

/**
 * `ringback-xx` are by country; `warning` means that the balance is nearly used up; `waiting` that a room will begin.
 */
export type ToneName = `ringback-${string}` | 'beep' | 'warning' | 'waiting'

/**
 * Whether keys in SDP protect a leg's packets (SRTP, RFC 4568). `optional`: where the remote offers it; our own offers
 * are plain. `preferred`: our offer demands it. `required`: both. Once packets are protected they stay so: a later offer
 * of plain ones is refused, whatever this says.
 */
export type SrtpWish = 'off' | 'optional' | 'preferred' | 'required'

/** Where a leg's media may come from, beside the address that its SDP names. Missing: nowhere else. */
export interface MediaSources {
  /** The IP address that its SIP comes from; undefined = not known. */
  readonly sip: string | undefined
  /** Addresses or CIDR ranges, as the trunk lists them. */
  readonly hosts: readonly string[]
}

/** Why an offer cannot be taken, as a Warning header says it (RFC 3261 §20.43). */
export interface SdpWarning {
  readonly code: number
  readonly text: string
}

interface RecordLimits {
  /** Ends the recording after so much silence; 0 = never. */
  readonly silenceMs: number
  readonly maxLengthMs: number
  readonly trimSilence: boolean
}

interface SessionRecordRules {
  /** `dual`: what the remote sends left, what is sent to it right. `mono`: both mixed. */
  readonly channels: 'dual' | 'mono'
  /** `inbound`: only what the remote sends; `outbound`: only what is sent to it. */
  readonly track: 'both' | 'inbound' | 'outbound'
  readonly maxLengthMs: number
}

/** What the domain asks of media. All legs of a call live on one media thread. A command never throws. */
export type MediaCommand =
  /**
   * Makes a session. With `offer` the answer comes back in `media.opened`, without it our offer does.
   * `codecs`: what may be used, in order of preference; empty or missing = all, in the offer's order.
   */
  | {
      readonly type: 'media.open'
      readonly legId: LegUuid
      readonly callId: CallUuid
      readonly offer?: string
      readonly codecs?: readonly CodecName[]
      /** Without `codecs` and offer: offered first, since the other party of the call speaks them: none is transcoded. */
      readonly prefer?: readonly CodecName[]
      /** The remote is another session of this switch: the SDP carries an address at which we reach ourselves. */
      readonly onNet?: boolean
      /** Without an offer: the host that will be dialled, if known. The offer names our address on the way to it. */
      readonly toward?: string
      /** Without an offer: the remote is a browser, and ours is made for it. An offer says itself what it is. */
      readonly webrtc?: boolean
      /** Whether keys in SDP protect its packets. Default `off`: they are plain. */
      readonly srtp?: SrtpWish
      /** `signalled`: plain media comes from the address in SDP alone, and may share a port. Default `learned`. */
      readonly mediaSource?: TrunkMediaSource
      readonly sources?: MediaSources
    }
  /** The remote's answer to our offer; may come again (early media, then the final answer; forked answers). */
  | {
      readonly type: 'media.answered'
      readonly legId: LegUuid
      readonly sdp: string
      readonly sources?: MediaSources
    }
  /**
   * A new offer in the dialog; without `offer`, make one. `media.reopened` carries what goes back. `prefer`: what our
   * answer is to take if the offer has it, since the other party speaks it.
   */
  | {
      readonly type: 'media.reoffer'
      readonly legId: LegUuid
      readonly offer?: string
      readonly prefer?: CodecName
      readonly sources?: MediaSources
    }
  /** Plays to the leg's remote. `loop` 0 = until stopped. A new play replaces one that runs. */
  | {
      readonly type: 'media.play'
      readonly legId: LegUuid
      readonly playId: string
      readonly source: AudioSource
      readonly loop: number
      /** Another play will follow: the end is reported while the last frame sounds, so that it begins without a gap. */
      readonly isFollowed?: true
    }
  | { readonly type: 'media.stop'; readonly legId: LegUuid; readonly playId: string }
  /** Records what the leg's remote sends into a file at `path` that opens at every instant: `.ogg` or `.wav`. */
  | {
      readonly type: 'media.record'
      readonly legId: LegUuid
      readonly recordId: string
      readonly path: string
      readonly limits: RecordLimits
    }
  /**
   * Records what the leg's remote sends and what is sent to it, on one line of time, bridged or not; beside `media.record` and others
   * of its kind. `media.recorded` reports its end. While it is paused it records silence.
   */
  | {
      readonly type: 'media.record-session'
      readonly legId: LegUuid
      readonly recordId: string
      readonly path: string
      readonly rules: SessionRecordRules
    }
  | { readonly type: 'media.pause-record'; readonly legId: LegUuid; readonly recordId: string }
  | { readonly type: 'media.resume-record'; readonly legId: LegUuid; readonly recordId: string }
  /** Of either kind. */
  | { readonly type: 'media.stop-record'; readonly legId: LegUuid; readonly recordId: string }
  /** The two legs receive each other's audio, digits included; a play to one of them interrupts what it receives of the other. */
  | { readonly type: 'media.bridge'; readonly legId: LegUuid; readonly otherLegId: LegUuid }
  | { readonly type: 'media.unbridge'; readonly legId: LegUuid }
  /**
   * The leg receives all others in the room, and they receive it unless it is muted; legs of any calls. A play to it
   * interrupts what it receives of the room. It is in one room at most.
   */
  | { readonly type: 'media.join'; readonly legId: LegUuid; readonly room: string; readonly muted: boolean }
  | { readonly type: 'media.leave'; readonly legId: LegUuid }
  /** Plays to all in the leg's room that a participant has come, or gone. */
  | { readonly type: 'media.room-tone'; readonly legId: LegUuid; readonly tone: 'enter' | 'leave' }
  /** Packets of both directions go whole to the trace for so long, as they are before protection; 0 = no longer. */
  | { readonly type: 'media.capture'; readonly legId: LegUuid; readonly forMs: number }
  /** Sends digits as telephone-events, or as tones to a remote that takes none; `w` is 0.5 s of pause. */
  | { readonly type: 'media.send-digits'; readonly legId: LegUuid; readonly digitsId: string; readonly digits: string }
  /** Ends the session; its ports are drained before reuse. `media.closed` follows. */
  | { readonly type: 'media.close'; readonly legId: LegUuid }

/** The only source that media is taken from, and another from which a known host has sent in vain. */
interface AwaitedMedia {
  readonly from: string
  readonly seen: string | undefined
}

export type MediaEvent =
  | { readonly type: 'media.opened'; readonly legId: LegUuid; readonly sdp: string }
  | { readonly type: 'media.reopened'; readonly legId: LegUuid; readonly sdp: string }
  /** The answer was taken: audio can flow. */
  | { readonly type: 'media.ready'; readonly legId: LegUuid; readonly codec: CodecName }
  /** `reoffer`: the failed command was `media.reoffer`, and the session goes on as it was. */
  | {
      readonly type: 'media.failed'
      readonly legId: LegUuid
      readonly fault: 'no-common-codec' | 'bad-sdp' | 'no-ports' | 'internal'
      readonly reoffer: boolean
      /** Of an offer of the remote's that cannot be taken. */
      readonly warning?: SdpWarning
    }
  /** `completed` false: stopped, replaced, or the session ended. */
  | {
      readonly type: 'media.played'
      readonly legId: LegUuid
      readonly playId: string
      readonly completed: boolean
      readonly fault?: 'unreadable' | 'unsupported' | 'no-room'
    }
  | {
      readonly type: 'media.recorded'
      readonly legId: LegUuid
      readonly recordId: string
      readonly durationMs: number
      readonly sizeBytes: number
      readonly endedBy: 'silence' | 'max-length' | 'stopped' | 'closed' | 'failed'
    }
  | { readonly type: 'media.digits-sent'; readonly legId: LegUuid; readonly digitsId: string }
  /** A key has gone down; `media.digit` follows when it is up. Not reported of every key. */
  | { readonly type: 'media.key-down'; readonly legId: LegUuid; readonly digit: string }
  /** One digit, once, at its end. */
  | { readonly type: 'media.digit'; readonly legId: LegUuid; readonly digit: string; readonly durationMs: number }
  /** No RTP for the media timeout while the remote was to send. */
  /** `fault`: a browser that ICE or DTLS never reached. */
  /** `awaited`: of a leg whose media is taken from the address in SDP alone. */
  | {
      readonly type: 'media.timeout'
      readonly legId: LegUuid
      readonly fault?: 'ice' | 'dtls'
      readonly awaited?: AwaitedMedia
    }
  /**
   * Neither RTP nor RTCP for the media timeout, while no RTP was expected; or neither media nor consent of a browser for
   * 12 s. Signalling can find out whether it is there.
   */
  | { readonly type: 'media.quiet'; readonly legId: LegUuid }
  | { readonly type: 'media.closed'; readonly legId: LegUuid; readonly stats: LegMediaStats }

export interface Media {
  execute(command: MediaCommand): void
}
