import { isRelayable } from '../codec/codec-name.ts'
import type { EngineCodec } from '../contract/agreement.ts'
import type { EngineCommand } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { Prompt, PromptFault, PromptStore } from '../contract/prompts.ts'
import { Playback } from '../send/playback.ts'
import type { MediaSession } from '../session/media-session.ts'
import type { FaultGuard } from './fault-guard.ts'
import { TonePrompts } from './tone-prompts.ts'

export type PlayCommand = Extract<EngineCommand, { readonly type: 'play' }>

/** A session, and the plays that are on their way to it. */
export interface Played {
  /** Undefined until its ports are bound. */
  session: MediaSession | undefined
  /** The play that is loaded, or waits until a codec is agreed on. */
  loading: PlayCommand | undefined
  /** The last play that was begun: it is loaded again when the codec changes. */
  begun: PlayCommand | undefined
}

/** Brings prompts to sessions, each in the codec that was agreed on. */
export class PlayLoader {
  readonly #prompts: PromptStore
  readonly #tones: TonePrompts
  readonly #emit: (event: EngineEvent) => void
  readonly #guard: FaultGuard

  constructor(prompts: PromptStore, emit: (event: EngineEvent) => void, guard: FaultGuard) {
    this.#prompts = prompts
    this.#tones = new TonePrompts(prompts)
    this.#emit = emit
    this.#guard = guard
  }

  /** Something was agreed on: what waits for a codec, or plays in another, is loaded. */
  agreed(to: Played): void {
    this.#load(to)
    this.#reload(to)
  }

  /** What plays, or is loaded, is replaced. */
  play(to: Played, command: PlayCommand): void {
    this.drop(to)
    to.session?.sender.stop()
    to.loading = command
    this.#load(to)
  }

  stop(to: Played, playId: string): void {
    if (to.loading?.play === playId) this.drop(to)
    to.session?.sender.stop(playId)
  }

  /** The play that has not begun never will. */
  drop(to: Played): void {
    const play = to.loading
    to.loading = undefined
    if (play !== undefined) this.#emit({ type: 'played', session: play.session, play: play.play, completed: false })
  }

  /** Starts to load the play that waits, once it is known for which codec. */
  #load(to: Played): void {
    const play = to.loading
    const codec = to.session?.agreement?.codec
    if (play !== undefined && codec !== undefined) {
      const isWanted = () => to.loading === play
      this.#prepare(play, codec, prompt => this.#loaded(to, play, prompt), isWanted)
    }
  }

  /** Loads what plays once more, when its prompt does not suit the codec that was agreed on now. */
  #reload(to: Played): void {
    const { session, begun } = to
    const codec = session?.agreement?.codec
    if (begun === undefined || codec === undefined || session?.sender.playNeedingPrompt !== begun.play) return
    const isWanted = () => to.begun === begun && session.sender.playNeedingPrompt === begun.play
    const done = (prompt: Prompt | PromptFault) => {
      if (!isWanted()) return
      if (typeof prompt === 'string') session.sender.stop(begun.play)
      else session.sender.continueWith(begun.play, prompt)
    }
    this.#prepare(begun, codec, done, isWanted)
  }

  #prepare(
    { source, loop }: PlayCommand,
    codec: EngineCodec,
    done: (prompt: Prompt | PromptFault) => void,
    isWanted: () => boolean,
  ): void {
    if (source.kind === 'tone') this.#tones.load(source.tone, codec, done)
    else if (source.isGrowing) this.#prompts.follow(source.path, codec, loop, done, isWanted)
    else this.#prompts.load(source.path, codec, loop, done, isWanted)
  }

  #loaded(to: Played, play: PlayCommand, prompt: Prompt | PromptFault): void {
    // Stopped, replaced or closed meanwhile, or loaded twice because the codec changed.
    if (to.loading !== play || to.session === undefined) return
    const codec = to.session.agreement?.codec
    // The codec changed meanwhile: what suits is on its way.
    if (typeof prompt !== 'string' && codec !== undefined && !isRelayable(prompt.codec, codec)) return
    to.loading = undefined
    to.begun = play
    if (typeof prompt === 'string') {
      const { session, play: name } = play
      this.#emit({ type: 'played', session, play: name, completed: false, fault: prompt })
      return
    }
    const { session } = to
    const playback = new Playback(play.play, prompt, play.loop, play.isFollowed)
    this.#guard.run(session, () => session.sender.play(playback))
  }
}
