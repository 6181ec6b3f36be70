import type { ProgramEvent, RecordOptions } from './program.ts'
import { type Leaving, nextVerb, type Step, type VerbModule, type VerbRun } from './verb.ts'

export interface Record {
  readonly action: string | undefined
  readonly options: RecordOptions
  /** Keys that end the recording; empty = none. */
  readonly finishOnKey: string
  readonly playBeep: boolean
}

type RecordState =
  | { readonly at: 'answering' }
  | { readonly at: 'beeping'; readonly playId: string }
  /** `key` is the one that has ended it; `hangup` when the caller has gone. */
  | { readonly at: 'recording'; readonly recordId: string; readonly key: string }
  /** The session closed under the recording: the end of the caller follows, and only then is posted. */
  | { readonly at: 'closed'; readonly recorded: Recorded }

type Recorded = Extract<ProgramEvent, { readonly type: 'recorded' }>

/** How long the end of a recording may take once the caller has gone; the action is posted without it then. */
export const closingMs = 5000

export const record: VerbModule<Record, RecordState> = {
  name: 'Record',

  about: {
    summary: 'Records the caller. Answers the call. With `action` no verb after it runs.',
    attributes: {
      action: 'Where the end is posted, and where the next document comes from. Default: none, the next verb runs.',
      timeout: 'Silence that ends the recording; 0 = none does.',
      maxLength: 'Longest recording.',
      finishOnKey: 'Keys that end it; empty = none. Default: `1234567890*#`.',
      playBeep: 'A tone before it begins.',
      trim: 'Whether silence at both ends is cut off.',
      format: 'Kind of file: WAV, or Opus in Ogg, a fifth of the size or less.',
      channels: 'Only the caller is recorded.',
    },
    actionFields: {
      RecordingDuration: 'Seconds; 0 when nothing was recorded.',
      RecordingPath: 'Storage reference; the Recording itself appears moments later.',
      RecordingUuid: 'The Recording.',
      Digits: 'The key that ended it, `hangup`, or empty.',
    },
    example: '<Record action="/recorded" maxLength="60" finishOnKey="#"/>',
  },

  parse({ attributes }) {
    const action = attributes.url('action')
    const silenceMs = attributes.secondsMs('timeout', { min: 0, max: 14_400, fallback: 5 })
    const maxLengthMs = attributes.secondsMs('maxLength', { min: 1, max: 14_400, fallback: 3600 })
    const finishOnKey = attributes.text('finishOnKey', /^[0-9*#]{0,12}$/, 'keys of 0-9 * #') ?? '1234567890*#'
    const playBeep = attributes.flag('playBeep', true)
    const trim = attributes.choice('trim', ['do-not-trim', 'trim-silence'], 'do-not-trim')
    attributes.choice('channels', ['mono'], 'mono')
    const format = attributes.choice('format', ['wav', 'ogg'], 'wav')
    const options: RecordOptions = { silenceMs, maxLengthMs, trimSilence: trim === 'trim-silence', format }
    return { action, options, finishOnKey, playBeep }
  },

  isLast: verb => verb.action !== undefined,

  start(verb, run) {
    if (run.answered) return begin(verb, run)
    const answer = { type: 'answer' } as const
    if (verb.playBeep) return { next: 'wait', state: { at: 'answering' }, commands: [answer] }
    // Ordered together with the answer: a caller who speaks as soon as the 200 arrives loses no word.
    const { state, commands } = listen(verb, run)
    return { next: 'wait', state, commands: [answer, ...(commands ?? [])] }
  },

  on(state, event, verb, run) {
    switch (state.at) {
      case 'answering':
        return event.type === 'answered' ? begin(verb, run) : undefined
      case 'beeping':
        return event.type === 'played' && event.playId === state.playId ? listen(verb, run) : undefined
      case 'recording':
        if (event.type === 'recorded' && event.recordId === state.recordId) return ended(verb, state.key, event, run)
        // Only after the caller has gone is there anything to wake for.
        if (event.type === 'wake') return done(verb, state.key, undefined)
        if (event.type !== 'digit' || state.key !== '' || !verb.finishOnKey.includes(event.digit)) return undefined
        return {
          next: 'wait',
          state: { ...state, key: event.digit },
          commands: [{ type: 'stop-record', recordId: state.recordId }],
        }
      case 'closed':
        return event.type === 'wake' ? done(verb, 'hangup', state.recorded) : undefined
    }
  },

  gone(state, verb, run) {
    if (state.at === 'closed') return done(verb, 'hangup', state.recorded)
    if (state.at !== 'recording') return done(verb, 'hangup', undefined)
    const key = state.key === '' ? 'hangup' : state.key
    return { next: 'wait', state: { ...state, key }, wakeAt: run.now + closingMs }
  },
}

function begin(verb: Record, run: VerbRun): Step<RecordState> {
  if (!verb.playBeep) return listen(verb, run)
  const playId = run.newId()
  return { next: 'wait', state: { at: 'beeping', playId }, commands: [{ type: 'beep', playId }] }
}

function listen(verb: Record, run: VerbRun): Extract<Step<RecordState>, { next: 'wait' }> {
  const recordId = run.newId()
  return {
    next: 'wait',
    state: { at: 'recording', recordId, key: '' },
    commands: [{ type: 'record', recordId, options: verb.options }],
  }
}

function ended(verb: Record, key: string, recorded: Recorded, run: VerbRun): Step<RecordState> {
  if (recorded.endedBy !== 'closed' || run.gone) return done(verb, key, recorded)
  return { next: 'wait', state: { at: 'closed', recorded }, wakeAt: run.now + closingMs }
}

/** `recorded` is missing when there was nothing to record, or when its end never came. */
function done(verb: Record, key: string, recorded: Recorded | undefined): Leaving {
  if (verb.action === undefined) return nextVerb
  return {
    next: 'document',
    url: verb.action,
    extras: {
      RecordingDuration: Math.round((recorded?.durationMs ?? 0) / 1000),
      RecordingPath: recorded?.path ?? '',
      RecordingUuid: recorded?.recordingUuid ?? '',
      Digits: key,
    },
  }
}
