/** The door to media with sockets and threads: sessions are opened and commanded, events come back. */

export type {
  Agreement,
  EngineCodec,
  EngineCommand,
  EngineEvent,
  PlaySource,
  RecordingEnd,
  RecordRules,
  SessionId,
  SessionRules,
} from '../engine/command.ts'
export { noPlayout, type PlayoutCounters, playoutSum } from '../session/playout-counters.ts'
export { noStats, type SessionStats } from '../session/session-stats.ts'
export { type MediaConfig, openMedia } from './open-media.ts'
export type { FromMedia, MediaCounters, MediaThreadConfig, MediaThreads, ToMedia } from './protocol.ts'
