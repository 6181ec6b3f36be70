import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf, headersOf } from '../../../../sip/message/headers.ts'
import { bed, causeOf, reason, them, us } from '../../bed/dialog-bed.ts'
import { leavesNothing } from '../../bed/leaves-nothing.ts'
import { ScriptedPeer, tagOfTo } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

test('forks: the first answer wins, the second is acknowledged and hung up (RFC 3261 §13.2.2.4)', () => {
  const { net, station, peer, types, dial } = bed()
  dial()
  const invite = peer.lastRequest('INVITE')
  peer.respond(us, invite, 180, { toTag: 'fork1' })
  peer.respond(us, invite, 183, { toTag: 'fork2', body: 'early' })
  peer.respond(us, invite, 200, { toTag: 'fork2', body: 'answer 2' })
  peer.respond(us, invite, 200, { toTag: 'fork1', body: 'answer 1' })
  assert.equal(types(), ['ringing', 'early', 'answered'])
  assert.equal(peer.methods, ['INVITE', 'ACK', 'ACK', 'BYE'])
  assert.match(headerOf(peer.lastRequest('BYE'), 'To') ?? '', /tag=fork1/)
  peer.respond(us, invite, 200, { toTag: 'fork1', body: 'answer 1' })
  assert.equal(peer.methods, ['INVITE', 'ACK', 'ACK', 'BYE', 'ACK'], 'a repeated 2xx gets its ACK again')
  peer.respond(us, peer.lastRequest('BYE'), 200)
  station.do({ type: 'end', id: 'out', reason })
  net.run(50)
  assert.match(headerOf(peer.lastRequest('BYE'), 'To') ?? '', /tag=fork2/)
  peer.respond(us, peer.lastRequest('BYE'), 200)
  assert.equal(types(), ['ringing', 'early', 'answered', 'ended'])
  leavesNothing(net, station)
})

test('2xx that come after the end of a call: the repeated one gets the same ACK, those of other forks ACK and BYE (RFC 3261 §13.2.2.4)', () => {
  const { net, station, peer, types, dial } = bed()
  dial()
  const invite = peer.lastRequest('INVITE')
  peer.respond(us, invite, 180, { toTag: 'fork2', headers: ['Require: 100rel', 'RSeq: 1'] })
  const prack = peer.lastRequest('PRACK')
  peer.respond(us, prack, 200)
  peer.respond(us, invite, 200, { toTag: 'fork1', body: 'answer 1' })
  const ack = peer.lastRequest('ACK')
  station.do({ type: 'end', id: 'out', reason })
  net.run(50)
  peer.respond(us, peer.lastRequest('BYE'), 200)
  assert.equal(types(), ['ringing', 'answered', 'ended'])
  net.run(20_000)

  const sent = peer.methods.length
  peer.respond(us, invite, 200, { toTag: 'fork1', body: 'answer 1' })
  assert.equal(peer.methods.slice(sent), ['ACK'])
  assert.equal(peer.lastRequest('ACK'), ack, 'to the octet')
  peer.respond(us, invite, 200, { toTag: 'fork2', body: 'answer 2' })
  assert.equal(peer.methods.slice(sent), ['ACK', 'ACK', 'BYE'])
  const bye = peer.lastRequest('BYE')
  assert.is(tagOfTo(bye), 'fork2')
  assert.is(headerOf(bye, 'CSeq'), '3 BYE', 'after the PRACK of its early dialog')
  assert.is(headerOf(peer.lastRequest('ACK'), 'CSeq'), headerOf(invite, 'CSeq')?.replace('INVITE', 'ACK'))
  peer.respond(us, invite, 200, { toTag: 'fork2', body: 'answer 2' })
  assert.equal(peer.methods.slice(sent), ['ACK', 'ACK', 'BYE', 'ACK'])
  peer.respond(us, bye, 200)
  assert.equal(types(), ['ringing', 'answered', 'ended'])
  leavesNothing(net, station)
})

test('a route set is followed, loose and strict (RFC 3261 §12.2.1.1)', () => {
  for (const loose of [true, false]) {
    const { net, station, peer, dial } = bed()
    dial()
    const lr = loose ? ';lr' : ''
    const headers = [`Record-Route: <sip:192.0.2.9:5060${lr};b>, <sip:192.0.2.9${lr};a>`]
    peer.respond(us, peer.lastRequest('INVITE'), 200, { toTag: 'x', body: 'answer', headers })
    const ack = peer.lastRequest('ACK')
    const routes = headersOf(ack, 'Route')
    if (loose) {
      assert.is(ack.uri, 'sip:peer@192.0.2.9')
      assert.equal(routes, ['<sip:192.0.2.9;lr;a>', '<sip:192.0.2.9:5060;lr;b>'])
    } else {
      assert.is(ack.uri, 'sip:192.0.2.9;a')
      assert.equal(routes, ['<sip:192.0.2.9:5060;b>', '<sip:peer@192.0.2.9>'])
    }
    station.do({ type: 'end', id: 'out', reason })
    leavesNothing(net, station)
  }
})

test('a refusal moves through digest once; a second refusal is auth-failed; a stale nonce is one more try', () => {
  const challenge = (nonce: string, stale = '') =>
    `WWW-Authenticate: Digest realm="carrier", nonce="${nonce}", qop="auth", algorithm=MD5${stale}`
  for (const [second, invites] of [
    [challenge('n2'), 2],
    [challenge('n2', ', stale=true'), 3],
  ] as const) {
    const { net, station, peer, dial } = bed({ username: 'u', password: 'p' })
    dial()
    peer.respond(us, peer.lastRequest('INVITE'), 401, { toTag: 'a', headers: [challenge('n1')] })
    const again = peer.lastRequest('INVITE')
    assert.is(headerOf(again, 'CSeq'), '2 INVITE')
    assert.match(headerOf(again, 'Authorization') ?? '', /username="u".*nonce="n1"/)
    peer.respond(us, again, 401, { toTag: 'b', headers: [second] })
    assert.is(peer.methods.filter(method => method === 'INVITE').length, invites)
    if (invites === 3) peer.respond(us, peer.lastRequest('INVITE'), 401, { toTag: 'c', headers: [challenge('n3')] })
    assert.equal(causeOf(station, 'out'), { kind: 'auth-failed' })
    leavesNothing(net, station)
  }
})

test('a redirection is a refusal; nothing is sent elsewhere', () => {
  const { net, station, peer, dial } = bed()
  dial()
  peer.respond(us, peer.lastRequest('INVITE'), 302, { toTag: 'x' })
  assert.equal(causeOf(station, 'out'), { kind: 'response', status: 302 })
  assert.equal(peer.methods, ['INVITE', 'ACK'])
  leavesNothing(net, station)
})

test('delayed offer: ours in the 2xx, theirs in the ACK; without one the call is hung up', () => {
  for (const body of ['their answer', undefined]) {
    const { net, station, peer, types } = bed()
    peer.request('INVITE', us, 1)
    const offered = station.events[0]
    assert.ok(offered?.type === 'offered' && offered.sdp === undefined)
    station.do({ type: 'answer', id: offered.id, sdp: 'our offer' })
    net.run(50)
    peer.request('ACK', us, 1, { toTag: tagOfTo(peer.lastResponse()), ...(body === undefined ? {} : { body }) })
    if (body !== undefined) {
      const confirmed = station.events.at(-1)
      assert.ok(confirmed?.type === 'confirmed' && confirmed.sdp === body)
      station.do({ type: 'end', id: offered.id, reason })
    } else assert.equal(types(), ['offered'])
    net.run(50)
    peer.respond(us, peer.lastRequest('BYE'), 200)
    assert.is(types().at(-1), 'ended')
    leavesNothing(net, station)
  }
})

test('requests out of order get 500, unknown dialogs 481, copies by another path 482 (§8.2.2.2, §12.2.2)', () => {
  const { net, station, peer, answered } = bed()
  const { id, toTag } = answered()
  peer.request('INFO', us, 5, { toTag })
  peer.request('INFO', us, 4, { toTag })
  peer.request('INFO', us, 6, { toTag: 'nobody' })
  peer.request('BYE', us, 7, { toTag, fromTag: 'else' })
  peer.request('BYE', us, 7, { toTag, callId: 'else' })
  assert.equal(peer.statuses.slice(-5), [200, 500, 481, 481, 481])
  peer.request('INVITE', us, 1, { callId: 'copy', branch: 'z9hG4bKone', body: 'x' })
  peer.request('INVITE', us, 1, { callId: 'copy', branch: 'z9hG4bKtwo', body: 'x' })
  assert.is(peer.statuses.at(-1), 482)
  station.do({ type: 'end', id, reason })
  const copy = station.events.at(-1)
  assert.ok(copy?.type === 'offered')
  station.do({ type: 'end', id: copy.id, reason })
  leavesNothing(net, station)
})

test('digits by INFO in both forms; other bodies 415, none 200', () => {
  const { net, station, peer, answered } = bed()
  const { id, toTag } = answered()
  const relay = { toTag, type: 'application/dtmf-relay' }
  peer.request('INFO', us, 2, { ...relay, body: 'Signal=5\r\nDuration=250\r\n' })
  peer.request('INFO', us, 3, { ...relay, body: 'Signal= 11\r\n' })
  peer.request('INFO', us, 4, { toTag, type: 'application/dtmf', body: '*' })
  peer.request('INFO', us, 5, { toTag })
  peer.request('INFO', us, 6, { ...relay, body: 'Signal=flash' })
  peer.request('INFO', us, 7, { toTag, type: 'text/plain', body: '5' })
  peer.request('INFO', us, 8, { toTag, type: 'application/dtmf', body: 'Signal=7\r\nDuration=90\r\n' })
  assert.equal(peer.statuses.slice(-7), [200, 200, 200, 200, 415, 415, 200])
  const digits = station.events.flatMap(event => (event.type === 'digit' ? [[event.digit, event.durationMs]] : []))
  assert.equal(digits, [
    ['5', 250],
    ['#', 160],
    ['*', 160],
    ['7', 90],
  ])
  station.do({ type: 'end', id, reason })
  leavesNothing(net, station)
})

test('re-INVITEs without an offer from somebody we called: the first ACK of the dialog holds an answer like the others', () => {
  const { net, station, peer, types, dial } = bed()
  dial()
  const invite = peer.lastRequest('INVITE')
  peer.respond(us, invite, 200, { toTag: 'x', body: 'answer' })
  const toTag = /;tag=([^;]+)/.exec(headerOf(invite, 'From') ?? '')?.[1] ?? ''
  const within = { toTag, fromTag: 'x', callId: headerOf(invite, 'Call-ID') ?? '' }
  for (const [cseq, body] of [
    [1, 'their answer'],
    [2, 'another'],
  ] as const) {
    peer.request('INVITE', us, cseq, within)
    station.do({ type: 'reanswer', id: 'out', sdp: 'all we can' })
    net.run(50)
    assert.is(headerOf(peer.lastResponse(), 'Record-Route'), undefined)
    peer.request('ACK', us, cseq, { ...within, body })
    const reported = station.events.at(-1)
    assert.ok(reported?.type === 'reconfirmed' && reported.sdp === body, types().join())
  }
  peer.request('INVITE', us, 3, within)
  station.do({ type: 'reanswer', id: 'out', sdp: 'all we can' })
  net.run(50)
  peer.request('ACK', us, 3, within)
  assert.is(types().includes('ended'), false, 'without an answer all stays as it was')
  peer.request('BYE', us, 4, within)
  leavesNothing(net, station)
})

test('re-INVITE: answered, delayed, refused, cancelled, and hung up while it waits', () => {
  const { net, station, peer, answered } = bed()
  const { id, toTag } = answered()
  peer.request('INVITE', us, 2, { toTag, body: 'hold' })
  assert.ok(station.events.at(-1)?.type === 'reoffered')
  peer.request('INVITE', us, 3, { toTag, body: 'again' })
  assert.is(peer.statuses.at(-1), 500, 'a second offer while the first waits')
  assert.ok(headerOf(peer.lastResponse(), 'Retry-After') !== undefined)
  station.do({ type: 'reanswer', id, sdp: 'held' })
  net.run(50)
  assert.is(peer.statuses.at(-1), 200)
  peer.request('ACK', us, 2, { toTag })

  peer.request('INVITE', us, 4, { toTag })
  station.do({ type: 'reanswer', id, sdp: 'our offer' })
  net.run(50)
  peer.request('UPDATE', us, 5, { toTag, body: 'too early' })
  assert.is(peer.statuses.at(-1), 491)
  peer.request('ACK', us, 4, { toTag, body: 'their answer' })
  const reconfirmed = station.events.at(-1)
  assert.ok(reconfirmed?.type === 'reconfirmed' && reconfirmed.sdp === 'their answer')

  peer.request('INVITE', us, 6, { toTag, body: 'video' })
  station.do({ type: 'refuse-reoffer', id })
  net.run(50)
  assert.is(peer.statuses.at(-1), 488)

  peer.request('INVITE', us, 7, { toTag, body: 'x', branch: 'z9hG4bKseven' })
  peer.request('CANCEL', us, 7, { toTag, branch: 'z9hG4bKseven' })
  assert.equal(peer.statuses.slice(-2), [200, 487])

  peer.request('INVITE', us, 8, { toTag, body: 'x' })
  peer.request('BYE', us, 9, { toTag })
  assert.equal(peer.statuses.slice(-2).toSorted(), [200, 487])
  assert.is(causeOf(station, id)?.kind, 'bye')
  leavesNothing(net, station)
})

test('a probe is OPTIONS within the dialog: any answer but 408 and 481 shows that the peer is there', () => {
  for (const [status, isThere] of [
    [200, true],
    [405, true],
    [500, true],
    [408, false],
    [481, false],
    [undefined, false],
  ] as const) {
    const { net, station, peer, answered } = bed()
    const { id, toTag } = answered()
    station.do({ type: 'probe', id })
    net.run(50)
    const options = peer.lastRequest('OPTIONS')
    assert.is(/;tag=([^;]+)/.exec(headerOf(options, 'From') ?? '')?.[1], toTag)
    if (status !== undefined) peer.respond(us, options, status)
    net.run(40_000)
    assert.equal(causeOf(station, id), isThere ? undefined : { kind: 'session-expired' }, `${status}`)
    assert.is(peer.methods.includes('BYE'), !isThere)
    if (isThere) peer.request('BYE', us, 2, { toTag })
    leavesNothing(net, station)
  }
})

test('a call that is not answered is not probed', () => {
  const { net, station, peer } = bed()
  peer.request('INVITE', us, 1, { body: 'offer' })
  const id = station.events.find(event => event.type === 'offered')?.id ?? ''
  station.do({ type: 'probe', id })
  net.run(50)
  assert.is(peer.methods.includes('OPTIONS'), false)
  station.do({ type: 'end', id, reason })
  leavesNothing(net, station)
})

test('events carry the source address of SIP, which media may come from as well', () => {
  const { station, peer, answered } = bed()
  const { toTag } = answered()
  peer.request('INVITE', us, 2, { toTag, body: 'hold' })
  const reported = station.events.flatMap(event => ('source' in event ? [[event.type, event.source]] : []))
  assert.equal(reported, [
    ['offered', them],
    ['reoffered', them],
  ])
})

test('UPDATE: refreshes, moves the target, carries offers (RFC 3311)', () => {
  const { net, station, peer, answered } = bed()
  const { id, toTag } = answered()
  peer.request('UPDATE', us, 2, { toTag })
  assert.is(peer.statuses.at(-1), 200)
  peer.request('UPDATE', us, 3, { toTag, body: 'offer' })
  station.do({ type: 'reanswer', id, sdp: 'answer' })
  net.run(50)
  assert.is(peer.statuses.at(-1), 200)
  assert.is(new TextDecoder().decode(peer.lastResponse().body), 'answer')
  station.do({ type: 'end', id, reason })
  leavesNothing(net, station)
})

test('what we do not serve: 405 with Allow, 501, 416, 420; OPTIONS says what we can', () => {
  const { peer, answered } = bed()
  const { toTag } = answered()
  peer.request('REFER', us, 2, { toTag, headers: ['Refer-To: <sip:+1900@x>'] })
  assert.is(peer.statuses.at(-1), 405)
  peer.request('BREW', us, 3, { toTag })
  assert.is(peer.statuses.at(-1), 501)
  peer.request('OPTIONS', us, 4, { toTag, headers: ['Require: teleport'] })
  assert.is(peer.statuses.at(-1), 420)
  peer.request('OPTIONS', us, 5, { toTag })
  assert.is(peer.statuses.at(-1), 200)
  assert.is(headerOf(peer.lastResponse(), 'Accept'), 'application/sdp')
  peer.request('NOTIFY', us, 6, { toTag, headers: ['Event: x'] })
  assert.is(peer.statuses.at(-1), 481)
})

test('limits: calls beyond get 503 and Retry-After, dialled ones end at once', () => {
  const net = new VirtualNetwork(1)
  const station = net.station(us, [{ inboundHosts: [them] }], { calls: 2 })
  const peer = new ScriptedPeer(net, them)
  for (const callId of ['a', 'b', 'c']) peer.request('INVITE', us, 1, { callId, body: 'x' })
  assert.equal(peer.statuses, [100, 100, 503])
  assert.ok(headerOf(peer.lastResponse(), 'Retry-After') !== undefined)
  const hop = { host: them, port: undefined, transport: 'udp' as const }
  const target = { uri: `sip:1@${them}`, hop, username: '', password: '' }
  station.do({ type: 'dial', id: 'out', target, from: { user: '1' }, sdp: 'x' })
  assert.equal(causeOf(station, 'out'), { kind: 'response', status: 503 })
})

test('while the peer waits for an offer that its re-INVITE asked for, no re-INVITE of ours is sent (RFC 3261 §14.1)', () => {
  const { net, station, peer, answered } = bed()
  const { id, toTag } = answered()
  peer.request('INVITE', us, 2, { toTag })
  assert.is(station.events.at(-1)?.type, 'reoffered')
  station.do({ type: 'reoffer', id, sdp: 'ours' })
  net.run(50)
  assert.not.ok(peer.methods.includes('INVITE'))
  const refused = station.events.at(-1)
  assert.ok(refused?.type === 'reoffer-refused' && refused.status === 491)
  station.do({ type: 'reanswer', id, sdp: 'asked for' })
  net.run(50)
  peer.request('ACK', us, 2, { toTag, body: 'their answer' })
  assert.is(station.events.at(-1)?.type, 'reconfirmed')
  station.do({ type: 'end', id, reason })
  net.run(50)
  peer.respond(us, peer.lastRequest('BYE'), 200)
  leavesNothing(net, station)
})

test('a peer that sends without end in its dialog uses up its own server transactions, and can hang up', () => {
  const net = new VirtualNetwork(5)
  const limits = { serverTransactions: 40, dialogTransactions: 20 }
  const station = net.station(us, [{ inboundHosts: ['192.0.2.0/24'] }], limits)
  const peer = new ScriptedPeer(net, them)
  const other = new ScriptedPeer(net, '192.0.2.8')
  const begin = (from: ScriptedPeer, callId: string) => {
    from.request('INVITE', us, 1, { body: 'offer', callId })
    const id = station.events.findLast(event => event.type === 'offered')?.id ?? ''
    station.do({ type: 'answer', id, sdp: 'answer' })
    net.run(50)
    const toTag = tagOfTo(from.lastResponse())
    from.request('ACK', us, 1, { toTag, callId })
    return { id, toTag, callId }
  }
  const loud = begin(peer, 'loud')
  const quiet = begin(other, 'quiet')
  for (let n = 0; n < 100; n++) peer.request('OPTIONS', us, 2 + n, loud)
  assert.is(peer.statuses.filter(status => status === 503).length, 80)
  assert.is(station.endpoint.counters.overloaded, 80)
  other.request('BYE', us, 2, quiet)
  assert.is(other.statuses.at(-1), 200)
  peer.request('BYE', us, 500, loud)
  assert.is(peer.statuses.at(-1), 200)
  assert.equal(causeOf(station, loud.id), { kind: 'bye' })
  leavesNothing(net, station)
})

test.run()
