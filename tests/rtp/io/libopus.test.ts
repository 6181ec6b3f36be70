import { Application, createDecoder, createEncoder } from 'libopus-wasm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { OpusDecoder, OpusEncoder, OpusEncoderSettings, OpusRate } from '../../../rtp/codec/opus.ts'
import { LibOpus } from '../../../rtp/io/index.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { speechLike } from '../bed/audio-measure.ts'

// Our own door to libopus against that of the package it comes in.

const lib = new LibOpus()
const rates: readonly OpusRate[] = [8000, 16_000, 24_000, 48_000]
const encoderOf = (settings: OpusEncoderSettings): Promise<OpusEncoder> =>
  new Promise((resolve, reject) =>
    lib.encoder(settings, encoder => (encoder ? resolve(encoder) : reject(new Error('none')))),
  )
const decoderOf = (rate: OpusRate): Promise<OpusDecoder> =>
  new Promise((resolve, reject) =>
    lib.decoder(rate, decoder => (decoder ? resolve(decoder) : reject(new Error('none')))),
  )

test('once the library is loaded coders are made at once: no packet waits for one', async () => {
  const loaded = new LibOpus()
  await loaded.warm()
  const made: string[] = []
  loaded.encoder({ sampleRate: 8000, bitrate: 24_000, fec: false, dtx: false }, encoder => {
    made.push('encoder')
    encoder?.free()
  })
  loaded.decoder(8000, decoder => {
    made.push('decoder')
    decoder?.free()
  })
  assert.equal(made, ['encoder', 'decoder'])
  assert.equal(loaded.counters, { encoders: 0, decoders: 0, failed: 0 })
})

test('packets and samples equal those of the package, bit for bit: rates, FEC, DTX, losses, concealment', async () => {
  for (const sampleRate of rates) {
    for (const [fec, dtx, anySound] of [
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ] as const) {
      const ours = await encoderOf({ sampleRate, bitrate: 24_000, fec, dtx, anySound })
      const theirs = await createEncoder({
        sampleRate,
        channels: 1,
        application: anySound ? Application.Audio : Application.Voip,
        bitrate: 24_000,
        complexity: 5,
        fec,
        dtx,
      })
      const ourDecoder = await decoderOf(sampleRate)
      const theirDecoder = await createDecoder({ sampleRate, channels: 1 })
      ours.tune(15)
      theirs.setPacketLossPercent(15)
      theirs.setBitrate(24_000 * 0.8)
      const count = sampleRate / 50
      const speech = speechLike(100 * count, sampleRate, 3)
      speech.fill(0, 60 * count, 80 * count)
      const packet = new Uint8Array(1275)
      const pcm = new Int16Array(6 * count)
      const random = seeded(sampleRate)
      let isLost = false
      for (let n = 0; n < 100; n++) {
        const length = ours.encodeInto(packet, 0, speech, n * count, count)
        const expected = theirs.encode(speech.subarray(n * count, (n + 1) * count), { maxPacketBytes: 1275 })
        assert.equal(packet.slice(0, length), expected, `${sampleRate} Hz, packet ${n}`)
        const wasLost = isLost
        isLost = random() < 0.2
        if (isLost) continue
        if (wasLost && fec) {
          const got = ourDecoder.recoverInto(pcm, 0, count, packet, 0, length)
          assert.equal(pcm.slice(0, got), theirDecoder.decode(expected, { decodeFec: true, frameSize: count }))
        } else if (wasLost) {
          const got = ourDecoder.concealInto(pcm, 0, count)
          assert.equal(pcm.slice(0, got), theirDecoder.decodePacketLoss(count))
        }
        const got = ourDecoder.decodeInto(pcm, 0, packet, 0, length)
        assert.equal(pcm.slice(0, got), theirDecoder.decode(expected), `${sampleRate} Hz, samples ${n}`)
      }
      for (const coder of [ours, theirs, ourDecoder, theirDecoder]) coder.free()
    }
  }
})

test('what is no packet, no frame or no room gives nothing and breaks nothing', async () => {
  const encoder = await encoderOf({ sampleRate: 8000, bitrate: 24_000, fec: false, dtx: false })
  const decoder = await decoderOf(8000)
  const pcm = new Int16Array(960)
  const packet = new Uint8Array(1275)
  assert.is(encoder.encodeInto(packet, 0, pcm, 0, 159), 0)
  assert.is(encoder.encodeInto(new Uint8Array(2), 0, speechLike(160, 8000, 1), 0, 160), 0)
  assert.is(decoder.decodeInto(pcm, 0, packet, 0, 0), 0)
  assert.is(decoder.concealInto(pcm, 0, 7), 0)
  assert.is(decoder.concealInto(pcm, 0, 8000), 0)
  const random = seeded(9)
  const noise = new Uint8Array(70_000)
  for (let n = 0; n < 2000; n++) {
    const length = Math.floor((n % 100 === 0 ? 70_000 : 200) * random())
    for (let i = 0; i < length; i++) noise[i] = 256 * random()
    const count = decoder.decodeInto(pcm, 0, noise, 0, length)
    assert.ok(count >= 0 && count <= 960)
  }
  const length = encoder.encodeInto(packet, 0, speechLike(160, 8000, 1), 0, 160)
  assert.is(decoder.decodeInto(pcm, 0, packet, 0, length), 160)
  // As many as there is room for.
  assert.is(decoder.decodeInto(pcm, 900, packet, 0, length), 60)
  encoder.free()
  decoder.free()
  assert.is(encoder.encodeInto(packet, 0, pcm, 0, 160), 0)
  assert.is(decoder.decodeInto(pcm, 0, packet, 0, length), 0)
  encoder.free()
  decoder.free()
  assert.equal(lib.counters, { encoders: 0, decoders: 0, failed: 0 })
})

test('a frame makes no objects: who collects them holds up a thread of real time', async () => {
  const encoder = await encoderOf({ sampleRate: 8000, bitrate: 24_000, fec: false, dtx: false })
  const decoder = await decoderOf(8000)
  const pcm = speechLike(160, 8000, 1)
  const packet = new Uint8Array(1275)
  const frames = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const length = encoder.encodeInto(packet, 0, pcm, 0, 160)
      decoder.decodeInto(pcm, 0, packet, 0, length)
    }
  }
  const used = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  frames(3000)
  // A collection in between would hide what it collects: most of these batches see none.
  const perFrame = Array.from({ length: 21 }, () => {
    const before = used()
    frames(300)
    return (used() - before) / 300
  }).toSorted((a, b) => a - b)[10]!
  assert.ok(perFrame < 20, `${perFrame} bytes a frame`)
  encoder.free()
  decoder.free()
})

test.run()
