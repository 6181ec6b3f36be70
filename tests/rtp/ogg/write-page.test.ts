import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opusSilence } from '../../../rtp/codec/opus.ts'
import { firstPacketIn, readOggOpus, withoutDelimiter } from '../../../rtp/index.ts'
import { lastOpusPage, OpusPages, oggPageLength, oggPositionOf } from '../../../rtp/ogg/opus-pages.ts'
import { isOgg, oggChecksum, oggFirst, oggHeadLength, oggLast } from '../../../rtp/ogg/page.ts'
import { delimitInto } from '../../../rtp/ogg/self-delimited.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { oggPage } from './ogg-pages.ts'

const hour = 3600 * 48_000
const mono = { channels: 1, preSkip: 312, inputRate: 8000 } as const
const joined = (...pages: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(pages))
/** A packet of one frame of 20 ms, that long. */
const packetOf = (length: number, fill = length): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i === 0 ? 0x08 : (fill + i) & 0xff))
const pagesIn = (file: Uint8Array): Uint8Array[] => {
  const pages: Uint8Array[] = []
  for (let at = 0; at < file.length; at += pages.at(-1)!.length) {
    const length = oggPageLength(file, at)
    assert.ok(length > 0, `a page at ${at}`)
    pages.push(file.subarray(at, at + length))
  }
  return pages
}

test('the checksum is the CRC of polynomial 04c11db7 that begins with 0 (RFC 3533 §6)', () => {
  // The check value of CRC-32/CKSUM without its inversion at the end.
  assert.is(oggChecksum(Uint8Array.from(Buffer.from('123456789')), 0, 9), 0x89a1_897f)
})

test('the head is two pages: OpusHead of version 1 and OpusTags (RFC 7845 §3, §5)', () => {
  const head = new OpusPages(0xdead_beef).head(mono)
  const [first, second, ...more] = pagesIn(head)
  assert.is(more.length, 0)
  assert.is(first![5], oggFirst)
  assert.is(second![5], 0)
  assert.equal(
    [first, second].map(page => oggPositionOf(page!)),
    [0, 0],
  )
  assert.equal([...first!.subarray(14, 22)], [0xef, 0xbe, 0xad, 0xde, 0, 0, 0, 0])
  assert.is(second![18], 1)
  const hex = Buffer.from(first!.subarray(28)).toString('hex')
  assert.is(hex, `${Buffer.from('OpusHead').toString('hex')}01013801401f0000000000`)
  const tags = Buffer.from(second!.subarray(28))
  assert.is(tags.toString('latin1', 0, 8), 'OpusTags')
  assert.is(tags.readUInt32LE(8), tags.length - 16)
  assert.is(tags.readUInt32LE(tags.length - 4), 0, 'no comments')
})

test('two channels are two streams, left and right, not coupled (RFC 7845 §5.1.1)', () => {
  const [first] = pagesIn(new OpusPages(1).head({ channels: 2, preSkip: 312, inputRate: 16_000 }))
  assert.equal([...first!.subarray(28 + 9, 28 + 10), ...first!.subarray(28 + 18)], [2, 1, 2, 0, 0, 1])
})

test('packets of all lengths come back, and pages say where they end', () => {
  const pages = new OpusPages(7)
  const parts = [pages.head(mono)]
  const packets = Array.from({ length: 700 }, (_, n) => packetOf(1 + ((n * 37) % 1275)))
  for (const [n, packet] of packets.entries()) {
    if (!pages.hasRoom(packet.length) || n % 50 === 0) {
      const page = pages.take()
      if (page !== undefined) parts.push(page.slice())
    }
    pages.add(packet, packet.length)
  }
  parts.push(pages.take()!.slice())
  assert.is(pages.take(), undefined)
  assert.is(pages.position, 700 * 960)
  const last = parts.pop()!
  const before = oggPositionOf(parts.at(-1)!)
  const file = joined(...parts, lastOpusPage(last, before, 700 * 960 - 100))
  const parsed = readOggOpus(file, hour)
  assert.ok(parsed.ok)
  const { payload, units } = parsed.value
  assert.is(units, 700 * 960 - 100 - 312)
  assert.equal(
    parsed.value.packets.map(([from, end]) => Buffer.from(payload.subarray(from, end))),
    packets.map(packet => Buffer.from(packet)),
  )
})

test('the last page keeps the packets up to its end, and says that it is the last (RFC 7845 §4.4)', () => {
  const pages = new OpusPages(7)
  for (let n = 0; n < 50; n++) pages.add(packetOf(255 * (n % 3) + 10), 255 * (n % 3) + 10)
  const page = pages.take()!.slice()
  const before = 48_000
  for (const [end, packets] of [
    [before + 48_000, 50],
    [before + 47_999, 50],
    [before + 961, 2],
    [before + 960, 1],
    [before + 1, 1],
    [before, 1],
  ] as const) {
    const last = lastOpusPage(page, before, end)
    assert.is(oggPageLength(last, 0), last.length)
    assert.is(last[5], oggLast)
    assert.is(oggPositionOf(last), end)
    const laces = last.subarray(oggHeadLength, oggHeadLength + last[26]!)
    assert.is(laces.filter(lace => lace < 255).length, packets, `${end}`)
    const crc = new DataView(last.buffer, last.byteOffset).getUint32(22, true)
    assert.is(oggChecksum(last, 0, last.length), crc)
  }
})

test('a packet that is delimited comes out as it went in, at every length (RFC 6716 appendix B)', () => {
  const into = new Uint8Array(3000)
  for (let length = 1; length <= 1276; length++) {
    const packet = packetOf(length)
    const written = delimitInto(into, 5, packet, length)
    assert.is(written, length + (length - 1 < 252 ? 1 : 2))
    into.set(packetOf(40, 9), 5 + written)
    const first = firstPacketIn(into, 5, 5 + written + 40)
    assert.is(first?.next, 5 + written)
    assert.equal(withoutDelimiter(into, 5, first!), packet)
  }
  assert.is(delimitInto(into, 0, Uint8Array.of(0x09, 1, 2), 3), 0, 'several frames')
})

test('delimited packets of other encoders: two frames, many, padded (RFC 6716 §3.2, appendix B)', () => {
  const rows: [what: string, delimited: number[], plain: number[]][] = [
    ['two of one length', [0x09, 2, 1, 2, 3, 4], [0x09, 1, 2, 3, 4]],
    ['two of two lengths', [0x0a, 1, 3, 1, 2, 3, 4], [0x0a, 1, 1, 2, 3, 4]],
    ['three of one length', [0x0b, 3, 2, 1, 2, 3, 4, 5, 6], [0x0b, 3, 1, 2, 3, 4, 5, 6]],
    ['three of their own', [0x0b, 0x83, 1, 0, 2, 1, 2, 3], [0x0b, 0x83, 1, 0, 1, 2, 3]],
    ['padded', [0x0b, 0x41, 2, 1, 7, 0, 0], [0x0b, 0x41, 2, 7, 0, 0]],
  ]
  for (const [what, delimited, plain] of rows) {
    const bytes = Uint8Array.of(...delimited, 0x08, 99)
    const first = firstPacketIn(bytes, 0, bytes.length)
    assert.is(first?.next, delimited.length, what)
    assert.equal([...withoutDelimiter(bytes, 0, first!)], plain, what)
  }
})

test('rubbish is no packet, and nothing throws', () => {
  const random = seeded(5)
  let found = 0
  for (let n = 0; n < 20_000; n++) {
    const bytes = Uint8Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * 256))
    const first = firstPacketIn(bytes, 0, bytes.length)
    if (first === undefined) continue
    found++
    assert.ok(first.next <= bytes.length && first.next > 0)
    assert.ok(withoutDelimiter(bytes, 0, first).length < bytes.length)
  }
  assert.ok(found > 100)
})

test('heads with channels mapped in other ways are read, or refused', () => {
  const head = (...family: number[]) => {
    const bytes = new Uint8Array(18 + family.length)
    bytes.set(Buffer.from('OpusHead\x01'))
    bytes[9] = family.length === 4 ? 1 : 2
    bytes.set(family, 18)
    return bytes
  }
  const tags = Uint8Array.from(Buffer.from('OpusTags\0\0\0\0\0\0\0\0'))
  const reported = (bytes: Uint8Array) => {
    const file = joined(
      oggPage([bytes.length], bytes, { flags: 2, sequence: 0 }),
      oggPage([16], tags, { sequence: 1 }),
      oggPage([3], opusSilence, { sequence: 2, flags: 4, position: 960 }),
    )
    const parsed = readOggOpus(file, hour)
    return parsed.ok ? parsed.value.shares.length : parsed.reason
  }
  assert.is(reported(head(1, 2, 0, 0, 1)), 2)
  assert.is(reported(head(1, 2, 0, 1, 0)), 2)
  assert.is(reported(head(1, 1, 1, 0, 1)), 1)
  assert.is(reported(head(1, 1, 0, 0)), 1)
  assert.is(reported(head(1, 2, 0, 0, 0)), 2)
  assert.is(reported(head(1, 2, 1, 0, 1)), 2)
  assert.is(reported(head(255, 2, 0, 0, 1)), 'unsupported')
  assert.is(reported(head(1, 2)), 'bad-head')
})

test('a page that is cut off has no length', () => {
  const pages = new OpusPages(3)
  pages.add(packetOf(300), 300)
  const page = pages.take()!.slice()
  for (let length = 0; length < page.length; length++) assert.is(oggPageLength(page.subarray(0, length), 0), 0)
  assert.is(oggPageLength(page, 0), page.length)
  assert.ok(isOgg(page))
})

test.run()
