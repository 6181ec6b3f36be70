import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAddress } from '../../../rtp/address/address.ts'
import { compressALaw } from '../../../rtp/codec/g711-tables.ts'
import { LevelMeter } from '../../../rtp/report/level-meter.ts'
import {
  MediaTape,
  MediaTapeReader,
  type TapePacket,
  type TapePoint,
  tapeMemory,
} from '../../../rtp/report/media-tape.ts'
import { encodePcmu } from '../../rig/probes/g711.ts'

const figures: TapePoint = {
  codec: 'PCMA',
  received: 50,
  sent: 49,
  lost: 1,
  jitterMs: 1.5,
  delayMs: 80,
  roundTripMs: Number.NaN,
  mos: 4.25,
  remoteLossPercent: 0.5,
  concealedMs: Number.NaN,
  levelDbov: -27,
}

const taped = () => {
  const memory = tapeMemory()
  const heard: unknown[] = []
  const reader = new MediaTapeReader(memory, {
    point: (session, unixMs, point) => heard.push([session, unixMs, point]),
    packet: (session, unixMs, { bytes, ...packet }) => heard.push([session, unixMs, packet, [...bytes]]),
    audio: (session, unixMs, { bytes, length }) => heard.push([session, unixMs, length, [...bytes]]),
  })
  return { memory, heard, reader, tape: new MediaTape(memory, true) }
}

test('points and packets come out with the name of their session, also after its thread was replaced', () => {
  const { memory, heard, reader, tape } = taped()
  const leg = tape.name('leg-')
  tape.point(leg, 1000.5, figures)
  const packet = Uint8Array.from({ length: 40 }, (_, at) => at)
  tape.packet(leg, 1001, true, packet, 40, 16, 0xc0000201, 4000, 10_002)
  reader.drain()
  assert.equal(heard, [
    ['leg-', 1000.5, figures],
    [
      'leg-',
      1001,
      { isSent: true, remoteAddress: 0xc0000201, remotePort: 4000, localPort: 10_002, length: 40 },
      [...packet.subarray(0, 16)],
    ],
  ])
  const next = new MediaTape(memory, false)
  next.point(next.name('other'), 2000, figures)
  reader.drain()
  assert.equal((heard[2] as unknown[])[0], 'other')
})

test('an IPv6 address comes out with its bytes, of packets and of whole ones, also for a reader that came late', () => {
  const memory = tapeMemory()
  const tape = new MediaTape(memory, true)
  const leg = tape.name('leg')
  const address = parseAddress('2001:db8::9')!
  const packet = Uint8Array.from({ length: 40 }, (_, at) => at)
  tape.packet(leg, 1, true, packet, 40, 16, address, 4000, 10_002)
  tape.audio(leg, 2, false, packet, 40, address, 4000, 10_002)
  tape.packet(leg, 3, true, packet, 40, 16, 0xc0000201, 4000, 10_002)
  const remotes: unknown[] = []
  const note = (_session: string, _unixMs: number, { remoteAddress, remoteIpv6 }: TapePacket) =>
    remotes.push(remoteIpv6 === undefined ? remoteAddress : Buffer.from(remoteIpv6).toString('hex'))
  new MediaTapeReader(memory, { point: () => {}, packet: note, audio: note }).drain()
  assert.equal(remotes, ['20010db8000000000000000000000009', '20010db8000000000000000000000009', 0xc0000201])
})

test('a full tape drops what is new and counts it; positions wrap', () => {
  const { heard, reader, tape } = taped()
  const leg = tape.name('leg')
  for (let count = 0; count < 16_384; count++) tape.point(leg, count, figures)
  assert.is(reader.dropped, 1)
  assert.is(reader.fill, 1)
  reader.drain()
  assert.is(reader.fill, 0)
  assert.is(heard.length, 16_383)
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 10_000; count++) tape.point(leg, round, figures)
    reader.drain()
  }
  assert.is(heard.length, 16_383 + 30_000)
  assert.is(reader.dropped, 1)
})

test('whole packets of every length come out as they were, also where the tape begins again', () => {
  const { heard, reader, tape } = taped()
  const leg = tape.name('leg')
  for (let round = 0; round < 200; round++) {
    const packets = [12, 36, 37, 92, 93, 172, 332, 1500].map(length =>
      Uint8Array.from({ length }, (_, at) => (at * 7 + round) & 0xff),
    )
    for (const packet of packets) tape.audio(leg, round, false, packet, packet.length, 1, 2, 3)
    tape.point(leg, round, figures)
    reader.drain()
    assert.equal(heard.splice(0), [
      ...packets.map(packet => ['leg', round, packet.length, [...packet]]),
      ['leg', round, figures],
    ])
  }
  assert.is(reader.dropped, 0)
})

test('a whole packet that does not find all its slots is dropped whole', () => {
  const { heard, reader, tape } = taped()
  const leg = tape.name('leg')
  const packet = new Uint8Array(172)
  for (let count = 0; count < 5000; count++) tape.audio(leg, count, true, packet, 172, 1, 2, 3)
  reader.drain()
  assert.is(heard.length, 4095)
  assert.is(reader.dropped, 905)
})

const sine = (amplitude: number): Int16Array =>
  Int16Array.from({ length: 160 }, (_, at) => Math.round(amplitude * Math.sin((2 * Math.PI * 400 * at) / 8000)))

test('levels in dBov (RFC 6464): a full sine is -3, half its amplitude 6 less, silence -127; nothing is NaN', () => {
  for (const [amplitude, wanted] of [
    [32_000, -3],
    [16_000, -9],
    [3200, -23],
    [320, -43],
  ] as const) {
    const [muLaw, aLaw, decoded] = [new LevelMeter(), new LevelMeter(), new LevelMeter()]
    for (let packet = 0; packet < 50; packet++) {
      muLaw.packet(encodePcmu(sine(amplitude)), 0, 160, true)
      aLaw.packet(Uint8Array.from(sine(amplitude), compressALaw), 0, 160, false)
      decoded.pcm(sine(amplitude), 0, 160)
    }
    for (const meter of [muLaw, aLaw, decoded]) {
      const level = meter.take()
      assert.ok(Math.abs(level - wanted) <= 1, `${amplitude}: ${level}`)
    }
    assert.ok(Number.isNaN(muLaw.take()))
  }
  const quiet = new LevelMeter()
  quiet.pcm(new Int16Array(160), 0, 160)
  assert.is(quiet.take(), -127)
})

test('every sample counts in the level, whatever the length of the packet', () => {
  const [loud, silent] = [encodePcmu(Int16Array.of(30_000))[0]!, encodePcmu(Int16Array.of(0))[0]!]
  for (let length = 1; length <= 9; length++) {
    const levels = Array.from({ length }, (_, at) => {
      const bytes = new Uint8Array(length + 2).fill(silent)
      // What stands around the payload is none of it.
      bytes[0] = loud
      bytes[length + 1] = loud
      bytes[at + 1] = loud
      const meter = new LevelMeter()
      meter.packet(bytes, 1, length, true)
      return meter.take()
    })
    const wanted = Math.round(10 * Math.log10((30_000 / 32_768) ** 2 / length))
    for (const level of levels) assert.ok(Math.abs(level - wanted) <= 1, `${length}: ${levels}`)
  }
})

test.run()
