import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { SpeechFault, type SpeechJob } from '../../core/adapters/audio/speech-engine.ts'
import { type Mischief, PiperVoices } from '../rig/fakes/piper-voices.ts'
import { until } from '../rig/probes/wait.ts'
import { bed, givenUpMs, piperOf, shortPatienceMs, speechSuite, text, voice } from './speech-bed.ts'

const test = speechSuite('Piper')

const firstOf = (job: SpeechJob) => job.speak(new AbortController().signal).next()

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
  const { counters } = library
  assert.is((await speak({ voice: `piper:${voice}` })).path, first.path)
  assert.equal(library.counters, counters, 'what was spoken once is not spoken again')
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
    const piper = piperOf(context, voices, { patienceMs: shortPatienceMs })
    const { speak, library, reported, rest } = bed(context, { piper })
    assert.is((await speak({ text: `${how} one`, voice: `piper:${voice}` })).hz, 700)
    voices.misbehave(how)
    const spoken = await speak({ text: `${how} two`, voice: `piper:${voice}` })
    assert.equal([spoken.hz, spoken.unknownVoice], [440, undefined], how)
    assert.ok(spoken.tookMs < givenUpMs, `${how}: ${spoken.tookMs} ms`)
    assert.match(reported.join('\n'), /speech engine failed piper: /)
    // While it is paused no call waits for it.
    const other = await speak({ text: `${how} three`, voice: `piper:${voice}` })
    assert.is(other.hz, 440)
    assert.equal(library.counters.piper, { spoken: 1, failed: 1, skipped: 1 }, how)
    voices.misbehave(undefined)
    rest(1000)
    assert.is((await speak({ text: `${how} four`, voice: `piper:${voice}` })).hz, 700, how)
    assert.ok(reported.includes('speech engine works again'))
    assert.is(voices.starts.length, 2)
    assert.equal(library.counters.piper, { spoken: 2, failed: 1, skipped: 1 })
  }
  await Promise.all((['die', 'hang', 'babble', 'torn'] as const).map(mended))
})

test('Piper that is missing, or another program of that name: reported, and the next engine speaks', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  for (const [command, why] of [
    [join(context.folder, 'nothing'), /ENOENT/],
    ['/bin/true', /is no Piper/],
    ['/bin/false', /exit 1/],
  ] as const) {
    const { speak, reported } = bed(context, { piper: piperOf(context, voices, { command }) })
    assert.is((await speak({ voice: `piper:${voice}` })).hz, 440)
    assert.match(reported.join('\n'), why)
    rmSync(join(context.folder, 'speech'), { recursive: true })
  }
})

test('Piper: no more than four models are loaded, idle ones go, a new model under an old name is another voice', async context => {
  const names = Array.from({ length: 6 }, (_, n) => `sw_CD-v${n}-low`)
  const voices = new PiperVoices(join(context.folder, 'voices'), names, { loadMs: 1 })
  const many = piperOf(context, voices)
  const one = bed(context, { piper: many })
  for (const name of names) await one.speak({ voice: `piper:${name}` })
  assert.is(many.loaded, 4)
  const piper = piperOf(context, voices, { idleMs: 200 })
  const { speak } = bed(context, { piper })
  await speak({ text: 'Kwaheri.', voice: `piper:${names[0]}` })
  assert.is(piper.loaded, 1)
  await until('the idle one to go', () => piper.loaded === 0)
  const before = voices.starts.length
  await speak({ voice: `piper:${names[0]}` })
  assert.is(voices.starts.length, before, 'from the cache')
  writeFileSync(join(voices.folder, `${names[0]}.onnx`), 'a longer model')
  assert.is((await speak({ voice: `piper:${names[0]}` })).hz, 700)
  assert.is(voices.starts.length, before + 1)
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
  await until('it to load', () => voices.starts.length === 1)
  piper.close()
  assert.instance(await spoken, SpeechFault)
  assert.instance(await firstOf(job!).catch(error => error), SpeechFault)
})

test.run()
