import type { EngineVoice, SpeechEngineName } from '../../model/engine-voice.ts'
import type { SpeechEngine, SpeechJob, SpeechRequest } from './speech-engine.ts'
import type { VoiceTable } from './voice-table.ts'

/** An engine that is asked only for voices of its own. */
export interface NamedEngine {
  /** Undefined when it has no such voice. */
  prepare(request: SpeechRequest): Promise<SpeechJob | undefined>
  close(): void
}

interface SpeechEnginesParts {
  readonly table: VoiceTable
  /** Speaks what no other engine does, in some voice. */
  readonly espeak: SpeechEngine
  /** The engines that are set up. */
  readonly others: Readonly<Partial<Record<Exclude<SpeechEngineName, 'espeak'>, NamedEngine>>>
}

/** Several engines as one: each voice goes to its own, and espeak-ng serves the others. */
export class SpeechEngines implements SpeechEngine {
  readonly #parts: SpeechEnginesParts

  constructor(parts: SpeechEnginesParts) {
    this.#parts = parts
  }

  async prepare(request: SpeechRequest): Promise<SpeechJob> {
    const { table } = this.#parts
    const { text, voice, language } = request
    // Nothing but a pause: only espeak-ng makes one.
    if (text.trim() === '') return await this.#plain(request)
    const named = voice === undefined ? undefined : table.named(voice)
    if (named !== undefined) {
      const job = await this.#by(named, request)
      if (job !== undefined) return job
    }
    const usual = table.usual(language)
    if (voice !== undefined && named === undefined) {
      // A name that espeak-ng may know.
      const job = await this.#parts.espeak.prepare(request)
      if (job.unknownVoice === undefined || usual === undefined) return job
    }
    const job = (usual === undefined ? undefined : await this.#by(usual, request)) ?? (await this.#plain(request))
    return voice === undefined ? job : { ...job, unknownVoice: voice }
  }

  close(): void {
    this.#parts.espeak.close()
    for (const engine of Object.values(this.#parts.others)) engine.close()
  }

  /** The job of that voice, and espeak-ng's after it. Undefined when the engine is not set up or has no such voice. */
  async #by({ engine, voice }: EngineVoice, request: SpeechRequest): Promise<SpeechJob | undefined> {
    const { text, ssml, language } = request
    const wanted: SpeechRequest = {
      text,
      ...(ssml === undefined ? {} : { ssml }),
      ...(voice === undefined ? {} : { voice }),
      ...(language === undefined ? {} : { language }),
    }
    if (engine === 'espeak') {
      const job = await this.#parts.espeak.prepare(wanted)
      return job.unknownVoice === undefined ? job : undefined
    }
    const job = await this.#parts.others[engine]?.prepare(wanted)
    if (job === undefined) return undefined
    const spoken = language ?? languageOf(voice)
    return {
      ...job,
      next: rest =>
        this.#plain({
          ...(rest === undefined ? request : { text: rest }),
          ...(spoken === undefined ? {} : { language: spoken }),
        }),
    }
  }

  /** By espeak-ng, in the voice of the language. A language that it does not know is no fault of the document's. */
  async #plain({ text, ssml, language }: SpeechRequest): Promise<SpeechJob> {
    return await this.#parts.espeak.prepare({
      text,
      ...(ssml === undefined ? {} : { ssml }),
      ...(language === undefined ? {} : { language }),
    })
  }
}

/** Piper's voices begin with their language: `sw_CD-lanfrica-medium`. */
const languageOf = (voice: string | undefined): string | undefined => {
  const [, language] = /^([a-z]{2,3}_[A-Z]{2})-/.exec(voice ?? '') ?? []
  return language?.replace('_', '-')
}
