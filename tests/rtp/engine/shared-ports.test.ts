import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatAddress, parseAddress } from '../../../rtp/address/address.ts'
import type { Agreement } from '../../../rtp/contract/agreement.ts'
import type { SharedOpening } from '../../../rtp/contract/command.ts'
import { agreed } from '../bed/agreement.ts'
import { fieldsOf, frame, rtp } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'

// Legs of trunks whose media comes from the address in SDP share ports.

const carrier = '203.0.113.5'
const timeoutMs = 3000

/** A remote at an address of the carrier's, and its session on a shared port. */
class Leg {
  readonly media: VirtualMedia
  readonly session: string
  readonly address: string
  readonly port: number
  to = 0
  sequence = 100

  constructor(media: VirtualMedia, session: string, port: number, address = carrier) {
    this.media = media
    this.session = session
    this.port = port
    this.address = address
  }

  get remote() {
    return { address: this.address, port: this.port, rtcpPort: this.port + 1 }
  }

  /** `known`: the remote made the offer. */
  open(known = true, sources?: SharedOpening['sources']): this {
    const shared = { ...(known ? { remote: this.remote } : {}), ...(sources === undefined ? {} : { sources }) }
    this.media.do({ type: 'open', session: this.session, shared })
    this.to = this.media.take('opened').at(-1)?.port ?? 0
    return this
  }

  agree(changes: Partial<Agreement> = {}, talk = false): this {
    const sources = { sip: '203.0.113.1', hosts: [] }
    const agreement = agreed(this.port, { remote: this.remote, sources, ...changes })
    this.media.do({ type: 'agree', session: this.session, agreement, talk })
    return this
  }

  /** Where the next offer or answer says that it is reached. */
  place(remote?: SharedOpening['remote']): number {
    this.media.do({ type: 'place', session: this.session, ...(remote === undefined ? {} : { remote }) })
    return this.media.take('placed').at(-1)?.port ?? 0
  }

  say(n: number, { port = this.port, address = this.address, to = this.to } = {}): void {
    const packet = rtp(frame(n), { sequence: this.sequence++, timestamp: 160 * n, ssrc: this.port })
    this.media.network.arrive(to, packet, parseAddress(address)!, port)
  }

  get received() {
    const { sent } = this.media.network
    return sent
      .filter(({ address, port }) => formatAddress(address) === this.address && port === this.port)
      .map(fieldsOf)
  }

  get packetsReceived(): number {
    return this.media.engine.dump([this.session], this.media.now)[0]?.stats.packetsReceived ?? -1
  }
}

const counters = (media: VirtualMedia) => media.engine.counters

test('legs share a pair of ports, and each gets its own packets', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  const b = new Leg(media, 'b', 4002).open(false).agree()
  const c = new Leg(media, 'c', 4000, '203.0.113.6').open().agree()
  assert.is(a.to, b.to)
  assert.is(a.to, c.to)
  assert.is(counters(media).onSharedPorts, 3)
  assert.is(counters(media).portsFree, 49, 'the legs use one pair of the range together')
  media.do({ type: 'bridge', session: 'a', other: 'b' })
  for (let n = 0; n < 10; n++) {
    a.say(n)
    b.say(100 + n)
    c.say(200 + n)
    media.run(20)
  }
  assert.equal(
    b.received.filter(({ payload }) => payload[1] === frame(0)[1]).map(({ payload }) => payload)[0],
    frame(0),
  )
  assert.is(a.packetsReceived, 10)
  assert.is(b.packetsReceived, 10)
  assert.is(c.packetsReceived, 10)
  assert.is(c.received.length, 0, 'nothing is sent to who is not bridged')
  assert.is(counters(media).unknownSources, 0)
})

test('a packet from elsewhere belongs to no leg: it is dropped, counted, and nothing is learned of it', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  // Another port of the same host, five times and more: on ports of its own it would be learned.
  for (let n = 0; n < 20; n++) {
    a.say(n, { port: 4010 })
    media.run(20)
  }
  assert.is(a.packetsReceived, 0)
  assert.is(counters(media).unknownSources, 20)
  assert.equal(media.take('source'), [])
  a.say(20)
  media.run(20)
  assert.is(a.packetsReceived, 1)
})

test('media before the answer to our offer is dropped: no table has its source yet', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open(false)
  a.say(0)
  media.run(20)
  assert.is(counters(media).unknownSources, 1)
  a.agree()
  a.say(1)
  media.run(20)
  assert.is(a.packetsReceived, 1)
})

test('reports go by the address and port for RTCP', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  const report = Uint8Array.from([0x80, 201, 0, 1, 0, 0, 0, 9])
  const to = (port: number) => media.network.arrive(a.to + 1, report, parseAddress(carrier)!, port)
  to(4001)
  media.run(20)
  assert.is(counters(media).unknownSources, 0)
  to(4003)
  to(4000)
  media.run(20)
  assert.is(counters(media).unknownSources, 2)
})

test('a remote that makes an offer from an address and port that another leg has gets a port of its own', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  const b = new Leg(media, 'b', 4000).open().agree()
  assert.is.not(a.to, b.to)
  assert.is(counters(media).onSharedPorts, 1)
  a.say(0)
  b.say(1)
  media.run(20)
  assert.is(a.packetsReceived, 1)
  assert.is(b.packetsReceived, 1)
})

test('an answer with an address and port that another leg has is reported; the next offer has a port of its own', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  a.say(-1)
  media.run(20)
  const b = new Leg(media, 'b', 4000).open(false).agree()
  assert.is(b.to, a.to)
  assert.equal(media.take('source-taken'), [{ type: 'source-taken', session: 'b', address: carrier, port: 4000 }])
  a.say(0)
  media.run(20)
  assert.is(a.packetsReceived, 2)
  assert.is(b.packetsReceived, 0)
  const moved = b.place(b.remote)
  assert.is.not(moved, b.to)
  b.to = moved
  b.agree()
  b.say(1)
  media.run(20)
  assert.is(b.packetsReceived, 1)
  assert.is(a.packetsReceived, 2)
  assert.equal(media.take('source-taken'), [])
})

test('a leg that has named the address of a call to come receives nothing of it', () => {
  const media = new VirtualMedia()
  const early = new Leg(media, 'early', 4000).open().agree()
  const b = new Leg(media, 'b', 4000).open(false).agree()
  assert.is(media.take('source-taken')[0]?.session, 'b')
  b.say(0)
  media.run(20)
  assert.is(early.packetsReceived, 0)
  assert.is(b.packetsReceived, 0)
  assert.is(counters(media).unknownSources, 1)
})

test('a remote that moves by a new offer is received from both addresses for two seconds', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  a.say(0)
  media.run(20)
  const there = { address: carrier, port: 5000, rtcpPort: 5001 }
  assert.is(a.place(there), a.to)
  a.agree({ remote: there })
  a.say(1)
  media.run(20)
  a.say(2, { port: 5000 })
  media.run(20)
  assert.is(a.packetsReceived, 3)
  media.run(2000)
  a.say(3)
  media.run(20)
  assert.is(counters(media).unknownSources, 1)
  a.say(4, { port: 5000 })
  media.run(20)
  assert.is(a.packetsReceived, 4)
})

test('an offer that names the address of another leg is answered with a port of its own', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  new Leg(media, 'b', 4002).open().agree()
  a.say(0)
  media.run(20)
  const port = a.place({ address: carrier, port: 4002, rtcpPort: 4003 })
  assert.is.not(port, a.to)
  a.agree({ remote: { address: carrier, port: 4002, rtcpPort: 4003 } })
  // On its way to where the leg was reached before.
  a.say(1)
  media.run(20)
  a.say(2, { port: 4002, to: port })
  media.run(20)
  assert.is(a.packetsReceived, 3)
  assert.is(counters(media).onSharedPorts, 1)
})

test('hold by 0.0.0.0 and the same address again leave the table as it is', () => {
  const media = new VirtualMedia({ timeoutMs })
  const a = new Leg(media, 'a', 4000).open().agree()
  a.agree({ remote: undefined, send: false, receive: false, onHold: true })
  media.run(5000)
  a.say(0)
  media.run(20)
  a.agree()
  a.say(1)
  media.run(20)
  assert.is(a.packetsReceived, 2)
  assert.is(counters(media).unknownSources, 0)
})

test('the entries of a leg that has ended stay for two seconds, and give way to another leg', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  const b = new Leg(media, 'b', 4002).open().agree()
  media.do({ type: 'close', session: 'a' })
  a.say(0)
  media.run(20)
  assert.is(counters(media).unknownSources, 0, 'what was on its way is drained')
  const again = new Leg(media, 'c', 4000).open().agree()
  assert.is(again.to, b.to)
  again.say(1)
  media.run(2100)
  assert.is(again.packetsReceived, 1)
  media.do({ type: 'close', session: 'c' })
  media.run(2100)
  a.say(2)
  media.run(20)
  assert.is(counters(media).unknownSources, 1)
})

test('a pair that no leg has used for two seconds goes back to the range', () => {
  const media = new VirtualMedia()
  new Leg(media, 'a', 4000).open().agree()
  media.do({ type: 'close', session: 'a' })
  media.run(1000)
  assert.not(media.engine.isIdle)
  assert.is(counters(media).portsFree, 49)
  media.run(1100)
  assert.ok(media.engine.isIdle)
  assert.is(counters(media).portsFree, 50)
  assert.is(media.network.sockets.size, 0)
})

test('another pair is opened when one is full; a used-up range lets legs share more', () => {
  const media = new VirtualMedia({ ports: [30_000, 30_003], legsPerSharedPair: 2 })
  const legs = Array.from({ length: 6 }, (_, n) => new Leg(media, `leg${n}`, 4000 + 2 * n).open().agree())
  assert.is(new Set(legs.map(({ to }) => to)).size, 2)
  assert.equal(media.take('failed'), [])
  assert.is(counters(media).portsFree, 0)
  assert.is(counters(media).onSharedPorts, 6)
  for (const [n, leg] of legs.entries()) leg.say(n)
  media.run(20)
  assert.equal(
    legs.map(leg => leg.packetsReceived),
    [1, 1, 1, 1, 1, 1],
  )
  // One that must have ports of its own finds none.
  media.do({ type: 'open', session: 'own' })
  assert.is(media.take('failed')[0]?.fault, 'no-ports')
  // An offer whose source is another's on every pair: neither can be had.
  new Leg(media, 'b', 4000).open()
  new Leg(media, 'c', 4000).open()
  assert.is(media.take('failed').length, 1)
})

test('a private address is shared only where SIP comes from it, or the operator lists it', () => {
  const media = new VirtualMedia()
  const shares = (address: string, sources?: SharedOpening['sources']) => {
    const before = counters(media).onSharedPorts
    new Leg(media, `${address}${JSON.stringify(sources)}`, 4000 + 2 * media.engine.counters.sessions, address).open(
      true,
      sources,
    )
    return counters(media).onSharedPorts > before
  }
  assert.ok(shares('203.0.113.7'))
  assert.not(shares('10.0.0.5'))
  assert.not(shares('10.0.0.5', { sip: '203.0.113.1', hosts: [] }))
  assert.ok(shares('10.0.0.5', { sip: '10.0.0.5', hosts: [] }))
  assert.ok(shares('10.0.0.6', { sip: '10.0.0.5', hosts: ['10.0.0.0/24'] }))
  assert.not(shares('0.0.0.0'))
})

test('keyed legs, and legs that were not asked to share, have ports of their own', () => {
  const media = new VirtualMedia()
  const remote = { address: carrier, port: 4000, rtcpPort: 4001 }
  media.do({ type: 'open', session: 'a', keyed: true, shared: { remote } })
  media.do({ type: 'open', session: 'b' })
  assert.is(counters(media).onSharedPorts, 0)
  const [a, b] = media.take('opened').map(({ port }) => port)
  assert.is.not(a, b)
  media.do({ type: 'place', session: 'b' })
  assert.is(media.take('placed')[0]?.port, b)
})

test('a leg whose remote sends from elsewhere times out, says why, and has its own port in its next offer', () => {
  const media = new VirtualMedia({ timeoutMs })
  const a = new Leg(media, 'a', 4000).open(false).agree({}, true)
  for (let n = 0; n < 200; n++) {
    a.say(n, { port: 4010 })
    media.run(20)
  }
  assert.equal(media.take('timeout'), [
    { type: 'timeout', session: 'a', awaited: { from: '203.0.113.5:4000', seen: '203.0.113.5:4010' } },
  ])
  const own = a.place()
  assert.is.not(own, a.to)
  a.to = own
  a.agree()
  for (let n = 0; n < 10; n++) {
    a.say(300 + n, { port: 4010 })
    media.run(20)
  }
  assert.is(media.take('source')[0]?.by, 'learned')
  assert.ok(a.packetsReceived > 5)
  assert.is(counters(media).onSharedPorts, 0)
  media.do({ type: 'close', session: 'a' })
  media.run(4200)
  assert.ok(media.engine.isIdle)
  assert.is(counters(media).portsFree, 50)
})

test('a silent leg without a packet from elsewhere says what was awaited', () => {
  const media = new VirtualMedia({ timeoutMs })
  new Leg(media, 'a', 4000).open().agree({}, true)
  // A packet of an unknown source explains nothing.
  media.network.arrive(30_000, rtp(frame(1)), parseAddress('198.51.100.9')!, 4000)
  media.run(4000)
  assert.equal(media.take('timeout')[0]?.awaited, { from: '203.0.113.5:4000', seen: undefined })
})

test('a leg that receives keeps its port through a later offer, and one on hold is not missed', () => {
  const media = new VirtualMedia()
  const a = new Leg(media, 'a', 4000).open().agree()
  a.say(0)
  media.run(5000)
  assert.is(a.place(), a.to)
  const b = new Leg(media, 'b', 4002).open().agree({ receive: false, onHold: true })
  media.run(5000)
  assert.is(b.place(), b.to)
})

test('frames that wait for the next tick are taken back when their leg ends, and no others', () => {
  const media = new VirtualMedia()
  media.network.isHeld = true
  const a = new Leg(media, 'a', 4000).open().agree()
  const b = new Leg(media, 'b', 4002).open().agree()
  media.prompts.set('p', { codec: 'PCMU', bytes: new Uint8Array(80_000) })
  for (const session of ['a', 'b'])
    media.do({ type: 'play', session, play: 'p', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(200)
  // Up to the tick that has made its next frame, which is held.
  const before = a.received.length
  while (media.engine.dump(['a'], media.now)[0]!.stats.packetsSent === before) media.run(5)
  media.do({ type: 'close', session: 'a' })
  media.run(100)
  assert.is(a.received.filter(({ payloadType }) => payloadType === 0).length, before)
  assert.ok(b.received.length > before)
  assert.is(media.take('closed')[0]?.stats.packetsSent, before)
})

test.run()
