import type { EngineEvent } from '../contract/event.ts'
import { InProcessMedia } from './in-process.ts'
import type { MediaThreadConfig, MediaThreads } from './protocol.ts'
import { WorkerMedia } from './worker-media.ts'

interface MediaConfig extends MediaThreadConfig {
  /** Media threads; 0 = in the caller's thread. */
  readonly workers: number
  /** A tape a thread, at least one. Default: nothing is traced. */
  readonly tapes?: readonly NonNullable<MediaThreadConfig['tape']>[] | undefined
}

/** `emit` gets events in the order of each session; `died` that a thread was lost, whose sessions follow as failed. */
export const openMedia = (
  config: MediaConfig,
  emit: (event: EngineEvent) => void,
  died: (error: Error) => void,
): MediaThreads =>
  config.workers === 0
    ? new InProcessMedia({ ...config, tape: config.tapes?.[0] }, emit)
    : new WorkerMedia(config, emit, died)
