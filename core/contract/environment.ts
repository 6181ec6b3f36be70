import type { Destinations } from '../billing/destinations.ts'
import type { RateDeck } from '../billing/rate-deck.ts'
import type { SipPlace } from '../billing/sip-prefix.ts'
import type { NumberOwner } from '../model/account.ts'
import type { RecordingUuid, Sid } from '../model/ids.ts'
import type { PhoneBinding } from '../model/phone.ts'
import type { CodecName, Trunk } from '../model/trunk.ts'

/** Where a recording is: relative to the recordings folder for the row, and as media is to open it. */
interface RecordingPlace {
  readonly path: string
  readonly file: string
}

/** Destination of a `<Sip>`, as its URI names it. */
export interface SipTarget extends SipPlace {
  /** The user part: a telephone number bare, without parameters and separators. */
  readonly user: string | undefined
  /** It names a trunk, this switch or a private network. What DNS makes of a name is looked at when it is dialled. */
  readonly isRefused: boolean
}

/** Durations of the domain, in ms; a value, so that a test can shorten them. */
export interface CallTimes {
  /** How long a leg that we have ended may take to end (Timer B and F are 32 s), then it is given up. Default 40 s. */
  readonly legEndMs: number
  /**
   * How long the next child of a sequential Dial waits for the cancelled one to end, before it is dialled all the same:
   * three copies of a CANCEL go out in that time (RFC 3261 §17.1.2.2). Default 2 s.
   */
  readonly cancelConfirmMs: number
  /** How long a media session may take to close. Default 5 s. */
  readonly mediaCloseMs: number
  /** First pause before the final row of a call is tried again after a database error; doubles. Default 1 s. */
  readonly retryCommitMs: number
}

export const defaultCallTimes: CallTimes = Object.freeze({
  legEndMs: 40_000,
  cancelConfirmMs: 2000,
  mediaCloseMs: 5000,
  retryCommitMs: 1000,
})

/** What comes into the machine from outside besides events: randomness, wall clock, tables and names. */
export interface CallEnvironment {
  /** A new UUID. */
  uuid(): string
  /** In [0, 1). */
  random(): number
  /** Wall clock, only for records. */
  unixMs(): number
  /** The owner of an E.164 number, as far as memory knows it. Undefined: it is to be looked up. */
  knownOwner(number: string): NumberOwner | undefined
  /** The document of this URL is the switch's own: no request leaves for it. */
  isHosted(url: string): boolean
  /** As they are now: the operator may change them at any time. */
  trunks(): readonly Trunk[]
  destinations(): Destinations
  deck(): RateDeck
  /** Softphones of an end-user that can be called now. */
  bindingsOf(endUserUuid: string): readonly PhoneBinding[]
  /** What the URI of a `<Sip>` says by itself; undefined: it is none. */
  sipTarget(uri: string): SipTarget | undefined
  /** Codecs of an SDP offer that media supports, in its order. */
  codecsIn(offer: string): readonly CodecName[]
  /** `format` is also what the file's name ends in; media goes by it. */
  recordingPlace(sid: Sid, uuid: RecordingUuid, unixMs: number, format: 'wav' | 'ogg'): RecordingPlace
  /** How long recordings are kept; Infinity = for ever. */
  readonly recordingKeptMs: number
  /** Bytes that an account's recordings may take where its operator has said nothing else. */
  readonly recordingQuota: number
  readonly times: CallTimes
}
