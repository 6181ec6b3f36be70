import { changeLaw } from '../bridge/relay.ts'
import { type AudioCodecName, isRelayable } from '../codec/codec-name.ts'
import type { Prompt } from '../contract/prompts.ts'
import { headerLength } from '../packet/header.ts'
import type { Playback } from './playback.ts'
import type { Transcoder } from './transcoder.ts'

/**
 * The prompts of a leg, one play at a time; the end of each is reported once, when its last frame has been played or
 * when it is stopped. When another play follows, the end is reported with its last frame.
 */
export class PromptPlayer {
  readonly #played: (playId: string, completed: boolean) => void
  #playback: Playback | undefined
  /** Its last frame is out; its end is reported at `#toldAt`. */
  #ending: Playback | undefined
  #reportAt = 0

  constructor(played: (playId: string, completed: boolean) => void) {
    this.#played = played
  }

  get isPlaying(): boolean {
    return this.#playback !== undefined
  }

  /** A play was sent whole and is still being played; its end is to be reported. */
  get isEnding(): boolean {
    return this.#ending !== undefined
  }

  /** What plays, and needs its prompt in `codec`. */
  needsPromptIn(codec: AudioCodecName): string | undefined {
    const playback = this.#playback
    return playback === undefined || isRelayable(playback.codec, codec) ? undefined : playback.playId
  }

  /** In place of what plays. `at`: when its first frame would be due. */
  begin(playback: Playback, at: number): void {
    this.stop()
    this.#playback = playback
    playback.enter()
    if (playback.ended) this.#end(at)
  }

  /** Stops all plays, or only that one. A play that was sent whole counts as played. */
  stop(playId?: string): void {
    if (this.#ending !== undefined && (playId === undefined || this.#ending.playId === playId)) this.#reportEnd()
    const stopped = this.#playback
    if (stopped === undefined || (playId !== undefined && stopped.playId !== playId)) return
    this.#playback = undefined
    stopped.leave()
    this.#played(stopped.playId, false)
  }

  /** The prompt of a play in another codec; the play goes on where it is. */
  continueWith(playId: string, prompt: Prompt): void {
    if (this.#playback?.playId === playId) this.#playback.continueWith(prompt)
  }

  /** Reads what the next frame needs. */
  readAhead(): number {
    return this.#playback?.readAhead() ?? 0
  }

  tick(now: number): void {
    if (this.#ending !== undefined && now >= this.#reportAt) this.#reportEnd()
  }

  /** The next frame's payload into a packet, due at `at`. Returns its bytes. `voice` encodes what must be encoded. */
  frameInto(packet: Uint8Array, codec: AudioCodecName, frameMs: number, at: number, transcoder: Transcoder): number {
    const playback = this.#playback
    if (playback === undefined) return 0
    let bytes = 0
    if (playback.codec === 'G722' && codec === 'G722') {
      playback.frameInto(transcoder.sampleBytes, 0, frameMs)
      bytes = transcoder.encodeSamplesInto(packet, headerLength, frameMs)
    } else if (isRelayable(playback.codec, codec)) {
      bytes = playback.frameInto(packet, headerLength, frameMs)
      changeLaw(packet, bytes, playback.codec, codec)
    } else {
      // Its prompt in the new codec is on the way.
      playback.skip(frameMs)
      bytes = transcoder.silenceInto(packet, headerLength, frameMs)
    }
    if (playback.ended) this.#end(playback.isFollowed ? at : at + frameMs)
    return bytes
  }

  #end(at: number): void {
    this.#playback?.leave()
    this.#ending = this.#playback
    this.#playback = undefined
    this.#reportAt = at
  }

  #reportEnd(): void {
    const ended = this.#ending
    this.#ending = undefined
    if (ended !== undefined) this.#played(ended.playId, true)
  }
}
