import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { JitterBuffer } from '../../../rtp/jitter/jitter-buffer.ts'
import { packetsOf30Ms } from '../../fixtures/captures.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { type Arrival, inOrder, kinds, listen, packetOf, stream } from './jitter-listener.ts'

test('an even stream comes out whole and in order after one wait, at every ptime', () => {
  for (const ptimeMs of [10, 20, 30, 40, 60])
    for (const frameMs of [10, 20, 60]) {
      const arrivals = stream(200, ptimeMs)
      const { buffer, received, frames } = listen(arrivals, 200 * ptimeMs + 200, {}, frameMs)
      assert.equal(
        frames.map(one => one.timestamp),
        arrivals.map(one => one.timestamp),
        `ptime ${ptimeMs} listener ${frameMs}`,
      )
      assert.match(kinds(received), /^w+f+w*$/)
      assert.equal([buffer.counters.lost, buffer.counters.late, buffer.counters.dropped], [0, 0, 0])
    }
})

test('a lost packet is lost once, and its time is reported', () => {
  const arrivals = stream(20)
  const { buffer, received } = listen(
    arrivals.filter((_, i) => i !== 5 && i !== 9 && i !== 10),
    600,
  )
  assert.match(kinds(received), /^w+f{5}lf{3}l{2}f{9}w+$/)
  assert.is(
    received.filter(one => one.kind === 'lost').every(one => one.units === 160),
    true,
  )
  assert.is(buffer.counters.lost, 3)
})

test('packets out of order and twice are put right', () => {
  const arrivals = stream(50).map((one, i) => ({ ...one, at: one.at + (i % 5 === 2 ? 25 : 0) }))
  const twice = arrivals.flatMap((one, i) => (i % 7 === 0 ? [one, { ...one, at: one.at + 3 }] : [one]))
  const { buffer, frames } = listen(twice, 1300)
  assert.equal(
    frames.map(one => one.timestamp),
    arrivals.map(one => one.timestamp),
  )
  assert.is(buffer.counters.duplicate, 8)
})

test('the delay grows to what the network needs: then nothing more is late', () => {
  const random = seeded(5)
  const arrivals = stream(1500).map(one => ({ ...one, at: one.at + 90 * random() }))
  const { buffer, received, frames } = listen(arrivals, 31_000)
  assert.ok(inOrder(frames, arrivals))
  assert.ok(buffer.aimMs >= 80 && buffer.aimMs <= 95, `${buffer.aimMs}`)
  const settled = received.filter(one => one.at > 2000 && one.at < 29_000)
  assert.ok(settled.filter(one => one.kind !== 'frame').length <= 5, kinds(settled))
  assert.ok(frames.length >= 1490)
})

test('and shrinks when the network calms down', () => {
  const random = seeded(6)
  const arrivals = stream(3000).map((one, i) => ({ ...one, at: one.at + (i < 500 ? 140 * random() : 2 * random()) }))
  const { buffer, received, frames } = listen(arrivals, 61_000)
  assert.ok(inOrder(frames, arrivals))
  assert.ok(buffer.aimMs <= 25, `${buffer.aimMs}`)
  assert.ok(buffer.counters.dropped >= 3 && buffer.counters.dropped < 10, `${buffer.counters.dropped}`)
  const last = received.findLast(one => one.kind === 'frame')!
  const sentAt = arrivals.find(one => one.timestamp === last.timestamp)!.at
  assert.ok(last.at - sentAt < 90, `${last.at - sentAt}`)
})

test('a recording keeps all of it', () => {
  const random = seeded(6)
  const arrivals = stream(1000).map((one, i) => ({ ...one, at: one.at + (i < 500 ? 140 * random() : 0) }))
  const { buffer, frames } = listen(arrivals, 21_000, { keepAll: true, minDelayMs: 200, firstDelayMs: 200 })
  assert.is(buffer.counters.dropped, 0)
  assert.is(frames.length + buffer.counters.lost, 1000)
})

test('random networks: in order, each at most once, all accounted for', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seeded(seed)
    const ptimeMs = [10, 20, 30, 40, 60][seed % 5]!
    const loss = random() * 0.3
    const jitter = random() * 150
    const arrivals = stream(400, ptimeMs)
    const sent = arrivals
      .filter((_, i) => i === 0 || random() > loss)
      .flatMap(one => (random() < 0.05 ? [one, one] : [one]))
      .map(one => ({ ...one, at: one.at + jitter * random() ** 3 }))
    const { buffer, frames } = listen(sent, 400 * ptimeMs + 1000)
    assert.ok(inOrder(frames, arrivals), `seed ${seed}`)
    const { queued, dropped, late, duplicate } = buffer.counters
    assert.is(queued + late + duplicate, sent.length, `seed ${seed}`)
    assert.is(queued, frames.length + dropped + buffer.size, `seed ${seed}`)
    assert.ok(late <= 5 + sent.length * 0.05, `seed ${seed}: ${late} late`)
  }
})

test('silence suppression: nothing is lost in a gap, and the aim is restored after it', () => {
  const arrivals = stream(60).map((one, i) =>
    i < 30 ? one : { ...one, at: one.at + 2000, timestamp: (one.timestamp + 16_000) >>> 0 },
  )
  const { buffer, received } = listen(arrivals, 4000)
  assert.match(kinds(received), /^w+f{30}w+f{30}w+$/)
  assert.is(buffer.counters.lost, 0)
  const resumed = received.find(one => one.kind === 'frame' && one.at > 2000)!
  assert.ok(resumed.at - arrivals[30]!.at >= 20)
})

test('a short gap inside the delay is silence, not loss', () => {
  const arrivals = stream(40).map((one, i) =>
    i < 20 ? one : { ...one, at: one.at - 0, timestamp: (one.timestamp + 80) >>> 0 },
  )
  const { received, buffer } = listen(arrivals, 1000)
  assert.is(received.filter(one => one.kind === 'gap' && one.units === 80).length, 1)
  assert.is(buffer.counters.lost, 0)
})

test('telephone-events in the stream are not missing audio', () => {
  const arrivals = stream(60).map((one, i) =>
    i >= 20 && i < 30 ? { ...one, noted: true, timestamp: (0xffff_0000 + 20 * 160) >>> 0 } : one,
  )
  const { buffer, received } = listen(arrivals, 1500)
  assert.is(received.filter(one => one.kind === 'lost').length, 0)
  assert.is(received.filter(one => one.kind === 'frame').length, 50)
  assert.equal([buffer.counters.lost, buffer.counters.late], [0, 0])
})

test('another source is believed at its second packet, or at once after silence', () => {
  const before = stream(20)
  const after = stream(20, 20, { sequence: 9, timestamp: 77 }).map(one => ({ ...one, ssrc: 8, at: one.at + 400 }))
  const { buffer, frames } = listen([...before, ...after], 1000)
  assert.equal([buffer.counters.restarts, buffer.counters.doubtful], [1, 1])
  assert.ok(frames.length >= 38)
  assert.is(frames.filter(one => one.joins).length, 1)
  const paused = listen([...before, ...after.map(one => ({ ...one, at: one.at + 500 }))], 1600)
  assert.is(paused.frames.length, 40)
  assert.is(paused.buffer.counters.doubtful, 0)
})

/** As a recording takes them: whatever is there. */
function takeAll(arrivals: readonly Arrival[]) {
  const buffer = new JitterBuffer({ keepAll: true })
  const received: number[] = []
  let joins = 0
  const drain = (now: number) => {
    for (let pulled = buffer.pull(now); pulled !== 'waiting'; pulled = buffer.pull(now)) {
      assert.is(pulled, 'frame')
      received.push(buffer.frameTimestamp)
      if (buffer.frameJoins) joins++
    }
  }
  for (const arrival of arrivals) {
    const packet = packetOf(arrival)
    buffer.push(packet, packet.length, arrival.at)
    drain(arrival.at)
  }
  drain(60_000)
  return { buffer, received, joins }
}

test('the first packet of another source or place is played too: recordings, which hold nothing back, miss nothing', () => {
  const before = stream(20)
  const behind = (sequence: number, timestamp: number, ssrc: number) =>
    stream(20, 20, { sequence, timestamp }).map(one => ({ ...one, ssrc, at: one.at + 400 }))
  for (const after of [behind(9, 77, 8), behind(65_535, 77, 8), behind(20_000, 20 * 160, 7), behind(21, 20 * 160, 8)]) {
    const { buffer, received, joins } = takeAll([...before, ...after])
    assert.equal(
      received,
      [...before, ...after].map(({ timestamp }) => timestamp),
    )
    assert.is(joins, 1)
    assert.equal([buffer.counters.lost, buffer.counters.restarts, buffer.counters.doubtful], [0, 1, 1])
  }
  // A source that sends nothing more was none, and neither is one that comes back much later.
  const odd = { at: 401, ssrc: 8, sequence: 9, timestamp: 77 }
  const late = stream(20, 20, { sequence: 10, timestamp: 237 }).map(one => ({ ...one, ssrc: 8, at: one.at + 900 }))
  const { received } = takeAll([...before, odd, ...late])
  assert.equal(
    received,
    [...before, ...late].map(({ timestamp }) => timestamp),
  )
})

test('a first packet with number 0 that overtook the one with 65535 is followed by both', () => {
  const arrivals = [0, 65_535, 1, 2, 3, 4].map((sequence, i) => ({
    at: i === 1 ? 1 : i * 20,
    sequence,
    timestamp: ((sequence + 1) & 0xffff) * 160,
  }))
  assert.equal(takeAll(arrivals).received, [0, 160, 320, 480, 640, 800])
})

test('single packets of an unknown source change nothing', () => {
  const arrivals = stream(100)
  const random = seeded(2)
  const foreign = arrivals
    .filter((_, i) => i % 9 === 4)
    .map(one => ({ at: one.at + 1, ssrc: Math.floor(random() * 2 ** 32), sequence: 1, timestamp: 1 }))
  const { buffer, frames } = listen([...arrivals, ...foreign], 2200)
  assert.is(frames.length, 100)
  assert.is(buffer.counters.doubtful, foreign.length)
})

test('a leap of the sequence is believed at its second packet; of the timestamp, at once', () => {
  const leap = (sequence: number, timestamp: number) =>
    stream(60).map((one, i) =>
      i < 30
        ? one
        : { ...one, sequence: (one.sequence + sequence) & 0xffff, timestamp: (one.timestamp + timestamp) >>> 0 },
    )
  for (const [sequence, timestamp] of [
    [20_000, 0],
    [-20_000, 0],
    [30_000, 0x5000_0000],
  ] as const) {
    const { buffer, frames } = listen(leap(sequence, timestamp), 2000)
    assert.ok(frames.length >= 58, `${sequence} ${timestamp} ${frames.length}`)
    assert.equal([buffer.counters.restarts, buffer.counters.doubtful], [1, 1])
  }
  for (const timestamp of [0x5000_0000, -0x5000_0000, 16_000, -16_000, 800_000]) {
    const { frames, received } = listen(leap(0, timestamp), 2000)
    assert.is(frames.length, 60, `${timestamp}`)
    assert.ok(kinds(received).replaceAll(/^w+|w+$/g, '').length <= 65, `${timestamp} ${kinds(received)}`)
  }
})

test('a remote whose timestamps stand still during silence is played again afterwards', () => {
  const arrivals = stream(60).map((one, i) => (i < 30 ? one : { ...one, at: one.at + 3000 }))
  const { frames, buffer } = listen(arrivals, 5000)
  assert.is(frames.length, 60)
  assert.is(buffer.counters.dropped, 0)
})

test('a burst after an outage of 500 ms is played, then the delay is taken back', () => {
  const arrivals = stream(400).map((one, i) => (i >= 100 && i < 125 ? { ...one, at: 10 + 125 * 20 } : one))
  const { buffer, received, frames } = listen(arrivals, 8600)
  assert.ok(inOrder(frames, arrivals))
  const last = received.findLast(one => one.kind === 'frame')!
  const sentAt = arrivals.find(one => one.timestamp === last.timestamp)!.at
  assert.ok(last.at - sentAt <= 300, `${last.at - sentAt} ${buffer.aimMs}`)
})

test('a listener that sleeps finds the newest audio, and the buffer keeps its size', () => {
  const buffer = new JitterBuffer({ capacity: 16 })
  for (const arrival of stream(500)) buffer.push(packetOf(arrival), 172, arrival.at)
  assert.is(buffer.size, 16)
  assert.is(buffer.counters.dropped, 484)
  assert.is(buffer.pull(10_010), 'frame')
  assert.is(buffer.frameTimestamp, (0xffff_0000 + 484 * 160) >>> 0)
  assert.is(buffer.frameJoins, true)
})

test('too long, empty and all other bytes: bounded', () => {
  const buffer = new JitterBuffer({ capacity: 8, slotLength: 160 })
  assert.is(buffer.push(packetOf({ at: 0, sequence: 1, timestamp: 1, length: 161 }), 173, 0), 'oversize')
  assert.is(buffer.push(packetOf({ at: 0, sequence: 1, timestamp: 1, length: 0 }), 12, 0), 'queued')
  assert.is(buffer.pull(1000), 'waiting')
  const random = seeded(4)
  for (let now = 0; now < 60_000; now += 1 + random() * 3) {
    const sequence = Math.floor(random() * 65_536) >> (random() * 14)
    const timestamp = Math.floor(random() * 2 ** 32) >>> (random() * 20)
    const length = Math.floor(random() * 200)
    const packet = packetOf({ at: now, sequence, timestamp, length, ssrc: random() < 0.9 ? 1 : 2 })
    if (random() < 0.1) buffer.note(packet, now)
    else buffer.push(packet, packet.length, now)
    if (random() < 0.3) {
      buffer.pull(now)
      assert.ok(buffer.units >= 0 && buffer.units <= 160)
      assert.ok(buffer.frameFrom + buffer.frameLength <= buffer.payload.length)
    }
    assert.ok(buffer.size <= 8)
  }
})

test('packets of 30 ms that come late by turns come out whole', () => {
  const buffer = new JitterBuffer()
  const datagrams = packetsOf30Ms(236)
  const start = datagrams[0]!.atMs
  let next = 0
  let frames = 0
  for (let now = 0; now < 8000; now += 5) {
    for (; next < datagrams.length && datagrams[next]!.atMs - start <= now; next++)
      buffer.push(datagrams[next]!.bytes, datagrams[next]!.bytes.length, datagrams[next]!.atMs - start)
    if (now % 30 === 0 && buffer.pull(now) === 'frame') frames++
  }
  assert.is(frames, 236)
})

test.run()
