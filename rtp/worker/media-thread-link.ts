import type { Worker } from 'node:worker_threads'
import { assertNever } from '../base/assert-never.ts'
import type { EngineCommand, SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import { type CommandingThread, giveBackFreeMemory, OpenDescriptors, ownModule, startThread } from '../io/index.ts'
import type { FromMedia, MediaCounters, MediaThreadConfig, ToMedia } from './protocol.ts'

/** A thread that dies is made again after this; otherwise one that cannot live keeps the machine busy. */
const respawnMs = 100
/** The longest wait for a thread's counters. */
const countMs = 1000
/**
 * A media thread makes little garbage, and what it makes when calls begin is kept for as long as they last: more room for
 * what is new would only be held, some 27 KB a call, and make each collection of it longer.
 */
const youngMb = 6
/**
 * A command that nothing waits for is held back for this time at most, a tick of the media thread: each message wakes a thread that
 * goes before all others. Under load another command comes sooner.
 */
const mostHeldMs = 5
/** A thread that does not end in this time is stopped. */
const endMs = 3000

/** What a thread counts was asked for. */
interface Counting {
  readonly request: number
  readonly answer: Promise<MediaCounters | undefined>
  readonly resolve: (counters: MediaCounters | undefined) => void
  /** Its time is over; who asked has got what was reported before. */
  isLate: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

/** A worker in whose place another comes when it dies. */
export class MediaThread {
  sessions = 0
  readonly #config: MediaThreadConfig
  readonly #commanding: CommandingThread
  readonly #report: (event: EngineEvent) => void
  readonly #lost: (thread: MediaThread, error: Error) => void
  #worker: Worker | undefined
  /** What the thread has open; when it dies, this is all that is left of it. */
  readonly #descriptors = new OpenDescriptors()
  /** Sent together at the end of this turn, with what is agreed, or soon; before a new worker lives, when it does. */
  #waiting: EngineCommand[] = []
  /** They are sent then at the latest. */
  #sendsLater: ReturnType<typeof setTimeout> | undefined
  /** Ports of the thread that sessions may be opened on, each once; the next is the one that was ready for longest. */
  #ready: number[] = []
  #isSending = false
  #isClosing = false
  #ended: (() => void) | undefined
  #requests = 0
  /** The one question that is open, for all who ask meanwhile. */
  #counting: Counting | undefined
  #counted: MediaCounters | undefined
  /** Dumps that were asked for, by the number of the request. */
  readonly #dumps = new Map<number, (sessions: readonly SessionDump[]) => void>()

  constructor(
    config: MediaThreadConfig,
    commanding: CommandingThread,
    report: (event: EngineEvent) => void,
    lost: (thread: MediaThread, error: Error) => void,
  ) {
    this.#config = config
    this.#commanding = commanding
    this.#report = report
    this.#lost = lost
    this.#spawn()
  }

  send(command: EngineCommand): void {
    this.#waiting.push(command)
    // The answer leaves within this turn, and from then on its session must receive (RFC 3264 §6.1).
    if (command.type === 'agree') this.#sendWaiting()
    if (this.#isSending || this.#waiting.length === 0) return
    if (isUnhurried(command)) {
      this.#sendsLater ??= setTimeout(this.#endTurn, mostHeldMs)
      return
    }
    this.#isSending = true
    // Not a microtask: what a turn's events ask for one after another would be a message, and a wake-up, each.
    setImmediate(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    this.#isSending = false
    this.#sendWaiting()
  }

  /** Undefined: `opened` has to be waited for. */
  takeReadyPort(): number | undefined {
    return this.#ready.shift()
  }

  get isSilent(): boolean {
    return this.#counting?.isLate === true
  }

  /** What it counts now, or has reported last while it is silent; undefined when there is no thread, or it never reported. */
  counters(): Promise<MediaCounters | undefined> {
    if (this.#worker === undefined) return Promise.resolve(undefined)
    this.#counting ??= this.#ask()
    return this.#counting.answer
  }

  /** Empty when it does not answer in time, or dies. */
  dump(sessions: readonly SessionId[]): Promise<readonly SessionDump[]> {
    const request = this.#requests++
    const { promise, resolve } = Promise.withResolvers<readonly SessionDump[]>()
    const timer = setTimeout(() => this.#dumped(request, []), countMs)
    this.#dumps.set(request, dumped => {
      clearTimeout(timer)
      resolve(dumped)
    })
    this.#sendWaiting()
    this.#post({ type: 'dump', request, sessions })
    return promise
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#isClosing = true
    if (worker === undefined) return
    this.#sendWaiting()
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>(resolve => {
      this.#ended = resolve
      timer = setTimeout(resolve, endMs)
      this.#post({ type: 'end' })
    })
    clearTimeout(timer)
    await worker.terminate()
  }

  #spawn(): void {
    const worker = startThread(ownModule('./media-thread.ts', import.meta.url), {
      name: 'media',
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
      workerData: { ...this.#config, commanding: this.#commanding.memory, descriptors: this.#descriptors.memory },
    })
    this.#worker = worker
    let fault: Error | undefined
    worker.on('message', (message: FromMedia) => this.#receive(message))
    worker.on('error', error => {
      fault = error instanceof Error ? error : new Error(String(error))
    })
    worker.on('exit', code => this.#exited(fault ?? new Error(`the media thread ended with code ${code}`)))
    this.#sendWaiting()
  }

  #exited(error: Error): void {
    this.#worker = undefined
    this.#descriptors.closeAll()
    this.#counted = undefined
    this.#ready = []
    this.#answered(undefined)
    for (const request of [...this.#dumps.keys()]) this.#dumped(request, [])
    this.#ended?.()
    if (this.#isClosing) return
    giveBackFreeMemory()
    // What was not sent yet was for sessions that are lost; what comes from now on is for the next worker.
    this.#waiting = []
    this.#lost(this, error)
    setTimeout(() => {
      if (!this.#isClosing) this.#spawn()
    }, respawnMs)
  }

  #sendWaiting(): void {
    clearTimeout(this.#sendsLater)
    this.#sendsLater = undefined
    if (this.#worker === undefined || this.#waiting.length === 0) return
    this.#commanding.note()
    this.#post({ type: 'commands', commands: this.#waiting })
    this.#waiting = []
  }

  #ask(): Counting {
    const request = this.#requests++
    this.#post({ type: 'count', request })
    const { promise, resolve } = Promise.withResolvers<MediaCounters | undefined>()
    const counting: Counting = { request, answer: promise, resolve, isLate: false, timer: undefined }
    counting.timer = setTimeout(() => {
      counting.isLate = true
      resolve(this.#counted)
    }, countMs)
    return counting
  }

  #answered(counters: MediaCounters | undefined): void {
    const counting = this.#counting
    this.#counting = undefined
    if (counters !== undefined) this.#counted = counters
    clearTimeout(counting?.timer)
    counting?.resolve(counters)
  }

  #dumped(request: number, sessions: readonly SessionDump[]): void {
    this.#dumps.get(request)?.(sessions)
    this.#dumps.delete(request)
  }

  #post(message: ToMedia): void {
    this.#worker?.postMessage(message)
  }

  #receive(message: FromMedia): void {
    switch (message.type) {
      case 'events':
        this.#ready.push(...message.ready)
        for (const event of message.events) this.#report(event)
        return
      case 'counters':
        if (message.request === this.#counting?.request) this.#answered(message.counters)
        return
      case 'dumped':
        this.#dumped(message.request, message.sessions)
        return
      case 'ended':
        this.#ended?.()
        return
      default:
        assertNever(message)
    }
  }
}

/** The port of a leg that is opened on a ready pair is known, and is bound; what a leg that ends has counted can wait. */
const isUnhurried = (command: EngineCommand): boolean =>
  command.type === 'close' || (command.type === 'open' && command.port !== undefined)
