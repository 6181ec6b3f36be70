import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../../rtp/index.ts'
import { SilenceDetector } from '../../../rtp/silence/silence-detector.ts'
import { trimSilence } from '../../../rtp/silence/trim.ts'
import { qualityOf } from '../../../rtp/stats/quality.ts'
import { amplitudeOf } from '../../../rtp/tone/level.ts'
import { corpusFile, testBeside } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { speechLike } from '../bed/audio-measure.ts'

const rate = 8000
const silence = (seconds: number): Int16Array => new Int16Array(seconds * rate)
const noise = (seconds: number, dbm0: number, seed = 1): Int16Array => {
  const random = seeded(seed)
  // Uniform samples have a third of the square of their peak, a sine half.
  const peak = amplitudeOf(dbm0) * Math.sqrt(1.5)
  return Int16Array.from({ length: seconds * rate }, () => Math.round((2 * random() - 1) * peak))
}
const tone = (seconds: number, dbm0: number, hz = 1000): Int16Array =>
  Int16Array.from({ length: seconds * rate }, (_, i) =>
    Math.round(amplitudeOf(dbm0) * Math.sin((2 * Math.PI * hz * i) / rate)),
  )
const joined = (...parts: Int16Array[]): Int16Array => Int16Array.from(parts.flatMap(part => [...part]))
const receivedBy = (pcm: Int16Array, ptimeMs = 20): SilenceDetector => {
  const detector = new SilenceDetector()
  const frame = ptimeMs * 8
  for (let at = 0; at + frame <= pcm.length; at += frame) detector.analyze(pcm, at, frame)
  return detector
}

test('silence is counted from the end of the voice, at every ptime', () => {
  for (const ptimeMs of [10, 20, 30, 60]) {
    const detector = receivedBy(joined(silence(1), tone(2, -20), silence(3)), ptimeMs)
    assert.ok(Math.abs(detector.silentMs - 3000) <= ptimeMs, `${detector.silentMs}`)
    assert.ok(Math.abs(detector.firstVoiceMs! - 1000) <= ptimeMs)
    assert.ok(Math.abs(detector.lastVoiceMs - 3000) <= ptimeMs)
  }
})

test('nothing but silence, or a quiet line: never a voice', () => {
  for (const quiet of [silence(5), noise(5, -60), noise(5, -52), noise(5, -48)]) {
    const detector = receivedBy(quiet)
    assert.is(detector.firstVoiceMs, undefined)
    assert.is(detector.silentMs, 5000)
  }
})

test('a steady tone is no noise, however long and as quiet as −35 dBm0', () => {
  for (const dbm0 of [-3, -20, -35]) {
    const detector = receivedBy(tone(60, dbm0))
    assert.ok(detector.silentMs <= 20, `${dbm0}`)
  }
})

test('a voice over the noise of a room ends when the voice does', () => {
  for (const dbm0 of [-60, -50, -48]) {
    const detector = receivedBy(joined(noise(3, dbm0), tone(2, -25), noise(4, dbm0, 2)))
    assert.ok(Math.abs(detector.silentMs - 4000) <= 40, `${dbm0}: ${detector.silentMs}`)
  }
})

test('a click is no voice', () => {
  const click = silence(4)
  click.fill(30_000, 16_000, 16_040)
  assert.is(receivedBy(click).firstVoiceMs, undefined)
})

test('trimming leaves the voice and a tenth of a second around it', () => {
  const { from, count } = trimSilence(
    joined(silence(1), tone(0.5, -20), silence(0.4), tone(0.5, -20), silence(2)),
    rate,
  )
  assert.ok(Math.abs(from - 0.9 * rate) <= 160, `${from}`)
  assert.ok(Math.abs(count - 1.6 * rate) <= 320, `${count}`)
  assert.equal(trimSilence(silence(3), rate), { from: 0, count: 0 })
  assert.equal(trimSilence(tone(1, -20), rate), { from: 0, count: rate })
  assert.equal(trimSilence(new Int16Array(0), rate), { from: 0, count: 0 })
})

test('what is like speech is a voice, and the silence after it is counted', () => {
  for (const seed of [1, 2, 3]) {
    const detector = receivedBy(joined(silence(1), speechLike(4 * rate, rate, seed), silence(3)))
    assert.ok(detector.firstVoiceMs! >= 1000 && detector.firstVoiceMs! < 1600, `${detector.firstVoiceMs}`)
    assert.ok(detector.silentMs >= 3000 && detector.silentMs < 4000, `${detector.silentMs}`)
  }
})

testBeside('rtp-pcap', 'real speech is a voice, and the silence of a real recording is found', () => {
  const decode = (name: string) => {
    const bytes = corpusFile(`rtp-pcap/asterisk-testsuite/audio/${name}`)
    const pcm = new Int16Array(bytes.length)
    pcmu.decodeInto(pcm, 0, bytes, 0, bytes.length)
    return pcm
  }
  const speech = receivedBy(joined(decode('talking-u.ulaw'), silence(3)))
  assert.ok(speech.firstVoiceMs! < 600)
  assert.ok(speech.silentMs >= 3000 && speech.silentMs < 4000, `${speech.silentMs}`)
  const pcm = decode('talking_silence_test.ulaw')
  const detector = new SilenceDetector()
  let longest = 0
  for (let at = 0; at + 160 <= pcm.length; at += 160) {
    detector.analyze(pcm, at, 160)
    longest = Math.max(longest, detector.silentMs)
  }
  assert.ok(longest > 1000, `${longest}`)
})

test('quality falls with loss and delay (ITU-T G.107)', () => {
  const best = qualityOf(0, 0)
  assert.ok(Math.abs(best.r - 93.2) < 0.01 && Math.abs(best.mos - 4.41) < 0.01)
  let before = best.mos
  for (const loss of [0.01, 0.03, 0.1, 0.3, 1]) {
    assert.ok(qualityOf(loss, 0).mos < before)
    before = qualityOf(loss, 0).mos
  }
  before = best.mos
  for (const ms of [100, 200, 400, 2000]) {
    assert.ok(qualityOf(0, ms).mos < before)
    before = qualityOf(0, ms).mos
  }
  assert.ok(qualityOf(2, 1e9).mos >= 1 && qualityOf(-1, -5).mos <= 4.42)
})

test.run()
