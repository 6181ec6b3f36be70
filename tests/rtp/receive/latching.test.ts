import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Agreement } from '../../../rtp/contract/agreement.ts'
import { unansweredMediaMs } from '../../../rtp/receive/reflection-guard.ts'
import { packetsToLearn } from '../../../rtp/receive/symmetric-rtp.ts'
import { parseRtcp } from '../../../rtp/rtcp/parse.ts'
import { inputs } from '../../fixtures/inputs.ts'
import { agreed } from '../bed/agreement.ts'
import { frame } from '../bed/rtp-packet.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { home } from '../bed/virtual-network.ts'
import { bridged, VirtualPeer } from '../bed/virtual-peer.ts'

const other = (10 << 24) | 9
/** SDP names an address that SIP does not come from. */
const fromElsewhere = (port: number, changes: Partial<Agreement> = {}) =>
  agreed(port, { sources: { sip: '198.51.100.1', hosts: [] }, ...changes })
/** An empty receiver report. */
const reportOf = (ssrc: number) => {
  const packet = new Uint8Array(8)
  packet.set([0x80, 201, 0, 1])
  new DataView(packet.buffer).setUint32(4, ssrc)
  return packet
}

test('our packets follow a remote behind a NAT to the source of its packets', () => {
  const { media, a, b } = bridged()
  let n = 0
  media.run(500, now => {
    if (now % 20 === 0) a.say(frame(n++), {}, 4444)
  })
  assert.ok(a.received(4444).length >= 15)
  const last = media.network.sent.filter(sent => sent.from === a.to).at(-1)!
  assert.is(last.port, 4444)
  const received = b.received().filter(packet => packet.payload.some(byte => byte !== 0xff))
  assert.equal(
    received.map(packet => [...packet.payload]),
    Array.from({ length: n }, (_, i) => [...frame(i)]),
    'with the packets that it sent as a candidate',
  )
})

test('packets of an intruder are neither played nor answered', () => {
  const { media, a, b } = bridged()
  let n = 0
  media.run(2000, now => {
    if (now % 20 !== 0) return
    a.say(frame(n++))
    media.network.arrive(
      a.to,
      Uint8Array.from([0x80, 0, 0, n, 0, 0, 0, 0, 6, 6, 6, 6, ...new Uint8Array(160).fill(0x66)]),
      other,
      666,
    )
  })
  assert.is(media.network.sent.filter(sent => sent.address === other).length, 0)
  assert.is(b.received().filter(packet => packet.payload.every(byte => byte === 0x66)).length, 0)
  media.do({ type: 'close', session: 'a' })
  assert.is(media.take('closed')[0]!.stats.packetsDropped, n)
})

test('a third party named in SDP gets five seconds of media, and reports within them', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: fromElsewhere(4000), talk: true })
  media.run(60_000)
  const before = a.received().length
  assert.ok(before <= unansweredMediaMs / 20 && before >= unansweredMediaMs / 20 - 50, `${before}`)
  assert.is(media.network.sent.filter(sent => sent.at > 8000).length, 0, 'nor reports')
  assert.ok(media.reported.at(-1)!.stats.source.withheld > 1000)
  a.say(frame(1))
  media.run(1000)
  assert.ok(a.received().length >= before + 49, 'it answers after all')
})

test('offer after offer, address after address: third parties share the same five seconds', () => {
  const media = new VirtualMedia()
  new VirtualPeer(media, 'a', 4000).open()
  for (let n = 0; n < 40; n++) {
    const remote = { address: `192.0.2.${n}`, port: 4000, rtcpPort: 4001 }
    media.do({ type: 'agree', session: 'a', agreement: fromElsewhere(4000, { remote }), talk: true })
    media.run(1000)
  }
  const sent = media.network.sent.length
  assert.ok(sent > 0 && sent <= unansweredMediaMs / 20, `${sent}`)
})

test('media received from an address is remembered while others are named', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  const agree = (agreement: Agreement) => media.do({ type: 'agree', session: 'a', agreement, talk: true })
  agree(fromElsewhere(4000))
  a.say(frame(1))
  media.run(100)
  agree(fromElsewhere(4000, { remote: { address: '192.0.2.1', port: 4000, rtcpPort: 4001 } }))
  media.run(30_000)
  agree(fromElsewhere(4000))
  const before = a.received().length
  media.run(10_000)
  assert.ok(a.received().length >= before + 499)
})

test('a report is an answer: a peer that only listens goes on to be sent to', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: fromElsewhere(4000, { receive: false }), talk: true })
  media.run(2000)
  media.network.arrive(a.to + 1, reportOf(1), home, 4001)
  media.run(30_000)
  assert.ok(a.received().length >= 1590)
})

test('the SIP peer itself, and a host that the operator lists, need not answer', () => {
  for (const sources of [
    { sip: '127.0.0.1', hosts: [] },
    { sip: undefined, hosts: ['127.0.0.0/28'] },
  ]) {
    const media = new VirtualMedia()
    const a = new VirtualPeer(media, 'a', 4000).open()
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { sources, receive: false }), talk: true })
    media.run(120_000)
    assert.ok(a.received().length >= 5990)
  }
})

test('a relay to a third party stops like our own packets do', () => {
  const { media, a, b } = bridged({}, { sources: { sip: undefined, hosts: [] } })
  let n = 0
  media.run(30_000, now => {
    if (now % 20 === 0) a.say(frame(n++))
  })
  const received = b.received().length
  assert.ok(received >= 200 && received <= unansweredMediaMs / 20, `${received}`)
})

const forged = (sequence: number, ssrc = 0x06060606) => {
  const packet = new Uint8Array(172).fill(0x66)
  packet.set([0x80, 0, sequence >> 8, sequence & 255, 0, 0, sequence >> 3, (sequence * 160) & 255])
  new DataView(packet.buffer).setUint32(8, ssrc)
  return packet
}
const isForged = (packet: { readonly payload: Uint8Array }) => packet.payload.every(byte => byte === 0x66)

for (const [what, gap] of [
  ['that was never received from', 'never'],
  ['that has fallen silent', 'after'],
  ['that is on hold', 'hold'],
] as const) {
  test(`nothing of an attacker is relayed over a bridge, and nothing sent to it, beside a peer ${what}`, () => {
    const { media, a, b } = bridged()
    let n = 0
    if (gap !== 'never')
      media.run(1000, now => {
        if (now % 20 === 0) a.say(frame(n++))
      })
    if (gap === 'hold')
      media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { send: false, onHold: true }), talk: false })
    let sequence = a.sequence
    media.run(20_000, now => {
      if (now % 20 !== 0) return
      media.network.arrive(a.to, forged(sequence & 0xffff, a.ssrc), other, 666)
      media.network.arrive(a.to + 1, reportOf(a.ssrc), other, 667)
      sequence++
    })
    assert.is(b.received().filter(isForged).length, 0)
    assert.is(media.network.sent.filter(sent => sent.address === other).length, 0)
    assert.equal(media.take('source'), [])
    if (gap === 'hold') return
    a.say(frame(9))
    media.run(200)
    assert.ok(b.received().some(packet => packet.payload[0] === frame(9)[0] && !isForged(packet)))
  })
}

test('a source that is learned is reported, once, with where it is; so is the return to the signalled address', () => {
  const { media, a } = bridged()
  for (let n = 0; n < packetsToLearn - 1; n++) a.say(frame(n), {}, 4444)
  media.run(20)
  assert.equal(media.take('source'), [])
  for (let n = 0; n < 50; n++) a.say(frame(n), {}, 4444)
  media.run(5000)
  assert.equal(media.take('source'), [
    { type: 'source', session: 'a', by: 'learned', address: '127.0.0.1', port: 4444 },
  ])
  a.say(frame(1), {}, 4000)
  media.run(5000)
  assert.equal(media.take('source'), [
    { type: 'source', session: 'a', by: 'returned', address: '127.0.0.1', port: 4000 },
  ])
  const { source } = media.reported.filter(({ session }) => session === 'a').at(-1)!.stats
  assert.equal([source.address, source.state, source.changes], ['127.0.0.1:4000', 'confirmed', 2])
})

test('RTCP is accepted from the source of media only, and does not move the address of ours', () => {
  const { media, a } = bridged()
  for (let n = 0; n < 20; n++) a.say(frame(n), {}, 4444)
  media.run(20)
  media.network.sent.length = 0
  // The learned host, another SSRC than its stream: another phone behind the same NAT.
  media.network.arrive(a.to + 1, reportOf(99), home, 5555)
  media.network.arrive(a.to + 1, reportOf(a.ssrc), other, 4445)
  media.run(12_000)
  const ports = () => new Set(media.network.sent.filter(sent => sent.from === a.to + 1).map(({ port }) => port))
  assert.equal([...ports()], [4001])
  media.network.arrive(a.to + 1, reportOf(a.ssrc), home, 4445)
  media.network.sent.length = 0
  media.run(12_000)
  assert.equal([...ports()], [4445])
  const { source } = media.reported.filter(({ session }) => session === 'a').at(-1)!.stats
  assert.is(source.refused, 2)
})

test('hold: nothing is sent, reports go on; a prompt takes its time; then the stream goes on', () => {
  const { media, a } = bridged()
  a.say(frame(1))
  media.run(500)
  const before = a.received().length
  assert.ok(before > 20)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { send: false }), talk: false })
  media.prompts.set('p', { codec: 'PCMU', bytes: new Uint8Array(8000) })
  media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(900)
  assert.is(media.take('played').length, 0)
  media.run(9100)
  assert.is(media.take('played')[0]?.completed, true)
  assert.is(a.received().length, before)
  assert.ok(media.network.sent.filter(sent => sent.port === 4001).length >= 2)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: false })
  media.run(500)
  const received = a.received()
  assert.ok(received.length >= before + 24)
  const [last, next] = [received[before - 1]!, received[before]!]
  assert.is(next.sequence, (last.sequence + 1) & 0xffff)
  assert.ok(next.marker)
  const stepMs = ((next.timestamp - last.timestamp) >>> 0) / 8
  assert.ok(Math.abs(stepMs - (next.at - last.at)) <= 25, 'the media clock went on')
})

test('hold by 0.0.0.0 sends nothing anywhere', () => {
  const { media } = bridged()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { remote: undefined }), talk: false })
  media.network.sent.length = 0
  media.run(7000)
  assert.is(media.network.sent.filter(sent => sent.port === 4000 || sent.port === 4001 || sent.port === 0).length, 0)
})

test('the media timeout is reported while the remote was to send, and again while it stays silent', () => {
  const media = new VirtualMedia({ timeoutMs: 5000 })
  const a = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: false })
  media.run(20_000)
  assert.is(media.take('timeout').length, 0, 'it only rings')
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
  media.run(4000)
  a.say(frame(1))
  media.run(4990)
  assert.is(media.take('timeout').length, 0)
  media.run(100)
  assert.is(media.take('timeout').length, 1)
  media.run(5000)
  assert.is(media.take('timeout').length, 1)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { receive: false }), talk: true })
  media.run(20_000)
  assert.is(media.take('timeout').length, 0, 'it is held')
})

test('on hold no RTP is expected, whichever side may send: only that nothing at all comes is reported', () => {
  for (const changes of [
    { receive: true, send: false },
    { receive: false, send: true },
    { receive: false, send: false },
  ]) {
    const media = new VirtualMedia({ timeoutMs: 60_000 })
    const a = new VirtualPeer(media, 'a', 4000).open()
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
    a.say(frame(1))
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { ...changes, onHold: true }), talk: false })
    media.run(600_000, now => {
      if (now % 5000 === 0) media.network.arrive(a.to + 1, reportOf(a.ssrc), home, 4001)
    })
    assert.equal(media.take('timeout'), [], 'its reports go on')
    media.run(58_900)
    assert.equal(media.take('timeout'), [])
    media.run(1500)
    assert.equal(media.take('timeout'), [{ type: 'timeout', session: 'a', onHold: true }])
    media.run(60_000)
    assert.is(media.take('timeout').length, 1, 'again after the same time')
    media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: false })
    media.run(59_000)
    assert.equal(media.take('timeout'), [])
    media.run(2000)
    assert.equal(media.take('timeout'), [{ type: 'timeout', session: 'a' }], 'resumed, it is missed as ever')
  }
})

test('reports: sender reports of sent packets, loss as received, BYE at the end', () => {
  const { media, a } = bridged()
  let n = 0
  media.run(11_000, now => {
    if (now % 20 === 0 && n++ % 10 !== 9) a.say(frame(n))
    else if (now % 20 === 0) {
      a.sequence = (a.sequence + 1) & 0xffff
      a.timestamp += 160
    }
  })
  media.do({ type: 'close', session: 'a' })
  media.engine.tick(media.now + 5)
  const reports = media.network.sent
    .filter(sent => sent.port === 4001)
    .map(sent => {
      const parsed = parseRtcp(sent.bytes)
      if (!parsed.ok) throw new Error(parsed.reason)
      return parsed.value
    })
  assert.ok(reports.length >= 3 && reports.length <= 8, `${reports.length} reports in 11 s`)
  const first = reports[0]![0]!
  if (first.type !== 'sender-report') throw new Error('no sender report')
  assert.ok(first.sender.packetCount > 30)
  assert.is(first.sender.octetCount, first.sender.packetCount * 160)
  assert.is(first.reports[0]!.ssrc, a.ssrc)
  assert.ok(Math.abs(first.reports[0]!.fractionLost - 25) <= 4, `${first.reports[0]!.fractionLost}/256 lost`)
  assert.ok(reports.every(parts => parts.some(part => part.type === 'sdes' && part.names.length === 1)))
  assert.equal(
    reports.at(-1)!.map(part => part.type),
    ['receiver-report', 'sdes', 'bye'],
  )
  assert.ok(media.take('closed')[0]!.stats.packetsLost > 30)
})

for (const from of ['signalled', 'unrelated'] as const) {
  test(`junk from the ${from} address does no harm`, () => {
    const junk = inputs('media-attacks').map(({ bytes }) => bytes)
    assert.ok(junk.length > 20)
    const { media, a, b } = bridged()
    const port = from === 'signalled' ? 4000 : 6666
    let n = 0
    let at = 0
    media.run(2000, now => {
      const bytes = junk[at++ % junk.length]!
      media.network.arrive(a.to, bytes, home, port)
      media.network.arrive(a.to + 1, bytes, home, port + 1)
      if (now % 20 === 0) b.say(frame(n++))
    })
    assert.is(a.received().filter(packet => packet.payload.some(byte => byte !== 0xff)).length, n)
    assert.equal(media.take('digit'), [])
    assert.equal(media.take('failed'), [])
    assert.equal(media.take('closed'), [])
    // What looks like audio from the right place is passed on, bounded.
    assert.ok(b.received().every(packet => packet.payload.length <= 1500))
  })
}

test('seeded noise on both ports does no harm', () => {
  const { media, a, b } = bridged()
  let n = 0
  media.run(5000, now => {
    for (let i = 0; i < 4; i++) {
      const bytes = Uint8Array.from({ length: Math.floor(media.random() * 220) }, () => media.random() * 256)
      if (media.random() < 0.8) bytes[0] = 0x80 | Math.floor(media.random() * 64)
      if (media.random() < 0.5) bytes[1] = [0, 101, 200, 201, 203][Math.floor(media.random() * 5)]!
      media.network.arrive(a.to + (i & 1), bytes, home, 4000 + (i & 1))
    }
    if (now % 20 === 0) b.say(frame(n++))
  })
  assert.equal(media.take('failed'), [])
  assert.is(
    a.received().filter(packet => packet.payloadType === 0 && packet.payload.some(byte => byte !== 0xff)).length,
    n,
  )
})

test.run()
