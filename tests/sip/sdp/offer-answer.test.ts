import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  answerOffer,
  createOffer,
  formatSdp,
  type LocalMedia,
  pcma,
  pcmu,
  type SessionDescription,
} from '../../../sip/index.ts'
import type { Direction } from '../../../sip/sdp/attributes.ts'
import { wire } from '../bed/text.ts'
import { answered, offered, opus, read, sdp, them, us } from './offer-answer-sides.ts'

test('an offer in full', () => {
  assert.is(
    formatSdp(createOffer({ ...us, rtcpMux: true, direction: 'sendonly' })),
    wire(
      'v=0',
      'o=- 4711 1 IN IP4 192.0.2.1',
      's=-',
      'c=IN IP4 192.0.2.1',
      't=0 0',
      'm=audio 10000 RTP/AVP 0 8 101',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendonly',
      'a=rtcp-mux',
    ),
  )
  assert.match(formatSdp(createOffer({ ...us, address: '2001:db8::1' })), 'c=IN IP6 2001:db8::1')
  const both = createOffer({ ...us, codecs: [opus, pcmu], telephoneEvent: 110 }).media[0]
  assert.equal(both?.formats, ['111', '0', '110', '112'])
})

test('offer and answer: both sides agree', () => {
  const offer = createOffer(us)
  const { answer, negotiated } = answered(sdp(formatSdp(offer)), them)
  const ours = read(offer, sdp(formatSdp(answer)))
  assert.equal(negotiated.remote, { address: '192.0.2.1', port: 10000, rtcpPort: 10001 })
  assert.equal(ours.remote, { address: '192.0.2.2', port: 20000, rtcpPort: 20001 })
  for (const side of [negotiated, ours]) {
    assert.equal([side.codec.name, side.codec.sendPayloadType, side.codec.receivePayloadType], ['PCMU', 0, 0])
    assert.equal(side.telephoneEvent, { sendPayloadType: 101, receivePayloadType: 101 })
    assert.equal([side.ptimeMs, side.direction, side.rtcpMux, side.mediaIndex], [20, 'sendrecv', false, 0])
  }
  assert.equal(answer.media[0]?.formats, ['0', '101'])
})

test('the codec is ours by preference, at the number of the offer', () => {
  const offer = offered(
    'm=audio 20000 RTP/AVP 8 0 97 98 101',
    'a=rtpmap:97 pcmu/8000',
    'a=rtpmap:98 OPUS/48000/2',
    'a=fmtp:98 stereo=1',
    'a=rtpmap:101 telephone-event/8000',
  )
  assert.is(answered(offer).negotiated.codec.name, 'PCMU')
  assert.is(answered(offer, { ...us, codecs: [pcma, pcmu] }).negotiated.codec.name, 'PCMA')
  assert.is(answered(offer, { ...us, codecOrder: 'offer' }).negotiated.codec.name, 'PCMA')
  assert.is(answered(offer, { ...us, codecs: [pcmu], codecOrder: 'offer' }).negotiated.codec.name, 'PCMU')
  const { answer, negotiated } = answered(offer, { ...us, codecs: [opus, pcmu] })
  assert.equal(negotiated.codec, {
    name: 'opus',
    rate: 48000,
    channels: 2,
    sendPayloadType: 98,
    receivePayloadType: 98,
    fmtp: 'stereo=1',
  })
  assert.equal(answer.media[0]?.formats, ['98', '101'])
  assert.equal(negotiated.telephoneEvent, { sendPayloadType: 101, receivePayloadType: 101 })
  assert.is(negotiated.eventClockRate, 8000)
  assert.is(answered(offer, { ...us, telephoneEvent: undefined }).negotiated.telephoneEvent, undefined)
})

test('beside Opus events of its own clock go first, and those that browsers send are taken too', () => {
  const offer = offered(
    'm=audio 20000 RTP/AVP 111 0 126 110',
    'a=rtpmap:111 opus/48000/2',
    'a=rtpmap:126 telephone-event/8000',
    'a=rtpmap:110 telephone-event/48000',
  )
  const { answer, negotiated } = answered(offer, { ...us, codecs: [opus, pcmu] })
  assert.equal(answer.media[0]?.formats, ['111', '110', '126'])
  assert.equal(negotiated.telephoneEvent, { sendPayloadType: 110, receivePayloadType: 110 })
  assert.is(negotiated.eventClockRate, 48_000)
  assert.equal(negotiated.moreEvents, [{ receivePayloadType: 126, clockRate: 8000 }])
  const narrow = answered(offer, { ...us, codecs: [pcmu] })
  assert.equal(narrow.answer.media[0]?.formats, ['0', '126'])
  assert.equal(narrow.negotiated.moreEvents, [])
  // The other way round: our offer of both, and what the answer keeps of it.
  const ours = createOffer({ ...us, codecs: [opus, pcmu], telephoneEvent: 101 })
  // 101 is what remotes that only know numbers take for the events of 8,000 Hz.
  assert.match(formatSdp(ours), /a=rtpmap:101 telephone-event\/8000\r\n/)
  const read48 = read(ours, sdp(formatSdp(answered(ours, { ...them, codecs: [opus] }).answer)))
  assert.equal(read48.telephoneEvent, { sendPayloadType: 102, receivePayloadType: 102 })
  assert.is(read48.eventClockRate, 48_000)
  assert.equal(read48.moreEvents, [{ receivePayloadType: 101, clockRate: 8000 }])
})

test('comfort noise is taken where it is offered beside a codec of its clock, and never offered', () => {
  const offer = offered('m=audio 20000 RTP/AVP 0 13 9 111', 'a=rtpmap:111 opus/48000/2')
  const local = { ...us, comfortNoise: true }
  const { answer, negotiated } = answered(offer, local)
  assert.equal(answer.media[0]?.formats, ['0', '13'])
  assert.equal(negotiated.comfortNoise, { sendPayloadType: 13, receivePayloadType: 13 })
  assert.is(answered(offer, us).negotiated.comfortNoise, undefined)
  const wide = answered(offer, { ...local, codecs: [opus] })
  assert.equal(wide.answer.media[0]?.formats, ['111'])
  assert.is(wide.negotiated.comfortNoise, undefined)
  assert.equal(createOffer(local).media[0]?.formats.includes('13'), false)
  // It is no codec to talk in.
  assert.not.ok(answerOffer(offered('m=audio 20000 RTP/AVP 13'), local).ok)
})

test('an answer may renumber: sent by its numbers, received by ours (RFC 3264 §7)', () => {
  const offer = createOffer({ ...us, codecs: [opus, pcmu], telephoneEvent: 101 })
  const answer = offered(
    'm=audio 20000 RTP/AVP 0 120 100',
    'a=rtpmap:120 opus/48000/2',
    'a=rtpmap:100 telephone-event/8000',
  )
  const negotiated = read(offer, answer)
  assert.equal(
    negotiated.codecs.map(codec => [codec.name, codec.sendPayloadType, codec.receivePayloadType]),
    [
      ['PCMU', 0, 0],
      ['opus', 120, 111],
    ],
  )
  assert.equal(negotiated.telephoneEvent, { sendPayloadType: 100, receivePayloadType: 101 })
})

test('directions: every pair', () => {
  const directions: readonly Direction[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive']
  const wanted: Readonly<Record<Direction, Readonly<Record<Direction, Direction>>>> = {
    // ours → what they say → what is left to us
    sendrecv: { sendrecv: 'sendrecv', sendonly: 'recvonly', recvonly: 'sendonly', inactive: 'inactive' },
    sendonly: { sendrecv: 'sendonly', sendonly: 'inactive', recvonly: 'sendonly', inactive: 'inactive' },
    recvonly: { sendrecv: 'recvonly', sendonly: 'recvonly', recvonly: 'inactive', inactive: 'inactive' },
    inactive: { sendrecv: 'inactive', sendonly: 'inactive', recvonly: 'inactive', inactive: 'inactive' },
  }
  for (const ours of directions) {
    for (const theirs of directions) {
      const expected = wanted[ours][theirs]
      const offer = offered('m=audio 20000 RTP/AVP 0', `a=${theirs}`)
      const { answer, negotiated } = answered(offer, { ...us, direction: ours })
      assert.is(negotiated.direction, expected, `${ours} answers ${theirs}`)
      assert.ok(answer.media[0]?.attributes.some(attribute => attribute.name === expected))
      assert.is(
        read(createOffer({ ...us, direction: ours }), offer).direction,
        expected,
        `${ours} is answered ${theirs}`,
      )
    }
  }
})

test('hold: sendonly, inactive, and the zero address of old peers (RFC 3264 §8.4)', () => {
  const zero = sdp(wire('v=0', 'c=IN IP4 0.0.0.0', 'm=audio 20000 RTP/AVP 0'))
  const { answer, negotiated } = answered(zero)
  assert.equal([negotiated.remote, negotiated.direction], [undefined, 'recvonly'])
  assert.ok(answer.media[0]?.attributes.some(attribute => attribute.name === 'recvonly'))
  assert.is(
    answered(sdp(wire('v=0', 'c=IN IP4 0.0.0.0', 'm=audio 20000 RTP/AVP 0', 'a=inactive'))).negotiated.direction,
    'inactive',
  )
  assert.is(read(createOffer(us), zero).remote, undefined)
})

test('ptime: theirs, else our wish, between 10 and 60 in tens', () => {
  const ptime = (...lines: readonly string[]) =>
    answered(offered('m=audio 5000 RTP/AVP 0', ...lines)).negotiated.ptimeMs
  assert.is(ptime(), 20)
  assert.is(answered(offered('m=audio 5000 RTP/AVP 0'), { ...us, ptimeMs: 30 }).negotiated.ptimeMs, 30)
  const rows: readonly (readonly [string, number])[] = [
    ['10', 10],
    ['30', 30],
    ['25', 20],
    ['60', 60],
    ['5', 10],
    ['65535', 60],
    ['0', 20],
    ['x', 20],
  ]
  for (const [value, expected] of rows) assert.is(ptime(`a=ptime:${value}`), expected, value)
  assert.is(ptime('a=maxptime:10'), 10)
  assert.is(ptime('a=ptime:40', 'a=maxptime:30'), 30)
  assert.is(ptime('a=ptime:65535', 'a=maxptime:0'), 60)
  assert.is(ptime('a=maxptime:3'), 10)
})

test('RTCP: beside RTP, where a=rtcp says, or muxed when both want it', () => {
  const port = (local: LocalMedia, ...lines: readonly string[]) =>
    answered(offered('m=audio 5000 RTP/AVP 0', ...lines), local).negotiated.remote?.rtcpPort
  assert.is(port(us), 5001)
  assert.is(port(us, 'a=rtcp:6000 IN IP4 203.0.113.9'), 6000)
  assert.is(port(us, 'a=rtcp-mux'), 5001, 'not taken up, so not muxed: RFC 5761 §5.1.1')
  assert.is(port(us, 'a=rtcp-mux', 'a=rtcp:6000'), 6000)
  const unasked = read(createOffer(us), offered('m=audio 5000 RTP/AVP 0', 'a=rtcp-mux'))
  assert.is(unasked.remote?.rtcpPort, 5001, 'an answer muxes only what was offered so')
  const muxed = answered(offered('m=audio 5000 RTP/AVP 0', 'a=rtcp-mux'), { ...us, rtcpMux: true })
  assert.ok(muxed.negotiated.rtcpMux && muxed.negotiated.remote?.rtcpPort === 5000)
  assert.match(formatSdp(muxed.answer), 'a=rtcp-mux')
  assert.not(answered(offered('m=audio 5000 RTP/AVP 0'), { ...us, rtcpMux: true }).negotiated.rtcpMux)
  assert.ok(read(createOffer({ ...us, rtcpMux: true }), offered('m=audio 5000 RTP/AVP 0', 'a=rtcp-mux')).rtcpMux)
})

test('the origin stays; the version moves on when something changed, and only then (RFC 3264 §8)', () => {
  const version = (session: SessionDescription) => session.origin?.sessionVersion
  const first = createOffer(us)
  const same = createOffer({ ...us, previous: first })
  const held = createOffer({ ...us, direction: 'sendonly', previous: same })
  const heldAgain = createOffer({ ...us, direction: 'sendonly', previous: held })
  const back = createOffer({ ...us, previous: heldAgain })
  assert.equal([first, same, held, heldAgain, back].map(version), ['1', '1', '2', '2', '3'])
  const moved = createOffer({ ...us, address: '192.0.2.77', sessionId: '9', previous: back })
  assert.equal(moved.origin, { ...first.origin, sessionVersion: '4' })
  const offer = offered('m=audio 5000 RTP/AVP 0')
  const answer = answered(offer).answer
  assert.is(version(answered(offer, { ...us, previous: answer }).answer), '1')
  assert.is(version(answered(offered('m=audio 5000 RTP/AVP 8'), { ...us, previous: answer }).answer), '2')
})

test('a later offer keeps the numbers that the session has (RFC 3264 §8.3.2)', () => {
  const { answer } = answered(offered('m=audio 5000 RTP/AVP 0 97 8', 'a=rtpmap:97 telephone-event/8000'))
  const media = createOffer({ ...us, previous: answer }).media[0]
  assert.equal(media?.formats, ['0', '8', '97'])
})

test('audio that was never there is added after the other streams', () => {
  const previous = sdp(wire('v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 't=0 0', 'm=video 0 RTP/AVP 31'))
  assert.equal(
    createOffer({ ...us, previous }).media.map(media => [media.media, media.port]),
    [
      ['video', 0],
      ['audio', 10000],
    ],
  )
})

test.run()
