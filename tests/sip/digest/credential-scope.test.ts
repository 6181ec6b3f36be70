import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { PeerConfig } from '../../../sip/endpoint/peers/peer.ts'
import type { DialTarget } from '../../../sip/endpoint/services/call-command.ts'
import { headerOf } from '../../../sip/message/headers.ts'
import type { SipRequest } from '../../../sip/message/message.ts'
import { reason } from '../bed/dialog-bed.ts'
import { ScriptedPeer } from '../bed/scripted-peer.ts'
import { VirtualNetwork } from '../bed/virtual-network.ts'

const us = '192.0.2.1'
const carrier = '198.51.100.1'
const attacker = '203.0.113.66'
const secret = { username: 'sauti', password: 'the trunk password' }

const challenge = (realm: string, more: { nonce?: string; algorithm?: string; status?: 401 | 407 } = {}): string => {
  const { nonce = 'n1', algorithm = 'MD5', status = 407 } = more
  const name = status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate'
  return `${name}: Digest realm="${realm}", nonce="${nonce}", qop="auth", algorithm=${algorithm}`
}

const credentialsIn = (request: SipRequest): string | undefined =>
  headerOf(request, 'Proxy-Authorization') ?? headerOf(request, 'Authorization')

/** A switch with one trunk, its carrier, and another server on the network. */
function bed(trunk: Partial<PeerConfig> = {}) {
  const net = new VirtualNetwork(3)
  const station = net.station(us, [{ id: 'trunk', host: carrier, ...secret, inboundHosts: [carrier], ...trunk }])
  const home = new ScriptedPeer(net, carrier)
  const foreign = new ScriptedPeer(net, attacker)
  let calls = 0
  const dial = (set: Partial<DialTarget> = {}): string => {
    const id = `out${++calls}`
    const target = {
      peerId: 'trunk',
      uri: `sip:+254700000001@${carrier}`,
      hop: { host: carrier, port: undefined, transport: 'udp' as const },
      ...secret,
      ...set,
    }
    station.do({ type: 'dial', id, target, from: { user: '1001' }, sdp: 'our offer' })
    net.run(50)
    return id
  }
  const end = (id: string) => {
    station.do({ type: 'end', id, reason })
    net.run(50)
  }
  /** The carrier challenges the INVITE and answers the second. */
  const answered = (realm: string, contact = attacker) => {
    const id = dial()
    home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: [challenge(realm)] })
    answerAs(home.lastRequest('INVITE'), contact)
    return id
  }
  const answerAs = (invite: SipRequest, contact: string) => {
    const to = headerOf(invite, 'To')
    const lines = [
      'SIP/2.0 200 OK',
      `Via: ${headerOf(invite, 'Via')}`,
      `From: ${headerOf(invite, 'From')}`,
      `To: ${to};tag=callee`,
      `Call-ID: ${headerOf(invite, 'Call-ID')}`,
      `CSeq: ${headerOf(invite, 'CSeq')}`,
      `Contact: <sip:callee@${contact}>`,
      'Content-Type: application/sdp',
      'Content-Length: 6',
      '',
      'answer',
    ]
    home.say(us, lines.join('\r\n'))
  }
  return { net, station, home, foreign, dial, end, answered, answerAs }
}

test('a callee elsewhere that challenges our BYE gets no answer made of the trunk’s password (CVE-2021-41158)', () => {
  for (const realm of ['evil', 'carrier']) {
    const { station, foreign, answered, end } = bed()
    end(answered('carrier'))
    assert.equal(foreign.methods, ['ACK', 'BYE'], 'the Contact leads there')
    foreign.respond(us, foreign.lastRequest('BYE'), 407, { headers: [challenge(realm)] })
    assert.equal(foreign.methods, ['ACK', 'BYE'], `realm ${realm}`)
    assert.is(station.events.at(-1)?.type, 'ended')
    assert.is(station.endpoint.counters.challengesRefused, 1)
  }
})

test('the ACK to an address that is not the trunk’s carries no credentials of the INVITE', () => {
  const { foreign, home, answered } = bed()
  answered('carrier')
  assert.ok(credentialsIn(home.lastRequest('INVITE')))
  assert.is(credentialsIn(foreign.lastRequest('ACK')), undefined)
  const direct = bed()
  direct.answered('carrier', carrier)
  assert.ok(credentialsIn(direct.home.lastRequest('ACK')), 'RFC 3261 §22.1: the trunk itself gets them')
})

test('the carrier’s own challenge of a BYE is answered, where it was sent', () => {
  const { home, answered, end } = bed()
  end(answered('carrier', carrier))
  home.respond(us, home.lastRequest('BYE'), 407, { headers: [challenge('carrier', { nonce: 'n2' })] })
  assert.match(credentialsIn(home.lastRequest('BYE')) ?? '', /realm="carrier", nonce="n2"/)
})

test('an address of inbound_hosts is the trunk’s too; a wide network there only says who may call', () => {
  for (const [range, isHome] of [
    [attacker, true],
    ['203.0.113.0/24', true],
    ['203.0.0.0/16', false],
  ] as const) {
    const { foreign, answered, end } = bed({ inboundHosts: [carrier, range] })
    end(answered('carrier'))
    foreign.respond(us, foreign.lastRequest('BYE'), 407, { headers: [challenge('carrier', { nonce: 'n2' })] })
    assert.is(credentialsIn(foreign.lastRequest('BYE')) !== undefined, isHome, range)
  }
})

test('the realm of the first challenge holds for all calls of the trunk until it is configured otherwise', () => {
  const { station, home, answered, dial, end } = bed()
  end(answered('carrier', carrier))
  const again = dial()
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: [challenge('other')] })
  assert.is(credentialsIn(home.lastRequest('INVITE')), undefined)
  assert.equal(station.events.at(-1)?.type === 'ended' && station.events.at(-1), {
    type: 'ended',
    id: again,
    cause: { kind: 'auth-failed' },
    at: station.events.at(-1)?.at,
  })
  assert.is(station.endpoint.counters.challengesRefused, 1)
  station.do({
    type: 'peers',
    peers: [
      {
        id: 'trunk',
        host: carrier,
        port: 0,
        transport: 'udp',
        ...secret,
        password: 'new',
        register: false,
        inboundHosts: [carrier],
        optionsPingSeconds: 0,
      },
    ],
  })
  dial({ password: 'new' })
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'd', headers: [challenge('other')] })
  assert.match(credentialsIn(home.lastRequest('INVITE')) ?? '', /realm="other"/)
})

test('of two realms in one response the known one is answered (RFC 3261 §22.3)', () => {
  const { home, answered, dial, end } = bed()
  end(answered('carrier', carrier))
  dial()
  const headers = [challenge('other'), challenge('carrier', { nonce: 'n3' })]
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers })
  assert.match(credentialsIn(home.lastRequest('INVITE')) ?? '', /realm="carrier", nonce="n3"/)
})

test('SHA-256 is preferred, and once offered never given up for MD5 (RFC 8760 §2.4)', () => {
  const { station, home, dial } = bed()
  dial()
  const both = [challenge('carrier'), challenge('carrier', { algorithm: 'SHA-256' })]
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: both })
  assert.match(credentialsIn(home.lastRequest('INVITE')) ?? '', /algorithm=SHA-256/)
  dial()
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'd', headers: [challenge('carrier')] })
  assert.is(credentialsIn(home.lastRequest('INVITE')), undefined)
  assert.is(station.endpoint.counters.challengesRefused, 1)
})

test('SHA-512-256 is preferred to both, and once offered never given up for SHA-256 or MD5', () => {
  const { station, home, dial } = bed()
  dial()
  const all = ['MD5', 'SHA-512-256', 'SHA-256'].map(algorithm => challenge('carrier', { algorithm }))
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: all })
  assert.match(credentialsIn(home.lastRequest('INVITE')) ?? '', /algorithm=SHA-512-256/)
  for (const [at, algorithm] of ['SHA-256', 'MD5'].entries()) {
    dial()
    const headers = [challenge('carrier', { algorithm })]
    home.respond(us, home.lastRequest('INVITE'), 407, { toTag: `d${at}`, headers })
    assert.is(credentialsIn(home.lastRequest('INVITE')), undefined)
    assert.is(station.endpoint.counters.challengesRefused, at + 1)
  }
})

test('qop once offered is never given up: an answer without it could be looked up in a table (RFC 7616 §5.8)', () => {
  const { station, home, dial } = bed()
  const bare = (nonce: string) => challenge('carrier', { nonce }).replace(', qop="auth"', '')
  dial()
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: [bare('n1')] })
  assert.match(
    credentialsIn(home.lastRequest('INVITE')) ?? '',
    /nonce="n1"/,
    'a carrier that never offers it is answered',
  )
  dial()
  const both = [bare('n2'), challenge('carrier', { nonce: 'n3' })]
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'd', headers: both })
  assert.match(credentialsIn(home.lastRequest('INVITE')) ?? '', /nonce="n3".*qop=auth/)
  dial()
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'e', headers: [bare('n4')] })
  assert.is(credentialsIn(home.lastRequest('INVITE')), undefined)
  assert.is(station.endpoint.counters.challengesRefused, 1)
})

test('REGISTER teaches the realm, and is answered for no other', () => {
  const { station, home, net, dial } = bed({ register: true })
  net.run(50)
  home.respond(us, home.lastRequest('REGISTER'), 401, { headers: [challenge('carrier', { status: 401 })] })
  assert.match(credentialsIn(home.lastRequest('REGISTER')) ?? '', /realm="carrier"/)
  home.respond(us, home.lastRequest('REGISTER'), 200, { headers: ['Expires: 120'] })
  net.run(70_000)
  home.respond(us, home.lastRequest('REGISTER'), 401, { headers: [challenge('evil', { status: 401 })] })
  assert.is(credentialsIn(home.lastRequest('REGISTER')), undefined)
  dial()
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: [challenge('evil')] })
  assert.is(credentialsIn(home.lastRequest('INVITE')), undefined)
  assert.is(station.endpoint.counters.challengesRefused, 2)
})

test('credentials of a <Sip> target go to its own address alone, for one realm a call', () => {
  const { foreign, home, dial, end, answerAs, net } = bed()
  const id = dial({ peerId: undefined })
  home.respond(us, home.lastRequest('INVITE'), 407, { toTag: 'c', headers: [challenge('theirs')] })
  assert.match(credentialsIn(home.lastRequest('INVITE')) ?? '', /realm="theirs"/)
  answerAs(home.lastRequest('INVITE'), attacker)
  end(id)
  foreign.respond(us, foreign.lastRequest('BYE'), 407, { headers: [challenge('theirs')] })
  assert.equal(foreign.methods, ['ACK', 'BYE'])
  net.run(40_000)
})

test('re-INVITE and UPDATE of ours that a foreign hop challenges are not answered', () => {
  const { station, foreign, answered, net } = bed()
  const id = answered('carrier')
  station.do({ type: 'reoffer', id, sdp: 'another offer' })
  net.run(50)
  foreign.respond(us, foreign.lastRequest('INVITE'), 407, { toTag: 'callee', headers: [challenge('carrier')] })
  assert.is(foreign.methods.filter(method => method === 'INVITE').length, 1)
  assert.is(credentialsIn(foreign.lastRequest('INVITE')), undefined)
})

test('a refused challenge is reported once a minute a trunk', () => {
  const { home, answered, dial, end, net } = bed()
  end(answered('carrier', carrier))
  const before = net.notices.length
  for (let n = 0; n < 5; n++) {
    dial()
    home.respond(us, home.lastRequest('INVITE'), 407, { toTag: `d${n}`, headers: [challenge('other')] })
  }
  assert.equal(net.notices.slice(before), [
    { peerId: 'trunk', address: carrier, why: 'realm', realm: 'other', expected: 'carrier', refused: 1 },
  ])
})

test.run()
