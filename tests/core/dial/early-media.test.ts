import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { trunk } from '../../rig/beds/trunk.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { at, dialling, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

// What the caller hears while several are rung, of whom some send early media and some fail.

const busy = { kind: 'response', status: 486 } as const

/** Whom the caller hears: the leg that is bridged, the ring tone, or nothing. */
const received = (rig: CallBed): string => {
  let bridged = 'nothing'
  let tone = false
  for (const command of rig.commands) {
    if (command.type === 'media.bridge') bridged = command.otherLegId
    if (command.type === 'media.unbridge') bridged = 'nothing'
    if (command.type === 'media.play' && command.source.kind === 'tone') tone = true
    if (command.type === 'media.stop') tone = false
  }
  return tone ? 'tone' : bridged
}

const dial = (attributes = '') => `<Dial${attributes}><Number>${far}</Number><Number>${other}</Number></Dial>`
const manners = [
  ['rings as well', '', ''],
  ['was answered after a Say', '', '<Say>Hi</Say>'],
  ['is answered at once', ' answerOnBridge="false"', ''],
] as const

for (const [what, attributes, before] of manners) {
  test(`a caller who ${what}: a branch that fails does not stop the early media of another`, () => {
    const rig = dialling(dial(attributes), before)
    rig.peers.set(far, { ringAfter: 100, endAfter: 2000, cause: busy })
    rig.peers.set(other, { earlyAfter: 300, answerAfter: 4000 })
    const caller = rig.call(at)
    rig.run(1500)
    const [, second] = rig.dialled
    assert.is(received(rig), second)
    rig.run(1500)
    assert.is(received(rig), second, 'after the busy one')
    rig.run(3000)
    assert.is(received(rig), second, 'answered')
    rig.hangUpCaller(caller)
    expectAllEnded(rig)
  })

  test(`a caller who ${what}: the next branch with early media is played when the first fails`, () => {
    const rig = dialling(dial(attributes), before)
    rig.peers.set(far, { earlyAfter: 200, endAfter: 2000, cause: busy })
    rig.peers.set(other, { earlyAfter: 400, answerAfter: 4000 })
    const caller = rig.call(at)
    rig.run(1500)
    const [first, second] = rig.dialled
    assert.is(received(rig), first)
    rig.run(1500)
    assert.is(received(rig), second)
    rig.run(3000)
    assert.is(received(rig), second, 'answered')
    rig.hangUpCaller(caller)
    expectAllEnded(rig)
  })

  test(`a caller who ${what}: early media of another route is played when the first has failed`, () => {
    const rig = dialling(`<Dial${attributes}><Number>${far}</Number></Dial>`, before)
    rig.trunks = [trunk('t1', { priority: 1 }), trunk('t2', { priority: 2 })]
    rig.peers.set(`t1:${far}`, { earlyAfter: 200, endAfter: 2000, cause: { kind: 'response', status: 503 } })
    rig.peers.set(`t2:${far}`, { earlyAfter: 400, answerAfter: 3000 })
    const caller = rig.call(at)
    rig.run(1500)
    assert.is(received(rig), rig.dialled[0])
    rig.run(1500)
    assert.is(received(rig), rig.dialled[0], 'the second')
    rig.run(3000)
    assert.is(received(rig), rig.dialled[0], 'answered')
    rig.hangUpCaller(caller)
    expectAllEnded(rig)
  })
}

test('the remaining branch only rings: the caller hears the ring tone, and gets no 180 after the 183', () => {
  for (const [, attributes, before] of manners) {
    const rig = dialling(dial(attributes), before)
    rig.peers.set(far, { earlyAfter: 200, endAfter: 2000, cause: busy })
    rig.peers.set(other, { ringAfter: 100 })
    const caller = rig.call(at)
    rig.run(1500)
    const ringing = rig.of('leg.ring').length
    rig.run(2000)
    assert.is(received(rig), 'tone')
    assert.is(rig.of('leg.ring').length, ringing)
    rig.hangUpCaller(caller)
    expectAllEnded(rig)
  }
})

test('when the ring timeout is over no early media is played while all are cancelled', () => {
  for (const [, attributes, before] of manners) {
    const rig = dialling(dial(`${attributes} timeout="5"`), before)
    rig.peers.set(far, { earlyAfter: 200 })
    rig.peers.set(other, { earlyAfter: 300 })
    rig.call(at)
    expectAllEnded(rig)
    assert.is(rig.of('media.bridge').length, 1)
  }
})

test.run()
