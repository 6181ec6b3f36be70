import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { RoomBed } from '../bed/room-bed.ts'

// <Dial><Conference>: calls that meet in rooms, in virtual time: who receives whom, the start, the end, a full room.

const at = '+254700000001'
/** Longer than any wait or talk here. */
const roomsEndMs = 700_000

test('two callers are answered and receive each other; each leaves with its own action', () => {
  const bed = new RoomBed()
  const a = bed.guest('>board')
  assert.ok(bed.isAnswered(a))
  const b = bed.guest('>board')
  const [room] = bed.reported(a)
  assert.match(room!, /^join id-/)
  assert.equal(bed.reported(a), [room, 'enter'])
  assert.equal(bed.reported(b), [room, 'enter'])
  bed.run(10_000)
  bed.hangUpCaller(a)
  bed.run(1000)
  assert.equal(bed.reported(b), [room, 'enter', 'leave'], 'those who stay hear it')
  assert.is(bed.actions().length, 1)
  const [fields] = bed.actions()
  assert.is(fields!.DialCallStatus, 'completed')
  assert.is(fields!.DialReasonCode, 'END.0200')
  assert.is(fields!.DialCallDuration, 11)
  assert.match(String(fields!.DialCallSid), /^CA/)
  bed.hangUpCaller(b)
  expectAllEnded(bed, roomsEndMs)
  assert.is(bed.actions().length, 2)
  const calls = [...new Set(bed.store.events.map(event => event.callUuid))]
  for (const call of calls) {
    assert.equal(
      bed.codes(call!).filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
    )
  }
  const ended = bed.store.events.find(event => event.code === 'DIAL.0300')!.data
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
    const bed = new RoomBed()
    const a = bed.guest(`startOnEnter="false" ${attributes}>r`)
    const b = bed.guest('startOnEnter="false" waitAsset="silence">r')
    bed.run(20_000)
    assert.ok(bed.isAnswered(a))
    assert.equal(bed.reported(a), play)
    assert.is(bed.of('media.join').length, 0)
    const c = bed.guest('>r')
    const room = bed.of('media.join')[0]!.room
    assert.equal(bed.reported(a), [...play, ...(play.length === 0 ? [] : ['stop']), `join ${room}`, 'enter'])
    assert.equal(bed.reported(b), [`join ${room}`, 'enter'])
    assert.equal(bed.reported(c), [`join ${room}`, 'enter'])
    const order = bed.of('media.join').map(({ legId }) => legId)
    assert.equal(order, [a, b, c], 'who waited hears the other come')
    // It goes on without the one that started it.
    bed.hangUpCaller(c)
    bed.run(1000)
    assert.is(bed.of('media.leave').length, 0)
    for (const leg of [a, b]) bed.hangUpCaller(leg)
    expectAllEnded(bed, roomsEndMs)
  })
}

test('endOnExit ends the room for all: their Dial is completed and their document goes on', () => {
  const bed = new RoomBed()
  const a = bed.guest('>r', '', '<Say>Bye</Say>')
  const waiting = bed.guest('startOnEnter="false">other')
  const host = bed.guest('endOnExit="true">r', '', '<Say>Bye</Say>')
  bed.run(3000)
  bed.hangUpCaller(host)
  bed.run(5000)
  assert.is(bed.reported(a).at(-2), 'leave')
  assert.is(bed.of('audio.speak').length, 1)
  const fields = bed.actions().find(each => each.CallStatus === 'in-progress')
  assert.is(fields?.DialCallStatus, 'completed')
  assert.is(fields?.DialReasonCode, 'END.0200')
  assert.is(bed.reported(waiting).length, 1, 'other rooms are not concerned')
  assert.is(bed.of('media.room-tone').filter(({ tone }) => tone === 'leave').length, 0)
  bed.hangUpCaller(waiting)
  expectAllEnded(bed, roomsEndMs)
})

test('endOnExit ends a room that never started, too', () => {
  const bed = new RoomBed()
  bed.guest('startOnEnter="false">r', '', '')
  const host = bed.guest('startOnEnter="false" endOnExit="true">r')
  bed.hangUpCaller(host)
  bed.run(1000)
  assert.is(bed.of('media.join').length, 0)
  assert.equal(
    bed.actions().map(({ DialCallStatus }) => DialCallStatus),
    ['completed', 'completed'],
  )
  expectAllEnded(bed, roomsEndMs)
})

test('a full room is busy and does not answer; the limit is that of who comes', () => {
  const bed = new RoomBed()
  const [a, b] = [bed.guest('maxMembers="2">r'), bed.guest('maxMembers="3">r')]
  const turnedAway = bed.guest('maxMembers="2">r', '', '')
  bed.run(1000)
  assert.not(bed.isAnswered(turnedAway))
  const fields = bed.actions()[0]!
  assert.is(fields.DialCallStatus, 'busy')
  assert.is(fields.DialReasonCode, 'END.0486')
  assert.is(fields.DialCallDuration, 0)
  assert.is(bed.of('leg.end').find(({ legId }) => legId === turnedAway)?.reason, 'END.0603')
  const third = bed.guest('maxMembers="3">r')
  assert.ok(bed.isAnswered(third))
  for (const leg of [a, b, third]) bed.hangUpCaller(leg)
  expectAllEnded(bed, roomsEndMs)
})

test('fifty by default, and not one more', () => {
  const bed = new RoomBed()
  bed.rates = []
  const legs = Array.from({ length: 51 }, () => {
    bed.documents.set('https://acme.test/in', '<Response><Dial><Conference>r</Conference></Dial></Response>')
    const leg = bed.call(at)
    bed.run(100)
    return leg
  })
  assert.is(bed.of('media.join').length, 50)
  assert.is(bed.of('leg.end').find(({ legId }) => legId === legs[50])?.reason, 'END.0486')
  for (const leg of legs.slice(0, 50)) bed.hangUpCaller(leg)
  expectAllEnded(bed, roomsEndMs)
})

test.run()
