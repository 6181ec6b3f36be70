import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseRtcp } from '../../rtp/index.ts'
import { probationPackets, SourceGate, signalledQuietMs } from '../../rtp/session/source-gate.ts'
import { inputs } from '../fixtures/inputs.ts'
import { agreed } from './agreement.ts'
import { frame } from './rtp-packet.ts'
import { VirtualMedia } from './virtual-media.ts'
import { home } from './virtual-network.ts'
import { bridged, VirtualPeer } from './virtual-peer.ts'

const other = (10 << 24) | 9

test('the signalled address is heard at once, others only after probation, and then they are locked', () => {
  const gate = new SourceGate()
  gate.signal(home, 4000)
  let now = 10_000
  for (let n = 1; n < probationPackets; n++) assert.is(gate.judge(other, 9, 1, n, now++), 'refused')
  assert.is(gate.judge(other, 9, 1, probationPackets, now++), 'latched')
  assert.is(gate.address, other)
  for (let n = 0; n < 50; n++) assert.is(gate.judge(other, 10, 2, n, now++), 'refused', 'locked')
  assert.is(gate.judge(home, 4000, 3, 1, now++), 'latched', 'the signalled one takes it back')
  assert.is(gate.port, 4000)
  assert.is(gate.judge(other, 9, 1, 99, now++), 'refused')
})

test('nobody takes over while the signalled address speaks', () => {
  const gate = new SourceGate()
  gate.signal(home, 4000)
  for (let n = 0; n < 500; n++) {
    if (n % 50 === 0) assert.is(gate.judge(home, 4000, 3, n, n * 20), 'accepted')
    assert.is(gate.judge(other, 9, 1, n, n * 20), 'refused')
  }
  const quiet = 450 * 20 + signalledQuietMs
  for (let n = 0; n < probationPackets - 1; n++) assert.is(gate.judge(other, 9, 1, n, quiet + n), 'refused')
  assert.is(gate.judge(other, 9, 1, probationPackets - 1, quiet + 99), 'latched')
})

test('probation wants one stream: same source, same SSRC, numbers in a row', () => {
  const gate = new SourceGate()
  gate.signal(home, 4000)
  for (let n = 0; n < 40; n++) {
    assert.is(gate.judge(other, 9, n, n, n), 'refused', 'another SSRC each time')
    assert.is(gate.judge(other, 9, 7, n * 1000, n), 'refused', 'numbers that leap')
    assert.is(gate.judge(other, 100 + n, 7, n, n), 'refused', 'another port each time')
  }
})

test('a new offer lets another source be learnt again', () => {
  const gate = new SourceGate()
  gate.signal(home, 4000)
  for (let n = 0; n < probationPackets; n++) gate.judge(other, 9, 1, n, n)
  assert.is(gate.port, 9)
  gate.signal(home, 4000)
  assert.is(gate.port, 9, 'the same address again: what was learnt stays until somebody else is')
  for (let n = 0; n < probationPackets; n++) gate.judge(other, 11, 1, n, n)
  assert.is(gate.port, 11)
  gate.signal(home, 4002)
  assert.equal([gate.address, gate.port], [home, 4002])
})

test('behind a NAT our packets follow to where the far end’s come from', () => {
  const { media, a, b } = bridged()
  let n = 0
  media.run(500, now => {
    if (now % 20 === 0) a.say(frame(n++), {}, 4444)
  })
  assert.ok(a.heard(4444).length >= 15)
  const last = media.network.sent.filter(sent => sent.from === a.to).at(-1)!
  assert.is(last.port, 4444)
  const heard = b.heard().filter(packet => packet.payload.some(byte => byte !== 0xff))
  assert.equal(
    heard.map(packet => [...packet.payload]),
    Array.from({ length: n }, (_, i) => [...frame(i)]),
    'with what it said on its probation',
  )
})

test('an intruder is neither heard nor answered', () => {
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
  assert.is(b.heard().filter(packet => packet.payload.every(byte => byte === 0x66)).length, 0)
  media.do({ type: 'close', session: 'a' })
  assert.is(media.take('closed')[0]!.stats.packetsDropped, n)
})

test('a third party named in SDP gets packets only for as long as a far end may be silent', () => {
  const media = new VirtualMedia({ timeoutMs: 30_000 })
  const a = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
  media.run(60_000)
  const before = a.heard().length
  assert.ok(before >= 1499 && before <= 1502, `${before}`)
  media.run(10_000)
  assert.is(a.heard().length, before)
  assert.is(media.network.sent.filter(sent => sent.at > 32_000).length, 0, 'nor reports')
  a.say(frame(1))
  media.run(1000)
  assert.ok(a.heard().length >= before + 49, 'it answers after all')
})

test('hold: nothing is sent, reports go on; a prompt takes its time; then the stream goes on', () => {
  const { media, a } = bridged()
  a.say(frame(1))
  media.run(500)
  const before = a.heard().length
  assert.ok(before > 20)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { send: false }), talk: false })
  media.prompts.set('p', { codec: 'PCMU', bytes: new Uint8Array(8000) })
  media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  media.run(900)
  assert.is(media.take('played').length, 0)
  media.run(9100)
  assert.is(media.take('played')[0]?.completed, true)
  assert.is(a.heard().length, before)
  assert.ok(media.network.sent.filter(sent => sent.port === 4001).length >= 2)
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: false })
  media.run(500)
  const heard = a.heard()
  assert.ok(heard.length >= before + 24)
  const [last, next] = [heard[before - 1]!, heard[before]!]
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

test('the media timeout is told while the far end was to send, and again while it stays silent', () => {
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

test('reports: sender reports with what was sent, loss as heard, goodbye at the end', () => {
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

for (const from of ['signalled', 'stranger'] as const) {
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
    assert.is(a.heard().filter(packet => packet.payload.some(byte => byte !== 0xff)).length, n)
    assert.equal(media.take('digit'), [])
    assert.equal(media.take('failed'), [])
    assert.equal(media.take('closed'), [])
    // What looks like audio from the right place is passed on, bounded.
    assert.ok(b.heard().every(packet => packet.payload.length <= 1500))
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
    a.heard().filter(packet => packet.payloadType === 0 && packet.payload.some(byte => byte !== 0xff)).length,
    n,
  )
})

test.run()
