import { opusFrameMs } from '../codec/opus.ts'
import type { Prompt } from '../contract/prompts.ts'
import { stretchRoundInto } from '../resample/stretch.ts'
import type { OpusPromptEncoder, PromptEncoder } from './prompt-encoder.ts'

/** Longer rounds are repeated as they are, with the part of a frame between them that Opus cannot fill. */
const longestRoundSeconds = 120
/** Plays of no more in all are encoded whole. */
const longestWholeSeconds = 30
/** Rounds in a row whose length comes near enough to whole frames, at most. */
const mostRounds = 16
/** A round that is faster or slower by this much sounds the same: two hundredths of a semitone. */
const bearableStretch = 0.001
/** Frames of the next round that are encoded after the last, until the encoder's state repeats. */
const settlingFrames = 50
const pieceSamples = 2048

/** A play with this many rounds of this length is one whose seams matter. */
export const isLoop = (loop: number, seconds: number): boolean => loop !== 1 && seconds <= longestRoundSeconds

/** How often a prompt has to be made to be repeated: plays of more rounds than are encoded share the endless one (0). */
export const roundsToMake = (loop: number, seconds: number): number =>
  !isLoop(loop, seconds) ? 1 : loop * seconds <= longestWholeSeconds ? loop : 0

/** What is encoded of rounds of `samples`, at most. */
export const loopedSamples = (samples: number, sampleRate: number): number =>
  Math.max(longestWholeSeconds * sampleRate, mostRounds * samples) + (settlingFrames + 2) * sampleRate

/**
 * A prompt in Opus that is repeated without a seam. Opus has frames of 20 ms and a coder that remembers: a short play is
 * encoded with all its rounds; for others some rounds in a row are made to last whole frames, and the coder goes on over
 * their end into their beginning.
 */
export class LoopEncoder implements PromptEncoder {
  readonly sampleRate: number
  readonly #encoder: OpusPromptEncoder
  readonly #loop: number
  readonly #pcm: Int16Array
  #count = 0

  /** `samples`: of a round, at most. `loop` 0 = until stopped. */
  constructor(encoder: OpusPromptEncoder, samples: number, loop: number) {
    this.sampleRate = encoder.sampleRate
    this.#encoder = encoder
    this.#loop = loop
    this.#pcm = new Int16Array(samples)
  }

  async push(pcm: Int16Array, count: number): Promise<void> {
    const fits = Math.min(count, this.#pcm.length - this.#count)
    for (let i = 0; i < fits; i++) this.#pcm[this.#count + i] = pcm[i]!
    this.#count += fits
  }

  /** How its rounds join shows when the first has come whole. */
  begun(): undefined {}

  async finish(): Promise<Prompt> {
    const roundMs = (this.#count * 1000) / this.sampleRate
    if (this.#count === 0) return this.#encoder.finish()
    if (this.#loop > 0 && this.#loop * this.#count <= longestWholeSeconds * this.sampleRate) {
      for (let round = 0; round < this.#loop; round++) await this.#encoder.push(this.#pcm, this.#count)
      return { ...(await this.#encoder.finish()), rounds: { roundMs } }
    }
    const frame = (opusFrameMs * this.sampleRate) / 1000
    const rounds = this.#roundsFor(frame)
    const wanted = Math.max(1, Math.round((rounds * this.#count) / frame)) * frame
    const behind = Math.min(settlingFrames, wanted / frame)
    const piece = new Int16Array(pieceSamples)
    for (let from = 0; from < wanted + behind * frame; from += pieceSamples) {
      const count = Math.min(pieceSamples, wanted + behind * frame - from)
      stretchRoundInto(piece, count, this.#pcm, this.#count, rounds, wanted, from)
      await this.#encoder.push(piece, count)
    }
    return { ...this.#encoder.packets(), rounds: { roundMs, loopFromMs: behind * opusFrameMs } }
  }

  free(): void {
    this.#encoder.free()
  }

  /** The fewest whose length is nearly one of whole frames. */
  #roundsFor(frame: number): number {
    let best = { rounds: 1, off: Infinity }
    for (let rounds = 1; rounds <= mostRounds; rounds++) {
      const length = rounds * this.#count
      const off = Math.abs(Math.max(1, Math.round(length / frame)) * frame - length) / length
      if (off < best.off) best = { rounds, off }
      if (off <= bearableStretch) return rounds
    }
    return best.rounds
  }
}
