import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodecName } from '../../rtp/codec/codec-name.ts'
import { speechLike } from '../rtp/bed/audio-measure.ts'
import { conversation } from '../rtp/bed/talker.ts'

/** A call of `seconds` between `a`, whose packets meet `way`, and `b`; the report of the session of `a` at its end. */
const playoutOf = async (a: AudioCodecName, b: AudioCodecName, seconds: number, way: (n: number) => number) => {
  const { media, opus, one } = await conversation(a, b)
  const pcm = speechLike(one.rate * seconds, one.rate, 4)
  const waiting: { readonly at: number; readonly n: number; readonly payload: Uint8Array }[] = []
  const { sequence, timestamp } = one.peer
  const step = (one.codec === 'opus' ? 48_000 : 8000) / 50
  let n = 0
  media.run(seconds * 1000, now => {
    if (now % 20 === 0) {
      if (Number.isFinite(way(n))) waiting.push({ at: now + way(n), n, payload: one.frame(pcm, n).slice() })
      n++
    }
    for (let at = waiting.findIndex(due => due.at <= now); at >= 0; at = waiting.findIndex(due => due.at <= now)) {
      const [due] = waiting.splice(at, 1)
      one.peer.sequence = (sequence + due!.n) & 0xffff
      one.peer.timestamp = (timestamp + due!.n * step) >>> 0
      one.say(due!.payload)
    }
  })
  media.do({ type: 'close', session: 'a' })
  media.do({ type: 'close', session: 'b' })
  opus.close()
  const closed = media.take('closed').find(({ session }) => session === 'a')
  assert.ok(closed !== undefined)
  return closed.stats.playout
}

test('one packet in twenty lost: reported as lost and concealed, whatever the codec', async () => {
  for (const [a, b] of [
    ['PCMU', 'G722'],
    ['G722', 'PCMA'],
    ['opus', 'PCMU'],
  ] as const) {
    const playout = await playoutOf(a, b, 6, n => (n % 20 === 10 ? Infinity : 10))
    assert.is(playout.lost, 15, `${a} to ${b}`)
    assert.ok(playout.concealedMs >= 290 && playout.concealedMs <= 420, `${a} to ${b}: ${playout.concealedMs} ms`)
    assert.equal([playout.late, playout.dropped], [0, 0])
  }
})

test('after a stall waiting packets are played faster, none is lost, and the delay shrinks again', async () => {
  const playout = await playoutOf('PCMU', 'G722', 14, n => (n >= 150 && n < 165 ? (165 - n) * 20 : 5))
  assert.equal([playout.lost, playout.dropped], [0, 0])
  assert.ok(playout.concealedMs >= 60, `${playout.concealedMs} ms concealed`)
  assert.ok(playout.acceleratedMs >= 100, `${playout.acceleratedMs} ms accelerated`)
})

test('packets that are only passed on meet no buffer', async () => {
  const playout = await playoutOf('PCMU', 'PCMA', 3, n => (n % 10 === 5 ? Infinity : 5))
  assert.equal(playout, { lost: 0, late: 0, dropped: 0, concealedMs: 0, acceleratedMs: 0, expandedMs: 0 })
})

test.run()
