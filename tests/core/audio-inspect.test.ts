import { existsSync, readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inspectAudio } from '../../core/adapters/audio/index.ts'
import { seeded } from './seeded.ts'

const minWavRateHz = 4000

// Reads ../shared/corpora/wav-attacks; says so and leaves those tests out where the folder is missing.
const folder = new URL('../../../shared/corpora/wav-attacks/', import.meta.url)

if (!existsSync(folder)) {
  process.stdout.write('! ../shared/corpora/wav-attacks is missing: its files are not tried\n')
} else {
  const manifest: { file: string; expect: string }[] = JSON.parse(
    readFileSync(new URL('MANIFEST.json', folder), 'utf8'),
  )
  const bytesOf = (file: string) => readFileSync(new URL(file, folder))

  test('the verdict on every file of the corpus, in no time', () => {
    for (const { file, expect } of manifest) {
      const bytes = bytesOf(file)
      const started = performance.now()
      const { ok } = inspectAudio(bytes)
      assert.ok(performance.now() - started < 100, file)
      if (expect === 'plays or reject cleanly') continue
      assert.is(ok, !expect.startsWith('reject'), `${file}: ${expect}`)
    }
  })

  test('lengths', () => {
    const rows: [file: string, durationMs: number][] = [
      ['ok-s16-8k.wav', 100],
      ['alaw.wav', 100],
      ['ulaw.wav', 100],
      ['48k-stereo.wav', 100],
      ['riff-0.wav', 100],
      ['riff-ffffffff.wav', 100],
      ['odd-chunk.wav', 100],
      ['ext-65534.wav', 10],
    ]
    for (const [file, durationMs] of rows) {
      const found = inspectAudio(bytesOf(file))
      assert.equal(found.ok && [found.mediaFormat, found.durationMs], ['wav', durationMs], file)
    }
  })

  test('seeded mutations of good files never throw and never last longer than they can', () => {
    const random = seeded(77)
    const seeds = ['ok-s16-8k.wav', 'ext-65534.wav', 'odd-chunk.wav', 'alaw.wav'].map(bytesOf)
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from(random.pick(seeds).subarray(0, 60 + random.below(600)))
      for (let change = 0; change < 3; change++) bytes[random.below(60)] = random.below(256)
      const found = inspectAudio(bytes.subarray(0, random.below(bytes.length + 1)))
      // At least one byte a sample, and the lowest rate that is read.
      if (found.ok) assert.ok(found.durationMs <= (1000 * bytes.length) / minWavRateHz + 1)
    }
  })
}

test('what is no WAV is told by its bytes', () => {
  const codeOf = (...bytes: number[]) => {
    const found = inspectAudio(Uint8Array.from(bytes))
    return found.ok ? 'ok' : `${found.code} ${found.detail}`
  }
  assert.is(codeOf(), 'PLAY.0415 it is empty; only WAV is played')
  assert.is(codeOf(...Buffer.from('OggS')), 'PLAY.0415 it is Ogg; only WAV is played')
  assert.is(codeOf(...Buffer.from('ID3')), 'PLAY.0415 it is MP3; only WAV is played')
  assert.is(codeOf(0xff, 0xfb), 'PLAY.0415 it is MP3; only WAV is played')
  assert.is(codeOf(...Buffer.from('<!doctype html>')), 'PLAY.0415 it is no audio; only WAV is played')
  assert.is(codeOf(...Buffer.from('RIFF....AVI LIST')), 'PLAY.0415 it is no audio; only WAV is played')
  assert.match(codeOf(...Buffer.from('RIFF....WAVEfmt ')), /^PLAY\.0400/)
})

test.run()
