import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DtlsAssociation, handshakeTimeoutMs } from '../../rtp/dtls/association.ts'
import { handshakeMessage, handshakeTypes } from '../../rtp/dtls/handshake-message.ts'
import { writeClientHello } from '../../rtp/dtls/hello.ts'
import { contentTypes, recordsOf, writeRecord } from '../../rtp/dtls/record.ts'
import { concat, sameSecret, uint, vector } from '../../rtp/dtls/wire.ts'
import { ScriptedPair } from '../dtls/scripted-peer.ts'
import { named, ours, theirs } from './dtls-pair.ts'

// What may come beside and after a handshake: replays, other epochs, alerts, another handshake, floods.

const roles = ['client', 'server'] as const
const { alert, applicationData, handshake, changeCipherSpec } = contentTypes
const noRenegotiation = '1 100'
const closeNotify = '1 0'

for (const role of roles) {
  const connected = () => {
    const pair = new ScriptedPair({ role }).run()
    assert.is(pair.ours.state, 'connected')
    return pair
  }

  test(`with a ${role}: a record counts once, whatever its sequence number (RFC 6347 §4.1.2.6)`, () => {
    const pair = connected()
    const sealed = pair.send(applicationData, 1, Uint8Array.of(1, 2, 3))
    assert.is(pair.ours.refused, 0)
    for (let i = 0; i < 5; i++) pair.deliver(sealed)
    assert.is(pair.ours.refused, 5)
    // The same content under another number, epoch or length is not authentic.
    const [record] = recordsOf(sealed)
    assert.ok(record)
    for (const sequence of [record.sequence + 1, record.sequence + 2 ** 40, 0])
      pair.deliver(writeRecord(applicationData, 1, sequence, record.fragment))
    pair.deliver(writeRecord(alert, 1, record.sequence + 1, record.fragment))
    pair.deliver(writeRecord(applicationData, 1, record.sequence + 3, record.fragment.subarray(0, 20)))
    assert.is(pair.ours.refused, 10)
    pair.deliver(writeRecord(applicationData, 2, 0, record.fragment))
    pair.deliver(writeRecord(applicationData, 0xffff, 0, record.fragment))
    assert.is(pair.ours.state, 'connected')
  })

  test(`with a ${role}: alerts in clear change nothing, sealed ones end it, and close_notify is answered`, () => {
    const pair = connected()
    for (const description of [0, 10, 20, 40, 42, 70, 80, 90, 255])
      for (const level of [1, 2]) pair.send(alert, 0, Uint8Array.of(level, description))
    pair.send(changeCipherSpec, 0, Uint8Array.of(1))
    pair.send(alert, 1, Uint8Array.of(1, 90))
    pair.send(alert, 1, new Uint8Array(0))
    pair.run(50)
    assert.is(pair.ours.state, 'connected')
    assert.equal(pair.alerts, [])
    pair.send(alert, 1, Uint8Array.of(1, 0))
    pair.run(50)
    assert.is(pair.ours.state, 'closed')
    assert.is(pair.ours.keys, undefined)
    assert.equal(pair.alerts, [closeNotify])
    const fatal = connected()
    fatal.send(alert, 1, Uint8Array.of(2, 80))
    fatal.run(50)
    assert.is(fatal.ours.state, 'closed')
    assert.equal(fatal.alerts, [])
  })

  test(`with a ${role}: another handshake is refused by no_renegotiation, and nothing of it is kept`, () => {
    const pair = connected()
    const hello = writeClientHello(new Uint8Array(randomBytes(32)), new Uint8Array(0), ['AES_CM_128_HMAC_SHA1_80'])
    const { keys } = pair.ours
    for (let i = 0; i < 20; i++) {
      for (const [type, body] of [
        [handshakeTypes.helloRequest, new Uint8Array(0)],
        [handshakeTypes.clientHello, hello],
        [handshakeTypes.certificate, new Uint8Array(8000)],
      ] as const) {
        const { whole } = handshakeMessage(type, 20 + i, body)
        pair.send(handshake, 1, whole)
        pair.send(handshake, 0, whole)
      }
      pair.run(20)
    }
    assert.is(pair.ours.state, 'connected')
    assert.equal(pair.ours.keys, keys)
    const answers = new Set(pair.alerts)
    assert.equal([...answers], [noRenegotiation])
    assert.ok(pair.alerts.length >= 2 && pair.alerts.length <= 10, 'not one for each')
  })

  test(`with a ${role}: application data and other types are ignored, and a datagram of rubbish ends at the rubbish`, () => {
    const pair = connected()
    for (const type of [0, 23, 24, 25, 255]) pair.send(type, 1, new Uint8Array(5000))
    for (let i = 0; i < 200; i++) pair.deliver(new Uint8Array(randomBytes(1 + i)))
    pair.deliver(writeRecord(handshake, 1, 2 ** 47, new Uint8Array(16_384 + 256)))
    pair.deliver(concat(uint(22, 1), uint(0xfefd, 2), uint(0, 4), uint(0, 4), uint(0xffff, 2), new Uint8Array(40)))
    assert.is(pair.ours.state, 'connected')
  })
}

const usual = {
  certificate: ours,
  fingerprints: named(theirs),
  profiles: ['AES_CM_128_HMAC_SHA1_80'] as const,
  randomBytes,
}

test('a server that asks for cookies without end is not followed', () => {
  let sent = 0
  const client = new DtlsAssociation({ ...usual, role: 'client', send: () => sent++ }, 0)
  client.start(0)
  for (let i = 0; i < 200; i++) {
    const body = concat(uint(0xfefd, 2), vector(1, new Uint8Array(255)))
    const { whole } = handshakeMessage(handshakeTypes.helloVerifyRequest, i, body)
    const datagram = writeRecord(handshake, 0, i, whole)
    client.receive(datagram, datagram.length, i)
  }
  assert.ok(sent <= 4, String(sent))
  assert.match(client.detail, /cookie/)
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const helloBody = (cookie = new Uint8Array(0)) =>
  writeClientHello(new Uint8Array(randomBytes(32)), cookie, ['AES_CM_128_HMAC_SHA1_80'])

test('who has not brought its cookie is sent less than it has sent (RFC 6347 §4.2.1)', () => {
  let [received, sent] = [0, 0]
  const server = new DtlsAssociation(
    {
      ...usual,
      role: 'server',
      demandsCookie: () => true,
      send: datagram => {
        sent += datagram.length
      },
    },
    0,
  )
  for (let i = 0; i < 4_000; i++) {
    const datagram = writeRecord(handshake, 0, i, handshakeMessage(handshakeTypes.clientHello, 0, helloBody()).whole)
    received += datagram.length
    server.receive(datagram, datagram.length, i / 20)
    server.tick(i / 20)
  }
  assert.ok(sent < received / 2, `${sent} bytes for ${received}`)
  assert.is(server.state, 'handshaking')
})

test('a flood of hellos, and of beginnings of messages that never end, holds no more than one handshake does', () => {
  let sent = 0
  const server = new DtlsAssociation(
    {
      ...usual,
      role: 'server',
      send: datagram => {
        sent += datagram.length
      },
    },
    0,
  )
  let received = 0
  const flood = (rounds: number) => {
    for (let i = 0; i < rounds; i++) {
      const hello = handshakeMessage(handshakeTypes.clientHello, i % 2, helloBody()).whole
      // 16 kB announced, one byte there.
      const start = concat(uint(11, 1), uint(16_384, 3), uint(i % 65_536, 2), uint(0, 3), vector(3, uint(1, 1)))
      for (const content of [hello, start]) {
        const datagram = writeRecord(handshake, 0, i, content)
        received += datagram.length
        server.receive(datagram, datagram.length, 1)
      }
    }
  }
  flood(500)
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  flood(4_000)
  collectGarbage()
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 4_000_000, `${grown} bytes`)
  assert.ok(sent < received / 100, `${sent} bytes for ${received}`)
})

test('a hello that is never followed is answered some dozen times in all', () => {
  let [datagrams, sent] = [0, 0]
  const server = new DtlsAssociation(
    {
      ...usual,
      role: 'server',
      send: datagram => {
        datagrams++
        sent += datagram.length
      },
    },
    0,
  )
  const datagram = writeRecord(handshake, 0, 0, handshakeMessage(handshakeTypes.clientHello, 0, helloBody()).whole)
  server.receive(datagram, datagram.length, 0)
  for (let now = 0; now <= handshakeTimeoutMs + 1000; now += 10) server.tick(now)
  assert.is(server.state, 'failed')
  assert.ok(datagrams <= 14, String(datagrams))
  assert.ok(sent < 14 * 1200)
})

test('secrets are compared in constant time: by timingSafeEqual, and nowhere else', () => {
  const from = Uint8Array.from({ length: 12 }, (_, i) => i)
  assert.ok(sameSecret(from, from.slice()))
  assert.not(sameSecret(from, from.subarray(1)))
  for (let i = 0; i < 12; i++) {
    const other = from.slice()
    other[i]! ^= 128
    assert.not(sameSecret(from, other))
  }
  assert.match(sameSecret.toString(), /timingSafeEqual\(a, b\)/)
})

test.run()
