import { type EngineVoice, engineVoiceOf, type VoiceName } from '../../model/engine-voice.ts'
import { shortenedTags } from './language-tag.ts'

/** The operator's names for voices. */
export class VoiceTable {
  readonly #names: ReadonlyMap<string, EngineVoice>

  constructor(names: readonly VoiceName[]) {
    this.#names = new Map(names.map(({ name, ...voice }) => [keyOf(name), voice]))
  }

  /** The engine and voice for a name in a document: with an engine prefix, or a name from the table. */
  named(voice: string): EngineVoice | undefined {
    // `openai` alone is a voice of that name, if anything: who leaves the voice open leaves out the attribute.
    return (voice.includes(':') ? engineVoiceOf(voice) : undefined) ?? this.#names.get(keyOf(voice))
  }

  /** Where no voice is named: the language's (`sw-KE`, then `sw`), else the default. */
  usual(language: string | undefined): EngineVoice | undefined {
    if (language === undefined) return this.#names.get('default')
    for (const tag of shortenedTags(keyOf(language))) {
      const found = this.#names.get(tag)
      if (found !== undefined) return found
    }
    return undefined
  }
}

const keyOf = (name: string): string => name.trim().toLowerCase().replaceAll('_', '-')
