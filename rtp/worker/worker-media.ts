import { Worker } from 'node:worker_threads'
import { assertNever } from '../base/assert-never.ts'
import type { BrowserOpening } from '../contract/browser-terms.ts'
import type { EngineCommand, SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import { noStats } from '../contract/session-stats.ts'
import { OpenDescriptors, ownModule } from '../io/index.ts'
import type { FromMedia, MediaCounters, MediaThreadConfig, MediaThreads, ToMedia } from './protocol.ts'
import { SharedRooms } from './shared-rooms.ts'

type JoinCommand = Extract<EngineCommand, { readonly type: 'join' }>

/** A thread that dies is made again after this; otherwise one that cannot live keeps the machine busy. */
const respawnMs = 100
/** Nobody waits longer than this for what a thread counts. */
const countMs = 1000
/**
 * A media thread makes little garbage, and what it makes when calls begin is kept for as long as they last: more room for
 * what is new would only be held, some 27 KB a call, and make each collection of it longer.
 */
const youngMb = 6
/** A thread that does not end in this time is stopped. */
const endMs = 3000

interface WorkerMediaConfig extends MediaThreadConfig {
  /** At least 1. */
  readonly workers: number
  /** A tape a thread. Default: nothing is traced. */
  readonly tapes?: readonly NonNullable<MediaThreadConfig['tape']>[] | undefined
}

/**
 * Media in threads of their own. Each has a part of the ports; the sessions of a group share a thread, the one with
 * the fewest sessions when the group begins. When a thread dies its sessions are reported as failed and closed, and
 * another takes its place.
 */
export class WorkerMedia implements MediaThreads {
  readonly #emit: (event: EngineEvent) => void
  readonly #died: (error: Error) => void
  readonly #threads: MediaThread[]
  readonly #sessions = new Map<SessionId, { readonly thread: MediaThread; readonly group: string }>()
  readonly #rooms: SharedRooms
  readonly #groups = new Map<string, { readonly thread: MediaThread; sessions: number }>()

  constructor(config: WorkerMediaConfig, emit: (event: EngineEvent) => void, died: (error: Error) => void) {
    this.#emit = emit
    this.#died = died
    this.#rooms = new SharedRooms(config.workers)
    this.#threads = portRanges(config.ports, config.workers).map(
      (ports, at) =>
        new MediaThread(
          { ...config, ports, tape: config.tapes?.[at] },
          event => this.#report(event),
          (thread, error) => this.#lost(thread, error),
        ),
    )
  }

  open(session: SessionId, group: string, browser?: BrowserOpening, keyed = false): void {
    if (this.#sessions.has(session)) return
    const known = this.#groups.get(group)
    const thread = known?.thread ?? this.#emptiest()
    if (known === undefined) this.#groups.set(group, { thread, sessions: 1 })
    else known.sessions++
    thread.sessions++
    this.#sessions.set(session, { thread, group })
    thread.send({ type: 'open', session, keyed, ...(browser === undefined ? {} : { browser }) })
  }

  execute(command: EngineCommand): void {
    const thread = this.#sessions.get(command.session)?.thread
    if (thread === undefined) return
    thread.send(command.type === 'join' ? this.#joining(command, thread) : command)
    if (command.type === 'leave' || command.type === 'bridge') this.#rooms.leave(command.session)
  }

  get silent(): number {
    return this.#threads.filter(({ isSilent }) => isSilent).length
  }

  async counters(): Promise<readonly MediaCounters[]> {
    const counted = await Promise.all(this.#threads.map(thread => thread.counters()))
    return counted.filter(counters => counters !== undefined)
  }

  async dump(sessions: readonly SessionId[]): Promise<readonly SessionDump[]> {
    const asked = new Map<MediaThread, SessionId[]>()
    for (const session of sessions) {
      const thread = this.#sessions.get(session)?.thread
      if (thread !== undefined) asked.set(thread, [...(asked.get(thread) ?? []), session])
    }
    const dumped = await Promise.all([...asked].map(([thread, ids]) => thread.dump(ids)))
    return dumped.flat()
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()))
  }

  /** A room may have members on every thread. */
  #joining(command: JoinCommand, thread: MediaThread): EngineCommand {
    if (this.#threads.length === 1) return command
    const { session, room } = command
    return { ...command, shared: this.#rooms.join(session, room, this.#threads.indexOf(thread)) }
  }

  /** The thread with the fewest sessions among those that answer; when none does, among all. */
  #emptiest(): MediaThread {
    const answering = this.#threads.filter(({ isSilent }) => !isSilent)
    const threads = answering.length > 0 ? answering : this.#threads
    return threads.reduce((least, next) => (next.sessions < least.sessions ? next : least))
  }

  #report(event: EngineEvent): void {
    const isOver = event.type === 'closed' || (event.type === 'failed' && event.fault === 'no-ports')
    if (isOver) this.#forget(event.session)
    this.#emit(event)
  }

  #lost(thread: MediaThread, error: Error): void {
    const sessions = [...this.#sessions].filter(([, place]) => place.thread === thread).map(([session]) => session)
    for (const session of sessions) this.#forget(session)
    this.#died(error)
    for (const session of sessions) {
      this.#emit({ type: 'failed', session, fault: 'internal', detail: 'the media thread died' })
      this.#emit({ type: 'closed', session, stats: noStats })
    }
  }

  #forget(session: SessionId): void {
    const place = this.#sessions.get(session)
    if (place === undefined) return
    this.#sessions.delete(session)
    this.#rooms.leave(session)
    place.thread.sessions--
    const group = this.#groups.get(place.group)
    if (group !== undefined && --group.sessions === 0) this.#groups.delete(place.group)
  }
}

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
class MediaThread {
  sessions = 0
  readonly #config: MediaThreadConfig
  readonly #report: (event: EngineEvent) => void
  readonly #lost: (thread: MediaThread, error: Error) => void
  #worker: Worker | undefined
  /** What the thread has open; when it dies, this is all that is left of it. */
  readonly #descriptors = new OpenDescriptors()
  /** Sent together at the end of this turn; before a new worker lives, when it does. */
  #waiting: EngineCommand[] = []
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
    report: (event: EngineEvent) => void,
    lost: (thread: MediaThread, error: Error) => void,
  ) {
    this.#config = config
    this.#report = report
    this.#lost = lost
    this.#spawn()
  }

  send(command: EngineCommand): void {
    this.#waiting.push(command)
    if (this.#isSending) return
    this.#isSending = true
    queueMicrotask(() => {
      this.#isSending = false
      this.#sendWaiting()
    })
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
    const worker = new Worker(ownModule('./media-thread.ts', import.meta.url), {
      name: 'media',
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
      workerData: { ...this.#config, descriptors: this.#descriptors.memory },
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
    this.#answered(undefined)
    for (const request of [...this.#dumps.keys()]) this.#dumped(request, [])
    this.#ended?.()
    if (this.#isClosing) return
    // What was not sent yet was for sessions that are lost; what comes from now on is for the next worker.
    this.#waiting = []
    this.#lost(this, error)
    setTimeout(() => {
      if (!this.#isClosing) this.#spawn()
    }, respawnMs)
  }

  #sendWaiting(): void {
    if (this.#worker === undefined || this.#waiting.length === 0) return
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

/** The range in as many parts, each with an even first port. Throws when there are fewer pairs than parts. */
export const portRanges = (
  [first, last]: readonly [first: number, last: number],
  parts: number,
): readonly (readonly [first: number, last: number])[] => {
  const even = first + (first % 2)
  const pairs = Math.floor((last - even + 1) / 2)
  if (pairs < parts) throw new RangeError(`media ports ${first}-${last} hold ${pairs} pairs for ${parts} threads`)
  return Array.from({ length: parts }, (_, i) => {
    const from = Math.floor((i * pairs) / parts)
    const to = Math.floor(((i + 1) * pairs) / parts)
    return [even + 2 * from, even + 2 * to - 1] as const
  })
}
