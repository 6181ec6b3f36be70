import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { handshakeTimeoutMs, mostVerified } from '../../rtp/dtls/association.ts'
import { fragmentsOf, handshakeMessage, handshakeTypes, Reassembly } from '../../rtp/dtls/handshake-message.ts'
import { writeClientHello } from '../../rtp/dtls/hello.ts'
import { contentTypes, recordsOf, writeRecord } from '../../rtp/dtls/record.ts'
import { KeyShare, readCertificate } from '../../rtp/dtls/secrets.ts'
import { concat, uint, vector } from '../../rtp/dtls/wire.ts'
import { ScriptedPair } from '../dtls/scripted-peer.ts'
import { inputs, ownInputs } from '../fixtures/inputs.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { both, Pair } from './dtls-pair.ts'

// Who may write to the address of a handshake, and with which effect: none.

test('no bit of a handshake may change on its way: another handshake than the other end saw comes to nothing', () => {
  const random = seeded(5)
  let connected = 0
  for (let round = 0; round < 60; round++) {
    const pair = new Pair()
    const target = round % 6
    pair.pass = ({ datagram }, nth) => {
      if (nth !== target) return [datagram]
      const altered = datagram.slice()
      altered[13 + Math.floor(random() * (altered.length - 13))]! ^= 1 << Math.floor(random() * 8)
      return [altered]
    }
    pair.run(handshakeTimeoutMs + 1000)
    if (pair.client.state === 'connected' && pair.server.state === 'connected') {
      connected++
      assert.equal(pair.client.keys?.local, pair.server.keys?.remote)
      assert.equal(pair.client.keys?.remote, pair.server.keys?.local)
    }
  }
  assert.ok(connected > 0, 'what was said again was heard')
})

test('forged alerts, finished in clear and other junk between the messages change nothing', () => {
  const junk = [
    writeRecord(contentTypes.alert, 0, 99, Uint8Array.of(2, 40)),
    writeRecord(
      contentTypes.handshake,
      0,
      99,
      concat(uint(20, 1), uint(12, 3), uint(4, 2), uint(0, 3), vector(3, new Uint8Array(12))),
    ),
    writeRecord(contentTypes.handshake, 1, 5, new Uint8Array(60)),
    writeRecord(
      contentTypes.handshake,
      0,
      7,
      concat(uint(16, 1), uint(3, 3), uint(1, 2), uint(0, 3), vector(3, new Uint8Array(3))),
    ),
    writeRecord(contentTypes.changeCipherSpec, 0, 3, Uint8Array.of(1)),
    new Uint8Array(13),
  ]
  const pair = new Pair()
  pair.pass = ({ datagram }) => [...junk, datagram, ...junk]
  pair.run()
  assert.equal(pair.states, both('connected'))
  assert.ok(pair.server.refused > 0)
})

test('a hello of somebody else at that address does not keep the remote out', () => {
  const intruder = new Pair()
  let hello: Uint8Array | undefined
  intruder.pass = ({ datagram, to }) => {
    if (to === 'server') hello ??= datagram
    return []
  }
  intruder.run(50)
  assert.ok(hello)
  const first = hello
  const pair = new Pair()
  pair.pass = ({ datagram, to }, nth) => (nth === 0 && to === 'server' ? [first, datagram] : [datagram])
  pair.run()
  assert.equal(pair.states, both('connected'))
})

/** A hello like a browser's, of a sender that sees nothing of what is sent to the address. */
const forgedHello = (sequence: number, cookie = new Uint8Array(20 * sequence)) => {
  const body = writeClientHello(new Uint8Array(randomBytes(32)), cookie, ['AES_CM_128_HMAC_SHA1_80'])
  const { whole } = handshakeMessage(handshakeTypes.clientHello, sequence, body)
  return writeRecord(contentTypes.handshake, 0, sequence, whole)
}

test('a thousand forged hellos a second from its address do not keep the remote out', () => {
  for (const isKnown of [false, true]) {
    const pair = new Pair({}, { demandsCookie: () => isKnown })
    let forged = 0
    pair.between = () => {
      const hello = forgedHello(forged++ % 2)
      pair.server.receive(hello, hello.length, pair.now)
    }
    // They are there before it is.
    for (let i = 0; i < 30; i++) pair.between()
    pair.run(2000)
    assert.equal(pair.states, both('connected'))
    assert.equal(pair.client.keys?.local, pair.server.keys?.remote)
    // Browsers give up at the first answer that is not signed for them.
    if (isKnown) assert.is(pair.client.refused, 0)
  }
})

test('where cookies are asked for, a hello in fragments finds its way too, and a lost one is asked for again', () => {
  const pair = new Pair({}, { demandsCookie: () => true })
  pair.pass = ({ to, datagram }, nth) => {
    if (nth === 1) return []
    const [record] = recordsOf(datagram)
    const [hello] = record?.type === contentTypes.handshake ? fragmentsOf(record.fragment) : []
    if (to === 'client' || hello?.type !== handshakeTypes.clientHello) return [datagram]
    return [0, 90].map((offset, part) => {
      const body = part === 0 ? hello.body.subarray(0, 90) : hello.body.subarray(90)
      const head = concat(uint(1, 1), uint(hello.length, 3), uint(hello.sequence, 2), uint(offset, 3))
      const fragment = concat(head, vector(3, body))
      return writeRecord(contentTypes.handshake, 0, (record?.sequence ?? 0) * 2 + part, fragment)
    })
  }
  pair.run()
  assert.equal(pair.states, both('connected'))
})

test('one forged message ahead of the real ones costs a repetition and no more', () => {
  const ahead = (type: number, sequence: number, body: Uint8Array) =>
    writeRecord(contentTypes.handshake, 0, 900 + sequence, handshakeMessage(type, sequence, body).whole)
  const point = concat(uint(4, 1), new Uint8Array(64))
  const other = new KeyShare().point
  for (const junk of [
    ahead(handshakeTypes.clientKeyExchange, 2, vector(1, other)),
    ahead(handshakeTypes.clientKeyExchange, 2, vector(1, point)),
    ahead(handshakeTypes.certificateVerify, 3, new Uint8Array(70)),
    // The beginning of a message that never comes.
    writeRecord(
      contentTypes.handshake,
      0,
      9,
      concat(uint(11, 1), uint(4000, 3), uint(1, 2), uint(0, 3), vector(3, point)),
    ),
  ]) {
    const pair = new Pair()
    pair.pass = ({ datagram }, nth) => (nth === 0 ? [datagram, junk] : [datagram])
    pair.run()
    assert.equal(pair.states, both('connected'), junk.join())
    assert.equal(pair.client.keys?.local, pair.server.keys?.remote)
  }
})

/** A certificate as X.509 wants it, with any key; it is not signed. */
const certificateOf = (key: KeyObject): Uint8Array => {
  const der = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array => {
    const content = concat(...parts)
    return concat(uint(tag, 1), uint(0x82, 1), uint(content.length, 2), content)
  }
  const algorithm = der(0x30, der(6, Uint8Array.from([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11])), der(5))
  const time = der(0x17, new TextEncoder().encode('250101000000Z'))
  const spki = new Uint8Array(key.export({ format: 'der', type: 'spki' }))
  const content = der(0x30, der(2, uint(1, 1)), algorithm, der(0x30), der(0x30, time, time), der(0x30), spki)
  return der(0x30, content, algorithm, der(3, new Uint8Array(257)))
}

test('an RSA key is taken with the exponents that are in use, and no longer one', () => {
  const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const withExponent = (e: Uint8Array) => {
    const key = createPublicKey({ key: { kty: 'RSA', n, e: Buffer.from(e).toString('base64url') }, format: 'jwk' })
    return readCertificate(certificateOf(key))
  }
  for (const e of [uint(3, 1), uint(17, 1), uint(65_537, 3)]) assert.ok(withExponent(e), e.join())
  for (const e of [uint(65_539, 3), new Uint8Array(255).fill(0x55)]) assert.is(withExponent(e), undefined)
})

for (const role of ['client', 'server'] as const) {
  test(`a ${role} that proves its key wrongly again and again is given up, after so many tries`, () => {
    const proof = role === 'client' ? handshakeTypes.certificateVerify : handshakeTypes.serverKeyExchange
    const wrong = (body: Uint8Array) => body.with(-1, body.at(-1)! ^ 1)
    const pair = new ScriptedPair({ role, alter: { [proof]: wrong } }).run(1000)
    assert.is(pair.ours.state, 'handshaking', 'once may be a forgery')
    pair.run(5000)
    assert.is(pair.ours.state, 'failed')
    assert.ok(pair.ours.refused >= mostVerified)
    assert.match(pair.ours.detail, /sender|signed/)
  })
}

test('fragments reserve no more memory than so many messages, however often they contradict each other', () => {
  const messages = new Reassembly()
  const fragment = (n: number, body: Uint8Array) => ({
    type: n % 2 === 0 ? handshakeTypes.certificate : handshakeTypes.clientKeyExchange,
    length: 16_384,
    sequence: n % 8,
    offset: 0,
    body,
  })
  for (let n = 0; n < 1000; n++) messages.add(fragment(n, new Uint8Array(0)))
  assert.is(messages.taken, 0, 'without a byte of a message there is nothing to keep')
  for (let n = 0; n < 1000; n++) messages.add(fragment(n + (n >> 3), uint(n & 255, 1)))
  assert.is(messages.taken, 8 * 2 * 16_384)
  const body = Uint8Array.from({ length: 5000 }, (_, i) => i)
  messages.add({ type: handshakeTypes.certificate, length: 5000, sequence: 0, offset: 1, body: body.subarray(1) })
  assert.is(messages.peek(), undefined)
  messages.add({ type: handshakeTypes.certificate, length: 5000, sequence: 0, offset: 0, body: body.subarray(0, 1) })
  assert.equal(messages.peek()?.body, body, 'nothing is left of what was there before')
})

test('hostile datagrams during a handshake and after it', () => {
  const hostile = (['dtls-seeds', 'stray-seeds', 'media-attacks'] as const).flatMap(inputs)
  // A well-formed message of another handshake costs a repetition: where every flight met one, none would get through.
  const wellFormed = new Set(ownInputs('dtls-seeds').map(it => it.name))
  const random = seeded(21)
  const pair = new Pair()
  pair.pass = ({ datagram }) => {
    const some = hostile.filter(it => random() < (wellFormed.has(it.name) ? 0.01 : 0.2)).map(it => it.bytes)
    const mutated = some.map(bytes => bytes.map(byte => (random() < 0.02 ? random() * 256 : byte)))
    return pair.now > 1000 ? [datagram] : [...some, ...mutated, datagram]
  }
  pair.run(handshakeTimeoutMs - 1000)
  assert.equal(pair.states, both('connected'))
  for (const { bytes } of hostile) pair.server.receive(bytes, bytes.length, pair.now)
  assert.is(pair.server.state, 'connected')
})

test('mutations of real flights never throw', () => {
  const random = seeded(31)
  for (let round = 0; round < 60; round++) {
    const pair = new Pair()
    pair.pass = ({ datagram }) => {
      const mutated = datagram.map(byte => (random() < 0.01 ? random() * 256 : byte))
      return random() < 0.5 ? [datagram] : [mutated.slice(0, Math.floor(random() * 2 * mutated.length)), mutated]
    }
    pair.run(3000)
  }
})

test.run()
