import { nextVerb, type VerbModule } from './verb.ts'

export interface Pause {
  readonly lengthMs: number
}

/** Does not answer: before the answer it delays it. */
export const pause: VerbModule<Pause, undefined> = {
  name: 'Pause',
  about: {
    summary: 'Waits in silence. Before the answer it delays it.',
    attributes: { length: 'How long.' },
    example: '<Pause length="2"/>',
  },
  parse: ({ attributes }) => ({ lengthMs: attributes.secondsMs('length', { min: 0, max: 600, fallback: 1 }) }),
  isBrief: true,
  start: (verb, run) =>
    verb.lengthMs === 0 ? nextVerb : { next: 'wait', state: undefined, wakeAt: run.now + verb.lengthMs },
  on: (_state, event) => (event.type === 'wake' ? nextVerb : undefined),
}
