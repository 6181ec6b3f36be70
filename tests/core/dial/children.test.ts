import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { action, at, dialling, dialTo, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

test('children ring together, the first answer wins, the others are cancelled', () => {
  const bed = dialling(dialTo(far, other, '+254755555555'))
  bed.peers.set(far, { ringAfter: 50, earlyAfter: 100 })
  bed.peers.set(other, { ringAfter: 60, answerAfter: 1000, byeAfter: 3000 })
  bed.peers.set('+254755555555', { endAfter: 200 })
  bed.call(at)
  bed.run(1500)
  const [bridge, again] = bed.of('media.bridge')
  assert.is.not(bridge?.otherLegId, again?.otherLegId)
  assert.is(bed.dialled.length, 1)
  const lost = bed.of('leg.end').filter(({ reason }) => reason === 'END.0487')
  assert.equal(
    lost.map(({ isAnsweredElsewhere }) => isAnsweredElsewhere),
    [true],
  )
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'completed')
  assert.is(bed.store.charged, 30_000)
  assert.equal(bed.codes().filter(code => code === 'DIAL.0400').length, 2)
})

test('two answers at the same moment: one wins, the other is ended and not charged', () => {
  const bed = dialling(dialTo(far, other))
  bed.peers.set(far, { answerAfter: 1000, byeAfter: 3000 })
  bed.peers.set(other, { answerAfter: 1000, byeAfter: 3000 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.store.charged, 30_000)
  assert.is(action(bed).DialCallStatus, 'completed')
})

test('several children all failing: busy over no-answer over failed', () => {
  const bed = dialling(dialTo(far, other, '+254755555555'))
  bed.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 404 } })
  bed.peers.set(other, { endAfter: 200, cause: { kind: 'response', status: 486 } })
  bed.peers.set('+254755555555', { endAfter: 300, cause: { kind: 'response', status: 480 } })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'busy')
})

test('sequential: the next is dialled only after the cancelled one has ended', () => {
  const bed = dialling(
    `<Dial action="/after" timeout="2" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
  )
  bed.endLatencyMs = 500
  bed.peers.set(far, { ringAfter: 50 })
  bed.peers.set(other, { answerAfter: 300, byeAfter: 1000 })
  bed.call(at)
  bed.run(2300)
  assert.is(bed.of('leg.dial').length, 1)
  expectAllEnded(bed)
  assert.is(bed.of('leg.dial').length, 2)
  assert.is(action(bed).DialCallStatus, 'completed')
})

test('sequential: a cancelled child that never confirms holds the next one up for two seconds, no more', () => {
  for (const [lateAnswerMs, endLatencyMs] of [
    [undefined, 32_000],
    [1500, 32_000],
    [9000, 32_000],
    [undefined, 10_000_000],
  ] as const) {
    const bed = dialling(
      `<Dial action="/after" timeout="5" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
    )
    bed.endLatencyMs = endLatencyMs
    bed.peers.set(far, { ringAfter: 50, ...(lateAnswerMs === undefined ? {} : { answerAfter: 5000 + lateAnswerMs }) })
    bed.peers.set(other, { answerAfter: 300, byeAfter: 60_000 })
    bed.call(at)
    bed.run(6900)
    assert.is(bed.of('leg.dial').length, 1)
    bed.run(300)
    assert.is(bed.of('leg.dial').length, 2)
    bed.run(100_000)
    assert.is(action(bed).DialCallStatus, 'completed')
    assert.is(action(bed).DialCallDuration, 60)
    assert.is(bed.of('leg.end').filter(({ reason }) => reason === 'END.0408').length, 1)
    assert.is(bed.of('media.bridge').length, 1)
    assert.is(bed.store.charged, 30_000, 'the minute of the one who answered in time')
    assert.equal(
      bed.codes().filter(code => code.startsWith('DIAL.0') && code !== 'DIAL.0180'),
      ['DIAL.0100', 'DIAL.0400', 'DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
    )
    bed.run(100_000)
    assert.ok(bed.exchange.isEmpty)
  }
})

test('sequential: each silent child costs its own two seconds, and the last of them none', () => {
  const bed = dialling(
    `<Dial action="/after" timeout="5" sequential="true">${[far, other, '+254755555555'].map(number => `<Number>${number}</Number>`).join('')}</Dial>`,
  )
  bed.endLatencyMs = 32_000
  for (const number of [far, other, '+254755555555']) bed.peers.set(number, { ringAfter: 50 })
  bed.call(at)
  bed.run(18_900)
  assert.is(bed.of('leg.dial').length, 3)
  assert.is(bed.posts.filter(post => post.url.endsWith('/after')).length, 0)
  bed.run(300)
  assert.is(action(bed).DialCallStatus, 'no-answer')
  assert.is(action(bed).DialReasonCode, 'END.0408')
  expectAllEnded(bed)
})

test('sequential: both time out', () => {
  const bed = dialling(
    `<Dial action="/after" timeout="2" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
  )
  bed.peers.set(far, { ringAfter: 50 })
  bed.peers.set(other, { ringAfter: 50 })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'no-answer')
  assert.is(bed.of('leg.dial').length, 2)
})

test.run()
