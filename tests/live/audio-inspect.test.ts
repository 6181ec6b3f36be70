import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inspectAudio } from '../../core/adapters/audio/index.ts'
import { inspectWav } from '../../core/adapters/audio/inspect-audio.ts'
import { seeded } from '../core/bed/seeded.ts'
import { wavAttacks } from '../fixtures/wav-attacks.ts'

const minWavRateHz = 4000

const files = wavAttacks()
const bytesOf = (file: string) => Buffer.from(files[file]!.bytes)

test('the verdict on every hostile file, in no time', async () => {
  for (const [file, { bytes, plays, durationMs }] of Object.entries(files)) {
    // An MP3 is tried in a process of its own.
    const mostMs = file.includes('mp3') ? 5000 : 100
    let found = await inspectAudio(bytes)
    let leastMs = Number.POSITIVE_INFINITY
    // A file that takes long does so each time; beside other tests any file may wait once.
    for (let tries = 0; tries < 3 && leastMs >= mostMs; tries++) {
      const started = performance.now()
      found = await inspectAudio(bytes)
      leastMs = Math.min(leastMs, performance.now() - started)
    }
    assert.ok(leastMs < mostMs, file)
    if (plays !== 'either') assert.is(found.ok, plays, file)
    if (durationMs !== undefined)
      assert.equal(found.ok && [found.mediaFormat, found.durationMs], ['wav', durationMs], file)
  }
})

test('seeded mutations of good files never throw and never last longer than they can', () => {
  const random = seeded(77)
  const seeds = ['ok-s16-8k.wav', 'ext-65534.wav', 'odd-chunk.wav', 'alaw.wav'].map(bytesOf)
  for (let round = 0; round < 20_000; round++) {
    const bytes = Uint8Array.from(random.pick(seeds).subarray(0, 60 + random.below(600)))
    for (let change = 0; change < 3; change++) bytes[random.below(60)] = random.below(256)
    const found = inspectWav(bytes.subarray(0, random.below(bytes.length + 1)))
    // At least one byte a sample, and the lowest rate that is read.
    if (found.ok) assert.ok(found.durationMs <= (1000 * bytes.length) / minWavRateHz + 1)
  }
})

test('files that are no playable audio are recognized by their bytes', async () => {
  const codeOf = async (...bytes: number[]) => {
    const found = await inspectAudio(Uint8Array.from(bytes))
    return found.ok ? 'ok' : `${found.code} ${found.detail}`
  }
  const played = 'WAV, MP3 and Ogg Opus are played'
  assert.is(await codeOf(), `PLAY.0415 it is empty; ${played}`)
  assert.is(await codeOf(...Buffer.from('fLaC....')), `PLAY.0415 it is FLAC; ${played}`)
  assert.is(await codeOf(...Buffer.from('<!doctype html>')), `PLAY.0415 it is no audio; ${played}`)
  assert.is(await codeOf(...Buffer.from('RIFF....AVI LIST')), `PLAY.0415 it is no audio; ${played}`)
  assert.match(await codeOf(...Buffer.from('RIFF....WAVEfmt ')), /^PLAY\.0400/)
  assert.match(await codeOf(...Buffer.from('OggS')), /^PLAY\.0400 the Ogg ends/)
  assert.match(await codeOf(...Buffer.from('ID3')), /^PLAY\.0400 the MP3 holds no audio/)
  assert.match(await codeOf(0xff, 0xfb), /^PLAY\.0400 the MP3 holds no audio/)
})

test.run()
