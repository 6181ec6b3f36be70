import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Arrival, opinionScore } from '../../core/metrics/opinion-score.ts'

const score = (fields: Partial<Arrival>): number =>
  opinionScore({ packetsReceived: 1000, packetsLost: 0, jitterMs: 0, roundTripMs: 0, ...fields }) ?? 0

test('a clean line is what G.107 says of its defaults: R = 93.2, 4.41', () => {
  assert.ok(Math.abs(score({}) - 4.4) < 0.02, String(score({})))
})

test('known points: 1, 5 and 10 % of loss with concealment', () => {
  // Ie,eff = 95 · P / (P + 25.1): 3.6, 15.8 and 27.1 points of R off 92.7.
  for (const [lost, expected] of [
    [10, 4.32],
    [52, 3.93],
    [111, 3.4],
  ] as const) {
    assert.ok(Math.abs(score({ packetsLost: lost }) - expected) < 0.06, `${lost}: ${score({ packetsLost: lost })}`)
  }
})

test('worse never sounds better, and the scale is kept', () => {
  const steps = [0, 1, 5, 20, 100, 500, 5000]
  for (const field of ['packetsLost', 'jitterMs', 'roundTripMs'] as const) {
    const scores = steps.map(value => score({ [field]: value }))
    assert.equal(
      scores,
      [...scores].sort((a, b) => b - a),
    )
    for (const each of scores) assert.ok(each >= 1 && each <= 4.5)
  }
})

test('before the first packet there is nothing to say; duplicates may make the loss negative', () => {
  assert.is(opinionScore({ packetsReceived: 0, packetsLost: 0, jitterMs: 0, roundTripMs: undefined }), undefined)
  assert.is(score({ packetsLost: -5 }), score({}))
})

test.run()
