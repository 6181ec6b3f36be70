import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  answerOffer,
  createOffer,
  formatSdp,
  parseSdp,
  readAnswer,
  type SessionDescription,
} from '../../../sip/index.ts'
import { corpusFiles, input, ownInputs, testBeside } from '../../fixtures/inputs.ts'
import { parsed, text, wire } from '../bed/text.ts'
import { answered, offered, reasonOf, sdp, us } from './offer-answer-sides.ts'

const attacks: Readonly<Record<string, string>> = {
  '10k-attrs': 'ok',
  'c-broadcast': 'bad-address',
  'c-fqdn': 'bad-address',
  'c-multicast': 'bad-address',
  'fingerprint-md5': 'no-audio',
  'lf-only': 'ok',
  'long-line': 'ok',
  'neg-rate': 'ok',
  'no-c': 'no-connection',
  'opus-bad-fmtp': 'no-common-codec',
  'port-0': 'no-audio',
  'port-65536': 'bad-port',
  'port-reflect-third-party': 'ok',
  'rate-0': 'ok',
  'utf8-bom': 'bad-version',
}

test('streams that are not taken keep their place, with port 0', () => {
  const offer = offered(
    'm=video 5000 RTP/AVP 96',
    'a=rtpmap:96 VP8/90000',
    'm=audio 5002 RTP/SAVP 0',
    'm=audio 0 RTP/AVP 0',
    'm=audio 5004 RTP/AVP 18',
    'm=audio 5006 RTP/AVP 8 0',
    'm=audio 5008 RTP/AVP 0',
    'm=image 5010 udptl t38',
  )
  const { answer, negotiated } = answered(offer)
  assert.is(negotiated.mediaIndex, 4)
  assert.equal(
    answer.media.map(({ media, port, protocol, formats }) => [media, port, protocol, formats.join(' ')].join(' ')),
    [
      'video 0 RTP/AVP 96',
      'audio 0 RTP/SAVP 0',
      'audio 0 RTP/AVP 0',
      'audio 0 RTP/AVP 18',
      'audio 10000 RTP/AVP 0',
      'audio 0 RTP/AVP 0',
      'image 0 udptl t38',
    ],
  )
  const again = createOffer({ ...us, previous: answer })
  assert.equal(
    again.media.map(media => media.port),
    [0, 0, 0, 0, 10000, 0, 0],
  )
})

test('faults of an offer', () => {
  const rows: readonly (readonly [string, SessionDescription])[] = [
    ['no-audio', sdp(wire('v=0', 'c=IN IP4 192.0.2.2'))],
    ['no-audio', offered('m=video 5000 RTP/AVP 31')],
    ['no-audio', offered('m=audio 0 RTP/AVP 0')],
    ['no-audio', offered('m=audio 5000 RTP/SAVP 0')],
    ['no-common-codec', offered('m=audio 5000 RTP/AVP 18')],
    ['no-common-codec', offered('m=audio 5000 RTP/AVP 97', 'a=rtpmap:97 PCMU/16000')],
    ['no-common-codec', offered('m=audio 5000 RTP/AVP 97', 'a=rtpmap:97 PCMU/8000/2')],
    ['no-common-codec', offered('m=audio 5000 RTP/AVP 101', 'a=rtpmap:101 telephone-event/8000')],
    ['no-common-codec', offered('m=audio 5000 RTP/AVP')],
    ['no-connection', sdp(wire('v=0', 'm=audio 5000 RTP/AVP 0'))],
    ['bad-address', offered('m=audio 5000 RTP/AVP 0', 'c=IN IP4 224.0.0.1/127')],
    ['bad-address', offered('m=audio 5000 RTP/AVP 0', 'c=IN IP4 255.255.255.255')],
    ['bad-address', offered('m=audio 5000 RTP/AVP 0', 'c=IN IP4 b.test')],
    ['bad-address', offered('m=audio 5000 RTP/AVP 0', 'c=IN IP6 ff02::1')],
  ]
  for (const [reason, offer] of rows) assert.is(reasonOf(answerOffer(offer, us)), reason, formatSdp(offer))
})

test('faults of an answer', () => {
  const offer = createOffer(us)
  const rows: readonly (readonly [string, SessionDescription])[] = [
    ['ok', offered('m=audio 5000 RTP/AVP 8')],
    ['bad-answer', sdp('v=0')],
    ['bad-answer', offered('m=video 5000 RTP/AVP 0')],
    ['bad-answer', offered('m=audio 5000 RTP/SAVP 0')],
    ['no-common-codec', offered('m=audio 0 RTP/AVP 0')],
    ['no-common-codec', offered('m=audio 5000 RTP/AVP 18')],
    ['no-connection', sdp(wire('v=0', 'm=audio 5000 RTP/AVP 0'))],
    ['bad-address', offered('m=audio 5000 RTP/AVP 0', 'c=IN IP4 239.0.0.1')],
  ]
  for (const [reason, answer] of rows) assert.is(reasonOf(readAnswer(offer, answer)), reason, formatSdp(answer))
  assert.is(reasonOf(readAnswer(sdp('v=0'), offered('m=audio 5000 RTP/AVP 0'))), 'bad-answer')
})

test('every SDP attack has its outcome', () => {
  const files = ownInputs('sdp-attacks').filter(file => !file.name.endsWith('empty.dat'))
  assert.is(files.length, Object.keys(attacks).length)
  for (const { name, bytes } of files) {
    const body = parseSdp(parsed(bytes).body)
    const key = name.replace(/^.*\/|\.dat$/g, '')
    assert.is(body.ok ? reasonOf(answerOffer(body.value, us)) : body.reason, attacks[key], key)
  }
  assert.is(parsed(input('sdp-attacks', 'empty.dat')).body.length, 0)
})

test('SDP of published faults', () => {
  const outcome = (name: string) => {
    const body = parseSdp(parsed(input('advisories', `${name}.dat`)).body)
    if (!body.ok) return body.reason
    const result = answerOffer(body.value, us)
    return result.ok ? `${result.value.negotiated.codec.name} ${result.value.negotiated.ptimeMs}` : result.reason
  }
  assert.is(outcome('AST-2018-002-payload-type-2pow32'), 'bad-format')
  assert.is(outcome('AST-2018-003-fmtp-nul'), 'PCMU 20')
  assert.is(outcome('PJSIP-rtpmap-out-of-range'), 'PCMU 20')
  assert.is(outcome('PJSIP-200-crypto-lines'), 'no-audio')
  assert.is(outcome('PJSIP-red-without-rtpmap'), 'PCMU 20')
  assert.is(outcome('CVE-2026-41416-ptime'), 'PCMU 60')
})

test('descriptions of standards and devices', () => {
  const outcomes = ownInputs('sdp-seeds').map(({ bytes }) => {
    const body = parseSdp(text(bytes))
    return body.ok ? reasonOf(answerOffer(body.value, us)) : body.reason
  })
  assert.equal(outcomes, [
    'ok',
    'bad-address',
    'bad-address',
    'no-audio',
    'no-audio',
    'no-audio',
    'no-audio',
    'no-connection',
    'bad-version',
    'bad-version',
  ])
})

testBeside('sofia-sdp', 'old descriptions: RFC 2543 examples, 17 codecs, multicast', () => {
  const outcomes = corpusFiles('sofia-sdp').map(({ name, bytes }) => {
    const body = parseSdp(text(bytes))
    return `${name.replace(/\D/g, '')} ${body.ok ? reasonOf(answerOffer(body.value, us)) : body.reason}`
  })
  assert.equal(outcomes, [
    '10 bad-address',
    '11 ok',
    '3 bad-address',
    '4 ok',
    '5 bad-address',
    '6 bad-address',
    '8 bad-address',
    '9 bad-address',
  ])
})

test.run()
