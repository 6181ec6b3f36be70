import type { SessionRecordOrder } from './program.ts'
import type { VerbModule } from './verb.ts'

export interface RecordSession {
  readonly order: SessionRecordOrder
}

/** Does not wait, and does not answer: what it starts runs beside the document from the answer on. */
export const recordSession: VerbModule<RecordSession, never> = {
  name: 'RecordSession',

  about: {
    summary:
      'Records the whole call beside the document, from the answer on; goes on through Redirect and Dial, ends with the call. While it is paused it records silence.',
    attributes: {
      state: 'What is done. `start` while one runs changes nothing, nor do the others while none does.',
      channels: 'dual: caller left, what the caller hears right. mono: both mixed.',
      track: 'Whom it hears: `inbound` is the caller, `outbound` what the caller hears. The other side is silent.',
      maxLength: 'Longest recording.',
      format: 'Kind of file: WAV, or Opus in Ogg, a fifth of the size or less.',
      playBeep: 'A tone to the caller when it begins.',
    },
    example: '<RecordSession state="start" channels="dual"/>',
  },

  parse({ attributes }) {
    const state = attributes.choice('state', ['start', 'pause', 'resume', 'stop'], 'start')
    const channels = attributes.choice('channels', ['dual', 'mono'], 'dual')
    const track = attributes.choice('track', ['both', 'inbound', 'outbound'], 'both')
    const maxLengthMs = attributes.secondsMs('maxLength', { min: 1, max: 14_400, fallback: 14_400 })
    const format = attributes.choice('format', ['wav', 'ogg'], 'wav')
    const playBeep = attributes.flag('playBeep', false)
    if (state !== 'start') return { order: { state } }
    return { order: { state, options: { channels, track, maxLengthMs, format }, playBeep } }
  },

  start: ({ order }) => ({ next: 'verb', commands: [{ type: 'record-session', order }] }),
  on: () => undefined,
}
