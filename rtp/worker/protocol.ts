import type { BrowserOpening } from '../contract/browser-terms.ts'
import type { EngineCommand, SessionId, SharedOpening } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import type { DtlsCertificate } from '../dtls/certificate.ts'
import type { EngineConfig, EngineCounters } from '../engine/environment.ts'
import type { ClockCounters, NetworkOptions } from '../io/index.ts'

/** What a media thread is made with; plain data and shared memory. */
export interface MediaThreadConfig extends EngineConfig, NetworkOptions {
  /** Bytes of prompts kept in memory. Default 48 MB. */
  readonly promptBytes?: number
  /** What browsers know us by; undefined = there are no browser legs. */
  readonly certificate?: DtlsCertificate
  /** Where the thread that commands this one notes its processor (`CommandingThread`). Default: it is not known. */
  readonly commanding?: SharedArrayBuffer
  /** Where the thread notes what is traced of its sessions. Default: nothing is traced. */
  readonly tape?: { readonly memory: SharedArrayBuffer; readonly wantsHeaders: boolean } | undefined
}

export interface MediaCounters extends EngineCounters, ClockCounters {
  /** How often a thread that fell behind has left a processor for another. */
  readonly processorsLeft: number
  readonly sockets: 'mmsg' | 'dgram' | 'virtual'
}

/** To a media thread. */
export type ToMedia =
  | { readonly type: 'commands'; readonly commands: readonly EngineCommand[] }
  /** `counters` comes back with the same number. */
  | { readonly type: 'count'; readonly request: number }
  /** The state of these sessions, for support; `dumped` comes back with the same number. */
  | { readonly type: 'dump'; readonly request: number; readonly sessions: readonly SessionId[] }
  /** Ends every session; `ended` follows. */
  | { readonly type: 'end' }

/** From a media thread. */
export type FromMedia =
  /** `ready`: ports that sessions may be opened on. */
  | { readonly type: 'events'; readonly events: readonly EngineEvent[]; readonly ready: readonly number[] }
  | { readonly type: 'counters'; readonly request: number; readonly counters: MediaCounters }
  | { readonly type: 'dumped'; readonly request: number; readonly sessions: readonly SessionDump[] }
  | { readonly type: 'ended' }

/** Media for a program: one thread, several, or none at all, all the same to it. */
export interface MediaThreads {
  /** Sessions of one call must receive each other: `group` brings them to one thread. The rest as in the `open` command. */
  open(
    session: SessionId,
    group: string,
    browser?: BrowserOpening,
    keyed?: boolean,
    shared?: SharedOpening,
    ipv6?: boolean,
  ): void
  /** Commands to one session keep their order. To an unknown session: nothing happens. */
  execute(command: EngineCommand): void
  /** Counters of each thread; of one that does not answer within a second the last ones that it reported, if any. */
  counters(): Promise<readonly MediaCounters[]>
  /** The state of those of the sessions that are open. Of a thread that does not answer in a second there is none. */
  dump(sessions: readonly SessionId[]): Promise<readonly SessionDump[]>
  /** Threads that owe `counters` an answer for longer than that: they hang. */
  readonly silent: number
  /** Ends all sessions, then the threads. */
  close(): Promise<void>
}
