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
} from '../../sip/index.ts'
import { cryptosOf } from '../../sip/sdp/crypto.ts'

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
const secure: LocalMedia = { ...local, crypto: { master } }

function sdp(...lines: readonly string[]): SessionDescription {
  const text = ['v=0', 'o=- 1 1 IN IP4 192.0.2.9', 's=-', 'c=IN IP4 192.0.2.9', 't=0 0', ...lines]
  const parsed = parseSdp(text.map(line => `${line}\r\n`).join(''))
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}
const offered = (...cryptos: readonly string[]) =>
  sdp('m=audio 5000 RTP/SAVP 8 0', ...cryptos.map(crypto => `a=crypto:${crypto}`))
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

test('our offer, and answers to it: the same line or none', () => {
  const offer = createOffer(secure)
  const text = formatSdp(offer)
  assert.match(text, /^m=audio 4000 RTP\/SAVP 0 8 101\r$/m)
  assert.is(text.match(/^a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:/gm)?.length, 1)
  const read = (answer: SessionDescription) => {
    const result = readAnswer(offer, answer, { crypto: secure.crypto })
    return result.ok ? result.value.crypto?.remote.tag : result.reason
  }
  assert.is(read(offered(`1 AES_CM_128_HMAC_SHA1_80 inline:${key}`)), '1')
  assert.is(read(offered(`2 AES_CM_128_HMAC_SHA1_80 inline:${key}`)), 'bad-transport')
  assert.is(read(offered(`1 AES_CM_128_HMAC_SHA1_32 inline:${key}`)), 'bad-transport')
  assert.is(read(offered()), 'bad-transport')
  assert.is(read(sdp('m=audio 5000 RTP/AVP 0')), 'bad-answer', 'no way back to plain packets')
})

test.run()
