import type { AudioCommand, AudioEvent } from '../ports/audio.ts'

/** What a file of simulated audio holds. */
export type Sound =
  | { readonly type: 'say'; readonly text: string; readonly voice?: string; readonly language?: string }
  | { readonly type: 'play'; readonly source: string }

interface SimulatedAudioOptions {
  /** Milliseconds that a text takes to say. */
  readonly speechMs: (text: string) => number
  /** Milliseconds of an asset or URL; undefined: it does not exist (PLAY.0404). */
  readonly durationMs: (source: string) => number | undefined
}

/** Makes no sound: knows what each file would hold and how long it would be. */
export class SimulatedAudio {
  readonly #options: SimulatedAudioOptions
  readonly #sounds = new Map<string, Sound>()

  constructor(options: SimulatedAudioOptions) {
    this.#options = options
  }

  /** What the file at a path of this audio holds. */
  soundAt(path: string): Sound | undefined {
    return this.#sounds.get(path)
  }

  answer(command: AudioCommand): AudioEvent {
    const { callId, requestId } = command
    if (command.type === 'audio.speak') {
      const { text, voice, language } = command
      const sound: Sound = {
        type: 'say',
        text,
        ...(voice === undefined ? {} : { voice }),
        ...(language === undefined ? {} : { language }),
      }
      return this.#ready(command, sound, this.#options.speechMs(text))
    }
    const source = 'asset' in command.source ? command.source.asset : command.source.url
    const durationMs = this.#options.durationMs(source)
    if (durationMs !== undefined) return this.#ready(command, { type: 'play', source }, durationMs)
    return { type: 'audio.failed', callId, requestId, code: 'PLAY.0404', detail: `${source} does not exist` }
  }

  #ready({ callId, requestId }: AudioCommand, sound: Sound, durationMs: number): AudioEvent {
    const path = `/simulated/${this.#sounds.size}/${Math.round(durationMs)}`
    this.#sounds.set(path, sound)
    return { type: 'audio.ready', callId, requestId, path, durationMs: Math.round(durationMs) }
  }
}
