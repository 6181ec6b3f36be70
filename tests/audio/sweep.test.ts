import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import { pcmu } from '../../rtp/index.ts'
import type { WavEncoding } from '../../rtp/wav/format.ts'
import { alone } from '../rtp/bed/talker.ts'
import { WavPrompts } from './wav-prompts.ts'

const seconds = 60
const fromHz = 150
const toHz = 3200
const level = 0.4

const prompts = new WavPrompts()
test.after(() => prompts.remove())

/** The sweep at a moment, −1 to 1: no two moments within a second of each other sound alike. */
const sweepAt = (at: number): number =>
  Math.sin(2 * Math.PI * (fromHz * at + ((toHz - fromHz) * at * at) / (2 * seconds)))

interface Row {
  readonly encoding: WavEncoding
  readonly rate: number
  readonly channels: number
  readonly codec: AudioCodecName
  /** By WAVE_FORMAT_EXTENSIBLE, as most programs write more than two channels. */
  readonly extensible?: boolean
  /** How alike 20 ms must be everywhere, and how far the level may be off, dB. */
  readonly likeness: number
  readonly mostOffDb: number
}

const bytesOf = { pcm8: 1, pcm16: 2, pcm24: 3, pcm32: 4, float32: 4, float64: 8, alaw: 1, mulaw: 1 } as const
const tagOf = (encoding: WavEncoding) => (encoding.startsWith('float') ? 3 : encoding === 'mulaw' ? 7 : 1)

/** Written by hand: another reader of the format than ours has to agree with it. */
const wavOf = ({ encoding, rate, channels, extensible = false }: Row, pad = 0): Uint8Array => {
  const width = bytesOf[encoding]
  const frames = rate * seconds + pad
  const headBytes = extensible ? 68 : 44
  const bytes = new Uint8Array(headBytes + frames * channels * width)
  const view = new DataView(bytes.buffer)
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at)
  text(0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, headBytes - 28, true)
  view.setUint16(20, extensible ? 0xfffe : tagOf(encoding), true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * width, true)
  view.setUint16(32, channels * width, true)
  view.setUint16(34, 8 * width, true)
  if (extensible) {
    view.setUint16(36, 22, true)
    view.setUint16(38, 8 * width, true)
    view.setUint16(44, tagOf(encoding), true)
    bytes.set([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71], 46)
  }
  text(headBytes - 8, 'data')
  view.setUint32(headBytes - 4, bytes.length - headBytes, true)
  const one = new Int16Array(1)
  for (let frame = 0, at = headBytes; frame < frames; frame++) {
    const value = level * sweepAt(frame / rate)
    for (let channel = 0; channel < channels; channel++, at += width) {
      switch (encoding) {
        case 'pcm8':
          view.setUint8(at, Math.round(128 + 127 * value))
          break
        case 'pcm16':
          view.setInt16(at, Math.round(32_767 * value), true)
          break
        case 'pcm24': {
          const whole = Math.round(8_388_607 * value)
          view.setUint16(at, whole & 0xffff, true)
          view.setInt8(at + 2, whole >> 16)
          break
        }
        case 'pcm32':
          view.setInt32(at, Math.round(2_147_483_647 * value), true)
          break
        case 'float32':
          view.setFloat32(at, value, true)
          break
        case 'float64':
          view.setFloat64(at, value, true)
          break
        case 'mulaw':
        case 'alaw':
          one[0] = Math.round(32_767 * value)
          pcmu.encodeInto(bytes, at, one, 0, 1)
          break
      }
    }
  }
  return bytes
}

/** How alike `count` samples from `pcm[from]` on are to the sweep `delay` seconds earlier, and their level against it. */
const compare = (pcm: Int16Array, from: number, count: number, rate: number, delay: number) => {
  let product = 0
  let own = 1e-9
  let wanted = 1e-9
  for (let i = from; i < from + count; i++) {
    const sweep = level * 32_767 * sweepAt(i / rate - delay)
    product += pcm[i]! * sweep
    own += pcm[i]! ** 2
    wanted += sweep ** 2
  }
  return { likeness: product / Math.sqrt(own * wanted), offDb: 10 * Math.log10(own / wanted) }
}

/** The delay of the whole, in seconds, to a part of a sample. */
const delayOf = (pcm: Int16Array, rate: number): number => {
  let best = { delay: 0, likeness: -1 }
  const from = 30 * rate
  for (let delay = 0; delay < 0.04; delay += 1 / (8 * rate)) {
    const { likeness } = compare(pcm, from, rate / 25, rate, delay)
    if (likeness > best.likeness) best = { delay, likeness }
  }
  return best.delay
}

const rows: readonly Row[] = [
  { encoding: 'pcm16', rate: 8000, channels: 1, codec: 'PCMU', likeness: 0.999, mostOffDb: 0.2 },
  { encoding: 'mulaw', rate: 8000, channels: 1, codec: 'PCMA', likeness: 0.998, mostOffDb: 0.3 },
  { encoding: 'pcm24', rate: 44_100, channels: 2, codec: 'PCMA', likeness: 0.999, mostOffDb: 0.3 },
  { encoding: 'pcm8', rate: 11_025, channels: 1, codec: 'PCMU', likeness: 0.998, mostOffDb: 0.3 },
  { encoding: 'float32', rate: 22_050, channels: 2, codec: 'G722', likeness: 0.99, mostOffDb: 1 },
  { encoding: 'float64', rate: 96_000, channels: 1, codec: 'G722', likeness: 0.99, mostOffDb: 1 },
  { encoding: 'pcm32', rate: 48_000, channels: 6, codec: 'opus', extensible: true, likeness: 0.98, mostOffDb: 1.5 },
  { encoding: 'pcm16', rate: 8000, channels: 1, codec: 'opus', likeness: 0.98, mostOffDb: 1.5 },
]

for (const row of rows) {
  const { encoding, rate, channels, codec } = row
  const name = `${encoding}, ${rate} Hz, ${channels} channels`
  test(`a sweep of ${seconds} s (${name}) in ${codec}: every 20 ms where they belong, none missing, none twice`, async () => {
    const { media, opus, one } = await alone(codec)
    const path = prompts.write(`${encoding}-${rate}-${codec}.wav`, wavOf(row))
    media.prompts.set('sweep', await prompts.load(path, codec))
    media.do({ type: 'play', session: 'a', play: 'p', source: { kind: 'file', path: 'sweep' }, loop: 1 })
    // Who never says anything is not sent to for long.
    media.run(seconds * 1000 + 100, now => {
      if (now % 1000 === 0) one.say(one.frame(new Int16Array(one.rate / 50), 0))
    })
    assert.is(media.take('played')[0]?.completed, true)
    const packets = one.peer.received()
    for (const [n, packet] of packets.entries()) {
      const before = packets[n - 1]
      if (before === undefined) continue
      assert.is(packet.sequence, (before.sequence + 1) & 0xffff)
      assert.is((packet.timestamp - before.timestamp) >>> 0, codecFacts[codec].clockRate / 50)
      assert.is(packet.at - before.at, 20)
    }
    const pcm = one.received()
    const delay = delayOf(pcm, one.rate)
    assert.ok(delay < 0.01, `${1000 * delay} ms`)
    const count = one.rate / 50
    const settled = codec === 'PCMU' || codec === 'PCMA' ? 0 : 0.1
    const first = Math.ceil((delay + settled) * one.rate)
    for (let at = first; at + count < (seconds + delay - settled) * one.rate; at += count) {
      const { likeness, offDb } = compare(pcm, at, count, one.rate, delay)
      const where = `at ${(at / one.rate).toFixed(2)} s`
      assert.ok(likeness > row.likeness, `${where}: ${likeness.toFixed(4)}`)
      assert.ok(Math.abs(offDb) < row.mostOffDb, `${where}: ${offDb.toFixed(2)} dB`)
    }
    opus.close()
  })
}

test('what was measured would show a sample that is missing, and one that is there twice', () => {
  const rate = 8000
  const pcm = Int16Array.from({ length: rate * seconds }, (_, i) => level * 32_767 * sweepAt(i / rate))
  assert.ok(compare(pcm, 40 * rate, 160, rate, 0).likeness > 0.999)
  assert.ok(compare(pcm, 40 * rate, 160, rate, 1 / rate).likeness < 0.5)
  assert.ok(compare(pcm, 2 * rate, 160, rate, 1 / rate).likeness < 0.99)
})

test.run()
