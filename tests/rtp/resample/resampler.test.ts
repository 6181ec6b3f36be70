import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Resampler, resample } from '../../../rtp/index.ts'
import { addInto, clipInto, clipWithoutInto, scaleInPlace, sumInto } from '../../../rtp/mix/mix.ts'
import { resampleFilter } from '../../../rtp/resample/filter.ts'
import { levelAt } from '../../../rtp/tone/goertzel.ts'
import { levelOf } from '../../../rtp/tone/level.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const sine = (hz: number, rate: number, seconds: number, amplitude = 16_000): Int16Array =>
  Int16Array.from({ length: rate * seconds }, (_, i) => Math.round(amplitude * Math.sin((2 * Math.PI * hz * i) / rate)))
const middle = (pcm: Int16Array): Int16Array => pcm.subarray(pcm.length >> 2, 3 * (pcm.length >> 2))

/** Hann's window: one frequency does not leak into the measure of another. */
const faded = (pcm: Int16Array): Int16Array =>
  pcm.map((sample, i) => Math.round(sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / pcm.length))))

const pairs = [
  [8000, 16_000],
  [8000, 48_000],
  [16_000, 8000],
  [48_000, 8000],
  [48_000, 16_000],
  ...[44_100, 22_050, 11_025].flatMap(from => [8000, 16_000, 48_000].map(to => [from, to] as const)),
  [44_101, 8000],
  [47_999, 16_000],
  [4001, 8000],
] as const
const filters = new Map(pairs.map(([from, to]) => [`${from} ${to}`, resampleFilter(from, to)]))
const resampled = (pcm: Int16Array, from: number, to: number) => resample(pcm, from, to, filters.get(`${from} ${to}`))

test('a sine in the pass band keeps level, frequency and place', () => {
  for (const [from, to] of pairs)
    for (const part of [0.05, 0.3, 0.6, 0.8]) {
      const hz = (part * Math.min(from, to)) / 2
      const pcm = sine(hz, from, 0.2)
      const out = resampled(pcm, from, to)
      const wanted = sine(hz, to, 0.2)
      assert.is(out.length, Math.ceil((pcm.length * to) / from))
      let squares = 0
      const edge = out.length >> 2
      for (let i = edge; i < 3 * edge; i++) squares += (out[i]! - wanted[i]!) ** 2
      const noiseDb = 10 * Math.log10(squares / (2 * edge) / (16_000 ** 2 / 2))
      assert.ok(noiseDb < -58, `${from} → ${to} at ${hz} Hz: ${noiseDb}`)
    }
})

test('what the lower rate cannot hold is gone: aliases under −60 dB, swept', () => {
  for (const [from, to] of pairs) {
    if (from < to) continue
    for (let part = 1.001; part < from / to; part += 0.11) {
      const hz = (part * to) / 2
      const out = middle(resampled(sine(hz, from, 0.1), from, to))
      const level = levelOf(out, 0, out.length) - levelOf(sine(hz, from, 0.1), 0, Math.floor(from / 10))
      assert.ok(level < -60, `${from} → ${to} at ${Math.round(hz)} Hz: ${level} dB`)
    }
  }
})

test('images of the lower rate stay under −60 dB at the higher', () => {
  for (const [from, to] of pairs) {
    if (from > to) continue
    for (let part = 0.05; part < 0.84; part += 0.06) {
      const hz = Math.round((part * from) / 2)
      const out = faded(middle(resampled(sine(hz, from, 0.25), from, to)))
      const own = levelAt(out, 0, out.length, hz, to)
      for (let n = 1; n * from - hz < to / 2; n++) {
        for (const image of [n * from - hz, n * from + hz]) {
          if (image >= to / 2) continue
          const level = levelAt(out, 0, out.length, image, to) - own
          assert.ok(level < -60, `${from} → ${to}: ${hz} Hz at ${image} Hz: ${level} dB`)
        }
      }
    }
  }
})

test('a filter for any pair of rates has few weights, so that any file costs its thread little', () => {
  const rates = [
    4000, 4001, 7999, 11_025, 22_050, 44_100, 44_101, 47_990, 47_999, 48_000, 88_200, 96_000, 191_999, 192_000,
  ]
  for (const from of rates) {
    for (const to of [8000, 16_000, 24_000, 48_000]) {
      const { weights } = resampleFilter(from, to)
      assert.ok(weights.length <= 34_000, `${from} → ${to}: ${weights.length}`)
    }
  }
})

test('equal rates pass through bit for bit', () => {
  const pcm = Int16Array.from({ length: 999 }, (_, i) => (i * 7919) << 3)
  assert.equal(resample(pcm, 8000, 8000), pcm)
  const into = new Int16Array(999)
  assert.is(new Resampler(8000, 8000).pushInto(into, 0, pcm, 0, 999), 999)
  assert.equal(into, pcm)
})

test('pieces of any length make the same samples as the whole', () => {
  const random = seeded(8)
  const pcm = Int16Array.from({ length: 9000 }, () => (random() - 0.5) * 60_000)
  for (const [from, to] of pairs) {
    const filter = filters.get(`${from} ${to}`)!
    const whole = resample(pcm, from, to, filter)
    const resampler = new Resampler(from, to, filter)
    const pieces = new Int16Array(resampler.roomFor(pcm.length))
    let written = 0
    for (let at = 0; at < pcm.length; ) {
      const count = Math.min(pcm.length - at, Math.floor(random() * 2000))
      const room = resampler.roomFor(count)
      const made = resampler.pushInto(pieces, written, pcm, at, count)
      assert.ok(made <= room)
      written += made
      at += count
    }
    written += resampler.flushInto(pieces, written)
    assert.equal(pieces.subarray(0, written), whole, `${from} → ${to}`)
  }
})

test('steady levels stay, full scale clips and does not wrap, nothing is nothing', () => {
  for (const [from, to] of pairs) {
    const out = middle(resampled(new Int16Array(3000).fill(12_345), from, to))
    assert.ok(out.every(sample => Math.abs(sample - 12_345) <= 1))
    assert.is(resampled(new Int16Array(0), from, to).length, 0)
    assert.is(resampled(Int16Array.of(5), from, to).length, Math.ceil(to / from))
    const square = Int16Array.from({ length: 4000 }, (_, i) => (Math.floor(i / 40) % 2 ? 32_767 : -32_768))
    const loud = middle(resampled(square, from, to))
    for (let i = 1; i < loud.length; i++) assert.ok(Math.abs(loud[i]! - loud[i - 1]!) < 65_000)
  }
})

test('sums clip once, at their end', () => {
  const a = Int16Array.of(30_000, -30_000, 1)
  const b = Int16Array.of(10_000, -10_000, 2)
  const c = Int16Array.of(-20_000, 20_000, 3)
  const sum = new Int32Array(3)
  for (const one of [a, b, c]) sumInto(sum, one, 0, 3)
  const out = new Int16Array(3)
  clipInto(out, 0, sum, 3)
  assert.equal([...out], [20_000, -20_000, 6])
  clipWithoutInto(out, 0, sum, c, 0, 3)
  assert.equal([...out], [32_767, -32_768, 3])
  addInto(a, 0, b, 0, 3)
  assert.equal([...a], [32_767, -32_768, 3])
  scaleInPlace(b, 0, 2, 4)
  assert.equal([...b], [32_767, -32_768, 2])
})

test.run()
