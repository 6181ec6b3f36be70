import type {
  ConferenceTarget,
  DialOptions,
  GatherOptions,
  HangupOptions,
  NumberTarget,
  PauseOptions,
  PlaySource,
  RecordOptions,
  RecordSessionOptions,
  RejectOptions,
  SayOptions,
  SipTarget,
} from './options.ts'

/** Names an object type's keys, all of them: a key that is missing or too much does not compile. */
const keysOf =
  <Options>() =>
  <Key extends keyof Options>(
    ...keys: Exclude<keyof Options, Key> extends never ? readonly Key[] : readonly never[]
  ): readonly string[] =>
    keys as readonly string[]

/**
 * The attributes of every verb and noun. A test compares them with the vocabulary that reads documents, so that the
 * builder cannot lack one.
 */
export const attributeNames = {
  Say: keysOf<SayOptions>()('voice', 'language', 'loop'),
  Play: keysOf<Omit<PlaySource, 'url'>>()('asset', 'loop', 'digits'),
  Pause: keysOf<PauseOptions>()('length'),
  Redirect: [] as readonly string[],
  Hangup: keysOf<HangupOptions>()('reason'),
  Reject: keysOf<RejectOptions>()('reason'),
  Record: keysOf<RecordOptions>()(
    'action',
    'timeout',
    'maxLength',
    'finishOnKey',
    'playBeep',
    'trim',
    'format',
    'channels',
  ),
  RecordSession: keysOf<RecordSessionOptions>()('state', 'channels', 'track', 'maxLength', 'format', 'playBeep'),
  Gather: keysOf<GatherOptions>()('action', 'input', 'numDigits', 'timeout', 'finishOnKey'),
  Dial: keysOf<DialOptions>()(
    'action',
    'callerId',
    'timeout',
    'timeLimit',
    'answerOnBridge',
    'hangupOnStar',
    'sequential',
    'ringTone',
    'record',
  ),
  Number: keysOf<Omit<NumberTarget, 'number'>>()('sendDigits'),
  Client: [] as readonly string[],
  Sip: keysOf<Omit<SipTarget, 'sip'>>()('username', 'password'),
  Conference: keysOf<Omit<ConferenceTarget, 'conference'>>()(
    'muted',
    'startOnEnter',
    'endOnExit',
    'beep',
    'waitAsset',
    'maxMembers',
  ),
} as const

export type ElementName = keyof typeof attributeNames

/** Attributes that hold a length of time. */
export const durationAttributes: ReadonlySet<string> = new Set(['timeout', 'timeLimit', 'maxLength', 'length'])
