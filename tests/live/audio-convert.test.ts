import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AssetAudio } from '../../core/adapters/audio/asset-audio.ts'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { AudioConverter } from '../../core/adapters/audio/audio-converter.ts'
import { inspectAudio } from '../../core/adapters/audio/index.ts'
import { UrlAudio } from '../../core/adapters/audio/url-audio.ts'
import type { HttpClient } from '../../core/adapters/http/index.ts'
import { QueueFull } from '../../core/adapters/queue/fair-queue.ts'
import type { OpusEncoder } from '../../rtp/codec/opus.ts'
import { decodeWav, parseWav } from '../../rtp/index.ts'
import { LibOpus, RecordingFiles } from '../../rtp/io/index.ts'
import { oggChecksum } from '../../rtp/ogg/page.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { seeded } from '../core/bed/seeded.ts'
import { until } from '../rig/probes/wait.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import { oggFile } from '../rtp/ogg/ogg-pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-convert-'))
const converter = new AudioConverter()
test.after(() => {
  converter.close()
  rmSync(folder, { recursive: true })
})

/** A sine of 700 Hz as Ogg Opus, so many times. */
const oggOf = async (seconds: number, times = 1): Promise<Uint8Array> => {
  const encoder = await new Promise<OpusEncoder | undefined>(resolve =>
    new LibOpus().encoder({ sampleRate: 48_000, bitrate: 32_000, fec: false, dtx: false, anySound: true }, resolve),
  )
  assert.ok(encoder)
  const pcm = sine(700, seconds * 48_000 + 960, 48_000)
  const into = new Uint8Array(1300)
  const packets: Uint8Array[] = []
  for (let at = 0; at + 960 <= pcm.length; at += 960) {
    packets.push(into.slice(0, encoder.encodeInto(into, 0, pcm, at, 960)))
  }
  encoder.free()
  const all = Array.from({ length: times }, () => packets).flat()
  return oggFile(all, { units: seconds * times * 48_000 + 312 })
}

/** Programs that this process has started. */
const children = (): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
const isAtWork = (pid: number): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('convert-audio')

const levelOf = (pcm: Int16Array): number => Math.sqrt(pcm.reduce((sum, sample) => sum + sample ** 2, 0) / pcm.length)

/** The first packet of sound says that its first part goes beyond its end. */
function truncatedFirst(file: Buffer): Uint8Array {
  const page = file.indexOf('OggS', file.indexOf('OpusTags'))
  const content = page + 27 + file[page + 26]!
  file.set([0xff, 0xff], content + 1)
  const length = file.indexOf('OggS', page + 4) - page
  file.writeUInt32LE(oggChecksum(file, page, length), page + 22)
  return file
}

/** Frames of MPEG 1 layer 3, 128 kbit/s, 44,100 Hz, mono, that hold nothing: 1152 samples of silence each. */
const silentMp3 = (frames: number): Uint8Array => {
  const frame = new Uint8Array(417)
  frame.set([0xff, 0xfb, 0x90, 0xc4])
  return new Uint8Array(Buffer.concat(new Array<Uint8Array>(frames).fill(frame)))
}
const wavAt = (path: string): { pcm: Int16Array; rate: number } => {
  const bytes = readFileSync(path)
  const parsed = parseWav(bytes)
  assert.ok(parsed.ok)
  assert.is(parsed.value.dataLength, bytes.length - parsed.value.dataFrom)
  return { pcm: decodeWav(bytes, parsed.value), rate: parsed.value.sampleRate }
}

test('an Ogg that was cut off gives what was whole, and streams chained in one follow one another', async () => {
  const [one, two] = [await oggOf(1), await oggOf(2)]
  const both = new Uint8Array(Buffer.concat([one, two]))
  assert.equal(await converter.convert('a', both, join(folder, 'both.wav')), { durationMs: 3000 })
  const { pcm, rate } = wavAt(join(folder, 'both.wav'))
  assert.is(pcm.length, 3 * rate)
  for (let at = 0; at + rate / 10 <= pcm.length; at += rate / 10) {
    assert.ok(levelOf(pcm.subarray(at, at + rate / 10)) > 1000, `${at / rate} s`)
  }
  // Its pages hold a second each.
  const cut = await converter.convert('a', two.slice(0, two.length - 700), join(folder, 'cut.wav'))
  assert.ok('durationMs' in cut && cut.durationMs >= 900 && cut.durationMs < 2000, JSON.stringify(cut))
  const junk = new Uint8Array(Buffer.concat([one, Buffer.from('OggS and no more')]))
  assert.equal(await converter.convert('a', junk, join(folder, 'junk.wav')), { durationMs: 1000 })
})

test('Ogg Opus becomes a WAV of the same length and sound', async () => {
  const path = join(folder, 'tone.wav')
  const reported = await converter.convert('a', await oggOf(2), path)
  assert.equal(reported, { durationMs: 2000 })
  const { pcm, rate } = wavAt(path)
  assert.is(rate, 24_000)
  assert.is(pcm.length, 48_000)
  assert.ok(Math.abs(levelAt(pcm, 12_000, 24_000, 700, rate) - levelAt(sine(700, 8000, 8000), 0, 8000, 700, 8000)) < 1)
})

test('a recording of two people, each on a channel of their own, becomes a WAV of both', async () => {
  const path = join(folder, 'two.ogg')
  const sink = new RecordingFiles().open(path, 2)
  const [one, two] = [sine(500, 16_000, 8000), sine(1300, 16_000, 8000)]
  const pcm = Int16Array.from({ length: 32_000 }, (_, i) => (i % 2 === 0 ? one : two)[i >> 1]!)
  sink.write(pcm, 0, pcm.length)
  await new Promise<void>(done => sink.close(pcm.length, () => done()))
  const reported = await converter.convert('a', readFileSync(path), join(folder, 'two.wav'))
  assert.equal(reported, { durationMs: 2000 })
  const both = wavAt(join(folder, 'two.wav'))
  // The mean of both: each is 6 dB down.
  const alone = levelAt(one, 0, 8000, 500, 8000) - 6
  for (const hz of [500, 1300]) {
    const level = levelAt(both.pcm, 12_000, 24_000, hz, both.rate)
    assert.ok(Math.abs(level - alone) < 1, `${hz} Hz: ${level} dBm0`)
  }
  // A packet whose first half says that it is longer than the whole.
  const broken = Buffer.from(readFileSync(path))
  const reported2 = await converter.convert('a', truncatedFirst(broken))
  assert.ok('ok' in reported2 && reported2.code === 'PLAY.0400', JSON.stringify(reported2))
})

test('an MP3 becomes a WAV of no more than 24,000 Hz', async () => {
  const path = join(folder, 'silent.wav')
  const reported = await converter.convert('a', silentMp3(100), path)
  assert.ok(!('ok' in reported), JSON.stringify(reported))
  assert.ok(Math.abs(reported.durationMs - 2612) < 60, `${reported.durationMs}`)
  const { pcm, rate } = wavAt(path)
  assert.is(rate, 24_000)
  assert.ok(pcm.every(sample => Math.abs(sample) <= 2))
})

test('an upload is recognized by its bytes, and has its real duration', async () => {
  const kinds = []
  for (const bytes of [await oggOf(1), silentMp3(39)]) {
    const found = await inspectAudio(bytes)
    kinds.push(found.ok && [found.mediaFormat, Math.round(found.durationSeconds)])
  }
  assert.equal(kinds, [
    ['ogg', 1],
    ['mp3', 1],
  ])
})

test('damaged, foreign and hostile files are refused, and leave no file', async () => {
  const random = seeded(5)
  const ogg = await oggOf(1)
  const damaged = ogg.map((byte, at) => (at > 200 && at % 40 === 0 ? byte ^ 0x55 : byte))
  const rubbish = Uint8Array.from({ length: 50_000 }, () => random.below(256))
  const rows: [bytes: Uint8Array, code: RegExp][] = [
    [damaged, /^PLAY\.0400$/],
    [ogg.slice(0, 3000), /^PLAY\.0400$/],
    [oggFile([], { head: Uint8Array.from(Buffer.from('\x01vorbis.............')) }), /^PLAY\.0415$/],
    [Uint8Array.from([0xff, 0xfb, ...rubbish]), /^PLAY\.04(00|15)$/],
    [Uint8Array.from([...Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f'), ...rubbish]), /^PLAY\.0400$/],
    // An hour and a minute.
    [oggFile(new Array<Uint8Array>(30_500).fill(Uint8Array.of(0xfb, 6, 0, 0, 0, 0, 0, 0))), /^PLAY\.0413$/],
  ]
  await Promise.all(
    rows.map(async ([bytes, code], n) => {
      const path = join(folder, `refused-${n}`)
      const cache = new AudioCache({ folder: join(folder, `cache-${n}`), maxBytes: 1e9 })
      const reported = await cache.make('a', '0'.repeat(64), part => converter.convert('a', bytes, part))
      assert.ok('ok' in reported, `${n}`)
      assert.match(reported.code, code, `${n}: ${reported.detail}`)
      assert.equal(readdirSync(join(folder, `cache-${n}`)), [])
      assert.not.ok(existsSync(path))
    }),
  )
})

test('a URL and an asset are converted once, for all who want them at the same time', async () => {
  const body = await oggOf(1)
  const cache = new AudioCache({ folder: join(folder, 'urls'), maxBytes: 1e9 })
  const http = {
    get: async (_url: string, { eachPiece }: Parameters<HttpClient['get']>[1]) => {
      await eachPiece?.(body)
      return { ok: true, status: 200, contentType: 'text/plain', etag: '', location: '', body } as const
    },
  }
  const urls = new UrlAudio(http, cache, converter)
  const [one, two] = await Promise.all([urls.load('a', 'http://a.test/1'), urls.load('b', 'http://a.test/1')])
  assert.equal(one, two)
  assert.ok(!('ok' in one) && one.durationMs === 1000)
  assert.is(readdirSync(join(folder, 'urls')).length, 1)

  const path = join(folder, 'asset')
  writeFileSync(path, body)
  const assets = new AssetAudio(new AudioCache({ folder: join(folder, 'assets'), maxBytes: 1e9 }), converter)
  const file = { path, durationMs: 1000, mediaFormat: 'ogg' }
  const [first, second] = await Promise.all([assets.load('a', file), assets.load('b', file)])
  assert.equal(first, second)
  assert.ok(!('ok' in first))
  assert.is(wavAt(first.path).pcm.length, 24_000)
  assert.equal(await assets.load('a', file), first)
  assert.is(readdirSync(join(folder, 'assets')).length, 1)
  // Another upload under the same name.
  writeFileSync(path, await oggOf(2))
  const other = await assets.load('a', file)
  assert.ok(!('ok' in other) && other.durationMs === 2000)
})

test('an account converts one file at a time, and has so many waiting; another one does not wait for it', async () => {
  const own = new AudioConverter()
  const [short, long] = [await oggOf(1), await oggOf(1, 600)]
  let over = 0
  const first = own.convert('a', long).finally(() => over++)
  const second = own.convert('a', long).finally(() => over++)
  const waiting = Array.from({ length: 70 }, () => own.convert('a', long).catch((fault: unknown) => fault))
  const other = await own.convert('b', short)
  assert.ok(!('ok' in other), JSON.stringify(other))
  assert.is(over, 0)
  const refused = await Promise.race(waiting.slice(-1))
  assert.instance(refused, QueueFull)
  own.close()
  await Promise.all([first, second, ...waiting])
})

test('the program that converts has less priority than the calls', async () => {
  if (process.platform !== 'linux') return
  const own = new AudioConverter()
  const converted = own.convert('a', await oggOf(1, 600))
  await until(
    'a program of low priority',
    () => children().some(pid => isAtWork(pid) && getPriority(pid) === 10),
    30_000,
  )
  own.close()
  await converted
})

test('after close nothing runs on', async () => {
  const own = new AudioConverter()
  const reported = own.convert('a', await oggOf(1), join(folder, 'never'))
  own.close()
  const fault = await reported
  assert.ok('ok' in fault && fault.code === 'PLAY.0400')
})

test.run()
