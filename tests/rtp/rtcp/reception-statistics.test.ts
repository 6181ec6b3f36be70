import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { InterarrivalJitter } from '../../../rtp/rtcp/interarrival-jitter.ts'
import { middleOf, ntpFractionOf, ntpSecondsOf, roundTripMs } from '../../../rtp/rtcp/ntp-time.ts'
import { ReceptionStatistics } from '../../../rtp/rtcp/reception-statistics.ts'
import { RtcpSchedule } from '../../../rtp/rtcp/schedule.ts'
import { SequenceStatistics } from '../../../rtp/rtcp/sequence-statistics.ts'
import { seeded } from '../../rig/probes/seeded.ts'

test('a source is on probation until two numbers in a row (RFC 3550 §A.1)', () => {
  const statistics = new SequenceStatistics()
  assert.is(statistics.receive(10), 'probation')
  assert.is(statistics.receive(20), 'probation')
  assert.is(statistics.receive(21), 'valid')
  assert.is(statistics.expected, 2)
  assert.is(statistics.lost, 0)
})

test('loss, repeats and disorder are counted across the wrap (RFC 3550 §A.3)', () => {
  const statistics = new SequenceStatistics()
  const random = seeded(3)
  let lost = 0
  for (let index = 65_000; index < 265_000; index++) {
    if (index > 65_002 && index < 264_990 && random() < 0.1) lost++
    else statistics.receive(index & 0xffff)
  }
  assert.is(statistics.expected, 200_000)
  assert.is(statistics.lost, lost)
  assert.is(statistics.highestSequence, 264_999)
  assert.is(statistics.takeFractionLost(), Math.floor((lost * 256) / 200_000))
  assert.is(statistics.takeFractionLost(), 0)
  for (let i = 0; i < 50; i++) statistics.receive((264_999 - i) & 0xffff)
  assert.is(statistics.lost, lost - 50)
  assert.is(statistics.takeFractionLost(), 0)
})

test('a jump is doubted once and believed when the next number follows: a restart', () => {
  const statistics = new SequenceStatistics()
  for (const sequence of [1, 2, 3]) statistics.receive(sequence)
  assert.is(statistics.receive(40_000), 'jump')
  assert.is(statistics.receive(4), 'valid')
  assert.is(statistics.receive(40_000), 'jump')
  assert.is(statistics.receive(40_001), 'valid')
  assert.is(statistics.restarts, 1)
  assert.is(statistics.receive(40_002), 'valid')
  assert.is(statistics.lost, 0)
})

test('jitter is that of the formula, and zero for an even stream at any rate (RFC 3550 §A.8)', () => {
  for (const [clockRate, ptimeMs] of [
    [8000, 20],
    [8000, 30],
    [48_000, 10],
    [16_000, 60],
  ] as const) {
    const jitter = new InterarrivalJitter(clockRate)
    const units = (clockRate * ptimeMs) / 1000
    for (let i = 0; i < 100; i++) jitter.receive((0xffff_f000 + i * units) >>> 0, 5 + i * ptimeMs)
    assert.is(jitter.units, 0)
  }
  const jitter = new InterarrivalJitter(8000)
  let expected = 0
  let before = 0
  const random = seeded(9)
  for (let i = 0; i < 500; i++) {
    const late = Math.floor(random() * 40)
    jitter.receive(i * 160, i * 20 + late)
    if (i > 0) expected += (Math.abs(late - before) * 8 - expected) / 16
    before = late
  }
  assert.is(jitter.units, Math.floor(expected))
  const calm = jitter.units
  jitter.receive(0x7000_0000, 500 * 20)
  assert.is(jitter.units, calm)
})

test('a report holds loss, jitter and the age of the last sender report', () => {
  const reception = new ReceptionStatistics(42, 8000)
  for (let i = 0; i < 10; i++) if (i !== 5) reception.receive(65_530 + i > 65_535 ? i - 6 : 65_530 + i, i * 160, i * 20)
  const before = reception.takeReport(200)
  assert.equal([before.ssrc, before.cumulativeLost, before.fractionLost, before.lastSr], [42, 1, 25, 0])
  assert.is(before.highestSequence, 65_536 + 3)
  const at = 1_800_000_000_123
  reception.senderReport(
    { ntpSeconds: ntpSecondsOf(at), ntpFraction: ntpFractionOf(at), rtpTime: 0, packetCount: 0, octetCount: 0 },
    1000,
  )
  const report = reception.takeReport(3500)
  assert.is(report.lastSr, middleOf(ntpSecondsOf(at), ntpFractionOf(at)))
  assert.is(report.delaySinceLastSr, 2.5 * 65_536)
  const arrival = middleOf(ntpSecondsOf(at + 2580), ntpFractionOf(at + 2580))
  assert.ok(Math.abs(roundTripMs(report.lastSr, report.delaySinceLastSr, arrival)! - 80) < 0.1)
})

test('round trip: the example of RFC 3550 §6.4.1, figure 2', () => {
  assert.ok(Math.abs(roundTripMs(0xb705_2000, 0x0005_4000, 0xb710_8000)! - 6125) < 0.001)
})

test('round trips that cannot be are not reported', () => {
  assert.is(roundTripMs(0, 0, 5), undefined)
  assert.is(roundTripMs(10, 0x7000_0000, 5), undefined)
  assert.is(roundTripMs(1, 0, 40 * 65_536), undefined)
  assert.is(roundTripMs(65_536, 66_536, 65_536 * 2), 0)
  assert.is(roundTripMs(0xffff_ff00, 0, 0x100)! > 0, true)
})

test('round trips across the wrap of 18 hours: any moment, any delay (RFC 3550 §6.4.1)', () => {
  const wrap = 2 ** 32
  const half = 2 ** 31
  for (const sent of [1, 2, 65_536, half - 1, half, half + 1, wrap - 200_000, wrap - 65_536, wrap - 1])
    for (const delay of [0, 1, 65_536, half - 1, half, wrap - 65_536, wrap - 1])
      for (const there of [0, 1, 66, 65_536, 29 * 65_536]) {
        const found = roundTripMs(sent, delay, (sent + delay + there) % wrap)
        assert.ok(Math.abs((found ?? Number.NaN) - there / 65.536) < 1e-6, `${sent} + ${delay} + ${there}: ${found}`)
      }
})

test('a sender report of more than 18 hours ago is reported no more: its age has no room', () => {
  const reception = new ReceptionStatistics(1, 8000)
  reception.receive(1, 0, 0)
  reception.receive(2, 160, 20)
  reception.senderReport({ ntpSeconds: 7, ntpFraction: 0, rtpTime: 0, packetCount: 2, octetCount: 320 }, 1000)
  const longest = (2 ** 32 - 1) / 65.536
  const reported = (ageMs: number) => {
    const { lastSr, delaySinceLastSr } = reception.takeReport(1000 + ageMs)
    return [lastSr, delaySinceLastSr]
  }
  assert.equal(reported(0), [7 << 16, 0])
  assert.equal(reported(longest), [7 << 16, 0xffff_ffff])
  assert.equal(reported(longest + 1), [0, 0])
  assert.equal(reported(20 * 3600 * 1000), [0, 0])
})

test('NTP time of a known instant', () => {
  assert.is(ntpSecondsOf(0), 2_208_988_800)
  assert.is(ntpFractionOf(500), 0x8000_0000)
  assert.ok(ntpFractionOf(999.999) <= 0xffff_ffff)
})

test('reports come at half the interval first, then spread between 0.41 and 1.23 of it (RFC 3550 §6.3.1)', () => {
  const schedule = new RtcpSchedule(1000, () => 0)
  assert.is(Math.round(schedule.deadline()), 1000 + Math.round(1250 / 1.21828))
  schedule.sent(100, 5000)
  assert.is(Math.round(schedule.deadline()), 5000 + Math.round(2500 / 1.21828))
  const late = new RtcpSchedule(0, () => 0.999999)
  late.sent(100, 0)
  assert.is(Math.round(late.deadline()), Math.round(7500 / 1.21828))
  const thin = new RtcpSchedule(0, () => 0.5, { mediaBytesPerSecond: 100 })
  for (let i = 0; i < 400; i++) thin.received(72)
  thin.sent(72, 0)
  assert.is(Math.round(thin.deadline()), Math.round((2 * 100 * 200) / 1.21828))
})

test.run()
