import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioConverter } from '../../core/adapters/audio/audio-converter.ts'
import { inspectAudio } from '../../core/adapters/audio/index.ts'
import { decodeWav, parseWav, resample, wavHeader } from '../../rtp/index.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { delayOf, speechLike } from '../rtp/bed/audio-measure.ts'

requirePeers('ffmpeg')

const folder = mkdtempSync(join(tmpdir(), 'sauti-audio-'))
const converter = new AudioConverter()
test.after(() => {
  converter.close()
  rmSync(folder, { recursive: true })
})

const seconds = 4
const rate = 48_000
const pcm = speechLike(seconds * rate, rate, 31)
const wav = Buffer.concat([
  wavHeader({ encoding: 'pcm16', sampleRate: rate, channels: 1 }, pcm.byteLength),
  new Uint8Array(pcm.buffer),
])
const ffmpeg = (input: Uint8Array, from: readonly string[], to: readonly string[]): Uint8Array => {
  const args = ['-hide_banner', '-loglevel', 'error', ...from, '-i', 'pipe:0', ...to, 'pipe:1']
  const run = spawnSync('ffmpeg', args, { input, maxBuffer: 64 * 1024 * 1024 })
  assert.is(run.status, 0, String(run.stderr))
  return run.stdout
}
const encoded = (...args: readonly string[]): Uint8Array => ffmpeg(wav, [], args)
/** Fine enough that a filter's delay of part of a sample does not show. */
const compareRate = 24_000
/** What another program makes of a file; of Opus by libopus as well, ffmpeg's own decoder is not bit-exact. */
const decodedByFfmpeg = (name: string, bytes: Uint8Array): Int16Array => {
  const from = name === 'ogg' ? ['-c:a', 'libopus'] : []
  const to = ['-ac', '1', '-ar', String(compareRate), '-f', 's16le']
  return new Int16Array(new Uint8Array(ffmpeg(bytes, from, to)).buffer)
}

for (const [name, ...args] of [
  ['mp3', '-b:a', '64k', '-f', 'mp3'],
  ['mp3', '-ar', '44100', '-ac', '2', '-b:a', '128k', '-f', 'mp3'],
  ['mp3', '-ar', '22050', '-q:a', '5', '-f', 'mp3'],
  ['mp3', '-ar', '8000', '-b:a', '16k', '-id3v2_version', '3', '-metadata', 'title=Habari', '-f', 'mp3'],
  ['ogg', '-c:a', 'libopus', '-b:a', '32k', '-f', 'ogg'],
  ['ogg', '-c:a', 'libopus', '-ac', '2', '-b:a', '96k', '-frame_duration', '60', '-f', 'ogg'],
  ['ogg', '-c:a', 'libopus', '-ar', '16000', '-b:a', '16k', '-application', 'voip', '-f', 'opus'],
] as const) {
  test(`${name} by ffmpeg ${args.join(' ')}: the same audio as ffmpeg decodes`, async () => {
    const bytes = encoded(...args)
    const found = await inspectAudio(bytes)
    assert.ok(found.ok && found.mediaFormat === name, JSON.stringify(found))
    const wanted = decodedByFfmpeg(name, bytes)
    // A file without the note of its encoder's delay is longer by some frames.
    assert.ok(
      Math.abs(found.durationMs - (1000 * wanted.length) / compareRate) < 160,
      `${found.durationMs} ms, ${wanted.length} samples`,
    )
    assert.ok(Math.abs(found.durationMs - 1000 * seconds) < 250, `${found.durationMs} ms`)
    const path = join(folder, 'out.wav')
    const reported = await converter.convert('a', bytes, path)
    assert.ok(!('ok' in reported), JSON.stringify(reported))
    const file = readFileSync(path)
    const parsed = parseWav(file)
    assert.ok(parsed.ok)
    const received = resample(decodeWav(file, parsed.value), parsed.value.sampleRate, compareRate)
    const { likeness } = delayOf(wanted, received, 1200, 12_000, 24_000)
    assert.ok(likeness > 0.99, `likeness ${likeness.toFixed(4)}`)
    const said = delayOf(resample(pcm, rate, compareRate), received, 4800, 12_000, 24_000)
    assert.ok(said.likeness > 0.85, `likeness to what was said ${said.likeness.toFixed(3)}`)
  })
}

test('other codings are refused for what they are', async () => {
  for (const [args, code] of [
    [['-c:a', 'libvorbis', '-f', 'ogg'], 'PLAY.0415'],
    [['-c:a', 'flac', '-f', 'ogg'], 'PLAY.0415'],
    [['-c:a', 'flac', '-f', 'flac'], 'PLAY.0415'],
    [['-c:a', 'aac', '-f', 'adts'], 'PLAY.0415'],
  ] as const) {
    const found = await inspectAudio(encoded(...args))
    assert.ok(!found.ok && found.code === code, `${args.join(' ')}: ${JSON.stringify(found)}`)
  }
})

test.run()
