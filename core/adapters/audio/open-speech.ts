import { join } from 'node:path'
import type { Settings } from '../../model/settings.ts'
import type { Log } from '../../ports/log.ts'
import { resolveBy } from '../http/index.ts'
import type { NameResolver } from '../names/index.ts'
import { EspeakEngine } from './espeak.ts'
import { OpenAiSpeech } from './openai-speech.ts'
import { PiperEngine } from './piper.ts'
import type { SpeechEngine } from './speech-engine.ts'
import { SpeechEngines } from './speech-engines.ts'
import { VoiceTable } from './voice-table.ts'

/** From the start of the program until espeak-ng is looked for, if no text comes before. */
const warmAfterMs = 500

/** The engines that the settings name, as one. Piper's voices of the table are loaded at once. */
export function openSpeech(
  settings: Pick<Settings, 'speech' | 'dataFolder'>,
  log: Log,
  names: NameResolver,
): SpeechEngine {
  const { voices, piper: command, piperVoices, openaiUrl, openaiKey, openaiModel, openaiFormat } = settings.speech
  const workFolder = join(settings.dataFolder, 'cache', 'piper')
  const piper =
    piperVoices === undefined ? undefined : new PiperEngine({ command, voicesFolder: piperVoices, workFolder, log })
  const openai =
    openaiUrl === undefined
      ? undefined
      : new OpenAiSpeech({
          url: openaiUrl,
          resolve: resolveBy(names),
          model: openaiModel,
          format: openaiFormat,
          ...(openaiKey === undefined ? {} : { key: openaiKey }),
        })
  const espeak = new EspeakEngine({ log })
  // Not at once: its process would slow the start of this one. A text that comes earlier looks for it itself.
  setTimeout(() => void espeak.warm(), warmAfterMs).unref()
  if (piper !== undefined) {
    const named = voices.flatMap(({ engine, voice }) => (engine === 'piper' && voice !== undefined ? [voice] : []))
    for (const voice of new Set(named)) void piper.warm(voice)
  }
  return new SpeechEngines({
    table: new VoiceTable(voices),
    espeak,
    others: { ...(piper === undefined ? {} : { piper }), ...(openai === undefined ? {} : { openai }) },
  })
}
