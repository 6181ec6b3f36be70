import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { adaptive, fixedDelay, nothingHidden } from '../../bench/jitter/listeners.ts'
import { scoreOf } from '../../bench/jitter/score.ts'
import { codersOf, streamOf } from '../../bench/jitter/stream.ts'
import { tracesOf } from '../../bench/jitter/traces.ts'
import { LibOpus } from '../../rtp/io/index.ts'
import { speechLike } from '../rtp/bed/audio-measure.ts'

const seconds = 12
const speech = speechLike(seconds * 8000, 8000, 21)
const traceNamed = (name: string) => tracesOf(seconds * 50, 3).find(trace => trace.name === name)!
const meanOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length

test('networks are the same for the same seed, others for another, and lose what they say', () => {
  const one = tracesOf(20_000, 5)
  assert.equal(tracesOf(20_000, 5), one)
  assert.not.equal(tracesOf(20_000, 6), one)
  for (const percent of [1, 3, 10, 20]) {
    const { arrivalMs } = one.find(trace => trace.name === `loss ${percent} %`)!
    const lost = (100 * arrivalMs.filter(at => !Number.isFinite(at)).length) / arrivalMs.length
    assert.ok(Math.abs(lost - percent) < 0.3 + percent / 8, `${percent} %: ${lost.toFixed(2)}`)
  }
  for (const trace of one) {
    assert.ok(
      trace.arrivalMs.every((at, n) => at >= trace.sentMs[n]! + trace.baseMs),
      trace.name,
    )
  }
})

test('the score: 100 for the same later, less for holes, less still for more of them, and time may be stretched', () => {
  const later = new Int16Array(speech.length + 2000)
  later.set(speech, 800)
  assert.ok(scoreOf(speech, later, 8000) > 99.9)
  later.fill(0)
  later.set(speech, 1033)
  assert.ok(scoreOf(speech, later, 8000) > 99.5)
  let last = 99.5
  for (const every of [40, 20, 10, 5]) {
    const holes = speech.slice()
    for (let at = 0; at < holes.length; at += every * 160) holes.fill(0, at, at + 160)
    const score = scoreOf(speech, holes, 8000)
    assert.ok(score < last - 0.3, `a hole in ${every} frames: ${score.toFixed(1)} after ${last.toFixed(1)}`)
    last = score
  }
  assert.ok(scoreOf(speech, new Int16Array(speech.length), 8000) < 10)
  // What comes after 60 ms that were left out lies 60 ms nearer, and is not missing.
  const shorter = new Int16Array(speech.length + 2000)
  shorter.set(speech.subarray(0, 40_000), 800)
  shorter.set(speech.subarray(40_480), 40_800)
  const score = scoreOf(speech, shorter, 8000)
  assert.ok(score > 99 && score < 99.95, `${score}`)
})

test('ours hides losses, at less delay than a fixed buffer; twice the same', async () => {
  const opus = new LibOpus()
  for (const codec of ['PCMU', 'opus'] as const) {
    const rate = codec === 'PCMU' ? 8000 : 16_000
    const pcm = codec === 'PCMU' ? speech : speechLike(seconds * rate, rate, 21)
    const stream = await streamOf(codec, pcm, 10, opus)
    const trace = traceNamed('loss 10 %')
    const hear = async (listen: typeof adaptive) => {
      const outcome = listen(stream, trace, await codersOf(codec, rate, opus))
      const delays = outcome.delays.map(one => one.delayMs)
      return { score: scoreOf(stream.whole, outcome.pcm, rate), delay: meanOf(delays), outcome }
    }
    const ours = await hear(adaptive)
    const fixed = await hear(fixedDelay(60))
    const bare = await hear(nothingHidden)
    assert.ok(ours.score > bare.score + 1, `${codec}: ${ours.score.toFixed(1)} against ${bare.score.toFixed(1)}`)
    assert.ok(ours.score > fixed.score - 2, `${codec}: ${ours.score.toFixed(1)} against ${fixed.score.toFixed(1)}`)
    assert.ok(ours.delay < fixed.delay - 15, `${codec}: ${ours.delay} ms against ${fixed.delay} ms`)
    if (codec === 'PCMU') assert.equal(await hear(adaptive), ours)
  }
})

test('on wifi: fewer packets unheard than with 60 ms, and less delay than 120 ms', async () => {
  const opus = new LibOpus()
  const stream = await streamOf('PCMU', speech, 0, opus)
  const trace = traceNamed('wifi')
  const none = await codersOf('PCMU', 8000, opus)
  const ours = adaptive(stream, trace, none)
  const sixty = fixedDelay(60)(stream, trace, none)
  const longer = fixedDelay(120)(stream, trace, none)
  assert.ok(ours.unheard < sixty.unheard, `${ours.unheard} against ${sixty.unheard}`)
  assert.ok(meanOf(ours.delays.map(one => one.delayMs)) < meanOf(longer.delays.map(one => one.delayMs)))
})

test.run()
