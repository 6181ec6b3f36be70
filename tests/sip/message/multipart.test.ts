import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseMediaType } from '../../../sip/header/content-type.ts'
import { sessionPartOf } from '../../../sip/message/multipart.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { ScriptedPeer, tagOfTo } from '../bed/scripted-peer.ts'
import { VirtualNetwork } from '../bed/virtual-network.ts'

const sdp = 'v=0\r\no=- 1 1 IN IP4 192.0.2.9\r\ns=-\r\nt=0 0\r\n'
const isup = '--b\r\nContent-Type: application/ISUP;version=itu-t92+\r\nContent-Disposition: signal\r\n\r\n\x01\x11\r\n'
const session = `--b\r\nContent-Type: application/sdp\r\n\r\n${sdp}\r\n`

const sessionOf = (type: string, body: string): string | undefined => {
  const parsed = parseMediaType(type)
  return parsed.ok ? sessionPartOf(parsed.value, body) : 'no type'
}

const bodies: readonly [what: string, type: string, body: string, found: string | undefined][] = [
  ['SIP-I', 'multipart/mixed;boundary=b', `${session}${isup}--b--\r\n`, sdp],
  ['the other order', 'multipart/mixed;boundary=b', `${isup}${session}--b--`, sdp],
  ['a preamble and an epilogue', 'Multipart/Mixed; Boundary="b"', `hello\r\n${session}--b--\r\nbye\r\n--b\r\n`, sdp],
  ['line feeds alone', 'multipart/mixed;boundary=b', `${session}--b--`.replaceAll('\r', ''), sdp.replaceAll('\r', '')],
  ['white space after a delimiter', 'multipart/mixed;boundary=b', `${session.replace('--b', '--b \t')}--b--`, sdp],
  ['a longer delimiter inside', 'multipart/mixed;boundary=b', `--b\r\n\r\nx\r\n--bb\r\n${session}--b--`, sdp],
  ['the delimiter within a line', 'multipart/mixed;boundary=b', `--b\r\n\r\nx --b\r\n${session}--b--`, sdp],
  [
    'a multipart in a multipart',
    'multipart/mixed;boundary=a',
    `--a\r\nContent-Type: multipart/alternative;boundary=b\r\n\r\n${isup}${session}--b--\r\n--a--`,
    sdp,
  ],
  ['no such part', 'multipart/mixed;boundary=b', `${isup}--b--`, undefined],
  [
    'another session (RFC 3959)',
    'multipart/mixed;boundary=b',
    `${session.replace('\r\n\r\n', '\r\nContent-Disposition: early-session\r\n\r\n')}--b--`,
    undefined,
  ],
  [
    'an encoded part',
    'multipart/mixed;boundary=b',
    `${session.replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n')}--b--`,
    undefined,
  ],
  ['one that was cut off', 'multipart/mixed;boundary=b', session, undefined],
  ['no boundary', 'multipart/mixed', `${session}--b--`, undefined],
  ['another boundary', 'multipart/mixed;boundary=c', `${session}--b--`, undefined],
  ['nothing', 'multipart/mixed;boundary=b', '', undefined],
]
for (const [what, type, body, found] of bodies) {
  test(`the session in a multipart: ${what}`, () => assert.is(sessionOf(type, body), found))
}

test('multiparts without an end, cut, doubled and mixed anyhow never throw, and cost no more than their length', () => {
  const random = seeded(17)
  const below = (end: number) => Math.floor(random() * end)
  const pieces = [
    '--b',
    '--b--',
    '\r\n',
    '\n',
    ' ',
    'Content-Type: application/sdp',
    'Content-Type: multipart/mixed;boundary=b',
    sdp,
  ]
  for (let round = 0; round < 2000; round++) {
    const body = Array.from({ length: below(40) }, () => pieces[below(pieces.length)]).join('')
    const found = sessionOf('multipart/mixed;boundary=b', body)
    assert.ok(found === undefined || body.includes(found))
  }
  const began = performance.now()
  sessionOf('multipart/mixed;boundary=b', '\r\n--b'.repeat(16_000))
  sessionOf('multipart/mixed;boundary=b', `${'--b\r\nContent-Type: multipart/mixed;boundary=b\r\n\r\n'.repeat(1300)}`)
  assert.ok(performance.now() - began < 1000)
})

test('a call with a multipart offer is taken, and one whose parts hold no session is 415', () => {
  const us = '192.0.2.1'
  const net = new VirtualNetwork(5)
  const station = net.station(us, [{ inboundHosts: ['192.0.2.9'] }])
  const peer = new ScriptedPeer(net, '192.0.2.9')
  const type = 'multipart/mixed;boundary=b'
  peer.request('INVITE', us, 1, { body: `${isup}${session}--b--\r\n`, type })
  const [offered] = station.events
  assert.is(offered?.type === 'offered' && offered.sdp, sdp)
  station.do({ type: 'answer', id: offered?.id ?? '', sdp: 'answer' })
  net.run(50)
  const toTag = tagOfTo(peer.lastResponse())
  peer.request('ACK', us, 1, { toTag })
  peer.request('INVITE', us, 2, { toTag, body: `${isup}--b--\r\n`, type })
  net.run(50)
  assert.is(peer.statuses.at(-1), 415)
})

test.run()
