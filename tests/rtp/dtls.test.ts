import { randomBytes, X509Certificate } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DtlsAssociation, type DtlsOptions, handshakeTimeoutMs } from '../../rtp/dtls/association.ts'
import {
  type DtlsCertificate,
  type Fingerprint,
  fingerprintOf,
  isNamed,
  selfSigned,
} from '../../rtp/dtls/certificate.ts'
import { fragmentsOf, handshakeMessage, handshakeTypes, Reassembly } from '../../rtp/dtls/handshake-message.ts'
import { writeClientHello } from '../../rtp/dtls/hello.ts'
import { contentTypes, recordsOf, writeRecord } from '../../rtp/dtls/record.ts'
import { KeyShare } from '../../rtp/dtls/secrets.ts'
import { concat, uint, vector } from '../../rtp/dtls/wire.ts'
import type { SrtpProfile } from '../../rtp/srtp/profile.ts'
import { seeded } from '../rig/seeded.ts'
import { corpusFiles, testWith } from './corpora.ts'

const certificates = [1, 2, 3].map(n => selfSigned(1_800_000_000_000, Uint8Array.of(n, 2, 3, 4)))
const [ours, theirs, stranger] = certificates as [DtlsCertificate, DtlsCertificate, DtlsCertificate]
const named = ({ fingerprint: value }: DtlsCertificate): Fingerprint[] => [{ algorithm: 'sha-256', value }]

interface Flying {
  readonly to: 'client' | 'server'
  readonly datagram: Uint8Array
}

/** Two ends in virtual time; `pass` says what becomes of a datagram. */
class Pair {
  readonly client: DtlsAssociation
  readonly server: DtlsAssociation
  now = 0
  sent = 0
  /** Every ms. */
  between: () => void = () => {}
  pass: (flying: Flying, nth: number) => readonly Uint8Array[] = ({ datagram }) => [datagram]
  #flying: Flying[] = []

  constructor(client: Partial<DtlsOptions> = {}, server: Partial<DtlsOptions> = {}) {
    const usual = { profiles: ['AES_CM_128_HMAC_SHA1_80'] as SrtpProfile[], randomBytes }
    const send = (to: Flying['to']) => (datagram: Uint8Array) => {
      this.#flying.push({ to, datagram })
    }
    this.client = new DtlsAssociation(
      { role: 'client', certificate: theirs, fingerprints: named(ours), send: send('server'), ...usual, ...client },
      0,
    )
    this.server = new DtlsAssociation(
      { role: 'server', certificate: ours, fingerprints: named(theirs), send: send('client'), ...usual, ...server },
      0,
    )
    this.client.start(0)
  }

  run(ms = 5000): this {
    for (const until = this.now + ms; this.now < until; this.now += 10) {
      for (const flying of this.#flying.splice(0)) {
        for (const datagram of this.pass(flying, this.sent++)) {
          this[flying.to].receive(datagram, datagram.length, this.now)
        }
      }
      for (let ms = 0; ms < 10; ms++) this.between()
      this.client.tick(this.now)
      this.server.tick(this.now)
    }
    return this
  }

  get states() {
    return [this.client.state, this.server.state]
  }
}

const both = (state: string) => [state, state]
const typesIn = (datagram: Uint8Array) =>
  recordsOf(datagram).flatMap(record =>
    record.type === contentTypes.handshake && record.epoch === 0 ? fragmentsOf(record.fragment).map(it => it.type) : [],
  )

test('a handshake: both ends hold the same keys, each the right way round', () => {
  for (const profile of ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM'] as const) {
    const { client, server, states } = new Pair(
      { profiles: [profile] },
      { profiles: ['AEAD_AES_128_GCM', 'AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] },
    ).run()
    assert.equal(states, both('connected'))
    assert.equal(client.keys?.local, server.keys?.remote)
    assert.equal(client.keys?.remote, server.keys?.local)
    assert.is.not(client.keys?.local.key.join(), client.keys?.remote.key.join())
    assert.is(server.keys?.local.profile, profile)
  }
})

test('goodbye closes the other end', () => {
  const pair = new Pair().run()
  pair.client.close()
  pair.run(50)
  assert.equal(pair.states, both('closed'))
})

test('a third of all datagrams lost, some twice, some late: connected in time, for 40 seeds', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = seeded(seed)
    const pair = new Pair()
    const late: Record<Flying['to'], Uint8Array[]> = { client: [], server: [] }
    pair.pass = ({ datagram, to }) => {
      const before = late[to].splice(0)
      const fate = random()
      if (fate < 0.33) return before
      if (fate < 0.5) late[to].push(datagram)
      return fate < 0.5 ? before : fate < 0.65 ? [datagram, ...before, datagram] : [datagram, ...before]
    }
    pair.run(handshakeTimeoutMs)
    assert.equal(pair.states, both('connected'), String(seed))
    assert.equal(pair.client.keys?.local, pair.server.keys?.remote)
  }
})

test('messages in fragments of any size, out of order and overlapping, come together', () => {
  const random = seeded(9)
  for (let round = 0; round < 30; round++) {
    const bodies = Array.from({ length: 3 }, () =>
      Uint8Array.from({ length: Math.floor(random() * 900) }, () => random() * 256),
    )
    const fragments = bodies.flatMap((body, sequence) => {
      const parts = [{ type: 11, length: body.length, sequence, offset: 0, body: body.subarray(0, 1) }]
      for (let at = 0; at < body.length || at === 0; at += 1 + Math.floor(random() * 200)) {
        parts.push({ type: 11, length: body.length, sequence, offset: at, body: body.subarray(at, at + 220) })
      }
      return parts
    })
    fragments.sort(() => random() - 0.5)
    const reassembly = new Reassembly()
    const whole: Uint8Array[] = []
    for (const fragment of fragments) {
      reassembly.add(fragment)
      for (let message = reassembly.peek(); message !== undefined; message = reassembly.peek()) {
        whole.push(message.body)
        reassembly.took()
      }
    }
    assert.equal(whole, bodies)
  }
})

test('another certificate than SDP named is refused, on either side', () => {
  const asClient = new Pair({ certificate: stranger }).run(handshakeTimeoutMs + 1000)
  assert.equal(asClient.states, both('failed'))
  assert.match(asClient.server.detail, /fingerprint/)
  const asServer = new Pair({}, { certificate: stranger }).run(handshakeTimeoutMs + 1000)
  assert.is(asServer.client.state, 'failed')
  assert.match(asServer.client.detail, /fingerprint/)
  assert.is(asServer.client.keys, undefined)
})

test('the right certificate without its key is refused, on either side', () => {
  const copied = (certificate: DtlsCertificate) => ({ ...certificate, privateKey: stranger.privateKey })
  const asClient = new Pair({ certificate: copied(theirs) }).run(handshakeTimeoutMs + 1000)
  assert.is(asClient.server.state, 'failed')
  assert.is(asClient.server.keys, undefined)
  assert.match(asClient.server.detail, /not its sender/)
  const asServer = new Pair({}, { certificate: copied(ours) }).run(handshakeTimeoutMs + 1000)
  assert.is(asServer.client.state, 'failed')
  assert.match(asServer.client.detail, /not signed/)
})

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

test('a hello of somebody else at that address does not keep the far end out', () => {
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

/** A hello like a browser's, made by somebody who sees nothing of what is sent to the address. */
const forgedHello = (sequence: number, cookie = new Uint8Array(20 * sequence)) => {
  const body = writeClientHello(new Uint8Array(randomBytes(32)), cookie, ['AES_CM_128_HMAC_SHA1_80'])
  const { whole } = handshakeMessage(handshakeTypes.clientHello, sequence, body)
  return writeRecord(contentTypes.handshake, 0, sequence, whole)
}

test('a thousand forged hellos a second from its address do not keep the far end out', () => {
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

test('a repeated flight is answered again, and not more than asked for', () => {
  const pair = new Pair()
  let flights = 0
  pair.pass = ({ datagram, to }) => {
    if (to === 'client' && typesIn(datagram).includes(handshakeTypes.serverHello)) flights++
    return to === 'server' ? [datagram, datagram, datagram, datagram] : [datagram]
  }
  pair.run()
  assert.equal(pair.states, both('connected'))
  assert.ok(flights <= 2)
})

test('nobody there: given up, with growing pauses', () => {
  const pair = new Pair()
  pair.pass = () => []
  pair.run(handshakeTimeoutMs + 1000)
  assert.equal(pair.states, both('failed'))
  assert.ok(pair.sent <= 14)
})

testWith('pion-fuzz', 'hostile datagrams during a handshake and after it', () => {
  const inputs = ['pion-fuzz/dtls', 'pion-fuzz/other', 'media-attacks'].flatMap(corpusFiles).map(it => it.bytes)
  const random = seeded(21)
  const pair = new Pair()
  pair.pass = ({ datagram }) => {
    const some = inputs.filter(() => random() < 0.2)
    const mutated = some.map(bytes => bytes.map(byte => (random() < 0.02 ? random() * 256 : byte)))
    return pair.now > 1000 ? [datagram] : [...some, ...mutated, datagram]
  }
  pair.run(handshakeTimeoutMs - 1000)
  assert.equal(pair.states, both('connected'))
  for (const bytes of inputs) pair.server.receive(bytes, bytes.length, pair.now)
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

test('our certificate: self-signed, P-256, named by its fingerprint; MD5 names nobody', () => {
  const certificate = new X509Certificate(ours.der)
  assert.ok(certificate.verify(certificate.publicKey))
  assert.is(certificate.fingerprint256, ours.fingerprint)
  assert.is(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.is(new Date(certificate.validFrom).getTime(), 1_800_000_000_000 - 86_400_000)
  assert.ok(isNamed(ours.der, [...named(stranger), ...named(ours)]))
  assert.not(isNamed(ours.der, named(theirs)))
  assert.is(fingerprintOf(ours.der, 'md5'), undefined)
  assert.not(isNamed(ours.der, [{ algorithm: 'md5', value: '' }]))
  assert.not(isNamed(ours.der, []))
})

test.run()
