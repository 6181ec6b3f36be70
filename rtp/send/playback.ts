import type { AudioCodecName } from '../codec/codec-name.ts'
import { opusFrameMs } from '../codec/opus.ts'
import { silenceInto } from '../codec/silence.ts'
import type { Prompt } from '../contract/prompts.ts'

const bytesPerMs: Readonly<Record<Exclude<AudioCodecName, 'opus'>, number>> = { PCMU: 8, PCMA: 8, G722: 32 }
const cacheLineBytes = 64
const noEnds = new Uint32Array(0)

/** Where a play stands in its prompt. Frames run over the end into the next round without a gap. */
export class Playback {
  readonly playId: string
  /** Its end is reported while its last frame is still being played. */
  readonly isFollowed: boolean
  #prompt: Prompt
  /** Infinity = until stopped. */
  readonly #rounds: number
  /** Since the first round began. */
  #elapsedMs = 0

  /** `loop` 0 = until stopped. Silence fills the last frame. */
  constructor(playId: string, prompt: Prompt, loop: number, isFollowed = false) {
    this.playId = playId
    this.isFollowed = isFollowed
    this.#prompt = prompt
    this.#rounds = loop === 0 ? Infinity : loop
  }

  get codec(): AudioCodecName {
    return this.#prompt.codec
  }
  get ended(): boolean {
    return this.#elapsedMs >= this.#lastsMs
  }

  /** A leg plays it from now on. */
  enter(): void {
    if (this.#prompt.players !== undefined) this.#prompt.players.count++
  }

  /** It does no more. */
  leave(): void {
    if (this.#prompt.players !== undefined) this.#prompt.players.count--
  }

  /** The same prompt in another codec: the play goes on where it is. */
  continueWith(prompt: Prompt): void {
    this.leave()
    this.#prompt = prompt
    this.enter()
    if (prompt.codec === 'opus') this.#elapsedMs -= this.#elapsedMs % opusFrameMs
  }

  /** Reads what the next frame needs: of a prompt of bytes, some of those. */
  readAhead(): number {
    const { bytes, codec } = this.#prompt
    if (codec === 'opus') return 0
    const from = Math.round(this.#elapsedMs * bytesPerMs[codec]) % bytes.length
    return from + 2 * cacheLineBytes < bytes.length
      ? bytes[from]! + bytes[from + cacheLineBytes]! + bytes[from + 2 * cacheLineBytes]!
      : 0
  }

  /** The next frame of `ptimeMs`, as the prompt holds it, at `into[at]`. Returns its bytes. Opus' frames last 20 ms. */
  frameInto(into: Uint8Array, at: number, ptimeMs: number): number {
    const { codec } = this.#prompt
    if (this.ended || this.#isDry(ptimeMs)) return quietInto(into, at, codec, ptimeMs)
    return codec === 'opus' ? this.#packetInto(into, at) : this.#bytesInto(into, at, codec, ptimeMs)
  }

  /** The next frame is not made yet. */
  #isDry(ptimeMs: number): boolean {
    const { isWhole, made = 0, codec } = this.#prompt
    return (
      isWhole === false && this.#elapsedMs + ptimeMs > made * (codec === 'opus' ? opusFrameMs : 1 / bytesPerMs[codec])
    )
  }

  /** Time passes while nothing of it is sent. */
  skip(ptimeMs: number): void {
    this.#elapsedMs += ptimeMs
  }

  /** The whole play. */
  get #lastsMs(): number {
    const { rounds } = this.#prompt
    if (this.#prompt.isWhole === false) return Infinity
    const lengthMs = lengthMsOf(this.#prompt)
    if (lengthMs === 0) return 0
    if (rounds === undefined) return this.#rounds * lengthMs
    // What would begin the next round is left out, and with it the end of a last frame.
    return rounds.loopFromMs === undefined ? lengthMs : this.#rounds * rounds.roundMs - opusFrameMs + 1
  }

  /** Which packet of Opus comes next. */
  get #packet(): number {
    const { rounds } = this.#prompt
    const lengthMs = lengthMsOf(this.#prompt)
    const fromMs = rounds === undefined ? 0 : (rounds.loopFromMs ?? lengthMs)
    const atMs = this.#elapsedMs
    const placeMs = atMs < lengthMs ? atMs : fromMs + ((atMs - fromMs) % (lengthMs - fromMs))
    return Math.floor(placeMs / opusFrameMs)
  }

  #packetInto(into: Uint8Array, at: number): number {
    const { bytes, ends = noEnds, made = ends.length } = this.#prompt
    const packet = this.#packet
    this.skip(opusFrameMs)
    if (packet >= made) return silenceInto(into, at, 'opus', opusFrameMs)
    const from = packet === 0 ? 0 : ends[packet - 1]!
    const length = ends[packet]! - from
    for (let i = 0; i < length; i++) into[at + i] = bytes[from + i]!
    return length
  }

  #bytesInto(into: Uint8Array, at: number, codec: Exclude<AudioCodecName, 'opus'>, ptimeMs: number): number {
    const { bytes, made = bytes.length } = this.#prompt
    const perMs = bytesPerMs[codec]
    const left = (this.#lastsMs - this.#elapsedMs) * perMs
    let from = Math.round(this.#elapsedMs * perMs) % bytes.length
    const whole = ptimeMs * perMs
    if (left >= whole && from + whole <= made) {
      // Nearly always: nothing ends within the frame.
      for (let i = 0; i < whole; i++) into[at + i] = bytes[from + i]!
      this.skip(ptimeMs)
      return whole
    }
    const length = quietInto(into, at, codec, ptimeMs)
    for (let i = 0; i < Math.min(length, left); i++) {
      if (from < made) into[at + i] = bytes[from]!
      from = from + 1 === bytes.length ? 0 : from + 1
    }
    this.skip(ptimeMs)
    return length
  }
}

/** Returns the bytes of a silent frame, as prompts of that codec hold it. */
const quietInto = (into: Uint8Array, at: number, codec: AudioCodecName, ptimeMs: number): number => {
  if (codec !== 'G722') return silenceInto(into, at, codec, ptimeMs)
  into.fill(0, at, at + ptimeMs * bytesPerMs.G722)
  return ptimeMs * bytesPerMs.G722
}

const lengthMsOf = ({ bytes, ends, codec }: Prompt): number =>
  codec === 'opus' ? (ends ?? noEnds).length * opusFrameMs : bytes.length / bytesPerMs[codec]
