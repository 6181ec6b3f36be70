import { crc32 } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { G722Decoder } from '../../../rtp/codec/g722.ts'
import { G722Encoder, pcmu, resample } from '../../../rtp/index.ts'
import { levelAt } from '../../../rtp/tone/goertzel.ts'
import { corpusFile, testBeside } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { delayOf, segmentalSnrDb, sine, snrDb, speechLike } from '../bed/audio-measure.ts'

const rate = 16_000

const encoded = (pcm: Int16Array, pieces = [320]): Uint8Array => {
  const encoder = new G722Encoder()
  const bytes = new Uint8Array(pcm.length >> 1)
  let written = 0
  for (let at = 0, n = 0; at < pcm.length; n++) {
    const count = Math.min(pieces[n % pieces.length]!, pcm.length - at)
    written += encoder.encodeInto(bytes, written, pcm, at, count)
    at += count
  }
  assert.is(written, bytes.length)
  return bytes
}
const decoded = (bytes: Uint8Array): Int16Array => {
  const pcm = new Int16Array(2 * bytes.length)
  assert.is(new G722Decoder().decodeInto(pcm, 0, bytes, 0, bytes.length), pcm.length)
  return pcm
}

/** The two mirror filters hold 24 taps each: 22 samples between them. */
const filterDelay = 22

test('tones of both bands come back at their level, with little noise', () => {
  for (const [hz, least] of [
    [300, 25],
    [1000, 25],
    [2500, 22],
    [3400, 20],
    [5000, 12],
    [6500, 10],
  ] as const) {
    const pcm = sine(hz, rate, rate)
    const received = decoded(encoded(pcm))
    assert.ok(Math.abs(levelAt(received, 4000, 8000, hz, rate) - levelAt(pcm, 4000, 8000, hz, rate)) < 0.7, `${hz} Hz`)
    const snr = snrDb(pcm, received, filterDelay, 2000)
    assert.ok(snr > least, `${hz} Hz: ${snr.toFixed(1)} dB`)
  }
})

test('speech comes back 22 samples later with a segmental SNR over 18 dB', () => {
  const pcm = speechLike(4 * rate, rate)
  const received = decoded(encoded(pcm))
  const { delay, likeness } = delayOf(pcm, received, 40)
  assert.is(delay, filterDelay)
  assert.ok(likeness > 0.99, `${likeness}`)
  const snr = segmentalSnrDb(pcm, received, filterDelay, rate)
  assert.ok(snr > 18, `${snr.toFixed(1)} dB`)
})

test('pieces of any even length make the same bytes', () => {
  const pcm = speechLike(rate, rate, 3)
  assert.equal(encoded(pcm, [2, 320, 6, 1024, 512, 498]), encoded(pcm))
})

test('silence stays silent, and the loudest noise stays within 16 bits', () => {
  assert.ok(decoded(encoded(new Int16Array(rate))).every(sample => Math.abs(sample) <= 8))
  const random = seeded(5)
  const loud = Int16Array.from({ length: rate }, () => (random() < 0.5 ? -32_768 : 32_767))
  const received = decoded(encoded(loud))
  assert.ok(received.some(sample => sample > 20_000) && received.some(sample => sample < -20_000))
})

test('the decoder takes any bytes, and finds its way back into a stream', () => {
  const random = seeded(9)
  const rubbish = Uint8Array.from({ length: 20_000 }, () => random() * 256)
  const pcm = speechLike(2 * rate, rate, 4)
  const good = encoded(pcm)
  const decoder = new G722Decoder()
  const noise = new Int16Array(2 * rubbish.length)
  decoder.decodeInto(noise, 0, rubbish, 0, rubbish.length)
  const received = new Int16Array(2 * good.length)
  decoder.decodeInto(received, 0, good, 0, good.length)
  const snr = snrDb(pcm, received, filterDelay, rate)
  assert.ok(snr > 15, `${snr.toFixed(1)} dB a second after rubbish`)
})

// What ffmpeg's independent coder and decoder make of the same input, as tests/interop/g722.test.ts finds.
test('bytes and samples are those of another implementation', () => {
  const random = seeded(722)
  const pcm = Int16Array.from({ length: rate }, (_, i) =>
    Math.round(12_000 * Math.sin(i * i * 0.0001) + 4000 * (random() - 0.5)),
  )
  const bytes = encoded(pcm)
  const received = decoded(bytes)
  assert.is(crc32(bytes).toString(16), 'f13c93b5')
  assert.is(crc32(new Uint8Array(received.buffer)).toString(16), '5e463c23')
})

testBeside('rtp-pcap', 'a recording in G.722 by another switch is the one that it has in mu-law', () => {
  const folder = 'rtp-pcap/asterisk-testsuite/audio'
  const received = resample(decoded(corpusFile(`${folder}/talking-g.g722`)), rate, 8000)
  const bytes = corpusFile(`${folder}/talking-u.ulaw`)
  const narrow = new Int16Array(bytes.length)
  pcmu.decodeInto(narrow, 0, bytes, 0, bytes.length)
  const { likeness } = delayOf(narrow, received, 40)
  assert.ok(likeness > 0.97, `${likeness}`)
})

test.run()
