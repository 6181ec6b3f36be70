import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { MediaClock } from '../../../rtp/io/index.ts'

/**
 * A clock in virtual time whose ticks take these times, one after the other. Returns the sleeps before each but the
 * first.
 */
const sleptBetween = (workMs: readonly number[]): Promise<number[]> =>
  new Promise(resolve => {
    let time = 0
    let ticks = 0
    const slept: number[] = []
    const clock = new MediaClock(
      () => {
        time += workMs[ticks++] ?? 0
        slept[ticks] = 0
        if (ticks < workMs.length) return
        clock.stop()
        resolve(slept.slice(1, -1))
      },
      {
        now: () => time,
        sleep: ms => {
          time += ms
          slept[ticks] = (slept[ticks] ?? 0) + ms
        },
      },
    )
    clock.start()
  })

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

test('a thread with more to do than it has time leaves some of it to others', async () => {
  for (const work of [5, 5.5, 6, 11, 40]) {
    const slept = await sleptBetween(Array.from({ length: 80 }, () => work))
    const from = Math.ceil(210 / work)
    assert.is(sum(slept.slice(0, Math.floor(100 / work))), 0, 'not for a moment of it')
    const share = sum(slept.slice(from)) / (slept.slice(from).length * work)
    assert.ok(share > 0.05 && share < 0.12, `${share} of ticks of ${work} ms`)
  }
})

test('a thread that comes late now and then makes up for it at once', async () => {
  const slept = await sleptBetween(Array.from({ length: 60 }, (_, n) => (n % 10 === 0 ? 14 : 1)))
  for (const [n, ms] of slept.entries()) {
    assert.ok(ms <= 4.001, `${ms} ms after tick ${n}`)
    if (n % 10 < 2) assert.is(ms, 0, `after tick ${n}`)
  }
})

test('a stall, however long, is no overload', async () => {
  const slept = await sleptBetween(Array.from({ length: 70 }, (_, n) => (n === 30 ? 700 : 1)))
  for (const ms of slept) assert.ok(ms <= 4.001, `${ms} ms`)
})

test('a thread that has caught up leaves nothing more', async () => {
  const slept = await sleptBetween([...new Array(40).fill(9), ...new Array(40).fill(2)])
  for (const ms of slept.slice(60)) assert.ok(ms <= 3.001, `${ms} ms of a pause of 3`)
})

test('work between ticks begins every 0.8 ms, or 0.4 ms after longer work has ended; messages are taken meanwhile', async () => {
  for (const [workMs, everyMs] of [
    [0.1, 0.8],
    [0.6, 1],
  ] as const) {
    let time = 0
    let messages = 0
    const begun: number[] = []
    const seen: number[] = []
    const clock = new MediaClock(() => {}, {
      now: () => time,
      sleep: ms => {
        time += ms
      },
      between: {
        isWanted: () => true,
        run: now => {
          begun.push(now)
          seen.push(messages)
          // A message of another thread comes as this does: through the event loop.
          setImmediate(() => messages++)
          time += workMs
        },
      },
    })
    clock.start()
    while (begun.length < 12) await new Promise(setImmediate)
    clock.stop()
    assert.is(clock.running, false)
    const steps = begun.slice(1).map((at, n) => at - begun[n]!)
    const usual = steps.filter(step => Math.abs(step - everyMs) < 0.001)
    assert.ok(usual.length >= steps.length / 2, `${steps}`)
    for (const step of steps) assert.ok(step > everyMs - 0.001 && step < 3, `${steps}`)
    assert.ok(seen.at(-1)! >= 8, `${seen}`)
    const before = begun.length
    await new Promise(resolve => setTimeout(resolve, 10))
    assert.is(begun.length, before, 'stopped')
  }
})

test('between two ticks it is looked for packets while that is wanted, and ticks keep their grid', async () => {
  const betweens: number[] = []
  const ticks: number[] = []
  let isWanted = true
  const clock = new MediaClock((_now, tickAt) => ticks.push(tickAt), {
    // The thread's own time stands still while it does nothing: each look at the clock is a quarter of a millisecond later.
    now: () => {
      time += 0.25
      return time
    },
    sleep: ms => {
      time += ms
    },
    between: {
      isWanted: () => isWanted,
      run: now => betweens.push(now),
    },
  })
  let time = 0
  clock.start()
  const until = async (count: number) => {
    while (ticks.length < count) await new Promise(resolve => setTimeout(resolve, 1))
  }
  await until(4)
  assert.ok(betweens.length >= 4, `${betweens.length} times between ${ticks.length} ticks`)
  for (const at of betweens) assert.ok(!ticks.includes(at))
  isWanted = false
  // What was armed before may still run, up to the next tick.
  await until(ticks.length + 1)
  const before = betweens.length
  await until(ticks.length + 3)
  clock.stop()
  assert.is(betweens.length, before, 'not wanted any more')
  for (const [n, at] of ticks.entries()) assert.is((at - ticks[0]!) % 5, 0, `tick ${n} at ${at}`)
})

test.run()
