import { X509Certificate } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { handshakeTimeoutMs } from '../../rtp/dtls/association.ts'
import { type DtlsCertificate, fingerprintOf, isNamed } from '../../rtp/dtls/certificate.ts'
import { fragmentsOf, handshakeTypes, Reassembly } from '../../rtp/dtls/handshake-message.ts'
import { contentTypes, recordsOf } from '../../rtp/dtls/record.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { both, type Flying, named, ours, Pair, theirs, unrelated } from './dtls-pair.ts'

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
  const asClient = new Pair({ certificate: unrelated }).run(handshakeTimeoutMs + 1000)
  assert.equal(asClient.states, both('failed'))
  assert.match(asClient.server.detail, /fingerprint/)
  const asServer = new Pair({}, { certificate: unrelated }).run(handshakeTimeoutMs + 1000)
  assert.is(asServer.client.state, 'failed')
  assert.match(asServer.client.detail, /fingerprint/)
  assert.is(asServer.client.keys, undefined)
})

test('the right certificate without its key is refused, on either side', () => {
  const copied = (certificate: DtlsCertificate) => ({ ...certificate, privateKey: unrelated.privateKey })
  const asClient = new Pair({ certificate: copied(theirs) }).run(handshakeTimeoutMs + 1000)
  assert.is(asClient.server.state, 'failed')
  assert.is(asClient.server.keys, undefined)
  assert.match(asClient.server.detail, /not its sender/)
  const asServer = new Pair({}, { certificate: copied(ours) }).run(handshakeTimeoutMs + 1000)
  assert.is(asServer.client.state, 'failed')
  assert.match(asServer.client.detail, /not signed/)
})

const typesIn = (datagram: Uint8Array) =>
  recordsOf(datagram).flatMap(record =>
    record.type === contentTypes.handshake && record.epoch === 0 ? fragmentsOf(record.fragment).map(it => it.type) : [],
  )

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

test('no answer: retransmitted with growing pauses, then given up', () => {
  const pair = new Pair()
  pair.pass = () => []
  pair.run(handshakeTimeoutMs + 1000)
  assert.equal(pair.states, both('failed'))
  assert.ok(pair.sent <= 14)
})

test('our certificate is self-signed, P-256, named by its fingerprint; MD5 names no certificate', () => {
  const certificate = new X509Certificate(ours.der)
  assert.ok(certificate.verify(certificate.publicKey))
  assert.is(certificate.fingerprint256, ours.fingerprint)
  assert.is(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.is(new Date(certificate.validFrom).getTime(), 1_800_000_000_000 - 86_400_000)
  assert.ok(isNamed(ours.der, [...named(unrelated), ...named(ours)]))
  assert.not(isNamed(ours.der, named(theirs)))
  assert.is(fingerprintOf(ours.der, 'md5'), undefined)
  assert.not(isNamed(ours.der, [{ algorithm: 'md5', value: '' }]))
  assert.not(isNamed(ours.der, []))
})

test('of several fingerprints only the strongest algorithm counts (RFC 8122 §5)', () => {
  const by = (algorithm: string, der: Uint8Array) => ({ algorithm, value: fingerprintOf(der, algorithm) ?? '' })
  const algorithms = ['sha-1', 'sha-224', 'sha-256', 'sha-384', 'sha-512']
  for (const [at, weak] of algorithms.entries()) {
    assert.ok(isNamed(ours.der, [by(weak, ours.der)]), weak)
    for (const strong of algorithms.slice(at + 1)) {
      assert.ok(isNamed(ours.der, [by(weak, theirs.der), by(strong, ours.der)]), `${strong} over ${weak}`)
      assert.not(isNamed(ours.der, [by(weak, ours.der), by(strong, theirs.der)]), `${weak} beside a wrong ${strong}`)
      assert.not(isNamed(ours.der, [by(strong, theirs.der), by(weak, ours.der)]), 'in any order')
    }
  }
  assert.ok(isNamed(ours.der, [by('sha-256', theirs.der), by('sha-256', ours.der)]), 'several certificates')
  assert.ok(isNamed(ours.der, [{ algorithm: 'md5', value: '00' }, by('sha-256', ours.der)]))
})

test.run()
