import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid } from '../../../core/model/ids.ts'
import { acme, own } from '../bed/acme.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { RoomBed } from '../bed/room-bed.ts'

// <Dial><Conference>, in virtual time: how callers come and go, and what is kept of it.

/** Longer than anybody here waits or talks. */
const roomsEndMs = 700_000

test('hangupOnStar and timeLimit take one caller out, with the rest of its document; digits are reported', () => {
  const rig = new RoomBed()
  const a = rig.guest('>r', 'hangupOnStar="true"')
  const b = rig.guest('>r', 'timeLimit="7"')
  const c = rig.guest('>r')
  for (const leg of [b, c]) rig.press(leg, '*')
  rig.run(1000)
  assert.is(rig.actions().length, 0)
  rig.press(a, '5')
  rig.press(a, '*')
  rig.run(1000)
  assert.is(rig.actions()[0]?.DialReasonCode, 'END.0200')
  assert.is(rig.reported(a).at(-1), 'leave')
  rig.timerLateMs = 3
  rig.run(10_000)
  assert.is(rig.actions()[1]?.DialReasonCode, 'END.0210')
  assert.is(rig.actions()[1]?.DialCallDuration, 7)
  assert.is(rig.codes().filter(code => code === 'DTMF.0100').length, 4)
  assert.is(rig.of('media.send-digits').length, 0, 'and not passed on')
  for (const leg of [a, b, c]) rig.hangUpCaller(leg)
  expectAllEnded(rig, roomsEndMs)
})

for (const [beep, enters, leaves] of [
  ['', true, true],
  ['beep="true"', true, true],
  ['beep="onEnter"', true, false],
  ['beep="onExit"', false, true],
  ['beep="false"', false, false],
] as const) {
  test(`tones of who enters and leaves: ${beep || 'by default'}`, () => {
    const rig = new RoomBed()
    const [a, b] = [rig.guest('beep="false">r'), rig.guest(`muted="true" ${beep}>r`)]
    const [join] = rig.reported(a)
    assert.equal(rig.reported(b), [`${join} muted`, ...(enters ? ['enter'] : [])])
    rig.hangUpCaller(b)
    rig.run(100)
    assert.equal(rig.reported(a), [join, ...(leaves ? ['leave'] : [])])
    rig.hangUpCaller(a)
    expectAllEnded(rig, roomsEndMs)
  })
}

test('rooms are of an account: the same name elsewhere is another room', () => {
  const rig = new RoomBed()
  const globex = { ...acme, uuid: 'globex' as AccountUuid, name: 'Globex' }
  rig.store.addAccount(globex, 10_000_000)
  rig.own(own('+254700000009', 'https://globex.test/in'), globex.uuid)
  rig.documents.set('https://globex.test/in', '<Response><Dial><Conference>r</Conference></Dial></Response>')
  const a = rig.guest('>r')
  const other = rig.call('+254700000009')
  rig.run(500)
  const [one, two] = rig.of('media.join').map(({ room }) => room)
  assert.is.not(one, two)
  for (const leg of [a, other]) rig.hangUpCaller(leg)
  expectAllEnded(rig, roomsEndMs)
})

test('record: the caller’s audio and the mix that it receives, from the start of the room until it leaves', () => {
  const rig = new RoomBed()
  const a = rig.guest('startOnEnter="false">r', 'record="record-from-answer-dual"')
  rig.run(2000)
  assert.is(rig.of('media.record-session').length, 0)
  const b = rig.guest('>r', 'record="record-from-answer" timeLimit="3"')
  const rules = rig.of('media.record-session').map(({ legId, rules }) => [legId, rules.channels, rules.track])
  assert.equal(rules, [
    [a, 'dual', 'both'],
    [b, 'mono', 'both'],
  ])
  rig.run(5000)
  assert.equal(
    rig.of('media.stop-record').map(({ legId }) => legId),
    [b],
  )
  for (const leg of [a, b]) rig.hangUpCaller(leg)
  expectAllEnded(rig, roomsEndMs)
  assert.is(rig.codes().filter(code => code === 'REC.0200').length, 2)
})

test('hang-up by API, silence of the line, drain and a crash leave the room clean', () => {
  for (const end of ['api', 'timeout', 'drain', 'database'] as const) {
    const rig = new RoomBed()
    const a = rig.guest('>r')
    const b = rig.guest('endOnExit="true">r')
    const callId = rig.exchange.callOfLeg(b)!.callId
    if (end === 'api') rig.send({ type: 'call.hangup', callId })
    if (end === 'timeout') rig.send({ type: 'media.timeout', legId: b })
    if (end === 'drain') rig.send({ type: 'exchange.drain', deadline: rig.now + 100 })
    if (end === 'database') {
      rig.send({ type: 'store.commit-failed', callId, commitId: 1, detail: 'disk full' })
      rig.send({ type: 'call.hangup', callId })
    }
    rig.run(1000)
    assert.ok(rig.actions().length > 0, end)
    rig.hangUpCaller(a)
    expectAllEnded(rig, roomsEndMs)
  }
})

test('a call placed by API enters a room as one that came in does; so does one from a number of this switch', () => {
  const rig = new RoomBed()
  rig.documents.set('https://acme.test/out', '<Response><Dial><Conference>r</Conference></Dial></Response>')
  rig.peers.set('+254722222222', { answerAfter: 100 })
  rig.originate()
  rig.run(2000)
  assert.is(rig.of('media.join').length, 1)
  const number = '+254700000077'
  rig.own(own(number, 'https://acme.test/out'))
  rig.documents.set('https://acme.test/dial', `<Response><Dial><Number>${number}</Number></Dial></Response>`)
  rig.own(own('+254700000078', 'https://acme.test/dial'))
  const caller = rig.call('+254700000078')
  rig.run(2000)
  const joins = rig.of('media.join')
  assert.is(joins.length, 2)
  assert.is(new Set(joins.map(({ room }) => room)).size, 1)
  assert.ok(rig.isAnswered(caller), 'through the room that its callee is in')
  rig.hangUpCaller(caller)
  rig.run(1000)
  assert.is(rig.of('media.room-tone').filter(({ tone }) => tone === 'leave').length, 1)
  for (const leg of rig.dialled) rig.endLeg(leg, { kind: 'bye' })
  expectAllEnded(rig, roomsEndMs)
})

test('before the answer: a caller that hangs up frees its place, and does not end the room', () => {
  const rig = new RoomBed()
  const a = rig.guest('maxMembers="2">r')
  const number = '+254700000055'
  rig.own(own(number, 'https://acme.test/quick'))
  rig.documents.set(
    'https://acme.test/quick',
    '<Response><Dial><Conference maxMembers="2" endOnExit="true">r</Conference></Dial></Response>',
  )
  const hasty = rig.call(number)
  while (!rig.of('media.open').some(({ legId }) => legId === hasty)) rig.run(0.1)
  assert.not(rig.isAnswered(hasty))
  rig.endLeg(hasty, { kind: 'cancel' })
  rig.run(1000)
  assert.is(rig.reported(a).includes('leave'), false)
  const b = rig.guest('maxMembers="2">r')
  assert.ok(rig.isAnswered(b), 'its place is free again')
  for (const leg of [a, b]) rig.hangUpCaller(leg)
  expectAllEnded(rig, roomsEndMs)
})

test.run()
