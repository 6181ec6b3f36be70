import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { digitsByEvent } from '../../../rtp/dtmf/event-payload.ts'
import { levelAt } from '../../../rtp/tone/goertzel.ts'
import { levelOf } from '../../../rtp/tone/level.ts'
import { SlidingTones } from '../../../rtp/tone/sliding-tones.ts'
import type { Tone } from '../../../rtp/tone/tone.ts'
import { renderTone, ToneSource } from '../../../rtp/tone/tone-source.ts'
import { dtmfTone, tones } from '../../../rtp/tone/tones.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const near = (value: number, wanted: number, by: number, what = '') =>
  assert.ok(Math.abs(value - wanted) <= by, `${what} ${value}, wanted ${wanted} ± ${by}`)

test("Kenya's ringback: 425 Hz, 0.67 s, 3 s off, 1.5 s, 5 s off, over and over", () => {
  for (const rate of [8000, 16_000, 48_000]) {
    const source = new ToneSource(tones['ringback-ke'], rate)
    const pcm = new Int16Array(21 * rate)
    assert.is(source.fillInto(pcm, 0, pcm.length), pcm.length)
    const window = rate / 100
    const on: boolean[] = []
    for (let at = 0; at < pcm.length; at += window) on.push(levelOf(pcm, at, window) > -30)
    const edges = on.flatMap((one, i) => (i > 0 && one !== on[i - 1] ? [i * 10] : []))
    assert.equal(edges, [670, 3670, 5170, 10_170, 10_840, 13_840, 15_340, 20_340])
    near(levelAt(pcm, rate / 10, rate / 2, 425, rate), -13, 0.1)
    assert.ok(levelAt(pcm, rate / 10, rate / 2, 850, rate) < -70)
  }
})

test('beep and warning end by themselves', () => {
  const pcm = new Int16Array(8000)
  assert.is(new ToneSource(tones.beep, 8000).fillInto(pcm, 0, 8000), 2000)
  near(levelAt(pcm, 100, 1600, 1000, 8000), -13, 0.1)
  assert.is(new ToneSource(tones.warning, 8000).fillInto(pcm, 0, 8000), 4400)
  const source = new ToneSource(tones.beep, 8000)
  source.fillInto(pcm, 0, 2000)
  assert.is(source.fillInto(pcm, 0, 160), 0)
})

test('pieces of any length make the same samples', () => {
  const tone: Tone = { steps: [...tones.warning.steps, { sines: [], durationMs: 33 }], repeats: true }
  const whole = new Int16Array(20_000)
  new ToneSource(tone, 8000).fillInto(whole, 0, whole.length)
  const random = seeded(1)
  const pieces = new Int16Array(20_000)
  const source = new ToneSource(tone, 8000)
  for (let at = 0; at < pieces.length; ) {
    at += source.fillInto(pieces, at, Math.min(1 + Math.floor(500 * random()), pieces.length - at))
  }
  assert.equal(pieces, whole)
  const round = renderTone(tone, 8000)
  assert.equal(whole.subarray(round.length, 2 * round.length), round)
})

test('nothing clicks: a tone begins and ends at zero, and no step is larger than its sine has', () => {
  for (const tone of Object.values(tones)) {
    const pcm = renderTone(tone, 8000)
    assert.is(pcm[0], 0)
    let largest = 0
    for (let i = 1; i < pcm.length; i++) largest = Math.max(largest, Math.abs(pcm[i]! - pcm[i - 1]!))
    const peak = pcm.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    assert.ok(largest <= 2 * peak * Math.sin((Math.PI * 1400) / 8000) + 2)
  }
})

test('a digit is its two frequencies and no other (ITU-T Q.23)', () => {
  const all = [697, 770, 852, 941, 1209, 1336, 1477, 1633]
  const wanted: Record<string, [number, number]> = { 1: [697, 1209], 5: [770, 1336], 0: [941, 1336], D: [941, 1633] }
  const seen = new Set<string>()
  for (const digit of digitsByEvent) {
    const pcm = renderTone(dtmfTone(digit, 200)!, 8000)
    const received = all.filter(hz => levelAt(pcm, 0, pcm.length, hz, 8000) > -15)
    assert.is(received.length, 2, digit)
    if (wanted[digit] !== undefined) assert.equal(received, wanted[digit])
    seen.add(received.join())
  }
  assert.is(seen.size, 16)
  for (const odd of ['', 'w', 'E', '12']) assert.is(dtmfTone(odd), undefined)
})

test('a tone without length ends', () => {
  const pcm = new Int16Array(10)
  assert.is(new ToneSource({ steps: [{ sines: [], durationMs: 0 }], repeats: true }, 8000).fillInto(pcm, 0, 10), 0)
  assert.is(new ToneSource({ steps: [], repeats: true }, 8000).fillInto(pcm, 0, 10), 0)
})

const [rate, hop, hops] = [8000, 17, 6]
const hz = [697, 941, 1209, 1633]

test('blocks that overlap hold what each would alone: the sum of its samples against each sine', () => {
  const random = seeded(9)
  const sound = Float64Array.from({ length: hop * 40 }, () => 20_000 * (random() - 0.5))
  const sliding = new SlidingTones(hz, rate, hop, hops, [1])
  for (let end = hop; end <= sound.length; end += hop) {
    sliding.analyze(sound.subarray(end - hop, end))
    if (end < hops * hop) continue
    const block = sound.subarray(end - hops * hop, end)
    near(sliding.meanSquare, block.reduce((sum, each) => sum + each * each, 0) / block.length, 1e-3)
    for (const [tone, each] of hz.entries()) {
      let [re, im] = [0, 0]
      for (const [n, sample] of block.entries()) {
        const angle = (2 * Math.PI * each * (block.length - 1 - n)) / rate
        re += sample * Math.cos(angle)
        im += sample * Math.sin(angle)
      }
      near(Math.sqrt(sliding.powerOf(tone, 0)), Math.sqrt((2 * (re * re + im * im)) / block.length ** 2), 1e-6)
      near(sliding.phaseOf(tone, 0), Math.atan2(im, re), 1e-6)
    }
  }
})

test('a tone that is somewhat out of tune shows its power where it is asked for', () => {
  const detunings = [1, 0.989, 1.011]
  for (const [tone, each] of hz.entries()) {
    for (const [detuning, off] of detunings.entries()) {
      const sliding = new SlidingTones(hz, rate, hop, hops, detunings)
      const sine = Float64Array.from({ length: hop * 400 }, (_, i) => Math.sin((2 * Math.PI * each * off * i) / rate))
      // A block of so few periods holds part of the sine's other half, the one of negative frequency: the mean of many.
      const powers: number[] = []
      for (let end = hop; end <= sine.length; end += hop) {
        sliding.analyze(sine.subarray(end - hop, end))
        if (end >= hops * hop) powers.push(sliding.powerOf(tone, detuning))
      }
      near(powers.reduce((sum, power) => sum + power, 0) / powers.length, 0.5, 0.006, `${each * off} Hz`)
    }
  }
})

test.run()
