import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import type { OpusCoders } from '../../rtp/codec/opus.ts'
import { pcmu, writeHeader } from '../../rtp/index.ts'
import { mostCutMs, Stretch } from '../../rtp/jitter/stretch.ts'
import { PlayoutReader } from '../../rtp/playout/playout-reader.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { sine, speechLike } from '../rtp/bed/audio-measure.ts'

const noOpus: OpusCoders = { encoder: (_settings, done) => done(undefined), decoder: (_rate, done) => done(undefined) }
const codecs: (AudioCodecName | undefined)[] = new Array(128).fill(undefined)
codecs[0] = 'PCMU'

interface Listened {
  readonly ear: PlayoutReader
  readonly received: Int16Array
  /** When each read ended, and how old what it ended with was; only where that came from a packet. */
  readonly delays: readonly { readonly at: number; readonly delayMs: number }[]
  readonly made: number
}

/**
 * Speaks `pcm` in packets of 20 ms, each `way` ms on its way (Infinity = lost), to an ear that is read every 20 ms.
 * `ppm`: by so much the speaker's clock is slow.
 */
const listen = (pcm: Int16Array, way: (n: number) => number, { ppm = 0, phaseMs = 10 } = {}): Listened => {
  const ear = new PlayoutReader(8000, codecs, noOpus)
  let endTime: number | undefined
  let made = 0
  ear.listener = {
    samples: (_pcm, _from, count, time) => {
      endTime = time
      if (time === undefined) made += count
    },
  }
  const frames = Math.floor(pcm.length / 160)
  const slowness = 1 + ppm / 1e6
  const packets: { at: number; packet: Uint8Array }[] = []
  for (let n = 0; n < frames; n++) {
    const at = Math.ceil((n * 20 * slowness + way(n)) / 5) * 5
    if (!Number.isFinite(at)) continue
    const packet = new Uint8Array(172)
    writeHeader(packet, { payloadType: 0, marker: n === 0, sequence: n & 0xffff, timestamp: n * 160, ssrc: 1 })
    pcmu.encodeInto(packet, 12, pcm, n * 160, 160)
    packets.push({ at, packet })
  }
  packets.sort((a, b) => a.at - b.at)
  const received = new Int16Array(Math.floor(frames * slowness) * 160)
  const delays: { at: number; delayMs: number }[] = []
  let next = 0
  for (let read = 0; (read + 1) * 160 <= received.length; read++) {
    const now = phaseMs + read * 20
    for (; next < packets.length && packets[next]!.at <= now; next++) {
      ear.push(packets[next]!.packet, 172, packets[next]!.at)
    }
    ear.readInto(received, read * 160, 160, now)
    if (endTime !== undefined) {
      delays.push({ at: now, delayMs: now + 20 - (endTime / 8 - ear.heldMs) * slowness })
    }
  }
  return { ear, received, delays, made }
}

const largestStep = (pcm: Int16Array, from = 0): number => {
  let largest = 0
  for (let i = from + 1; i < pcm.length; i++) largest = Math.max(largest, Math.abs(pcm[i]! - pcm[i - 1]!))
  return largest
}

test('a cut and a repeat keep the shape of a tone: no step larger than its own, no other length than they say', () => {
  for (const rate of [8000, 16_000] as const) {
    for (const hz of [70, 104, 155, 220, 333, 440, 697, 1004]) {
      const stretch = new Stretch(rate)
      const tone = sine(hz, rate / 10, rate)
      const own = largestStep(tone)
      const end = tone.length
      const most = (mostCutMs * rate) / 1000
      const cut = tone.slice()
      const less = stretch.cut(cut, end - most, end, false)
      assert.ok(less >= rate / 200 && less <= (rate * 15) / 1000, `${hz} Hz: cut ${less}`)
      assert.ok(largestStep(cut.subarray(0, end - less)) <= own * 1.1 + 1, `${hz} Hz cut`)
      assert.ok(Math.abs(cut[end - less - 1]! - tone[end - 1]!) < 100)
      const room = new Int16Array(end + most)
      room.set(tone)
      const more = stretch.repeat(room, end, false)
      assert.ok(more >= rate / 200 && more <= (rate * 15) / 1000, `${hz} Hz: repeat ${more}`)
      assert.ok(largestStep(room.subarray(0, end + more)) <= own * 1.1 + 1, `${hz} Hz repeat`)
      assert.is(room[end + more - 1], tone[end - 1])
    }
  }
})

test('what does not repeat is left alone until it is urgent; where it is quiet anything goes', () => {
  const stretch = new Stretch(8000)
  const random = seeded(4)
  const noise = Int16Array.from({ length: 400 }, () => (random() - 0.5) * 20_000)
  let refused = 0
  for (let end = 200; end <= 400; end += 10) if (stretch.cut(noise.slice(), 0, end, false) === 0) refused++
  assert.ok(refused >= 18, `${refused} of 21 refused`)
  const quiet = noise.map(sample => sample / 100)
  assert.is(stretch.cut(quiet, 0, 400, false), 120)
  assert.is(stretch.cut(noise.slice(), 0, 10, true), 0)
})

test('a tone over a network with changing delay has no click, whether samples are dropped, repeated or concealed', () => {
  for (const hz of [110, 210, 370]) {
    const random = seeded(hz)
    const tone = sine(hz, 8000 * 45, 8000)
    // Calm, uneven, calm: the delay has to grow and to shrink again.
    const way = (n: number) => 20 + (n > 300 && n < 500 ? 110 * random() : 2 * random())
    const { ear, received } = listen(tone, way)
    const { acceleratedMs, expandedMs } = ear.playout
    assert.ok(acceleratedMs > 40, `${hz} Hz: ${acceleratedMs} ms left out`)
    assert.ok(expandedMs + ear.playout.concealedMs > 40, `${hz} Hz: ${expandedMs} ms drawn out`)
    const start = received.findIndex(sample => Math.abs(sample) > 1000)
    assert.ok(largestStep(received, start) < largestStep(tone) * 1.5 + 300, `${hz} Hz: ${largestStep(received, start)}`)
  }
})

test('after a spike of 400 ms the delay is back at the aim within 12 s, and nothing was dropped', () => {
  const pcm = speechLike(8000 * 30, 8000, 3)
  const { ear, delays } = listen(pcm, n => 20 + (n >= 300 && n < 320 ? Math.max(0, (320 - n) * 20) : 1))
  assert.is(ear.playout.dropped, 0)
  assert.is(ear.playout.lost, 0)
  const most = Math.max(...delays.map(one => one.delayMs))
  assert.ok(most > 350, `${most}`)
  const late = delays.filter(one => one.at > 6400 + 12_000)
  // Too little for a stretch, and the rest of a frame that is held.
  assert.ok(
    late.every(one => one.delayMs - 20 <= (ear.buffer?.aimMs ?? 0) + 45),
    `${Math.max(...late.map(one => one.delayMs))}`,
  )
  assert.ok(ear.playout.acceleratedMs > 250, `${ear.playout.acceleratedMs}`)
})

test('a clock that is off by 200 ppm for ten minutes: the delay holds, nothing is lost, late or dropped', () => {
  const frames = 30_000
  const second = speechLike(8000 * 10, 8000, 9)
  const pcm = new Int16Array(frames * 160)
  for (let at = 0; at < pcm.length; at += second.length) pcm.set(second.subarray(0, pcm.length - at), at)
  for (const ppm of [-200, 200]) {
    const random = seeded(7)
    const { ear, delays } = listen(pcm, () => 20 + 3 * random(), { ppm })
    const { lost, dropped, late, acceleratedMs, expandedMs, concealedMs } = ear.playout
    assert.equal([lost, dropped, late], [0, 0, 0], `${ppm}`)
    const after = delays.filter(one => one.at > 2000).map(one => one.delayMs - 20)
    assert.ok(
      Math.min(...after) > 0 && Math.max(...after) < 70,
      `${ppm}: ${Math.min(...after)} to ${Math.max(...after)}`,
    )
    // 200 ppm of 600 s are 120 ms, which go out a period at a time.
    if (ppm < 0) assert.ok(acceleratedMs > 70 && acceleratedMs < 200, `${acceleratedMs}`)
    else assert.ok(expandedMs + concealedMs > 70 && expandedMs + concealedMs < 250, `${expandedMs} ${concealedMs}`)
  }
})

test('any order of arrival: every read is filled, time is accounted for, memory stays', () => {
  for (let seed = 1; seed <= 25; seed++) {
    const random = seeded(seed)
    const spread = 250 * random()
    const loss = 0.3 * random()
    const pcm = speechLike(8000 * 6, 8000, seed)
    const { ear, received, delays } = listen(pcm, () => (random() < loss ? Infinity : 20 + spread * random() ** 2))
    assert.ok(
      delays.every(one => one.delayMs > -1 && one.delayMs < 900),
      `seed ${seed}`,
    )
    assert.ok(ear.heldMs >= 0 && ear.heldMs <= 60, `seed ${seed}: ${ear.heldMs} ms held`)
    assert.ok(received.some(sample => sample !== 0))
    const { lost, dropped, late } = ear.playout
    assert.ok(lost + dropped + late <= 600, `seed ${seed}`)
  }
})

test('reads of any length, codecs of any rate and junk: an ear never stops', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seeded(seed)
    const mixed: (AudioCodecName | undefined)[] = new Array(128).fill(undefined)
    mixed[0] = 'PCMU'
    mixed[8] = 'PCMA'
    mixed[9] = 'G722'
    mixed[111] = 'opus'
    const ear = new PlayoutReader(random() < 0.5 ? 8000 : 16_000, mixed, noOpus)
    const out = new Int16Array(960)
    let sequence = 0
    let timestamp = 0
    for (let now = 0; now < 8000; now += 5) {
      if (random() < 0.3) {
        const payloadType = [0, 8, 9, 111, 50][Math.floor(random() ** 3 * 5)]!
        const length = Math.floor(random() * 480)
        const packet = Uint8Array.from({ length: 12 + length }, () => 256 * random())
        sequence += random() < 0.9 ? 1 : Math.floor(random() * 70_000)
        timestamp += random() < 0.9 ? 160 : Math.floor(random() * 2 ** 32)
        const fields = { payloadType, marker: false, sequence: sequence & 0xffff, timestamp: timestamp >>> 0, ssrc: 5 }
        writeHeader(packet, fields)
        if (random() < 0.05) ear.comfortNoise(packet, packet.length, now)
        else ear.push(packet, packet.length, now)
      }
      if (random() < 0.25) ear.readInto(out, 0, Math.ceil(random() * (ear.sampleRate * 0.06)), now)
    }
    assert.ok(ear.heldMs <= 180)
  }
})

test('a played packet leaves no garbage, stretched or not', () => {
  const ear = new PlayoutReader(8000, codecs, noOpus)
  const tone = sine(150, 160 * 4, 8000)
  const packet = new Uint8Array(172)
  const out = new Int16Array(160)
  const packets = 20_000
  let n = 0
  let pushed = 0
  const talk = () => {
    for (const until = n + packets; n < until; n++) {
      // Now and then nothing comes for a while, and then all at once.
      if (n % 1500 >= 100 && n % 1500 < 108) pushed = Math.min(pushed, n)
      else
        for (; pushed <= n; pushed++) {
          writeHeader(packet, {
            payloadType: 0,
            marker: false,
            sequence: pushed & 0xffff,
            timestamp: pushed * 160,
            ssrc: 1,
          })
          pcmu.encodeInto(packet, 12, tone, (pushed % 4) * 160, 160)
          ear.push(packet, 172, n * 20)
        }
      ear.readInto(out, 0, 160, n * 20 + 5)
    }
  }
  talk()
  const before = process.memoryUsage().heapUsed
  const stretchedBefore = ear.playout.acceleratedMs
  talk()
  const grown = (process.memoryUsage().heapUsed - before) / packets
  assert.ok(ear.playout.acceleratedMs > stretchedBefore)
  assert.ok(grown < 150, `${grown.toFixed(0)} bytes a packet`)
})

test('a way that is longer from one packet on: after the wait nothing is left out, since there is nothing that waits', () => {
  const speech = speechLike(8000 * 16, 8000, 3)
  for (const ms of [150, 300, 400, 600, 900]) {
    const { ear, made } = listen(speech, n => (n < 200 ? 0 : ms))
    const { acceleratedMs, dropped } = ear.playout
    assert.ok(made / 8 <= ms + 150, `${ms} ms longer: ${made / 8} ms made up`)
    assert.ok(
      acceleratedMs <= 150 && dropped === 0,
      `${ms} ms longer: ${acceleratedMs} ms left out, ${dropped} dropped`,
    )
  }
})

test.run()
