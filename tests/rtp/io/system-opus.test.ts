import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { OpusDecoder, OpusEncoder, OpusEncoderSettings, OpusRate } from '../../../rtp/codec/opus.ts'
import { LibOpus, loadSystemOpus } from '../../../rtp/io/index.ts'
import { firstOf } from '../../../rtp/io/system-opus.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { delayOf, segmentalSnrDb, speechLike } from '../bed/audio-measure.ts'

// Encoders of the system's libopus beside those of WebAssembly. A machine without that library (Debian's libopus0) tests
// only that WebAssembly is used there.

const system = loadSystemOpus()
const rates: readonly OpusRate[] = [8000, 16_000, 48_000]
const usual = { bitrate: 24_000, fec: true, dtx: false } as const

const encoderOf = (lib: LibOpus, settings: OpusEncoderSettings): Promise<OpusEncoder> =>
  new Promise((resolve, reject) =>
    lib.encoder(settings, encoder => (encoder ? resolve(encoder) : reject(new Error('none')))),
  )
const decoderOf = (lib: LibOpus, rate: OpusRate): Promise<OpusDecoder> =>
  new Promise((resolve, reject) =>
    lib.decoder(rate, decoder => (decoder ? resolve(decoder) : reject(new Error('none')))),
  )

const packetsOf = (encoder: OpusEncoder, pcm: Int16Array, count: number): Uint8Array[] => {
  const packets: Uint8Array[] = []
  const packet = new Uint8Array(1275)
  for (let at = 0; at + count <= pcm.length; at += count)
    packets.push(packet.slice(0, encoder.encodeInto(packet, 0, pcm, at, count)))
  return packets
}

async function heardOf(packets: readonly Uint8Array[], rate: OpusRate): Promise<Int16Array> {
  const lib = new LibOpus()
  const decoder = await decoderOf(lib, rate)
  const count = rate / 50
  const heard = new Int16Array(packets.length * count)
  for (const [n, packet] of packets.entries()) decoder.decodeInto(heard, n * count, packet, 0, packet.length)
  decoder.free()
  return heard
}

test('where the library is missing, or is none, encoders are those of WebAssembly', async () => {
  assert.is(firstOf([]), undefined)
  assert.is(firstOf(['libsauti-has-no-such.so.7']), undefined)
  // A library, but not this one.
  assert.is(firstOf(['libc.so.6']), undefined)
  const lib = new LibOpus(undefined)
  const encoder = await encoderOf(lib, { sampleRate: 8000, ...usual })
  const packet = new Uint8Array(1275)
  assert.ok(encoder.encodeInto(packet, 0, speechLike(160, 8000, 1), 0, 160) > 0)
  encoder.free()
})

if (system !== undefined) {
  test('speech sounds as good as by WebAssembly, in as many octets', async () => {
    for (const sampleRate of rates) {
      const count = sampleRate / 50
      const speech = speechLike(300 * count, sampleRate, 5)
      const results: { snr: number; octets: number }[] = []
      for (const lib of [new LibOpus(), new LibOpus(system)]) {
        const encoder = await encoderOf(lib, { sampleRate, ...usual })
        const packets = packetsOf(encoder, speech, count)
        encoder.free()
        const heard = await heardOf(packets, sampleRate)
        const { delay } = delayOf(speech, heard, sampleRate / 20)
        results.push({
          snr: segmentalSnrDb(speech, heard, delay, sampleRate),
          octets: packets.reduce((sum, packet) => sum + packet.length, 0),
        })
      }
      const [wasm, native] = results as [(typeof results)[0], (typeof results)[0]]
      assert.ok(native.snr > wasm.snr - 1, `${sampleRate} Hz: ${native.snr} dB, by WebAssembly ${wasm.snr}`)
      assert.ok(
        Math.abs(native.octets / wasm.octets - 1) < 0.15,
        `${sampleRate} Hz: ${native.octets} octets, by WebAssembly ${wasm.octets}`,
      )
    }
  })

  test('a lost frame is recovered from the next packet, after the loss was reported; DTX sends little in a pause', async () => {
    const speech = speechLike(160 * 100, 8000, 7)
    const lib = new LibOpus(system)
    const encoder = await encoderOf(lib, { sampleRate: 8000, ...usual })
    encoder.tune(20)
    const packets = packetsOf(encoder, speech, 160)
    encoder.free()
    const decoder = await decoderOf(lib, 8000)
    const pcm = new Int16Array(960)
    let recovered = 0
    for (const [n, packet] of packets.entries()) {
      if (n % 10 === 5) continue
      if (n % 10 === 6) recovered += decoder.recoverInto(pcm, 0, 160, packet, 0, packet.length) === 160 ? 1 : 0
      decoder.decodeInto(pcm, 0, packet, 0, packet.length)
    }
    decoder.free()
    assert.is(recovered, 10)

    const quiet = await encoderOf(lib, { sampleRate: 8000, bitrate: 24_000, fec: false, dtx: true })
    const pause = packetsOf(quiet, new Int16Array(160 * 100), 160)
    quiet.free()
    assert.ok(pause.filter(({ length }) => length <= 2).length > 70)
    assert.equal(lib.counters, { encoders: 0, decoders: 0, failed: 0 })
  })

  test('what is no frame, or has no room, gives nothing; freed twice it is freed once', async () => {
    const lib = new LibOpus(system)
    const encoder = await encoderOf(lib, { sampleRate: 8000, ...usual })
    const speech = speechLike(160, 8000, 1)
    const packet = new Uint8Array(1275)
    assert.is(encoder.encodeInto(packet, 0, new Int16Array(960), 0, 159), 0)
    assert.is(encoder.encodeInto(new Uint8Array(2), 0, speech, 0, 160), 0)
    assert.ok(encoder.encodeInto(packet, 1000, speech, 0, 160) > 0)
    encoder.free()
    encoder.free()
    encoder.tune(50)
    assert.is(encoder.encodeInto(packet, 0, speech, 0, 160), 0)
    assert.equal(lib.counters, { encoders: 0, decoders: 0, failed: 0 })
  })

  test('encoders share the memory of a frame, and yet each has its own stream', async () => {
    const lib = new LibOpus(system)
    const [one, two] = [speechLike(8000, 8000, 1), speechLike(8000, 8000, 2)]
    const alone = await encoderOf(lib, { sampleRate: 8000, ...usual })
    const expected = packetsOf(alone, one, 160)
    const [first, second] = [
      await encoderOf(lib, { sampleRate: 8000, ...usual }),
      await encoderOf(lib, { sampleRate: 8000, ...usual }),
    ]
    const packet = new Uint8Array(1275)
    for (const [n, wanted] of expected.entries()) {
      assert.equal(packet.slice(0, first.encodeInto(packet, 0, one, n * 160, 160)), wanted)
      second.encodeInto(packet, 0, two, n * 160, 160)
    }
    for (const encoder of [alone, first, second]) encoder.free()
  })

  test('under load frames go on at less effort, and in full when there is time', async () => {
    const lib = new LibOpus(system)
    const encoder = await encoderOf(lib, { sampleRate: 8000, ...usual })
    const speech = speechLike(160 * 50, 8000, 3)
    assert.is(lib.effort.complexity, 5)
    packetsOf(encoder, speech, 160)
    for (let n = 0; n < 1000; n++) lib.effort.observe(4, 5)
    assert.is(lib.effort.complexity, 1)
    assert.ok(packetsOf(encoder, speech, 160).every(({ length }) => length > 0))
    encoder.free()
  })

  test('any samples, settings and order of settings give a packet that can be decoded', async () => {
    const random = seeded(17)
    const int = (below: number) => Math.floor(below * random())
    const lib = new LibOpus(system)
    const packet = new Uint8Array(1275)
    const pcm = new Int16Array(960)
    for (let n = 0; n < 40; n++) {
      const sampleRate = rates[int(rates.length)]!
      const count = sampleRate / 50
      const how = { bitrate: 6000 + int(120_000), fec: random() < 0.5, dtx: random() < 0.5, anySound: random() < 0.3 }
      const encoder = await encoderOf(lib, { sampleRate, ...how })
      const decoder = await decoderOf(lib, sampleRate)
      for (let frame = 0; frame < 40; frame++) {
        const kind = int(4)
        for (let i = 0; i < count; i++)
          pcm[i] = kind === 0 ? 0 : kind === 1 ? (i % 2 ? 32_767 : -32_768) : 65_535 * random()
        if (random() < 0.2) encoder.tune(-10 + int(140))
        for (let more = int(60); more > 0 && random() < 0.9; more--) lib.effort.observe(int(6), 5)
        const length = encoder.encodeInto(packet, 0, pcm, 0, count)
        assert.ok(length > 0, JSON.stringify({ sampleRate, ...how, frame }))
        assert.is(decoder.decodeInto(pcm, 0, packet, 0, length), count)
      }
      encoder.free()
      decoder.free()
    }
    assert.equal(lib.counters, { encoders: 0, decoders: 0, failed: 0 })
  })

  test('a frame makes no objects', async () => {
    const encoder = await encoderOf(new LibOpus(system), { sampleRate: 8000, ...usual })
    const pcm = speechLike(160, 8000, 1)
    const packet = new Uint8Array(1275)
    const frames = (count: number): void => {
      for (let n = 0; n < count; n++) encoder.encodeInto(packet, 0, pcm, 0, 160)
    }
    const used = (): number => {
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    frames(3000)
    const perFrame = Array.from({ length: 21 }, () => {
      const before = used()
      frames(300)
      return (used() - before) / 300
    }).toSorted((a, b) => a - b)[10]!
    assert.ok(perFrame < 20, `${perFrame} bytes a frame`)
    encoder.free()
  })
}

test.run()
