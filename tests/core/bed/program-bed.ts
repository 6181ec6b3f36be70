import {
  DocumentCache,
  Interpreter,
  type ProgramCommand,
  type ProgramContext,
  type ProgramEvent,
} from '../../../core/verbs/index.ts'

type Reply = string | Uint8Array | Extract<ProgramEvent, { type: 'fetch-failed' }>['fault']

const faults = ['not-found', 'timeout', 'too-large', 'status', 'transport', 'refused-address']

export interface BedOptions {
  /** What each URL answers: a document, or the name of a fault. A function sees how often it was asked. */
  readonly documents: Readonly<Record<string, Reply | ((times: number) => Reply)>>
  /** Default http://a.test/start */
  readonly url?: string
  /** The call is answered before the program starts, as an originated one is. Default true. */
  readonly answered?: boolean
  readonly fallbackMode?: ProgramContext['fallbackMode']
  readonly fallbackValue?: string
  /** How long each play lasts. Default 2000. */
  readonly playMs?: number
}

export const fetchMs = 100
export const answerMs = 50

/** Of all programs, as in a switch: what one has run, the next runs as if it were new. */
const documents = new DocumentCache()

/** A call around a program, in virtual time: it fetches in 100 ms, answers in 50 ms and plays for 2 s. */
export class ProgramBed {
  readonly interpreter: Interpreter
  readonly log: string[] = []
  readonly commands: ProgramCommand[] = []
  readonly #options: BedOptions
  readonly #context: { -readonly [Key in keyof ProgramContext]: ProgramContext[Key] }
  readonly #queue: { at: number; event: ProgramEvent }[] = []
  readonly #asked = new Map<string, number>()
  now = 0

  constructor(options: BedOptions) {
    this.#options = options
    this.#context = {
      answered: options.answered ?? true,
      fallbackMode: options.fallbackMode ?? 'message',
      fallbackValue: options.fallbackValue ?? 'Sorry.',
    }
    const url = options.url ?? 'http://a.test/start'
    this.interpreter = new Interpreter({ url, context: this.#context, documents })
  }

  /** Plans an event from outside. */
  at(at: number, event: ProgramEvent): this {
    this.#queue.push({ at, event })
    return this
  }

  /** Runs up to `until` ms and gives all that was asked for so far, each with its time. */
  run(until = 60_000): readonly string[] {
    if (this.now === 0 && this.log.length === 0) this.#take(this.interpreter.start(0))
    for (;;) {
      const event = this.#queue.reduce<{ at: number; event: ProgramEvent } | undefined>(
        (first, each) => (first === undefined || each.at < first.at ? each : first),
        undefined,
      )
      const deadline = this.interpreter.deadline()
      const next = Math.min(event?.at ?? Number.POSITIVE_INFINITY, deadline ?? Number.POSITIVE_INFINITY)
      if (next > until) break
      this.now = Math.max(this.now, next)
      if (event !== undefined && event.at <= (deadline ?? Number.POSITIVE_INFINITY)) {
        this.#queue.splice(this.#queue.indexOf(event), 1)
        if (event.event.type === 'answered') this.#context.answered = true
        this.#take(this.interpreter.handle(event.event, this.now))
      } else {
        this.#take(this.interpreter.timeout(this.now))
      }
    }
    this.now = Math.max(this.now, until)
    return this.log
  }

  #take(commands: readonly ProgramCommand[]): void {
    for (const command of commands) {
      this.commands.push(command)
      this.log.push(`${this.now} ${lineOf(command)}`)
      this.#obey(command)
    }
  }

  #obey(command: ProgramCommand): void {
    const playMs = this.#options.playMs ?? 2000
    switch (command.type) {
      case 'fetch':
        if (!command.ignoreReply) this.at(this.now + fetchMs, this.#reply(command.requestId, command.url))
        return
      case 'answer':
        this.at(this.now + answerMs, { type: 'answered' })
        return
      case 'say':
      case 'play':
        if (command.loop === 0) return
        this.at(this.now + playMs * command.loop, played(command.playId, playMs * command.loop))
        return
      case 'beep':
        this.at(this.now + 300, played(command.playId, 0))
        return
      case 'send-digits':
        this.at(this.now + 500, played(command.playId, 0))
        return
      default:
        // The test decides what becomes of the others.
        return
    }
  }

  #reply(requestId: string, url: string): ProgramEvent {
    const times = (this.#asked.get(url) ?? 0) + 1
    this.#asked.set(url, times)
    const planned = this.#options.documents[url] ?? 'status'
    const reply = typeof planned === 'function' ? planned(times) : planned
    if (typeof reply !== 'string') return { type: 'fetched', requestId, bytes: reply, isConstant: true }
    const fault = isFault(reply)
    if (fault !== undefined) return { type: 'fetch-failed', requestId, fault, detail: `${reply} of the bed` }
    return { type: 'fetched', requestId, bytes: new TextEncoder().encode(reply), isConstant: true }
  }
}

const isFault = (reply: string) =>
  faults.includes(reply) ? (reply as Extract<ProgramEvent, { type: 'fetch-failed' }>['fault']) : undefined

const played = (playId: string, spokenMs: number): ProgramEvent => ({ type: 'played', playId, spokenMs })

/** A command on one line, without its id. */
export function lineOf(command: ProgramCommand): string {
  switch (command.type) {
    case 'fetch': {
      const extras = Object.keys(command.extras).length === 0 ? '' : ` ${JSON.stringify(command.extras)}`
      return `fetch ${command.url}${extras}${command.ignoreReply ? ' (reply ignored)' : ''}`
    }
    case 'say':
      return `say ${JSON.stringify(command.ssml ?? command.text)} ×${command.loop}${voiceOf(command)}`
    case 'play':
      return `play ${'asset' in command.source ? command.source.asset : command.source.url} ×${command.loop}`
    case 'send-digits':
      return `send-digits ${command.digits}`
    case 'record-session':
      return `record-session ${JSON.stringify(command.order)}`
    case 'report':
      return `report ${command.code}`
    case 'end':
      return `end ${command.reason}${command.rejectWith === undefined ? '' : ` reject ${command.rejectWith}`}`
    case 'dial':
      return `dial ${command.dial.targets.map(target => target.kind).join(' ')}`
    case 'began':
      return `began ${command.verb.name}`
    case 'answer':
    case 'beep':
    case 'stop':
    case 'record':
    case 'stop-record':
      return command.type
  }
}

const voiceOf = (command: Extract<ProgramCommand, { type: 'say' }>) =>
  [command.voice, command.language].map(value => (value === undefined ? '' : ` ${value}`)).join('')

/** The id of the last command of a kind, to answer it by hand. */
export function lastId(bed: ProgramBed, type: 'record' | 'dial' | 'say' | 'play'): string {
  const command = bed.commands.findLast(each => each.type === type)
  switch (command?.type) {
    case 'record':
      return command.recordId
    case 'dial':
      return command.dialId
    case 'say':
    case 'play':
      return command.playId
    default:
      throw new Error(`no ${type} was asked for`)
  }
}
