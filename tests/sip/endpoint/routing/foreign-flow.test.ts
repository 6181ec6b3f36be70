import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import type { SipResponse } from '../../../../sip/message/message.ts'
import { bed, causeOf, reason, them, us } from '../../bed/dialog-bed.ts'
import { field, PhoneBed } from '../../bed/phone-bed.ts'
import { ScriptedPeer, tagOfTo } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

const elsewhere = '203.0.113.66'
const within = ['BYE', 'INVITE', 'UPDATE', 'INFO', 'PRACK', 'NOTIFY', 'OPTIONS'] as const

test('who only knows the tags of a trunk’s dialog gets 481 from every method, and nothing changes', () => {
  const { net, station, peer, answered } = bed()
  const other = new ScriptedPeer(net, elsewhere)
  const { id, toTag } = answered()
  const before = station.events.length
  for (const [at, method] of within.entries()) {
    other.request(method, us, 100 + at, { toTag, ...(method === 'INVITE' ? { body: 'stolen' } : {}) })
    assert.is(other.statuses.at(-1), 481, method)
    assert.is(other.statuses.length, at + 1, method)
  }
  other.request('ACK', us, 1, { toTag })
  assert.is(station.events.length, before)
  // One more: the ACK of the 481 to its INVITE.
  assert.is(station.endpoint.counters.foreign, within.length + 2)
  // Neither the sequence numbers nor the remote target have moved.
  peer.request('INFO', us, 2, { toTag })
  assert.is(peer.statuses.at(-1), 200)
  station.do({ type: 'end', id, reason })
  net.run(50)
  assert.is(other.methods.length, 0)
  assert.is(peer.lastRequest('BYE').uri, `sip:peer@${them}`)
})

test('the same for a call that we dialled, early and answered', () => {
  const { net, station, peer, dial } = bed()
  const other = new ScriptedPeer(net, elsewhere)
  dial()
  const invite = peer.lastRequest('INVITE')
  const fromTag = 'callee'
  const toTag = /;tag=(.+)$/.exec(headerOf(invite, 'From') ?? '')?.[1] ?? ''
  const callId = headerOf(invite, 'Call-ID') ?? ''
  peer.respond(us, invite, 180, { toTag: fromTag })
  other.request('UPDATE', us, 1, { callId, toTag, fromTag, body: 'stolen' })
  assert.is(other.statuses.at(-1), 481)
  peer.respond(us, invite, 200, { toTag: fromTag, body: 'answer' })
  other.request('BYE', us, 2, { callId, toTag, fromTag })
  assert.is(other.statuses.at(-1), 481)
  assert.is(causeOf(station, 'out'), undefined)
  peer.request('BYE', us, 3, { callId, toTag, fromTag })
  assert.equal(causeOf(station, 'out'), { kind: 'bye' })
})

test('an early ACK of somebody else does not confirm the call', () => {
  const { net, station, peer } = bed()
  const other = new ScriptedPeer(net, elsewhere)
  peer.request('INVITE', us, 1, { body: 'offer' })
  const id = station.events.find(event => event.type === 'offered')?.id ?? ''
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  const toTag = tagOfTo(peer.lastResponse())
  other.request('ACK', us, 1, { toTag })
  assert.is(station.events.at(-1)?.type, 'offered')
  peer.request('ACK', us, 1, { toTag })
  assert.is(station.events.at(-1)?.type, 'confirmed')
})

test('CANCEL is taken from where its INVITE came; a copy of the INVITE from elsewhere moves no answer', () => {
  const { net, station, peer } = bed()
  const other = new ScriptedPeer(net, elsewhere)
  const branch = 'z9hG4bKknown'
  // The Via of the real peer, as an attacker would forge it that knows the branch.
  const forged = (method: string) =>
    [
      `${method} sip:+254700000001@${us} SIP/2.0`,
      `Via: SIP/2.0/UDP ${them}:5060;branch=${branch}`,
      `From: <sip:peer@${them}>;tag=peer`,
      `To: <sip:+254700000001@${us}>`,
      'Call-ID: scripted',
      `CSeq: 1 ${method}`,
      'Max-Forwards: 70',
      `Contact: <sip:peer@${elsewhere}>`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n')
  peer.request('INVITE', us, 1, { body: 'offer', branch })
  other.say(us, forged('CANCEL'))
  assert.equal(
    station.events.map(({ type }) => type),
    ['offered'],
  )
  other.say(us, forged('INVITE'))
  assert.is(station.endpoint.counters.foreign, 2)
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  assert.is(peer.statuses.at(-1), 200)
  assert.not(other.statuses.includes(200))
})

test('a trunk that sends from several addresses may use each of them; of another trunk none', () => {
  const net = new VirtualNetwork(5)
  const station = net.station(us, [
    { id: 'one', host: them, inboundHosts: [them, '192.0.2.16/28'] },
    { id: 'two', inboundHosts: ['192.0.2.32/28'] },
  ])
  const [peer, second, foreign] = [them, '192.0.2.17', '192.0.2.33'].map(at => new ScriptedPeer(net, at))
  if (peer === undefined || second === undefined || foreign === undefined) throw new Error('no peer')
  peer.request('INVITE', us, 1, { body: 'offer' })
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  const toTag = tagOfTo(peer.lastResponse())
  second.request('ACK', us, 1, { toTag })
  assert.is(station.events.at(-1)?.type, 'confirmed')
  foreign.request('BYE', us, 2, { toTag })
  assert.is(foreign.statuses.at(-1), 481)
  second.request('BYE', us, 2, { toTag })
  assert.equal(causeOf(station, id), { kind: 'bye' })
})

test('two trunks of one carrier share its addresses: the call of either takes requests from them', () => {
  const net = new VirtualNetwork(5)
  const shared = ['192.0.2.16/28']
  const station = net.station(us, [
    { id: 'one', host: them, inboundHosts: shared },
    { id: 'two', host: them, inboundHosts: shared },
  ])
  const [peer, other] = [new ScriptedPeer(net, them), new ScriptedPeer(net, '192.0.2.20')]
  const hop = { host: them, port: undefined, transport: 'udp' as const }
  const target = { peerId: 'two', uri: `sip:1@${them}`, hop, username: '', password: '' }
  station.do({ type: 'dial', id: 'out', target, from: { user: '1' }, sdp: 'offer' })
  net.run(50)
  const invite = peer.lastRequest('INVITE')
  peer.respond(us, invite, 200, { toTag: 'x', body: 'answer' })
  const toTag = /;tag=(.+)$/.exec(headerOf(invite, 'From') ?? '')?.[1] ?? ''
  other.request('BYE', us, 1, { callId: headerOf(invite, 'Call-ID') ?? '', toTag, fromTag: 'x' })
  assert.equal(causeOf(station, 'out'), { kind: 'bye' })
})

test('the next hop’s addresses count: Contact and Record-Route lead our requests there (RFC 3261 §12.2.1.1)', () => {
  for (const headers of [[`Contact: <sip:far@${elsewhere}>`], [`Record-Route: <sip:${elsewhere};lr>`]]) {
    const { net, station, peer } = bed()
    const hop = new ScriptedPeer(net, elsewhere)
    const own = headers[0]?.startsWith('Contact') ? [] : [`Contact: <sip:peer@${them}>`]
    const lines = [
      `INVITE sip:1@${us} SIP/2.0`,
      `Via: SIP/2.0/UDP ${them}:5060;branch=z9hG4bKhop`,
      `From: <sip:peer@${them}>;tag=peer`,
      `To: <sip:1@${us}>`,
      'Call-ID: scripted',
      'CSeq: 1 INVITE',
      'Max-Forwards: 70',
      ...headers,
      ...own,
      'Content-Type: application/sdp',
      'Content-Length: 5',
      '',
      'offer',
    ]
    peer.say(us, lines.join('\r\n'))
    const id = station.events[0]?.id ?? ''
    station.do({ type: 'answer', id, sdp: 'answer' })
    net.run(50)
    const toTag = tagOfTo(peer.lastResponse())
    hop.request('ACK', us, 1, { toTag })
    hop.request('BYE', us, 2, { toTag })
    assert.equal(causeOf(station, id), { kind: 'bye' }, headers[0])
  }
})

test('a Contact by name is looked up when the call is answered, and its address may speak', () => {
  const { net, station, peer } = bed()
  const far = new ScriptedPeer(net, 'far.test')
  const lines = [
    `INVITE sip:1@${us} SIP/2.0`,
    `Via: SIP/2.0/UDP ${them}:5060;branch=z9hG4bKname`,
    `From: <sip:peer@${them}>;tag=peer`,
    `To: <sip:1@${us}>`,
    'Call-ID: scripted',
    'CSeq: 1 INVITE',
    'Max-Forwards: 70',
    'Contact: <sip:far@far.test>',
    'Content-Type: application/sdp',
    'Content-Length: 5',
    '',
    'offer',
  ]
  peer.say(us, lines.join('\r\n'))
  const id = station.events[0]?.id ?? ''
  station.do({ type: 'answer', id, sdp: 'answer' })
  net.run(50)
  far.request('BYE', us, 2, { toTag: tagOfTo(peer.lastResponse()) })
  assert.equal(causeOf(station, id), { kind: 'bye' })
})

const sdp = 'v=0\r\n'
const contact = '<sip:a@x.invalid>'

/** A browser phone with a call that it made and we answered; `ask` speaks within it. */
function phoneCall() {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  bed.register(flow, token, { contact })
  const headers = [`Authorization: Bearer ${token.password}`, `Contact: ${contact}`]
  bed.ask(flow, { method: 'INVITE', callId: 'in', headers, body: sdp })
  bed.do({ type: 'answer', id: 'call-1', sdp })
  const answer = bed.sent.findLast(({ message }) => message.kind === 'response')?.message
  const toTag = /;tag=(.+)$/.exec(field(answer as SipResponse, 'To') ?? '')?.[1] ?? ''
  bed.ask(flow, { method: 'ACK', callId: 'in', toTag })
  return { bed, token, flow, toTag }
}

test('a browser’s dialog belongs to its WebSocket: another one with its address gets 481, signed in or not', () => {
  const { bed, flow, toTag } = phoneCall()
  const other = bed.token('1002')
  const neighbour = bed.flow()
  assert.is(bed.ask(bed.flow({ address: flow.address }), { method: 'BYE', callId: 'in', cseq: 9, toTag })?.status, 481)
  bed.register(neighbour, other)
  assert.is(bed.ask(neighbour, { method: 'BYE', callId: 'in', cseq: 9, toTag })?.status, 481)
  const udp = bed.flow({ transport: 'udp', address: flow.address, socket: 1 })
  assert.is(bed.ask(udp, { method: 'BYE', callId: 'in', cseq: 9, toTag })?.status, 481)
  assert.is(bed.ask(flow, { method: 'BYE', callId: 'in', cseq: 9, toTag })?.status, 200)
  assert.is(bed.endpoint.counters.foreign, 3)
})

test('the WebSocket that succeeds it for the same instance has the dialog (RFC 5626 §4.4), also before the old one is closed', () => {
  for (const isClosed of [true, false]) {
    const { bed, token, flow, toTag } = phoneCall()
    const next = bed.flow({ address: '203.0.113.9' })
    if (isClosed) bed.do({ type: 'flow-closed', flow })
    bed.register(next, token, { cseq: 2, contact })
    assert.is(bed.ask(next, { method: 'INFO', callId: 'in', cseq: 9, toTag })?.status, 200)
    assert.is(bed.ask(next, { method: 'BYE', callId: 'in', cseq: 10, toTag })?.status, 200)
  }
})

test('a desk phone on UDP whose NAT has given it another port keeps its dialog', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow({ transport: 'udp', socket: 1, address: '203.0.113.5', port: 5062 })
  bed.register(flow, token, { contact: '<sip:1001@10.0.0.5:5062>' })
  const binding = bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id ?? ''
  bed.do({ type: 'dial', id: 'out', target: { binding }, from: { user: '1002' }, sdp })
  const invite = bed.requests('INVITE')[0]?.message
  bed.answer(flow, invite, 200, sdp)
  const callId = field(invite, 'Call-ID') ?? ''
  const toTag = /;tag=(.+)$/.exec(field(invite, 'From') ?? '')?.[1] ?? ''
  const ack = bed.requests('ACK')[0]?.message
  const fromTag = /;tag=(.+)$/.exec(field(ack, 'To') ?? '')?.[1] ?? ''
  const moved = { ...flow, port: 61_000 }
  const away = { ...flow, address: elsewhere }
  assert.is(bed.ask(away, { method: 'BYE', callId, cseq: 1, fromTag, toTag })?.status, 481)
  assert.is(bed.ask(moved, { method: 'BYE', callId, cseq: 1, fromTag, toTag })?.status, 200)
})

test.run()
