import { createHmac } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { writeHeader } from '../../../rtp/packet/header.ts'
import { CounterMode } from '../../../rtp/srtp/counter-mode.ts'
import { GaloisCounter } from '../../../rtp/srtp/galois-counter.ts'
import { HmacSha1 } from '../../../rtp/srtp/hmac-sha1.ts'
import { deriveKey } from '../../../rtp/srtp/key-derivation.ts'
import { forged } from '../../../rtp/srtp/packet-cipher.ts'
import { type SrtpKeys, type SrtpProfile, srtcpIndexLength, srtpFacts } from '../../../rtp/srtp/profile.ts'
import { ReplayWindow, replayWindowSize } from '../../../rtp/srtp/replay-window.ts'
import { mostStreams, rejected, SrtpReceiver } from '../../../rtp/srtp/srtp-receiver.ts'
import { SrtpSender } from '../../../rtp/srtp/srtp-sender.ts'
import { inputs } from '../../fixtures/inputs.ts'
import { hex } from '../../fixtures/media-attacks.ts'
import { gcmVector, keyDerivation, keystream } from '../../fixtures/rfc-vectors.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const profiles = Object.keys(srtpFacts) as SrtpProfile[]

test('AES-CM keystream (RFC 3711 B.2)', () => {
  const { key, iv, blocks } = keystream
  for (const [at, block] of blocks) {
    if (at > 90) {
      // Blocks beyond a packet: the counter is part of the IV given.
      const { createCipheriv } = process.getBuiltinModule('node:crypto')
      const counter = hex(iv)
      counter[14] = at >> 8
      counter[15] = at
      const stream = createCipheriv('aes-128-ecb', hex(key), null).update(counter)
      assert.is(text(stream), block)
      continue
    }
    const zeros = new Uint8Array(16 * (at + 1))
    new CounterMode(hex(key)).apply(zeros, 0, zeros.length, hex(iv))
    assert.is(text(zeros.subarray(16 * at)), block)
  }
})

test('key derivation (RFC 3711 B.3)', () => {
  const { masterKey, masterSalt, derived } = keyDerivation
  for (const { label, hex: wanted } of derived) {
    assert.is(text(deriveKey(hex(masterKey), hex(masterSalt), label, wanted.length / 2)), wanted)
  }
})

test('AEAD_AES_128_GCM, both ways (RFC 7714 §16.1.1)', () => {
  const { key, salt, rtp, srtp } = gcmVector
  const session = { cipher: hex(key), salt: hex(salt), auth: new Uint8Array(0) }
  const cipher = new GaloisCounter(session, session)
  const plain = hex(rtp)
  const packet = new Uint8Array(200)
  packet.set(plain)
  const length = cipher.sealRtp(packet, 12, plain.length, 0)
  assert.is(text(packet.subarray(0, length)), srtp)
  assert.is(cipher.openRtp(packet, 12, length, 0), plain.length)
  assert.is(text(packet.subarray(0, plain.length)), rtp)
})

test('HMAC-SHA1 is what node makes, for every length around the blocks, with and without a suffix', () => {
  const random = seeded(3)
  const bytes = (length: number) => Uint8Array.from({ length }, () => random() * 256)
  for (const keyLength of [0, 1, 20, 64, 65, 94]) {
    const key = bytes(keyLength)
    const hmac = new HmacSha1(key)
    for (let length = 0; length < 200; length++) {
      const message = bytes(length)
      assert.is(text(hmac.take(message, length)), createHmac('sha1', key).update(message).digest('hex'))
      const word = Buffer.alloc(4)
      word.writeUInt32BE(0xfedc0000 + length)
      const expected = createHmac('sha1', key).update(message).update(word).digest()
      assert.is(text(hmac.take(message, length, 0xfedc0000 + length)), expected.toString('hex'))
      assert.ok(hmac.matches(expected, 0, 20))
      expected[length % 10]! ^= 1 << (length & 7)
      assert.not(hmac.matches(expected, 0, 10))
    }
  }
})

const keysOf = (profile: SrtpProfile, seed = 1): SrtpKeys => {
  const random = seeded(seed)
  const bytes = (length: number) => Uint8Array.from({ length }, () => random() * 256)
  return { profile, key: bytes(srtpFacts[profile].keyLength), salt: bytes(srtpFacts[profile].saltLength) }
}

const rtp = (sequence: number, { ssrc = 7, payload = 160 } = {}) => {
  const packet = new Uint8Array(12 + payload + 40)
  writeHeader(packet, { payloadType: 0, marker: false, sequence, timestamp: sequence * 160, ssrc })
  for (let i = 0; i < payload; i++) packet[12 + i] = sequence + i
  return { packet, length: 12 + payload }
}
const rtcp = (ssrc = 7, length = 28) => {
  const packet = new Uint8Array(length + 40)
  packet.set([0x80, 200, 0, length / 4 - 1, ssrc >>> 24, ssrc >>> 16, ssrc >>> 8, ssrc])
  for (let i = 8; i < length; i++) packet[i] = i
  return { packet, length }
}

for (const profile of profiles) {
  const { rtpTagLength, rtcpTagLength } = srtpFacts[profile]

  test(`${profile}: what is sealed opens once, across the wrap of the sequence number`, () => {
    const sender = new SrtpSender(keysOf(profile))
    const receiver = new SrtpReceiver(keysOf(profile))
    const copies: { packet: Uint8Array; length: number }[] = []
    for (let i = 0; i < 400; i++) {
      const { packet, length } = rtp((65_400 + i) & 0xffff)
      const plain = text(packet.subarray(0, length))
      const sealed = sender.sealRtp(packet, length)
      assert.is(sealed, length + rtpTagLength)
      assert.is.not(text(packet.subarray(0, length)), plain)
      assert.is(text(packet.subarray(0, 12)), plain.slice(0, 24), 'the header stays readable')
      copies.push({ packet: packet.slice(), length: sealed })
      assert.is(receiver.openRtp(packet, sealed), length)
      assert.is(text(packet.subarray(0, length)), plain)
    }
    for (const { packet, length } of copies) assert.is(receiver.openRtp(packet, length), rejected)
    assert.is(receiver.counters.replayed, 400)
  })

  test(`${profile}: SRTCP opens once, and no bit of it may change`, () => {
    const sender = new SrtpSender(keysOf(profile))
    const receiver = new SrtpReceiver(keysOf(profile))
    for (let i = 0; i < 5; i++) {
      const { packet, length } = rtcp()
      const plain = text(packet.subarray(0, length))
      const sealed = sender.sealRtcp(packet, length)
      assert.is(sealed, length + rtcpTagLength + srtcpIndexLength)
      for (let bit = 0; bit < sealed * 8; bit += 3) {
        const altered = packet.slice()
        altered[bit >> 3]! ^= 1 << (bit & 7)
        assert.is(receiver.openRtcp(altered, sealed), rejected)
      }
      const copy = packet.slice()
      assert.is(receiver.openRtcp(packet, sealed), length)
      assert.is(text(packet.subarray(0, length)), plain)
      assert.is(receiver.openRtcp(copy, sealed), rejected)
    }
    assert.is(receiver.streams, 1)
  })

  test(`${profile}: no altered bit is taken, and none leaves a trace`, () => {
    const sender = new SrtpSender(keysOf(profile))
    const receiver = new SrtpReceiver(keysOf(profile))
    const { packet, length } = rtp(1000)
    const sealed = sender.sealRtp(packet, length)
    for (let bit = 0; bit < sealed * 8; bit++) {
      const altered = packet.slice()
      altered[bit >> 3]! ^= 1 << (bit & 7)
      assert.is(receiver.openRtp(altered, sealed), rejected)
    }
    assert.is(receiver.streams, 0, 'an SSRC is only known when its packet was real')
    assert.is(receiver.openRtp(packet, sealed), length)
  })
}

test('reordered packets open, those outside the window do not', () => {
  const sender = new SrtpSender(keysOf('AES_CM_128_HMAC_SHA1_80'))
  const receiver = new SrtpReceiver(keysOf('AES_CM_128_HMAC_SHA1_80'))
  const sealed = Array.from({ length: 300 }, (_, i) => {
    const { packet, length } = rtp((65_500 + i) & 0xffff)
    return { packet, length: sender.sealRtp(packet, length) }
  })
  const open = (at: number) => receiver.openRtp(sealed[at]!.packet, sealed[at]!.length)
  assert.ok(open(0) > 0)
  for (const at of [100, 50, 99, 1, 2, 100 - replayWindowSize + 1 + 30]) assert.ok(open(at) > 0, String(at))
  assert.ok(open(299) > 0)
  assert.is(open(299 - replayWindowSize), rejected)
  assert.ok(open(299 - replayWindowSize + 1) > 0)
})

test('a sender gives no index twice: a keystream twice would tell both payloads', () => {
  const sender = new SrtpSender(keysOf('AES_CM_128_HMAC_SHA1_80'))
  for (const [sequence, sent] of [
    [10, true],
    [11, true],
    [10, false],
    [300, true],
    [12, false],
    [299, true],
  ] as const) {
    const { packet, length } = rtp(sequence)
    assert.is(sender.sealRtp(packet, length) > 0, sent, String(sequence))
  }
})

test('a stream that goes on as another source begins its rollovers again, and is heard', () => {
  const sender = new SrtpSender(keysOf('AES_CM_128_HMAC_SHA1_80'))
  const receiver = new SrtpReceiver(keysOf('AES_CM_128_HMAC_SHA1_80'))
  // Ahead by less than half, as if it had wrapped; before, as if it came late; the same again.
  for (const [ssrc, first] of [
    [7, 60_000],
    [8, 20_000],
    [9, 19_990],
    [10, 19_990],
  ] as const) {
    for (let i = 0; i < 5; i++) {
      const { packet, length } = rtp(first + i, { ssrc })
      assert.is(receiver.openRtp(packet, sender.sealRtp(packet, length)), length, `${ssrc} ${i}`)
    }
  }
  const { packet, length } = rtp(60_002)
  assert.is(sender.sealRtp(packet, length), 0, 'no index twice, of whichever source')
})

test('under a new key a stream goes on with its rollovers, also where its first report comes before its packets', () => {
  const profile = 'AES_CM_128_HMAC_SHA1_80'
  const [first, second] = [new SrtpSender(keysOf(profile)), new SrtpSender(keysOf(profile, 2))]
  const before = new SrtpReceiver(keysOf(profile))
  const both = (sequence: number) => [rtp(sequence), rtp(sequence)] as const
  // The sender goes on counting, under both keys.
  for (const sequence of [65_000, 20_000, 40_000, 60_000, 1000]) {
    const [old, next] = both(sequence)
    assert.ok(before.openRtp(old.packet, first.sealRtp(old.packet, old.length)) > 0)
    second.sealRtp(next.packet, next.length)
  }
  const receiver = new SrtpReceiver(keysOf(profile, 2), before)
  const report = rtcp()
  assert.is(receiver.openRtcp(report.packet, second.sealRtcp(report.packet, report.length)), report.length)
  for (const sequence of [1001, 1002]) {
    const { packet, length } = rtp(sequence)
    assert.is(receiver.openRtp(packet, second.sealRtp(packet, length)), length, String(sequence))
  }
})

test('one remote has so many streams and no more', () => {
  const receiver = new SrtpReceiver(keysOf('AES_CM_128_HMAC_SHA1_80'))
  for (let ssrc = 1; ssrc <= mostStreams + 1; ssrc++) {
    const { packet, length } = rtp(5, { ssrc })
    const sealed = new SrtpSender(keysOf('AES_CM_128_HMAC_SHA1_80')).sealRtp(packet, length)
    assert.is(receiver.openRtp(packet, sealed) > 0, ssrc <= mostStreams)
  }
})

test('the replay window against a set, with random steps', () => {
  const random = seeded(11)
  const window = new ReplayWindow()
  const seen = new Set<number>()
  let highest = -1
  for (let i = 0; i < 20_000; i++) {
    const step = random() < 0.01 ? random() * 1000 : random() * 12 - 6
    const index = Math.max(0, Math.floor(Math.max(0, highest) + step))
    const expected = seen.has(index) || (index <= highest && highest - index >= replayWindowSize)
    assert.is(window.has(index), expected)
    if (expected || random() < 0.3) continue
    window.add(index)
    seen.add(index)
    highest = Math.max(highest, index)
  }
})

test('hostile datagrams are rejected and counted', () => {
  const hostile = (['media-attacks', 'rtp-seeds', 'rtcp-seeds', 'stun-seeds', 'dtls-seeds'] as const).flatMap(inputs)
  for (const profile of profiles) {
    const receiver = new SrtpReceiver(keysOf(profile))
    for (const { name, bytes } of hostile) {
      const packet = bytes.slice(0, 2048)
      assert.is(receiver.openRtp(packet, packet.length), rejected, name)
      assert.is(receiver.openRtcp(packet, packet.length), rejected, name)
      assert.equal(packet, bytes.slice(0, 2048), 'nothing is touched before it is authentic')
    }
    assert.is(receiver.streams, 0)
    const { malformed, replayed, forged: fakes } = receiver.counters
    assert.is(malformed + replayed + fakes, 2 * hostile.length)
  }
  assert.is(forged, -1)
})

test.run()
