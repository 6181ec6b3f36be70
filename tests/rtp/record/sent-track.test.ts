import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { OpusEncoder } from '../../../rtp/codec/opus.ts'
import { pcmu, writeHeader } from '../../../rtp/index.ts'
import { LibOpus } from '../../../rtp/io/index.ts'
import { SentTrack } from '../../../rtp/record/sent-track.ts'
import { streamTracks } from '../../../rtp/record/stream-tracks.ts'
import { TrackLine } from '../../../rtp/record/track-line.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { speechLike } from '../bed/audio-measure.ts'

const codecs = streamTracks(type => (type === 0 ? 'PCMU' : undefined), new LibOpus())
const pcm = speechLike(16_000, 8000, 3)
const bytes = new Uint8Array(pcm.length)
pcmu.encodeInto(bytes, 0, pcm, 0, pcm.length)
const through = new Int16Array(pcm.length)
pcmu.decodeInto(through, 0, bytes, 0, bytes.length)

/** Packets of 20 ms of the sound, the nth at a place and with a time of its own. */
function recorded(
  placeOf: (n: number) => number,
  timeOf = (n: number) => 160 * n,
  ssrcOf = (_n: number) => 7,
): Int16Array {
  const line = new TrackLine(1)
  const track = new SentTrack(line, 'right', codecs)
  const packet = new Uint8Array(172)
  for (let n = 0; n < 100; n++) {
    writeHeader(packet, {
      payloadType: 0,
      marker: false,
      sequence: n,
      timestamp: timeOf(n) >>> 0,
      ssrc: ssrcOf(n),
    })
    packet.set(bytes.subarray(160 * n, 160 * n + 160), 12)
    track.push(packet, 172, Math.round(placeOf(n)))
  }
  track.free()
  const received = new Int16Array(line.end)
  line.takeInto(received, line.end, line.end)
  return received
}
const same = (received: Int16Array, from: number, wanted: Int16Array) =>
  assert.equal(received.subarray(from, from + wanted.length), wanted)

test('a prompt in Opus is recorded from its first packet on', async () => {
  const opus = new LibOpus()
  await opus.warm()
  const packets: Uint8Array[] = []
  const encoder = await new Promise<OpusEncoder | undefined>(resolve =>
    opus.encoder({ sampleRate: 8000, bitrate: 24_000, fec: false, dtx: false }, resolve),
  )
  for (let n = 0; n < 10; n++) {
    const packet = new Uint8Array(1287)
    const length = encoder?.encodeInto(packet, 12, pcm, 4000 + 160 * n, 160) ?? 0
    writeHeader(packet, { payloadType: 111, marker: n === 0, sequence: n, timestamp: 960 * n, ssrc: 7 })
    packets.push(packet.subarray(0, 12 + length))
  }
  const wanted = new Int16Array(1600)
  opus.decoder(8000, decoder => {
    for (const [n, packet] of packets.entries()) decoder?.decodeInto(wanted, 160 * n, packet, 12, packet.length - 12)
    decoder?.free()
  })
  const line = new TrackLine(1)
  const track = new SentTrack(
    line,
    'right',
    streamTracks(() => 'opus', opus),
  )
  for (const [n, packet] of packets.entries()) track.push(packet, packet.length, 400 + 160 * n)
  track.free()
  encoder?.free()
  const received = new Int16Array(line.end)
  line.takeInto(received, line.end, line.end)
  assert.ok(wanted.subarray(0, 160).some(sample => Math.abs(sample) > 100))
  same(received, 400, wanted)
})

test('ticks that come unevenly leave every sample as it was sent', () => {
  const random = seeded(8)
  same(
    recorded(n => 400 + 160 * n),
    400,
    through,
  )
  same(
    recorded(n => 400 + 160 * n + (n === 0 ? 0 : 50 * (random() - 0.5))),
    400,
    through,
  )
  // Timestamps wrap.
  same(
    recorded(
      n => 160 * n,
      n => 0xffff_f000 + 160 * n,
    ),
    0,
    through,
  )
})

test('a drift is followed a sample a packet, and only beyond 8 ms', () => {
  const received = recorded(n => 160.4 * n)
  assert.is(received.length, 16_000)
  const far = recorded(n => 161 * n)
  assert.ok(far.length > 16_000 && far.length < 16_100, `${far.length}`)
  same(far, 0, through.subarray(0, 160 * 64))
})

test('a pause of the sender is silence, and the next audio is where it was played', () => {
  const received = recorded(
    n => 160 * n + (n >= 50 ? 800 : 0),
    n => 160 * n + (n >= 50 ? 800 : 0),
  )
  same(received, 0, through.subarray(0, 8000))
  assert.ok(received.subarray(8000, 8800).every(sample => sample === 0))
  same(received, 8800, through.subarray(8000))
  // Its time stands still meanwhile.
  same(
    recorded(n => 160 * n + (n >= 50 ? 800 : 0)),
    8800,
    through.subarray(8000),
  )
})

for (const off of [-150, -70, -40, 40, 70, 150]) {
  test(`after a pause in which its time has moved ${off} samples from ours, not one is left out or said twice`, () => {
    const received = recorded(
      n => 160 * n + (n >= 50 ? 8000 : 0),
      n => 160 * n + (n >= 50 ? 8000 + off : 0),
    )
    same(received, 0, through.subarray(0, 8000))
    // What is borne in the middle of a sound is borne here, too.
    same(received, 16_000 + (Math.abs(off) > 64 ? 0 : off), through.subarray(8000))
  })
}

test('another source goes on after the one before, never over it', () => {
  const received = recorded(
    n => 160 * n - (n >= 50 ? 40 : 0),
    n => (n >= 50 ? 99_999 : 0) + 160 * n,
    n => (n >= 50 ? 8 : 7),
  )
  same(received, 0, through)
})

test.run()
