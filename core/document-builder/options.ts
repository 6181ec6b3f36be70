import type { Duration } from './duration.ts'

/** Attributes of `<Say>`. */
export interface SayOptions {
  /** A voice's name, such as `piper:sw_CD-lanfrica-medium`. Default: the language's voice. */
  readonly voice?: string
  /** A language such as `sw` or `en-GB`. Default: the voice's. */
  readonly language?: string
  /** How often the text is spoken; 0 = until the caller hangs up. Default 1. */
  readonly loop?: number
}

/** Text with SSML markup (`break`, `p`, `s`, `say-as`, `prosody`, `emphasis`, `sub`), as it stands between the tags. */
export interface Ssml {
  readonly ssml: string
}

/** Attributes of `<Play>`. */
export interface PlayOptions {
  /** How often; 0 = until the caller hangs up. Default 1. */
  readonly loop?: number
  /** DTMF digits that are sent after the audio; `w` waits 0.5 s. Default: none. */
  readonly digits?: string
}

/** What `<Play>` plays beside a URL: an uploaded asset, or only digits. */
export interface PlaySource extends PlayOptions {
  /** Slug of an asset. */
  readonly asset?: string
  /** http(s) URL of a WAV, MP3 or Ogg Opus file. */
  readonly url?: string
}

/** Attributes of `<Record>`. */
export interface RecordOptions {
  /** URL that the end is posted to, and that the next document comes from. Default: none, the next verb runs. */
  readonly action?: string
  /** Silence that ends the recording; 0 = none does. Default 5 s. */
  readonly timeout?: Duration
  /** Longest recording. Default 1 h. */
  readonly maxLength?: Duration
  /** Keys that end the recording; empty = none. Default `1234567890*#`. */
  readonly finishOnKey?: string
  /** A tone before the recording begins. Default true. */
  readonly playBeep?: boolean
  /** Whether silence at both ends is cut off. Default `do-not-trim`. */
  readonly trim?: 'do-not-trim' | 'trim-silence'
  /** Kind of file. Default `wav`. */
  readonly format?: 'wav' | 'ogg'
  /** Only the caller is recorded. Default `mono`. */
  readonly channels?: 'mono'
}

/** Attributes of `<RecordSession>`. */
export interface RecordSessionOptions {
  /** What is done. Default `start`. */
  readonly state?: 'start' | 'pause' | 'resume' | 'stop'
  /** `dual`: caller left, remote side right. Default `dual`. */
  readonly channels?: 'dual' | 'mono'
  /** Which side is recorded. Default `both`. */
  readonly track?: 'both' | 'inbound' | 'outbound'
  /** Longest recording. Default 4 h. */
  readonly maxLength?: Duration
  /** Kind of file. Default `wav`. */
  readonly format?: 'wav' | 'ogg'
  /** A tone to the caller when the recording begins. Default false. */
  readonly playBeep?: boolean
}

/** Attributes of `<Gather>`. */
export interface GatherOptions {
  /** URL that the digits are posted to. Default: the URL of the document itself. */
  readonly action?: string
  /** What is listened to. Default `dtmf`. */
  readonly input?: 'dtmf'
  /** Number of digits that ends the Gather. Default 256. */
  readonly numDigits?: number
  /** How long the next digit may take, from the end of the prompt on. Default 5 s. */
  readonly timeout?: Duration
  /** Keys that end the digits and are none of them; empty = none. Default `#`. */
  readonly finishOnKey?: string
}

/** Attributes of `<Dial>`. */
export interface DialOptions {
  /** URL that the outcome is posted to, and that the next document comes from. Default: none, the next verb runs. */
  readonly action?: string
  /** What the dialled side sees. Default: towards trunks this call's own number, towards end-users the caller. */
  readonly callerId?: string
  /** How long it rings. Default 30 s. */
  readonly timeout?: Duration
  /** How long the two may talk. Default 4 h. */
  readonly timeLimit?: Duration
  /** The caller is answered when the dialled side is. Default true. */
  readonly answerOnBridge?: boolean
  /** The caller ends the Dial with `*`. Default false. */
  readonly hangupOnStar?: boolean
  /** One target after another instead of all at once. Default false. */
  readonly sequential?: boolean
  /** A country code or the slug of an asset, played while it rings. Default `ke`. */
  readonly ringTone?: string
  /** Whether the two are recorded, on one or two channels. Default `do-not-record`. */
  readonly record?: 'do-not-record' | 'record-from-answer' | 'record-from-answer-dual'
}

/** A phone number in E.164, or an extension of the account. */
export interface NumberTarget {
  readonly number: string
  /** DTMF digits that are sent when it answers; `w` waits 0.5 s. Default: none. */
  readonly sendDigits?: string
}

/** An end-user of the account: uuid, extension or email. */
export interface ClientTarget {
  readonly client: string
}

/** A SIP address outside of this switch. */
export interface SipTarget {
  readonly sip: string
  /** Digest user name. Default: none. */
  readonly username?: string
  /** Digest password. Default: none. */
  readonly password?: string
}

/** One target that a Dial rings. */
export type DialTarget = NumberTarget | ClientTarget | SipTarget

/** A room where callers receive each other's audio. */
export interface ConferenceTarget {
  /** Name of the room, at most 128 characters. */
  readonly conference: string
  /** The caller only listens. Default false. */
  readonly muted?: boolean
  /** The room starts when this caller enters. Default true. */
  readonly startOnEnter?: boolean
  /** The room ends for all when this caller leaves. Default false. */
  readonly endOnExit?: boolean
  /** Two notes when this caller enters or leaves. Default true. */
  readonly beep?: boolean | 'onEnter' | 'onExit'
  /** Slug of an asset, a country code or `silence`, played until the room starts. */
  readonly waitAsset?: string
  /** How many may be in the room, 2 to 50. Default 50. */
  readonly maxMembers?: number
}

/** Destination of a Dial: one of these, or `to` for several. */
export type DialOrder = DialOptions &
  (NumberTarget | ClientTarget | SipTarget | ConferenceTarget | { readonly to: readonly DialTarget[] })

/** Attributes of `<Hangup>`. */
export interface HangupOptions {
  /** Before the answer: 486 or 603 to the caller. Default: 603. */
  readonly reason?: 'busy' | 'rejected'
}

/** Attributes of `<Reject>`. */
export interface RejectOptions {
  /** 603 Decline or 486 Busy Here. Default `rejected`. */
  readonly reason?: 'rejected' | 'busy'
}

/** Attributes of `<Pause>`. */
export interface PauseOptions {
  /** How long, 0 to 600 s. Default 1 s. */
  readonly length?: Duration
}
