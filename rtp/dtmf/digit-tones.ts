import { amplitudeOf } from '../tone/level.ts'
import { fadeMs } from '../tone/tone-source.ts'
import { dtmfTone } from '../tone/tones.ts'
import { maxQueuedDigits } from './digit-sender.ts'

interface DigitTonesConfig {
  /** Duration of a digit that we send, rounded up to whole frames. Default 160. */
  readonly digitMs?: number
  /** Least silence after a digit, rounded up to whole frames. Default 100. */
  readonly gapMs?: number
  /** What `w` stands for. Default 500. */
  readonly pauseMs?: number
}

/**
 * Least duration of a forwarded digit: a shorter one is extended, or the remote may not detect it (ITU-T Q.24: 40
 * ms).
 */
const leastDigitMs = 60

type Phase = 'idle' | 'sounding' | 'silent' | 'pausing'

interface Waiting {
  readonly digit: string
  /** Undefined while its key is down. */
  durationMs: number | undefined
}

/**
 * Sends digits as tones (ITU-T Q.23) in place of a stream's audio, frame by frame, to a remote that takes no
 * telephone-events: digits of an order, and digits of another leg for as long as they are down.
 */
export class DigitTones {
  readonly #digitMs: number
  readonly #gapMs: number
  readonly #pauseMs: number
  readonly #waiting: Waiting[] = []
  #phase: Phase = 'idle'
  #current: Waiting | undefined
  #sines: readonly { readonly hz: number; readonly dbm0: number }[] = []
  /** Time in this phase so far; and in the tone before it. */
  #elapsedMs = 0
  #soundedMs = 0

  constructor(config: DigitTonesConfig = {}) {
    this.#digitMs = config.digitMs ?? 160
    this.#gapMs = config.gapMs ?? 100
    this.#pauseMs = config.pauseMs ?? 500
  }

  /** True until the last digit and the gap after it are over. */
  get busy(): boolean {
    return this.#phase !== 'idle' || this.#waiting.length > 0
  }

  /** Queues digits `0-9*#A-D` and pauses `w`; other characters are left out. Returns how many were taken. */
  enqueue(digits: string): number {
    let taken = 0
    for (const digit of digits.toUpperCase()) {
      if (digit !== 'W' && dtmfTone(digit) === undefined) continue
      if (!this.#add(digit, digit === 'W' ? this.#pauseMs : this.#digitMs)) break
      taken++
    }
    return taken
  }

  /** A digit is down until `release`. */
  hold(digit: string): void {
    if (dtmfTone(digit) !== undefined) this.#add(digit, undefined)
  }

  /** A digit is up that was down for `durationMs`; of one whose `digit` was not reported, the whole digit. */
  release(digit: string, durationMs: number): void {
    const held = [this.#current, ...this.#waiting].find(each => each?.digit === digit && each.durationMs === undefined)
    const lasts = Math.max(leastDigitMs, durationMs)
    if (held !== undefined) held.durationMs = lasts
    else if (dtmfTone(digit) !== undefined) this.#add(digit, lasts)
  }

  /** No end will be reported for digits that have begun. */
  releaseAll(): void {
    if (this.#current !== undefined) this.#current.durationMs ??= leastDigitMs
    for (const each of this.#waiting) each.durationMs ??= leastDigitMs
  }

  /** Goes on to what the next frame is of. Returns false when there is nothing to be sent in it: pauses, and the end. */
  proceed(): boolean {
    this.#advance()
    return this.#phase === 'sounding' || this.#phase === 'silent'
  }

  /**
   * The next frame, `count` samples from `pcm[0]` on. Returns false when audio may have its place.
   */
  fillInto(pcm: Int16Array, count: number, sampleRate: number): boolean {
    this.#advance()
    const frameMs = (1000 * count) / sampleRate
    const from = this.#elapsedMs
    this.#elapsedMs += frameMs
    switch (this.#phase) {
      case 'sounding':
        pcm.fill(0, 0, count)
        this.#sound(pcm, count, sampleRate, from, 1)
        return true
      case 'silent':
        pcm.fill(0, 0, count)
        // The tone fades out after its last frame, since it was not known to be the last.
        if (from === 0) this.#sound(pcm, Math.min(count, (fadeMs * sampleRate) / 1000), sampleRate, this.#soundedMs, -1)
        return true
      case 'pausing':
      case 'idle':
        return false
    }
  }

  /** Goes on to the phase of the frame that comes. */
  #advance(): void {
    if (this.#phase === 'sounding' && this.#elapsedMs >= (this.#current?.durationMs ?? Infinity)) {
      this.#soundedMs = this.#elapsedMs
      this.#enter('silent')
    } else if (this.#phase === 'silent' && this.#elapsedMs >= this.#gapMs) this.#enter('idle')
    else if (this.#phase === 'pausing' && this.#elapsedMs >= this.#pauseMs) this.#enter('idle')
    if (this.#phase !== 'idle') return
    const next = this.#waiting.shift()
    this.#current = next
    if (next === undefined) return
    this.#sines = dtmfTone(next.digit)?.steps[0]?.sines ?? []
    this.#enter(next.digit === 'W' ? 'pausing' : 'sounding')
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    this.#elapsedMs = 0
  }

  /** `fade`: 1 = swells in its first moment, −1 = fades during this piece. */
  #sound(pcm: Int16Array, count: number, sampleRate: number, fromMs: number, fade: 1 | -1): void {
    const first = Math.round((fromMs * sampleRate) / 1000)
    const fadeSamples = (fadeMs * sampleRate) / 1000
    for (const { hz, dbm0 } of this.#sines) {
      const radians = (2 * Math.PI * hz) / sampleRate
      const amplitude = amplitudeOf(dbm0)
      for (let i = 0; i < count; i++) {
        const edge = Math.min(1, (fade === 1 ? first + i : count - i) / fadeSamples)
        const swell = 0.5 - 0.5 * Math.cos(Math.PI * edge)
        pcm[i]! += Math.round(amplitude * swell * Math.sin(radians * (first + i)))
      }
    }
  }

  #add(digit: string, durationMs: number | undefined): boolean {
    if (this.#waiting.length >= maxQueuedDigits) return false
    this.#waiting.push({ digit, durationMs })
    return true
  }
}
