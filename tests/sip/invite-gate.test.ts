import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keyOfInvite, RefusedInvites } from '../../sip/endpoint/refused-invites.ts'
import { headerOf } from '../../sip/message/headers.ts'
import { glanceAt, sameBytes } from '../../sip/message/peek.ts'
import { Arrivals } from '../../sip/transport/arrivals.ts'
import { ScriptedPeer, tagOfTo } from './scripted-peer.ts'
import { VirtualNetwork } from './virtual-network.ts'

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
  const [first, second] = peer.heard.map(({ bytes }) => Buffer.from(bytes).toString())
  assert.is(first, second)
  const refusal = peer.lastResponse()
  assert.match(headerOf(refusal, 'Retry-After') ?? '', /^[1-4]$/)
  assert.is(headerOf(refusal, 'X-Voice-Reason-Code'), 'LIMIT.0503')
  assert.is(station.endpoint.layer.serverCount, 0)
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
  // The re-INVITE that nobody has answered ends with the call.
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
  const refused = new RefusedInvites()
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

const bytes = (...lines: string[]) => new TextEncoder().encode([...lines, '', ''].join('\r\n'))
const callIdOf = (message: Uint8Array) => new TextDecoder().decode(glanceAt(message).callId)

test('a glance tells new calls and CANCELs from the rest', () => {
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

function queue(readMs = 0) {
  let now = 0
  const read: string[] = []
  const turns: (() => void)[] = []
  const arrivals = new Arrivals({ now: () => now, soon: fire => void turns.push(fire) })
  return {
    arrivals,
    read,
    arrive: (name: string, ...lines: string[]) =>
      arrivals.arrived(bytes(...lines), 1, waitedMs => {
        read.push(`${name} ${waitedMs}`)
        now += readMs
      }),
    turn: (ms: number) => {
      now += ms
      for (const fire of turns.splice(0)) fire()
    },
  }
}
const inviteOf = (callId: string) => ['INVITE sip:a@b SIP/2.0', `Call-ID: ${callId}`]

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

test('new calls are read for 4 ms in a turn, the rest waits for the next; how long is told', () => {
  const { arrivals, read, arrive, turn } = queue(1)
  for (let call = 0; call < 10; call++) arrive(`${call}`, ...inviteOf(`${call}`))
  turn(0)
  assert.is(read.length, 4)
  assert.is(arrivals.takeFigures().waiting, 6)
  turn(20)
  assert.is(read.length, 8)
  assert.is(read[4], '4 24')
  turn(20)
  assert.is(read.length, 10)
  assert.ok(arrivals.takeFigures().waitMs >= 20)
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
    for (let datagram = 0; datagram < 32; datagram++) arrivals.took(1)
    turn(10)
  }
  assert.is(arrivals.takeFigures().waitMs, 50)
  arrivals.took(1)
  turn(10)
  for (let datagram = 0; datagram < 32; datagram++) arrivals.took(1)
  turn(10)
  assert.is(arrivals.takeFigures().waitMs, 0)
})

test('a connection that closes does not overtake the call that came by it', () => {
  const { arrivals, read, arrive } = queue()
  arrive('call', ...inviteOf('1'))
  arrivals.readOf(2)
  assert.is(read.length, 0)
  arrivals.readOf(1)
  assert.equal(read, ['call 0'])
})

test.run()
