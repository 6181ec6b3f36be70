import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headerOf } from '../../../../sip/message/headers.ts'
import { ScriptedPeer } from '../../bed/scripted-peer.ts'
import { VirtualNetwork } from '../../bed/virtual-network.ts'

const us = '192.0.2.1'
const them = '192.0.2.9'
const asserted = 'P-Asserted-Identity: "Amina" <sip:+254733000001@carrier.test>'
const known = { user: '+254733000001', displayName: 'Amina' }
const anonymous = { user: 'anonymous', displayName: '' }

const cells: readonly [name: string, headers: readonly string[], from: object][] = [
  ['From alone', [], { user: 'peer', displayName: '' }],
  ['P-Asserted-Identity over From', [asserted], known],
  ['a tel URI', ['P-Asserted-Identity: <tel:+254733000001>'], { ...known, displayName: '' }],
  ['Privacy: none', [asserted, 'Privacy: none'], known],
  ['Privacy of other things', [asserted, 'Privacy: header;session'], known],
  ['Privacy: id', [asserted, 'Privacy: id'], anonymous],
  ['Privacy: id among others', [asserted, 'Privacy: header; ID ;critical'], anonymous],
  ['Privacy: id in a second header', [asserted, 'Privacy: header', 'Privacy: id'], anonymous],
  ['Privacy: user', [asserted, 'Privacy: user'], anonymous],
  ['200 characters', [`P-Asserted-Identity: <sip:${'x'.repeat(200)}@c>`], { user: 'x'.repeat(200), displayName: '' }],
  ['more', [`P-Asserted-Identity: <sip:${'x'.repeat(201)}@c>`], anonymous],
  ['line ends', ['P-Asserted-Identity: <sip:+254%0d%0aVia:x@c>'], anonymous],
  ['a zero', ['P-Asserted-Identity: "Amina" <sip:+254%00@c>'], anonymous],
  ['a long name', [`P-Asserted-Identity: "${'A'.repeat(201)}" <sip:+254733000001@c>`], { ...known, displayName: '' }],
  ['Privacy: id, but From tells the number', ['Privacy: id'], anonymous],
]

for (const [name, headers, from] of cells) {
  test(`who calls: ${name} (RFC 3325 §9)`, () => {
    const net = new VirtualNetwork(5)
    const station = net.station(us, [{ inboundHosts: [them] }])
    new ScriptedPeer(net, them).request('INVITE', us, 1, { body: 'offer', headers })
    const offered = station.events.find(event => event.type === 'offered')
    assert.equal(offered?.type === 'offered' && offered.from, from)
  })
}

test('a call to the Contact that we registered is for whom P-Called-Party-ID names, else To, and of that trunk', () => {
  const called = 'P-Called-Party-ID: <sip:+254700000777@carrier.test>'
  for (const [headers, to] of [
    [[called], '+254700000777'],
    [[], '+254700000001'],
  ] as const) {
    const net = new VirtualNetwork(5)
    const trunk = { host: them, username: 'u', password: 'p', register: true, inboundHosts: [them] }
    const station = net.station(us, [
      { ...trunk, id: 'first' },
      { ...trunk, id: 'second' },
    ])
    const peer = new ScriptedPeer(net, them)
    net.run(100)
    const contacts = peer.received.flatMap(({ message }) => {
      const uri = /<([^>]+)>/.exec(headerOf(message, 'Contact') ?? '')?.[1]
      return message.kind === 'request' && message.method === 'REGISTER' && uri !== undefined ? [uri] : []
    })
    assert.is(new Set(contacts).size, 2, 'each trunk has its own')
    for (const [at, uri] of [...new Set(contacts)].entries()) {
      peer.request('INVITE', us, 1, { uri, body: 'offer', headers, callId: `call-${at}` })
      const offered = station.events.findLast(event => event.type === 'offered')
      if (offered?.type !== 'offered' || !('peerId' in offered)) throw new Error('no call')
      assert.equal([offered.to, offered.peerId], [to, at === 0 ? 'first' : 'second'])
    }
  }
})

test.run()
