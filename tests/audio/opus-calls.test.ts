import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { OpusDecoder } from '../../rtp/codec/opus.ts'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import type { ReportBlock } from '../../rtp/rtcp/packet.ts'
import { writeReceiverReport, writeSdes } from '../../rtp/rtcp/write.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { delayOf, segmentalSnrDb, speechLike } from '../rtp/bed/audio-measure.ts'
import { payloadTypes, Talker, talks } from '../rtp/bed/talker.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { home } from '../rtp/bed/virtual-network.ts'
import { VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'

const rate = 8000

interface Wishes {
  readonly fec?: boolean
  readonly dtx?: boolean
  readonly bitrate?: number
}

/** PCMU on one side, Opus on the other, with coders that do as the remote wishes. */
const call = async ({ fec = true, dtx = false, bitrate = 24_000 }: Wishes = {}) => {
  const opus = await WarmOpus.open(4, { fec, dtx, bitrate })
  const media = new VirtualMedia({}, 7, opus)
  const narrow = new VirtualPeer(media, 'a', 4000).open()
  const wide = new VirtualPeer(media, 'b', 5000).open()
  const wishes: Partial<Agreement> = { ...talks('opus'), opus: { fec, dtx, maxBitrate: undefined } }
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, talks('PCMU')), talk: true })
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, wishes), talk: true })
  media.do({ type: 'bridge', session: 'a', other: 'b' })
  const one = new Talker(narrow, 'PCMU', opus)
  const two = new Talker(wide, 'opus', opus)
  const end = () => {
    media.do({ type: 'close', session: 'a' })
    media.do({ type: 'close', session: 'b' })
    opus.close()
  }
  return { media, opus, one, two, end }
}

/** The remote of an Opus leg says what it loses (RFC 3550 §6.4.2). */
const report = (media: VirtualMedia, peer: VirtualPeer, lossPercent: number): void => {
  const received = peer.received().at(-1)
  assert.ok(received)
  const bytes = new Uint8Array(200)
  const block: ReportBlock = {
    ssrc: received.ssrc,
    fractionLost: Math.round((lossPercent * 256) / 100),
    cumulativeLost: 0,
    highestSequence: received.sequence,
    jitter: 0,
    lastSr: 0,
    delaySinceLastSr: 0,
  }
  let length = writeReceiverReport(bytes, 0, peer.ssrc, [block])
  length += writeSdes(bytes, length, peer.ssrc, 'far')
  media.network.arrive(peer.to + 1, bytes.slice(0, length), home, peer.port + 1)
}

/** A packet of one SILK frame of mono: VAD flag, then whether it holds the frame before once more (RFC 6716 §4.2.3). */
const holdsRepair = (payload: Uint8Array): boolean => payload[0]! >> 3 < 12 && (payload[1]! & 0x40) !== 0

test('a remote that loses packets is sent repair from its report on, at a lower bitrate; when it loses no more, no longer', async () => {
  const { media, one, two, end } = await call()
  const speech = speechLike(rate * 14, rate, 11)
  const reported = (seconds: number, lossPercent: number) => {
    let n = 0
    const from = two.peer.received().length
    media.run(seconds * 1000, now => {
      if (now % 20 === 0) one.say(one.frame(speech, n++))
      if (now % 1000 === 0) report(media, two.peer, lossPercent)
    })
    const packets = two.peer.received().slice(from + 50)
    return {
      repair: packets.filter(({ payload }) => holdsRepair(payload)).length / packets.length,
      bytes: packets.reduce((sum, { payload }) => sum + payload.length, 0) / packets.length,
    }
  }
  const calm = reported(6, 0)
  const some = reported(6, 5)
  const bad = reported(6, 20)
  const again = reported(14, 0)
  end()
  assert.is(calm.repair, 0)
  assert.ok(some.repair > 0.5, `${some.repair}`)
  assert.ok(bad.repair > 0.5, `${bad.repair}`)
  assert.ok(bad.bytes < 0.95 * some.bytes && bad.bytes < calm.bytes, `${calm.bytes} ${some.bytes} ${bad.bytes} bytes`)
  assert.ok(bad.bytes > calm.bytes / 2, 'sound is left')
  assert.ok(again.repair < 0.45 && again.bytes > bad.bytes, `${again.repair}, ${again.bytes} bytes`)
})

test('repair is only sent to whom asks for it (useinbandfec, RFC 7587 §6.1)', async () => {
  const { media, one, two, end } = await call({ fec: false })
  const speech = speechLike(rate * 6, rate, 12)
  let n = 0
  media.run(6000, now => {
    if (now % 20 === 0) one.say(one.frame(speech, n++))
    if (now % 1000 === 0 && now > 1500) report(media, two.peer, 20)
  })
  assert.is(two.peer.received().filter(({ payload }) => holdsRepair(payload)).length, 0)
  end()
})

for (const [name, lossPercent, leastDb] of [
  ['that is reported', 20, 0.7],
  ['that nobody reports', 0, -1],
] as const) {
  test(`what the remote can mend of a loss of 12 % ${name}`, async () => {
    const { media, opus, one, two, end } = await call()
    const speech = speechLike(rate * 10, rate, 13)
    let n = 0
    media.run(10_000, now => {
      if (now % 20 === 0) one.say(one.frame(speech, n++))
      if (now % 500 === 0 && now > 1500) report(media, two.peer, lossPercent)
    })
    const packets = two.peer.received().filter(({ payloadType }) => payloadType === payloadTypes.opus)
    const random = seeded(9)
    const lost = packets.map((_, i) => i > 100 && random() < 0.12)
    const quality = async (mends: boolean) => {
      const decoder = await new Promise<OpusDecoder | undefined>(resolve => opus.lib.decoder(rate, resolve))
      assert.ok(decoder)
      const pcm = new Int16Array(packets.length * 160)
      for (const [i, { payload }] of packets.entries()) {
        const next = packets[i + 1]
        if (lost[i] !== true) decoder.decodeInto(pcm, i * 160, payload, 0, payload.length)
        else if (mends && next !== undefined && lost[i + 1] !== true) {
          decoder.recoverInto(pcm, i * 160, 160, next.payload, 0, next.payload.length)
        } else decoder.concealInto(pcm, i * 160, 160)
      }
      decoder.free()
      const { delay } = delayOf(speech, pcm, 800, 4000, 8000)
      return segmentalSnrDb(speech.subarray(16_000), pcm.subarray(16_000), delay, rate)
    }
    const gain = (await quality(true)) - (await quality(false))
    assert.ok(gain > leastDb, `${gain.toFixed(2)} dB`)
    end()
  })
}

test('what an Opus remote loses on its way is mended from its next packet, for the listener on the other side', async () => {
  const quality = async (fec: boolean) => {
    const { media, opus, one, two, end } = await call({ fec, bitrate: 32_000 })
    // Its own coder knows of the losses.
    const speech = speechLike(16_000 * 8, 16_000, 14)
    const narrow = speechLike(8000 * 8, 8000, 14)
    two.tune(15)
    let n = 0
    media.run(8000, now => {
      if (now % 20 === 0) two.say(two.frame(speech, n), n++ > 60 && n % 5 === 0)
    })
    const received = one.received()
    const { delay } = delayOf(narrow, received, 1600, 4000, 6000)
    end()
    opus.close()
    return segmentalSnrDb(narrow.subarray(10_000), received.subarray(10_000), delay, 8000)
  }
  const [mended, madeUp] = [await quality(true), await quality(false)]
  assert.ok(mended > madeUp + 0.5, `${mended.toFixed(1)} against ${madeUp.toFixed(1)} dB`)
})

test('a remote that asks for DTX is sent next to nothing in a pause, and the next word in time (RFC 7587 §3.1.3)', async () => {
  const { media, one, two, end } = await call({ dtx: true })
  const speech = speechLike(rate * 3, rate, 15)
  let n = 0
  const say = (pcm: Int16Array) => {
    n = 0
    media.run((pcm.length / rate) * 1000, now => {
      if (now % 20 === 0) one.say(one.frame(pcm, n++))
    })
  }
  say(speech)
  const before = two.peer.received().length
  say(new Int16Array(rate * 6))
  const during = two.peer.received().length - before
  const begun = media.now
  say(speech)
  const packets = two.peer.received()
  // An encoder in DTX sends a packet every 400 ms.
  assert.ok(during < 300 / 3, `${during} packets in six seconds of silence`)
  for (const [i, packet] of packets.entries()) {
    const last = packets[i - 1]
    if (last === undefined) continue
    assert.is(packet.sequence, (last.sequence + 1) & 0xffff)
    const passed = ((packet.timestamp - last.timestamp) >>> 0) / 48
    assert.ok(Math.abs(passed - (packet.at - last.at)) <= 5, `${passed} ms of time in ${packet.at - last.at} ms`)
    if (passed > 20) assert.ok(packet.marker, 'a talkspurt begins with a marker')
  }
  const first = packets.find(packet => packet.at >= begun + 40 && packet.payload.length > 20)
  assert.ok(first !== undefined && first.at - begun < 250, `${first?.at} ${begun}`)
  end()
})

test.run()
