import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  isOpusDtx,
  type OpusDecoder,
  type OpusEncoder,
  type OpusEncoderSettings,
  type OpusRate,
  opusSilence,
  opusUnitsIn,
} from '../../../rtp/codec/opus.ts'
import { StreamDecoder } from '../../../rtp/codec/stream-decoder.ts'
import { LibOpus } from '../../../rtp/io/index.ts'
import { levelAt } from '../../../rtp/tone/goertzel.ts'
import { levelOf } from '../../../rtp/tone/level.ts'
import { keyCapture } from '../../fixtures/captures.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { delayOf, segmentalSnrDb, sine, speechLike } from '../bed/audio-measure.ts'
import { WarmOpus } from '../bed/warm-opus.ts'

const lib = new LibOpus()
const usual: OpusEncoderSettings = { sampleRate: 16_000, bitrate: 28_000, fec: true, dtx: false }
const encoderOf = (settings: Partial<OpusEncoderSettings> = {}): Promise<OpusEncoder> =>
  new Promise((resolve, reject) =>
    lib.encoder({ ...usual, ...settings }, encoder => (encoder ? resolve(encoder) : reject(new Error('none')))),
  )
const decoderOf = (rate: OpusRate): Promise<OpusDecoder> =>
  new Promise((resolve, reject) =>
    lib.decoder(rate, decoder => (decoder ? resolve(decoder) : reject(new Error('none')))),
  )

const packetsOf = (encoder: OpusEncoder, pcm: Int16Array, rate: number): Uint8Array[] => {
  const frame = rate / 50
  const into = new Uint8Array(1300)
  return Array.from({ length: Math.floor(pcm.length / frame) }, (_, n) =>
    into.slice(0, encoder.encodeInto(into, 0, pcm, n * frame, frame)),
  )
}
const decodedBy = (decoder: OpusDecoder, packets: readonly Uint8Array[], rate: number): Int16Array => {
  const frame = rate / 50
  const pcm = new Int16Array(packets.length * frame)
  for (const [n, packet] of packets.entries()) {
    assert.is(decoder.decodeInto(pcm, n * frame, packet, 0, packet.length), frame)
  }
  return pcm
}

test('the length of a packet by its first bytes: every configuration (RFC 6716 table 2)', () => {
  const ms = [10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20]
  ms.push(2.5, 5, 10, 20, 2.5, 5, 10, 20)
  for (const [config, each] of ms.entries()) {
    const first = config << 3
    assert.is(opusUnitsIn(Uint8Array.of(first, 1), 0, 2), each * 48)
    assert.is(opusUnitsIn(Uint8Array.of(first | 5, 1), 0, 2), 2 * each * 48 > 5760 ? 0 : 2 * each * 48)
    for (const frames of [0, 1, 3, 48, 63]) {
      const units = each * 48 * frames
      assert.is(opusUnitsIn(Uint8Array.of(first | 3, 0x80 | frames), 0, 2), units > 5760 ? 0 : units)
    }
    assert.is(opusUnitsIn(Uint8Array.of(first | 3), 0, 1), 0)
  }
  assert.is(opusUnitsIn(new Uint8Array(0), 0, 0), 0)
})

test('the lengths reported are those that libopus decodes', async () => {
  const decoder = await decoderOf(48_000)
  const random = seeded(31)
  const pcm = new Int16Array(5760)
  let valid = 0
  for (let n = 0; n < 3000; n++) {
    const payload = Uint8Array.from({ length: 1 + Math.floor(random() * 80) }, () => random() * 256)
    const count = decoder.decodeInto(pcm, 0, payload, 0, payload.length)
    if (count === 0) continue
    valid++
    assert.is(count, opusUnitsIn(payload, 0, payload.length))
  }
  assert.ok(valid > 500, `${valid}`)
  assert.is(decoder.decodeInto(pcm, 0, new Uint8Array(0), 0, 0), 0)
  decoder.free()
})

test('speech at each rate comes back with its level and a segmental SNR that says so', async () => {
  for (const rate of [8000, 16_000] as const) {
    const encoder = await encoderOf({ sampleRate: rate })
    const decoder = await decoderOf(rate)
    const pcm = speechLike(4 * rate, rate, 2)
    const received = decodedBy(decoder, packetsOf(encoder, pcm, rate), rate)
    const { delay, likeness } = delayOf(pcm, received, rate / 20, rate, rate)
    assert.ok(likeness > 0.94, `${rate} Hz: ${likeness}`)
    assert.ok(delay <= 0.03 * rate, `${rate} Hz: ${delay}`)
    const snr = segmentalSnrDb(pcm, received, delay, rate)
    assert.ok(snr > 6, `${rate} Hz: ${snr.toFixed(1)} dB`)
    encoder.free()
    decoder.free()
  }
})

test('a busy thread’s encoders try less hard: other packets, of a sound that is hardly worse', async () => {
  const rate = 8000
  const pcm = speechLike(4 * rate, rate, 2)
  const soundAt = async (busy: number, anySound = false) => {
    const own = new LibOpus()
    const encoder = await new Promise<OpusEncoder | undefined>(resolve =>
      own.encoder({ ...usual, sampleRate: rate, bitrate: 24_000, anySound }, resolve),
    )
    assert.ok(encoder)
    // Not what it was made with, but what is the case when it encodes.
    for (let n = 0; n < 1000; n++) own.effort.observe(busy, 1)
    const decoder = await decoderOf(rate)
    const packets = packetsOf(encoder, pcm, rate)
    const received = decodedBy(decoder, packets, rate)
    const { delay } = delayOf(pcm, received, rate / 20, rate, rate)
    encoder.free()
    decoder.free()
    return { packets: Buffer.concat(packets), snr: segmentalSnrDb(pcm, received, delay, rate) }
  }
  const [calm, busy, overrun] = [await soundAt(0), await soundAt(0.45), await soundAt(1)]
  assert.not.ok(calm.packets.equals(busy.packets))
  assert.not.ok(busy.packets.equals(overrun.packets))
  for (const { snr } of [busy, overrun]) assert.ok(snr > calm.snr - 1, `${snr} dB instead of ${calm.snr}`)
  // Prompts are kept: they are as good as when there was time.
  assert.ok((await soundAt(0, true)).packets.equals((await soundAt(1, true)).packets))
})

test('a packet is decoded at what the listener needs, whatever it was made from', async () => {
  const encoder = await encoderOf()
  const packets = packetsOf(encoder, sine(1000, 32_000, 16_000), 16_000)
  for (const rate of [8000, 16_000, 48_000] as const) {
    const decoder = await decoderOf(rate)
    const received = decodedBy(decoder, packets, rate)
    assert.ok(
      Math.abs(levelAt(received, rate, rate / 2, 1000, rate) - levelAt(sine(1000, 8000, 8000), 0, 8000, 1000, 8000)) <
        1,
    )
    decoder.free()
  }
  encoder.free()
})

test('a lost packet is repaired from the next one when the remote reported losses; else it is concealed', async () => {
  const rate = 16_000
  const frame = rate / 50
  const pcm = speechLike(4 * rate, rate, 14)
  const likenessOf = async (lossPercent: number, repairs: boolean): Promise<number> => {
    const encoder = await encoderOf()
    const decoder = await decoderOf(rate)
    encoder.tune(lossPercent)
    const packets = packetsOf(encoder, pcm, rate)
    const received = new Int16Array(pcm.length)
    for (const [n, packet] of packets.entries()) {
      const next = packets[n + 1]
      if (n % 8 !== 5 || next === undefined) decoder.decodeInto(received, n * frame, packet, 0, packet.length)
      else if (repairs) assert.is(decoder.recoverInto(received, n * frame, frame, next, 0, next.length), frame)
      else assert.is(decoder.concealInto(received, n * frame, frame), frame)
    }
    encoder.free()
    decoder.free()
    const { delay } = delayOf(pcm, received, rate / 20, rate, rate)
    let product = 0
    let one = 1
    let two = 1
    for (let n = 5; n < packets.length - 2; n += 8) {
      for (let i = n * frame; i < (n + 1) * frame; i++) {
        product += pcm[i]! * received[i + delay]!
        one += pcm[i]! ** 2
        two += received[i + delay]! ** 2
      }
    }
    return product / Math.sqrt(one * two)
  }
  const repaired = await likenessOf(20, true)
  const madeUp = await likenessOf(20, false)
  assert.ok(repaired > 0.75, `repaired ${repaired.toFixed(2)}`)
  assert.ok(repaired > madeUp + 0.1, `repaired ${repaired.toFixed(2)}, made up ${madeUp.toFixed(2)}`)
})

test('reported losses bring repair, and take bits from sound until it fits', async () => {
  const pcm = speechLike(32_000, 16_000, 6)
  const sentAt = async (lossPercent: number) => {
    const encoder = await encoderOf({ bitrate: 32_000 })
    encoder.tune(lossPercent)
    const packets = packetsOf(encoder, pcm, 16_000)
    encoder.free()
    // RFC 6716 §4.2.3: after a SILK frame's flag of voice, that of the copy of the frame before.
    const repair = packets.filter(packet => packet[0]! >> 3 < 12 && (packet[1]! & 0x40) !== 0).length
    return { bytes: packets.reduce((sum, packet) => sum + packet.length, 0), repair: repair / packets.length }
  }
  const none = await sentAt(0)
  const some = await sentAt(2)
  const heavy = await sentAt(25)
  assert.is(none.repair, 0)
  assert.ok(some.repair > 0.5 && heavy.repair > 0.5, `${some.repair} ${heavy.repair}`)
  assert.ok(some.bytes < 1.35 * none.bytes, `${some.bytes} of ${none.bytes}`)
  assert.ok(heavy.bytes < 0.9 * some.bytes && heavy.bytes < 1.1 * none.bytes, `${heavy.bytes} of ${none.bytes}`)
})

test('during silence DTX sends next to nothing, and the remote receives soft noise', async () => {
  const encoder = await encoderOf({ dtx: true })
  const random = seeded(3)
  const pcm = Int16Array.from({ length: 48_000 }, () => (random() - 0.5) * 40)
  const packets = packetsOf(encoder, pcm, 16_000)
  const dtxPackets = packets.slice(50).filter(packet => isOpusDtx(packet.length)).length
  assert.ok(dtxPackets > 80, `${dtxPackets} of 100 packets`)
  encoder.free()
  const opus = await WarmOpus.open(1)
  const decoder = new StreamDecoder(16_000, opus)
  const received = new Int16Array(4000)
  for (const packet of packets.slice(0, 60)) decoder.frameInto(received, 0, 'opus', packet, 0, packet.length, false)
  assert.ok(decoder.isDtx)
  for (let n = 0; n < 100; n++) decoder.concealInto(received, 0, 320)
  assert.ok(levelOf(received, 0, 320) < -50)
  decoder.free()
  opus.close()
})

test('the silence that needs no coder is 20 ms of it for any decoder', async () => {
  assert.is(opusUnitsIn(opusSilence, 0, opusSilence.length), 960)
  const encoder = await encoderOf()
  const decoder = await decoderOf(16_000)
  const packets = [...packetsOf(encoder, sine(500, 16_000, 16_000), 16_000), opusSilence, opusSilence, opusSilence]
  const received = decodedBy(decoder, packets, 16_000)
  assert.ok(levelOf(received, received.length - 320, 320) < -70)
  encoder.free()
  decoder.free()
})

test('a thousand coders are made and freed, and the memory is what it was', async () => {
  const before = { ...lib.counters }
  const cycle = async (rate: OpusRate) => {
    const encoder = await encoderOf({ sampleRate: rate })
    const decoder = await decoderOf(rate)
    const [packet = opusSilence] = packetsOf(encoder, new Int16Array(rate / 50), rate)
    decoder.decodeInto(new Int16Array(960), 0, packet, 0, packet.length)
    encoder.free()
    decoder.free()
    // Twice is once, and what is free does nothing.
    encoder.free()
    decoder.free()
    assert.is(encoder.encodeInto(new Uint8Array(1300), 0, new Int16Array(960), 0, rate / 50), 0)
    assert.is(decoder.decodeInto(new Int16Array(960), 0, opusSilence, 0, 3), 0)
  }
  for (let n = 0; n < 50; n++) await cycle(48_000)
  const rss = process.memoryUsage().rss
  for (let n = 0; n < 1000; n++) await cycle(([8000, 16_000, 48_000] as const)[n % 3] ?? 8000)
  assert.equal(lib.counters, before)
  assert.ok(process.memoryUsage().rss - rss < 24 * 1024 * 1024, `${(process.memoryUsage().rss - rss) >> 20} MB more`)
})

test('what a phone sends in Opus decodes packet by packet', async () => {
  const decoder = await decoderOf(16_000)
  const pcm = new Int16Array(1920)
  let samples = 0
  for (const { bytes } of await keyCapture('opus', '2013785496')) {
    if ((bytes[1]! & 0x7f) !== 96) continue
    const count = decoder.decodeInto(pcm, 0, bytes, 12, bytes.length - 12)
    assert.is(count * 3, opusUnitsIn(bytes, 12, bytes.length - 12))
    samples += count
  }
  assert.is(samples, 235 * 320)
  decoder.free()
})

test('nothing is left', () => {
  assert.equal(lib.counters, { encoders: 0, decoders: 0, failed: 0 })
})

test.run()
