/** Engines by the name that is before a voice: `piper:sw_CD-lanfrica-medium`. */
const speechEngineNames = ['espeak', 'piper', 'openai'] as const
export type SpeechEngineName = (typeof speechEngineNames)[number]

/** A voice of an engine; without a voice, the engine's own default. */
export interface EngineVoice {
  readonly engine: SpeechEngineName
  readonly voice?: string
}

/** A name that a document may use for a voice or a language, or `default`, and the voice that speaks then. */
export interface VoiceName extends EngineVoice {
  readonly name: string
}

const voicePattern = /^[\w .,()+-]{1,100}$/
const namePattern = /^[\w .()+-]{1,64}$/

/** `piper:sw_CD-lanfrica-medium`, `openai:alloy`, `espeak:sw`, `openai`; undefined for what names no engine. */
export function engineVoiceOf(text: string): EngineVoice | undefined {
  const [prefix = '', voice, ...rest] = text.split(':')
  const engine = speechEngineNames.find(name => name === prefix.trim().toLowerCase())
  if (engine === undefined || rest.length > 0) return undefined
  if (voice === undefined) return { engine }
  return voicePattern.test(voice) ? { engine, voice } : undefined
}

/** `sw=piper:sw_CD-lanfrica-medium`; undefined for what is none. */
export function voiceNameOf(text: string): VoiceName | undefined {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at)).trim()
  const voice = engineVoiceOf(text.slice(at + 1).trim())
  return voice === undefined || !namePattern.test(name) ? undefined : { name, ...voice }
}
