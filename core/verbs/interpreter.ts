import { assertNever } from '../model/assert-never.ts'
import { type DocumentDump, withoutSecrets } from '../model/call-dump.ts'
import type { EndReason } from '../model/end-reason.ts'
import { parseDocument } from './document.ts'
import { DocumentCache } from './document-cache.ts'
import { fallbackVerbs, fetchFaults } from './fallback.ts'
import type { DocumentRules, Problem } from './problem.ts'
import type { ProgramCommand, ProgramContext, ProgramEvent, SoundCommand } from './program.ts'
import { maxUrlLength, resolveUrl, shownUrl } from './url.ts'
import type { ParsedVerb, VerbEvent, VerbRun, VerbStep, Waiting } from './verb.ts'

/** Documents that may follow each other without a second of audio or an answer between them. */
export const maxSilentDocuments = 50

/** Verbs, and problems that they report, without a second of audio or an answer between them: `<Play>` of nothing takes no time. */
export const maxSilentVerbs = 2000

/** Problems of one document that become events; the check shows them all. */
export const maxReportedProblems = 20

const audibleMs = 1000

const nothing: readonly ProgramCommand[] = []

/**
 * - `idle`: nothing asked for yet
 * - `requesting`: a document is on its way
 * - `running`: a verb waits, of a document or of the fallback
 * - `leaving`: the caller has gone, and the verb has something left to post
 * - `over`: nothing more will come
 */
type Stage =
  | { readonly at: 'idle' | 'over' }
  | { readonly at: 'requesting'; readonly requestId: string }
  | { readonly at: 'running' | 'leaving'; readonly step: Waiting }

interface InterpreterOptions {
  /** Where the first document is asked for. Empty: there is none, and the fallback runs. */
  readonly url: string
  /** Read again whenever it is needed: `answered` may change. */
  readonly context: ProgramContext
  /** What documents are read by. */
  readonly rules?: DocumentRules
  /** Where documents that many calls get are kept. Default: a cache of its own. */
  readonly documents?: DocumentCache
  /** Each verb of a document that begins is reported by a command. Default: none is. */
  readonly reportsVerbs?: boolean
}

/**
 * Runs a call's documents one after another. It knows the shape of a verb, never a verb's name.
 * Virtual time: `now` is monotonic ms. Events that fit nothing are absorbed; nothing ever throws.
 */
export class Interpreter {
  readonly #context: ProgramContext
  readonly #firstUrl: string
  readonly #rules: DocumentRules
  readonly #documents: DocumentCache
  readonly #reportsVerbs: boolean
  #stage: Stage = { at: 'idle' }
  #documentUrl = ''
  #verbs: readonly ParsedVerb[] = []
  #nextVerb = 0
  #answered = false
  #gone = false
  #silentDocuments = 0
  #silentVerbs = 0
  #audioMs = 0
  #ids = 0
  /** Why the call ends when nothing else says so; a failure sets it, and its fallback keeps it. */
  #reason: EndReason = 'END.0202'
  #fallingBack = false
  /** What the present event makes it ask for; made for the first command. */
  #out: ProgramCommand[] | undefined

  constructor(options: InterpreterOptions) {
    this.#firstUrl = options.url
    this.#rules = options.rules ?? {}
    this.#documents = options.documents ?? new DocumentCache()
    this.#context = options.context
    this.#reportsVerbs = options.reportsVerbs ?? false
    this.#answered = options.context.answered
  }

  /** Asks for the first document. */
  start(now: number): readonly ProgramCommand[] {
    if (this.#stage.at === 'idle') this.#request(this.#firstUrl, this.#firstUrl, {}, now)
    return this.#flush()
  }

  handle(event: ProgramEvent, now: number): readonly ProgramCommand[] {
    this.#observe(event)
    switch (event.type) {
      case 'fetched':
        if (this.#awaits(event.requestId)) this.#open(event, now)
        break
      case 'fetch-failed':
        if (this.#awaits(event.requestId)) {
          const { code, reason } = fetchFaults[event.fault]
          this.#report(code, { url: this.#documentUrl, detail: event.detail })
          this.#fallBack(reason, now)
        }
        break
      case 'caller-gone':
        this.#leave(now)
        break
      default:
        this.#passToVerb(event, now)
    }
    return this.#flush()
  }

  timeout(now: number): readonly ProgramCommand[] {
    const deadline = this.deadline()
    if (deadline !== undefined && deadline <= now) this.#passToVerb({ type: 'wake' }, now)
    return this.#flush()
  }

  /** Monotonic ms at which `timeout` wants to be called. */
  deadline(): number | undefined {
    return 'step' in this.#stage ? this.#stage.step.wakeAt : undefined
  }

  /** Where it is in which document, for support. */
  place(now: number): DocumentDump {
    const { at } = this.#stage
    const isRunning = at === 'running' || at === 'leaving'
    const verb = isRunning ? this.#verbs[this.#nextVerb - 1] : undefined
    const wakeAt = this.deadline()
    return {
      state: at,
      url: withoutSecrets(this.#documentUrl),
      verb: verb?.name,
      line: verb?.line,
      column: verb?.column,
      wakeInMs: wakeAt === undefined ? undefined : Math.round(wakeAt - now),
    }
  }

  /** What the caller is sent after the verb that runs, when that one is brief; its `playId` is empty. */
  ahead(now: number): SoundCommand | undefined {
    if (this.#stage.at !== 'running') return undefined
    const running = this.#verbs[this.#nextVerb - 1]
    return running?.isBrief === true ? this.#verbs[this.#nextVerb]?.sound(this.#runAt(now)) : undefined
  }

  /** Nothing more will be requested, whatever event comes. */
  get isOver(): boolean {
    return this.#stage.at === 'over'
  }

  /** Keeps what the loop limit and the verbs need to know. */
  #observe(event: ProgramEvent): void {
    // A bridge answers without being asked to by the program.
    if (!this.#answered && (event.type === 'answered' || this.#context.answered)) {
      this.#answered = true
      this.#endSilence()
    }
    switch (event.type) {
      case 'played':
        this.#addAudio(event.spokenMs)
        return
      case 'recorded':
        this.#addAudio(event.durationMs)
        return
      case 'dialled':
        this.#addAudio(event.durationSeconds * 1000)
        return
      default:
        // The others carry no audio.
        return
    }
  }

  #addAudio(ms: number): void {
    this.#audioMs += ms
    if (this.#audioMs < audibleMs) return
    this.#audioMs = 0
    this.#endSilence()
  }

  #endSilence(): void {
    this.#silentDocuments = 0
    this.#silentVerbs = 0
  }

  #awaits(requestId: string): boolean {
    return this.#stage.at === 'requesting' && this.#stage.requestId === requestId
  }

  /** `reference` is relative to `base`. */
  #request(reference: string, base: string, extras: Readonly<Record<string, unknown>>, now: number): void {
    const url = resolveUrl(reference, base)
    if (this.#gone) {
      if (url !== undefined) this.#post(url, extras, true)
      this.#stage = { at: 'over' }
      return
    }
    if (url === undefined) {
      const { code, reason } = fetchFaults[reference === '' ? 'not-found' : 'transport']
      const problem = `the URL is not http or https, or has more than ${maxUrlLength} characters as it is sent`
      const detail = reference === '' ? 'no document is set' : problem
      this.#report(code, { url: reference, detail })
      this.#fallBack(reason, now)
      return
    }
    this.#silentDocuments++
    this.#documentUrl = url
    if (this.#silentDocuments > maxSilentDocuments) {
      this.#fallBack('END.3482', now)
      return
    }
    this.#stage = { at: 'requesting', requestId: this.#post(url, extras, false) }
  }

  #post(url: string, extras: Readonly<Record<string, unknown>>, ignoreReply: boolean): string {
    const requestId = this.#newId()
    this.#put({ type: 'fetch', requestId, url, extras, ignoreReply })
    return requestId
  }

  #open({ bytes, isConstant }: Extract<ProgramEvent, { type: 'fetched' }>, now: number): void {
    const document = isConstant ? this.#documents.parse(bytes, this.#rules) : parseDocument(bytes, this.#rules)
    this.#reportProblems(document.problems)
    if (!document.ok) {
      this.#fallBack(document.reason, now)
    } else if (document.isEmpty && !this.#isAnswered) {
      this.#end('END.0603')
    } else {
      this.#run(document.verbs, now)
    }
  }

  #reportProblems(problems: readonly Problem[]): void {
    for (const { code, ...data } of problems.slice(0, maxReportedProblems)) {
      this.#report(code, { url: this.#documentUrl, ...data })
    }
  }

  /** Whatever the fallback itself runs into only ends the call; the first reason stays. */
  #fallBack(reason: EndReason, now: number): void {
    if (this.#fallingBack) {
      this.#end(this.#reason)
      return
    }
    this.#fallingBack = true
    this.#reason = reason
    this.#run(fallbackVerbs(this.#context), now)
  }

  #run(verbs: readonly ParsedVerb[], now: number): void {
    this.#verbs = verbs
    this.#nextVerb = 0
    this.#follow({ next: 'verb' }, now)
  }

  /** Goes from step to step until one waits, or something outside has to come. A loop: a thousand verbs need no stack. */
  #follow(first: VerbStep, now: number): void {
    let step = first
    for (;;) {
      if (step.commands !== undefined) this.#take(step.commands)
      switch (step.next) {
        case 'wait':
          this.#stage = { at: this.#gone ? 'leaving' : 'running', step }
          return
        case 'document':
          this.#request(step.url, this.#documentUrl, step.extras, now)
          return
        case 'end':
          this.#end(step.reason, step.rejectWith)
          return
        case 'verb':
          {
            if (this.#gone) {
              this.#stage = { at: 'over' }
              return
            }
            const verb = this.#verbs[this.#nextVerb++]
            if (verb === undefined) {
              this.#end(this.#reason)
              return
            }
            if (++this.#silentVerbs > maxSilentVerbs && !this.#fallingBack) {
              this.#fallBack('END.3482', now)
              return
            }
            // The fallback's verbs stand in no document.
            if (this.#reportsVerbs && verb.line !== undefined) {
              const { name, line, column = 1 } = verb
              this.#put({ type: 'began', verb: { name, line, column, url: this.#documentUrl } })
            }
            step = verb.start(this.#runAt(now))
          }
          break
        default:
          assertNever(step)
      }
    }
  }

  #take(commands: readonly ProgramCommand[]): void {
    for (const command of commands) {
      if (command.type === 'report') this.#silentVerbs++
      this.#put(command)
    }
  }

  #passToVerb(event: VerbEvent, now: number): void {
    if (!('step' in this.#stage)) return
    const step = this.#stage.step.on(event, this.#runAt(now))
    if (step !== undefined) this.#follow(step, now)
  }

  #leave(now: number): void {
    if (this.#gone) return
    this.#gone = true
    if (this.#stage.at === 'running') this.#follow(this.#stage.step.gone(this.#runAt(now)), now)
    else this.#stage = { at: 'over' }
  }

  #end(reason: EndReason, rejectWith: 486 | 603 = 603): void {
    this.#stage = { at: 'over' }
    if (this.#gone) return
    this.#put(this.#isAnswered ? { type: 'end', reason } : { type: 'end', reason, rejectWith })
  }

  #report(code: Extract<ProgramCommand, { type: 'report' }>['code'], data: Readonly<Record<string, unknown>>): void {
    const { url } = data
    this.#put({ type: 'report', code, data: typeof url === 'string' ? { ...data, url: shownUrl(url) } : data })
  }

  get #isAnswered(): boolean {
    return this.#answered || this.#context.answered
  }

  readonly #newId = (): string => {
    this.#ids++
    return `p${this.#ids}`
  }

  readonly #resolve = (reference: string): string | undefined => resolveUrl(reference, this.#documentUrl)

  #runAt(now: number): VerbRun {
    return {
      now,
      answered: this.#isAnswered,
      gone: this.#gone,
      newId: this.#newId,
      documentUrl: this.#documentUrl,
      resolve: this.#resolve,
    }
  }

  #flush(): readonly ProgramCommand[] {
    const out = this.#out ?? nothing
    this.#out = undefined
    return out
  }

  #put(command: ProgramCommand): void {
    if (this.#out === undefined) this.#out = [command]
    else this.#out.push(command)
  }
}
