import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import { dtmfTone, renderTone, resample } from '../../rtp/index.ts'
import { alone } from '../rtp/talker.ts'
import { named, noEvents } from './key-press.ts'

const digits = '0123456789*#ABCD'

/** The digits that are told of a far end whose packets are lost, those of the press of each that `isLost` names. */
const toldBehind = async (codec: AudioCodecName, onMs: number, offMs: number, isLost: (frame: number) => boolean) => {
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
  const told = named(media.take('digit'))
  media.do({ type: 'close', session: 'a' })
  opus.close()
  return told
}

/** Characters that are too many, or missing. */
const wrongIn = (told: string): number => {
  let at = 0
  let found = 0
  for (const digit of told) {
    if (digit !== digits[at]) continue
    found++
    at++
  }
  return told.length - found + (digits.length - found)
}

for (const [codec, mostPercent] of [
  ['PCMU', 0],
  // Behind some losses its decoder is itself quiet for 40 ms, as in a pause.
  ['opus', 2],
] as const) {
  for (const count of [1, 2]) {
    test(`${codec}: a key whose tone lacks ${count * 20} ms is one press, wherever they are lost`, async () => {
      let wrong = 0
      let pressed = 0
      const told: string[] = []
      for (let lost = 1; lost < 8; lost++) {
        told.push(await toldBehind(codec, 200, 100, frame => frame >= lost && frame < lost + count))
        wrong += wrongIn(told.at(-1)!)
        pressed += digits.length
      }
      assert.ok((100 * wrong) / pressed <= mostPercent, `${wrong} of ${pressed}: ${told.join(' ')}`)
    })
  }
}

test('a tone that breaks off, and nothing comes behind it, has ended', async () => {
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
