import type { DialOutcome } from '../leg/dial-connection.ts'
import { assertNever } from '../model/assert-never.ts'
import type { DocumentDump } from '../model/call-dump.ts'
import type { EndReason } from '../model/end-reason.ts'
import {
  type BegunVerb,
  type DocumentCache,
  type DocumentRules,
  Interpreter,
  type ProgramCommand,
  type ProgramContext,
  type ProgramEvent,
  type SessionRecordOrder,
  type SoundCommand,
} from '../verbs/index.ts'
import type { PlayCommand } from './player.ts'

export type Command<T extends ProgramCommand['type']> = Extract<ProgramCommand, { readonly type: T }>

/** What the document may make its call do. */
export interface Stage {
  request(command: Command<'fetch'>): void
  answer(): void
  /** `isFollowed`: another Say or Play comes next. */
  perform(command: PlayCommand, isFollowed: boolean): void
  /** Will soon be performed, most likely. */
  prepare(command: SoundCommand): void
  record(command: Command<'record'>): void
  stopRecord(recordId: string): void
  recordSession(order: SessionRecordOrder): void
  startDial(command: Command<'dial'>): void
  report(command: Command<'report'>): void
  end(reason: EndReason, rejectWith: 486 | 603 | undefined): void
  /** A verb begins. */
  began(verb: BegunVerb): void
}

/** How documents are read. */
export interface DocumentReading {
  readonly rules: DocumentRules
  /** Those that many calls get. */
  readonly documents: DocumentCache
}

/**
 * Runs the interpreter beside its call: events wait in line, so that what a command causes at once comes after it.
 */
export class Script {
  readonly #program: Interpreter
  readonly #stage: Stage
  readonly #context: ProgramContext
  readonly #inbox: ProgramEvent[] = []
  #isPumping = false
  /** Commands that wait for `confirm`; undefined: none has to wait. */
  #unconfirmed: ProgramCommand[] | undefined
  #lastDial: DialOutcome | undefined

  constructor(url: string, context: ProgramContext, reading: DocumentReading, stage: Stage) {
    this.#program = new Interpreter({ url, context, ...reading, reportsVerbs: true })
    this.#context = context
    this.#stage = stage
  }

  get isOver(): boolean {
    return this.#program.isOver
  }

  /** Where the document is, for support. */
  place(now: number): DocumentDump {
    return this.#program.place(now)
  }

  /** It was started to be confirmed later, and was not yet. */
  get isTried(): boolean {
    return this.#unconfirmed !== undefined
  }

  deadline(): number | undefined {
    return this.isTried ? undefined : this.#program.deadline()
  }

  /** `isTried`: what cannot be taken back waits for `confirm`. */
  start(now: number, isTried = false): void {
    this.#runAll(this.#program.start(now), now)
    if (isTried) this.#unconfirmed = []
    this.#pump(now)
  }

  confirm(now: number): void {
    const waiting = this.#unconfirmed ?? []
    this.#unconfirmed = undefined
    this.#runAll(waiting, now)
    this.#pump(now)
  }

  handle(event: ProgramEvent, now: number): void {
    this.#inbox.push(event)
    this.#pump(now)
  }

  timeout(now: number): void {
    this.#runAll(this.#program.timeout(now), now)
    this.#pump(now)
  }

  #pump(now: number): void {
    if (this.#isPumping) return
    this.#isPumping = true
    for (let event = this.#nextEvent(); event !== undefined; event = this.#nextEvent()) {
      this.#lastDial = event.type === 'dialled' ? event : undefined
      this.#runAll(this.#program.handle(event, now), now)
      this.#lastDial = undefined
    }
    this.#isPumping = false
    const ahead = this.isTried ? undefined : this.#program.ahead(now)
    if (ahead !== undefined) this.#stage.prepare(ahead)
  }

  /** Before it is confirmed, its document alone: whatever else happens, is answered by something that cannot be taken back. */
  #nextEvent(): ProgramEvent | undefined {
    return this.isTried && this.#inbox[0]?.type !== 'fetched' ? undefined : this.#inbox.shift()
  }

  #runAll(commands: readonly ProgramCommand[], now: number): void {
    const wasPumping = this.#isPumping
    this.#isPumping = true
    for (const command of commands) {
      const waiting = this.#unconfirmed
      // In their order: one that waits keeps those behind it.
      if (waiting !== undefined && (waiting.length > 0 || !canBeTakenBack(command))) waiting.push(command)
      else this.#run(command, now)
    }
    this.#isPumping = wasPumping
  }

  #run(command: ProgramCommand, now: number): void {
    switch (command.type) {
      case 'fetch':
        this.#stage.request(command)
        return
      case 'answer':
        this.#stage.answer()
        return
      case 'say':
      case 'play':
      case 'beep':
      case 'stop':
      case 'send-digits':
        this.#stage.perform(command, this.#program.ahead(now) !== undefined)
        return
      case 'record':
        this.#stage.record(command)
        return
      case 'stop-record':
        this.#stage.stopRecord(command.recordId)
        return
      case 'record-session':
        this.#stage.recordSession(command.order)
        return
      case 'dial':
        this.#stage.startDial(command)
        return
      case 'report':
        this.#stage.report(command)
        return
      case 'began':
        this.#stage.began(command.verb)
        return
      case 'end':
        this.#end(command)
        return
      default:
        assertNever(command)
    }
  }

  /**
   * A document that ends with its Dial ends as the Dial did: a BYE of the dialled side is END.0200 rather than a
   * finished flow, and a caller that was never answered gets busy from the remote rather than a refusal of ours.
   */
  #end({ reason, rejectWith }: Command<'end'>): void {
    const dial = this.#lastDial
    if (reason !== 'END.0202' || dial === undefined) {
      this.#stage.end(reason, rejectWith)
      return
    }
    const wasAnswered = dial.status === 'completed'
    if (wasAnswered || !this.#context.answered) this.#stage.end(dial.reason, undefined)
    else this.#stage.end(reason, rejectWith)
  }
}

/** A Dial before its legs' rows are durable: they are stored, or refused, after the call's. Rooms are shared with other calls. */
const canBeTakenBack = (command: ProgramCommand): boolean =>
  command.type === 'began' || (command.type === 'dial' && command.dial.conference === undefined)
