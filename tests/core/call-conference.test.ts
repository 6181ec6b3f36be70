import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid, LegUuid } from '../../core/model/ids.ts'
import { acme, own } from './acme.ts'
import { CallRig } from './call-rig.ts'
import { rested } from './rested.ts'

// <Dial><Conference>: calls that meet in rooms, in virtual time.

const at = '+254700000001'
/** Longer than anybody here waits or talks. */
const roomsRestMs = 700_000

/** A number of its own for each document, so that calls can bring different ones. */
class RoomRig extends CallRig {
  #numbers = 0

  /** A call whose document is this; what follows the Dial is `after`. */
  guest(conference: string, dial = '', after = '<Pause length="600"/>'): LegUuid {
    const number = `+25470010000${this.#numbers++}`
    const url = `https://acme.test/doc/${number}`
    this.own(own(number, url))
    this.documents.set(
      url,
      `<Response><Dial action="/after" ${dial}><Conference ${conference}</Conference></Dial></Response>`,
    )
    this.documents.set('https://acme.test/after', `<Response>${after}</Response>`)
    const leg = this.call(number)
    this.run(500)
    return leg
  }

  /** What media was told of a leg's rooms and plays. */
  told(leg: LegUuid): readonly string[] {
    return this.commands.flatMap(command => {
      if (!('legId' in command) || command.legId !== leg) return []
      if (command.type === 'media.join') return [`join ${command.room}${command.muted ? ' muted' : ''}`]
      if (command.type === 'media.leave') return ['leave']
      if (command.type === 'media.room-tone') return [command.tone]
      if (command.type === 'media.play') {
        return [`play ${command.source.kind === 'tone' ? command.source.tone : command.source.path}`]
      }
      return command.type === 'media.stop' ? ['stop'] : []
    })
  }

  isAnswered(leg: LegUuid): boolean {
    return this.of('leg.answer').some(({ legId }) => legId === leg)
  }

  actions(): readonly Readonly<Record<string, unknown>>[] {
    return this.posts.filter(post => post.url.endsWith('/after')).map(post => post.fields)
  }
}

test('two callers are answered and hear each other; each leaves with its own action', () => {
  const rig = new RoomRig()
  const a = rig.guest('>board')
  assert.ok(rig.isAnswered(a))
  const b = rig.guest('>board')
  const [room] = rig.told(a)
  assert.match(room!, /^join id-/)
  assert.equal(rig.told(a), [room, 'enter'])
  assert.equal(rig.told(b), [room, 'enter'])
  rig.run(10_000)
  rig.hangUpCaller(a)
  rig.run(1000)
  assert.equal(rig.told(b), [room, 'enter', 'leave'], 'those who stay hear it')
  assert.is(rig.actions().length, 1)
  const [fields] = rig.actions()
  assert.is(fields!.DialCallStatus, 'completed')
  assert.is(fields!.DialReasonCode, 'END.0200')
  assert.is(fields!.DialCallDuration, 11)
  assert.match(String(fields!.DialCallSid), /^CA/)
  rig.hangUpCaller(b)
  rested(rig, roomsRestMs)
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
  test(`startOnEnter false waits for somebody who starts it, and hears ${play[0] ?? 'nothing'} (${attributes})`, () => {
    const rig = new RoomRig()
    const a = rig.guest(`startOnEnter="false" ${attributes}>r`)
    const b = rig.guest('startOnEnter="false" waitAsset="silence">r')
    rig.run(20_000)
    assert.ok(rig.isAnswered(a))
    assert.equal(rig.told(a), play)
    assert.is(rig.of('media.join').length, 0)
    const c = rig.guest('>r')
    const room = rig.of('media.join')[0]!.room
    assert.equal(rig.told(a), [...play, ...(play.length === 0 ? [] : ['stop']), `join ${room}`, 'enter'])
    assert.equal(rig.told(b), [`join ${room}`, 'enter'])
    assert.equal(rig.told(c), [`join ${room}`, 'enter'])
    const order = rig.of('media.join').map(({ legId }) => legId)
    assert.equal(order, [a, b, c], 'who waited hears the other come')
    // It goes on without the one that started it.
    rig.hangUpCaller(c)
    rig.run(1000)
    assert.is(rig.of('media.leave').length, 0)
    for (const leg of [a, b]) rig.hangUpCaller(leg)
    rested(rig, roomsRestMs)
  })
}

test('endOnExit ends the room for all: their Dial is completed and their document goes on', () => {
  const rig = new RoomRig()
  const a = rig.guest('>r', '', '<Say>Bye</Say>')
  const waiting = rig.guest('startOnEnter="false">other')
  const host = rig.guest('endOnExit="true">r', '', '<Say>Bye</Say>')
  rig.run(3000)
  rig.hangUpCaller(host)
  rig.run(5000)
  assert.is(rig.told(a).at(-2), 'leave')
  assert.is(rig.of('audio.speak').length, 1)
  const fields = rig.actions().find(each => each.CallStatus === 'in-progress')
  assert.is(fields?.DialCallStatus, 'completed')
  assert.is(fields?.DialReasonCode, 'END.0200')
  assert.is(rig.told(waiting).length, 1, 'other rooms are not concerned')
  assert.is(rig.of('media.room-tone').filter(({ tone }) => tone === 'leave').length, 0)
  rig.hangUpCaller(waiting)
  rested(rig, roomsRestMs)
})

test('endOnExit ends a room that never started, too', () => {
  const rig = new RoomRig()
  rig.guest('startOnEnter="false">r', '', '')
  const host = rig.guest('startOnEnter="false" endOnExit="true">r')
  rig.hangUpCaller(host)
  rig.run(1000)
  assert.is(rig.of('media.join').length, 0)
  assert.equal(
    rig.actions().map(({ DialCallStatus }) => DialCallStatus),
    ['completed', 'completed'],
  )
  rested(rig, roomsRestMs)
})

test('a full room is busy and does not answer; the limit is that of who comes', () => {
  const rig = new RoomRig()
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
  rested(rig, roomsRestMs)
})

test('fifty by default, and not one more', () => {
  const rig = new RoomRig()
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
  rested(rig, roomsRestMs)
})

test('hangupOnStar and timeLimit take one caller out, with the rest of its document; keys are told', () => {
  const rig = new RoomRig()
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
  assert.is(rig.told(a).at(-1), 'leave')
  rig.timerLateMs = 3
  rig.run(10_000)
  assert.is(rig.actions()[1]?.DialReasonCode, 'END.0210')
  assert.is(rig.actions()[1]?.DialCallDuration, 7)
  assert.is(rig.codes().filter(code => code === 'DTMF.0100').length, 4)
  assert.is(rig.of('media.send-digits').length, 0, 'and not passed on')
  for (const leg of [a, b, c]) rig.hangUpCaller(leg)
  rested(rig, roomsRestMs)
})

for (const [beep, enters, leaves] of [
  ['', true, true],
  ['beep="true"', true, true],
  ['beep="onEnter"', true, false],
  ['beep="onExit"', false, true],
  ['beep="false"', false, false],
] as const) {
  test(`tones of who enters and leaves: ${beep || 'by default'}`, () => {
    const rig = new RoomRig()
    const [a, b] = [rig.guest('beep="false">r'), rig.guest(`muted="true" ${beep}>r`)]
    const [join] = rig.told(a)
    assert.equal(rig.told(b), [`${join} muted`, ...(enters ? ['enter'] : [])])
    rig.hangUpCaller(b)
    rig.run(100)
    assert.equal(rig.told(a), [join, ...(leaves ? ['leave'] : [])])
    rig.hangUpCaller(a)
    rested(rig, roomsRestMs)
  })
}

test('rooms are of an account: the same name elsewhere is another room', () => {
  const rig = new RoomRig()
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
  rested(rig, roomsRestMs)
})

test('record: what the caller says and hears, from the start of the room until it leaves', () => {
  const rig = new RoomRig()
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
  rested(rig, roomsRestMs)
  assert.is(rig.codes().filter(code => code === 'REC.0200').length, 2)
})

test('hang-up by API, silence of the line, drain and a crash leave the room clean', () => {
  for (const end of ['api', 'timeout', 'drain', 'database'] as const) {
    const rig = new RoomRig()
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
    rested(rig, roomsRestMs)
  }
})

test('a call placed by API enters a room as one that came in does; so does one from a number of this switch', () => {
  const rig = new RoomRig()
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
  rested(rig, roomsRestMs)
})

test('before the answer: who gives up leaves no place behind, and does not end the room', () => {
  const rig = new RoomRig()
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
  assert.is(rig.told(a).includes('leave'), false)
  const b = rig.guest('maxMembers="2">r')
  assert.ok(rig.isAnswered(b), 'its place is free again')
  for (const leg of [a, b]) rig.hangUpCaller(leg)
  rested(rig, roomsRestMs)
})

test.run()
