import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { writeHeader } from '../../../rtp/index.ts'
import { streamTracks } from '../../../rtp/record/stream-tracks.ts'
import { TrackLine } from '../../../rtp/record/track-line.ts'
import { TrackStream } from '../../../rtp/record/track-stream.ts'
import { WarmOpus } from '../bed/warm-opus.ts'

const samplesPerMs = 8
const frameMs = 20

for (const delayMs of [0, 20, 120]) {
  test(`the first word of an Opus stream is recorded, though its decoder takes ${delayMs} ms to be made`, async () => {
    const opus = await WarmOpus.open(1, {}, [8000])
    let now = 0
    const late: { at: number; give: () => void }[] = []
    const slow = {
      encoder: opus.encoder.bind(opus),
      decoder: (rate: 8000, done: Parameters<WarmOpus['decoder']>[1]) =>
        void late.push({ at: now + delayMs, give: () => opus.decoder(rate, done) }),
    }
    const line = new TrackLine(1)
    const track = new TrackStream(
      line,
      'left',
      streamTracks(() => 'opus', slow as WarmOpus),
    )
    const pcm = Int16Array.from({ length: frameMs * samplesPerMs }, (_, i) => 8000 * Math.sin((2 * Math.PI * i) / 16))
    const packet = new Uint8Array(500)
    opus.encoder({ sampleRate: 8000, bitrate: 24_000, fec: false, dtx: false }, encoder => {
      for (let n = 0; n < 50; n++, now += frameMs) {
        const length = encoder?.encodeInto(packet, 12, pcm, 0, pcm.length) ?? 0
        writeHeader(packet, { payloadType: 111, marker: n === 0, sequence: n, timestamp: n * 960, ssrc: 7 })
        track.push(packet, 12 + length, now * samplesPerMs, now)
        for (const { give } of late.splice(0, late.length && late[0]!.at <= now ? 1 : 0)) give()
        track.tick(now)
      }
      encoder?.free()
    })
    track.finish(now)
    const received = new Int16Array(1000 * samplesPerMs)
    line.takeInto(received, received.length, line.end)
    const peakFrom = (ms: number) =>
      received
        .subarray(ms * samplesPerMs, (ms + frameMs) * samplesPerMs)
        .reduce((peak, x) => Math.max(peak, Math.abs(x)), 0)
    for (const ms of [40, 100, 200, 300]) assert.ok(peakFrom(ms) > 4000, `${peakFrom(ms)} at ${ms} ms`)
    opus.close()
  })
}

test.run()
