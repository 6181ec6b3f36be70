import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { RecordingFiles } from '../../rtp/io/index.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { delayOf, speechLike } from '../rtp/bed/audio-measure.ts'

// Recordings in Ogg Opus as other people's tools see them: opusinfo finds nothing to remark, opusdec and ffmpeg give every
// sound in its place.
requirePeers('opusinfo', 'ffmpeg')

const folder = mkdtempSync(join(tmpdir(), 'sauti-ogg-tools-'))
test.after(() => rmSync(folder, { recursive: true }))
const files = new RecordingFiles()
const seconds = 5

const run = (program: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { maxBuffer: 1 << 28 })
  assert.is(status, 0, `${program}: ${stderr}`)
  return { bytes: stdout, text: `${stdout}${stderr}` }
}

/** Raw samples of 48,000 Hz of each channel. */
const decoders = {
  ffmpeg: (path: string) => run('ffmpeg', ['-v', 'error', '-i', path, '-f', 's16le', '-']).bytes,
  opusdec: (path: string) => run('opusdec', ['--quiet', '--rate', '48000', '--no-dither', path, '-']).bytes,
} as const

const sidesOf = (bytes: Buffer, channels: number): Int16Array[] =>
  Array.from({ length: channels }, (_, side) =>
    Int16Array.from({ length: bytes.length / 2 / channels }, (_, i) => bytes.readInt16LE(2 * (i * channels + side))),
  )

for (const [channels, rate] of [
  [1, 8000],
  [2, 8000],
  [1, 16_000],
  [2, 16_000],
] as const) {
  const what = `${channels === 1 ? 'mono' : 'dual'} of ${rate} Hz`

  test(`${what}: opusinfo, ffprobe, and every sound within a millisecond of its place`, async () => {
    const path = join(folder, `${channels}-${rate}.ogg`)
    const sides = [1, 2].slice(0, channels).map(seed => speechLike(seconds * rate, rate, 40 + seed))
    const pcm = Int16Array.from(
      { length: seconds * rate * channels },
      (_, i) => sides[i % channels]![Math.floor(i / channels)]!,
    )
    const sink = files.open(path, channels, rate)
    for (let at = 0; at < pcm.length; at += 320) sink.write(pcm, at, Math.min(320, pcm.length - at))
    // The end is cut off in the middle of a packet.
    const frames = seconds * rate - Math.round(rate * 0.7) - 33
    const [, failed] = await new Promise<[number, boolean]>(done =>
      sink.close(frames * channels, (...reported) => done(reported)),
    )
    assert.not(failed)

    const info = run('opusinfo', [path]).text
    assert.not.match(info, /warning|error|corrupt|missing|gap|hole/i)
    assert.match(info, new RegExp(`Channels: ${channels}\\n`))
    const asked = ['-v', 'error', '-show_entries', 'stream=codec_name,channels:format=duration', '-of', 'csv=p=0', path]
    assert.match(run('ffprobe', asked).text, new RegExp(`^opus,${channels}\\n${(frames / rate + 0.0065).toFixed(3)}`))

    for (const [tool, decode] of Object.entries(decoders)) {
      const received = sidesOf(decode(path), channels)
      for (const [side, wanted] of sides.entries()) {
        assert.is(received[side]!.length, (frames * 48_000) / rate, `${tool}: as long as what went in`)
        // At the rate of the input, shifted so that an early sound is found too.
        const early = rate / 500
        const step = 48_000 / rate
        const back = Int16Array.from({ length: frames + early }, (_, i) => received[side]![(i - early) * step] ?? 0)
        const { delay, likeness } = delayOf(wanted, back, 2 * early, 1000, frames - 3000)
        assert.ok(Math.abs(delay - early) < rate / 1000, `${tool}, side ${side}: ${delay - early} samples off`)
        assert.ok(likeness > 0.9, `${tool}, side ${side}: ${likeness}`)
      }
    }
  })
}

test.run()
