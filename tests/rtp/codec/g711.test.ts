import { crc32 } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodec } from '../../../rtp/codec/codec.ts'
import { pcma, pcmaToPcmuInto, pcmuToPcmaInto, silenceOfPcma, silenceOfPcmu } from '../../../rtp/codec/g711.ts'
import { pcmu } from '../../../rtp/index.ts'
import { corpusFile, testBeside } from '../../fixtures/inputs.ts'

const words = (bytes: Uint8Array): Int16Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Int16Array.from({ length: bytes.length >> 1 }, (_, at) => view.getInt16(2 * at, true))
}
/** As the reference's files: every value a 16-bit word, low byte first. */
const crcOfWords = (values: ArrayLike<number>): string => {
  const bytes = new Uint8Array(2 * values.length)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < values.length; at++) view.setInt16(2 * at, values[at]!, true)
  return crc32(bytes).toString(16)
}
const sweep = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768)
const encoded = (codec: AudioCodec, pcm: Int16Array = sweep): Uint8Array => {
  const into = new Uint8Array(pcm.length)
  assert.is(codec.encodeInto(into, 0, pcm, 0, pcm.length), pcm.length)
  return into
}
const decoded = (codec: AudioCodec, payload: Uint8Array): Int16Array => {
  const into = new Int16Array(payload.length)
  assert.is(codec.decodeInto(into, 0, payload, 0, payload.length), payload.length)
  return into
}
const codes = Uint8Array.from({ length: 256 }, (_, at) => at)

testBeside('itu-g711', 'A-law is the ITU sweep, value for value (G.191 STL sweep-r)', () => {
  const source = words(corpusFile('itu-g711/sweep.src'))
  assert.equal(source, sweep)
  assert.equal(Int16Array.from(encoded(pcma, source)), words(corpusFile('itu-g711/sweep-r.a')))
  assert.equal(decoded(pcma, encoded(pcma, source)), words(corpusFile('itu-g711/sweep-r.a-a')))
  assert.equal(decoded(pcma, encoded(pcma, source)), words(corpusFile('itu-g711/sweep-r.rea')))
})

// The reference publishes these checksums of its own outputs for all 65,536 inputs, so that the files are not needed.
test('both laws give the checksums that ITU-T G.191 publishes for its sweep files', () => {
  assert.is(crcOfWords(sweep), 'c8ba7682')
  assert.is(crcOfWords(encoded(pcma)), '74719fe4')
  assert.is(crcOfWords(decoded(pcma, encoded(pcma))), 'abceaa69')
  assert.is(crcOfWords(encoded(pcmu)), 'cd170e15')
  assert.is(crcOfWords(decoded(pcmu, encoded(pcmu))), '63641c01')
})

test('every code but mu-law negative zero survives decode and encode', () => {
  assert.equal(encoded(pcma, decoded(pcma, codes)), codes)
  const again = encoded(pcmu, decoded(pcmu, codes))
  assert.is(again[0x7f], 0xff)
  again[0x7f] = 0x7f
  assert.equal(again, codes)
})

test('silence is silent', () => {
  assert.equal([...decoded(pcmu, Uint8Array.of(silenceOfPcmu))], [0])
  assert.equal([...decoded(pcma, Uint8Array.of(silenceOfPcma))], [8])
  assert.equal([...encoded(pcmu, new Int16Array(2))], [silenceOfPcmu, silenceOfPcmu])
  assert.equal([...encoded(pcma, new Int16Array(2))], [silenceOfPcma, silenceOfPcma])
})

test('transcoding equals decoding and encoding, in place too, and settles after one round', () => {
  const toA = Uint8Array.from(codes)
  assert.is(pcmuToPcmaInto(toA, 0, toA, 0, 256), 256)
  assert.equal(toA, encoded(pcma, decoded(pcmu, codes)))
  const toMu = new Uint8Array(256)
  pcmaToPcmuInto(toMu, 0, codes, 0, 256)
  assert.equal(toMu, encoded(pcmu, decoded(pcma, codes)))
  const round = Uint8Array.from(toA)
  pcmaToPcmuInto(round, 0, round, 0, 256)
  const twice = Uint8Array.from(round)
  pcmuToPcmaInto(twice, 0, twice, 0, 256)
  pcmaToPcmuInto(twice, 0, twice, 0, 256)
  assert.equal(twice, round)
})

test('offsets are kept on both sides', () => {
  const into = new Uint8Array(6).fill(1)
  assert.is(pcmu.encodeInto(into, 2, Int16Array.of(9, 0, 0, 9), 1, 2), 2)
  assert.equal([...into], [1, 1, 0xff, 0xff, 1, 1])
  const pcm = new Int16Array(4).fill(5)
  assert.is(pcma.decodeInto(pcm, 1, Uint8Array.of(0, silenceOfPcma, 0), 1, 1), 1)
  assert.equal([...pcm], [5, 8, 5, 5])
})

test.run()
