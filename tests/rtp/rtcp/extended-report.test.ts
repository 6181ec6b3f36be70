import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ExtendedContent,
  extendedHeadLength,
  readExtended,
  type VoipMetrics,
  writeDelaySince,
  writeExtendedHead,
  writeReceiverTime,
  writeVoipMetrics,
} from '../../../rtp/rtcp/extended-report.ts'
import { parseRtcp } from '../../../rtp/rtcp/parse.ts'
import { writeReceiverReport } from '../../../rtp/rtcp/write.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const metrics: VoipMetrics = {
  ssrc: 0xfedc_ba98,
  lossRate: 13 / 256,
  discardRate: 3 / 256,
  burstDensity: 128 / 256,
  gapDensity: 1 / 256,
  burstMs: 120,
  gapMs: 65_535,
  roundTripMs: 88,
  endSystemMs: 61,
  gapMinimum: 16,
  rFactor: 81,
  listeningMos: 4.1,
  conversationalMos: 3.9,
  bufferMs: 40,
  bufferMaximumMs: 200,
}

/** A compound packet: an empty receiver report, then an extended one with these blocks. Returns what is read of it. */
function roundTrip(write: (into: Uint8Array, at: number) => number): readonly (ExtendedContent | undefined)[] {
  const into = new Uint8Array(400).fill(0xee)
  const at = writeReceiverReport(into, 0, 9, [])
  const length = writeExtendedHead(into, at, 9, write(into, at + extendedHeadLength))
  const parsed = parseRtcp(into, at + length)
  assert.ok(parsed.ok)
  const report = parsed.value[1]
  assert.ok(report?.type === 'extended-report' && report.ssrc === 9)
  return report.blocks.map(block => readExtended(into, block))
}

test('VoIP metrics: what is written is read (RFC 3611 §4.7)', () => {
  assert.equal(
    roundTrip((into, at) => writeVoipMetrics(into, at, metrics)),
    [{ type: 'voip-metrics', metrics }],
  )
})

test('VoIP metrics lie on the wire as in the figure of RFC 3611 §4.7, unknown levels as 127', () => {
  const into = new Uint8Array(36)
  assert.is(writeVoipMetrics(into, 0, metrics), 36)
  assert.equal(
    [...into],
    [
      ...[7, 0, 0, 8],
      ...[0xfe, 0xdc, 0xba, 0x98],
      ...[13, 3, 128, 1],
      ...[0, 120, 255, 255],
      ...[0, 88, 0, 61],
      ...[127, 127, 127, 16],
      ...[81, 127, 41, 39],
      ...[0xf0, 0, 0, 40],
      ...[0, 200, 0, 200],
    ],
  )
})

test('figures that are not known, or outside of their range, are undefined', () => {
  const unknown = { ...metrics, rFactor: undefined, listeningMos: undefined, conversationalMos: undefined }
  assert.equal(
    roundTrip((into, at) => writeVoipMetrics(into, at, unknown)),
    [{ type: 'voip-metrics', metrics: unknown }],
  )
  const [read] = roundTrip((into, at) => {
    const length = writeVoipMetrics(into, at, metrics)
    into.set([101, 0, 9, 51], at + 4 + 20)
    return length
  })
  assert.equal(read, { type: 'voip-metrics', metrics: unknown })
})

test('figures beyond what their field holds are held at its ends', () => {
  const extreme = { ...metrics, lossRate: 1, discardRate: -1, burstMs: 1e9, gapMs: -5, roundTripMs: 1e9 }
  const [read] = roundTrip((into, at) => writeVoipMetrics(into, at, extreme))
  assert.ok(read?.type === 'voip-metrics')
  const { lossRate, discardRate, burstMs, gapMs, roundTripMs } = read.metrics
  assert.equal([lossRate, discardRate, burstMs, gapMs, roundTripMs], [255 / 256, 0, 65_535, 0, 65_535])
})

test('receiver time and its echo: the middle of the NTP time there, and back (RFC 3611 §4.4, §4.5)', () => {
  const unixMs = 1_800_000_000_500
  const seconds = (1_800_000_000 + 2_208_988_800) >>> 0
  const read = roundTrip((into, at) => {
    const first = writeReceiverTime(into, at, unixMs)
    return first + writeDelaySince(into, at + first, 0xdead_beef, 0x1234_5678, 65_536)
  })
  assert.equal(read, [
    { type: 'receiver-time', middle: (((seconds & 0xffff) << 16) | 0x8000) >>> 0 },
    {
      type: 'delay-since-receiver-time',
      delays: [{ ssrc: 0xdead_beef, lastTime: 0x1234_5678, delay: 65_536 }],
    },
  ])
})

test('a block of another length than its kind has says nothing; neither does one of another kind', () => {
  const bytes = new Uint8Array(4096)
  for (const blockType of [0, 1, 2, 3, 6, 8, 255]) {
    assert.is(readExtended(bytes, { blockType, typeSpecific: 0, from: 0, length: 32 }), undefined)
  }
  for (const [blockType, lengths] of [
    [4, [0, 4, 12, 32]],
    [5, [4, 8, 16, 4000]],
    [7, [0, 8, 28, 36, 4000]],
  ] as const) {
    for (const length of lengths) {
      assert.is(readExtended(bytes, { blockType, typeSpecific: 0, from: 0, length }), undefined, `${blockType}`)
    }
  }
  // As many sub-blocks as fit: no more are read than sources that we could be.
  const many = readExtended(bytes, { blockType: 5, typeSpecific: 0, from: 0, length: 12 * 300 })
  assert.is(many?.type === 'delay-since-receiver-time' && many.delays.length, 31)
})

test('no extended report, however mangled, throws or reads past its end', () => {
  const random = seeded(3611)
  const whole = new Uint8Array(200)
  let length = writeReceiverReport(whole, 0, 9, [])
  const from = length + extendedHeadLength
  let at = from
  at += writeReceiverTime(whole, at, 1e12)
  at += writeDelaySince(whole, at, 1, 2, 3)
  at += writeVoipMetrics(whole, at, metrics)
  length += writeExtendedHead(whole, length, 9, at - from)
  let understood = 0
  for (let round = 0; round < 30_000; round++) {
    const bytes = whole.slice(0, random() < 0.2 ? 8 + Math.floor(random() * (length - 8)) : length)
    for (let flips = Math.floor(random() * 6); flips > 0; flips--) {
      bytes[Math.floor(random() * bytes.length)] = random() * 256
    }
    const parsed = parseRtcp(bytes)
    if (!parsed.ok) continue
    for (const packet of parsed.value) {
      if (packet.type !== 'extended-report') continue
      for (const block of packet.blocks) {
        assert.ok(block.from + block.length <= bytes.length)
        const content = readExtended(bytes, block)
        if (content === undefined) continue
        understood++
        if (content.type !== 'voip-metrics') continue
        const { rFactor, listeningMos, lossRate } = content.metrics
        assert.ok(lossRate >= 0 && lossRate < 1)
        assert.ok(rFactor === undefined || (rFactor >= 0 && rFactor <= 100))
        assert.ok(listeningMos === undefined || (listeningMos >= 1 && listeningMos <= 5))
      }
    }
  }
  assert.ok(understood > 10_000, `${understood}`)
})

test.run()
