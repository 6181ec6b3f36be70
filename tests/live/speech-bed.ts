import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { OpenAiSpeech } from '../../core/adapters/audio/openai-speech.ts'
import { PiperEngine } from '../../core/adapters/audio/piper.ts'
import type { SpeechEngine } from '../../core/adapters/audio/speech-engine.ts'
import { type NamedEngine, SpeechEngines } from '../../core/adapters/audio/speech-engines.ts'
import { SpeechLibrary } from '../../core/adapters/audio/speech-library.ts'
import { spokenPieces } from '../../core/adapters/audio/spoken-pieces.ts'
import { VoiceTable } from '../../core/adapters/audio/voice-table.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import type { Log } from '../../core/ports/log.ts'
import { decodeWav, parseWav, wavHeader } from '../../rtp/index.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import type { PiperVoices } from '../rig/fakes/piper-voices.ts'
import { SpeechServer } from '../rig/fakes/speech-server.ts'

// Speech engines that stand in for real ones; each speaks at a pitch of its own: espeak-ng 440 Hz, Piper 700, the server 1100.
export interface Context {
  folder: string
  server: SpeechServer
  closing: (() => void)[]
}

/** A suite whose tests have a folder and a speech server each. */
export function speechSuite(name: string) {
  const test = suite<Context>(name, { folder: '' } as Context)
  test.before.each(async context => {
    context.folder = mkdtempSync(join(tmpdir(), 'sauti-engines-'))
    context.server = await SpeechServer.open()
    context.closing = []
  })
  test.after.each(({ folder, server, closing }) => {
    for (const close of closing) close()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return test
}

export const voice = 'sw_CD-test-medium'
export const text = 'Karibu sana, rafiki.'
/** For engines that are to be given up. Others are waited for as long as a machine with much else to do may take. */
export const shortPatienceMs = 300
const patienceMs = 10_000
const loadMs = 20_000
/** Given up by then, also on such a machine: it is less than any other wait. */
export const givenUpMs = shortPatienceMs + 5_000

/** Stands for espeak-ng. */
const espeak: SpeechEngine = {
  prepare: async ({ text, language = '' }) => ({
    identity: `espeak ${language} ${text}`,
    lane: { name: 'espeak', width: 2 },
    speak: () =>
      spokenPieces([text], async () => {
        const pcm = Int16Array.from({ length: 8000 }, (_, i) =>
          Math.round(8000 * Math.sin((2 * Math.PI * 440 * i) / 8000)),
        )
        const header = wavHeader({ encoding: 'pcm16', sampleRate: 8000, channels: 1 }, 16_000)
        return new Uint8Array(Buffer.concat([header, Buffer.from(pcm.buffer)]))
      }),
  }),
  close() {},
}

/** A call of the one account that asks here. */
export const asker = (callId: string) => ({ accountId: 'account-1', callId })

export function bed(context: Context, others: { piper?: NamedEngine; openai?: NamedEngine }, last = espeak) {
  const reported: string[] = []
  const log: Log = {
    error() {},
    warn: (fields, message) => reported.push(`${message} ${String(fields.detail)}`),
    info: (_fields, message) => reported.push(message),
    debug() {},
  }
  const engine = new SpeechEngines({ table: new VoiceTable([]), espeak: last, others })
  const cache = new AudioCache({ folder: join(context.folder, 'speech'), maxBytes: 100_000_000 })
  let now = 0
  const library = new SpeechLibrary({ engine, cache, log, now: () => now })
  context.closing.push(() => library.close())
  let calls = 0
  const speak = async (request: { text?: string; voice: string }, callId = `call-${++calls}`) => {
    const begun = performance.now()
    const spoken = await library.speak(asker(callId), { text, ...request })
    return { ...spoken, hz: pitchOf(spoken.path), tookMs: performance.now() - begun }
  }
  /** Time passes for engines that are paused. */
  const rest = (ms: number) => {
    now += ms
  }
  return { library, speak, reported, rest }
}

function pitchOf(path: string): number {
  const bytes = readFileSync(path)
  const parsed = parseWav(bytes)
  assert.ok(parsed.ok)
  const { sampleRate } = parsed.value
  assert.is(bytes.readUInt32LE(4), bytes.length - 8)
  const pcm = decodeWav(bytes, parsed.value)
  const levels = [440, 700, 1100].map(hz => [hz, levelAt(pcm, 0, pcm.length, hz, sampleRate)] as const)
  return levels.reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}

export const piperOf = (context: Context, voices: PiperVoices, more = {}) =>
  new PiperEngine({
    command: voices.command,
    voicesFolder: voices.folder,
    workFolder: join(context.folder, 'work'),
    log: silentLog,
    patienceMs,
    loadMs,
    ...more,
  })

export const openaiOf = (context: Context, more = {}) =>
  new OpenAiSpeech({ url: context.server.url, key: 'sk-secret', model: 'tts-1', format: 'wav', patienceMs, ...more })
