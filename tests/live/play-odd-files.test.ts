import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../core/adapters/audio/audio-cache.ts'
import { AudioConverter } from '../../core/adapters/audio/audio-converter.ts'
import { inspectAudio } from '../../core/adapters/audio/index.ts'
import { UrlAudio } from '../../core/adapters/audio/url-audio.ts'
import { HttpClient } from '../../core/adapters/http/index.ts'
import type { OpusEncoder } from '../../rtp/codec/opus.ts'
import { decodeWav, parseWav, wavHeader } from '../../rtp/index.ts'
import { LibOpus, PromptFiles } from '../../rtp/io/index.ts'
import { delimitInto } from '../../rtp/ogg/self-delimited.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { rawServer } from '../core/bed/raw-server.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import { oggFile, opusHead } from '../rtp/ogg/ogg-pages.ts'

// Files as people have them, which are not quite what they should be.
const folder = mkdtempSync(join(tmpdir(), 'sauti-odd-'))
const converter = new AudioConverter()
test.after(() => {
  converter.close()
  rmSync(folder, { recursive: true })
})

const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const wavOf = (pcm: Int16Array, sampleRate = 8000) =>
  joined(wavHeader({ encoding: 'pcm16', sampleRate, channels: 1 }, pcm.byteLength), new Uint8Array(pcm.buffer))

/** An ID3v2 tag with a picture of that size. */
function id3(length: number, flags = 0): Uint8Array {
  const size = [21, 14, 7, 0].map(shift => (length >> shift) & 0x7f)
  const tag = Uint8Array.from([...Buffer.from('ID3'), 4, 0, flags, ...size])
  return joined(tag, new Uint8Array(length).fill(0xff), new Uint8Array(flags === 0x10 ? 10 : 0))
}

async function packetsOf(hz: number, seconds: number): Promise<Uint8Array[]> {
  const settings = { sampleRate: 48_000, bitrate: 32_000, fec: false, dtx: false, anySound: true } as const
  const encoder = await new Promise<OpusEncoder | undefined>(done => new LibOpus().encoder(settings, done))
  assert.ok(encoder)
  const pcm = sine(hz, seconds * 48_000 + 960, 48_000)
  const into = new Uint8Array(1300)
  const packets: Uint8Array[] = []
  for (let at = 0; at + 960 <= pcm.length; at += 960)
    packets.push(into.slice(0, encoder.encodeInto(into, 0, pcm, at, 960)))
  encoder.free()
  return packets
}

function wavAt(path: string): { pcm: Int16Array; rate: number } {
  const bytes = readFileSync(path)
  const parsed = parseWav(bytes)
  assert.ok(parsed.ok)
  return { pcm: decodeWav(bytes, parsed.value), rate: parsed.value.sampleRate }
}

/** As Play has it by a URL. */
async function played(name: string, body: Uint8Array, headers = '') {
  const server = await rawServer(({ socket }) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n`
    socket.write(Buffer.concat([Buffer.from(head), body]))
  })
  const client = new HttpClient({ allowPrivateUrls: true })
  try {
    const cache = new AudioCache({ folder: join(folder, name), maxBytes: 1e9 })
    return await new UrlAudio(client, cache, converter).load('a', server.url('/sound'))
  } finally {
    await client.close()
    await server.close()
  }
}

test('a tag before a WAV or an Ogg is passed over, whatever its size', async () => {
  const pcm = sine(700, 8000, 8000)
  const ogg = oggFile(await packetsOf(700, 1), { units: 48_312 })
  for (const [name, tag] of [
    ['short', id3(300)],
    ['picture', id3(200_000)],
    ['footer', id3(500, 0x10)],
    ['two', joined(id3(20), id3(30))],
  ] as const) {
    const wav = await played(`wav-${name}`, joined(tag, wavOf(pcm)))
    assert.ok(!('ok' in wav), JSON.stringify(wav))
    assert.is(wav.durationMs, 1000)
    assert.equal(wavAt(wav.path).pcm, pcm)
    const prompt = await new Promise(done => new PromptFiles({ opus: new LibOpus() }).load(wav.path, 'PCMU', 1, done))
    assert.is((prompt as { bytes: Uint8Array }).bytes.length, 8000, `${name}: media plays it so`)
    const reported = await played(`ogg-${name}`, joined(tag, ogg))
    assert.ok(!('ok' in reported), JSON.stringify(reported))
    assert.is(reported.durationMs, 1000)
    const asset = await inspectAudio(joined(tag, wavOf(pcm)))
    assert.ok(asset.ok && asset.mediaFormat === 'wav' && asset.durationMs === 1000)
  }
  const flac = await played('flac', joined(id3(50), Buffer.from('fLaC and so on')))
  assert.ok('ok' in flac && flac.code === 'PLAY.0415' && /FLAC/.test(flac.detail))
})

test('a body that came compressed is played; one that is a compressed file is refused for that', async () => {
  const pcm = sine(700, 8000, 8000)
  const gzip = gzipSync(wavOf(pcm))
  const reported = await played('gzip', gzip, 'Content-Encoding: gzip\r\n')
  assert.ok(!('ok' in reported), JSON.stringify(reported))
  assert.equal(wavAt(reported.path).pcm, pcm)
  const file = await played('gzip-file', gzip)
  assert.ok('ok' in file && file.code === 'PLAY.0415' && /gzip/.test(file.detail))
  const bomb = await played(
    'bomb',
    gzipSync(joined(wavOf(pcm).subarray(0, 44), new Uint8Array(25_000_000))),
    'Content-Encoding: gzip\r\n',
  )
  assert.ok('ok' in bomb && bomb.code === 'PLAY.0413', JSON.stringify(bomb))
})

test('an Ogg that lacks a page, or has a damaged one, keeps its time: the gap fades into silence', async () => {
  const seconds = 4
  const whole = oggFile(await packetsOf(700, seconds), { units: seconds * 48_000 + 312 })
  const starts = [...Buffer.from(whole).toString('latin1').matchAll(/OggS/g)].map(({ index }) => index)
  const without = joined(whole.subarray(0, starts[4]), whole.subarray(starts[5]!))
  const damaged = whole.map((byte, at) => (at === starts[4]! + 300 ? byte ^ 0x40 : byte))
  for (const [name, bytes] of [
    ['without', without],
    ['damaged', damaged],
  ] as const) {
    const path = join(folder, `${name}.wav`)
    assert.equal(await converter.convert('a', bytes, path), { durationMs: 1000 * seconds })
    const { pcm, rate } = wavAt(path)
    const levels = Array.from({ length: 10 * seconds }, (_, at) =>
      levelAt(pcm, (at * rate) / 10, rate / 10, 700, rate) > -20 ? 1 : 0,
    ).join('')
    // The pages hold a second each; the concealment from the audio before lasts a moment.
    assert.match(levels, /^1{20,21}0{8,10}1{9,11}$/, `${name}: ${levels}`)
  }
})

test('Ogg Opus of six channels is mixed without its low-frequency channel', async () => {
  const tones = [500, 700, 1100, 1500]
  const streams = await Promise.all(tones.map(hz => packetsOf(hz, 1)))
  const packets = streams[0]!.map((_, at) => {
    const packet = new Uint8Array(4 * 1300)
    let length = 0
    for (const [n, stream] of streams.entries()) {
      const own = stream[at]!
      if (n < streams.length - 1) length += delimitInto(packet, length, own, own.length)
      else {
        packet.set(own, length)
        length += own.length
      }
    }
    return packet.slice(0, length)
  })
  const head = new Uint8Array(27)
  head.set(opusHead({ channels: 6, family: 1 }))
  head.set([4, 2, 0, 4, 1, 2, 3, 5], 19)
  const path = join(folder, 'six.wav')
  assert.equal(await converter.convert('a', oggFile(packets, { head, units: 48_312 }), path), { durationMs: 1000 })
  const { pcm, rate } = wavAt(path)
  const full = levelAt(sine(500, 8000, 8000), 0, 8000, 500, 8000)
  const [front, back, middle, rumble] = tones.map(hz => levelAt(pcm, rate / 4, rate / 2, hz, rate) - full)
  // Shares of 0.41 and 0.29.
  assert.ok(
    Math.abs(front! + 7.7) < 1 && Math.abs(back! + 10.7) < 1 && Math.abs(middle! + 10.7) < 1,
    `${front} ${back}`,
  )
  assert.ok(rumble! < -40, `${rumble} dB`)
  head.set([255], 18)
  const reported = await converter.convert('a', oggFile(packets, { head }), path)
  assert.ok('ok' in reported && reported.code === 'PLAY.0415' && /order of channels/.test(reported.detail))
  const vorbis = oggFile([], { head: Uint8Array.from(Buffer.from('\x01vorbis.............')) })
  const other = await converter.convert('a', vorbis, path)
  assert.ok('ok' in other && other.code === 'PLAY.0415' && /other than Opus/.test(other.detail))
})

/** Frames of MPEG 1 layer 3, 48,000 Hz, mono, of `length` bytes each, that hold nothing. */
const mp3Of = (frames: number, length: number, bitRateIndex: number): Uint8Array => {
  const frame = new Uint8Array(length)
  frame.set([0xff, 0xfb, (bitRateIndex << 4) | 0x04, 0xc4])
  return joined(...new Array<Uint8Array>(frames).fill(frame))
}

test('MP3 in free format is refused for what it is; one whose first bytes look like it is played', async () => {
  for (const [n, bytes] of [mp3Of(100, 384, 0), mp3Of(100, 1733, 0), joined(id3(100), mp3Of(100, 500, 0))].entries()) {
    const reported = await converter.convert('a', bytes, join(folder, `free-${n}.wav`))
    assert.ok(
      'ok' in reported && reported.code === 'PLAY.0415' && /free format/.test(reported.detail),
      JSON.stringify(reported),
    )
  }
  const plain = mp3Of(100, 384, 9)
  for (const bytes of [plain, joined(id3(300), plain), joined(Uint8Array.of(0xff, 0xfb, 0x04, 0xc4), plain)]) {
    const reported = await converter.convert('a', bytes, join(folder, 'plain.wav'))
    assert.ok(!('ok' in reported) && reported.durationMs > 2200, JSON.stringify(reported))
  }
})

test.run()
