import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { echoSignal, findEcho, signalMs, signalRate } from '../../../core/trunk-test/echo-signal.ts'

const perMs = signalRate / 1000
const length = (signalMs + 1700) * perMs

/** The signal on a line of its own, later and with another level. */
function placed(atMs: number, gain = 1): Int16Array {
  const line = new Int16Array(length)
  echoSignal().forEach((sample, at) => {
    if (at + atMs * perMs < length) line[at + Math.round(atMs * perMs)] = Math.round(sample * gain)
  })
  return line
}

const noise = (seed: number, level: number): Int16Array => {
  let state = seed
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state / 2 ** 31) * level
  })
}

test('its delay is found to 5 ms, at any level, to 1.5 s', () => {
  for (const delay of [0, 40, 123, 600, 1480]) {
    const echo = findEcho(placed(100 + delay, 0.1), placed(100))
    assert.ok(echo && Math.abs(echo.delayMs - delay) <= 5, `${delay}: ${JSON.stringify(echo)}`)
    assert.ok(echo.percent > 95)
  }
})

test('noise and lost packets leave the signal recognisable, and the share shows how much was lost', () => {
  const received = placed(180)
  const rough = noise(1, 1500)
  for (let at = 0; at < length; at++) {
    const isLost = Math.floor(at / (20 * perMs)) % 5 === 0
    received[at] = isLost ? 0 : (received[at] ?? 0) + (rough[at] ?? 0)
  }
  const echo = findEcho(received, placed(80))
  assert.ok(echo && Math.abs(echo.delayMs - 100) <= 5)
  assert.ok(echo.percent > 50 && echo.percent < 90, `${echo.percent}`)
})

test('silence, noise, one steady tone, DTMF and the tones in another order are no echo', () => {
  const tone = (...frequencies: readonly number[]) =>
    Int16Array.from({ length }, (_, at) =>
      frequencies.reduce((sum, hz) => sum + 4000 * Math.sin((2 * Math.PI * hz * at) / signalRate), 0),
    )
  const backward = placed(100).toReversed()
  for (const other of [new Int16Array(length), noise(7, 8000), tone(800), tone(425), tone(770, 1336), backward])
    assert.is(findEcho(other, placed(100)), undefined)
  assert.is(findEcho(placed(100), new Int16Array(length)), undefined)
})

test.run()
