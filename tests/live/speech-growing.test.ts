import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { EspeakEngine, systemEspeak } from '../../core/adapters/audio/espeak.ts'
import { OpenAiSpeech } from '../../core/adapters/audio/openai-speech.ts'
import { PiperEngine } from '../../core/adapters/audio/piper.ts'
import type { SpeechEngine } from '../../core/adapters/audio/speech-engine.ts'
import { type NamedEngine, SpeechEngines } from '../../core/adapters/audio/speech-engines.ts'
import { SpeechLibrary, type Spoken } from '../../core/adapters/audio/speech-library.ts'
import type { Growth } from '../../core/adapters/audio/utterance.ts'
import { VoiceTable } from '../../core/adapters/audio/voice-table.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { decodeWav, parseWav } from '../../rtp/index.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { PiperVoices } from '../rig/fakes/piper-voices.ts'
import { until } from '../rig/probes/wait.ts'
import { asker, type Context, speechSuite } from './speech-bed.ts'

requirePeers('espeak-ng')

// Long texts are heard while they are spoken. The stand-ins: Piper 700 Hz, the server 1100 Hz, 60 ms a character; the
// program that stands for espeak-ng counts upwards, so that a sample that is missing or doubled shows.
const test = speechSuite('speech that grows')

const voice = 'sw_CD-test-medium'
const rate = 22_050
const sentence = 'Karibu sana kwetu, rafiki, tafadhali subiri hapa. '

/** Stands for espeak-ng; says `seconds`, each sample one more than the one before it. `script` runs after each second. */
function counting(folder: string, seconds: number, script = '', patienceMs = 10_000): EspeakEngine {
  const file = join(folder, 'counting.mjs')
  const starts = join(folder, 'starts')
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync, writeSync } from 'node:fs'
    if (process.argv.includes('--voices')) { console.log('Pty Language Age/Gender VoiceName File\\n 5 en-gb --/M English gmw/en'); process.exit(0) }
    appendFileSync('${starts}', 'x')
    const started = readFileSync('${starts}', 'utf8').length
    const write = bytes => { for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at) }
    write(Buffer.from('52494646ffffffff57415645666d742010000000010001002256000044ac00000200100064617461ffffffff', 'hex'))
    for (let second = 0; second < ${seconds}; second++) {
      write(Buffer.from(Int16Array.from({ length: ${rate} }, (_, i) => second * ${rate} + i).buffer))
      ${script}
    }`,
  )
  return new EspeakEngine({
    log: silentLog,
    patienceMs,
    programs: [{ label: 'counting', command: process.execPath, args: [file] }],
  })
}

function bed(context: Context, espeak: SpeechEngine, others: { piper?: NamedEngine; openai?: NamedEngine } = {}) {
  const cacheFolder = join(context.folder, 'speech')
  const cache = new AudioCache({ folder: cacheFolder, maxBytes: 200_000_000 })
  const engine = new SpeechEngines({ table: new VoiceTable([]), espeak, others })
  const library = new SpeechLibrary({ engine, cache, log: silentLog })
  context.closing.push(() => library.close())
  return { library, cache, cacheFolder }
}

const piperOf = (context: Context, voices: PiperVoices) =>
  new PiperEngine({
    command: voices.command,
    voicesFolder: voices.folder,
    workFolder: join(context.folder, 'work'),
    log: silentLog,
    patienceMs: 5000,
    loadMs: 5000,
  })
const openaiOf = (context: Context) =>
  new OpenAiSpeech({ url: context.server.url, model: 'tts-1', format: 'wav', patienceMs: 5000 })

/** How it grew, to its end. */
const grown = (spoken: Spoken): Promise<Growth> =>
  new Promise(resolve => {
    assert.ok(spoken.growing !== undefined, 'it does not grow')
    spoken.growing?.follow(growth => {
      if (growth.isWhole) resolve(growth)
    })
  })

function pcmIn(path: string): Int16Array {
  const bytes = readFileSync(path)
  assert.is(bytes.readUInt32LE(40), bytes.length - 44, 'its head tells its length')
  const parsed = parseWav(bytes)
  assert.ok(parsed.ok)
  return decodeWav(bytes, parsed.value)
}

/** The tone that is received in each second. */
function tonesOf(pcm: Int16Array, sampleRate: number): string {
  const tones: string[] = []
  for (let at = 0; at + sampleRate <= pcm.length; at += sampleRate) {
    const levels = [700, 1100].map(hz => [hz, levelAt(pcm, at, sampleRate, hz, sampleRate)] as const)
    const [hz, level] = levels.reduce((best, next) => (next[1] > best[1] ? next : best))
    tones.push(level > -20 ? `${hz}` : 'other')
  }
  return [...new Set(tones)].join(' ')
}
const isCounting = (pcm: Int16Array): boolean => pcm.every((sample, at) => sample === (at << 16) >> 16)

test('espeak-ng: a long text is there at once, sounds as if it were spoken in one piece, and is kept whole', async context => {
  const long = `Take ${Math.random()}. ${'The quick brown fox jumps over the lazy dog, and then it sleeps. '.repeat(60)}`
  const { library, cacheFolder } = bed(context, new EspeakEngine({ log: silentLog, programs: [systemEspeak] }))
  await library.speak(asker('call-0'), { text: 'Ready.' })
  const begun = performance.now()
  const spoken = await library.speak(asker('call-1'), { text: long })
  const firstMs = performance.now() - begun
  const early = pcmIn44(spoken.path)
  const { durationMs, fault } = await grown(spoken)
  const wholeMs = performance.now() - begun
  assert.is(fault, undefined)
  assert.ok(firstMs < wholeMs / 2, `${firstMs} of ${wholeMs} ms`)
  assert.ok(early.size === 0xffff_ffff && spoken.durationMs < durationMs / 4, 'its head did not know')
  const { stdout } = spawnSync('espeak-ng', ['-b', '1', '-v', 'en-gb', '--stdin', '--stdout'], {
    input: long,
    maxBuffer: 1e9,
  })
  const pcm = pcmIn(spoken.path)
  assert.ok(Buffer.from(pcm.buffer).equals(stdout.subarray(44)), 'each sample as espeak-ng gives it at once')
  const again = performance.now()
  const kept = await library.speak(asker('call-2'), { text: long })
  assert.ok(performance.now() - again < wholeMs / 2)
  assert.equal([kept.growing, kept.durationMs], [undefined, Math.round(durationMs)])
  assert.equal(pcmIn(kept.path), pcm)
  library.leave('call-1')
  await until('its own name to go', () => !existsSync(spoken.path))
  assert.ok(existsSync(kept.path))
  assert.is(readdirSync(cacheFolder).length, 2)
})

const pcmIn44 = (path: string) => ({ size: readFileSync(path).readUInt32LE(40) })

test('espeak-ng that dies in the middle of a text speaks it again, and nothing is played twice', async context => {
  const { library } = bed(
    context,
    counting(context.folder, 60, `if (started === 1 && second === 30) process.kill(process.pid, 'SIGKILL')`),
  )
  const spoken = await library.speak(asker('call-1'), { text: 'a' })
  const { durationMs, fault } = await grown(spoken)
  assert.equal([fault, Math.round(durationMs)], [undefined, 60_000])
  assert.ok(isCounting(pcmIn(spoken.path)))
  assert.is(readFileSync(join(context.folder, 'starts'), 'utf8').length, 2)
  assert.is((await library.speak(asker('call-2'), { text: 'a' })).growing, undefined, 'it is kept')
  assert.equal(library.counters.espeak, { spoken: 1, failed: 0, skipped: 0 })
})

test('espeak-ng that dies again, hangs or never ends: what there is, is all, and the fault is reported', async context => {
  const rows: [seconds: number, script: string, fault: RegExp, seconds: [number, number]][] = [
    [60, `if (second === 30) process.kill(process.pid, 'SIGKILL')`, /SIGKILL/, [10, 31]],
    [60, `if (second === 30) process.kill(process.pid, 'SIGSTOP')`, /took more than/, [10, 31]],
    [1000, '', /more than \d+ bytes/, [800, 900]],
  ]
  for (const [seconds, script, fault, [least, most]] of rows) {
    rmSync(join(context.folder, 'starts'), { force: true })
    const { library } = bed(
      context,
      counting(context.folder, seconds, script, script.includes('SIGSTOP') ? 2500 : 15_000),
    )
    const spoken = await library.speak(asker('call-1'), { text: `${fault}` })
    const reported = await grown(spoken)
    assert.match(reported.fault ?? '', fault)
    assert.ok(reported.durationMs >= 1000 * least && reported.durationMs <= 1000 * most, `${reported.durationMs} ms`)
    assert.ok(isCounting(pcmIn(spoken.path)), 'clean as far as it goes')
    const again = await library.speak(asker('call-2'), { text: `${fault}` })
    assert.ok(again.growing !== undefined, 'it was not kept')
    library.close()
  }
})

test('Piper: a long text in pieces, the first one short, others have their turn between them', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  const { library } = bed(context, counting(context.folder, 1), { piper: piperOf(context, voices) })
  await library.speak(asker('call-0'), { text: 'Ready.', voice: `piper:${voice}` })
  voices.misbehave('slow')
  const text = sentence.repeat(20)
  const begun = performance.now()
  const spoken = await library.speak(asker('call-1'), { text, voice: `piper:${voice}` })
  assert.ok(performance.now() - begun < 2000, 'the first piece alone was waited for')
  assert.ok(spoken.durationMs < 6000, `${spoken.durationMs} ms`)
  const other = await library.speak(asker('call-2'), { text: 'Habari.', voice: `piper:${voice}` })
  assert.is(other.growing, undefined)
  assert.not(spoken.growing?.isOver, 'another call waits for a piece, not for the text')
  const { durationMs, fault } = await grown(spoken)
  assert.is(fault, undefined)
  // What is missing are the spaces between pieces.
  assert.ok(durationMs <= 60 * text.trim().length && durationMs > 60 * (text.length - 12), `${durationMs} ms`)
  assert.is(tonesOf(pcmIn(spoken.path), rate), '700')
  const kept = await library.speak(asker('call-3'), { text, voice: `piper:${voice}` })
  assert.equal([kept.growing, kept.durationMs], [undefined, Math.round(durationMs)])
  assert.equal(library.counters.piper, { spoken: 3, failed: 0, skipped: 0 })
})

test('Piper or a server that fails between two pieces: espeak-ng speaks the rest', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  const others = { piper: piperOf(context, voices), openai: openaiOf(context) }
  const { library } = bed(context, counting(context.folder, 20), others)
  for (const [name, break_, mend] of [
    [`piper:${voice}`, () => voices.misbehave('die'), () => voices.misbehave(undefined)],
    ['openai:alloy', () => (context.server.manner = 500), () => (context.server.manner = 'well')],
  ] as const) {
    const text = `${name} ${sentence.repeat(40)}`
    const spoken = await library.speak(asker('call-1'), { text, voice: name })
    break_()
    const { durationMs, fault } = await grown(spoken)
    mend()
    assert.is(fault, undefined)
    assert.ok(durationMs > spoken.durationMs + 19_000, `${durationMs} ms`)
    const pcm = pcmIn(spoken.path)
    const own = name.startsWith('piper') ? [rate, '700 other'] : [24_000, '1100 other']
    assert.is(tonesOf(pcm, Number(own[0])), own[1])
    const engine = name.split(':')[0]!
    assert.is(library.counters[engine]?.failed, 1)
    const again = await until('it to have expectAllEnded', async () => {
      const next = await library.speak(asker('call-2'), { text, voice: name })
      if (next.growing === undefined) return undefined
      return (await grown(next)).durationMs > 60 * (text.length - 20) ? next : undefined
    })
    assert.is(tonesOf(pcmIn(again.path), Number(own[0])), String(own[1]).split(' ')[0], 'what was mixed is not kept')
  }
})

test('a speech server is asked for a long text in pieces, and for others at once', async context => {
  const { library } = bed(context, counting(context.folder, 1), { openai: openaiOf(context) })
  await library.speak(asker('call-1'), { text: sentence.repeat(5), voice: 'openai:alloy' })
  assert.is(context.server.orders.length, 1)
  const long = sentence.repeat(80).trim()
  await grown(await library.speak(asker('call-1'), { text: long, voice: 'openai:alloy' }))
  const inputs = context.server.orders.slice(1).map(({ body }) => body.input)
  assert.is(inputs.join(' '), long)
  assert.ok(inputs.length > 3 && inputs[0]!.length <= 200 && inputs.every(input => input.length <= 2000))
})

test('no call plays it any more: the rest is not spoken and its file goes; another caller hears the whole text', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  const { library, cache, cacheFolder } = bed(context, counting(context.folder, 1), {
    piper: piperOf(context, voices),
    openai: openaiOf(context),
  })
  const text = sentence.repeat(80)
  context.server.manner = 'slow'
  const alone = await library.speak(asker('call-1'), { text, voice: 'openai:alloy' })
  library.leave('call-1')
  const { isWhole, fault } = await grown(alone)
  assert.ok(isWhole && fault !== undefined)
  assert.ok(context.server.orders.length <= 2, `${context.server.orders.length} requests`)
  await until('its file to go', () => readdirSync(cacheFolder).length === 0)
  assert.is(cache.bytes, 0)
  assert.equal(library.counters.openai, { spoken: 0, failed: 0, skipped: 0 }, 'it is not sick for that')
  const [one, two] = await Promise.all([
    library.speak(asker('call-1'), { text, voice: `piper:${voice}` }),
    library.speak(asker('call-2'), { text, voice: `piper:${voice}` }),
  ])
  assert.is(one.path, two.path)
  library.leave('call-1')
  const { durationMs } = await grown(two)
  assert.ok(durationMs > 60 * (text.length - 30))
  library.leave('call-2')
  await until('its own name to go', () => !existsSync(two.path))
  const kept = readdirSync(cacheFolder)
  assert.is(kept.length, 1)
  assert.is(cache.bytes, readFileSync(join(cacheFolder, kept[0]!)).length)
})

test('what grows counts in the cache while it does: others go, and when all was used just now it ends', async context => {
  const small = new AudioCache({ folder: join(context.folder, 'small'), maxBytes: 500_000 })
  const library = new SpeechLibrary({ engine: counting(context.folder, 60), cache: small, log: silentLog })
  context.closing.push(() => library.close())
  const { durationMs, fault } = await grown(await library.speak(asker('call-1'), { text: 'a' }))
  assert.match(fault ?? '', /is full/)
  assert.ok(small.bytes <= 1_000_000 && durationMs < 25_000)
})

test.run()
