/** The door to media with sockets and threads: sessions are opened and commanded, events come back. */

export type { Agreement, EngineCodec } from '../contract/agreement.ts'
export type { EngineCommand, PlaySource, RecordRules, SessionId, SessionRules } from '../contract/command.ts'
export type { EngineEvent, RecordingEnd } from '../contract/event.ts'
export { noStats, type SessionStats } from '../contract/session-stats.ts'
export { noPlayout, type PlayoutCounters, playoutSum } from '../jitter/playout-counters.ts'
export { type MediaConfig, openMedia } from './open-media.ts'
export type { FromMedia, MediaCounters, MediaThreadConfig, MediaThreads, ToMedia } from './protocol.ts'
