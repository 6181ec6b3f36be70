import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { HumFollower, humHz } from '../../bench/soak/sounds.ts'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import { resample } from '../../rtp/resample/resampler.ts'
import { conversation } from '../rtp/bed/talker.ts'

// A media thread that stands still, while remotes go on: what they said meanwhile waits in the sockets, and is heard
// whole, without a seam. (Where the whole machine stands still nothing waits there, and something has to be made up.)

const stalls = 5
const betweenMs = 1000

/** A hum through stalls of `stallMs` that begin `phaseMs` after one of its frames. */
const receivedThrough = async (from: AudioCodecName, to: AudioCodecName, stallMs: number, phaseMs: number) => {
  const { media, opus, one, two } = await conversation(from, to)
  const count = one.rate / 50
  const quiet = new Int16Array(two.rate / 50)
  let said = 0
  const speak = (now: number): void => {
    if (now % 20 !== 0) return
    const at = said++ * count
    const pcm = Int16Array.from({ length: count }, (_, i) =>
      Math.round(9000 * Math.sin((2 * Math.PI * humHz * (at + i)) / one.rate)),
    )
    one.say(one.frame(pcm, 0))
    two.say(two.frame(quiet, 0))
  }
  media.run(3000 + phaseMs, speak)
  for (let n = 0; n < stalls; n++) {
    const until = media.now + stallMs
    for (let now = media.now + media.tickMs; now < until; now += media.tickMs) speak(now)
    media.now = until - media.tickMs
    media.run(betweenMs, speak)
  }
  media.do({ type: 'close', session: 'a' })
  const stats = media.take('closed')[0]?.stats
  media.do({ type: 'close', session: 'b' })
  const follower = new HumFollower()
  const received = two.received()
  const pcm = two.rate === 8000 ? received : resample(received, two.rate, 8000)
  // `received` ends with room that nothing was said in.
  for (let i = 0; i < pcm.length - 16_000; i++) follower.receive(pcm[i]!)
  opus.close()
  return { follower, stats }
}

for (const [from, to] of [
  ['opus', 'PCMU'],
  ['PCMU', 'opus'],
  ['G722', 'PCMA'],
] as const) {
  for (const stallMs of [30, 45, 80]) {
    test(`${from} to ${to}, the media thread stalls for ${stallMs} ms: nothing is lost or concealed`, async () => {
      for (const phaseMs of [0, 5, 10, 15]) {
        const { follower, stats } = await receivedThrough(from, to, stallMs, phaseMs)
        const where = `${phaseMs} ms after a frame`
        assert.ok(follower.frames > 200, `${where}: ${follower.frames} frames judged`)
        assert.equal([follower.jumps, follower.silent], [0, 0], `${where}: jumps and silence`)
        assert.ok(stats)
        assert.equal([stats.packetsLost, stats.packetsLate, stats.packetsDropped], [0, 0, 0], where)
        assert.is(stats.playout?.concealedMs ?? 0, 0, `${where}: made up`)
      }
    })
  }
}

test.run()
