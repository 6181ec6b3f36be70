import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { action, at, dialling, dialTo, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

test('children ring together, the first answer wins, the others are cancelled', () => {
  const rig = dialling(dialTo(far, other, '+254755555555'))
  rig.peers.set(far, { ringAfter: 50, earlyAfter: 100 })
  rig.peers.set(other, { ringAfter: 60, answerAfter: 1000, byeAfter: 3000 })
  rig.peers.set('+254755555555', { endAfter: 200 })
  rig.call(at)
  rig.run(1500)
  const [bridge, again] = rig.of('media.bridge')
  assert.is.not(bridge?.otherLegId, again?.otherLegId)
  assert.is(rig.dialled.length, 1)
  const lost = rig.of('leg.end').filter(({ reason }) => reason === 'END.0487')
  assert.equal(
    lost.map(({ isAnsweredElsewhere }) => isAnsweredElsewhere),
    [true],
  )
  expectAllEnded(rig)
  assert.is(action(rig).DialCallStatus, 'completed')
  assert.is(rig.store.charged, 30_000)
  assert.equal(rig.codes().filter(code => code === 'DIAL.0400').length, 2)
})

test('two answers at the same moment: one wins, the other is ended and not charged', () => {
  const rig = dialling(dialTo(far, other))
  rig.peers.set(far, { answerAfter: 1000, byeAfter: 3000 })
  rig.peers.set(other, { answerAfter: 1000, byeAfter: 3000 })
  rig.call(at)
  expectAllEnded(rig)
  assert.is(rig.store.charged, 30_000)
  assert.is(action(rig).DialCallStatus, 'completed')
})

test('several children all failing: busy over no-answer over failed', () => {
  const rig = dialling(dialTo(far, other, '+254755555555'))
  rig.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 404 } })
  rig.peers.set(other, { endAfter: 200, cause: { kind: 'response', status: 486 } })
  rig.peers.set('+254755555555', { endAfter: 300, cause: { kind: 'response', status: 480 } })
  rig.call(at)
  expectAllEnded(rig)
  assert.is(action(rig).DialCallStatus, 'busy')
})

test('sequential: the next is dialled only after the cancelled one has ended', () => {
  const rig = dialling(
    `<Dial action="/after" timeout="2" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
  )
  rig.endLatencyMs = 500
  rig.peers.set(far, { ringAfter: 50 })
  rig.peers.set(other, { answerAfter: 300, byeAfter: 1000 })
  rig.call(at)
  rig.run(2300)
  assert.is(rig.of('leg.dial').length, 1)
  expectAllEnded(rig)
  assert.is(rig.of('leg.dial').length, 2)
  assert.is(action(rig).DialCallStatus, 'completed')
})

test('sequential: a cancelled child that never confirms holds the next one up for two seconds, no more', () => {
  for (const [lateAnswerMs, endLatencyMs] of [
    [undefined, 32_000],
    [1500, 32_000],
    [9000, 32_000],
    [undefined, 10_000_000],
  ] as const) {
    const rig = dialling(
      `<Dial action="/after" timeout="5" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
    )
    rig.endLatencyMs = endLatencyMs
    rig.peers.set(far, { ringAfter: 50, ...(lateAnswerMs === undefined ? {} : { answerAfter: 5000 + lateAnswerMs }) })
    rig.peers.set(other, { answerAfter: 300, byeAfter: 60_000 })
    rig.call(at)
    rig.run(6900)
    assert.is(rig.of('leg.dial').length, 1)
    rig.run(300)
    assert.is(rig.of('leg.dial').length, 2)
    rig.run(100_000)
    assert.is(action(rig).DialCallStatus, 'completed')
    assert.is(action(rig).DialCallDuration, 60)
    assert.is(rig.of('leg.end').filter(({ reason }) => reason === 'END.0408').length, 1)
    assert.is(rig.of('media.bridge').length, 1)
    assert.is(rig.store.charged, 30_000, 'the minute of the one who answered in time')
    assert.equal(
      rig.codes().filter(code => code.startsWith('DIAL.0') && code !== 'DIAL.0180'),
      ['DIAL.0100', 'DIAL.0400', 'DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
    )
    rig.run(100_000)
    assert.ok(rig.exchange.isEmpty)
  }
})

test('sequential: each silent child costs its own two seconds, and the last of them none', () => {
  const rig = dialling(
    `<Dial action="/after" timeout="5" sequential="true">${[far, other, '+254755555555'].map(number => `<Number>${number}</Number>`).join('')}</Dial>`,
  )
  rig.endLatencyMs = 32_000
  for (const number of [far, other, '+254755555555']) rig.peers.set(number, { ringAfter: 50 })
  rig.call(at)
  rig.run(18_900)
  assert.is(rig.of('leg.dial').length, 3)
  assert.is(rig.posts.filter(post => post.url.endsWith('/after')).length, 0)
  rig.run(300)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(action(rig).DialReasonCode, 'END.0408')
  expectAllEnded(rig)
})

test('sequential: both time out', () => {
  const rig = dialling(
    `<Dial action="/after" timeout="2" sequential="true"><Number>${far}</Number><Number>${other}</Number></Dial>`,
  )
  rig.peers.set(far, { ringAfter: 50 })
  rig.peers.set(other, { ringAfter: 50 })
  rig.call(at)
  expectAllEnded(rig)
  assert.is(action(rig).DialCallStatus, 'no-answer')
  assert.is(rig.of('leg.dial').length, 2)
})

test.run()
