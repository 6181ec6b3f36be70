import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LossPattern } from '../../../rtp/stats/loss-pattern.ts'
import { qualityOf } from '../../../rtp/stats/quality.ts'
import { seeded } from '../../rig/probes/seeded.ts'

/** Packets of which `isLost` says which never come, and enough after them that all are decided. */
function patternOf(count: number, isLost: (index: number) => boolean): LossPattern {
  const pattern = new LossPattern()
  for (let index = 0; index < count; index++) if (!isLost(index)) pattern.receive(1000 + index)
  for (let index = count; index < count + 100; index++) pattern.receive(1000 + index)
  return pattern
}

test('random loss has a burst ratio of 1, whatever its rate', () => {
  for (const rate of [0.01, 0.05, 0.1, 0.3]) {
    const random = seeded(Math.round(rate * 1000))
    const lost = Array.from({ length: 100_000 }, () => random() < rate)
    const { burstRatio } = patternOf(lost.length, index => lost[index] === true)
    assert.ok(Math.abs(burstRatio - 1) < 0.05, `${rate}: ${burstRatio}`)
  }
})

test('losses in runs: the mean run, against that of random loss (G.107)', () => {
  // Runs of 5 in 100.
  const { burstRatio } = patternOf(10_000, index => index % 100 < 5 && index >= 100)
  assert.ok(Math.abs(burstRatio - 5 * 0.95) < 0.05, `${burstRatio}`)
  assert.is(patternOf(1000, () => false).burstRatio, 1)
})

test('packets out of order within the patience are not lost, those beyond are', () => {
  const pattern = new LossPattern()
  const order = Array.from({ length: 400 }, (_, index) => index)
  // Each tenth comes twenty places late.
  for (const index of [...order].sort((a, b) => late(a) - late(b))) pattern.receive(index)
  assert.is(pattern.burstRatio, 1)
  assert.equal(pattern.burstGap.gapDensity, 0)
  const slow = new LossPattern()
  for (let index = 0; index < 200; index++) if (index !== 50) slow.receive(index)
  slow.receive(50)
  assert.ok(slow.burstGap.gapPackets > 0 && slow.burstGap.burstDensity === 1)
})
const late = (index: number): number => (index % 10 === 5 ? index + 20.5 : index)

test('bursts and gaps as RFC 3611 §4.7.2 has them: a burst of every second packet lost, in a line without loss', () => {
  // 20 packets of which every second is lost, in 1000.
  const pattern = patternOf(50_000, index => index % 1000 >= 500 && index % 1000 < 520 && index % 2 === 0)
  const { burstDensity, gapDensity, burstPackets, gapPackets } = pattern.burstGap
  assert.ok(Math.abs(burstDensity - 0.5) < 0.03, `${burstDensity}`)
  assert.ok(gapDensity < 0.001, `${gapDensity}`)
  assert.ok(Math.abs(burstPackets - 19) <= 1, `${burstPackets}`)
  assert.ok(Math.abs(gapPackets - 981) < 25, `${gapPackets}`)
})

test('a lone loss in a while belongs to the gap', () => {
  const pattern = patternOf(50_000, index => index % 100 === 50)
  assert.ok(pattern.burstGap.gapDensity > 0.009 && pattern.burstGap.gapDensity < 0.011)
})

test('a source that counts again has not lost what lies between', () => {
  const pattern = new LossPattern()
  for (let index = 0; index < 100; index++) pattern.receive(index)
  pattern.restart(50_000)
  for (let index = 50_000; index < 50_100; index++) pattern.receive(index)
  assert.is(pattern.burstRatio, 1)
  assert.is(pattern.burstGap.gapDensity, 0)
})

test('no order of arrival breaks it: its figures stay in range', () => {
  const random = seeded(9)
  for (let round = 0; round < 200; round++) {
    const pattern = new LossPattern()
    let index = Math.floor(random() * 70_000)
    for (let packet = 0; packet < 300; packet++) {
      index += Math.floor((random() - 0.3) * (random() < 0.02 ? 3000 : 6))
      if (random() < 0.01) pattern.restart(index)
      else pattern.receive(index)
      const { burstDensity, gapDensity, burstPackets, gapPackets } = pattern.burstGap
      assert.ok(burstDensity >= 0 && burstDensity <= 1 && gapDensity >= 0 && gapDensity <= 1)
      assert.ok(burstPackets >= 0 && gapPackets >= 0 && Number.isFinite(burstPackets + gapPackets))
      assert.ok(pattern.burstRatio >= 1 && Number.isFinite(pattern.burstRatio))
    }
  }
})

test('the E-model at known points: G.107 with its defaults, losses of G.113', () => {
  const near = (value: number, wanted: number, by = 0.01) => assert.ok(Math.abs(value - wanted) < by, `${value}`)
  near(qualityOf(0, 0).r, 93.2)
  near(qualityOf(0, 0).mos, 4.41)
  // 93.2 − 95 · 5 / (5 + 25.1)
  near(qualityOf(0.05, 0).r, 93.2 - (95 * 5) / 30.1)
  near(qualityOf(0, 150).r, 93.2 - 0.024 * 150)
  near(qualityOf(0, 300).r, 93.2 - 0.024 * 300 - 0.11 * (300 - 177.3))
  // As many losses in bursts are worse: 95 · 5 / (5 / 3 + 25.1).
  near(qualityOf(0.05, 0, { burstRatio: 3 }).r, 93.2 - (95 * 5) / (5 / 3 + 25.1))
  assert.ok(qualityOf(0.05, 0, { codec: 'opus' }).mos < qualityOf(0.05, 0, { codec: 'PCMA' }).mos)
  near(qualityOf(0, 0, { codec: 'opus' }).mos, 4.41)
  near(qualityOf(1, 500).mos, 1, 0.05)
})

test.run()
