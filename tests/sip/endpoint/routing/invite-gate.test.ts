import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { KnownInvites, keyOfInvite } from '../../../../sip/endpoint/routing/known-invites.ts'
import { headerOf } from '../../../../sip/message/headers.ts'
import { glanceAt, sameBytes } from '../../../../sip/message/peek.ts'
import { Arrivals } from '../../../../sip/transport/arrivals.ts'
import { endsSetUp, InviteQueue } from '../../../../sip/transport/invite-queue.ts'
import { Turn } from '../../../../sip/transport/turn.ts'
import { ScriptedPeer, tagOfTo } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

const us = '192.0.2.1'
const them = '192.0.2.2'

function bed() {
  const net = new VirtualNetwork(3)
  const asked: string[] = []
  const gate = { isShut: false, asked, waits: [] as number[] }
  const station = net.station(
    us,
    [{ id: 'carrier', inboundHosts: [them] }],
    {},
    {
      admits: (source, _now, waitedMs) => {
        asked.push(source)
        gate.waits.push(waitedMs)
        return !gate.isShut
      },
      isOpenTo: () => !gate.isShut,
    },
  )
  return { net, gate, station, peer: new ScriptedPeer(net, them) }
}

test('a new call of a loaded switch: 503 with Retry-After and no transaction, the same for each copy, also later', () => {
  const { net, gate, station, peer } = bed()
  gate.isShut = true
  for (let copy = 0; copy < 3; copy++) peer.request('INVITE', us, 1, { callId: 'busy', branch: 'z9hG4bKbusy' })
  assert.equal(peer.statuses, [503, 503, 503])
  const [first, second] = peer.received.map(({ bytes }) => Buffer.from(bytes).toString())
  assert.is(first, second)
  const refusal = peer.lastResponse()
  assert.match(headerOf(refusal, 'Retry-After') ?? '', /^[1-4]$/)
  assert.is(headerOf(refusal, 'X-Voice-Reason-Code'), 'LIMIT.0503')
  assert.is(station.endpoint.layer.servers.size, 0)
  assert.is(station.events.length, 0)
  assert.equal(gate.asked, ['carrier'], 'a copy uses up nobody’s place')
  gate.isShut = false
  peer.request('INVITE', us, 1, { callId: 'busy', branch: 'z9hG4bKbusy' })
  assert.is(peer.statuses.at(-1), 503, 'its sender has been refused, and has done with it')
  peer.request('INVITE', us, 1, { callId: 'next' })
  assert.equal(
    station.events.map(({ type }) => type),
    ['offered'],
  )
  net.run(70_000)
})

test('while new calls are refused, all that belongs to a live one goes on: re-INVITE, OPTIONS, BYE, CANCEL', () => {
  const { net, gate, station, peer } = bed()
  peer.request('INVITE', us, 1, { callId: 'live', body: 'v=0\r\n' })
  const [offered] = station.events
  station.do({ type: 'answer', id: offered!.id, sdp: 'v=0\r\n' })
  net.run(50)
  const toTag = tagOfTo(peer.lastResponse())
  peer.request('ACK', us, 1, { callId: 'live', toTag })
  peer.request('INVITE', us, 1, { callId: 'ringing', branch: 'z9hG4bKringing' })
  gate.isShut = true
  peer.request('OPTIONS', us, 2, { callId: 'live', toTag })
  assert.is(peer.statuses.at(-1), 200)
  peer.request('INVITE', us, 3, { callId: 'live', toTag, body: 'v=0\r\n' })
  assert.not.ok(peer.statuses.includes(503))
  peer.request('CANCEL', us, 1, { callId: 'ringing', branch: 'z9hG4bKringing' })
  assert.ok(peer.statuses.includes(487))
  peer.request('BYE', us, 4, { callId: 'live', toTag })
  // The re-INVITE without an answer ends with the call.
  assert.equal(peer.statuses.slice(-2).sort(), [200, 487])
  station.do({
    type: 'dial',
    id: 'out',
    target: { uri: `sip:x@${them}`, hop: { host: them, port: 5060, transport: 'udp' }, username: '', password: '' },
    from: { user: 'a' },
    sdp: 'v=0\r\n',
  })
  net.run(50)
  assert.ok(peer.methods.includes('INVITE'), 'what a live call dials is not refused')
})

test('refused INVITEs are remembered as long as a copy may come, and never without bound', () => {
  const refused = new KnownInvites()
  refused.add(7, 0)
  assert.is(refused.has(7, 31_000), true)
  assert.is(refused.has(7, 63_000), true)
  assert.is(refused.has(7, 100_000), false)
  for (let key = 0; key < 1_000_000; key++) refused.add(key, 100_000)
  assert.ok(refused.size <= 400_000, `${refused.size}`)
  assert.is(refused.has(999_999, 100_000), true)
  const invite = (callId: string) => ({ callId, via: { text: 'SIP/2.0/UDP a;branch=z9hG4bK1' } }) as never
  assert.is(keyOfInvite(invite('x')), keyOfInvite(invite('x')))
  assert.is.not(keyOfInvite(invite('x')), keyOfInvite(invite('y')))
})

const flowOf = (address: string, port: number) =>
  ({ transport: 'udp', address, port, socket: 1, localHost: us, localPort: 5060 }) as const
const inviteFrom = (...fields: string[]) =>
  [
    `INVITE sip:+254700000001@${us} SIP/2.0`,
    ...fields,
    'CSeq: 1 INVITE',
    'Max-Forwards: 70',
    `Contact: <sip:peer@${them}>`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
const usualFields = ['From: <sip:peer@a>;tag=1', 'To: <sip:b@stage.example>', 'Call-ID: one@a']
const via = `SIP/2.0/UDP ${them}:5070;branch=z9hG4bK1`

for (const fields of [
  [`Via: ${via}`, ...usualFields],
  [`Via: ${via};rport`, ...usualFields],
  [`v:SIP/2.0/UDP 10.0.0.1;rport;branch=z9hG4bK1;x=y`, 'f: "A, B" <sip:a@b>;tag=1', 't : sip:b', 'i:  two '],
  [`Via: ${via}`, 'Via: SIP/2.0/TCP other;branch=z9hG4bK2;received=192.0.2.7', ...usualFields],
]) {
  test(`a call refused unread gets the same bytes, at the same port, as one that was read: ${fields[0]}`, () => {
    const { net, gate, station } = bed()
    net.socket(them, () => {})
    gate.isShut = true
    const invite = new TextEncoder().encode(inviteFrom(...fields))
    const flow = flowOf(them, 40_000)
    const [read] = station.endpoint.handle({ type: 'received', bytes: invite, flow }, net.now)
    const unread = station.endpoint.refusalOf(invite, flow, net.now, 0)
    if (unread === undefined || read?.type !== 'send') throw new Error('not refused')
    assert.is(Buffer.from(unread.bytes).toString(), Buffer.from(read.bytes).toString())
    assert.is(unread.port, read.flow.port)
    assert.equal(gate.asked, ['carrier'], 'a copy uses up nobody’s place')
    const ack = Buffer.from(inviteFrom(...fields))
      .toString()
      .replaceAll('INVITE', 'ACK')
    const tag = /;tag=\w{12}/.exec(Buffer.from(read.bytes).toString())![0]
    assert.ok(station.endpoint.isAckOfRefusal(Buffer.from(ack.replace(/(\n(?:To|t ):? ?:?[^\r]*)/, `$1${tag}`))))
  })
}

test('not refused unread: what the parser has to look at, what is no new call of a trunk, and a copy of one taken', () => {
  const { net, gate, station } = bed()
  net.socket(them, () => {})
  const refusalOf = (text: string, address = them) =>
    station.endpoint.refusalOf(new TextEncoder().encode(text), flowOf(address, 5060), net.now, 0)
  const usual = inviteFrom(`Via: ${via}`, ...usualFields)
  assert.is(refusalOf(usual), undefined, 'the gate is open')
  gate.isShut = true
  assert.is.not(refusalOf(usual), undefined)
  assert.is(refusalOf(usual, '192.0.2.99'), undefined, 'of an unknown source')
  for (const [why, text] of [
    ['a re-INVITE', inviteFrom(`Via: ${via}`, 'From: <sip:a@b>;tag=1', 'To: <sip:b@a> ; TAG=9', 'Call-ID: 1')],
    ['no Call-ID', inviteFrom(`Via: ${via}`, 'From: <sip:a@b>;tag=1', 'To: <sip:b@a>')],
    ['two From', inviteFrom(`Via: ${via}`, 'From: <sip:c@d>;tag=3', ...usualFields)],
    ['a folded field', inviteFrom(`Via: ${via}`, 'Subject: a', ' b', ...usualFields)],
    ['no branch', inviteFrom(`Via: SIP/2.0/UDP ${them}`, ...usualFields)],
    ['a name in Via', inviteFrom('Via: SIP/2.0/UDP pbx.example;branch=z9hG4bK1', ...usualFields)],
    ['received in Via', inviteFrom(`Via: ${via};received=192.0.2.1;rport`, ...usualFields)],
    ['not ASCII', inviteFrom(`Via: ${via}`, 'From: "Zoë" <sip:a@b>;tag=1', 'To: <sip:b@a>', 'Call-ID: 1')],
    ['another method in CSeq', usual.replace('1 INVITE', '1 BYE')],
    ['no end', usual.slice(0, -4)],
    ['LF alone', usual.replaceAll('\r\n', '\n')],
    ['OPTIONS', usual.replaceAll('INVITE', 'OPTIONS')],
    ['too long', inviteFrom(`Via: ${via}`, ...usualFields, `X: ${'x'.repeat(5000)}`)],
  ] as const)
    assert.is(refusalOf(text), undefined, why)
  gate.isShut = false
  const next = inviteFrom(`Via: ${via}`, 'From: <sip:a@b>;tag=1', 'To: <sip:b@a>', 'Call-ID: taken')
  station.do({ type: 'received', bytes: new TextEncoder().encode(next), flow: flowOf(them, 5060) })
  assert.is(station.events.at(-1)?.type, 'offered')
  gate.isShut = true
  assert.is(refusalOf(next), undefined, 'a copy of a call that was taken is absorbed')
})

const bytes = (...lines: string[]) => new TextEncoder().encode([...lines, '', ''].join('\r\n'))
const callIdOf = (message: Uint8Array) => new TextDecoder().decode(glanceAt(message).callId)

test('glanceAt distinguishes new calls and CANCELs from other messages', () => {
  const invite = bytes(
    'INVITE sip:a@b SIP/2.0',
    'Via: SIP/2.0/UDP c',
    'To: <sip:a@b>',
    'Call-ID:  one two ',
    'From: <x>;tag=1',
  )
  assert.is(glanceAt(invite).kind, 'invite')
  assert.is(callIdOf(invite), 'one two')
  assert.is(glanceAt(bytes('', 'INVITE sip:a@b SIP/2.0', 't : <sip:a@b;tag2=x>', 'i: 5')).kind, 'invite')
  assert.is(callIdOf(bytes('CANCEL sip:a@b SIP/2.0', 'CALL-ID: 5')), '5')
  assert.is(glanceAt(bytes('CANCEL sip:a@b SIP/2.0', 'To: <sip:a@b>;tag=9')).kind, 'cancel')
  for (const to of ['To: <sip:a@b>;tag=9', 't:"A" <sip:a@b> ; Tag = 9', 'TO:sip:a@b;x=1;TAG=9']) {
    assert.is(glanceAt(bytes('INVITE sip:a@b SIP/2.0', to)).kind, 'other', to)
  }
  for (const line of [
    'BYE sip:a SIP/2.0',
    'SIP/2.0 200 OK',
    'INVITES sip:a SIP/2.0',
    'invite sip:a SIP/2.0',
    '',
    'INV',
  ]) {
    assert.is(glanceAt(bytes(line)).kind, 'other', line)
  }
  assert.is(glanceAt(new TextEncoder().encode('INVITE sip:a@b SIP/2.0\nTo: <sip:a@b>;tag=')).kind, 'other')
  // What stands in the body is no field.
  assert.is(glanceAt(bytes('INVITE sip:a@b SIP/2.0', 'To: <sip:a@b>', '', 'To: x;tag=1')).kind, 'invite')
  assert.is(sameBytes(undefined, undefined), false)
})

function queue(readMs = 0, isBehind?: () => boolean) {
  let now = 0
  const read: string[] = []
  const turns: (() => void)[] = []
  let count = 0
  const shared = new Turn(() => now, { turns: () => count, waitedMs: () => 0 })
  const arrivals = new Arrivals({ now: () => now, turn: shared, soon: fire => void turns.push(fire), isBehind })
  return {
    arrivals,
    read,
    arrive: (name: string, ...lines: string[]) =>
      arrivals.arrived(bytes(...lines), 1, waitedMs => {
        read.push(`${name} ${waitedMs}`)
        now += readMs
      }),
    /** What else is done in the turn takes so long. */
    turn: (ms: number) => {
      shared.began()
      now += ms
      for (const fire of turns.splice(0)) fire()
      count++
    },
  }
}
const inviteOf = (callId: string) => ['INVITE sip:a@b SIP/2.0', `Call-ID: ${callId}`]

test('while events of calls still wait, new calls do too, for eight milliseconds; then one is read in each turn', () => {
  let isBehind = true
  const { read, arrive, turn } = queue(1, () => isBehind)
  for (const call of ['1', '2', '3', '4']) arrive(call, ...inviteOf(call))
  turn(4)
  assert.equal(read, [])
  arrive('bye', 'BYE sip:a SIP/2.0', 'Call-ID: 9')
  assert.equal(read, ['bye 0'])
  turn(4)
  assert.equal(read.slice(1), ['1 9'])
  turn(4)
  assert.is(read.length, 3)
  isBehind = false
  turn(0)
  assert.is(read.length, 5, 'and both that are left')
})

test('what belongs to live calls is read at once, new calls after it, and a CANCEL not before its INVITE', () => {
  const { read, arrive, turn } = queue()
  arrive('first', ...inviteOf('1'))
  arrive('second', ...inviteOf('2'))
  arrive('bye', 'BYE sip:a SIP/2.0', 'Call-ID: 9')
  arrive('cancel', 'CANCEL sip:a SIP/2.0', 'Call-ID: 2')
  assert.equal(read, ['bye 0', 'second 0', 'cancel 0'])
  turn(5)
  assert.equal(read.slice(3), ['first 5'])
})

const bye = ['BYE sip:a SIP/2.0', 'Call-ID: 9']

test('messages of live calls are read for 2 ms in a turn; the others keep their order, and new calls wait behind them', () => {
  const { arrivals, read, arrive, turn } = queue(1)
  arrive('call', ...inviteOf('1'))
  for (let message = 0; message < 7; message++) arrive(`${message}`, ...bye)
  assert.equal(read.splice(0), ['0 0', '1 0'])
  turn(0)
  assert.equal(read.splice(0), ['call 2'], 'each turn has a millisecond for new calls')
  arrive('second', ...inviteOf('2'))
  arrive('7', ...bye)
  assert.equal(read, [], 'what comes later does not overtake')
  turn(1)
  assert.equal(read.splice(0), ['2 0', 'second 2'], 'an old turn has a millisecond for each')
  turn(0)
  assert.equal(read.splice(0), ['3 0', '4 0'])
  assert.ok(arrivals.takeFigures().waitMs > 3)
  for (let more = 0; more < 3; more++) turn(0)
  assert.equal(read, ['5 0', '6 0', '7 0'])
  arrivals.takeFigures()
  assert.is(arrivals.takeFigures().waitMs, 0)
  arrive('8', ...bye)
  assert.is(read.at(-1), '8 0', 'at once again')
})

test('a CANCEL that must wait comes after its INVITE, and the end of a connection after what came by it', () => {
  const { arrivals, read, arrive, turn } = queue(2)
  arrive('call', ...inviteOf('1'))
  arrive('0', ...bye)
  arrive('cancel', 'CANCEL sip:a SIP/2.0', 'Call-ID: 1')
  arrive('1', ...bye)
  assert.equal(read.splice(0), ['0 0'])
  arrivals.arrived(bytes(...bye), 7, () => read.push('by another'))
  arrive('2', ...bye)
  arrivals.readOf(8)
  assert.equal(read, [])
  arrivals.readOf(7)
  assert.equal(read.splice(0), ['call 2', 'cancel 0', '1 0', 'by another'])
  turn(0)
  turn(0)
  assert.equal(read, ['2 0'])
})

test('no more than 1,000 messages of live calls wait: then each that comes has the first of them read', () => {
  const { read, arrive, turn } = queue(2)
  for (let message = 0; message < 1003; message++) arrive(`${message}`, ...bye)
  assert.equal(read.splice(0), ['0 0', '1 0', '2 0'])
  for (let more = 0; more < 2000; more++) turn(0)
  assert.is(read.length, 1000)
  assert.is(read.at(-1), '1002 0')
})

test('new calls are read for 2 ms in a turn, for 1 in an older one; the others wait, and the waiting time is reported', () => {
  const { arrivals, read, arrive, turn } = queue(1)
  for (let call = 0; call < 10; call++) arrive(`${call}`, ...inviteOf(`${call}`))
  turn(0)
  assert.is(read.length, 2)
  assert.is(arrivals.takeFigures().waiting, 8)
  turn(5)
  assert.is(read.length, 3)
  assert.is(read[2], '2 7')
  turn(30)
  assert.is(read.length, 4)
  assert.ok(arrivals.takeFigures().waitMs >= 20)
  for (let more = 0; more < 3; more++) turn(0)
  assert.is(read.length, 10)
  arrivals.takeFigures()
  assert.is(arrivals.takeFigures().waitMs, 0)
})

test('too many new calls at once: the further ones are dropped and counted', () => {
  const { arrivals, arrive } = queue()
  for (let call = 0; call < 5000; call++) arrive(`${call}`, ...inviteOf(`${call}`))
  const { waiting, dropped } = arrivals.takeFigures()
  assert.equal([waiting, dropped], [4000, 1000])
})

test('a socket whose turns are full holds more: its age counts as waiting', () => {
  const { arrivals, turn } = queue()
  for (let round = 0; round < 5; round++) {
    for (let datagram = 0; datagram < 32; datagram++) arrivals.took(1, 32)
    turn(10)
  }
  assert.is(arrivals.takeFigures().waitMs, 50)
  arrivals.took(1, 32)
  turn(10)
  for (let datagram = 0; datagram < 32; datagram++) arrivals.took(1, 32)
  turn(10)
  assert.is(arrivals.takeFigures().waitMs, 0)
})

test('while the first has waited 10 ms, the newest is read first; who has waited 60 ms is read, to be refused', () => {
  let now = 0
  const read: string[] = []
  const gate = { mostSetUps: 1 }
  const invites = new InviteQueue(gate)
  const add = (name: string, at: number) =>
    invites.add({ callId: undefined, socket: 1, at, read: waitedMs => read.push(`${name} ${waitedMs}`) })
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) add(name, at)
  invites.readNext(10)
  invites.readNext(11)
  assert.equal(read.splice(1), ['b 10'])
  invites.readNext(20)
  assert.equal(read, ['a 10', 'd 17'])
  add('e', 40)
  invites.readNext(45)
  assert.equal(read.splice(0), ['a 10', 'd 17', 'e 5'])
  add('f', 46)
  gate.mostSetUps = 0
  for (now = 50; now <= 70; now += 10) invites.readNext(now)
  assert.equal(read, ['c 68'], 'without room only who has waited too long')
  gate.mostSetUps = 1
  assert.is(invites.readNext(75), true)
  assert.is(invites.readNext(75), false)
  assert.is(invites.size, 0)
})

test('calls are set up so many side by side: the others wait until one rings, and BYE does not', () => {
  const read: string[] = []
  const turns: (() => void)[] = []
  const arrivals = new Arrivals({
    now: () => 0,
    soon: fire => void turns.push(fire),
    gate: { mostSetUps: 2 },
  })
  const turn = () => {
    for (const fire of turns.splice(0)) fire()
  }
  for (const call of ['0', '1', '2', '3'])
    arrivals.arrived(bytes(...inviteOf(call)), 1, () => {
      read.push(call)
      arrivals.setUpBegan(call)
    })
  turn()
  assert.equal(read, ['0', '1'])
  assert.is(turns.length, 0, 'nothing turns in vain')
  arrivals.arrived(bytes('BYE sip:a SIP/2.0', 'Call-ID: 9'), 1, () => read.push('bye'))
  assert.is(read.pop(), 'bye')
  assert.equal([...endsSetUp], ['ring', 'progress', 'answer', 'end'])
  arrivals.setUpEnded('0')
  arrivals.setUpEnded('0')
  turn()
  assert.equal(read, ['0', '1', '2'])
  arrivals.setUpEnded('1')
  turn()
  assert.equal(read, ['0', '1', '2', '3'])
})

test('a connection that closes does not overtake the call that came by it', () => {
  const { arrivals, read, arrive } = queue()
  arrive('call', ...inviteOf('1'))
  arrivals.readOf(2)
  assert.is(read.length, 0)
  arrivals.readOf(1)
  assert.equal(read, ['call 0'])
})

test('new calls of strangers wait behind all others, 200 of them, and take the place of no trunk', () => {
  const turns: (() => void)[] = []
  const read: string[] = []
  const flowOf = (address: string) =>
    ({ transport: 'udp', address, port: 5060, socket: 1, localHost: '192.0.2.1', localPort: 5060 }) as const
  const arrivals = new Arrivals({
    now: () => 0,
    soon: fire => void turns.push(fire),
    isStranger: ({ address }) => address !== 'trunk',
  })
  const arrive = (name: string, address: string) =>
    arrivals.arrived(bytes(...inviteOf(name)), 1, () => read.push(name), flowOf(address))
  for (let n = 0; n < 5000; n++) arrive(`stranger-${n}`, 'elsewhere')
  for (let n = 0; n < 3; n++) arrive(`trunk-${n}`, 'trunk')
  const { waiting, dropped } = arrivals.takeFigures()
  assert.equal([waiting, dropped], [203, 4800])
  for (const fire of turns.splice(0)) fire()
  assert.equal(read.slice(0, 4), ['trunk-0', 'trunk-1', 'trunk-2', 'stranger-0'])
  assert.is(read.length, 203)
})

test.run()
