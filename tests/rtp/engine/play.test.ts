import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmuToPcmaInto } from '../../../rtp/codec/g711.ts'
import { pcmu } from '../../../rtp/index.ts'
import { maxCatchUpFrames } from '../../../rtp/packetize/frame-clock.ts'
import { renderTone } from '../../../rtp/tone/tone-source.ts'
import { tones } from '../../../rtp/tone/tones.ts'
import { agreed } from '../bed/agreement.ts'
import { one, prompt } from '../bed/one-leg.ts'
import type { fieldsOf } from '../bed/rtp-packet.ts'

type Packet = ReturnType<typeof fieldsOf>
const bytesOf = (packets: readonly Packet[]) => packets.flatMap(packet => [...packet.payload])

for (const ptimeMs of [10, 20, 30, 40, 50, 60]) {
  test(`${ptimeMs} ms: every byte in its order, one packet each ${ptimeMs} ms, the last filled with silence`, () => {
    const { media, peer, agree, play } = one({ ptimeMs })
    agree()
    const bytes = prompt(8000 + 55)
    play('p', bytes)
    media.run(1500)
    const received = peer.received()
    assert.ok(received.every(packet => packet.payload.length === ptimeMs * 8))
    assert.equal(bytesOf(received).slice(0, bytes.length), [...bytes])
    assert.ok(
      bytesOf(received)
        .slice(bytes.length)
        .every(byte => byte === 0xff),
    )
    for (const [i, packet] of received.entries()) {
      if (i === 0) continue
      const before = received[i - 1]!
      assert.is(packet.sequence, (before.sequence + 1) & 0xffff)
      assert.is(packet.timestamp, (before.timestamp + ptimeMs * 8) >>> 0)
      assert.ok(Math.abs(packet.at - before.at - ptimeMs) <= 5)
    }
    assert.ok(received[0]!.marker)
    const rate = ((received.length - 1) * 1000) / (received.at(-1)!.at - received[0]!.at)
    assert.ok(Math.abs(rate - 1000 / ptimeMs) < 1)
  })
}

test('`played` comes when the last frame has sounded, not when it was sent', () => {
  const { media, peer, agree, play } = one()
  agree()
  play('p', prompt(1600))
  let at = 0
  media.run(400, now => {
    if (at === 0 && media.events.some(event => event.type === 'played')) at = now
  })
  const first = peer.received()[0]!.at
  assert.ok(at >= first + 200 && at <= first + 210, `${at - first} ms for 200 ms`)
})

for (const answerMs of [0, 5, 10]) {
  test(`a play that is ordered ${answerMs} ms after the reported end of the one before follows without a gap`, () => {
    const { media, peer, agree, play } = one()
    agree()
    const [first, second] = [prompt(1600), prompt(1600, 5)]
    media.prompts.set('first', { codec: 'PCMU', bytes: first })
    const source = { kind: 'file', path: 'first' } as const
    media.do({ type: 'play', session: 'a', play: 'first', source, loop: 1, isFollowed: true })
    let reportedAt = 0
    let isAnswered = false
    media.run(600, now => {
      if (reportedAt === 0 && media.events.some(event => event.type === 'played')) reportedAt = now
      if (reportedAt === 0 || isAnswered || now < reportedAt + answerMs) return
      isAnswered = true
      play('second', second)
    })
    const received = peer.received()
    assert.equal(bytesOf(received).slice(0, 3200), [...first, ...second])
    assert.ok(reportedAt >= received[0]!.at + 180)
    for (const [i, packet] of received.slice(1).entries()) {
      assert.is(packet.timestamp, (received[i]!.timestamp + 160) >>> 0)
      assert.ok(packet.at - received[i]!.at <= 25)
    }
  })
}

test('loops without a seam, in frames that do not divide the file; 0 is until stopped', () => {
  const { media, peer, agree, play } = one()
  agree()
  const bytes = prompt(777)
  play('thrice', bytes, 3)
  media.run(500)
  assert.equal(bytesOf(peer.received()).slice(0, 3 * 777), [...bytes, ...bytes, ...bytes])
  assert.equal(bytesOf(peer.received())[3 * 777], 0xff)
  assert.is(media.take('played')[0]?.completed, true)
  play('ever', bytes, 0)
  media.run(60_000)
  assert.is(media.take('played').length, 0)
  media.do({ type: 'stop', session: 'a', play: 'other' })
  assert.is(media.take('played').length, 0)
  media.do({ type: 'stop', session: 'a', play: 'ever' })
  assert.equal(media.take('played'), [{ type: 'played', session: 'a', play: 'ever', completed: false }])
})

test('a new play replaces the old one at once, in the same stream', () => {
  const { media, peer, agree, play } = one()
  agree()
  play('one', new Uint8Array(80_000).fill(1))
  media.run(200)
  play('two', new Uint8Array(1600).fill(2))
  assert.equal(
    media.take('played').map(({ play, completed }) => [play, completed]),
    [['one', false]],
  )
  media.run(500)
  assert.equal(
    media.take('played').map(({ play, completed }) => [play, completed]),
    [['two', true]],
  )
  const received = peer.received()
  received.forEach((packet, i) => {
    if (i > 0) assert.is(packet.timestamp, (received[i - 1]!.timestamp + 160) >>> 0)
  })
})

test('a play ordered before anything is agreed on begins when it is', () => {
  const { media, peer, agree, play } = one()
  play('p', prompt(800))
  media.run(500)
  assert.is(peer.received().length, 0)
  agree()
  media.run(300)
  assert.equal(bytesOf(peer.received()).slice(0, 800), [...prompt(800)])
})

test('the codec may change in the middle of a play', () => {
  const { media, peer, agree, play } = one()
  agree()
  const bytes = prompt(3200)
  play('p', bytes)
  media.run(200)
  const before = peer.received().length
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { codec: 'PCMA', payloadType: 8 }), talk: false })
  media.run(400)
  const rest = bytes.slice(before * 160)
  pcmuToPcmaInto(rest, 0, rest, 0, rest.length)
  const received = peer.received().slice(before)
  assert.ok(received.every(packet => packet.payloadType === 8))
  assert.equal(bytesOf(received).slice(0, rest.length), [...rest])
})

test('tones by name; an unknown one and a bad file are reported', () => {
  const { media, peer, agree } = one()
  agree()
  media.do({ type: 'play', session: 'a', play: 't', source: { kind: 'tone', tone: 'beep' }, loop: 1 })
  media.run(400)
  const pcm = renderTone(tones.beep, 8000)
  const expected = new Uint8Array(pcm.length)
  pcmu.encodeInto(expected, 0, pcm, 0, pcm.length)
  assert.equal(bytesOf(peer.received()).slice(0, expected.length), [...expected])
  assert.is(media.take('played')[0]?.completed, true)
  media.do({ type: 'play', session: 'a', play: 'x', source: { kind: 'tone', tone: 'toString' }, loop: 1 })
  media.do({ type: 'play', session: 'a', play: 'y', source: { kind: 'file', path: 'nowhere' }, loop: 1 })
  assert.equal(media.take('played'), [
    { type: 'played', session: 'a', play: 'x', completed: false, fault: 'unsupported' },
    { type: 'played', session: 'a', play: 'y', completed: false, fault: 'unreadable' },
  ])
})

test('an empty file has been played at once', () => {
  const { media, agree, play } = one()
  agree()
  play('p', new Uint8Array(0))
  media.run(50)
  assert.is(media.take('played')[0]?.completed, true)
})

test('after a stall a few frames are sent at once, the others later, and nothing of the prompt is skipped', () => {
  const { media, peer, agree, play } = one()
  agree()
  const bytes = prompt(16_000)
  play('p', bytes)
  media.run(200)
  media.now += 60
  media.run(200)
  media.now += 1000
  const before = peer.received().length
  media.network.now = media.now + 5
  media.run(5)
  // And the one that is due now.
  assert.is(peer.received().length - before, maxCatchUpFrames + 1)
  media.run(2200)
  assert.equal(bytesOf(peer.received()).slice(0, bytes.length), [...bytes])
  const skips = peer
    .received()
    .filter(({ timestamp }, i, all) => i > 0 && timestamp !== (all[i - 1]!.timestamp + 160) >>> 0)
  // The time of what was not caught up has gone by.
  assert.is(skips.length, 1)
  assert.ok(skips[0]!.marker)
})

test('digits: RFC 4733 packets in place of audio, marked once, ended three times, then reported', () => {
  const { media, peer, agree } = one({}, true)
  agree()
  media.run(100)
  media.do({ type: 'send-digits', session: 'a', digitsId: 'd', digits: '1w#' })
  media.run(3000)
  assert.equal(media.take('digits-sent'), [{ type: 'digits-sent', session: 'a', digitsId: 'd' }])
  const received = peer.received()
  received.forEach((packet, i) => {
    if (i > 0) assert.is(packet.sequence, (received[i - 1]!.sequence + 1) & 0xffff)
  })
  const events = received.filter(packet => packet.payloadType === 101)
  for (const event of [1, 11]) {
    const of = events.filter(packet => packet.payload[0] === event)
    assert.ok(of.length >= 5)
    assert.ok(of.every(packet => packet.timestamp === of[0]!.timestamp))
    assert.equal(
      of.map(packet => packet.marker),
      of.map((_, i) => i === 0),
    )
    assert.is(of.filter(packet => packet.payload[1]! >= 0x80).length, 3)
  }
  const gap = events.find(packet => packet.payload[0] === 11)!.at - events.find(packet => packet.payload[0] === 1)!.at
  assert.ok(gap >= 660, `${gap} ms: a digit and half a second`)
  const audio = received.filter(packet => packet.payloadType === 0)
  const clock = (packet: Packet) => (packet.timestamp - audio[0]!.timestamp) >>> 0
  assert.ok(
    audio.every(packet => clock(packet) % 160 === 0 && Math.abs(clock(packet) / 8 - (packet.at - audio[0]!.at)) <= 5),
  )
})

test('digits pause a play and nothing of it is lost, be they events or tones', () => {
  const { media, peer, agree, play } = one()
  agree()
  const bytes = prompt(8000)
  play('p', bytes)
  media.run(200)
  media.do({ type: 'send-digits', session: 'a', digitsId: 'd', digits: '5' })
  media.run(2000)
  const audio = peer.received().filter(packet => packet.payloadType === 0)
  assert.equal(bytesOf(audio).slice(0, 8000), [...bytes])
  const tones = one({ sendEvents: undefined })
  tones.agree()
  tones.play('p', bytes)
  tones.media.run(200)
  tones.media.do({ type: 'send-digits', session: 'a', digitsId: 'd', digits: '5' })
  tones.media.run(2000)
  const received = bytesOf(tones.peer.received())
  const digit = [...bytes].findIndex((byte, i) => received[i] !== byte)
  assert.ok(digit >= 1600 && digit <= 1600 + 160, `${digit}`)
  // The digit, its gap, and the play goes on with the sample that was next.
  const gone = 8 * 260
  assert.equal([...received.slice(0, digit), ...received.slice(digit + gone, 8000 + gone)], [...bytes])
})

test.run()
