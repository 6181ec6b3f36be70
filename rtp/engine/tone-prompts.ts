import type { EngineCodec } from '../contract/agreement.ts'
import type { Prompt, PromptFault, PromptStore } from '../contract/prompts.ts'
import type { Tone } from '../tone/tone.ts'
import { renderTone } from '../tone/tone-source.ts'
import { tones } from '../tone/tones.ts'

const sampleRate = 8000

type Done = (prompt: Prompt | PromptFault) => void

/** Tones by name, rendered and encoded once for a codec. */
export class TonePrompts {
  readonly #store: PromptStore
  readonly #rendered = new Map<string, Prompt>()
  /** Callbacks that wait for a tone that is being encoded. */
  readonly #waiting = new Map<string, Done[]>()

  constructor(store: PromptStore) {
    this.#store = store
  }

  /** `done` comes at once for what is kept; `unsupported` for a name that the table does not have. */
  load(name: string, codec: EngineCodec, done: Done): void {
    const key = `${codec} ${name}`
    const known = this.#rendered.get(key)
    if (known !== undefined) {
      done(known)
      return
    }
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.push(done)
      return
    }
    const tone = toneNamed(name)
    if (tone === undefined) {
      done('unsupported')
      return
    }
    this.#waiting.set(key, [done])
    this.#store.encode(renderTone(tone, sampleRate), sampleRate, codec, prompt => this.#encoded(key, prompt))
  }

  #encoded(key: string, prompt: Prompt | PromptFault): void {
    if (typeof prompt !== 'string') this.#rendered.set(key, prompt)
    const waiting = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    for (const done of waiting) done(prompt)
  }
}

const toneNamed = (name: string): Tone | undefined =>
  Object.hasOwn(tones, name) ? tones[name as keyof typeof tones] : undefined
