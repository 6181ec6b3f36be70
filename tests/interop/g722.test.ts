import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { G722Decoder } from '../../rtp/codec/g722.ts'
import { G722Encoder } from '../../rtp/index.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { speechLike } from '../rtp/bed/audio-measure.ts'

requirePeers('ffmpeg')

const rate = 16_000

const ffmpeg = (input: Uint8Array, ...args: readonly string[]): Uint8Array => {
  const run = spawnSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...args, 'pipe:1'], {
    input,
    maxBuffer: 64 * 1024 * 1024,
  })
  assert.is(run.status, 0, String(run.stderr))
  return run.stdout
}
const rawArgs = ['-f', 's16le', '-ar', String(rate), '-ac', '1']
const bytesOf = (pcm: Int16Array): Uint8Array => new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)

const random = seeded(722)
const signals: Readonly<Record<string, Int16Array>> = {
  speech: speechLike(10 * rate, rate, 11),
  'quiet speech': speechLike(4 * rate, rate, 12, 120),
  'swept sine and noise': Int16Array.from({ length: rate }, (_, i) =>
    Math.round(12_000 * Math.sin(i * i * 0.0001) + 4000 * (random() - 0.5)),
  ),
  'full-scale noise': Int16Array.from({ length: rate }, () => (random() < 0.5 ? -32_768 : 32_767)),
  silence: new Int16Array(rate),
}

for (const [name, pcm] of Object.entries(signals)) {
  test(`${name}: ffmpeg's coder writes the same bytes, its decoder the same samples`, () => {
    const bytes = new Uint8Array(pcm.length >> 1)
    new G722Encoder().encodeInto(bytes, 0, pcm, 0, pcm.length)
    const theirs = ffmpeg(bytesOf(pcm), ...rawArgs, '-i', 'pipe:0', '-c:a', 'g722', '-f', 'g722')
    assert.equal(Buffer.from(bytes), Buffer.from(theirs))
    const received = new Int16Array(pcm.length)
    new G722Decoder().decodeInto(received, 0, bytes, 0, bytes.length)
    const theirSamples = ffmpeg(bytes, '-f', 'g722', '-i', 'pipe:0', '-f', 's16le')
    assert.equal(Buffer.from(bytesOf(received)), Buffer.from(theirSamples))
  })
}

test('any bytes decode alike', () => {
  const bytes = Uint8Array.from({ length: 50_000 }, () => random() * 256)
  const received = new Int16Array(2 * bytes.length)
  new G722Decoder().decodeInto(received, 0, bytes, 0, bytes.length)
  assert.equal(Buffer.from(bytesOf(received)), Buffer.from(ffmpeg(bytes, '-f', 'g722', '-i', 'pipe:0', '-f', 's16le')))
})

test.run()
