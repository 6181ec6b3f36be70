import { readPrompts } from './gather-prompts.ts'
import type { ParsedVerb, Step, VerbModule, VerbRun, Waiting } from './verb.ts'

export interface Gather {
  /** Where the digits go; the document itself is asked for again when there is none. */
  readonly action: string | undefined
  /** Number of digits that ends the Gather. */
  readonly numDigits: number
  /** How long the next digit may take. */
  readonly timeoutMs: number
  /** Keys that end the digits and are none of them; empty = none. */
  readonly finishOnKey: string
  /** What is played until the first digit. */
  readonly prompts: readonly ParsedVerb[]
}

/** Most digits of one Gather; it ends with these when the caller types more. */
const maxGatheredDigits = 256

/** A key that is held for longer has been forgotten. */
const longestPressMs = 10_000

type GatherState =
  /** Digits by INFO may come before the answer is through: they are kept. */
  | { readonly at: 'answering'; readonly digits: string }
  /** `next`: the prompt after the one that sounds. */
  | { readonly at: 'prompting'; readonly next: number; readonly step: Waiting }
  | { readonly at: 'listening'; readonly digits: string }

export const gather: VerbModule<Gather, GatherState> = {
  name: 'Gather',

  about: {
    summary:
      'Waits for digits that the caller types. The first stops the prompt at once and is kept. Keys pressed before it begins, under another verb or while its document is fetched, are not. Where a phone has agreed to send keys as telephone-events (RFC 4733), as nearly all do, its tones are not listened to. Without digits the next verb runs.',
    content: 'What is played meanwhile: Say, Play and Pause, in order.',
    attributes: {
      action:
        'Where the digits are posted, and where the next document comes from. Default: the document that the Gather is in, asked for again.',
      input: 'What is listened to.',
      numDigits: 'So many digits are enough.',
      timeout: 'How long the next digit may take, from the end of the prompt on.',
      finishOnKey: 'Keys that end the digits and are none of them; empty: none. Default: `#`.',
    },
    actionFields: { Digits: 'What was typed, without the key that ended it.' },
    example: '<Gather action="/menu" numDigits="1"><Say>For sales press one.</Say></Gather>',
  },

  parse({ element, attributes, problems }) {
    attributes.choice('input', ['dtmf'], 'dtmf')
    return {
      action: attributes.url('action'),
      numDigits: attributes.whole('numDigits', { min: 1, max: maxGatheredDigits, fallback: maxGatheredDigits }),
      timeoutMs: attributes.secondsMs('timeout', { min: 0, max: 600, fallback: 5 }),
      finishOnKey: attributes.text('finishOnKey', /^[0-9*#]{0,12}$/, 'keys of 0-9 * #') ?? '#',
      prompts: readPrompts(element, problems),
    }
  },

  sound: (verb, run) => verb.prompts[0]?.sound(run),

  start: (verb, run) =>
    run.answered
      ? prompt(verb, 0, run)
      : { next: 'wait', state: { at: 'answering', digits: '' }, commands: [{ type: 'answer' }] },

  on(state, event, verb, run) {
    switch (state.at) {
      case 'answering':
        if (event.type === 'digit') return take(verb, state.digits, event.digit, run)
        if (event.type !== 'answered') return undefined
        return state.digits === '' ? prompt(verb, 0, run) : listen(verb, state.digits, run)
      case 'prompting': {
        if (event.type === 'key-down') return { ...hold('', verb, run), commands: state.step.stop() }
        if (event.type === 'digit') {
          const then = take(verb, '', event.digit, run)
          return { ...then, commands: [...state.step.stop(), ...(then.commands ?? [])] }
        }
        const step = state.step.on(event, run)
        if (step === undefined) return undefined
        if (step.next === 'wait') return sounding(state.next, step)
        const then = prompt(verb, state.next, run)
        return { ...then, commands: [...(step.commands ?? []), ...(then.commands ?? [])] }
      }
      case 'listening':
        if (event.type === 'key-down') return hold(state.digits, verb, run)
        if (event.type === 'digit') return take(verb, state.digits, event.digit, run)
        return event.type === 'wake' ? done(verb, state.digits, run) : undefined
    }
  },
}

const sounding = (next: number, { wakeAt, commands, ...step }: Waiting): Step<GatherState> => ({
  next: 'wait',
  state: { at: 'prompting', next, step: { ...step } },
  ...(wakeAt === undefined ? {} : { wakeAt }),
  ...(commands === undefined ? {} : { commands }),
})

/** The prompt at `from`, or the first after it that has something to wait for; after the last, silence. */
function prompt(verb: Gather, from: number, run: VerbRun): Step<GatherState> {
  const commands = []
  for (let at = from; at < verb.prompts.length; at++) {
    const step = verb.prompts[at]?.start(run)
    if (step?.commands !== undefined) commands.push(...step.commands)
    if (step?.next === 'wait') return sounding(at + 1, { ...step, commands })
  }
  return { ...listen(verb, '', run), commands }
}

const listen = (verb: Gather, digits: string, run: VerbRun): Step<GatherState> => ({
  next: 'wait',
  state: { at: 'listening', digits },
  wakeAt: run.now + verb.timeoutMs,
})

/** A key is down: its digit comes when it is up, and no time runs out before. */
const hold = (digits: string, verb: Gather, run: VerbRun): Step<GatherState> => ({
  next: 'wait',
  state: { at: 'listening', digits },
  wakeAt: run.now + longestPressMs + verb.timeoutMs,
})

function take(verb: Gather, before: string, digit: string, run: VerbRun): Step<GatherState> {
  if (verb.finishOnKey.includes(digit)) return done(verb, before, run)
  const digits = before + digit
  if (digits.length >= verb.numDigits) return done(verb, digits, run)
  // Who types before the answer is through is listened to from then on.
  return run.answered ? listen(verb, digits, run) : { next: 'wait', state: { at: 'answering', digits } }
}

const done = (verb: Gather, digits: string, run: VerbRun): Step<GatherState> =>
  digits === ''
    ? { next: 'verb' }
    : { next: 'document', url: verb.action ?? run.documentUrl, extras: { Digits: digits } }
