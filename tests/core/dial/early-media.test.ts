import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { trunk } from '../../rig/beds/trunk.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { at, dialling, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

// What the caller receives while several phones ring, of which some send early media and some fail.

const busy = { kind: 'response', status: 486 } as const

/** The leg that the caller receives: the bridged one, the ring tone, or nothing. */
const received = (bed: CallBed): string => {
  let bridged = 'nothing'
  let tone = false
  for (const command of bed.commands) {
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
    const bed = dialling(dial(attributes), before)
    bed.peers.set(far, { ringAfter: 100, endAfter: 2000, cause: busy })
    bed.peers.set(other, { earlyAfter: 300, answerAfter: 4000 })
    const caller = bed.call(at)
    bed.run(1500)
    const [, second] = bed.dialled
    assert.is(received(bed), second)
    bed.run(1500)
    assert.is(received(bed), second, 'after the busy one')
    bed.run(3000)
    assert.is(received(bed), second, 'answered')
    bed.hangUpCaller(caller)
    expectAllEnded(bed)
  })

  test(`a caller who ${what}: the next branch with early media is played when the first fails`, () => {
    const bed = dialling(dial(attributes), before)
    bed.peers.set(far, { earlyAfter: 200, endAfter: 2000, cause: busy })
    bed.peers.set(other, { earlyAfter: 400, answerAfter: 4000 })
    const caller = bed.call(at)
    bed.run(1500)
    const [first, second] = bed.dialled
    assert.is(received(bed), first)
    bed.run(1500)
    assert.is(received(bed), second)
    bed.run(3000)
    assert.is(received(bed), second, 'answered')
    bed.hangUpCaller(caller)
    expectAllEnded(bed)
  })

  test(`a caller who ${what}: early media of another route is played when the first has failed`, () => {
    const bed = dialling(`<Dial${attributes}><Number>${far}</Number></Dial>`, before)
    bed.trunks = [trunk('t1', { priority: 1 }), trunk('t2', { priority: 2 })]
    bed.peers.set(`t1:${far}`, { earlyAfter: 200, endAfter: 2000, cause: { kind: 'response', status: 503 } })
    bed.peers.set(`t2:${far}`, { earlyAfter: 400, answerAfter: 3000 })
    const caller = bed.call(at)
    bed.run(1500)
    assert.is(received(bed), bed.dialled[0])
    bed.run(1500)
    assert.is(received(bed), bed.dialled[0], 'the second')
    bed.run(3000)
    assert.is(received(bed), bed.dialled[0], 'answered')
    bed.hangUpCaller(caller)
    expectAllEnded(bed)
  })
}

test('the remaining branch only rings: the caller hears the ring tone, and gets no 180 after the 183', () => {
  for (const [, attributes, before] of manners) {
    const bed = dialling(dial(attributes), before)
    bed.peers.set(far, { earlyAfter: 200, endAfter: 2000, cause: busy })
    bed.peers.set(other, { ringAfter: 100 })
    const caller = bed.call(at)
    bed.run(1500)
    const ringing = bed.of('leg.ring').length
    bed.run(2000)
    assert.is(received(bed), 'tone')
    assert.is(bed.of('leg.ring').length, ringing)
    bed.hangUpCaller(caller)
    expectAllEnded(bed)
  }
})

test('when the ring timeout is over no early media is played while all are cancelled', () => {
  for (const [, attributes, before] of manners) {
    const bed = dialling(dial(`${attributes} timeout="5"`), before)
    bed.peers.set(far, { earlyAfter: 200 })
    bed.peers.set(other, { earlyAfter: 300 })
    bed.call(at)
    expectAllEnded(bed)
    assert.is(bed.of('media.bridge').length, 1)
  }
})

test.run()
