import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opusSilence } from '../../../rtp/codec/opus.ts'
import { readOggOpus } from '../../../rtp/index.ts'
import { corpusFile, testBeside } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { oggFile, oggPage, opusHead, opusTags } from './ogg-pages.ts'

const hour = 3600 * 48_000
const reasonOf = (bytes: Uint8Array, most = hour): string => {
  const parsed = readOggOpus(bytes, most)
  return parsed.ok ? 'ok' : parsed.reason
}
const silence = (count: number): Uint8Array[] => new Array<Uint8Array>(count).fill(opusSilence)
/** A packet of 20 ms of that length. */
const long = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i === 0 ? 0xf8 : i & 0xff))

test('packets come out as they went in, across pages of any cut', () => {
  const packets = [long(3), long(255), long(254), long(256), long(510), long(1275), long(1), long(900)]
  for (const segmentsPerPage of [1, 2, 3, 5, 255]) {
    const parsed = readOggOpus(oggFile(packets, { segmentsPerPage }), hour)
    assert.ok(parsed.ok, `${segmentsPerPage}`)
    const { payload } = parsed.value
    assert.equal(
      parsed.value.packets.map(([from, end]) => Buffer.from(payload.subarray(from, end))),
      packets.map(packet => Buffer.from(packet)),
    )
    assert.is(parsed.value.units, 8 * 960 - 312)
  }
})

test('head, pre-skip, gain, and an end within the last packet (RFC 7845 §4, §5)', () => {
  const head = opusHead({ channels: 2, preSkip: 3840, gain: -1536 })
  const parsed = readOggOpus(oggFile(silence(50), { head, units: 48_000 - 500 }), hour)
  assert.ok(parsed.ok)
  const { channels, preSkip, gainDb, units } = parsed.value
  assert.equal({ channels, preSkip, gainDb, units }, { channels: 2, preSkip: 3840, gainDb: -6, units: 43_660 })
})

test('faults: each is reported for what it is', () => {
  const good = oggFile(silence(10))
  assert.is(reasonOf(good), 'ok')
  assert.is(reasonOf(Uint8Array.from(Buffer.from('RIFF'))), 'not-ogg')
  assert.is(reasonOf(new Uint8Array(0)), 'not-ogg')
  for (const cut of [4, 26, 30, 60, 100, good.length - 1]) assert.is(reasonOf(good.slice(0, cut)), 'truncated')
  const damaged = good.slice()
  damaged[good.length - 5]! ^= 1
  assert.is(reasonOf(damaged), 'bad-page')
  assert.is(reasonOf(oggFile(silence(10), { head: opusHead({ channels: 0 }) })), 'bad-head')
  assert.is(reasonOf(oggFile(silence(10), { head: opusHead({ channels: 6, family: 1 }) })), 'bad-head')
  assert.is(reasonOf(oggFile(silence(10), { head: opusHead({ channels: 6, family: 255 }) })), 'unsupported')
  assert.is(reasonOf(oggFile(silence(10), { head: opusHead({ channels: 9, family: 1 }) })), 'unsupported')
  assert.is(reasonOf(oggFile(silence(10), { head: opusHead({ version: 16 }) })), 'unsupported')
  assert.is(
    reasonOf(oggFile(silence(10), { head: Uint8Array.from(Buffer.from('\x01vorbis............')) })),
    'not-opus',
  )
  assert.is(reasonOf(oggFile(silence(10), { head: Uint8Array.from(Buffer.from('OpusHead\x01')) })), 'bad-head')
  // 63 frames of 60 ms in a packet.
  assert.is(reasonOf(oggFile([Uint8Array.of(0x1b, 63)])), 'bad-packet')
  assert.is(reasonOf(oggFile(silence(100)), 99 * 960), 'too-long')
})

test('a file that was cut off has what was whole, and what is chained after it begins where it ends', () => {
  const packets = [long(300), long(200), long(600), long(40)]
  const file = oggFile(packets, { segmentsPerPage: 2 })
  const other = oggFile(silence(3))
  const whole = readOggOpus(file, hour)
  assert.ok(whole.ok)
  const counts = new Set<number>()
  for (let cut = 0; cut <= file.length; cut++) {
    const parsed = readOggOpus(file.slice(0, cut), hour)
    if (!parsed.ok) {
      assert.is(parsed.reason, cut < 4 ? 'not-ogg' : 'truncated', `${cut}`)
      continue
    }
    const { isWhole, packets: kept, payload, units } = parsed.value
    counts.add(kept.length)
    for (const [at, [from, end]] of kept.entries()) {
      assert.equal(Buffer.from(payload.subarray(from, end)), Buffer.from(packets[at]!))
    }
    assert.ok(units <= kept.length * 960)
    if (isWhole && cut < file.length) assert.is(parsed.value.end, cut, 'between two pages')
  }
  assert.equal(
    [...counts],
    [0, 1, 2, 3, 4].filter(count => counts.has(count)),
  )
  assert.ok(counts.size >= 3, [...counts].join())
  assert.equal([whole.value.isWhole, whole.value.end], [true, file.length])
  const chained = readOggOpus(new Uint8Array(Buffer.concat([file, other])), hour)
  assert.ok(chained.ok)
  assert.equal([chained.value.isWhole, chained.value.end], [true, file.length])
  assert.is(chained.value.packets.length, 4)
})

test('pages out of order, of another beginning, or continued from nothing', () => {
  const head = oggPage([19], opusHead(), { flags: 2, sequence: 0 })
  const tags = oggPage([16], opusTags, { sequence: 1 })
  const page = (sequence: number, flags = 0) => oggPage([3], opusSilence, { sequence, flags, position: 1272 })
  const file = (...pages: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(pages))
  assert.is(reasonOf(file(head, tags, page(2, 4))), 'ok')
  assert.is(reasonOf(file(head, tags, page(3, 4))), 'ok')
  assert.is(reasonOf(file(head, page(3, 4))), 'bad-page')
  assert.is(reasonOf(file(head, tags, page(2, 1))), 'bad-page')
  assert.is(reasonOf(file(tags, page(2))), 'bad-page')
  assert.is(reasonOf(file(head)), 'truncated')
  assert.is(
    reasonOf(
      file(
        head,
        oggPage(
          [16],
          opusTags.map(byte => byte ^ 1),
          { sequence: 1 },
        ),
      ),
    ),
    'bad-head',
  )
  // Another stream beside ours is left out.
  const other = oggPage([3], opusSilence, { sequence: 77, serial: 5, flags: 2 })
  assert.is(reasonOf(file(head, other, tags, other, page(2, 4))), 'ok')
})

test('seeded mutations never throw, never hang, never promise more than there is', () => {
  const random = seeded(11)
  const good = oggFile([long(300), ...silence(5), long(600)], { segmentsPerPage: 2 })
  for (let round = 0; round < 20_000; round++) {
    const bytes = good.slice(0, random() < 0.3 ? Math.floor(random() * good.length) : good.length)
    for (let change = 0; change < 3 && bytes.length > 0; change++) {
      bytes[Math.floor(random() * bytes.length)] = random() * 256
    }
    const parsed = readOggOpus(bytes, hour)
    if (parsed.ok) for (const [from, end] of parsed.value.packets) assert.ok(from < end && end <= bytes.length)
  }
})

test('pages that are missing, damaged, doubled or cut short: the others are there, and how long the gap is', () => {
  const head = oggPage([19], opusHead(), { flags: 2, sequence: 0 })
  const tags = oggPage([16], opusTags, { sequence: 1 })
  /** Half a second: five packets of 100 ms, distinguished by their last byte. */
  const packet = (n: number) => Uint8Array.of(0xfb, 5, n)
  const pageOf = (n: number, flags = 0) =>
    oggPage(
      new Array<number>(5).fill(3),
      new Uint8Array(Buffer.concat(Array.from({ length: 5 }, (_, i) => packet(5 * n + i)))),
      { sequence: n + 2, position: 24_000 * (n + 1), flags },
    )
  const pages = [0, 1, 2, 3].map(n => pageOf(n, n === 3 ? 4 : 0))
  const read = (...parts: readonly Uint8Array[]) => {
    const parsed = readOggOpus(new Uint8Array(Buffer.concat([head, tags, ...parts])), hour)
    if (!parsed.ok) return parsed.reason
    const { packets, payload, gaps, units, isWhole } = parsed.value
    const reported = gaps.map(gap => `${gap.units} before ${gap.before}`).join()
    return `${packets.map(([from]) => payload[from + 2]).join(' ')} (${reported}) ${units} ${isWhole}`
  }
  const damaged = (page: Uint8Array, at: number) => page.map((byte, n) => (n === at ? byte ^ 0x20 : byte))
  const all = '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19'
  const lacking = '0 1 2 3 4 10 11 12 13 14 15 16 17 18 19 (24000 before 5) 95688 true'
  const [a, b, c, d] = pages as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  assert.is(read(a, b, c, d), `${all} () 95688 true`)
  assert.is(read(a, c, d), lacking)
  for (const at of [0, 5, 16, 20, 24, 26, 28, 40]) assert.is(read(a, damaged(b, at), c, d), lacking, `byte ${at}`)
  assert.is(read(a, b.subarray(0, 30), c, d), lacking)
  assert.is(read(a, Buffer.from('rubbish OggS rubbish'), c, d), lacking)
  assert.is(read(a, b, b, c, a, d), `${all} () 95688 true`)
  assert.is(
    read(b, c, d),
    '5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 () 71688 true',
    'no gap is told of before the first',
  )
  assert.is(read(a, b, c), '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 () 71688 true')
  assert.is(read(...pages.map(page => damaged(page, 40))), 'bad-page')
})

test('a packet that lies across a page that is missing is left out, and nothing else', () => {
  const packets = [long(300), long(200), long(600), long(40), long(50)]
  const file = oggFile(packets, { segmentsPerPage: 2 })
  const starts = [...Buffer.from(file).toString('latin1').matchAll(/OggS/g)].map(({ index }) => index)
  for (const [n, start] of starts.entries()) {
    if (n < 2) continue
    const without = new Uint8Array(
      Buffer.concat([file.subarray(0, start), file.subarray(starts[n + 1] ?? file.length)]),
    )
    const parsed = readOggOpus(without, hour)
    assert.ok(parsed.ok, `page ${n}`)
    const lengths = parsed.value.packets.map(([from, end]) => end - from)
    assert.ok(
      lengths.length >= 3 && lengths.every(length => packets.some(packet => packet.length === length)),
      `${lengths}`,
    )
  }
})

test('a stream of six channels is mixed by shares, without its low-frequency channel', () => {
  const head = new Uint8Array(27)
  head.set(opusHead({ channels: 6, family: 1 }))
  head.set([4, 2, 0, 4, 1, 2, 3, 5], 19)
  const parsed = readOggOpus(oggFile(silence(3), { head }), hour)
  assert.ok(parsed.ok)
  const { shares, channels } = parsed.value
  assert.is(channels, 6)
  // Left and right; both rear ones; the middle; the low-frequency channel.
  const of = [1, Math.SQRT1_2, Math.SQRT1_2, 0]
  const sum = 1 + 2 * Math.SQRT1_2
  assert.equal(
    shares.map(share => share.toFixed(6)),
    of.map(share => (share / sum).toFixed(6)),
  )
  head.set([9], 21)
  assert.is(reasonOf(oggFile(silence(3), { head })), 'bad-head')
})

testBeside('rtp-pcap', 'a real file, by another encoder', () => {
  const parsed = readOggOpus(corpusFile('rtp-pcap/asterisk-testsuite/audio/16_bit_48khz_2_4_2.opus'), hour)
  assert.ok(parsed.ok)
  assert.is(parsed.value.channels, 1)
  assert.is(parsed.value.units, 8 * 48_000)
})

test.run()
