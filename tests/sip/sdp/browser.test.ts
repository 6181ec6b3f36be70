import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  answerOffer,
  createOffer,
  formatSdp,
  type LocalMedia,
  parseSdp,
  pcmu,
  readAnswer,
  type SessionDescription,
} from '../../../sip/index.ts'

const fingerprint = Array.from({ length: 32 }, (_, i) => (i + 160).toString(16).toUpperCase()).join(':')
const local: LocalMedia = {
  address: '192.0.2.1',
  port: 20_000,
  codecs: [pcmu],
  telephoneEvent: 101,
  ptimeMs: 20,
  sessionId: '77',
  browser: { ufrag: 'ourUfrag', password: 'ourPasswordOf24Characters', fingerprint },
}

/** As Chromium writes it, shortened. */
const chromium = (changes: readonly (readonly [RegExp, string])[] = []): SessionDescription => {
  const text = changes.reduce(
    (sdp, [from, to]) => sdp.replace(from, to),
    [
      'v=0',
      'o=- 4611731400430051336 2 IN IP4 127.0.0.1',
      's=-',
      't=0 0',
      'a=group:BUNDLE 0',
      'a=extmap-allow-mixed',
      'a=msid-semantic: WMS stream',
      'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126',
      'c=IN IP4 0.0.0.0',
      'a=rtcp:9 IN IP4 0.0.0.0',
      'a=ice-ufrag:8hhY',
      'a=ice-pwd:asd88fgpdd777uzjYhagZg',
      'a=ice-options:trickle',
      `a=fingerprint:sha-256 ${fingerprint.toLowerCase()}`,
      'a=setup:actpass',
      'a=mid:0',
      'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
      'a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid',
      'a=sendrecv',
      'a=rtcp-mux',
      'a=rtpmap:111 opus/48000/2',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:126 telephone-event/8000',
      'a=candidate:1 1 udp 2113937151 8f0e7c53.local 54400 typ host generation 0',
      '',
    ].join('\r\n'),
  )
  const parsed = parseSdp(text)
  assert.ok(parsed.ok)
  return parsed.value
}

const answered = (offer: SessionDescription, changes: Partial<LocalMedia> = {}) => {
  const result = answerOffer(offer, { ...local, ...changes })
  return result.ok
    ? { text: formatSdp(result.value.answer), ...result.value.negotiated, reason: undefined }
    : { text: '', browser: undefined, direction: undefined, mediaIndex: -1, reason: result.reason }
}

test('an offer of Chromium is answered line by line: lite, bundled, muxed, passive, one candidate, mid extension only', () => {
  const { text, browser, direction } = answered(chromium())
  assert.is(
    text.replace(/^o=.*\r\n/m, ''),
    [
      'v=0',
      's=-',
      'c=IN IP4 192.0.2.1',
      't=0 0',
      'a=ice-lite',
      'a=group:BUNDLE 0',
      'm=audio 20000 UDP/TLS/RTP/SAVPF 0 126',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:126 telephone-event/8000',
      'a=fmtp:126 0-15',
      'a=ptime:20',
      'a=sendrecv',
      'a=mid:0',
      'a=rtcp-mux',
      'a=msid:sauti audio',
      'a=ice-ufrag:ourUfrag',
      'a=ice-pwd:ourPasswordOf24Characters',
      'a=ice-options:ice2',
      `a=fingerprint:sha-256 ${fingerprint}`,
      'a=setup:passive',
      'a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid',
      'a=candidate:1 1 udp 2130706431 192.0.2.1 20000 typ host',
      'a=end-of-candidates',
      '',
    ].join('\r\n'),
  )
  assert.equal(browser, { ufrag: '8hhY', fingerprints: [{ algorithm: 'sha-256', value: fingerprint }], role: 'server' })
  assert.is(direction, 'sendrecv', 'the zero address before ICE is no hold')
})

test('attributes may stand above the streams; video beside the audio is refused in its place, and not bundled', () => {
  const lines = `a=fingerprint:sha-256 ${fingerprint}\r\na=ice-ufrag:sess\r\n`
  const { text, browser, mediaIndex } = answered(
    chromium([
      [/a=fingerprint:.*\r\n/, ''],
      [/a=ice-ufrag:.*\r\n/, ''],
      [/a=group:BUNDLE 0\r\n/, `a=group:BUNDLE 1 0\r\n${lines}`],
      [/m=audio/, 'm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\nm=audio'],
    ]),
  )
  assert.is(browser?.ufrag, 'sess')
  assert.is(mediaIndex, 1)
  assert.match(text, /^m=video 0 /m)
  assert.match(text, /^a=group:BUNDLE 0\r$/m)
})

test('who waits when the remote is active, who begins when it is passive, and the part that stays', () => {
  const setup = (value: string, role?: 'client' | 'server') => {
    const { text, browser } = answered(chromium([[/a=setup:actpass/, `a=setup:${value}`]]), {
      browser: { ufrag: 'ourUfrag', password: 'p', fingerprint, role },
    })
    return [/^a=setup:(\w+)/m.exec(text)?.[1], browser?.role]
  }
  assert.equal(setup('actpass'), ['passive', 'server'])
  assert.equal(setup('active'), ['passive', 'server'])
  assert.equal(setup('passive'), ['active', 'client'])
  assert.equal(setup('actpass', 'client'), ['active', 'client'])
})

test('what proves nothing or cannot be reached is refused', () => {
  for (const change of [
    [/sha-256 \S+/, 'md5 00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF'],
    [/a=fingerprint:.*\r\n/, ''],
    [/a=ice-ufrag:.*\r\n/, ''],
    [/a=ice-ufrag:8hhY/, 'a=ice-ufrag:8h"Y'],
    [/a=rtcp-mux\r\n/, ''],
    [/a=setup:actpass/, 'a=setup:holdconn'],
  ] as const) {
    assert.is(answered(chromium([change])).reason, 'bad-transport', String(change[0]))
  }
  assert.is(answered(chromium([[/UDP\/TLS\/RTP\/SAVPF/, 'RTP/AVP']])).reason, 'no-audio', 'plain RTP is no browser')
  const { browser: _, ...plain } = local
  assert.not(answerOffer(chromium(), plain).ok, 'and a browser is no trunk')
  const md5First = `md5 00:11\r\na=fingerprint:sha-256 ${fingerprint}`
  assert.is(answered(chromium([[/sha-256 \S+/, md5First]])).browser?.fingerprints.length, 1)
})

test('SHA-1 fingerprints are passed over, and believed alone only by a setting', () => {
  const sha1 = `sha-1 ${fingerprint.slice(0, 59)}`
  const alone = chromium([[/sha-256 \S+/, sha1]])
  const beside = chromium([[/sha-256 \S+/, `${sha1}\r\na=fingerprint:sha-256 ${fingerprint}`]])
  const { browser } = local
  assert.ok(browser !== undefined)
  assert.not(answerOffer(alone, local).ok)
  assert.equal(answered(beside).browser?.fingerprints, [{ algorithm: 'sha-256', value: fingerprint }])
  const weak = answerOffer(alone, { ...local, browser: { ...browser, weakFingerprints: true } })
  assert.ok(weak.ok && weak.value.negotiated.browser?.fingerprints[0]?.algorithm === 'sha-1')
})

test('our offer and its answer: the choice is theirs, a changed name says a restart', () => {
  const offer = createOffer(local)
  const text = formatSdp(offer)
  for (const line of [
    'a=ice-lite',
    'a=group:BUNDLE 0',
    'a=mid:0',
    'a=setup:actpass',
    'a=rtcp-mux',
    'a=end-of-candidates',
  ]) {
    assert.ok(text.split('\r\n').includes(line), line)
  }
  const answer = (setup: string) =>
    readAnswer(
      offer,
      chromium([
        [/a=setup:actpass/, `a=setup:${setup}`],
        [/SAVPF 111 63 9 0 8 13 110 126/, 'SAVPF 0 126'],
      ]),
      { browser: local.browser },
    )
  const active = answer('active')
  assert.ok(active.ok)
  assert.is(active.value.browser?.role, 'server')
  const passive = answer('passive')
  assert.is(passive.ok && passive.value.browser?.role, 'client')
  assert.not(answer('actpass').ok, 'an answer chooses (RFC 8842 §5.3)')
  const again = createOffer({ ...local, previous: offer })
  assert.is(formatSdp(again), text, 'nothing changed, nothing moves')
})

test.run()
