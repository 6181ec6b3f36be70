import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeWav, parseWav, type WavFormat, wavHeader } from '../../../rtp/index.ts'
import { decodeWavInto } from '../../../rtp/wav/decode.ts'
import type { WavEncoding } from '../../../rtp/wav/format.ts'
import { maxWavDataLengthOf, wavHeaderLengthOf, wavPaddingOf } from '../../../rtp/wav/write.ts'
import { wavAttacks } from '../../fixtures/wav-attacks.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const fileOf = (format: WavFormat, data: Uint8Array): Uint8Array => {
  const header = wavHeader(format, data.length)
  const file = new Uint8Array(header.length + data.length + wavPaddingOf(data.length))
  file.set(header)
  file.set(data, header.length)
  return file
}
const bytesOf = (length: number, set: (view: DataView) => void): Uint8Array => {
  const bytes = new Uint8Array(length)
  set(new DataView(bytes.buffer))
  return bytes
}
const ok = (bytes: Uint8Array, fileLength?: number) => {
  const parsed = parseWav(bytes, fileLength)
  assert.ok(parsed.ok, parsed.ok ? '' : `${parsed.reason} at ${parsed.at}`)
  return parsed.value
}
const received = (format: WavFormat, data: Uint8Array): number[] => {
  const file = fileOf(format, data)
  return [...decodeWav(file, ok(file))]
}
const mono = (encoding: WavEncoding): WavFormat => ({ encoding, sampleRate: 8000, channels: 1 })
const verdict = (bytes: Uint8Array): string => {
  const parsed = parseWav(bytes)
  return parsed.ok ? 'ok' : parsed.reason
}

test('16 bits come back as they were, any length at every instant', () => {
  const data = bytesOf(200, view => {
    for (let i = 0; i < 100; i++) view.setInt16(2 * i, i * 655 - 32_768, true)
  })
  assert.equal(
    received(mono('pcm16'), data),
    Array.from({ length: 100 }, (_, i) => i * 655 - 32_768),
  )
  // Samples were added and the head was not updated yet: the counted ones are played, the rest is not.
  for (let counted = 0; counted <= 200; counted++) {
    const file = fileOf(mono('pcm16'), data)
    file.set(wavHeader(mono('pcm16'), counted))
    assert.is(ok(file).dataLength, counted - (counted % 2))
  }
})

test('every encoding is decoded to 16 bits', () => {
  assert.equal(received(mono('pcm8'), Uint8Array.of(0, 128, 255)), [-32_768, 0, 32_512])
  assert.equal(received(mono('pcm24'), Uint8Array.of(0xff, 0x34, 0x12, 0, 0, 0x80)), [0x1234, -32_768])
  assert.equal(received(mono('pcm32'), Uint8Array.of(9, 9, 0x34, 0x92)), [0x9234 - 0x10000])
  assert.equal(received(mono('alaw'), Uint8Array.of(0xd5, 0x2a)), [8, -32_256])
  assert.equal(received(mono('mulaw'), Uint8Array.of(0xff, 0x00)), [0, -32_124])
  const floats = [0, 0.5, -0.5, 1, -1, 7, -7, Number.NaN, Infinity, -Infinity, 1e-9]
  const data = bytesOf(4 * floats.length, view => floats.forEach((one, i) => void view.setFloat32(4 * i, one, true)))
  const limit = [32_767, -32_768]
  assert.equal(received(mono('float32'), data), [0, 16_384, -16_384, ...limit, ...limit, 0, ...limit, 0])
  const wide = bytesOf(8 * floats.length, view => floats.forEach((one, i) => void view.setFloat64(8 * i, one, true)))
  assert.equal(received(mono('float64'), wide), [0, 16_384, -16_384, ...limit, ...limit, 0, ...limit, 0])
})

test('channels become their mean', () => {
  const data = bytesOf(12, view =>
    [100, 300, -5, -6, 32_767, 32_767].forEach((one, i) => void view.setInt16(2 * i, one, true)),
  )
  assert.equal(received({ encoding: 'pcm16', sampleRate: 48_000, channels: 2 }, data), [200, -5, 32_767])
})

test('the head says what it must, plain and with fact chunk', () => {
  const plain = wavHeader(mono('pcm16'), 320)
  assert.is(new TextDecoder('latin1').decode(plain.subarray(0, 16)), 'RIFF\x64\x01\0\0WAVEfmt ')
  assert.equal(
    [...plain.subarray(16)],
    [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0, 100, 97, 116, 97, 64, 1, 0, 0],
  )
  const companded = wavHeader(mono('mulaw'), 161)
  assert.is(companded.length, 58)
  const view = new DataView(companded.buffer)
  assert.equal([view.getUint32(4, true), view.getUint32(46, true), view.getUint32(54, true)], [50 + 162, 161, 161])
})

test('sizes are limited to 4 GB, the most that 32 bits can express', () => {
  for (const channels of [1, 2])
    for (const encoding of ['pcm16', 'mulaw', 'pcm24'] as const) {
      const format = { encoding, sampleRate: 8000, channels }
      const most = maxWavDataLengthOf(format)
      for (const length of [most, most + 1, 2 ** 32, 2 ** 40]) {
        const header = wavHeader(format, length)
        const view = new DataView(header.buffer)
        assert.is(view.getUint32(header.length - 4, true), most)
        assert.ok(view.getUint32(4, true) >= most)
        assert.is(ok(header, wavHeaderLengthOf(format) + length).dataLength, most)
      }
    }
})

test('a head alone suffices when the length of the file is reported', () => {
  const file = ok(wavHeader(mono('pcm16'), 16_000), 44 + 8000)
  assert.equal([file.dataFrom, file.dataLength, file.durationMs], [44, 8000, 500])
  const header = wavHeader(mono('pcm16'), 0)
  assert.is(ok(header, 44).dataLength, 0)
})

test('pieces decode as the whole does', () => {
  const data = Uint8Array.from({ length: 400 }, (_, i) => i)
  const format: WavFormat = { encoding: 'pcm16', sampleRate: 8000, channels: 2 }
  const whole = received(format, data)
  const pcm = new Int16Array(100)
  for (let frame = 0; frame < 100; frame += 7) decodeWavInto(pcm, frame, data, 4 * frame, 7, format)
  assert.equal([...pcm], whole)
  assert.is(decodeWavInto(pcm, 0, data, 398, 5, format), 0)
  assert.is(decodeWavInto(pcm, 0, data, 900, 5, format), 0)
})

const rf64 = (high: number): Uint8Array => {
  const chunk = bytesOf(36, view => {
    view.setUint32(0, 0x64733634)
    view.setUint32(4, 28, true)
    view.setUint32(16, 6, true)
    view.setUint32(20, high, true)
  })
  const plain = fileOf(mono('pcm16'), Uint8Array.of(1, 0, 2, 0, 3, 0, 4, 0))
  const file = new Uint8Array(plain.length + 36)
  file.set(plain.subarray(0, 12))
  file.set(chunk, 12)
  file.set(plain.subarray(12), 48)
  file.set(new TextEncoder().encode('RF64'))
  new DataView(file.buffer).setUint32(4, 0xffff_ffff, true)
  new DataView(file.buffer).setUint32(36 + 40, 0xffff_ffff, true)
  return file
}

test('RF64 has its sizes in ds64 (EBU Tech 3306)', () => {
  assert.is(ok(rf64(0)).dataLength, 6)
  assert.is(ok(rf64(1)).dataLength, 8)
  assert.is(verdict(rf64(0xffff_ffff)), 'bad-chunk')
})

test('formats out of range are refused', () => {
  const edited = (at: number, ...values: number[]) => {
    const file = fileOf(mono('pcm16'), new Uint8Array(8))
    file.set(values, at)
    return verdict(file)
  }
  assert.is(edited(0), 'ok')
  assert.is(edited(0, 0x72), 'not-wav')
  assert.is(edited(16, 15), 'bad-format')
  assert.is(edited(20, 2), 'unsupported')
  assert.is(edited(20, 0xfe, 0xff), 'bad-format')
  assert.is(edited(22, 0), 'bad-format')
  assert.is(edited(22, 9), 'bad-format')
  assert.is(edited(22, 65), 'unsupported')
  assert.is(edited(24, 0, 0, 0, 0), 'bad-format')
  assert.is(edited(24, 0, 0, 1, 0), 'ok')
  assert.is(edited(24, 0, 0, 0, 1), 'unsupported')
  assert.is(edited(24, 0x9f, 0x0f), 'unsupported')
  assert.is(edited(32, 4), 'bad-format')
  assert.is(edited(34, 12), 'ok')
  assert.is(edited(34, 20), 'bad-format')
  assert.is(edited(34, 7), 'unsupported')
  assert.is(edited(34, 33), 'unsupported')
  assert.is(edited(36, 0x64, 0x61, 0x74, 0x62), 'truncated')
  assert.is(edited(12, 0x78), 'no-format')
})

test('every hostile file gets its verdict, at once', () => {
  for (const [file, { bytes, plays, durationMs }] of Object.entries(wavAttacks())) {
    const began = performance.now()
    const parsed = parseWav(bytes)
    assert.ok(performance.now() - began < 100, file)
    if (plays !== 'either') assert.is(parsed.ok, plays, `${file}: ${JSON.stringify(parsed)}`)
    if (!parsed.ok) continue
    assert.is(decodeWav(bytes, parsed.value).length, (parsed.value.durationMs * parsed.value.sampleRate) / 1000, file)
    assert.ok(parsed.value.durationMs > 0, file)
    if (durationMs !== undefined) assert.is(parsed.value.durationMs, durationMs, file)
  }
})

test('no bytes make it throw, and data lies inside the file', () => {
  const random = seeded(21)
  const seeds = [fileOf(mono('pcm16'), new Uint8Array(40)), fileOf(mono('mulaw'), new Uint8Array(40)), rf64(0)]
  for (let round = 0; round < 20_000; round++) {
    const bytes = Uint8Array.from(seeds[round % 3]!.subarray(0, 20 + Math.floor(random() * 100)))
    for (let edits = random() * 4; edits > 0; edits--) {
      bytes[Math.floor(random() * bytes.length)] = random() < 0.3 ? 255 : random() * 256
    }
    const parsed = parseWav(bytes)
    if (parsed.ok) {
      assert.ok(parsed.value.dataFrom + parsed.value.dataLength <= bytes.length)
      decodeWav(bytes, parsed.value)
    }
  }
})

test.run()
