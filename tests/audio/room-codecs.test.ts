import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { MixBus } from '../../rtp/mix/mix-bus.ts'
import { mixRates, samplesOfFrame } from '../../rtp/mix/mix-rate.ts'
import { Room } from '../../rtp/mix/room.ts'
import type { Seat } from '../../rtp/mix/seat.ts'
import { gateHoldFrames } from '../../rtp/mix/speech-gate.ts'
import { SumResampler } from '../../rtp/mix/sum-resampler.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { levelOf } from '../../rtp/tone/level.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import { FakeSeat } from '../rtp/bed/fake-seat.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'
import { frame, noise, roomOf, run } from './room-bed.ts'

// The mixer without sessions: members of different codecs and rates.

test('members with codecs of different rates receive each other, within their own band: 8,000 and 16,000 Hz', () => {
  const low = new FakeSeat(sine(1000, 100 * frame, 8000, 4000))
  const wide = new FakeSeat(sine(6000, 200 * frame, 16_000, 4000), 'G722')
  const [narrow, alsoWide] = [new FakeSeat(new Int16Array(0), 'PCMA'), new FakeSeat(new Int16Array(0), 'G722')]
  run(roomOf(low, wide, narrow, alsoWide), 100)
  const level = (seat: FakeSeat, hz: number, rate: number) => levelAt(seat.samples(10), 0, rate, hz, rate)
  const tone = levelAt(sine(1000, 8000, 8000, 4000), 0, 8000, 1000, 8000)
  assert.ok(Math.abs(level(narrow, 1000, 8000) - tone) < 0.5)
  assert.ok(Math.abs(level(alsoWide, 1000, 16_000) - tone) < 0.5)
  assert.ok(Math.abs(level(alsoWide, 6000, 16_000) - tone) < 1.5)
  assert.ok(Math.abs(level(wide, 1000, 16_000) - tone) < 0.5 && level(wide, 6000, 16_000) < -40)
  // 6,000 Hz would fold to 2,000.
  assert.ok(level(narrow, 2000, 8000) < -50 && level(low, 1000, 8000) < -50)
})

test('Opus members receive each other up to 48,000 Hz, and other members within their bands', async () => {
  const warm = await WarmOpus.open(4, { bitrate: 40_000 }, [48_000])
  const host = { opus: warm, failed: (_seat: Seat, error: unknown) => assert.unreachable(String(error)) }
  const room = new Room(host, undefined, 0)
  const high = new FakeSeat(
    sine(1000, 150 * 960, 48_000, 3000).map(
      (sample, i) => sample + Math.round(3000 * Math.sin((2 * Math.PI * 9500 * i) / 48_000)),
    ),
    'opus',
  )
  const [full, wide, narrow] = [
    new FakeSeat(new Int16Array(0), 'opus'),
    new FakeSeat(new Int16Array(0), 'G722'),
    new FakeSeat(new Int16Array(0), 'PCMA'),
  ]
  for (const seat of [high, full, wide, narrow]) room.join(seat, false)
  run(room, 150)
  const decoder = new StreamDecoder(48_000, warm)
  const pcm = new Int16Array(151 * 960)
  let count = 0
  for (const { bytes } of full.received) count += decoder.frameInto(pcm, count, 'opus', bytes, 0, bytes.length, false)
  const at = (hz: number) => levelAt(pcm, count - 24_000, 24_000, hz, 48_000)
  assert.ok(at(9500) > -25 && at(1000) > -20, `${at(9500)} ${at(1000)}`)
  const low = (seat: FakeSeat, hz: number, rate: number) => levelAt(seat.samples(20), 0, rate, hz, rate)
  assert.ok(low(wide, 1000, 16_000) > -20 && low(wide, 6500, 16_000) < -50, 'nothing folds')
  assert.ok(low(narrow, 1000, 8000) > -20 && low(narrow, 1500, 8000) < -50)
  decoder.free()
  room.close()
  warm.close()
  assert.equal([warm.lib.counters.encoders, warm.lib.counters.decoders], [0, 0])
})

test('a sum is brought to another rate unclipped, its tones as loud as they were, with nothing added', () => {
  for (const from of mixRates) {
    for (const to of mixRates) {
      if (from === to) continue
      const resampler = new SumResampler(from, to)
      const frames = 20
      const count = samplesOfFrame(from)
      const pcm = sine(700, frames * count, from, 9000)
      const out = new Int16Array(frames * samplesOfFrame(to))
      for (let n = 0; n < frames; n++) {
        const sum = Int32Array.from(pcm.subarray(n * count, (n + 1) * count), sample => sample * 10)
        const into = new Int32Array(samplesOfFrame(to))
        resampler.addInto(into, sum, false)
        for (const [i, value] of into.entries()) out[n * into.length + i] = Math.round(value / 10)
      }
      const settled = out.subarray(out.length / 2)
      const tone = 10 ** (levelAt(settled, 0, settled.length, 700, to) / 10)
      const all = 10 ** (levelOf(settled, 0, settled.length) / 10)
      const said = levelAt(pcm, pcm.length / 2, pcm.length / 2, 700, from)
      assert.ok(Math.abs(10 * Math.log10(tone) - said) < 0.05, `${from} to ${to}`)
      assert.ok(
        Math.abs(all - tone) < tone * 10 ** -5,
        `${from} to ${to}: ${10 * Math.log10(Math.abs(all / tone - 1))} dB`,
      )
    }
  }
})

test('totals of a bus are exact at each rate; 48,000 Hz is a rate like others', () => {
  const bus = new MixBus()
  for (const rate of mixRates) {
    bus.begin()
    for (const each of mixRates) bus.want(each)
    const voices = [noise(samplesOfFrame(rate), 1, 32_000), noise(samplesOfFrame(rate), 2, 32_000)]
    for (const voice of voices) bus.add(rate, voice)
    bus.finish()
    for (let i = 0; i < samplesOfFrame(rate); i++) {
      assert.is(bus.sumOf(rate)[i], voices[0]![i]! + voices[1]![i]!)
    }
    assert.not(bus.isTotalSilentAt(rate))
  }
  for (let n = 0; n < 3; n++) {
    bus.begin()
    for (const each of mixRates) bus.want(each)
    bus.finish()
  }
  for (const rate of mixRates) assert.ok(bus.isTotalSilentAt(rate) && bus.totalOf(rate).every(value => value === 0))
})

test('a codec that changes, and a format that comes late', () => {
  const seat = new FakeSeat(sine(440, 80_000, 8000, 6000))
  const listener = new FakeSeat()
  listener.format = undefined
  const room = roomOf(seat, listener)
  run(room, 5)
  assert.is(listener.received.length, 0)
  listener.format = { codec: 'PCMA', frameMs: 20 }
  run(room, 20, 100)
  assert.ok(levelAt(listener.samples(2), 0, 1600, 440, 8000) > -15)
  listener.received.length = 0
  listener.format = { codec: 'G722', frameMs: 20 }
  run(room, 40, 500)
  assert.ok(levelAt(listener.samples(10), 0, 8000, 440, 16_000) > -15)
})

test('who has spoken keeps a coder of its own for a second where coders have a state', () => {
  const voice = new Int16Array(200 * 320)
  voice.set(sine(440, 10 * 320, 16_000))
  const [speaker, silent] = [new FakeSeat(voice, 'G722'), new FakeSeat(new Int16Array(0), 'G722')]
  run(roomOf(speaker, silent), 120)
  const shares = speaker.received.map(({ payload }, n) => payload === silent.received[n]!.payload)
  assert.is(shares.indexOf(true), 10 + gateHoldFrames + 50)
  assert.ok(shares.slice(shares.indexOf(true)).every(is => is))
})

test.run()
