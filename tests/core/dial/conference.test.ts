import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { RoomBed } from '../bed/room-bed.ts'

// <Dial><Conference>: calls that meet in rooms, in virtual time: who hears whom, the start, the end, who finds no place.

const at = '+254700000001'
/** Longer than anybody here waits or talks. */
const roomsEndMs = 700_000

test('two callers are answered and receive each other; each leaves with its own action', () => {
  const rig = new RoomBed()
  const a = rig.guest('>board')
  assert.ok(rig.isAnswered(a))
  const b = rig.guest('>board')
  const [room] = rig.reported(a)
  assert.match(room!, /^join id-/)
  assert.equal(rig.reported(a), [room, 'enter'])
  assert.equal(rig.reported(b), [room, 'enter'])
  rig.run(10_000)
  rig.hangUpCaller(a)
  rig.run(1000)
  assert.equal(rig.reported(b), [room, 'enter', 'leave'], 'those who stay hear it')
  assert.is(rig.actions().length, 1)
  const [fields] = rig.actions()
  assert.is(fields!.DialCallStatus, 'completed')
  assert.is(fields!.DialReasonCode, 'END.0200')
  assert.is(fields!.DialCallDuration, 11)
  assert.match(String(fields!.DialCallSid), /^CA/)
  rig.hangUpCaller(b)
  expectAllEnded(rig, roomsEndMs)
  assert.is(rig.actions().length, 2)
  const calls = [...new Set(rig.store.events.map(event => event.callUuid))]
  for (const call of calls) {
    assert.equal(
      rig.codes(call!).filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
    )
  }
  const ended = rig.store.events.find(event => event.code === 'DIAL.0300')!.data
  assert.is(ended.kind, 'conference')
  assert.is(ended.to_number, 'board')
  assert.is(ended.talk_seconds, 11)
})

interface Waiting {
  readonly attributes: string
  readonly play: readonly string[]
}

const waits: readonly Waiting[] = [
  { attributes: '', play: ['play waiting'] },
  { attributes: 'waitAsset="silence"', play: [] },
  { attributes: 'waitAsset="ke"', play: ['play ringback-ke'] },
  { attributes: 'waitAsset="music"', play: ['play /wav/2000'] },
  { attributes: 'waitAsset="missing"', play: ['play waiting'] },
]

for (const { attributes, play } of waits) {
  test(`startOnEnter false waits for a member that starts the room, and plays ${play[0] ?? 'nothing'} (${attributes})`, () => {
    const rig = new RoomBed()
    const a = rig.guest(`startOnEnter="false" ${attributes}>r`)
    const b = rig.guest('startOnEnter="false" waitAsset="silence">r')
    rig.run(20_000)
    assert.ok(rig.isAnswered(a))
    assert.equal(rig.reported(a), play)
    assert.is(rig.of('media.join').length, 0)
    const c = rig.guest('>r')
    const room = rig.of('media.join')[0]!.room
    assert.equal(rig.reported(a), [...play, ...(play.length === 0 ? [] : ['stop']), `join ${room}`, 'enter'])
    assert.equal(rig.reported(b), [`join ${room}`, 'enter'])
    assert.equal(rig.reported(c), [`join ${room}`, 'enter'])
    const order = rig.of('media.join').map(({ legId }) => legId)
    assert.equal(order, [a, b, c], 'who waited hears the other come')
    // It goes on without the one that started it.
    rig.hangUpCaller(c)
    rig.run(1000)
    assert.is(rig.of('media.leave').length, 0)
    for (const leg of [a, b]) rig.hangUpCaller(leg)
    expectAllEnded(rig, roomsEndMs)
  })
}

test('endOnExit ends the room for all: their Dial is completed and their document goes on', () => {
  const rig = new RoomBed()
  const a = rig.guest('>r', '', '<Say>Bye</Say>')
  const waiting = rig.guest('startOnEnter="false">other')
  const host = rig.guest('endOnExit="true">r', '', '<Say>Bye</Say>')
  rig.run(3000)
  rig.hangUpCaller(host)
  rig.run(5000)
  assert.is(rig.reported(a).at(-2), 'leave')
  assert.is(rig.of('audio.speak').length, 1)
  const fields = rig.actions().find(each => each.CallStatus === 'in-progress')
  assert.is(fields?.DialCallStatus, 'completed')
  assert.is(fields?.DialReasonCode, 'END.0200')
  assert.is(rig.reported(waiting).length, 1, 'other rooms are not concerned')
  assert.is(rig.of('media.room-tone').filter(({ tone }) => tone === 'leave').length, 0)
  rig.hangUpCaller(waiting)
  expectAllEnded(rig, roomsEndMs)
})

test('endOnExit ends a room that never started, too', () => {
  const rig = new RoomBed()
  rig.guest('startOnEnter="false">r', '', '')
  const host = rig.guest('startOnEnter="false" endOnExit="true">r')
  rig.hangUpCaller(host)
  rig.run(1000)
  assert.is(rig.of('media.join').length, 0)
  assert.equal(
    rig.actions().map(({ DialCallStatus }) => DialCallStatus),
    ['completed', 'completed'],
  )
  expectAllEnded(rig, roomsEndMs)
})

test('a full room is busy and does not answer; the limit is that of who comes', () => {
  const rig = new RoomBed()
  const [a, b] = [rig.guest('maxMembers="2">r'), rig.guest('maxMembers="3">r')]
  const turnedAway = rig.guest('maxMembers="2">r', '', '')
  rig.run(1000)
  assert.not(rig.isAnswered(turnedAway))
  const fields = rig.actions()[0]!
  assert.is(fields.DialCallStatus, 'busy')
  assert.is(fields.DialReasonCode, 'END.0486')
  assert.is(fields.DialCallDuration, 0)
  assert.is(rig.of('leg.end').find(({ legId }) => legId === turnedAway)?.reason, 'END.0603')
  const third = rig.guest('maxMembers="3">r')
  assert.ok(rig.isAnswered(third))
  for (const leg of [a, b, third]) rig.hangUpCaller(leg)
  expectAllEnded(rig, roomsEndMs)
})

test('fifty by default, and not one more', () => {
  const rig = new RoomBed()
  rig.rates = []
  const legs = Array.from({ length: 51 }, () => {
    rig.documents.set('https://acme.test/in', '<Response><Dial><Conference>r</Conference></Dial></Response>')
    const leg = rig.call(at)
    rig.run(100)
    return leg
  })
  assert.is(rig.of('media.join').length, 50)
  assert.is(rig.of('leg.end').find(({ legId }) => legId === legs[50])?.reason, 'END.0486')
  for (const leg of legs.slice(0, 50)) rig.hangUpCaller(leg)
  expectAllEnded(rig, roomsEndMs)
})

test.run()
