import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { iceTimeoutMs, type LinkFault, quietMs } from '../../../rtp/browser/browser-link.ts'
import { DtlsAssociation, handshakeTimeoutMs } from '../../../rtp/dtls/association.ts'
import { handshakeMessage, handshakeTypes } from '../../../rtp/dtls/handshake-message.ts'
import { writeClientHello } from '../../../rtp/dtls/hello.ts'
import { writeRecord } from '../../../rtp/dtls/record.ts'
import { consentMs } from '../../../rtp/ice/lite-agent.ts'
import type { DatagramSocket } from '../../../rtp/net/network.ts'
import { SrtpReceiver } from '../../../rtp/srtp/srtp-receiver.ts'
import { SrtpSender } from '../../../rtp/srtp/srtp-sender.ts'
import { rtp } from '../bed/rtp-packet.ts'
import { Bed, credentials, ours, terms, theirs } from './browser-link-bed.ts'

test('checks, handshake, keys: the session receives plain packets, and its own leave protected on the nominated path', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  let secure = 0
  link.onSecure = () => secure++
  bed.port.agree(link, terms, bed.now)
  bed.connect()
  assert.is(secure, 1)
  assert.ok(link.isSecure)
  assert.is(link.dtlsState, 'connected')
  assert.match(link.suite ?? '', /^AE/)
  const keys = bed.browser?.keys
  assert.ok(keys)
  const received: Uint8Array[] = []
  link.rtp.receiver = (packet, length) => received.push(packet.slice(0, length))
  const plain = rtp(new Uint8Array(160).fill(3), { sequence: 5 })
  const packet = new Uint8Array(400)
  packet.set(plain)
  const sealed = packet.slice(0, new SrtpSender(keys.local).sealRtp(packet, plain.length))
  bed.arrive(sealed)
  bed.arrive(sealed)
  bed.arrive(sealed, 4001)
  bed.arrive(rtp(new Uint8Array(160)))
  bed.run(5)
  assert.equal(received, [plain])
  const { srtpReplayed, srtpForged, strayDropped } = bed.port.counters
  assert.equal([srtpReplayed, srtpForged, strayDropped], [1, 1, 1])
  bed.check(5000)
  bed.run(5)
  const slot = bed.network.slot()
  slot.set(plain)
  link.rtp.send(slot, plain.length)
  // A packet without room after it, as another socket may have received it.
  link.rtp.send(rtp(new Uint8Array(160), { sequence: 6 }), plain.length)
  bed.network.flush()
  const receiver = new SrtpReceiver(keys.remote)
  for (const { bytes, port } of bed.network.sent.slice(-2)) {
    assert.is(port, 5000)
    assert.is(receiver.openRtp(bytes, bytes.length), plain.length)
  }
})

test('a browser that shows neither consent nor media is reported as quiet, and again (RFC 7675 §5.1)', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  let quiet = 0
  link.onQuiet = () => quiet++
  bed.port.agree(link, terms, bed.now)
  bed.run(quietMs * 2)
  assert.is(quiet, 0, 'not before it has come')
  bed.connect()
  for (let second = 0; second < 60; second += 5) {
    bed.check()
    bed.run(5_000)
  }
  assert.is(quiet, 0)
  bed.run(quietMs - 5_000 + 50)
  assert.is(quiet, 1)
  bed.run(quietMs - 100)
  assert.is(quiet, 1)
  bed.run(100)
  assert.is(quiet, 2)
  bed.check()
  bed.run(quietMs - 50)
  assert.is(quiet, 2, 'it is back')
  // Media is a sign of life as well, while its path has consent.
  bed.check()
  const keys = bed.browser?.keys
  assert.ok(keys)
  const sender = new SrtpSender(keys.local)
  for (let at = 0; at < 2; at++) {
    const packet = new Uint8Array(400)
    const plain = rtp(new Uint8Array(160), { sequence: at + 1 })
    packet.set(plain)
    bed.arrive(packet.slice(0, sender.sealRtp(packet, plain.length)))
    bed.run(10_000)
  }
  assert.is(quiet, 2)
})

test('a fault of ours in one link is reported for that link, and the others go on', () => {
  const bed = new Bed()
  const faults: LinkFault[] = []
  const broken = bed.port.open({ ...credentials, ufrag: 'broken' })
  broken.onFault = fault => faults.push(fault)
  const fail = (): never => {
    throw new Error('a fault of ours')
  }
  broken.agent.handle = fail
  broken.agent.expire = fail
  const link = bed.port.open(credentials)
  bed.port.agree(link, terms, bed.now)
  bed.check(4001, 'broken:them')
  bed.connect()
  assert.ok(link.isSecure)
  assert.ok(faults.length > 1)
  assert.equal(new Set(faults), new Set(['internal']))
})

test('no handshake before a valid check from that very address', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  bed.port.agree(link, terms, bed.now)
  const hello = new DtlsAssociation(
    {
      role: 'client',
      certificate: theirs,
      fingerprints: [],
      profiles: ['AES_CM_128_HMAC_SHA1_80'],
      randomBytes,
      send: datagram => {
        for (let i = 0; i < 50; i++) bed.arrive(datagram, 6000 + i)
      },
    },
    bed.now,
  )
  hello.start(bed.now)
  bed.check(6000, 'ourUfrag:another')
  bed.run(50)
  assert.is(bed.network.sent.length, 0)
  assert.is(bed.port.counters.strayDropped, 50)
  bed.check(4000)
  bed.run(5)
  hello.start(bed.now)
  bed.run(20)
  assert.is(bed.network.sent.length, 1, 'only the check was answered')
})

test('a hello that comes before the answer to our offer is not lost: the remote says it again only after a second', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  bed.connect()
  assert.not(link.isSecure)
  assert.is(bed.browser?.state, 'handshaking')
  bed.port.agree(link, terms, bed.now)
  bed.run(50)
  assert.ok(link.isSecure)
  // What was kept is used once: a second handshake begins with a hello of its own.
  bed.port.agree(link, { ...terms, fingerprints: [{ algorithm: 'sha-256', value: ours.fingerprint }] }, bed.now)
  const { dtlsConnected } = bed.port.counters
  bed.run(100)
  assert.is(bed.port.counters.dtlsConnected, dtlsConnected)
})

test('a tick takes so many handshakes of one remote, and so many in all', () => {
  const bed = new Bed()
  const links = Array.from({ length: 6 }, (_, i) => bed.port.open({ ...credentials, ufrag: `our${i}` }))
  links.forEach((link, i) => {
    bed.port.agree(link, { ...terms, local: { ...credentials, ufrag: `our${i}` } }, bed.now)
    bed.check(4000 + i, `our${i}:them`)
  })
  bed.run(5)
  const junk = (count: number, port: number) => {
    for (let i = 0; i < count; i++) bed.arrive(Uint8Array.of(22, 254, 253, 0, 0, 0, 0, 0, 0, 0, i, 0, 0), port)
  }
  junk(100, 4000)
  bed.run(5)
  assert.is(bed.port.counters.dtlsBusy, 92)
  // The others' wait for the next ticks, and are not lost.
  for (let i = 0; i < links.length; i++) junk(8, 4000 + i)
  bed.run(15)
  assert.is(bed.port.counters.dtlsBusy, 92)
  junk(8, 4000)
  junk(8, 4005)
  bed.run(5)
  assert.is(bed.port.counters.dtlsBusy, 92)
  for (let round = 0; round < 200; round++) for (let i = 0; i < links.length; i++) junk(8, 4000 + i)
  bed.run(5)
  assert.is(bed.port.counters.dtlsBusy, 92 + 199 * 48)
})

test('twenty remotes that begin together complete their handshakes together: none has to retransmit', () => {
  const bed = new Bed()
  const browsers = Array.from({ length: 20 }, (_, i) => {
    const local = { ...credentials, ufrag: `our${i}` }
    bed.port.agree(bed.port.open(local), { ...terms, local }, bed.now)
    bed.check(4000 + i, `our${i}:them`)
    let sent = 0
    const send = (datagram: Uint8Array) => {
      sent++
      bed.arrive(datagram, 4000 + i)
    }
    const fingerprints = [{ algorithm: 'sha-256', value: ours.fingerprint }]
    const profiles = ['AES_CM_128_HMAC_SHA1_80'] as const
    const browser = new DtlsAssociation(
      { role: 'client', certificate: theirs, fingerprints, profiles, randomBytes, send },
      bed.now,
    )
    return { browser, sent: () => sent }
  })
  bed.run(5)
  for (const { browser } of browsers) browser.start(bed.now)
  bed.toOthers = (port, bytes) => browsers[port - 4000]?.browser.receive(bytes, bytes.length, bed.now)
  bed.run(60)
  assert.ok(browsers.every(({ browser }) => browser.state === 'connected'))
  assert.is(bed.port.counters.dtlsBusy, 0)
  assert.ok(browsers.every(({ sent }) => sent() === browsers[0]?.sent()))
})

test('while unknown sources send hellos, a new handshake must prove its address by cookie; afterwards none has to', () => {
  const bed = new Bed()
  const isAsked = (port: number): boolean => {
    const before = bed.network.sent.length
    const hello = writeClientHello(new Uint8Array(32), new Uint8Array(0), ['AES_CM_128_HMAC_SHA1_80'])
    const { whole } = handshakeMessage(handshakeTypes.clientHello, 0, hello)
    bed.arrive(writeRecord(22, 0, 0, whole), port)
    bed.run(5)
    const [answer] = bed.network.sent.slice(before).filter(sent => sent.port === port)
    return answer?.bytes[13] === handshakeTypes.helloVerifyRequest
  }
  const open = (name: string, port: number) => {
    const local = { ...credentials, ufrag: name }
    bed.port.agree(bed.port.open(local), { ...terms, local }, bed.now)
    bed.check(port, `${name}:them`)
    bed.run(5)
  }
  open('calm', 4000)
  assert.not(isAsked(4000))
  for (let i = 0; i < 50; i++) bed.arrive(Uint8Array.of(22, 254, 253, 0, 0, 0, 0, 0, 0, 0, i, 0, 0), 7000 + i)
  open('knocked', 4001)
  assert.ok(isAsked(4001))
  bed.run(2100)
  open('after', 4002)
  assert.not(isAsked(4002))
})

test('no packet: a fault of ICE; a peer without the key: a fault of DTLS; each reported once', () => {
  for (const comes of [false, true]) {
    const bed = new Bed()
    const link = bed.port.open(credentials)
    const faults: LinkFault[] = []
    link.onFault = fault => faults.push(fault)
    bed.port.agree(link, { ...terms, fingerprints: [{ algorithm: 'sha-256', value: ours.fingerprint }] }, bed.now)
    if (comes) bed.connect()
    bed.run((comes ? handshakeTimeoutMs : iceTimeoutMs) + 1000)
    assert.equal(faults, [comes ? 'dtls' : 'ice'])
    assert.not(link.isSecure)
  }
})

test('after the consent has run out nothing is sent; the next check brings it back', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  bed.port.agree(link, terms, bed.now)
  bed.connect()
  bed.run(consentMs + 100)
  const before = bed.network.sent.length
  const say = (sequence: number) => {
    link.rtp.send(rtp(new Uint8Array(160), { sequence }), 172)
    bed.network.flush()
  }
  say(1)
  assert.is(bed.network.sent.length, before)
  bed.check(4002)
  bed.run(5)
  say(2)
  assert.is(bed.network.sent.at(-1)?.port, 4002)
})

test('bound to two addresses: a check is answered from the one that it asked, media leaves from the nominated one', () => {
  const bed = new Bed()
  let second: DatagramSocket | undefined
  // Addresses of the virtual network are ports.
  bed.network.bind(30_002, bound => {
    second = bound
  })
  assert.ok(second)
  bed.port.listen(second)
  const link = bed.port.open(credentials)
  bed.port.agree(link, terms, bed.now)
  bed.connect()
  bed.check(4000, 'ourUfrag:them', false, 30_002)
  bed.run(5)
  assert.is(bed.network.sent.at(-1)?.from, 30_002)
  const say = (sequence: number) => {
    link.rtp.send(rtp(new Uint8Array(160), { sequence }), 172)
    bed.network.flush()
    return bed.network.sent.at(-1)?.from
  }
  assert.is(say(1), 30_000)
  bed.check(4000, 'ourUfrag:them', true, 30_002)
  bed.run(5)
  assert.is(say(2), 30_002)
  // The first pair loses its consent; the remote's address is still accepted, since the other pair keeps it.
  for (let passed = 0; passed < consentMs + 5000; passed += 5000) {
    bed.check(4000, 'ourUfrag:them', true, 30_002)
    bed.run(5000)
  }
  const { strayDropped, srtpForged } = bed.port.counters
  bed.arrive(rtp(new Uint8Array(160)))
  bed.run(5)
  assert.equal([bed.port.counters.strayDropped, bed.port.counters.srtpForged], [strayDropped, srtpForged + 1])
})

test('an address is the link’s whose remote shows that it is there: a forged check for another link takes nothing', () => {
  const bed = new Bed()
  const victim = bed.port.open(credentials)
  bed.port.agree(victim, terms, bed.now)
  bed.connect()
  const received: Uint8Array[] = []
  victim.rtp.receiver = (packet, length) => received.push(packet.slice(0, length))
  const other = bed.port.open({ ...credentials, ufrag: 'otherName' })
  bed.port.agree(other, { ...terms, local: { ...credentials, ufrag: 'otherName' } }, bed.now)
  bed.check(4000, 'otherName:them')
  bed.run(5)
  const { keys } = bed.browser!
  const packet = new Uint8Array(400)
  const plain = rtp(new Uint8Array(160), { sequence: 5 })
  packet.set(plain)
  bed.arrive(packet.slice(0, new SrtpSender(keys!.local).sealRtp(packet, plain.length)))
  bed.run(5)
  assert.is(received.length, 1)
  // A remote that has gone shows nothing: the browser that has its address now is heard.
  bed.run(6000)
  bed.check(4000, 'otherName:them')
  bed.run(5)
  packet.set(rtp(new Uint8Array(160), { sequence: 6 }))
  bed.arrive(packet.slice(0, new SrtpSender(keys!.local).sealRtp(packet, plain.length)))
  bed.run(5)
  assert.is(received.length, 1, 'it is the other link’s now')
})

test('restart after restart without a check: names of runs that are over are forgotten', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  for (let run = 0; run < 50; run++) {
    bed.port.agree(link, { ...terms, local: { ...credentials, ufrag: `run${run}` } }, bed.now)
  }
  assert.equal([...link.names], ['run48', 'run49'])
  for (const [name, isKnown] of [
    ['ourUfrag', false],
    ['run47', false],
    ['run49', true],
  ] as const) {
    const { iceChecks } = bed.port.counters
    bed.check(4000, `${name}:them`)
    bed.run(5)
    assert.is(bed.port.counters.iceChecks > iceChecks, isKnown, name)
  }
})

test('a closed link reports nothing more, and its names and addresses are free', () => {
  const bed = new Bed()
  const link = bed.port.open(credentials)
  bed.port.agree(link, terms, bed.now)
  bed.connect()
  bed.port.close(link)
  bed.network.flush()
  assert.is(bed.port.counters.links, 0)
  const { strayDropped, iceDropped } = bed.port.counters
  bed.check()
  bed.arrive(rtp(new Uint8Array(160)))
  bed.run(5)
  assert.is(bed.port.counters.strayDropped, strayDropped + 1)
  assert.is(bed.port.counters.iceDropped, iceDropped + 1)
})

test.run()
