import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import { stretchRoundInto } from '../../rtp/resample/stretch.ts'
import { levelOf } from '../../rtp/tone/level.ts'
import { snrDb } from '../rtp/bed/audio-measure.ts'
import { alone } from '../rtp/bed/talker.ts'
import { WavPrompts } from './wav-prompts.ts'

const prompts = new WavPrompts()
test.after(() => prompts.remove())

/** A tone that closes with its round, so that a seam without a gap is inaudible. */
const round = (seconds: number, rate: number): Int16Array => {
  const turns = Math.round(440 * seconds)
  const count = Math.round(seconds * rate)
  return Int16Array.from({ length: count }, (_, i) => Math.round(9000 * Math.sin((2 * Math.PI * turns * i) / count)))
}

const receivedOf = async (codec: AudioCodecName, seconds: number, rate: number, loop: number, forMs: number) => {
  const { media, opus, one } = await alone(codec)
  const path = prompts.writePcm(`${codec}-${seconds}-${rate}.wav`, round(seconds, rate), rate)
  media.prompts.set('loop', await prompts.load(path, codec, loop))
  const begun = media.now
  media.do({ type: 'play', session: 'a', play: 'p', source: { kind: 'file', path: 'loop' }, loop })
  let endedMs: number | undefined
  media.run(forMs, now => {
    if (now % 1000 === 0) one.say(one.frame(new Int16Array(one.rate / 50), 0))
    if (media.take('played').length > 0) endedMs = now - begun
  })
  const pcm = one.received()
  opus.close()
  return { pcm, rate: one.rate, endedMs }
}

/** Pieces of 5 ms that are quieter than the tone. */
const gapsIn = (pcm: Int16Array, rate: number, fromMs: number, toMs: number): number => {
  const piece = rate / 200
  const usual = levelOf(pcm, (fromMs * rate) / 1000, rate)
  let gaps = 0
  for (let at = (fromMs * rate) / 1000; at + piece <= (toMs * rate) / 1000; at += piece) {
    if (levelOf(pcm, at, piece) < usual - 3) gaps++
  }
  return gaps
}

for (const codec of ['PCMU', 'G722', 'opus'] as const) {
  for (const [seconds, rate] of [
    [1.013, 8000],
    [0.737, 22_050],
    [2.1, 44_100],
  ] as const) {
    test(`${codec}: rounds of ${seconds} s at ${rate} Hz join without a gap, until stopped`, async () => {
      const received = await receivedOf(codec, seconds, rate, 0, 12_000)
      assert.is(received.endedMs, undefined)
      assert.is(gapsIn(received.pcm, received.rate, 200, 11_900), 0)
    })
  }

  test(`${codec}: a number of rounds lasts what it should, and sounds to its end`, async () => {
    for (const [loop, forMs] of [
      [3, 4000],
      [35, 37_000],
    ] as const) {
      const received = await receivedOf(codec, 1.013, 8000, loop, forMs)
      const wanted = 1013 * loop
      assert.ok(
        received.endedMs !== undefined && Math.abs(received.endedMs - wanted) <= 45,
        `${received.endedMs} of ${wanted} ms`,
      )
      assert.is(gapsIn(received.pcm, received.rate, 200, wanted - 60), 0, `${loop} rounds`)
      const after = ((wanted + 80) * received.rate) / 1000
      assert.ok(levelOf(received.pcm, after, received.rate / 10) < -50, 'and then it is silent')
    }
  })
}

test('stretching by a thousandth keeps the sound', () => {
  const pcm = round(1, 8000)
  const wanted = 8008
  const out = new Int16Array(2 * wanted)
  for (let from = 0; from < out.length; from += 1000) {
    const piece = new Int16Array(Math.min(1000, out.length - from))
    stretchRoundInto(piece, piece.length, pcm, pcm.length, 1, wanted, from)
    out.set(piece, from)
  }
  const ideal = Int16Array.from(out, (_, i) => Math.round(9000 * Math.sin((2 * Math.PI * 440 * i) / wanted)))
  assert.ok(snrDb(ideal, out, 0) > 55, `${snrDb(ideal, out, 0).toFixed(1)} dB`)
})

test.run()
