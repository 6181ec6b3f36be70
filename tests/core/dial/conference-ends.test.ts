import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid } from '../../../core/model/ids.ts'
import { acme, own } from '../bed/acme.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { RoomBed } from '../bed/room-bed.ts'

// <Dial><Conference>, in virtual time: how callers come and go, and what is kept of it.

/** Longer than any wait or talk here. */
const roomsEndMs = 700_000

test('hangupOnStar and timeLimit take one caller out, with the rest of its document; digits are reported', () => {
  const bed = new RoomBed()
  const a = bed.guest('>r', 'hangupOnStar="true"')
  const b = bed.guest('>r', 'timeLimit="7"')
  const c = bed.guest('>r')
  for (const leg of [b, c]) bed.press(leg, '*')
  bed.run(1000)
  assert.is(bed.actions().length, 0)
  bed.press(a, '5')
  bed.press(a, '*')
  bed.run(1000)
  assert.is(bed.actions()[0]?.DialReasonCode, 'END.0200')
  assert.is(bed.reported(a).at(-1), 'leave')
  bed.timerLateMs = 3
  bed.run(10_000)
  assert.is(bed.actions()[1]?.DialReasonCode, 'END.0210')
  assert.is(bed.actions()[1]?.DialCallDuration, 7)
  assert.is(bed.codes().filter(code => code === 'DTMF.0100').length, 4)
  assert.is(bed.of('media.send-digits').length, 0, 'and not passed on')
  for (const leg of [a, b, c]) bed.hangUpCaller(leg)
  expectAllEnded(bed, roomsEndMs)
})

for (const [beep, enters, leaves] of [
  ['', true, true],
  ['beep="true"', true, true],
  ['beep="onEnter"', true, false],
  ['beep="onExit"', false, true],
  ['beep="false"', false, false],
] as const) {
  test(`tones of who enters and leaves: ${beep || 'by default'}`, () => {
    const bed = new RoomBed()
    const [a, b] = [bed.guest('beep="false">r'), bed.guest(`muted="true" ${beep}>r`)]
    const [join] = bed.reported(a)
    assert.equal(bed.reported(b), [`${join} muted`, ...(enters ? ['enter'] : [])])
    bed.hangUpCaller(b)
    bed.run(100)
    assert.equal(bed.reported(a), [join, ...(leaves ? ['leave'] : [])])
    bed.hangUpCaller(a)
    expectAllEnded(bed, roomsEndMs)
  })
}

test('rooms are of an account: the same name elsewhere is another room', () => {
  const bed = new RoomBed()
  const globex = { ...acme, uuid: 'globex' as AccountUuid, name: 'Globex' }
  bed.store.addAccount(globex, 10_000_000)
  bed.own(own('+254700000009', 'https://globex.test/in'), globex.uuid)
  bed.documents.set('https://globex.test/in', '<Response><Dial><Conference>r</Conference></Dial></Response>')
  const a = bed.guest('>r')
  const other = bed.call('+254700000009')
  bed.run(500)
  const [one, two] = bed.of('media.join').map(({ room }) => room)
  assert.is.not(one, two)
  for (const leg of [a, other]) bed.hangUpCaller(leg)
  expectAllEnded(bed, roomsEndMs)
})

test('record: the caller’s audio and the mix that it receives, from the start of the room until it leaves', () => {
  const bed = new RoomBed()
  const a = bed.guest('startOnEnter="false">r', 'record="record-from-answer-dual"')
  bed.run(2000)
  assert.is(bed.of('media.record-session').length, 0)
  const b = bed.guest('>r', 'record="record-from-answer" timeLimit="3"')
  const rules = bed.of('media.record-session').map(({ legId, rules }) => [legId, rules.channels, rules.track])
  assert.equal(rules, [
    [a, 'dual', 'both'],
    [b, 'mono', 'both'],
  ])
  bed.run(5000)
  assert.equal(
    bed.of('media.stop-record').map(({ legId }) => legId),
    [b],
  )
  for (const leg of [a, b]) bed.hangUpCaller(leg)
  expectAllEnded(bed, roomsEndMs)
  assert.is(bed.codes().filter(code => code === 'REC.0200').length, 2)
})

test('hang-up by API, silence of the line, drain and a crash leave the room clean', () => {
  for (const end of ['api', 'timeout', 'drain', 'database'] as const) {
    const bed = new RoomBed()
    const a = bed.guest('>r')
    const b = bed.guest('endOnExit="true">r')
    const callId = bed.exchange.callOfLeg(b)!.callId
    if (end === 'api') bed.send({ type: 'call.hangup', callId })
    if (end === 'timeout') bed.send({ type: 'media.timeout', legId: b })
    if (end === 'drain') bed.send({ type: 'exchange.drain', deadline: bed.now + 100 })
    if (end === 'database') {
      bed.send({ type: 'store.commit-failed', callId, commitId: 1, detail: 'disk full' })
      bed.send({ type: 'call.hangup', callId })
    }
    bed.run(1000)
    assert.ok(bed.actions().length > 0, end)
    bed.hangUpCaller(a)
    expectAllEnded(bed, roomsEndMs)
  }
})

test('a call placed by API enters a room as one that came in does; so does one from a number of this switch', () => {
  const bed = new RoomBed()
  bed.documents.set('https://acme.test/out', '<Response><Dial><Conference>r</Conference></Dial></Response>')
  bed.peers.set('+254722222222', { answerAfter: 100 })
  bed.originate()
  bed.run(2000)
  assert.is(bed.of('media.join').length, 1)
  const number = '+254700000077'
  bed.own(own(number, 'https://acme.test/out'))
  bed.documents.set('https://acme.test/dial', `<Response><Dial><Number>${number}</Number></Dial></Response>`)
  bed.own(own('+254700000078', 'https://acme.test/dial'))
  const caller = bed.call('+254700000078')
  bed.run(2000)
  const joins = bed.of('media.join')
  assert.is(joins.length, 2)
  assert.is(new Set(joins.map(({ room }) => room)).size, 1)
  assert.ok(bed.isAnswered(caller), 'through the room that its callee is in')
  bed.hangUpCaller(caller)
  bed.run(1000)
  assert.is(bed.of('media.room-tone').filter(({ tone }) => tone === 'leave').length, 1)
  for (const leg of bed.dialled) bed.endLeg(leg, { kind: 'bye' })
  expectAllEnded(bed, roomsEndMs)
})

test('before the answer: a caller that hangs up frees its place, and does not end the room', () => {
  const bed = new RoomBed()
  const a = bed.guest('maxMembers="2">r')
  const number = '+254700000055'
  bed.own(own(number, 'https://acme.test/quick'))
  bed.documents.set(
    'https://acme.test/quick',
    '<Response><Dial><Conference maxMembers="2" endOnExit="true">r</Conference></Dial></Response>',
  )
  const hasty = bed.call(number)
  while (!bed.of('media.open').some(({ legId }) => legId === hasty)) bed.run(0.1)
  assert.not(bed.isAnswered(hasty))
  bed.endLeg(hasty, { kind: 'cancel' })
  bed.run(1000)
  assert.is(bed.reported(a).includes('leave'), false)
  const b = bed.guest('maxMembers="2">r')
  assert.ok(bed.isAnswered(b), 'its place is free again')
  for (const leg of [a, b]) bed.hangUpCaller(leg)
  expectAllEnded(bed, roomsEndMs)
})

test.run()
