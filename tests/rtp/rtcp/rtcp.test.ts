import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ReportBlock } from '../../../rtp/rtcp/packet.ts'
import { parseRtcp } from '../../../rtp/rtcp/parse.ts'
import { writeBye, writeReceiverReport, writeSdes, writeSenderReport } from '../../../rtp/rtcp/write.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const block: ReportBlock = {
  ssrc: 0xfedcba98,
  fractionLost: 200,
  cumulativeLost: -5,
  highestSequence: 0x0001_ffff,
  jitter: 0xffff_fff0,
  lastSr: 0x8000_0001,
  delaySinceLastSr: 65_536,
}
const sender = { ntpSeconds: 0xe000_0000, ntpFraction: 1, rtpTime: 0xffff_ffff, packetCount: 3, octetCount: 480 }

test('what is written is read: SR, SDES and BYE in one packet', () => {
  for (const cname of ['', 'a', 'ab', 'abc', 'sauti@10.0.0.1', 'Nairobi→Mombasa', 'x'.repeat(255)])
    for (const reason of ['', 'a', 'session over', 'r'.repeat(255)])
      for (const count of [0, 1, 2, 31]) {
        const reports = Array.from({ length: count }, (_, i) => ({ ...block, ssrc: i, cumulativeLost: i - 3 }))
        const into = new Uint8Array(1500).fill(0xee)
        let at = writeSenderReport(into, 0, 77, sender, reports)
        at += writeSdes(into, at, 77, cname)
        at += writeBye(into, at, 77, reason)
        assert.is(at % 4, 0)
        assert.equal(parseRtcp(into, at), {
          ok: true,
          value: [
            { type: 'sender-report', ssrc: 77, sender, reports },
            { type: 'sdes', names: [{ ssrc: 77, cname }] },
            { type: 'bye', ssrcs: [77], reason },
          ],
        })
      }
})

test('a receiver report carries the block as it is, bit for bit', () => {
  const into = new Uint8Array(64)
  assert.is(writeReceiverReport(into, 0, 5, [block]), 32)
  assert.equal([...into.subarray(0, 16)], [0x81, 201, 0, 7, 0, 0, 0, 5, 0xfe, 0xdc, 0xba, 0x98, 200, 0xff, 0xff, 0xfb])
  assert.equal(parseRtcp(into, 32), { ok: true, value: [{ type: 'receiver-report', ssrc: 5, reports: [block] }] })
})

test('texts and reports over the limit are cut', () => {
  const into = new Uint8Array(2000)
  const many = Array.from({ length: 40 }, () => block)
  let at = writeReceiverReport(into, 0, 1, many)
  assert.is(at, 8 + 31 * 24)
  at += writeSdes(into, at, 1, 'n'.repeat(300))
  const parsed = parseRtcp(into, at)
  assert.is(parsed.ok && parsed.value[1]?.type === 'sdes' && parsed.value[1].names[0]?.cname.length, 255)
})

/** An empty receiver report first, then these bytes. */
const after = (...bytes: number[]): Uint8Array => Uint8Array.of(0x80, 201, 0, 1, 0, 0, 0, 9, ...bytes)
const faultOf = (bytes: Uint8Array): string => {
  const parsed = parseRtcp(bytes)
  return parsed.ok ? 'ok' : `${parsed.reason} ${parsed.at}`
}

test('the checks of RFC 3550 §A.2', () => {
  assert.is(faultOf(after()), 'ok')
  assert.is(faultOf(new Uint8Array(0)), 'too-short 0')
  assert.is(faultOf(after().subarray(0, 7)), 'too-short 0')
  assert.is(faultOf(new Uint8Array(1504)), 'too-long 0')
  assert.is(faultOf(Uint8Array.of(0x81, 203, 0, 1, 1, 2, 3, 4)), 'bad-first 0')
  assert.is(faultOf(Uint8Array.of(0x40, 201, 0, 1, 0, 0, 0, 9)), 'bad-version 0')
  assert.is(faultOf(Uint8Array.of(0x80, 201, 0, 2, 0, 0, 0, 9)), 'bad-length 0')
  assert.is(faultOf(Uint8Array.of(0x80, 201, 0, 0, 0, 0, 0, 9)), 'bad-length 0')
  assert.is(faultOf(Uint8Array.of(0x81, 201, 0, 1, 0, 0, 0, 9)), 'bad-length 0')
  assert.is(faultOf(after(0x80)), 'bad-length 8')
  assert.is(faultOf(after(0x00, 203, 0, 0)), 'bad-version 8')
})

test('padding stands on the last packet only, counts itself and whole words', () => {
  assert.is(faultOf(after(0xa0, 204, 0, 1, 0, 0, 0, 4)), 'ok')
  assert.is(faultOf(after(0xa0, 204, 0, 1, 0, 0, 0, 0)), 'bad-padding 8')
  assert.is(faultOf(after(0xa0, 204, 0, 1, 0, 0, 0, 3)), 'bad-padding 8')
  assert.is(faultOf(after(0xa0, 204, 0, 1, 0, 0, 0, 8)), 'bad-padding 8')
  assert.is(faultOf(after(0xa0, 204, 0, 1, 0, 0, 0, 4, 0x80, 203, 0, 0)), 'bad-padding 8')
  assert.is(faultOf(Uint8Array.of(0xa0, 201, 0, 2, 0, 0, 0, 9, 0, 0, 0, 4)), 'ok')
  assert.is(faultOf(Uint8Array.of(0xa1, 201, 0, 7, ...new Uint8Array(27), 4)), 'bad-length 0')
})

test('texts that are not used are stepped over, by the same rules', () => {
  const packet = after(0x81, 202, 0, 3, 0, 0, 0, 1, 1, 2, 65, 65, 1, 0, 0, 0, 0x81, 203, 0, 2, 0, 0, 0, 1, 2, 65, 65, 0)
  const parsed = parseRtcp(packet, packet.length, false)
  assert.ok(parsed.ok)
  assert.equal(parsed.value.slice(1), [
    { type: 'sdes', names: [] },
    { type: 'bye', ssrcs: [1], reason: '' },
  ])
  const broken = after(0x81, 202, 0, 2, 0, 0, 0, 1, 1, 2, 65, 65)
  assert.is(parseRtcp(broken, broken.length, false).ok, false)
})

test('SDES and BYE whose text runs past their end are refused', () => {
  assert.is(faultOf(after(0x81, 202, 0, 3, 0, 0, 0, 1, 1, 255, 65, 65, 65, 65, 65, 65)), 'bad-sdes 8')
  assert.is(faultOf(after(0x81, 202, 0, 2, 0, 0, 0, 1, 1, 2, 65, 65)), 'bad-sdes 8')
  assert.is(faultOf(after(0x82, 202, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0)), 'bad-sdes 8')
  assert.is(faultOf(after(0x81, 202, 0, 2, 0, 0, 0, 1, 1, 1, 65, 0)), 'ok')
  assert.is(faultOf(after(0x81, 203, 0, 2, 0, 0, 0, 1, 4, 65, 65, 65)), 'bad-length 8')
  assert.is(faultOf(after(0x9f, 203, 0, 1, 0, 0, 0, 1)), 'bad-length 8')
  assert.is(faultOf(after(0x80, 203, 0, 0)), 'ok')
})

test('what we do not know is passed over; extended reports are tolerated', () => {
  const bytes = after(0x83, 206, 0, 0, 0x80, 250, 0, 1, 1, 2, 3, 4, 0x80, 207, 0, 5, 0, 0, 0, 7)
  const blocks = [4, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 5, 9, 255, 255]
  assert.equal(parseRtcp(Uint8Array.of(...bytes, ...blocks)), {
    ok: true,
    value: [
      { type: 'receiver-report', ssrc: 9, reports: [] },
      { type: 'other', packetType: 206, count: 3 },
      { type: 'other', packetType: 250, count: 0 },
      { type: 'extended-report', ssrc: 7, blocks: [{ blockType: 4, typeSpecific: 0, from: 32, length: 8 }] },
    ],
  })
})

test('no bytes make it throw, and every fault lies inside', () => {
  const random = seeded(11)
  for (let round = 0; round < 20_000; round++) {
    const bytes = Uint8Array.from({ length: Math.floor(random() * 120) }, () => random() * 256)
    if (bytes.length > 8) {
      bytes[0] = 0x80 | (random() * 4)
      bytes[1] = 200 + random() * 8
      bytes[2] = 0
      bytes[3] = random() * 20
    }
    const parsed = parseRtcp(bytes)
    if (parsed.ok) assert.ok(parsed.value.length <= bytes.length / 4)
    else assert.ok(parsed.at <= bytes.length)
  }
})

test.run()
