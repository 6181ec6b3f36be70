import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FrameClock, maxCatchUpFrames } from '../../../rtp/packetize/frame-clock.ts'
import { TickSlots } from '../../../rtp/packetize/tick-slots.ts'
import { seeded } from '../../rig/probes/seeded.ts'

/** Ticks every 5 ms that come up to `unrest` ms late. Returns when frames went out. */
const runFor = (pace: FrameClock, ms: number, unrest: number, random: () => number, from = 1000): number[] => {
  const sent: number[] = []
  for (let grid = from; grid < from + ms; grid += 5) {
    const now = grid + unrest * random()
    if (pace.isPaused) pace.resume(1, now)
    pace.beginTick()
    while (pace.isDue(now)) {
      sent.push(now)
      pace.next(now)
    }
    pace.endTick(now)
  }
  return sent
}

test('ticks that come a little late make packets a little late, never by a tick', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const sent = runFor(new FrameClock(new TickSlots()), 60_000, 2, seeded(seed))
    assert.is(sent.length, 3000)
    for (const [n, at] of sent.entries()) {
      if (n > 0) assert.ok(Math.abs(at - sent[n - 1]! - 20) <= 2.01, `frame ${n}: ${at - sent[n - 1]!} ms`)
    }
  }
})

test('frames of any length keep their mean', () => {
  for (const frameMs of [10, 20, 30, 40, 60]) {
    const pace = new FrameClock(new TickSlots())
    pace.frameMs = frameMs
    const sent = runFor(pace, 60_000, 1, seeded(frameMs))
    assert.ok(Math.abs(sent.length - 60_000 / frameMs) <= 1, `${frameMs} ms: ${sent.length}`)
  }
})

test('legs that begin at once are spread over the ticks of a frame; a few begin at once', () => {
  const beats = new TickSlots()
  const begun = Array.from({ length: 100 }, () => new FrameClock(beats)).map(pace => {
    pace.resume(1, 1000)
    return pace
  })
  const perTick = new Map<number, number>()
  for (const pace of begun) perTick.set(pace.dueAt, (perTick.get(pace.dueAt) ?? 0) + 1)
  assert.equal([...perTick.keys()].sort(), [1000, 1005, 1010, 1015])
  for (const count of perTick.values()) assert.ok(Math.abs(count - 25) <= 8, `${count}`)
  assert.ok(begun.slice(0, 8).every(pace => pace.dueAt === 1000))
})

test('whose work has ended makes room again', () => {
  const beats = new TickSlots()
  for (let n = 0; n < 1000; n++) {
    const pace = new FrameClock(beats)
    pace.resume(4, 1000)
    assert.is(pace.dueAt, 1000, `${n}`)
    pace.close()
    pace.close()
  }
})

test('after a stall a few frames are sent at once, the others are skipped, and time goes on', () => {
  const pace = new FrameClock(new TickSlots())
  const random = seeded(3)
  runFor(pace, 1000, 0, random)
  const sent = runFor(pace, 500, 0, random, 3000)
  assert.is(sent.filter(at => at === 3000).length, maxCatchUpFrames)
  assert.is(pace.stalls, 1)
  assert.is(sent.length, maxCatchUpFrames + 24)
})

test('after a stall every leg keeps its place in the frame: they are not all due at once for ever', () => {
  const beats = new TickSlots()
  const paces = Array.from({ length: 100 }, () => new FrameClock(beats))
  const ticks = (from: number, ms: number): number[] => {
    const counts: number[] = []
    for (let now = from; now < from + ms; now += 5) {
      const sent = paces.map(pace => {
        if (pace.isPaused) pace.resume(1, now)
        let frames = 0
        for (pace.beginTick(); pace.isDue(now); frames++) pace.next(now)
        pace.endTick(now)
        return frames
      })
      counts.push(sent.reduce((all, frames) => all + frames, 0))
    }
    return counts
  }
  ticks(1000, 100)
  const before = ticks(1100, 20)
  // The same place in the frame, whatever the stall's length.
  for (const stallMs of [60, 105, 340, 5000]) {
    const from = (paces[0]?.dueAt ?? 0) + stallMs
    const behind = ticks(Math.ceil(from / 20) * 20, 1000).slice(4)
    for (const [n, count] of behind.entries()) assert.is(count, before[n % 4], `${stallMs} ms, tick ${n}: ${count}`)
  }
})

test('legs that resume together are spread over the ticks like those that begin', () => {
  const beats = new TickSlots()
  const paces = Array.from({ length: 100 }, () => new FrameClock(beats))
  for (const pace of paces) {
    pace.resume(1, 1000)
    pace.next(pace.dueAt)
    pace.pause()
  }
  const skipped = paces.map(pace => pace.resume(1, 3005))
  const perTick = new Map<number, number>()
  for (const pace of paces) perTick.set(pace.dueAt % 20, (perTick.get(pace.dueAt % 20) ?? 0) + 1)
  assert.equal(
    [...perTick.keys()].sort((a, b) => a - b),
    [0, 5, 10, 15],
  )
  for (const count of perTick.values()) assert.ok(Math.abs(count - 25) <= 8, `${count}`)
  for (const [n, pace] of paces.entries()) {
    assert.ok(pace.dueAt >= 3005 && pace.dueAt <= 3020, `${pace.dueAt}`)
    assert.ok(Math.abs(skipped[n]! - 99) <= 1, `${skipped[n]}`)
  }
})

test.run()
