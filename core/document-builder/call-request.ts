/** What the switch posts to ask for a document. Numbers are E.164 or extensions. */
export interface CallRequest {
  /** Unique id of the call; equals `sid` of events and records. */
  readonly CallSid: string
  /** The account's uuid. */
  readonly AccountSid: string
  readonly Direction: 'inbound' | 'outbound'
  readonly From: string
  readonly To: string
  readonly CallStatus: 'ringing' | 'in-progress' | 'completed'
  /** As attached at originate, or by a browser phone; missing when none was. */
  readonly customPayload?: string
  /** Only of a call that an end-user's phone placed. */
  readonly endUser?: {
    readonly uuid: string
    readonly email: string
    readonly display_name: string
    readonly extension_number: string
  }
}

/** What `<Dial action>` posts. */
export interface DialActionRequest extends CallRequest {
  readonly DialCallStatus: 'completed' | 'busy' | 'no-answer' | 'failed'
  /** Seconds that the dialled leg was connected; 0 unless answered. */
  readonly DialCallDuration: number
  /** Why the leg ended, `END.<digits>`. */
  readonly DialReasonCode: string
  /** The dialled leg, as in the DIAL events; empty when there was none. */
  readonly DialCallSid: string
}

/** What `<Record action>` posts. */
export interface RecordActionRequest extends CallRequest {
  /** Seconds captured; 0 when nothing was. */
  readonly RecordingDuration: number
  readonly RecordingPath: string
  readonly RecordingUuid: string
  /** The key that ended the recording, `hangup`, or empty. */
  readonly Digits: string
}

/** What `<Gather action>` posts. */
export interface GatherActionRequest extends CallRequest {
  /** What was dialled, without the key that ended it. */
  readonly Digits: string
}
