import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { glareWaitMs, retryAfterSeconds } from '../../../sip/invite/offer-waits.ts'

const almost = 1 - 2 ** -53
const fractions = [0, 0.0137, 0.25, 0.5, 0.777, 0.999, almost]

test('after a 491 the side that made the Call-ID waits 2.1 to 4 s, the other 0 to 2 s, in steps of 10 ms', () => {
  assert.equal([glareWaitMs(true, 0), glareWaitMs(true, almost)], [2100, 4000])
  assert.equal([glareWaitMs(false, 0), glareWaitMs(false, almost)], [0, 2000])
  for (const fraction of fractions)
    for (const weCalled of [true, false]) assert.is(glareWaitMs(weCalled, fraction) % 10, 0)
})

test('an offer in the wrong state may come again after 0 to 10 whole seconds', () => {
  assert.equal(fractions.map(retryAfterSeconds), [0, 0, 2, 5, 8, 10, 10])
})

test.run()
