import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { speechLike } from '../rtp/bed/audio-measure.ts'
import { conversation, type Talker } from '../rtp/bed/talker.ts'
import { eventOf, eventsIn, eventType, named, noEvents, tonesIn, withEvents } from './key-press.ts'

/** One tone was received, of that digit, and of that duration; bounds in ms, both inclusive. */
function sounded(talker: Talker, digit: string, leastMs: number, mostMs: number, what = ''): void {
  const [press, ...more] = tonesIn(talker)
  assert.equal(more, [], what)
  assert.ok(press)
  assert.is(press.digit, digit, what)
  assert.ok(press.durationMs >= leastMs && press.durationMs <= mostMs, `${what}: ${press.durationMs} ms`)
}

test('a held digit sounds for its whole duration, whatever end packets are lost', async () => {
  for (const lost of ['nothing', 'the end', 'all but the end'] as const) {
    const { media, opus, one, two } = await conversation('PCMU', 'PCMU', noEvents, withEvents('PCMU'))
    media.run(400, now => {
      if (now % 20 === 0) one.say(one.frame(new Int16Array(160), 0))
    })
    const begun = one.peer.timestamp
    let k = 0
    media.run(1240, now => {
      if (now % 20 !== 0) return
      k++
      const isEnd = k >= 50
      const isLost = lost === 'the end' ? isEnd : lost === 'all but the end' && !isEnd
      if (k > 52 || isLost) return
      const duration = Math.min(k, 50) * 160
      one.peer.say(eventOf('7', isEnd, duration), { payloadType: eventType, timestamp: begun, marker: k === 1 })
    })
    media.run(3000)
    // Without its end it lasts until it is clear that none comes.
    sounded(two, '7', 980, lost === 'the end' ? 1560 : 1040, lost)
    opus.close()
  }
})

test('speech during a held digit is forwarded byte for byte, except for the first 60 ms of the digit', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU', withEvents('PCMU'), withEvents('PCMU'))
  const speech = speechLike(16_000, 8000, 6)
  const said: Uint8Array[] = []
  const downAt = 20
  let begun = 0
  media.run(2000, now => {
    if (now % 20 !== 0) return
    const n = said.length
    said.push(one.frame(speech, n))
    one.say(said[n]!)
    if (n === downAt) begun = one.peer.timestamp
    const k = n - downAt + 1
    if (k < 1 || k > 42) return
    const { timestamp } = one.peer
    const duration = Math.min(k, 40) * 160
    one.peer.say(eventOf('5', k >= 40, duration), { payloadType: eventType, timestamp: begun, marker: k === 1 })
    one.peer.timestamp = timestamp
  })
  assert.is(named(eventsIn(two.peer, 8000)), '5')
  const received = new Set(two.peer.received().map(({ payload }) => payload.join()))
  const missing = said.flatMap((payload, n) => (received.has(payload.join()) ? [] : [n]))
  assert.ok(missing.length <= 3 && missing.every(n => n > downAt && n <= downAt + 3), missing.join())
  opus.close()
})

test('a digit that is held when a prompt begins ends when it is released', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU', noEvents, withEvents('PCMU'))
  media.run(200, now => {
    if (now % 20 === 0) one.say(one.frame(new Int16Array(160), 0))
  })
  const begun = one.peer.timestamp
  const tell = (isEnd: boolean, duration: number) =>
    one.peer.say(eventOf('3', isEnd, duration), {
      payloadType: eventType,
      timestamp: begun,
      marker: duration === 160,
    })
  tell(false, 160)
  media.run(60)
  media.do({ type: 'play', session: 'b', play: 'p', source: { kind: 'tone', tone: 'beep' }, loop: 3 })
  media.run(60)
  tell(true, 1120)
  media.run(3000)
  sounded(two, '3', 0, 249)
  opus.close()
})

test('a leg that leaves during a digit leaves no tone on', async () => {
  const { media, opus, one, two } = await conversation('PCMU', 'PCMU', noEvents, withEvents('PCMU'))
  media.run(200, now => {
    if (now % 20 === 0) one.say(one.frame(new Int16Array(160), 0))
  })
  one.peer.say(eventOf('3', false, 160), { payloadType: eventType, marker: true })
  media.run(200)
  media.do({ type: 'close', session: 'a' })
  media.run(2000)
  sounded(two, '3', 0, 299)
  opus.close()
})

test.run()
