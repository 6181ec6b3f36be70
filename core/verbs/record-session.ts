import type { VerbModule } from './verb.ts'

/** Understood, and said to be missing rather than silently not done: the call goes on unrecorded. */
export const recordSession: VerbModule<never, never> = {
  name: 'RecordSession',

  about: {
    summary: 'Records the whole call beside the document; survives Redirect, ends with the call.',
    attributes: {
      state: 'What is done.',
      channels: 'dual: caller left, far side right.',
      track: 'Whom it hears.',
      maxLength: 'Longest recording.',
      format: 'Kind of file.',
      playBeep: 'A tone now and then, so that both sides know.',
    },
    example: '<RecordSession state="start" channels="dual"/>',
  },

  parse({ element, attributes, notes }) {
    attributes.choice('state', ['start', 'pause', 'resume', 'stop'], 'start')
    attributes.choice('channels', ['dual', 'mono'], 'dual')
    attributes.choice('track', ['both', 'inbound', 'outbound'], 'both')
    attributes.secondsMs('maxLength', { min: 1, max: 14_400, fallback: 14_400 })
    attributes.choice('format', ['wav', 'ogg'], 'wav')
    attributes.flag('playBeep', false)
    notes.add(element, '<RecordSession> is not available yet; the call is not recorded')
    return undefined
  },

  start: verb => verb,
  on: () => undefined,
}
