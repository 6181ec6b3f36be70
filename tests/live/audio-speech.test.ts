import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { EspeakEngine, type EspeakProgram, npmEspeak, systemEspeak } from '../../core/adapters/audio/espeak.ts'
import { SpeechLibrary } from '../../core/adapters/audio/speech-library.ts'
import { spokenWav } from '../../core/adapters/audio/spoken-wav.ts'
import type { Log } from '../../core/ports/log.ts'
import { asker } from './speech-bed.ts'

const test = suite<{ folder: string }>('speech', { folder: '' })
test.before.each(context => {
  context.folder = mkdtempSync(join(tmpdir(), 'sauti-speech-'))
})
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }))

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} }
const libraryOf = (folder: string, programs?: readonly EspeakProgram[], timeoutMs = 20_000) => {
  const engine = new EspeakEngine({ log: quiet, timeoutMs, ...(programs === undefined ? {} : { programs }) })
  return new SpeechLibrary({
    engine,
    cache: new AudioCache({ folder: join(folder, 'speech'), maxBytes: 100_000_000 }),
    log: quiet,
  })
}
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'spoke',
    (error: Error) => error.message,
  )

/** A program that behaves like espeak-ng up to the point where `script` takes over. Counts its starts in a file. */
const pretender = (folder: string, script: string): EspeakProgram => {
  const listing = 'Pty Language Age/Gender VoiceName File\\n 5 sw --/M Swahili bnt/sw\\n 2 en-gb --/M English gmw/en\\n'
  const file = join(folder, 'pretender.mjs')
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs'
    const args = process.argv.slice(2)
    if (args.includes('--voices')) { process.stdout.write(${JSON.stringify(listing)}.replaceAll('\\\\n', '\\n')); process.exit(0) }
    appendFileSync(${JSON.stringify(join(folder, 'starts'))}, JSON.stringify([args, readFileSync(0, 'utf8')]) + '\\n')
    const starts = readFileSync(${JSON.stringify(join(folder, 'starts'))}, 'utf8').trim().split('\\n').length
    const header = Buffer.from('52494646ffffffff57415645666d742010000000010001002256000044ac00000200100064617461ffffffff', 'hex')
    ${script}`,
  )
  return { label: 'pretender', command: process.execPath, args: [file] }
}
const speaking = 'process.stdout.write(Buffer.concat([header, Buffer.alloc(44101)]))'
const startsOf = (folder: string): [args: string[], input: string][] =>
  readFileSync(join(folder, 'starts'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

const hasSystem = await new EspeakEngine({ log: quiet, programs: [systemEspeak] }).prepare({ text: '' }).then(
  () => true,
  () => false,
)
if (!hasSystem) process.stdout.write('! espeak-ng of the system is missing: only the one from npm is tried\n')

for (const program of hasSystem ? [systemEspeak, npmEspeak] : [npmEspeak]) {
  test(`${program.label} speaks English and Swahili, and what it spoke is not spoken again`, async ({ folder }) => {
    const library = libraryOf(folder, [program])
    const english = await library.speak(asker('call-1'), { text: 'Good morning, and welcome.' })
    const swahili = await library.speak(asker('call-1'), { text: 'Habari ya asubuhi, karibu.', language: 'sw-KE' })
    assert.is.not(english.path, swahili.path)
    assert.is(english.unknownVoice, undefined)
    for (const { path, durationMs } of [english, swahili]) {
      assert.ok(durationMs > 800 && durationMs < 5000, `${durationMs} ms`)
      const wav = readFileSync(path)
      assert.is(wav.readUInt32LE(4), wav.length - 8)
      assert.is(wav.readUInt32LE(40), wav.length - 44)
      assert.is(wav.readUInt16LE(22), 1)
      const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))
      assert.ok(samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) > 3000, 'it is silent')
    }
    const { ino } = statSync(english.path)
    assert.equal(await library.speak(asker('call-2'), { text: 'Good morning, and welcome.' }), english)
    assert.is(statSync(english.path).ino, ino, 'spoken again')
    assert.is(readdirSync(join(folder, 'speech')).length, 2)
  })

  test(`${program.label}: an unknown voice is reported and the default speaks`, async ({ folder }) => {
    const spoken = await libraryOf(folder, [program]).speak(asker('call-1'), { text: 'Hello', voice: 'Polly.Joanna' })
    assert.is(spoken.unknownVoice, 'Polly.Joanna')
    assert.ok(spoken.durationMs > 200)
  })

  test(`${program.label} honours markup: a break lasts as long as it says`, async ({ folder }) => {
    const library = libraryOf(folder, [program])
    const plain = await library.speak(asker('call-1'), { text: 'one two', ssml: '<speak>one two</speak>' })
    const paused = await library.speak(asker('call-1'), {
      text: 'one two',
      ssml: '<speak>one <break time="3s"/> two</speak>',
    })
    assert.ok(paused.durationMs - plain.durationMs > 2500, `${paused.durationMs} against ${plain.durationMs}`)
  })

  test(`${program.label}: breaks of parts of a second, before the first word, one after another, and alone`, async ({
    folder,
  }) => {
    const library = libraryOf(folder, [program])
    const lasts = async (inside: string, text = 'one two') =>
      (await library.speak(asker('call-1'), { text, ssml: `<speak>${inside}</speak>` })).durationMs
    const plain = await lasts('one two')
    const rows: [inside: string, breaksMs: number, text?: string][] = [
      ['one<break time="2.5s"/>two', 2500],
      ['one<break time="+.5s"/>two', 500],
      ['one<break time="2500.4ms" strength="none"/>two', 2500],
      ['<break time="2s"/>one two', 2000],
      ['one<break time="2s"/> <break time="2s"/>two', 4000],
      ['one two<break time="2s"/><break time="1s"/>', 3000],
      ['<break time="3s"/>', 3000 - plain, ' '],
    ]
    await Promise.all(
      rows.map(async ([inside, breaksMs, text]) => {
        const longer = (await lasts(inside, text)) - plain
        assert.ok(Math.abs(longer - breaksMs) < 400, `${inside}: ${longer} ms longer`)
      }),
    )
  })
}

test('text reaches the engine by pipe only, without its command characters', async ({ folder }) => {
  const library = libraryOf(folder, [pretender(folder, speaking)])
  const text = '--help $(touch x) `y` ; | "q" [[h@loU]] \u0001+5S a\nb'
  await library.speak(asker('call-1'), { text, language: 'sw' })
  const ssml = '<speak><say-as interpret-as="digits">12</say-as></speak>'
  await library.speak(asker('call-1'), { text: '12', ssml, voice: '../../etc/passwd' })
  assert.equal(startsOf(folder), [
    [['-b', '1', '-v', 'sw', '--stdin', '--stdout'], '--help $(touch x) `y` ; | "q" [ [h@loU]]  +5S a b'],
    [
      ['-b', '1', '-v', 'en-gb', '--stdin', '--stdout', '-m'],
      '<speak><say-as interpret-as="tts:digits">12</say-as></speak>',
    ],
  ])
})

test('the same words asked for by many calls at once are spoken once', async ({ folder }) => {
  const library = libraryOf(folder, [pretender(folder, speaking)])
  const spoken = await Promise.all(
    Array.from({ length: 50 }, (_, at) => library.speak(asker(`call-${at}`), { text: 'Sorry.' })),
  )
  assert.is(new Set(spoken.map(({ path }) => path)).size, 1)
  assert.is(spoken[0]?.durationMs, 1000)
  assert.is(startsOf(folder).length, 1)
})

test('an engine that dies is started again, once', async ({ folder }) => {
  const library = libraryOf(folder, [
    pretender(folder, `if (starts === 1) process.kill(process.pid, 'SIGKILL'); ${speaking}`),
  ])
  assert.is((await library.speak(asker('call-1'), { text: 'a' })).durationMs, 1000)
  assert.is(startsOf(folder).length, 2)
})

test('an engine that keeps dying, stalls, floods or talks nonsense is a fault, and the next words are tried again', async ({
  folder,
}) => {
  const rows: [script: string, message: RegExp, starts: number][] = [
    [`console.error('out of luck'); process.exit(3)`, /exit 3 out of luck/, 2],
    ['setInterval(() => {}, 1000)', /more than 1.5 s/, 1],
    [
      'const chunk = Buffer.alloc(1e6); const more = () => process.stdout.write(chunk, more); more()',
      /no WAV that can be read/,
      1,
    ],
    [`process.stdout.write('<html>')`, /no WAV that can be read/, 1],
    ['process.stdout.write(header)', /no audio/, 1],
  ]
  for (const [script, message, starts] of rows) {
    rmSync(join(folder, 'starts'), { force: true })
    const library = libraryOf(folder, [pretender(folder, script)], 1500)
    assert.match(await messageOf(library.speak(asker('call-1'), { text: 'a' })), message)
    assert.is(startsOf(folder).length, starts, script)
  }
})

test('words that hang the engine wherever it runs hold up those of other calls no longer than words may take', async ({
  folder,
}) => {
  const script = `if (/hang/.test(readFileSync(${JSON.stringify(join(folder, 'starts'))}, 'utf8').trim().split('\\n').at(-1))) process.kill(process.pid, 'SIGSTOP'); ${speaking}`
  const library = libraryOf(folder, [pretender(folder, script)])
  const hanging = ['hang one', 'hang two', 'hang three'].map((text, at) =>
    messageOf(library.speak(asker(`call-${at}`), { text })),
  )
  const begun = performance.now()
  assert.is((await library.speak(asker('call-9'), { text: 'karibu' })).durationMs, 1000)
  const waitedMs = performance.now() - begun
  assert.ok(waitedMs > 2000 && waitedMs < 10_000, `${waitedMs} ms`)
  for (const message of await Promise.all(hanging)) assert.match(message, /took more than 3\.\d+ s/)
})

test('the next engine serves where the first is missing; with none it is a fault that mends itself', async ({
  folder,
}) => {
  const missing: EspeakProgram = { label: 'nothing', command: join(folder, 'nothing'), args: [] }
  const second = libraryOf(folder, [missing, pretender(folder, speaking)])
  assert.is((await second.speak(asker('call-1'), { text: 'a' })).durationMs, 1000)

  const late: EspeakProgram = { ...missing, command: process.execPath, args: [join(folder, 'late.mjs')] }
  const none = libraryOf(folder, [missing, late])
  assert.match(await messageOf(none.speak(asker('call-1'), { text: 'b' })), /no speech engine \(nothing: .*ENOENT/)
  pretender(folder, speaking)
  writeFileSync(join(folder, 'late.mjs'), readFileSync(join(folder, 'pretender.mjs')))
  assert.is((await none.speak(asker('call-1'), { text: 'b' })).durationMs, 1000)
})

test('closing ends what still runs', async ({ folder }) => {
  const library = libraryOf(folder, [pretender(folder, 'setInterval(() => {}, 1000)')])
  const first = messageOf(library.speak(asker('call-1'), { text: 'a' }))
  await new Promise(resolve => setTimeout(resolve, 300))
  library.close()
  assert.match(await first, /stopped|not started/)
  assert.match(await messageOf(library.speak(asker('call-1'), { text: 'b' })), /not started/)
})

test('the length that an engine guesses is put right', () => {
  const header = Buffer.from(
    '52494646ffffffff57415645666d742010000000010001002256000044ac00000200100064617461ffffffff',
    'hex',
  )
  const { bytes, durationMs } = spokenWav(Buffer.concat([header, Buffer.alloc(22_051)]))
  assert.is(bytes.length, 44 + 22_050)
  assert.is(durationMs, 500)
  assert.is(Buffer.from(bytes).readUInt32LE(40), 22_050)
  for (const length of [0, 10, 43, 44]) assert.throws(() => spokenWav(header.subarray(0, length)))
})

test.run()
