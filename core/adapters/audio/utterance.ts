import type { AudioCache, CachedAudio } from './audio-cache.ts'
import type { GrowingWav } from './growing-wav.ts'
import { SpeechFault, type SpokenPiece } from './speech-engine.ts'
import { spokenPcm } from './spoken-wav.ts'

/** How much there is by now of what is played while it is spoken. */
export interface Growth {
  readonly durationMs: number
  readonly isWhole: boolean
  /** The rest could not be spoken: this is all of it. */
  readonly fault?: string
}

/** Audio that can be played, and whether there will be more of it. */
export interface BegunAudio extends CachedAudio {
  readonly growing?: Utterance
}

interface UtteranceOptions {
  readonly cache: AudioCache
  /** The account that asked first: it counts as this one's. */
  readonly owner: string
  readonly key: string
  readonly pieces: (signal: AbortSignal) => AsyncGenerator<SpokenPiece, void, undefined>
  /** All that comes is of the engine that the key names: others may be given it too. */
  readonly isPure: () => boolean
  /** It has come to its end, whatever that was. */
  readonly ended: () => void
}

/**
 * A text that is being spoken, for all calls that have asked for it. It can be played from its first piece on, and is
 * kept when it is whole. When all of these calls have ended, the rest is not spoken.
 */
export class Utterance {
  /** Rejects when not even the first piece could be spoken. */
  readonly begun: Promise<BegunAudio>
  readonly #options: UtteranceOptions
  readonly #users = new Set<string>()
  readonly #followers = new Set<(growth: Growth) => void>()
  readonly #stop = new AbortController()
  #file: GrowingWav | undefined
  #growth: Growth = { durationMs: 0, isWhole: false }

  constructor(options: UtteranceOptions) {
    this.#options = options
    this.begun = this.#begin()
  }

  /** It has a file of its own, which a call may play. */
  get isHeld(): boolean {
    return this.#file !== undefined
  }

  get isOver(): boolean {
    return this.#growth.isWhole
  }

  /** No call waits for it any more: the next request starts again. */
  get isGivenUp(): boolean {
    return this.#stop.signal.aborted
  }

  join(callId: string): void {
    this.#users.add(callId)
  }

  /** Reports how it grows, from what there is now on. */
  follow(follower: (growth: Growth) => void): void {
    follower(this.#growth)
    if (!this.#growth.isWhole) this.#followers.add(follower)
  }

  /** A call that is over needs it no more. Returns whether no call does. */
  leave(callId: string): boolean {
    if (!this.#users.delete(callId) || this.#users.size > 0) return false
    this.release()
    return true
  }

  /** No call is left to play it. */
  release(): void {
    this.#stop.abort()
    // While it is spoken, its end does the rest.
    if (this.#growth.isWhole) void this.#remove()
  }

  async #begin(): Promise<BegunAudio> {
    const { cache, owner, key, pieces, ended } = this.#options
    const coming = pieces(this.#stop.signal)
    let isGrowing = false
    try {
      const first = await coming.next()
      if (first.done === true) throw new SpeechFault('the engine gave no audio', true)
      const { pcm, sampleRate, isLast } = first.value
      if (isLast) {
        const wav = spokenPcm(pcm, sampleRate)
        return await cache.put(owner, key, wav.durationMs, wav.bytes)
      }
      const file = await cache.grow(owner, sampleRate)
      this.#file = file
      await file.append(first.value)
      this.#growth = { durationMs: file.durationMs, isWhole: false }
      isGrowing = true
      void this.#grow(file, coming)
      return { path: file.path, durationMs: file.durationMs, growing: this }
    } finally {
      if (!isGrowing) {
        this.#growth = { ...this.#growth, isWhole: true }
        await coming.return()
        await this.#file?.end().catch(() => undefined)
        await this.#remove()
        ended()
      }
    }
  }

  async #grow(file: GrowingWav, coming: AsyncGenerator<SpokenPiece, void, undefined>): Promise<void> {
    let fault: string | undefined
    try {
      for await (const piece of coming) {
        if (this.#stop.signal.aborted) throw new SpeechFault('no call waits for it any more')
        await file.append(piece)
        this.#report({ durationMs: file.durationMs, isWhole: false })
      }
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
    }
    const { cache, key, isPure, ended } = this.#options
    try {
      await file.end()
      if (fault === undefined && isPure()) await cache.keep(key, file)
    } catch (error) {
      fault ??= error instanceof Error ? error.message : String(error)
    }
    this.#report({ durationMs: file.durationMs, isWhole: true, ...(fault === undefined ? {} : { fault }) })
    this.#followers.clear()
    if (this.#stop.signal.aborted) await this.#remove()
    ended()
  }

  #report(growth: Growth): void {
    this.#growth = growth
    for (const follower of this.#followers) follower(growth)
  }

  async #remove(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) await this.#options.cache.release(file).catch(() => undefined)
  }
}
