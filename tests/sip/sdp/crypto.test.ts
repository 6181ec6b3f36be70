import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  answerOffer,
  createOffer,
  formatSdp,
  type LocalMedia,
  parseSdp,
  pcma,
  pcmu,
  readAnswer,
  type SessionDescription,
} from '../../../sip/index.ts'
import { cryptosOf } from '../../../sip/sdp/crypto.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const key = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz'
const other = 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR'
const master = Uint8Array.from(Buffer.from(other, 'base64'))
const local: LocalMedia = {
  address: '192.0.2.1',
  port: 4000,
  codecs: [pcmu, pcma],
  telephoneEvent: 101,
  ptimeMs: 20,
  sessionId: '1',
}
const short = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYg'
const masters = {
  AES_CM_128_HMAC_SHA1_80: Uint8Array.from(Buffer.from(key, 'base64')).reverse(),
  AES_CM_128_HMAC_SHA1_32: master,
  AEAD_AES_128_GCM: Uint8Array.from(Buffer.from(short, 'base64')),
}
const secure: LocalMedia = { ...local, crypto: { masters } }

function sdp(...lines: readonly string[]): SessionDescription {
  const text = ['v=0', 'o=- 1 1 IN IP4 192.0.2.9', 's=-', 'c=IN IP4 192.0.2.9', 't=0 0', ...lines]
  const parsed = parseSdp(text.map(line => `${line}\r\n`).join(''))
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}
const offered = (...cryptos: readonly string[]) =>
  sdp('m=audio 5000 RTP/SAVP 8 0', ...cryptos.map(crypto => `a=crypto:${crypto}`))
const tagsIn = (session: SessionDescription) =>
  session.media.flatMap(media => cryptosOf(media).map(({ tag, suite }) => `${tag} ${suite}`))
const tagsOf = (...cryptos: readonly string[]) =>
  offered(...cryptos).media.flatMap(media => cryptosOf(media).map(({ tag, suite }) => `${tag} ${suite.slice(-2)}`))

test('lines that can be taken, in their order; others are passed over', () => {
  const lines: readonly [line: string, found: readonly string[]][] = [
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}`, ['1 80']],
    [`7 AES_CM_128_HMAC_SHA1_32 inline:${key}`, ['7 32']],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20`, ['1 80']],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1048576`, ['1 80']],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:4`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}|1:4`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} UNENCRYPTED_SRTP`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} KDR=1`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} UNENCRYPTED_SRTCP`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} UNAUTHENTICATED_SRTP`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} FEC_ORDER=FEC_SRTP`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} WSH=64 SOMETHING`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key} WSH=64`, ['1 80']],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^31 WSH=128 -own=1`, ['1 80']],
    [`1 AES_CM_128_HMAC_SHA1_80  inline:${key} `, ['1 80']],
    [`01 AES_CM_128_HMAC_SHA1_80 inline:${key}`, ['01 80']],
    [`x AES_CM_128_HMAC_SHA1_80 inline:${key}`, []],
    [`1234567890 AES_CM_128_HMAC_SHA1_80 inline:${key}`, []],
    [`1 AEAD_AES_128_GCM inline:${short}==`, ['1 CM']],
    [`1 AEAD_AES_128_GCM inline:${short}`, ['1 CM']],
    [`1 AEAD_AES_128_GCM inline:${key}`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${short}==`, []],
    [`1 AEAD_AES_256_GCM inline:${short}==`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 uri:https://keys.test/${key}`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key};inline:${key}`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key.slice(4)}`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key}AAAA`, []],
    [`1 AES_CM_128_HMAC_SHA1_80 inline:${key.replace('W', '*')}`, []],
    [`1 AES_256_CM_HMAC_SHA1_80 inline:${key}`, []],
    [`1 F8_128_HMAC_SHA1_80 inline:${key}`, []],
    ['1 AES_CM_128_HMAC_SHA1_80', []],
    ['', []],
  ]
  for (const [line, found] of lines) assert.equal(tagsOf(line), found, line)
  assert.equal(
    tagsOf(
      `1 AES_256_CM_HMAC_SHA1_80 inline:${key}`,
      `2 AES_CM_128_HMAC_SHA1_32 inline:${key}`,
      `3 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
    ),
    ['2 32', '3 80'],
  )
})

test('an offer is answered with the first line’s tag and suite, and with a key of ours', () => {
  const offer = offered(
    `2 AES_256_CM_HMAC_SHA1_80 inline:${key}`,
    `3 AES_CM_128_HMAC_SHA1_32 inline:${key}|2^31`,
    `4 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
  )
  const answered = answerOffer(offer, secure)
  assert.ok(answered.ok)
  const text = formatSdp(answered.value.answer)
  assert.match(text, /^m=audio 4000 RTP\/SAVP 0\r$/m)
  assert.match(text, new RegExp(`^a=crypto:3 AES_CM_128_HMAC_SHA1_32 inline:${other.replaceAll('+', '\\+')}\r$`, 'm'))
  const { crypto } = answered.value.negotiated
  assert.equal(Buffer.from(crypto?.remote.master ?? []).toString('base64'), key)
  assert.equal(crypto?.local, { tag: '3', suite: 'AES_CM_128_HMAC_SHA1_32', master })
})

test('of a plain and a protected stream that is taken which is ours to take; the other is off', () => {
  const both = sdp(
    'm=audio 5000 RTP/AVP 0',
    'm=audio 5002 RTP/SAVP 0',
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
  )
  const lines = (of: LocalMedia) => {
    const answered = answerOffer(both, of)
    return answered.ok ? formatSdp(answered.value.answer).match(/^m=.*$/gm) : answered.reason
  }
  assert.equal(lines(secure), ['m=audio 0 RTP/AVP 0', 'm=audio 4000 RTP/SAVP 0'])
  assert.equal(lines(local), ['m=audio 4000 RTP/AVP 0', 'm=audio 0 RTP/SAVP 0'])
})

test('without a key that can be taken, or without a protected stream, there is no answer', () => {
  const reason = (offer: SessionDescription) => {
    const answered = answerOffer(offer, secure)
    return answered.ok ? 'taken' : answered.reason
  }
  assert.is(reason(offered()), 'bad-transport')
  assert.is(reason(offered(`1 AES_256_CM_HMAC_SHA1_80 inline:${key}`)), 'bad-transport')
  assert.is(reason(sdp('m=audio 5000 RTP/AVP 0')), 'no-audio')
})

test('our offer names each suite with a key of its own; an answer takes up one of the lines or none', () => {
  const offer = createOffer(secure)
  const text = formatSdp(offer)
  assert.match(text, /^m=audio 4000 RTP\/SAVP 0 8 101\r$/m)
  assert.equal(tagsIn(offer), ['1 AES_CM_128_HMAC_SHA1_80', '2 AES_CM_128_HMAC_SHA1_32', '3 AEAD_AES_128_GCM'])
  assert.is(new Set(text.match(/inline:\S+/g)).size, 3)
  const read = (answer: SessionDescription) => {
    const result = readAnswer(offer, answer, { crypto: secure.crypto })
    if (!result.ok) return result.reason
    const { crypto } = result.value
    assert.is(crypto?.local.master, masters[crypto?.local.suite ?? 'AEAD_AES_128_GCM'])
    return crypto?.remote.tag
  }
  assert.is(read(offered(`1 AES_CM_128_HMAC_SHA1_80 inline:${key}`)), '1')
  assert.is(read(offered(`2 AES_CM_128_HMAC_SHA1_32 inline:${key}`)), '2')
  assert.is(read(offered(`3 AEAD_AES_128_GCM inline:${short}`)), '3')
  assert.is(read(offered(`2 AES_CM_128_HMAC_SHA1_80 inline:${key}`)), 'bad-transport')
  assert.is(read(offered(`4 AES_CM_128_HMAC_SHA1_80 inline:${key}`)), 'bad-transport')
  assert.is(read(offered(`1 AES_CM_128_HMAC_SHA1_32 inline:${key}`)), 'bad-transport')
  assert.is(read(offered()), 'bad-transport')
  assert.is(read(sdp('m=audio 5000 RTP/AVP 0')), 'bad-answer', 'no way back to plain packets')
})

test('the profile with feedback is answered in kind and kept; of a browser’s nothing is taken', () => {
  const answered = answerOffer(
    sdp('m=audio 5000 RTP/SAVPF 0', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`),
    secure,
  )
  assert.ok(answered.ok)
  const { answer } = answered.value
  assert.equal(
    answer.media.map(({ protocol }) => protocol),
    ['RTP/SAVPF'],
  )
  const next = createOffer({ ...secure, previous: answer })
  assert.equal(
    next.media.map(({ protocol }) => protocol),
    ['RTP/SAVPF'],
  )
  for (const lines of [
    ['m=audio 5000 RTP/SAVPF 0', 'a=fingerprint:sha-256 AB:CD', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`],
    ['m=audio 5000 UDP/TLS/RTP/SAVPF 0', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`],
    ['m=audio 5000 RTP/SAVPF 0'],
  ]) {
    const refused = answerOffer(sdp(...lines), secure)
    assert.is(refused.ok ? 'taken' : refused.reason, 'no-audio', lines.join(' '))
  }
})

test('a new offer with the same lines gets the same answer: keys are not renewed', () => {
  const offer = offered(`1 AES_CM_128_HMAC_SHA1_80 inline:${key}`)
  const first = answerOffer(offer, secure)
  assert.ok(first.ok)
  const again = answerOffer(offer, { ...secure, previous: first.value.answer })
  assert.ok(again.ok)
  assert.is(formatSdp(again.value.answer), formatSdp(first.value.answer))
  assert.equal(again.value.negotiated.crypto, first.value.negotiated.crypto)
})

test('of two hundred lines few are read; no line, however made, throws or gives a key of another length', () => {
  const many = Array.from({ length: 200 }, (_, i) => `${i + 1} AES_CM_128_HMAC_SHA1_80 inline:${key}`)
  assert.is(tagsOf(...many).length, 16)
  const answered = answerOffer(offered(...many), secure)
  assert.ok(answered.ok)
  assert.is(formatSdp(answered.value.answer).match(/^a=crypto:/gm)?.length, 1)
  const random = seeded(5)
  const alphabet = ` \t|;:=^_-+/AZaz09${key.slice(0, 4)}é\u0000`
  const good = `1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20 WSH=64`
  for (let round = 0; round < 5000; round++) {
    const changed = [...good]
    for (let i = 0; i < 1 + random() * 4; i++) {
      const at = Math.floor(random() * changed.length)
      changed.splice(at, Math.floor(random() * 3), alphabet[Math.floor(random() * alphabet.length)] ?? '')
    }
    const media = {
      ...offered(good).media[0],
      attributes: [{ name: 'crypto', value: changed.join('') }],
    } as unknown as SessionDescription['media'][number]
    for (const { suite, master } of cryptosOf(media)) assert.is(master.length, masters[suite].length)
  }
  const slow = `1 AES_CM_128_HMAC_SHA1_80 inline:${key}${' a'.repeat(50_000)}|`
  const began = performance.now()
  for (const value of [slow, `1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(100_000)}`, ' '.repeat(100_000)])
    cryptosOf({ attributes: [{ name: 'crypto', value }] } as unknown as SessionDescription['media'][number])
  assert.ok(performance.now() - began < 1000)
})

test.run()
