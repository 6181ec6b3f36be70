import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../../rtp/index.ts'
import { Concealment } from '../../../rtp/jitter/concealment.ts'
import { levelOf } from '../../../rtp/tone/level.ts'
import { corpusFile, testBeside } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { speechLike } from '../bed/audio-measure.ts'

/** A voice-like wave: harmonics of a pitch. */
const voice = (hz: number, count: number, rate = 8000): Int16Array =>
  Int16Array.from({ length: count }, (_, i) => {
    let sum = 0
    for (let n = 1; n <= 8; n++) sum += Math.sin((2 * Math.PI * hz * n * i) / rate + n * n) / n
    return Math.round(6000 * sum)
  })

/** Runs frames through, losing those that `lost` says; the result is as long. */
const run = (pcm: Int16Array, frame: number, lost: (frame: number) => boolean, rate = 8000): Int16Array => {
  const concealment = new Concealment(rate)
  const out = pcm.slice()
  for (let at = 0, n = 0; at + frame <= out.length; at += frame, n++) {
    if (lost(n)) {
      out.fill(0x5555, at, at + frame)
      concealment.concealInto(out, at, frame)
    } else concealment.receive(out, at, frame)
  }
  return out
}
const noiseDb = (wanted: Int16Array, received: Int16Array, from: number, to: number): number => {
  let noise = 1
  let signal = 1
  for (let i = from; i < to; i++) {
    noise += (wanted[i]! - received[i]!) ** 2
    signal += wanted[i]! ** 2
  }
  return 10 * Math.log10(noise / signal)
}
const largestStep = (pcm: Int16Array, from: number, to: number): number => {
  let largest = 0
  for (let i = Math.max(1, from); i < to; i++) largest = Math.max(largest, Math.abs(pcm[i]! - pcm[i - 1]!))
  return largest
}

test('without loss every sample stays as it is', () => {
  const random = seeded(3)
  const pcm = Int16Array.from({ length: 8000 }, () => (random() - 0.5) * 65_000)
  assert.equal(
    run(pcm, 160, () => false),
    pcm,
  )
})

test('the first frames of a stream stay as they are, whatever was filled in before', () => {
  const concealment = new Concealment()
  const filled = new Int16Array(160).fill(7)
  for (let i = 0; i < 5; i++) concealment.concealInto(filled, 0, 160)
  assert.equal(filled, new Int16Array(160))
  const pcm = voice(120, 160)
  const received = pcm.slice()
  concealment.receive(received, 0, 160)
  assert.equal(received, pcm)
})

test('10 ms of a steady voice are concealed with hardly an audible difference', () => {
  for (const rate of [8000, 16_000])
    for (const hz of [80, 100, 125, 160, 190]) {
      const frame = rate / 100
      const pcm = voice(hz, rate, rate)
      const out = run(pcm, frame, n => n === 50, rate)
      const at = 50 * frame
      assert.ok(noiseDb(pcm, out, at, at + frame) < -12, `${rate} ${hz}: ${noiseDb(pcm, out, at, at + frame)}`)
      assert.equal(out.subarray(0, at), pcm.subarray(0, at))
      assert.equal(out.subarray(at + 2 * frame + 1), pcm.subarray(at + 2 * frame + 1))
    }
})

test('nothing clicks at the ends of a loss of any length', () => {
  for (const frames of [1, 2, 3, 4, 5]) {
    const pcm = voice(117, 8000)
    const out = run(pcm, 80, n => n >= 40 && n < 40 + frames)
    const usual = largestStep(pcm, 0, 3000)
    assert.ok(largestStep(out, 3000, 8000) < 1.3 * usual, `${frames} frames: ${largestStep(out, 3000, 8000)} ${usual}`)
  }
})

test('a loss fades: full for 10 ms, a fifth less every 10 ms, silent after 60', () => {
  const pcm = voice(100, 8000)
  const out = run(pcm, 80, n => n >= 50 && n < 60)
  const levels = Array.from({ length: 10 }, (_, n) => levelOf(out, 4000 + 80 * n, 80))
  const before = levelOf(pcm, 3920, 80)
  assert.ok(Math.abs(levels[0]! - before) < 1.5)
  for (let n = 1; n < 6; n++) assert.ok(levels[n]! < levels[n - 1]!, `${levels}`)
  assert.ok(out.subarray(4000 + 480, 4800).every(sample => sample === 0))
  assert.equal(out.subarray(4800), pcm.subarray(4800), 'after silence the remote is heard as it is')
})

test('silence that was meant is silent, and is not repeated', () => {
  const concealment = new Concealment()
  const pcm = voice(100, 1600)
  for (let at = 0; at < 800; at += 160) concealment.receive(pcm, at, 160)
  concealment.silenceInto(pcm, 800, 400)
  assert.ok(pcm.subarray(800, 1200).every(sample => sample === 0))
  concealment.concealInto(pcm, 1200, 160)
  assert.ok(Math.abs(levelOf(pcm, 1280, 80)) > 60)
})

test('frames that were left out are joined softly', () => {
  const pcm = voice(100, 4000)
  const usual = largestStep(pcm, 0, 4000)
  for (const skip of [37, 160, 211]) {
    const concealment = new Concealment()
    const out = new Int16Array(3200)
    out.set(pcm.subarray(0, 1600))
    out.set(pcm.subarray(1600 + skip, 3200 + skip), 1600)
    for (let at = 0; at < 3200; at += 160) concealment.receive(out, at, 160, at === 1600)
    assert.ok(largestStep(out, 1500, 1800) < 1.5 * usual, `${skip}: ${largestStep(out, 1500, 1800)}`)
  }
})

test('frames of any length at full level: nothing wraps', () => {
  const random = seeded(17)
  for (const level of [32_767, -32_768]) {
    const concealment = new Concealment()
    for (let round = 0; round < 500; round++) {
      const count = 1 + Math.floor(random() * 960)
      const pcm = new Int16Array(count).fill(level)
      if (round === 0 || random() < 0.6) concealment.receive(pcm, 0, count, random() < 0.1)
      else concealment.concealInto(pcm, 0, count)
      assert.ok(pcm.every(sample => sample === 0 || sample < 0 === level < 0))
    }
  }
})

/** Speech with 10 % loss keeps its level in the gaps, and is nearer to itself than with silence. */
const keepsItsLevel = (pcm: Int16Array): void => {
  const random = seeded(10)
  const lost = Array.from({ length: pcm.length / 80 }, () => random() < 0.1)
  const concealed = run(pcm, 80, n => lost[n]!)
  const silenced = pcm.slice()
  const levelErrors: number[] = []
  for (let n = 5; n < lost.length; n++) {
    if (!lost[n]) continue
    silenced.fill(0, 80 * n, 80 * n + 80)
    const level = levelOf(pcm, 80 * n, 80)
    if (level > -35) levelErrors.push(Math.abs(levelOf(concealed, 80 * n, 80) - level))
  }
  assert.ok(noiseDb(pcm, concealed, 0, pcm.length) < noiseDb(pcm, silenced, 0, pcm.length))
  levelErrors.sort((a, b) => a - b)
  assert.ok(levelErrors.length > 8)
  assert.ok(levelErrors[levelErrors.length >> 1]! < 4, `${levelErrors}`)
}

test('speech with 10 % loss keeps its level in the gaps, and is nearer to itself than with silence', () => {
  for (const seed of [1, 2, 3]) keepsItsLevel(speechLike(10 * 8000, 8000, seed))
})

testBeside('rtp-pcap', 'so does a recording', () => {
  const speech = corpusFile('rtp-pcap/asterisk-testsuite/audio/talking-u.ulaw')
  const pcm = new Int16Array(speech.length)
  pcmu.decodeInto(pcm, 0, speech, 0, speech.length)
  keepsItsLevel(pcm)
})

test.run()
