import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LaneHealth } from '../../../../core/adapters/audio/lane-health.ts'
import { type SpeechEngine, SpeechFault, type SpeechRequest } from '../../../../core/adapters/audio/speech-engine.ts'
import { SpeechEngines } from '../../../../core/adapters/audio/speech-engines.ts'
import { spokenPieces } from '../../../../core/adapters/audio/spoken-pieces.ts'
import { VoiceTable } from '../../../../core/adapters/audio/voice-table.ts'
import { engineVoiceOf, voiceNameOf } from '../../../../core/model/engine-voice.ts'

test('a voice with its engine; a name for it', () => {
  const rows: [text: string, engine: string | undefined, voice?: string][] = [
    ['piper:sw_CD-lanfrica-medium', 'piper', 'sw_CD-lanfrica-medium'],
    ['OpenAI:alloy', 'openai', 'alloy'],
    ['espeak:en-us+f3', 'espeak', 'en-us+f3'],
    ['openai', 'openai'],
    ['openai:', undefined],
    ['polly:Joanna', undefined],
    ['piper:../../etc/passwd', undefined],
    ['piper:a:b', undefined],
    ['alloy', undefined],
    ['', undefined],
  ]
  for (const [text, engine, voice] of rows) {
    const found = engineVoiceOf(text)
    assert.equal([found?.engine, found?.voice], [engine, voice], text)
  }
  assert.equal(voiceNameOf(' Alice = openai:nova '), { name: 'Alice', engine: 'openai', voice: 'nova' })
  for (const text of ['=openai:nova', 'alice', 'alice=', 'alice=nova', 'a:b=openai:nova', '']) {
    assert.is(voiceNameOf(text), undefined, text)
  }
})

/** The voice and engine that speak, `>` the next one, `?` the voice that is reported as unknown. */
async function chosen(table: readonly string[], request: Partial<SpeechRequest>): Promise<string> {
  const engine = (name: string, knows: (voice: string | undefined) => boolean) => ({
    prepare: async ({ voice, language }: SpeechRequest) =>
      knows(voice)
        ? {
            identity: `${name}(${[voice ?? '', language ?? ''].join(' ').trim()})`,
            lane: { name, width: 1 },
            speak: () => spokenPieces([], async () => new Uint8Array()),
          }
        : undefined,
    close() {},
  })
  const espeak: SpeechEngine = {
    prepare: async request => ({
      identity: `espeak(${[request.voice ?? '', request.language ?? ''].join(' ').trim()})`,
      lane: { name: 'espeak', width: 1 },
      ...(request.voice !== undefined && !['woman', 'sw'].includes(request.voice)
        ? { unknownVoice: request.voice }
        : {}),
      speak: () => spokenPieces([], async () => new Uint8Array()),
    }),
    close() {},
  }
  const engines = new SpeechEngines({
    table: new VoiceTable(table.map(text => voiceNameOf(text)!)),
    espeak,
    others: { piper: engine('piper', voice => voice?.startsWith('sw_CD') === true) },
  })
  const job = await engines.prepare({ text: 'Karibu', ...request })
  const reported = job.unknownVoice === undefined ? '' : ` ?${job.unknownVoice}`
  const next = await job.next?.()
  return `${job.identity}${next === undefined ? '' : ` > ${next.identity}`}${reported}`
}

test('who speaks: by engine, by the table, by language, by default, else espeak-ng', async () => {
  const table = ['sw=piper:sw_CD-lanfrica-medium', 'Alice=piper:sw_CD-x', 'bob=espeak:woman', 'gone=openai:nova']
  const usual = [...table, 'default=piper:sw_CD-usual']
  const rows: [table: readonly string[], request: Partial<SpeechRequest>, who: string][] = [
    [[], {}, 'espeak()'],
    [[], { language: 'fr' }, 'espeak(fr)'],
    [[], { voice: 'woman', language: 'sw' }, 'espeak(woman sw)'],
    [[], { voice: 'piper:sw_CD-a' }, 'piper(sw_CD-a) > espeak(sw-CD)'],
    [[], { voice: 'piper:sw_CD-a', language: 'en' }, 'piper(sw_CD-a en) > espeak(en)'],
    [[], { voice: 'espeak:sw' }, 'espeak(sw)'],
    [[], { voice: 'espeak:nobody' }, 'espeak() ?espeak:nobody'],
    [[], { voice: 'piper:de_DE-x' }, 'espeak() ?piper:de_DE-x'],
    [[], { voice: 'openai:alloy', language: 'fr' }, 'espeak(fr) ?openai:alloy'],
    [[], { voice: 'Nobody' }, 'espeak(Nobody) ?Nobody'],
    [table, { voice: 'alice' }, 'piper(sw_CD-x) > espeak(sw-CD)'],
    [table, { voice: 'BOB' }, 'espeak(woman)'],
    [table, { voice: 'gone' }, 'espeak() ?gone'],
    [table, { language: 'sw-KE' }, 'piper(sw_CD-lanfrica-medium sw-KE) > espeak(sw-KE)'],
    [table, { language: 'sw_KE' }, 'piper(sw_CD-lanfrica-medium sw_KE) > espeak(sw_KE)'],
    [table, { language: 'en' }, 'espeak(en)'],
    [table, {}, 'espeak()'],
    [usual, {}, 'piper(sw_CD-usual) > espeak(sw-CD)'],
    [usual, { language: 'en' }, 'espeak(en)'],
    [usual, { voice: 'Nobody' }, 'piper(sw_CD-usual) > espeak(sw-CD) ?Nobody'],
    [usual, { voice: 'woman' }, 'espeak(woman)'],
    [usual, { voice: 'piper:de_DE-x' }, 'piper(sw_CD-usual) > espeak(sw-CD) ?piper:de_DE-x'],
    // Nothing but a pause.
    [usual, { text: ' ', ssml: '<speak><break/></speak>' }, 'espeak()'],
  ]
  for (const [names, request, who] of rows) assert.is(await chosen(names, request), who, JSON.stringify(request))
})

test('without espeak-ng the other engine speaks alone', async () => {
  const espeak: SpeechEngine = {
    prepare: () => Promise.reject(new SpeechFault('none')),
    close() {},
  }
  const piper = {
    prepare: async () => ({
      identity: 'p',
      lane: { name: 'piper', width: 1 },
      speak: () => spokenPieces([], async () => new Uint8Array()),
    }),
    close() {},
  }
  const engines = new SpeechEngines({ table: new VoiceTable([]), espeak, others: { piper } })
  const job = await engines.prepare({ text: 'a', voice: 'piper:x' })
  assert.is(job.identity, 'p')
  assert.is(await job.next?.().catch(() => 'nobody'), 'nobody')
})

test('a lane that fails is paused, twice as long each time, and tried by one job alone', () => {
  const health = new LaneHealth()
  assert.ok(health.admits(0, 500))
  assert.is(health.failed(0), 1000)
  assert.not(health.isWell)
  assert.not(health.admits(999, 500))
  assert.ok(health.admits(1000, 500), 'one tries')
  assert.not(health.admits(1001, 500), 'the others do not')
  assert.ok(health.admits(1500, 500), 'the one has been away too long')
  assert.is(health.failed(2000), 2000)
  assert.not(health.admits(3999, 500))
  let now = 4000
  for (const pauseMs of [4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    assert.ok(health.admits(now, 500))
    assert.is(health.failed(now), pauseMs)
    assert.not(health.admits(now + pauseMs - 1, 500))
    now += pauseMs
  }
  assert.ok(health.admits(now, 500))
  assert.ok(health.spoke())
  assert.ok(health.isWell)
  assert.not(health.spoke(), 'it was well before')
  assert.ok(health.admits(now, 500))
  assert.is(health.failed(now), 1000, 'from the beginning')
})

test.run()
