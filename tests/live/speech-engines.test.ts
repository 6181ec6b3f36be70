import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { speechUrl } from '../../core/adapters/audio/openai-speech.ts'
import { type SpeechEngine, SpeechFault } from '../../core/adapters/audio/speech-engine.ts'
import { PiperVoices } from '../rig/fakes/piper-voices.ts'
import { bed, givenUpMs, openaiOf, piperOf, shortPatienceMs, speechSuite, voice } from './speech-bed.ts'

const test = speechSuite('speech engines')

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
  const { speak } = bed(context, { openai: openaiOf(context, { patienceMs: shortPatienceMs }) })
  context.server.manner = 'stereo'
  const spoken = await speak({ text: 'both sides', voice: 'openai:alloy' })
  assert.equal([spoken.hz, spoken.durationMs, readFileSync(spoken.path).readUInt16LE(22)], [1100, 600, 1])
  assert.is((await speak({ text: 'both sides', voice: 'openai:alloy' })).path, spoken.path)
  assert.is(context.server.orders.length, 3, 'what was spoken once is not asked for again')
  context.server.manner = 'slow'
  assert.is(
    (await speak({ text: 'a longer text takes longer to be spoken. '.repeat(4), voice: 'openai:alloy' })).hz,
    1100,
  )
})

test('a speech server that hangs, fails, floods or talks nonsense: the next engine speaks', async context => {
  // One server, and a library for each: they are paused separately.
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
    const isPatient = !/^hang/.test(String(manner))
    const openai = openaiOf(context, isPatient ? {} : { patienceMs: shortPatienceMs })
    const { speak, reported, library } = bed(context, { openai })
    context.server.manner = manner
    const spoken = await speak({ text: `it does ${manner}`, voice: 'openai:alloy' })
    assert.equal([spoken.hz, spoken.unknownVoice], [440, undefined], `${manner}`)
    assert.ok(spoken.tookMs < givenUpMs, `${manner}: ${spoken.tookMs} ms`)
    assert.match(reported.join('\n'), why)
    assert.not.match(reported.join('\n'), /sk-secret/)
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

test('an engine that hangs delays no other: other voices speak at once, and so do the calls after it', async context => {
  const voices = new PiperVoices(join(context.folder, 'voices'), [voice])
  const { speak, library } = bed(context, {
    piper: piperOf(context, voices),
    openai: openaiOf(context, { patienceMs: 2000 }),
  })
  await speak({ text: 'load', voice: `piper:${voice}` })
  context.server.manner = 'hang'
  const stuck = Array.from({ length: 40 }, (_, n) => speak({ text: `stuck ${n}`, voice: 'openai:alloy' }))
  let ended = 0
  for (const one of stuck) one.finally(() => ended++)
  const others = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      speak({ text: `other ${n}`, voice: n % 2 === 0 ? `piper:${voice}` : 'espeak:sw' }),
    ),
  )
  assert.is(ended, 0, 'others need not wait until it is given up')
  assert.equal(
    others.map(({ hz }) => hz),
    others.map((_, n) => (n % 2 === 0 ? 700 : 440)),
  )
  const ends = await Promise.all(stuck)
  for (const { hz, tookMs } of ends) assert.ok(hz === 440 && tookMs < 3900, `${tookMs} ms`)
  // Sixteen hung at once; those after them did not wait for it once more.
  assert.equal(library.counters.openai, { spoken: 0, failed: 16, skipped: 24 })
})

test('without espeak-ng an engine that is paused after a failure is tried all the same', async context => {
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
