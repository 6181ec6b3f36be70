import type { AudioCodecName } from '../codec/codec-name.ts'
import type { EngineCodec } from './agreement.ts'

/**
 * A prompt ready to be sent: for G.711 its bytes, for Opus packets of 20 ms. For G.722 samples of 16 kHz in memory:
 * its decoder follows the encoder from the first sample on, so only a leg's own encoder can continue its stream.
 * Shared by all its plays; never altered.
 */
export interface Prompt {
  readonly codec: AudioCodecName
  readonly bytes: Uint8Array
  /** Where each packet of Opus ends in `bytes`. */
  readonly ends?: Uint32Array
  /**
   * Of a prompt that is played while it is still made: bytes, or packets of Opus, that are there so far; what comes later
   * is silent until then. Undefined = all.
   */
  readonly made?: number
  /** False while its length is not known: where it is not made in time, the play waits. Undefined = true. */
  readonly isWhole?: boolean
  /** How many legs play it now, counted by those that do. */
  readonly players?: { count: number }
  /** Rounds of an Opus prompt that was made to be repeated: they join without a seam. */
  readonly rounds?: PromptRounds
}

interface PromptRounds {
  /** How long one lasts. */
  readonly roundMs: number
  /** After its end the prompt goes on from there, for ever; undefined = it holds all rounds that were asked for. */
  readonly loopFromMs?: number
}

/** `no-room`: the thread holds as much of other prompts, that are played or made, as it may. */
export type PromptFault = 'unreadable' | 'unsupported' | 'no-room'

/** Files as prompts: read, resampled and encoded off the tick, kept by codec. */
export interface PromptStore {
  /**
   * To be played `loop` times, 0 = until stopped. `done` comes later, or at once for what is kept. Once `isWanted` says no
   * and no leg plays it, the rest is not made.
   */
  load(
    path: string,
    codec: EngineCodec,
    loop: number,
    done: (prompt: Prompt | PromptFault) => void,
    isWanted?: () => boolean,
  ): void
  /**
   * A file that is still written: it begins with what is there and grows with it, until the file's head gives its length.
   * A file that is whole by now is loaded.
   */
  follow(
    path: string,
    codec: EngineCodec,
    loop: number,
    done: (prompt: Prompt | PromptFault) => void,
    isWanted?: () => boolean,
  ): void
  /** Samples that are at hand as a prompt, encoded off the tick as well; the caller keeps it. */
  encode(pcm: Int16Array, sampleRate: number, codec: EngineCodec, done: (prompt: Prompt | PromptFault) => void): void
}
