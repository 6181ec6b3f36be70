import { pcma, pcmu } from '../codec/g711.ts'
import type { Prompt } from '../session/playback.ts'
import { renderTone } from '../tone/tone-source.ts'
import { type Tone, tones } from '../tone/tones.ts'
import type { EngineCodec } from './command.ts'

const sampleRate = 8000

/** Tones by name, rendered and encoded once for a codec. */
export class TonePrompts {
  readonly #rendered = new Map<string, Prompt>()

  /** Undefined for a name that the table does not have. */
  get(name: string, codec: EngineCodec): Prompt | undefined {
    const key = `${codec} ${name}`
    const known = this.#rendered.get(key)
    if (known !== undefined) return known
    const tone = toneNamed(name)
    if (tone === undefined) return undefined
    const pcm = renderTone(tone, sampleRate)
    const bytes = new Uint8Array(pcm.length)
    const coder = codec === 'PCMU' ? pcmu : pcma
    coder.encodeInto(bytes, 0, pcm, 0, pcm.length)
    const prompt: Prompt = { codec, bytes }
    this.#rendered.set(key, prompt)
    return prompt
  }
}

const toneNamed = (name: string): Tone | undefined =>
  Object.hasOwn(tones, name) ? tones[name as keyof typeof tones] : undefined
