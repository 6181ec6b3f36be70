import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  extendedHeadLength,
  readExtended,
  type VoipMetrics,
  writeDelaySince,
  writeExtendedHead,
  writeReceiverTime,
  writeVoipMetrics,
} from '../../rtp/rtcp/extended-report.ts'
import type { RtcpPacket } from '../../rtp/rtcp/packet.ts'
import { parseRtcp } from '../../rtp/rtcp/parse.ts'
import { writeReceiverReport } from '../../rtp/rtcp/write.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { frame } from '../rtp/bed/rtp-packet.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { home } from '../rtp/bed/virtual-network.ts'
import { VirtualPeer } from '../rtp/bed/virtual-peer.ts'

interface Way {
  readonly lossRatio: number
  /** Most that a packet takes longer than the fastest. */
  readonly spreadMs: number
  /** Length of the runs of losses, as regular as possible. Default: at random. */
  readonly run?: number
}

const packets = 3000

/** What arrives of a stream of a packet every 20 ms, in the order of arrival. */
function arrivals({ lossRatio, spreadMs, run = 1 }: Way, seed: number): readonly { at: number; n: number }[] {
  const random = seeded(seed)
  const arrived: { at: number; n: number }[] = []
  let losing = 0
  for (let n = 0; n < packets; n++) {
    const begins = run === 1 ? random() < lossRatio : n % Math.round(run / lossRatio) === 0
    if (losing === 0 && begins) losing = run
    const delayMs = random() * spreadMs
    if (losing > 0 && n > 10) losing--
    else arrived.push({ at: n * 20 + delayMs, n })
  }
  return arrived.sort((a, b) => a.at - b.at)
}

/** The jitter of RFC 3550 §A.8, of every packet as it arrives. */
function jitterOf(arrived: readonly { at: number; n: number }[]): number {
  let jitter = 0
  for (const [index, { at, n }] of arrived.entries()) {
    const before = arrived[index - 1]
    if (before !== undefined) jitter += (Math.abs(at - before.at - 20 * (n - before.n)) - jitter) / 16
  }
  return jitter
}

function hear(way: Way, tickMs: number, seed = 5) {
  const media = new VirtualMedia()
  media.tickMs = tickMs
  const a = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
  const waiting = [...arrivals(way, seed)]
  const lost = packets - waiting.length
  const jitter = jitterOf(waiting)
  const beginsAt = media.now
  media.run(packets * 20 + 1000, now => {
    while (waiting[0] !== undefined && beginsAt + waiting[0].at <= now) {
      const { n } = waiting.shift() ?? { n: 0 }
      a.say(frame(n), { sequence: (65_000 + n) & 0xffff, timestamp: (n * 160) >>> 0 })
    }
  })
  media.do({ type: 'close', session: 'a' })
  const [closed] = media.take('closed')
  assert.ok(closed !== undefined)
  return { stats: closed.stats, reported: media.reported, lost, jitter }
}

for (const tickMs of [1, 5]) {
  for (const way of [
    { lossRatio: 0, spreadMs: 0 },
    { lossRatio: 0.01, spreadMs: 5 },
    { lossRatio: 0.05, spreadMs: 30 },
    { lossRatio: 0.2, spreadMs: 60 },
    { lossRatio: 0.1, spreadMs: 10, run: 4 },
  ]) {
    test(`loss of ${way.lossRatio} and a spread of ${way.spreadMs} ms are measured, read every ${tickMs} ms`, () => {
      const { stats, lost, jitter } = hear(way, tickMs)
      assert.ok(Math.abs(stats.lossPercent - (100 * lost) / packets) < 0.2, `loss ${stats.lossPercent}`)
      assert.ok(Math.abs(stats.jitterMs - jitter) < 3, `jitter ${stats.jitterMs}, wanted ${jitter}`)
      assert.ok(way.run === undefined || stats.burstRatio > 2.5, `${stats.burstRatio}`)
      assert.ok(way.run !== undefined || stats.burstRatio < 1.3, `${stats.burstRatio}`)
    })
  }
}

test('the score falls with loss, with losses that come together, and with jitter', () => {
  const mosOf = (way: Way) => hear(way, 5).stats.mos ?? 0
  const best = mosOf({ lossRatio: 0, spreadMs: 0 })
  assert.ok(best > 4.35 && best < 4.42, `${best}`)
  const scores = [best, ...[0.02, 0.05, 0.1, 0.3].map(lossRatio => mosOf({ lossRatio, spreadMs: 0 }))]
  for (const [index, score] of scores.entries())
    assert.ok(index === 0 || score < (scores[index - 1] ?? 0) - 0.1, `${scores}`)
  assert.ok(mosOf({ lossRatio: 0.1, spreadMs: 0, run: 5 }) < mosOf({ lossRatio: 0.1, spreadMs: 0 }) - 0.1, 'bursts')
  assert.ok(mosOf({ lossRatio: 0, spreadMs: 200 }) < best - 0.03, 'jitter')
})

test('a session reports every five seconds after the agreement, and not before', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  media.run(12_000)
  assert.equal(media.reported, [])
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
  media.run(20_000, now => {
    if (now % 20 === 0) a.say(frame(now / 20))
  })
  assert.is(media.reported.length, 4)
  const [first, , , last] = media.reported
  assert.ok(first !== undefined && last !== undefined)
  assert.is(last.session, 'a')
  assert.ok(last.stats.packetsReceived > first.stats.packetsReceived + 700)
  assert.is(last.stats.lossPercent, 0)
  assert.ok((last.stats.mos ?? 0) > 4.3)
})

/** RTCP that was sent to a peer. */
const reportsTo = (media: VirtualMedia, port: number) =>
  media.network.sent
    .filter(sent => sent.port === port)
    .map(sent => {
      const parsed = parseRtcp(sent.bytes)
      assert.ok(parsed.ok)
      return { sent, packets: parsed.value }
    })

const blocksIn = (bytes: Uint8Array, read: readonly RtcpPacket[]) =>
  read.flatMap(packet =>
    packet.type === 'extended-report' ? packet.blocks.flatMap(block => readExtended(bytes, block) ?? []) : [],
  )

for (const [name, terms, wanted] of [
  ['without terms there are none', undefined, []],
  ['metrics alone', { voipMetrics: true, receiverTime: false }, ['voip-metrics']],
  ['times alone', { voipMetrics: false, receiverTime: true }, ['receiver-time']],
  ['both', { voipMetrics: true, receiverTime: true }, ['receiver-time', 'voip-metrics']],
] as const) {
  test(`extended reports go out only where agreed on: ${name}`, () => {
    const media = new VirtualMedia()
    const a = new VirtualPeer(media, 'a', 4000).open()
    const agreement = agreed(4000, terms === undefined ? {} : { extendedReports: terms })
    media.do({ type: 'agree', session: 'a', agreement, talk: true })
    media.run(15_000, now => {
      // Each tenth is lost.
      if (now % 20 !== 0) return
      const n = now / 20
      if (n % 10 === 0) a.sequence = (a.sequence + 1) & 0xffff
      else a.say(frame(n))
    })
    const reports = reportsTo(media, 4001)
    assert.ok(reports.length >= 2)
    for (const { sent, packets: read } of reports) {
      assert.ok(sent.bytes.length < 300)
      const blocks = blocksIn(sent.bytes, read)
      assert.equal(
        blocks.map(block => block.type),
        wanted,
      )
      for (const block of blocks) {
        if (block.type !== 'voip-metrics') continue
        assert.is(block.metrics.ssrc, a.ssrc)
        assert.ok(Math.abs(block.metrics.lossRate - 0.1) < 0.02, `${block.metrics.lossRate}`)
        assert.ok((block.metrics.conversationalMos ?? 9) < 4)
      }
    }
  })
}

test('what the remote reports of our stream is reported, and the round trip by its extended reports alone', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  const extendedReports = { voipMetrics: true, receiverTime: true }
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { extendedReports }), talk: true })
  media.run(4000, now => {
    if (now % 20 === 0) a.say(frame(now / 20))
  })
  const [report] = reportsTo(media, 4001)
  assert.ok(report !== undefined)
  const time = blocksIn(report.sent.bytes, report.packets).find(block => block.type === 'receiver-time')
  assert.ok(time !== undefined)
  const ours = a.received().find(packet => packet.payloadType === 0)?.ssrc ?? 0

  // It answers when it likes; on the way both were for 70 ms together.
  const heldMs = media.now - report.sent.at - 70
  const arrivedAt = media.now
  const bytes = new Uint8Array(300)
  const block = { ssrc: ours, fractionLost: 25, cumulativeLost: 20, highestSequence: 0, jitter: 160 }
  let length = writeReceiverReport(bytes, 0, a.ssrc, [{ ...block, lastSr: 0, delaySinceLastSr: 0 }])
  const at = length + extendedHeadLength
  let end = at + writeReceiverTime(bytes, at, 1_700_000_000_000)
  end += writeDelaySince(bytes, end, ours, time.middle, Math.round(heldMs * 65.536))
  end += writeVoipMetrics(bytes, end, { ...silentMetrics, ssrc: ours, conversationalMos: 3.2, listeningMos: 3.6 })
  length += writeExtendedHead(bytes, length, a.ssrc, end - at)
  const reported = media.reported.length
  media.network.arrive(a.to + 1, bytes.slice(0, length), home, 4001)
  media.run(11_000)
  const { stats } = media.reported.slice(reported).at(-1) ?? {}
  assert.ok(stats?.far !== undefined)
  assert.ok(Math.abs((stats.roundTripMs ?? 0) - 70) <= 10, `${stats.roundTripMs}`)
  assert.is(stats.far.mos, 3.2)
  assert.is(stats.far.jitterMs, 20)
  assert.ok(stats.far.lossPercent > 5 && stats.far.lossPercent < 20, `${stats.far.lossPercent}`)

  // It asked for the time too: our next report returns its own.
  const answered = reportsTo(media, 4001).slice(1)
  const delays = answered.flatMap(({ sent, packets: read }) => {
    const echo = blocksIn(sent.bytes, read).find(each => each.type === 'delay-since-receiver-time')
    return echo?.delays.map(delay => ({ ...delay, sentAt: sent.at })) ?? []
  })
  assert.ok(delays.length > 0)
  for (const { ssrc, delay, sentAt } of delays) {
    assert.is(ssrc, a.ssrc)
    assert.ok(Math.abs(delay / 65.536 - (sentAt - arrivedAt)) < 20)
  }
})

const silentMetrics: VoipMetrics = {
  ssrc: 0,
  lossRate: 0,
  discardRate: 0,
  burstDensity: 0,
  gapDensity: 0,
  burstMs: 0,
  gapMs: 0,
  roundTripMs: 0,
  endSystemMs: 0,
  gapMinimum: 16,
  rFactor: undefined,
  listeningMos: undefined,
  conversationalMos: undefined,
  bufferMs: 0,
  bufferMaximumMs: 0,
}

test('hostile reports about us change nothing they should not: other sources, times that were never sent', () => {
  const media = new VirtualMedia()
  const a = new VirtualPeer(media, 'a', 4000).open()
  const extendedReports = { voipMetrics: true, receiverTime: true }
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { extendedReports }), talk: true })
  const random = seeded(77)
  media.run(30_000, now => {
    if (now % 20 === 0) a.say(frame(now / 20))
    const bytes = new Uint8Array(200)
    let length = writeReceiverReport(bytes, 0, a.ssrc, [])
    const at = length + extendedHeadLength
    let end = at + writeDelaySince(bytes, at, Math.floor(random() * 2 ** 32), Math.floor(random() * 2 ** 32), 0)
    end += writeVoipMetrics(bytes, end, { ...silentMetrics, ssrc: Math.floor(random() * 2 ** 32), listeningMos: 1 })
    length += writeExtendedHead(bytes, length, a.ssrc, end - at)
    if (random() < 0.5) bytes[Math.floor(random() * length)] = random() * 256
    media.network.arrive(a.to + 1, bytes.slice(0, length), home, 4001)
  })
  const { stats } = media.reported.at(-1) ?? {}
  assert.is(stats?.roundTripMs, undefined)
  assert.is(stats?.far?.mos, undefined)
  assert.equal(media.take('failed'), [])
})

test.run()
