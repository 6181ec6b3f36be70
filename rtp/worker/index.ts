/** The door to media with sockets and threads: sessions are opened and commanded, events come back. */

export type { Agreement, RemoteAddress } from '../contract/agreement.ts'
export type { EngineCommand } from '../contract/command.ts'
export type { EngineEvent } from '../contract/event.ts'
export type { SessionDump } from '../contract/session-dump.ts'
export { noStats, type SessionStats } from '../contract/session-stats.ts'
export { noPlayout, type PlayoutCounters, playoutSum } from '../jitter/playout-counters.ts'
export { openMedia } from './open-media.ts'
export type { MediaCounters, MediaThreads } from './protocol.ts'
