import type { EndReason } from '../model/end-reason.ts'
import type { Attributes } from './attributes.ts'
import type { ProblemList } from './problem.ts'
import type { ProgramCommand, ProgramEvent, SoundCommand } from './program.ts'
import type { Element } from './xml.ts'

/** What a verb is read from. */
export interface VerbSource {
  readonly element: Element
  readonly attributes: Attributes
  readonly problems: ProblemList
}

/** What a running verb may ask. */
export interface VerbRun {
  readonly now: number
  readonly answered: boolean
  /** The caller has gone: nothing can be played any more. */
  readonly gone: boolean
  /** An id that is new within the call. */
  newId(): string
  /** Where the document that runs came from. */
  readonly documentUrl: string
  /** A URL of the document made absolute; undefined when that gives no http(s) URL. */
  resolve(reference: string): string | undefined
}

/** What reaches a running verb. Replies to requests are the interpreter's own. */
export type VerbEvent =
  | Exclude<ProgramEvent, { readonly type: 'fetched' | 'fetch-failed' | 'caller-gone' }>
  | { readonly type: 'wake' }

/** What a verb has decided. */
export type Step<State> =
  | {
      readonly next: 'wait'
      readonly state: State
      /** Monotonic ms at which `wake` is to come. */
      readonly wakeAt?: number
      readonly commands?: readonly ProgramCommand[]
    }
  | Leaving

/** A step that ends the verb. */
export type Leaving =
  | { readonly next: 'verb'; readonly commands?: readonly ProgramCommand[] }
  | {
      readonly next: 'document'
      readonly url: string
      readonly extras: Readonly<Record<string, unknown>>
      readonly commands?: readonly ProgramCommand[]
    }
  | {
      readonly next: 'end'
      readonly reason: EndReason
      readonly rejectWith?: 486 | 603
      readonly commands?: readonly ProgramCommand[]
    }

/**
 * What the reference says of a verb, or of a noun in it. Names, ranges and defaults of attributes are read from `parse`
 * itself; only their meaning is here.
 */
export interface VerbAbout {
  readonly summary: string
  /** What stands between its tags; undefined: nothing. */
  readonly content?: string
  readonly attributes: Readonly<Record<string, string>>
  /** What its `action` request carries beside the call's own fields. */
  readonly actionFields?: Readonly<Record<string, string>>
  /** As it is in a document. */
  readonly example: string
}

/** One verb of the vocabulary: how it is read and how it runs. */
export interface VerbModule<Verb, State> {
  readonly name: string
  readonly about: VerbAbout
  /** Undefined when the verb makes no sense as written; what is wrong is in the problems. */
  parse(source: VerbSource): Verb | undefined
  /** True when no verb after this one can ever run. */
  isLast?(verb: Verb): boolean
  /** Done in a while that is known, and nothing but the caller's leaving keeps the next verb from its turn. */
  readonly isBrief?: boolean
  /** What it will send to the caller first: while the verb before it runs, that is made ready. */
  sound?(verb: Verb, run: VerbRun): SoundCommand | undefined
  start(verb: Verb, run: VerbRun): Step<State>
  /** Undefined: the event does not concern the verb, and it goes on waiting. */
  on(state: State, event: VerbEvent, verb: Verb, run: VerbRun): Step<State> | undefined
  /** The caller has gone. A verb without it just stops. */
  gone?(state: State, verb: Verb, run: VerbRun): Step<State>
  /** What silences it at once, when another verb that holds it has had enough. A verb without it makes no sound. */
  stop?(state: State): readonly ProgramCommand[]
}

/** A verb of one document, ready to run; its kind and its state are private to it. */
export interface ParsedVerb {
  /** Where its element is in the document. */
  readonly line?: number
  readonly column?: number
  readonly name: string
  readonly isLast: boolean
  readonly isBrief: boolean
  sound(run: VerbRun): SoundCommand | undefined
  start(run: VerbRun): VerbStep
}

export type VerbStep = Waiting | Leaving

export interface Waiting {
  readonly next: 'wait'
  readonly wakeAt?: number
  readonly commands?: readonly ProgramCommand[]
  on(event: VerbEvent, run: VerbRun): VerbStep | undefined
  gone(run: VerbRun): VerbStep
  stop(): readonly ProgramCommand[]
}

/** A module whose types are hidden. */
export interface KnownVerb {
  readonly name: string
  readonly about: VerbAbout
  parse(source: VerbSource): ParsedVerb | undefined
}

export const known = <Verb, State>(module: VerbModule<Verb, State>): KnownVerb => ({
  name: module.name,
  about: module.about,
  parse: source => {
    const verb = module.parse(source)
    return verb === undefined ? undefined : ready(module, verb)
  },
})

export const ready = <Verb, State>(module: VerbModule<Verb, State>, verb: Verb): ParsedVerb => ({
  name: module.name,
  isLast: module.isLast?.(verb) ?? false,
  isBrief: module.isBrief ?? false,
  sound: run => module.sound?.(verb, run),
  start: run => hideState(module, verb, module.start(verb, run)),
})

export const nextVerb: Leaving = { next: 'verb' }

function hideState<Verb, State>(module: VerbModule<Verb, State>, verb: Verb, step: Step<State>): VerbStep {
  if (step.next !== 'wait') return step
  const { state, ...rest } = step
  return {
    ...rest,
    on: (event, run) => {
      const then = module.on(state, event, verb, run)
      return then === undefined ? undefined : hideState(module, verb, then)
    },
    gone: run => (module.gone === undefined ? nextVerb : hideState(module, verb, module.gone(state, verb, run))),
    stop: () => module.stop?.(state) ?? [],
  }
}
