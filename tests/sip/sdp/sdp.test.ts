import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { codecsOf, formatSdp, maxPtimeOf, parseSdp, ptimeOf, type SessionDescription } from '../../../sip/index.ts'
import { attributeOf, directionOf, hasRtcpMux, rtcpPortOf } from '../../../sip/sdp/attributes.ts'
import { connectionOf, mediaAddress } from '../../../sip/sdp/media-address.ts'
import { type MediaDescription, sdpLimits } from '../../../sip/sdp/session.ts'
import { input, inputs } from '../../fixtures/inputs.ts'
import { bytes, parsed, text, wire } from '../bed/text.ts'

const sdp = (from: string | Uint8Array): SessionDescription => {
  const result = parseSdp(from)
  if (!result.ok) throw new Error(`${result.reason} in line ${result.at}`)
  return result.value
}

const audio = (...lines: readonly string[]): MediaDescription => {
  const [media] = sdp(wire('v=0', 'c=IN IP4 192.0.2.1', ...lines)).media
  if (media === undefined) throw new Error('no media')
  return media
}

const full = wire(
  'v=0',
  'o=jdoe 3724394400 3724394405 IN IP4 198.51.100.1',
  's=Call to John Smith',
  'i=SDP Offer #1',
  'u=http://www.jdoe.example.com/home.html',
  'e=Jane Doe <jane@jdoe.example.com>',
  'p=+1 617 555-6011',
  'c=IN IP4 198.51.100.1',
  'b=CT:512',
  't=2873397496 2873404696',
  'r=7d 1h 0 25h',
  'z=2882844526 -1h',
  'k=clear:x',
  'a=tool:x:y',
  'a=recvonly',
  'm=audio 49170/2 RTP/AVP 0 96',
  'i=title',
  'c=IN IP4 233.252.0.1/127/3',
  'b=AS:64',
  'k=prompt',
  'a=rtpmap:96 opus/48000/2',
  'a=x-unknown',
  'm=video 0 RTP/AVP 99',
  'm=image 51372 udptl t38',
)

test('every line of RFC 8866, in order, comes back as it was', () => {
  const session = sdp(full)
  assert.is(formatSdp(session), full)
  assert.equal(session.origin, {
    username: 'jdoe',
    sessionId: '3724394400',
    sessionVersion: '3724394405',
    addressType: 'IP4',
    address: '198.51.100.1',
  })
  assert.equal(
    session.media.map(media => [media.media, media.port, media.portCount, media.formats]),
    [
      ['audio', 49170, 2, ['0', '96']],
      ['video', 0, undefined, ['99']],
      ['image', 51372, undefined, ['t38']],
    ],
  )
  assert.equal(session.media[0]?.connections, [{ addressType: 'IP4', address: '233.252.0.1', scope: '127/3' }])
})

test('sloppy peers: LF, CR, empty lines, unknown types, missing o=, s= and t=, any order', () => {
  for (const end of ['\n', '\r', '\r\n']) assert.equal(sdp(full.replaceAll('\r\n', end)), sdp(full))
  const session = sdp('\nv=0 \n\nm=audio 1 RTP/AVP 0\n\nx=what\na=sendonly\nc=IN IP4 192.0.2.1')
  assert.is(session.origin, undefined)
  assert.is(session.name, '-')
  assert.equal(session.timing, ['t=0 0'])
  assert.is(session.media[0]?.connections.length, 1)
  assert.is(sdp('v=0\ns= \no=a b\n').name, '-')
})

test('strict where it matters', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['', 'bad-version'],
    ['\r\n', 'bad-version'],
    ['v=1', 'bad-version'],
    ['\ufeffv=0', 'bad-version'],
    ['o=- 1 1 IN IP4 1.2.3.4\nv=0', 'bad-version'],
    ['v=0\nnonsense', 'bad-line'],
    ['v=0\ns=a\x00b', 'bad-line'],
    ['v=0\nc=IN IP4', 'bad-connection'],
    ['v=0\nc=IN IP4 1.2.3.4 5', 'bad-connection'],
    ['v=0\nc=ATM IP4 1.2.3.4', 'bad-connection'],
    ['v=0\nm=audio', 'bad-media'],
    ['v=0\nm=audio 1', 'bad-media'],
    ['v=0\nm=audio 65536 RTP/AVP 0', 'bad-port'],
    ['v=0\nm=audio -1 RTP/AVP 0', 'bad-port'],
    ['v=0\nm=audio 1/x RTP/AVP 0', 'bad-port'],
    ['v=0\nm=audio 1 RTP/AVP 128', 'bad-format'],
    ['v=0\nm=audio 1 RTP/SAVPF -1', 'bad-format'],
    ['v=0\nm=audio 1 RTP/AVP 4294967296', 'bad-format'],
    ['v=0\nm=audio 1 RTP/AVP x', 'bad-format'],
    [`v=0\nm=audio 1 RTP/AVP${' 0'.repeat(sdpLimits.formats + 1)}`, 'bad-format'],
    [`v=0\n${'m=audio 1 RTP/AVP 0\n'.repeat(sdpLimits.media + 1)}`, 'too-many-media'],
    [`v=0\na=${'x'.repeat(sdpLimits.length)}`, 'too-large'],
  ]
  for (const [from, reason] of rows) {
    const result = parseSdp(from)
    assert.is(result.ok ? 'ok' : result.reason, reason, JSON.stringify(from.slice(0, 60)))
  }
})

test('codecs: static, mapped, and what is ignored', () => {
  const media = audio(
    'm=audio 1 RTP/AVP 8 0 101 96 97 98 99 0 18',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-16',
    'a=rtpmap:96 opus/48000/2',
    'a=rtpmap:97 G722/0',
    'a=rtpmap:98 iLBC/-8000',
    'a=rtpmap:128 PCMU/8000',
    'a=rtpmap:0 PCMU/-8000',
    'a=rtpmap:96 other/8000',
    'a=fmtp:300 x',
    'a=fmtp:18  annexb=no',
  )
  assert.equal(codecsOf(media), [
    { name: 'PCMA', rate: 8000, payloadType: 8 },
    { name: 'PCMU', rate: 8000, payloadType: 0 },
    { name: 'telephone-event', rate: 8000, payloadType: 101, fmtp: '0-16' },
    { name: 'opus', rate: 48000, payloadType: 96, channels: 2 },
    { name: 'G729', rate: 8000, payloadType: 18, fmtp: 'annexb=no' },
  ])
})

test('direction: of the stream, of the session, default', () => {
  const direction = (session: string, media: string) => {
    const parsedSdp = sdp(`v=0\n${session}m=audio 1 RTP/AVP 0\n${media}`)
    const stream = parsedSdp.media[0]
    assert.ok(stream)
    return directionOf(parsedSdp, stream)
  }
  assert.is(direction('', ''), 'sendrecv')
  assert.is(direction('a=sendonly\n', ''), 'sendonly')
  assert.is(direction('a=sendonly\n', 'a=inactive'), 'inactive')
})

test('ptime, maxptime, rtcp, rtcp-mux', () => {
  const ptime = (value: string) => ptimeOf(audio('m=audio 1 RTP/AVP 0', `a=ptime:${value}`))
  assert.equal(['20', ' 30', '12.5', '65535', '0', '-20', '', 'x', '999999'].map(ptime), [
    20,
    30,
    12.5,
    65535,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  assert.is(maxPtimeOf(audio('m=audio 1 RTP/AVP 0', 'a=maxptime:60')), 60)
  const port = (...lines: readonly string[]) => rtcpPortOf(audio(...lines))
  assert.is(port('m=audio 4000 RTP/AVP 0'), 4001)
  assert.is(port('m=audio 4000 RTP/AVP 0', 'a=rtcp:5000 IN IP4 203.0.113.1'), 5000)
  assert.is(port('m=audio 4000 RTP/AVP 0', 'a=rtcp:99999'), 4001)
  assert.is(port('m=audio 4000 RTP/AVP 0', 'a=rtcp-mux', 'a=rtcp:5000'), 4000)
  assert.is(port('m=audio 65535 RTP/AVP 0'), undefined)
  assert.is(port('m=audio 0 RTP/AVP 0'), undefined)
  assert.ok(hasRtcpMux(audio('m=audio 1 RTP/AVP 0', 'a=rtcp-mux')))
  assert.is(attributeOf([{ name: 'a', value: undefined }], 'a'), '')
})

test('addresses that nothing is sent to', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['192.0.2.1', 'unicast'],
    ['127.0.0.1', 'unicast'],
    ['0.0.0.0', 'hold'],
    ['0.0.0.1', 'refused'],
    ['224.0.0.1/127', 'refused'],
    ['239.255.255.255', 'refused'],
    ['240.0.0.1', 'refused'],
    ['255.255.255.255', 'refused'],
    ['192.0.2.1/24', 'refused'],
    ['b.test', 'refused'],
    ['1.2.3', 'refused'],
    ['2001:db8::1', 'unicast'],
    ['::1', 'unicast'],
    ['::', 'hold'],
    ['0:0:0:0:0:0:0:0', 'hold'],
    ['ff02::1', 'refused'],
    ['FF3E::8000:1', 'refused'],
    ['ff::1', 'unicast'],
    ['::ffff:192.0.2.1', 'unicast'],
    ['::ffff:224.0.0.1', 'refused'],
    ['::ffff:0.0.0.0', 'refused'],
  ]
  for (const [address, expected] of rows) {
    const session = sdp(`v=0\nc=IN IP${address.includes(':') ? 6 : 4} ${address}\nm=audio 1 RTP/AVP 0`)
    const stream = session.media[0]
    const connection = stream && connectionOf(session, stream)
    assert.is(connection && mediaAddress(connection), expected, address)
  }
})

test('line ends in a value cannot add a line', () => {
  const session = sdp('v=0\r\ns=x')
  assert.is(formatSdp({ ...session, name: 'a\r\nm=audio 1 RTP/AVP 0' }), 'v=0\r\ns=a m=audio 1 RTP/AVP 0\r\nt=0 0\r\n')
})

test('a description comes back the same, or is a fault', () => {
  let count = 0
  for (const { name, bytes } of inputs('sdp-seeds')) {
    const result = parseSdp(bytes)
    if (!result.ok) continue
    count++
    assert.equal(sdp(formatSdp(result.value)), result.value, name)
  }
  assert.ok(count >= 6)
})

test('ten thousand attributes and a line of 60 KB take no time to speak of', () => {
  const started = performance.now()
  for (const name of ['10k-attrs', 'long-line']) {
    const { body } = parsed(input('sdp-attacks', `${name}.dat`))
    assert.is(text(bytes(formatSdp(sdp(body)))).length, body.length)
  }
  assert.ok(performance.now() - started < 200)
})

test.run()
