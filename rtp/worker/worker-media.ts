import { TextMap } from '../../sip/base/text-map.ts'
import type { BrowserOpening } from '../contract/browser-terms.ts'
import type { EngineCommand, SessionId, SharedOpening } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import { noStats } from '../contract/session-stats.ts'
import { CommandingThread, loadLibC } from '../io/index.ts'
import { MediaThread } from './media-thread-link.ts'
import type { MediaCounters, MediaThreadConfig, MediaThreads } from './protocol.ts'
import { SharedRooms } from './shared-rooms.ts'

/** Most pairs of ports that a thread has ready: several times what the legs of one turn need. */
const readyPairs = 32

type JoinCommand = Extract<EngineCommand, { readonly type: 'join' }>

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
  readonly #sessions = new TextMap<SessionId, { readonly thread: MediaThread; readonly group: string }>()
  readonly #rooms: SharedRooms
  readonly #groups = new TextMap<string, { readonly thread: MediaThread; sessions: number }>()

  constructor(config: WorkerMediaConfig, emit: (event: EngineEvent) => void, died: (error: Error) => void) {
    this.#emit = emit
    this.#died = died
    this.#rooms = new SharedRooms(config.workers)
    const commanding = new CommandingThread(loadLibC())
    this.#threads = portRanges(config.ports, config.workers).map(
      (ports, at) =>
        new MediaThread(
          { readyPairs, ...config, ports, tape: config.tapes?.[at] },
          commanding,
          event => this.#report(event),
          (thread, error) => this.#lost(thread, error),
        ),
    )
  }

  open(
    session: SessionId,
    group: string,
    browser?: BrowserOpening,
    keyed = false,
    shared?: SharedOpening,
    ipv6 = false,
  ): void {
    if (this.#sessions.has(session)) return
    const known = this.#groups.get(group)
    const thread = known?.thread ?? this.#emptiest()
    if (known === undefined) this.#groups.set(group, { thread, sessions: 1 })
    else known.sessions++
    thread.sessions++
    this.#sessions.set(session, { thread, group })
    const port = browser === undefined && shared === undefined && !ipv6 ? thread.takeReadyPort() : undefined
    thread.send({
      type: 'open',
      session,
      keyed,
      ipv6,
      ...(browser === undefined ? undefined : { browser }),
      ...(shared === undefined ? undefined : { shared }),
      ...(port === undefined ? undefined : { port }),
    })
    // After what opens it, as a thread's report would be.
    if (port !== undefined) queueMicrotask(() => this.#emit({ type: 'opened', session, port }))
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
    return this.#threads.reduce((least, next) => {
      if (next.isSilent !== least.isSilent) return least.isSilent ? next : least
      return next.sessions < least.sessions ? next : least
    })
  }

  #report(event: EngineEvent): void {
    const isOver = event.type === 'closed' || (event.type === 'failed' && event.fault === 'no-ports')
    if (isOver) this.#forget(event.session)
    this.#emit(event)
  }

  #lost(thread: MediaThread, error: Error): void {
    const sessions = [...this.#sessions.entries()]
      .filter(([, place]) => place.thread === thread)
      .map(([session]) => session)
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
