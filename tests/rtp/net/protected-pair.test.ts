import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { MediaKeys } from '../../../rtp/srtp/media-keys.ts'
import { type SrtpKeys, type SrtpProfile, srtpFacts } from '../../../rtp/srtp/profile.ts'
import { rejected, SrtpReceiver } from '../../../rtp/srtp/srtp-receiver.ts'
import { SrtpSender } from '../../../rtp/srtp/srtp-sender.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { agreed } from '../bed/agreement.ts'
import { frame, rtp } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { home } from '../bed/virtual-network.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'

// A trunk's leg whose packets are protected by keys in SDP, bridged to one in the clear.

const keysOf = (seed: number, profile: SrtpProfile = 'AES_CM_128_HMAC_SHA1_80'): SrtpKeys => {
  const random = seeded(seed)
  const bytes = (length: number) => Uint8Array.from({ length }, () => random() * 256)
  return { profile, key: bytes(srtpFacts[profile].keyLength), salt: bytes(srtpFacts[profile].saltLength) }
}
const pairOf = (profile?: SrtpProfile): MediaKeys => ({ local: keysOf(1, profile), remote: keysOf(2, profile) })

/** The remote of the protected leg. */
class SecurePeer {
  readonly media: VirtualMedia
  readonly port: number
  to = 0
  sender: SrtpSender
  receiver: SrtpReceiver
  sequence = 65_400
  timestamp = 0
  #seen = 0
  #reportsSeen = 0

  constructor(media: VirtualMedia, port: number, keys: MediaKeys) {
    this.media = media
    this.port = port
    this.sender = new SrtpSender(keys.remote)
    this.receiver = new SrtpReceiver(keys.local)
    media.do({ type: 'open', session: 's', keyed: true })
    this.to = media.take('opened').at(-1)?.port ?? 0
  }

  agree(keys: MediaKeys | undefined): void {
    const agreement = agreed(this.port)
    this.media.do({ type: 'agree', session: 's', agreement, talk: true, ...(keys === undefined ? {} : { keys }) })
  }

  say(payload: Uint8Array, { isLost = false, from = this.port, isPlain = false, payloadType = 0 } = {}): Uint8Array {
    const plain = rtp(payload, { sequence: this.sequence, timestamp: this.timestamp, ssrc: 77, payloadType })
    const packet = new Uint8Array(plain.length + 40)
    packet.set(plain)
    const length = isPlain ? plain.length : this.sender.sealRtp(packet, plain.length)
    const sent = packet.slice(0, length)
    if (!isLost) this.media.network.arrive(this.to, sent, home, from)
    this.sequence = (this.sequence + 1) & 0xffff
    this.timestamp += payload.length
    return sent
  }

  /** Payloads of the packets since the last time, opened; undefined for one that does not open. */
  received(port = this.port): (Uint8Array | undefined)[] {
    const sent = this.media.network.sent.filter(one => one.from === this.to && one.port === port)
    const from = this.#seen
    this.#seen = sent.length
    return sent.slice(from).map(({ bytes }) => {
      const packet = bytes.slice()
      const length = this.receiver.openRtp(packet, packet.length)
      return length === rejected ? undefined : packet.slice(12, length)
    })
  }

  /** Whether reports that came since the last time open. */
  reports(): boolean[] {
    const sent = this.media.network.sent.filter(one => one.from === this.to + 1)
    const from = this.#reportsSeen
    this.#reportsSeen = sent.length
    return sent.slice(from).map(({ bytes }) => {
      const packet = bytes.slice()
      return this.receiver.openRtcp(packet, packet.length) !== rejected
    })
  }
}

const calling = (keys: MediaKeys = pairOf(), media = new VirtualMedia()) => {
  const far = new SecurePeer(media, 4000, keys)
  const near = new VirtualPeer(media, 'n', 5000).open()
  far.agree(keys)
  media.do({ type: 'agree', session: 'n', agreement: agreed(5000), talk: true })
  media.do({ type: 'bridge', session: 's', other: 'n' })
  return { media, far, near }
}
const dropped = (media: VirtualMedia) => {
  media.run(5100)
  return media.reported.filter(({ session }) => session === 's').at(-1)?.stats.packetsDropped ?? 0
}
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

for (const profile of Object.keys(srtpFacts) as SrtpProfile[]) {
  test(`${profile}: both ways byte-exact, over losses and the wrap of the sequence number, reports too`, () => {
    const { media, far, near } = calling(pairOf(profile))
    const random = seeded(4)
    const said: Uint8Array[] = []
    const answered: Uint8Array[] = []
    for (let n = 0; n < 600; n++) {
      const isLost = random() < 0.1
      far.say(frame(n), { isLost })
      if (!isLost) said.push(frame(n))
      near.say(frame(n + 1000))
      answered.push(frame(n + 1000))
      media.run(20)
    }
    media.run(200)
    const near_ = near.received().map(({ payload }) => payload)
    const arrived = said.filter(payload => near_.some(other => same(other, payload)))
    assert.ok(arrived.length > said.length * 0.98, `${arrived.length} of ${said.length}`)
    const received = far.received()
    assert.ok(received.every(payload => payload !== undefined))
    const back = answered.filter(payload => received.some(other => other !== undefined && same(other, payload)))
    assert.ok(back.length > answered.length * 0.98, `${back.length} of ${answered.length}`)
    const reports = far.reports()
    assert.ok(reports.length > 0 && reports.every(opens => opens))
    assert.is(dropped(media), 0)
  })
}

test('plain, forged and replayed packets are dropped and counted, and their addresses are not learned', () => {
  const { media, far, near } = calling()
  const first = far.say(frame(0))
  media.run(20)
  for (let n = 1; n <= 20; n++) {
    far.say(frame(n), { isPlain: true })
    const forged = far.say(frame(n), { isLost: true })
    forged[30]! ^= 1
    // From the address that SDP names, and from another one, long enough to be learnt if it were real.
    media.network.arrive(far.to, forged, home, 4000)
    media.network.arrive(far.to, forged, home, 4444)
    media.network.arrive(far.to, first, home, 4444)
    media.run(400)
  }
  const received = near.received().map(({ payload }) => payload)
  for (let n = 1; n <= 20; n++)
    assert.not(
      received.some(payload => same(payload, frame(n))),
      String(n),
    )
  assert.is(far.received(4444).length, 0)
  assert.is(dropped(media), 80)
})

test('a source behind a NAT is learnt by packets that are authentic', () => {
  const { media, far } = calling()
  for (let n = 0; n < 400; n++) {
    far.say(frame(n), { from: 4444 })
    media.run(20)
  }
  assert.ok(far.received(4444).length > 50)
})

test('digits cross both ways, and ours go out protected', () => {
  const { media, far, near } = calling()
  /** One digit, its end reported three times (RFC 4733 §2.5.1.4). */
  const press = (digit: number, tell: (payload: Uint8Array) => void) => {
    for (const [duration, isEnd] of [
      [160, 0],
      [320, 0],
      [800, 1],
      [800, 1],
      [800, 1],
    ] as const) {
      tell(Uint8Array.of(digit, (isEnd << 7) | 10, duration >> 8, duration & 0xff))
      media.run(20)
    }
    media.run(200)
  }
  far.say(frame(0))
  near.say(frame(0))
  media.run(20)
  const { timestamp } = far
  press(5, payload => {
    far.timestamp = timestamp
    far.say(payload, { payloadType: 101 })
  })
  assert.equal(
    media.take('digit').map(({ session, digit }) => [session, digit]),
    [['s', '5']],
  )
  assert.ok(near.received().some(({ payloadType, payload }) => payloadType === 101 && payload[0] === 5))
  const at = near.timestamp
  press(7, payload => near.say(payload, { payloadType: 101, timestamp: at }))
  const isEvent = (digit: number) => (payload: Uint8Array | undefined) => payload?.length === 4 && payload[0] === digit
  const relayed = far.received()
  assert.ok(relayed.every(payload => payload !== undefined))
  assert.ok(relayed.some(isEvent(7)))
  media.do({ type: 'send-digits', session: 's', digitsId: 'd', digits: '9#' })
  media.run(1000)
  const sent = far.received()
  assert.ok(sent.every(payload => payload !== undefined))
  assert.ok(sent.some(isEvent(9)) && sent.some(isEvent(11)))
})

test('before an agreement, and with keys that are not those, nothing goes out and nothing comes in', () => {
  const media = new VirtualMedia()
  const keys = pairOf()
  const far = new SecurePeer(media, 4000, keys)
  for (let n = 0; n < 20; n++) {
    far.say(frame(n))
    media.run(20)
  }
  assert.is(media.network.sent.length, 0)
  far.agree({ ...keys, remote: keysOf(9) })
  for (let n = 0; n < 20; n++) {
    far.say(frame(n))
    media.run(20)
  }
  assert.ok(far.received().every(payload => payload !== undefined))
  assert.is(dropped(media), 20)
})

test('an agreement without a change, as of a hold, keeps streams; a new key of theirs is taken, counted on or again', () => {
  const { media, far, near } = calling()
  let n = 0
  const talk = (packets: number) => {
    for (const end = n + packets; n < end; n++) {
      far.say(frame(n))
      media.run(20)
    }
    media.run(100)
    const received = near.received().map(({ payload }) => payload)
    assert.ok(
      received.some(payload => same(payload, frame(n - 1))),
      `what came last of ${n}`,
    )
    assert.ok(far.received().every(payload => payload !== undefined))
  }
  talk(300)
  far.agree(pairOf())
  talk(20)
  const counted = { local: keysOf(1), remote: keysOf(12) }
  far.agree(counted)
  // As RFC 3711 §3.3.1 has it: the count of rollovers goes on, which it does in a sender that is led over the wrap.
  far.sender = new SrtpSender(counted.remote)
  const at = far.sequence
  for (const before of [65_000, 65_500, 10])
    far.sender.sealRtp(rtp(new Uint8Array(200), { sequence: before, ssrc: 77 }), 172)
  far.sequence = at
  talk(20)
  const renewed = { local: keysOf(1), remote: keysOf(13) }
  far.agree(renewed)
  far.sender = new SrtpSender(renewed.remote)
  talk(20)
})

test('plain packets, or another suite, in between: a key that is taken up again goes on where it was', () => {
  const { media, far } = calling()
  media.run(6000)
  assert.ok(far.received().every(payload => payload !== undefined))
  assert.ok(far.reports().every(opens => opens))
  far.agree(undefined)
  media.run(6000)
  const plain = far.received()
  assert.ok(plain.length > 0 && plain.every(payload => payload === undefined))
  far.reports()
  far.agree(pairOf())
  media.run(12_000)
  assert.ok(far.received().every(payload => payload !== undefined))
  const reports = far.reports()
  assert.ok(reports.length > 0 && reports.every(opens => opens), 'no index of SRTCP came twice')
})

test.run()
