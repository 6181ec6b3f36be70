import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { OpenAiSpeech, speechUrl } from '../../core/adapters/audio/openai-speech.ts'
import { PiperEngine } from '../../core/adapters/audio/piper.ts'
import { type SpeechEngine, SpeechFault, type SpeechJob } from '../../core/adapters/audio/speech-engine.ts'
import { type NamedEngine, SpeechEngines } from '../../core/adapters/audio/speech-engines.ts'
import { SpeechLibrary } from '../../core/adapters/audio/speech-library.ts'
import { spokenPieces } from '../../core/adapters/audio/spoken-pieces.ts'
import { VoiceTable } from '../../core/adapters/audio/voice-table.ts'
import type { Log } from '../../core/ports/log.ts'
import { decodeWav, levelAt, parseWav, wavHeader } from '../../rtp/index.ts'
import { type Mischief, PiperVoices } from '../rig/piper-voices.ts'
import { SpeechServer } from '../rig/speech-server.ts'
import { sleep, until } from '../rig/wait.ts'

interface Context {
  folder: string
  server: SpeechServer
  closing: (() => void)[]
}
const test = suite<Context>('speech engines', { folder: '' } as Context)
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

const voice = 'sw_CD-test-medium'
const text = 'Karibu sana, rafiki.'
const patienceMs = 300

/** Stands for espeak-ng: 440 Hz. */
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

function bed(context: Context, others: { piper?: NamedEngine; openai?: NamedEngine }, last = espeak) {
  const told: string[] = []
  const log: Log = {
    error() {},
    warn: (fields, message) => told.push(`${message} ${String(fields.detail)}`),
    info: (_fields, message) => told.push(message),
    debug() {},
  }
  const engine = new SpeechEngines({ table: new VoiceTable([]), espeak: last, others })
  const cache = new AudioCache({ folder: join(context.folder, 'speech'), maxBytes: 100_000_000 })
  const library = new SpeechLibrary({ engine, cache, log })
  context.closing.push(() => library.close())
  let calls = 0
  const speak = async (request: { text?: string; voice: string }, callId = `call-${++calls}`) => {
    const begun = performance.now()
    const spoken = await library.speak(callId, { text, ...request })
    return { ...spoken, hz: pitchOf(spoken.path), tookMs: performance.now() - begun }
  }
  return { library, speak, told }
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

const firstOf = (job: SpeechJob) => job.speak(new AbortController().signal).next()

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} }
const piperOf = (context: Context, voices: PiperVoices, more = {}) => {
  const workFolder = join(context.folder, 'work')
  return new PiperEngine({
    command: voices.command,
    voicesFolder: voices.folder,
    workFolder,
    log: quiet,
    patienceMs,
    loadMs: 2000,
    ...more,
  })
}
const openaiOf = (context: Context, more = {}) =>
  new OpenAiSpeech({ url: context.server.url, key: 'sk-secret', model: 'tts-1', format: 'wav', patienceMs, ...more })

test('Piper: a model is loaded once and speaks many texts, each read whole', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice, 'en_GB-other-low'], { rate: 16_000 })
  const { speak, library } = bed(context, { piper: piperOf(context, voices) })
  const first = await speak({ voice: `piper:${voice}` })
  assert.equal([first.hz, first.durationMs, first.unknownVoice], [700, 60 * text.length, undefined])
  const many = await Promise.all(
    Array.from({ length: 10 }, (_, n) => speak({ text: `${'neno '.repeat(n + 1)}`, voice: `piper:${voice}` })),
  )
  assert.equal(
    many.map(({ durationMs }) => durationMs),
    many.map((_, n) => 60 * (5 * (n + 1) - 1)),
  )
  assert.is(voices.starts.length, 1)
  assert.match(voices.starts[0]!, /--model .*sw_CD-test-medium\.onnx --json-input --output_dir /)
  assert.is((await speak({ voice: 'piper:en_GB-other-low' })).hz, 700)
  assert.is(voices.starts.length, 2, 'another voice is another process')
  const again = await speak({ voice: `piper:${voice}` })
  assert.equal([again.path, again.tookMs < 30], [first.path, true])
  assert.equal(readdirSync(join(context.folder, 'work')), [], 'nothing is left over')
  assert.equal(library.counters, { piper: { spoken: 12, failed: 0, skipped: 0 } })
})

test('Piper: a call that asks while its voice is being loaded waits for that, and is spoken by it', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice], { loadMs: 300 })
  const piper = piperOf(context, voices)
  const { speak, library } = bed(context, { piper })
  const warmed = piper.warm(voice)
  await until('the model to be loaded', () => voices.starts.length === 1)
  assert.equal((await speak({ voice: `piper:${voice}` })).hz, 700)
  await warmed
  assert.is(voices.starts.length, 1)
  assert.equal(library.counters, { piper: { spoken: 1, failed: 0, skipped: 0 } })
})

test('Piper: text is one line, whatever is in it; names that are no model are unknown', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  const { speak } = bed(context, { piper: piperOf(context, voices) })
  const odd = await speak({ text: 'a"b\\c\n{"text":"x"}\u2028é', voice: `piper:${voice}` })
  assert.equal([odd.hz, odd.durationMs], [700, 60 * 20])
  for (const unknown of ['piper:nobody', 'piper:mischief', 'piper:..']) {
    const spoken = await speak({ voice: unknown })
    assert.equal([spoken.hz, spoken.unknownVoice], [440, unknown])
  }
})

test('Piper of the Python package: a process a text, raw samples at the rate of the model', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice], { asPython: true, rate: 16_000 })
  const { speak } = bed(context, { piper: piperOf(context, voices) })
  for (const words of [text, 'Kwaheri.']) {
    const spoken = await speak({ text: words, voice: `piper:${voice}` })
    assert.equal([spoken.hz, spoken.durationMs], [700, 60 * words.length])
  }
  assert.is(voices.starts.length, 2)
})

test('Piper that dies, hangs, babbles or writes half: the next engine speaks, and it is mended', async context => {
  const mended = async (how: Mischief) => {
    const folder = join(context.folder, how)
    const voices = new PiperVoices(folder, [voice])
    const { speak, library, told } = bed(context, { piper: piperOf(context, voices) })
    assert.is((await speak({ text: `${how} one`, voice: `piper:${voice}` })).hz, 700)
    voices.misbehave(how)
    const spoken = await speak({ text: `${how} two`, voice: `piper:${voice}` })
    assert.equal([spoken.hz, spoken.unknownVoice], [440, undefined], how)
    assert.ok(spoken.tookMs < patienceMs + 1000, `${how}: ${spoken.tookMs} ms`)
    assert.match(told.join('\n'), /speech engine failed piper: /)
    // While it rests nobody waits for it.
    const other = await speak({ text: `${how} three`, voice: `piper:${voice}` })
    assert.equal([other.hz, other.tookMs < 200], [440, true], `${how}: ${other.tookMs} ms`)
    voices.misbehave(undefined)
    await sleep(1050)
    assert.is((await speak({ text: `${how} four`, voice: `piper:${voice}` })).hz, 700, how)
    assert.ok(told.includes('speech engine works again'))
    assert.is(voices.starts.length, 2)
    assert.equal(library.counters.piper, { spoken: 2, failed: 1, skipped: 1 })
  }
  await Promise.all((['die', 'hang', 'babble', 'torn'] as const).map(mended))
})

test('Piper that is missing, or another program of that name: told, and the next engine speaks', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  for (const [command, why] of [
    [join(context.folder, 'nothing'), /ENOENT/],
    ['/bin/true', /is no Piper/],
    ['/bin/false', /exit 1/],
  ] as const) {
    const { speak, told } = bed(context, { piper: piperOf(context, voices, { command }) })
    assert.is((await speak({ voice: `piper:${voice}` })).hz, 440)
    assert.match(told.join('\n'), why)
    rmSync(join(context.folder, 'speech'), { recursive: true })
  }
})

test('Piper: no more than four models are loaded, idle ones go, a new model under an old name is another voice', async context => {
  const names = Array.from({ length: 6 }, (_, n) => `sw_CD-v${n}-low`)
  const voices = new PiperVoices(join(context.folder, 'voices'), names, { loadMs: 1 })
  const piper = piperOf(context, voices, { idleMs: 1000 })
  const { speak } = bed(context, { piper })
  for (const name of names) await speak({ voice: `piper:${name}` })
  assert.is(piper.loaded, 4)
  await until('the idle ones to go', () => piper.loaded === 0, 3000)
  const before = voices.starts.length
  await speak({ voice: `piper:${names[0]}` })
  assert.is(voices.starts.length, before, 'from the cache')
  writeFileSync(join(voices.folder, `${names[0]}.onnx`), 'a longer model')
  assert.is((await speak({ voice: `piper:${names[0]}` })).hz, 700)
  assert.is(voices.starts.length, before + 1)
})

test('a speech server: what it is asked, WAV or samples, mono or stereo', async context => {
  for (const format of ['wav', 'pcm'] as const) {
    const { speak } = bed(context, { openai: openaiOf(context, { format }) })
    const spoken = await speak({ text: format, voice: 'openai:nova' })
    assert.equal([spoken.hz, spoken.durationMs], [1100, 180], format)
    const { path, headers, body } = context.server.orders.at(-1)!
    assert.is(path, '/v1/audio/speech')
    assert.is(headers.authorization, 'Bearer sk-secret')
    assert.equal(body, { model: 'tts-1', input: format, voice: 'nova', response_format: format })
  }
  const { speak } = bed(context, { openai: openaiOf(context) })
  context.server.manner = 'stereo'
  const spoken = await speak({ text: 'both sides', voice: 'openai:alloy' })
  assert.equal([spoken.hz, spoken.durationMs, readFileSync(spoken.path).readUInt16LE(22)], [1100, 600, 1])
  assert.is((await speak({ text: 'both sides', voice: 'openai:alloy' })).path, spoken.path)
  assert.is(context.server.orders.length, 3, 'what was spoken once is not asked for again')
  context.server.manner = 'slow'
  assert.is((await speak({ text: 'a longer text takes longer to be spoken', voice: 'openai:alloy' })).hz, 1100)
})

test('a speech server that hangs, fails, floods or talks nonsense: the next engine speaks', async context => {
  // One server, and a library for each: they rest apart.
  const rows = [
    ['hang', /timeout/],
    ['hang-midway', /timeout/],
    ['enormous', /too-large/],
    ['html', /text\/html/],
    ['mp3', /audio\/mpeg/],
    ['empty', /not wav/],
    ['torn', /transport/],
    [500, /answered 500/],
    [401, /answered 401/],
    [429, /answered 429/],
  ] as const
  for (const [manner, why] of rows) {
    const { speak, told, library } = bed(context, { openai: openaiOf(context) })
    context.server.manner = manner
    const spoken = await speak({ text: `it does ${manner}`, voice: 'openai:alloy' })
    assert.equal([spoken.hz, spoken.unknownVoice], [440, undefined], `${manner}`)
    assert.ok(spoken.tookMs < patienceMs + 1500, `${manner}: ${spoken.tookMs} ms`)
    assert.match(told.join('\n'), why)
    assert.not.match(told.join('\n'), /sk-secret/)
    const { orders } = context.server
    const before = orders.length
    assert.is((await speak({ text: `again ${manner}`, voice: 'openai:alloy' })).hz, 440)
    assert.is(orders.length, before, 'it rests')
    library.close()
  }
})

test('a server that refuses the words is not sick: the next words are asked for at once', async context => {
  const { speak, library } = bed(context, { openai: openaiOf(context) })
  context.server.manner = 400
  assert.is((await speak({ text: 'bad words', voice: 'openai:alloy' })).hz, 440)
  context.server.manner = 'well'
  assert.is((await speak({ text: 'good words', voice: 'openai:alloy' })).hz, 1100)
  assert.equal(library.counters.openai, { spoken: 1, failed: 1, skipped: 0 })
})

test('an engine that hangs holds up nobody else: other voices speak at once, and so do the calls behind it', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  const { speak, library } = bed(context, {
    piper: piperOf(context, voices),
    openai: openaiOf(context, { patienceMs: 1000 }),
  })
  await speak({ text: 'load', voice: `piper:${voice}` })
  context.server.manner = 'hang'
  const stuck = Array.from({ length: 40 }, (_, n) => speak({ text: `stuck ${n}`, voice: 'openai:alloy' }))
  const others = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      speak({ text: `other ${n}`, voice: n % 2 === 0 ? `piper:${voice}` : 'espeak:sw' }),
    ),
  )
  for (const { hz, tookMs } of others) assert.ok(tookMs < 900, `${hz} Hz: ${tookMs} ms`)
  const ends = await Promise.all(stuck)
  for (const { hz, tookMs } of ends) assert.ok(hz === 440 && tookMs < 2500, `${tookMs} ms`)
  // Sixteen hung at once; those behind them did not wait for it once more.
  assert.equal(library.counters.openai, { spoken: 0, failed: 16, skipped: 24 })
})

test('closing ends what runs', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  voices.misbehave('hang')
  const piper = piperOf(context, voices, { patienceMs: 60_000 })
  const job = await piper.prepare({ text, voice })
  const spoken = firstOf(job!).then(
    () => 'spoke',
    error => error,
  )
  await until('it to load', () => voices.starts.length === 1, 3000)
  piper.close()
  assert.instance(await spoken, SpeechFault)
  assert.instance(await firstOf(job!).catch(error => error), SpeechFault)
})

test('without espeak-ng an engine that rests is tried all the same: there is nobody else', async context => {
  const server = openaiOf(context)
  const missing: SpeechEngine = { prepare: () => Promise.reject(new SpeechFault('no espeak-ng')), close() {} }
  const { library, speak } = bed(context, { openai: server }, missing)
  context.server.manner = 500
  assert.match(String(await speak({ voice: 'openai:alloy' }).catch(error => error)), /answered 500/)
  context.server.manner = 'well'
  assert.is((await speak({ voice: 'openai:alloy' })).hz, 1100)
  assert.equal(library.counters.openai, { spoken: 1, failed: 1, skipped: 1 })
})

test('addresses of speech servers, as people write them', () => {
  const whole = 'http://a.test:8880/v1/audio/speech'
  for (const written of [
    'http://a.test:8880',
    'http://a.test:8880/',
    'http://a.test:8880/v1',
    'http://a.test:8880/v1/',
    whole,
  ]) {
    assert.is(speechUrl(written), whole)
  }
  assert.is(speechUrl('https://a.test/proxy/openai/v1?x=1'), 'https://a.test/proxy/openai/v1/audio/speech?x=1')
})

test.run()
