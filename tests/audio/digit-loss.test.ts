import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import { InbandDetector } from '../../rtp/dtmf/inband-detector.ts'
import { pcmu, resample } from '../../rtp/index.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../rtp/tone/tones.ts'
import { alone } from '../rtp/bed/talker.ts'
import { named, noEvents } from './key-press.ts'

const digits = '0123456789*#ABCD'

/** The digits that are reported of a remote whose packets are lost: those of each digit that `isLost` names. */
const reportedBehind = async (
  codec: AudioCodecName,
  onMs: number,
  offMs: number,
  isLost: (frame: number) => boolean,
) => {
  const { media, opus, one } = await alone(codec, noEvents)
  const leadMs = 205
  const pcm = new Int16Array((one.rate * (leadMs + digits.length * (onMs + offMs) + 400)) / 1000)
  for (const [n, digit] of [...digits].entries()) {
    const tone = dtmfTone(digit, onMs)
    assert.ok(tone)
    pcm.set(resample(renderTone(tone, 8000), 8000, one.rate), (one.rate * (leadMs + n * (onMs + offMs))) / 1000)
  }
  const begun = media.now
  media.run((pcm.length * 1000) / one.rate, now => {
    if ((now - begun) % 20 !== 0) return
    const frame = (now - begun) / 20
    const inPress = Math.floor((frame * 20 - leadMs) / (onMs + offMs)) * (onMs + offMs)
    one.say(one.frame(pcm, frame), frame * 20 > leadMs && isLost(frame - Math.ceil((leadMs + inPress) / 20)))
  })
  media.run(500)
  const reported = named(media.take('digit'))
  media.do({ type: 'close', session: 'a' })
  opus.close()
  return reported
}

/** Characters that are too many, or missing. */
const wrongIn = (reported: string): number => {
  let at = 0
  let found = 0
  for (const digit of reported) {
    if (digit !== digits[at]) continue
    found++
    at++
  }
  return reported.length - found + (digits.length - found)
}

for (const [codec, mostPercent] of [
  ['PCMU', 0],
  // After some losses its decoder is itself quiet for 40 ms, as in a pause.
  ['opus', 2],
] as const) {
  for (const count of [1, 2]) {
    test(`${codec}: a digit whose tone lacks ${count * 20} ms is one digit, wherever they are lost`, async () => {
      let wrong = 0
      let pressed = 0
      const reported: string[] = []
      for (let lost = 1; lost < 8; lost++) {
        reported.push(await reportedBehind(codec, 200, 100, frame => frame >= lost && frame < lost + count))
        wrong += wrongIn(reported.at(-1)!)
        pressed += digits.length
      }
      assert.ok((100 * wrong) / pressed <= mostPercent, `${wrong} of ${pressed}: ${reported.join(' ')}`)
    })
  }
}

type Way = 'sent' | 'lost' | 'rests' | 'noise'

interface Presses {
  readonly digits: string
  readonly onMs: number
  readonly offMs: number
  /** Of 20 ms in a packet. */
  readonly frames?: number
  /** The fate of the packet that begins this many ms after the first digit; whether part of a tone is in it. */
  readonly way: (ms: number, isInTone: boolean) => Way
}

/** The digits that are reported of a remote in PCMU. */
const reportedOf = async ({ digits, onMs, offMs, frames = 1, way }: Presses) => {
  const { media, opus, one } = await alone('PCMU', { ...noEvents, acceptNoise: 13, sendNoise: 13 })
  const packetMs = 20 * frames
  const leadMs = 4 * packetMs
  const pcm = new Int16Array(8 * packetMs * Math.ceil((leadMs + digits.length * (onMs + offMs) + 400) / packetMs))
  for (const [n, digit] of [...digits].entries()) {
    const tone = dtmfTone(digit, onMs)
    assert.ok(tone)
    pcm.set(renderTone(tone, 8000), 8 * (leadMs + n * (onMs + offMs)))
  }
  const { peer } = one
  const epoch = peer.timestamp
  const begun = media.now
  media.run(pcm.length / 8 + 800, now => {
    const ms = now - begun
    if (ms % packetMs !== 0 || 8 * ms >= pcm.length) return
    const bytes = new Uint8Array(160 * frames)
    pcmu.encodeInto(bytes, 0, pcm, 8 * ms, bytes.length)
    const isInTone = pcm.subarray(8 * ms, 8 * (ms + packetMs)).some(sample => sample !== 0)
    peer.timestamp = (epoch + 8 * ms) >>> 0
    switch (ms < leadMs ? 'sent' : way(ms - leadMs, isInTone)) {
      case 'sent':
        peer.say(bytes)
        return
      case 'lost':
        peer.sequence = (peer.sequence + 1) & 0xffff
        return
      case 'noise':
        peer.say(Uint8Array.of(60), { payloadType: 13 })
        return
      case 'rests':
        return
    }
  })
  const reported = media.take('digit')
  opus.close()
  return reported
}

test('equal digits with DTX between them, with or without comfort noise, are each reported', async () => {
  for (const offMs of [60, 80, 100, 120]) {
    let before = true
    const noise = await reportedOf({
      digits: '5555',
      onMs: 100,
      offMs,
      way: (_, isInTone) => {
        const isFirst = before
        before = isInTone
        return isInTone ? 'sent' : isFirst ? 'noise' : 'rests'
      },
    })
    assert.is(named(noise), '5555', `noise, pauses of ${offMs} ms`)
    for (const { durationMs } of noise) assert.ok(durationMs >= 90 && durationMs <= 150, `${durationMs} ms`)
  }
  for (const offMs of [80, 100, 120]) {
    const nothing = await reportedOf({
      digits: '5555',
      onMs: 100,
      offMs,
      way: (_, isInTone) => (isInTone ? 'sent' : 'rests'),
    })
    assert.ok(named(nothing).length >= 3, `nothing, pauses of ${offMs} ms: ${named(nothing)}`)
  }
})

test('a packet lost in the pause between two equal digits does not make them one', async () => {
  for (const offMs of [60, 80, 100]) {
    for (let lost = 0; lost < 240; lost += 20) {
      const reported = await reportedOf({ digits: '55', onMs: 80, offMs, way: ms => (ms === lost ? 'lost' : 'sent') })
      // The second one's begin, and with it most of the tone, may be what is missing.
      assert.ok(named(reported) === '55' || lost < 20, `pause of ${offMs} ms, lost at ${lost} ms: ${named(reported)}`)
    }
  }
})

test('packets of 120 ms: each of several digits in one is reported', async () => {
  for (const [onMs, offMs] of [
    [40, 40],
    [50, 50],
    [60, 40],
  ] as const) {
    const reported = await reportedOf({ digits, onMs, offMs, frames: 6, way: () => 'sent' })
    assert.is(named(reported), digits, `${onMs} ms on, ${offMs} ms off`)
  }
})

test('a tone that has ended when packets are lost is as long as it was', () => {
  for (const lostMs of [20, 60, 100]) {
    const detector = new InbandDetector()
    const tone = dtmfTone('5', 100)
    assert.ok(tone)
    const pcm = new Int16Array(8 * 200)
    pcm.set(renderTone(tone, 8000), 80)
    assert.is(detector.analyze(pcm, 0, 880), undefined)
    detector.passOver(8 * lostMs)
    const press = detector.analyze(pcm, 880, pcm.length - 880)
    assert.is(press?.digit, '5')
    assert.ok(Math.abs((press?.durationMs ?? 0) - 100) <= 12, `${press?.durationMs} ms`)
  }
})

test('a tone that breaks off, and nothing comes after it, has ended', async () => {
  const { media, opus, one } = await alone('PCMU', noEvents)
  const tone = dtmfTone('7', 200)
  assert.ok(tone)
  const pcm = new Int16Array(8000)
  pcm.set(renderTone(tone, 8000), 1600)
  const begun = media.now
  media.run(1500, now => {
    const ms = now - begun
    if (ms % 20 === 0 && ms < 360) one.say(one.frame(pcm, ms / 20))
  })
  assert.is(named(media.take('digit')), '7')
  opus.close()
})

test.run()
