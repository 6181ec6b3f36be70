import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opusSilenceInto, opusUnitsIn } from '../../../rtp/codec/opus.ts'
import { OpusFrames } from '../../../rtp/codec/opus-frames.ts'
import { OpusPacker } from '../../../rtp/codec/opus-packer.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const frames = new OpusFrames()
const read = (...bytes: number[]) => {
  const payload = Uint8Array.of(9, 9, ...bytes, 9, 9)
  if (!frames.read(payload, 2, bytes.length)) return undefined
  return Array.from({ length: frames.count }, (_, i) => [
    ...payload.subarray(frames.starts[i], frames.starts[i]! + frames.lengths[i]!),
  ])
}
const many = (count: number, value = 5) => Array.from({ length: count }, () => value)

test('the frames of a packet, by its four kinds (RFC 6716 §3.2)', () => {
  assert.equal(read(0x48), [[]])
  assert.equal(read(0x48, 1, 2, 3), [[1, 2, 3]])
  assert.is(frames.kind, 0x48)
  assert.equal(read(0x49, 1, 2, 3, 4), [
    [1, 2],
    [3, 4],
  ])
  assert.equal(read(0x4e, 1, 2, 3, 4), [[2], [3, 4]])
  assert.is(frames.kind, 0x4c)
  assert.equal(read(0x4a, 252, 0, ...many(252), 7), [many(252), [7]])
  assert.equal(read(0x4a, 0, 8), [[], [8]])
  assert.equal(read(0x4b, 3, 1, 2, 3), [[1], [2], [3]])
  assert.equal(read(0x4b, 0x83, 2, 0, 1, 2, 3), [[1, 2], [], [3]])
  assert.equal(read(0x4b, 0x41, 2, 1, 0, 0), [[1]], 'padding is left out')
  assert.equal(read(0x4b, 0x41, 255, 1, 7, ...many(255, 0)), [[7]])
})

test('what is no packet has no frames (RFC 6716 §3.4)', () => {
  for (const bytes of [
    [],
    [0x49, 1, 2, 3],
    [0x4a],
    [0x4a, 3, 1, 2],
    [0x4a, 252],
    [0x4b],
    [0x4b, 0],
    [0x4b, 49, ...many(98)],
    [0x4b, 2, 1, 2, 3],
    [0x4b, 0x82],
    [0x4b, 0x82, 3, 1, 2],
    [0x4b, 0x41],
    [0x4b, 0x41, 5, 1],
    [0x4b, 0x41, 255],
    [0x48, ...many(1276)],
  ])
    assert.is(read(...bytes), undefined, bytes.slice(0, 6).join(' '))
})

test('frames come out of a packet as they went in', () => {
  const random = seeded(3)
  const packer = new OpusPacker()
  const into = new Uint8Array(1500)
  for (let round = 0; round < 500; round++) {
    const kind = Math.floor(random() * 64) << 2
    const each = opusUnitsIn(Uint8Array.of(kind), 0, 1)
    const put: number[][] = []
    for (;;) {
      const length = Math.floor(random() * (round % 2 === 0 ? 80 : 400))
      if (!packer.fits(kind, length, each, 2880)) break
      const frame = Array.from({ length }, () => Math.floor(random() * 256))
      packer.add(kind, Uint8Array.from(frame), 0, length, each)
      put.push(frame)
    }
    assert.is(packer.units, each * put.length)
    const bytes = packer.takeInto(into, 3)
    assert.ok(bytes <= 1200 && packer.isEmpty && packer.units === 0)
    assert.is(opusUnitsIn(into, 3, bytes), each * put.length)
    assert.equal(read(...into.subarray(3, 3 + bytes)), put)
    assert.is(frames.kind, kind)
  }
})

test('a frame of another kind, one too many, or too many bytes do not fit; the first always does', () => {
  const packer = new OpusPacker()
  assert.ok(packer.fits(0x48, 1275, 960, 480))
  packer.add(0x48, new Uint8Array(1275), 0, 700, 960)
  assert.not(packer.fits(0x4c, 10, 960, 2880))
  assert.not(packer.fits(0x48, 10, 960, 1900))
  assert.not(packer.fits(0x48, 600, 960, 2880))
  assert.ok(packer.fits(0x48, 10, 960, 1920))
  packer.drop()
  assert.ok(packer.isEmpty)
})

test('silence of any length that a packet can have, in as few frames as can be', () => {
  const into = new Uint8Array(120)
  for (let units = 120; units <= 5760; units += 120) {
    const bytes = opusSilenceInto(into, 1, units)
    assert.is(opusUnitsIn(into, 1, bytes), units)
    const found = read(...into.subarray(1, 1 + bytes))
    assert.ok(
      found?.every(frame => frame.join() === '255,254'),
      `${units}`,
    )
    if (units % 960 === 0) assert.is(found?.length, units / 960)
  }
  assert.equal([...into.subarray(1, 1 + opusSilenceInto(into, 1, 960))], [0xf8, 0xff, 0xfe])
})

test('no bytes make it throw, and every frame lies inside', () => {
  const random = seeded(77)
  for (let i = 0; i < 100_000; i++) {
    const bytes = Uint8Array.from({ length: Math.floor(random() * 24) }, () => Math.floor(random() * 256))
    const from = Math.min(bytes.length, Math.floor(random() * 3))
    if (!frames.read(bytes, from, bytes.length - from)) continue
    let end = from + 1
    for (let n = 0; n < frames.count; n++) {
      assert.ok(frames.starts[n]! >= end)
      end = frames.starts[n]! + frames.lengths[n]!
    }
    assert.ok(end <= bytes.length && frames.count > 0)
  }
})

test.run()
