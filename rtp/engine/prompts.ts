import type { Prompt } from '../session/playback.ts'
import type { EngineCodec } from './command.ts'

export type PromptFault = 'unreadable' | 'unsupported'

/** Files as prompts: read, resampled and encoded off the tick, kept by codec. */
export interface PromptStore {
  /** To be played `loop` times, 0 = until stopped. `done` comes later, or at once for what is kept. */
  load(path: string, codec: EngineCodec, loop: number, done: (prompt: Prompt | PromptFault) => void): void
  /**
   * A file that is still written: it begins with what is there and grows with it, until the file's head tells its length.
   * A file that is whole by now is loaded.
   */
  follow(path: string, codec: EngineCodec, loop: number, done: (prompt: Prompt | PromptFault) => void): void
  /** Samples that are at hand as a prompt, encoded off the tick as well; the caller keeps it. */
  encode(pcm: Int16Array, sampleRate: number, codec: EngineCodec, done: (prompt: Prompt | PromptFault) => void): void
}
