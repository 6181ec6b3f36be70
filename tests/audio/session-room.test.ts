import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../rtp/index.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../rtp/tone/tones.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'
import { Guest } from './room-guest.ts'
import { Talker } from './room-talker.ts'

// Rooms of the engine, over the virtual network: what each member is sent.

const clear = -20
const gone = -45

const run = (guests: readonly Guest[], ms: number): void => {
  guests[0]!.media.run(ms, now => {
    for (const guest of guests) guest.speak(now)
  })
}

const tones = [500, 900, 1300, 1700, 2100]

test('each member receives all others and not itself; packets every 20 ms, without a gap', () => {
  const media = new VirtualMedia()
  const guests = tones.map((hz, n) => new Guest(media, n, hz, n % 2 === 0 ? {} : law).join())
  run(guests, 1500)
  for (const [n, guest] of guests.entries()) {
    for (const [m, hz] of tones.entries()) {
      const level = guest.levelOf(hz)
      if (n === m) assert.ok(level < gone, `${n} hears itself: ${level}`)
      else assert.ok(level > clear, `${n} does not hear ${m}: ${level}`)
    }
    const packets = guest.peer.received().filter(({ at }) => at > 1300)
    for (const [i, packet] of packets.entries()) {
      if (i === 0) continue
      assert.is((packet.timestamp - packets[i - 1]!.timestamp) >>> 0, 160)
      assert.is(packet.at - packets[i - 1]!.at, 20)
    }
  }
})

const law = { codec: 'PCMA', payloadType: 8, accept: [{ payloadType: 8, codec: 'PCMA' }] } as const

test('a muted member receives audio and sends none until it is unmuted; a member that left neither sends nor receives', () => {
  const media = new VirtualMedia()
  const [a, b, c] = tones.slice(0, 3).map((hz, n) => new Guest(media, n, hz)) as [Guest, Guest, Guest]
  const guests = [a, b, c]
  a.join()
  b.join('r', true)
  c.join()
  run(guests, 1000)
  assert.ok(a.levelOf(tones[1]!) < gone && c.levelOf(tones[1]!) < gone, 'muted')
  assert.ok(b.levelOf(tones[0]!) > clear && b.levelOf(tones[2]!) > clear, 'the muted one hears')
  b.join('r', false)
  run(guests, 1000)
  assert.ok(a.levelOf(tones[1]!) > clear && b.levelOf(tones[1]!) < gone)
  c.leave()
  run(guests, 1000)
  assert.ok(a.levelOf(tones[2]!) < gone && a.levelOf(tones[1]!) > clear)
  assert.ok(c.levelOf(tones[0]!) < gone, 'who left hears silence')
  media.do({ type: 'close', session: 'guest-1' })
  run([a, c], 800)
  assert.ok(a.levelOf(tones[1]!) < gone)
})

test('rooms are apart; who joins another leaves the first', () => {
  const media = new VirtualMedia()
  const guests = tones.slice(0, 4).map((hz, n) => new Guest(media, n, hz).join(n < 2 ? 'one' : 'two'))
  run(guests, 1000)
  assert.ok(guests[0]!.levelOf(tones[1]!) > clear && guests[0]!.levelOf(tones[2]!) < gone)
  guests[1]!.join('two')
  run(guests, 1000)
  assert.ok(guests[0]!.levelOf(tones[1]!) < gone)
  assert.ok(guests[2]!.levelOf(tones[1]!) > clear && guests[1]!.levelOf(tones[3]!) > clear)
})

test('a room tone reaches all members; a play to one member interrupts its mix, which continues afterwards', () => {
  const media = new VirtualMedia()
  const guests = [undefined, 900].map((hz, n) => new Guest(media, n, hz).join())
  const [a, b] = guests as [Guest, Guest]
  run(guests, 500)
  media.do({ type: 'room-tone', session: b.name, tone: 'enter' })
  run(guests, 400)
  const around = (guest: Guest) => levelAt(guest.received(1400), 1840, 800, 880, 8000)
  assert.ok(around(a) > -30 && around(b) > -30, `${around(a)} ${around(b)}`)
  run(guests, 1000)
  assert.ok(a.levelOf(900) > clear)
  media.prompts.set('p', { codec: 'PCMU', bytes: new Uint8Array(8000).fill(0x22) })
  media.do({ type: 'play', session: a.name, play: 'x', source: { kind: 'file', path: 'p' }, loop: 1 })
  run(guests, 900)
  assert.ok(a.levelOf(900) < gone, `${a.levelOf(900)}`)
  run(guests, 1000)
  assert.ok(a.levelOf(900) > clear)
  assert.is(media.take('played').at(-1)?.completed, true)
  const packets = a.peer.received()
  for (const [i, packet] of packets.entries()) {
    if (i > 0) assert.is((packet.timestamp - packets[i - 1]!.timestamp) >>> 0, 160, `at ${packet.at}`)
  }
})

test('other packet lengths than the room’s frames', () => {
  const media = new VirtualMedia()
  const lengths = [10, 20, 30, 40, 60]
  const guests = lengths.map((ptimeMs, n) => new Guest(media, n, tones[n], { ptimeMs, ptimeAsked: true }).join())
  run(guests, 1500)
  for (const [n, guest] of guests.entries()) {
    for (const [m, hz] of tones.entries()) {
      const level = guest.levelOf(hz)
      assert.ok(n === m ? level < gone : level > clear, `${n} of ${m}: ${level}`)
    }
    const packets = guest.peer.received().filter(({ at }) => at > 1300)
    for (const [i, packet] of packets.entries()) {
      if (i > 0) assert.is((packet.timestamp - packets[i - 1]!.timestamp) >>> 0, 8 * lengths[n]!)
    }
  }
})

test('a recording of one leg holds its own audio and the mix that it receives', () => {
  const media = new VirtualMedia()
  const guests = tones.slice(0, 3).map((hz, n) => new Guest(media, n, hz).join())
  run(guests, 500)
  media.do({
    type: 'record-session',
    session: 'guest-0',
    recording: 'x',
    path: 'file',
    rules: { channels: 'dual', track: 'both', maxLengthMs: 60_000 },
  })
  run(guests, 2000)
  media.do({ type: 'stop-record', session: 'guest-0', recording: 'x' })
  const samples = media.recordings.get('file')!.samples
  const side = (n: 0 | 1) => Int16Array.from(samples.filter((_, at) => at % 2 === n))
  const level = (n: 0 | 1, hz: number) => levelAt(side(n), 4000, 8000, hz, 8000)
  assert.ok(level(0, tones[0]!) > clear && level(0, tones[1]!) < gone)
  assert.ok(level(1, tones[0]!) < gone && level(1, tones[1]!) > clear && level(1, tones[2]!) > clear)
})

test('a member that joins at any moment is in step at once', () => {
  const media = new VirtualMedia()
  const guests: Guest[] = []
  for (let n = 0; n < 12; n++) {
    const guest = new Guest(media, n, n === 0 ? 500 : undefined)
    guests.push(guest)
    run(guests, 5 * ((n * 7) % 11) + 15)
    guest.join()
  }
  const from = media.now
  run(guests, 1000)
  for (const guest of guests.slice(1)) {
    const packets = guest.peer.received().filter(({ at }) => at > from)
    assert.ok(packets.length >= 48 && packets.length <= 50, `${packets.length} packets in a second`)
    assert.ok(guest.levelOf(500) > clear)
    for (const [i, packet] of packets.entries()) {
      if (i > 0) assert.is((packet.timestamp - packets[i - 1]!.timestamp) >>> 0, 160)
    }
  }
})

test('digits are reported and not forwarded: neither events nor, from a remote without events, tones', () => {
  const media = new VirtualMedia()
  const noEvents = { sendEvents: undefined, acceptEvents: undefined }
  const a = new Guest(media, 0, undefined).join()
  const b = new Guest(media, 1, undefined, noEvents).join()
  const c = new Guest(media, 2, undefined).join()
  const digit = renderTone(dtmfTone('5', 200)!, 8000)
  const payload = new Uint8Array(digit.length)
  pcmu.encodeInto(payload, 0, digit, 0, digit.length)
  let at = 0
  run([a, b, c], 300)
  for (const event of [0, 0x80]) a.peer.say(Uint8Array.of(7, event | 10, 4, 0), { payloadType: 101, timestamp: 99 })
  media.run(800, now => {
    if (now % 20 !== 0) return
    b.peer.say(at < payload.length ? payload.subarray(at, at + 160) : new Uint8Array(160).fill(0xff))
    at += 160
  })
  const reported = media.take('digit').map(({ session, digit }) => `${session} ${digit}`)
  assert.equal(reported.sort(), ['guest-0 7', 'guest-1 5'])
  assert.ok(c.peer.received().every(({ payloadType }) => payloadType === 0))
  const received = c.received()
  const loud = Array.from({ length: received.length / 160 }, (_, n) => levelAt(received, n * 160, 160, 770, 8000) > -30)
  assert.ok(loud.filter(is => is).length <= 2, `${loud.filter(is => is).length * 20} ms of the tone`)
})

test('hold: a member that receives nothing for a while loses no time, and one that sends nothing is silent', () => {
  const media = new VirtualMedia()
  const [a, b] = [500, 900].map((hz, n) => new Guest(media, n, hz).join()) as [Guest, Guest]
  run([a, b], 1000)
  const hold = agreed(b.peer.port, { send: false, receive: false })
  media.do({ type: 'agree', session: b.name, agreement: hold, talk: true })
  const from = b.peer.received().at(-1)!
  run([a, b], 1000)
  assert.ok(a.levelOf(900) < gone, 'held')
  assert.is(b.peer.received().at(-1)!.at, from.at, 'nothing is sent')
  media.do({ type: 'agree', session: b.name, agreement: agreed(b.peer.port), talk: true })
  run([a, b], 1000)
  assert.ok(a.levelOf(900) > clear && b.levelOf(500) > clear)
  const back = b.peer.received().find(({ at }) => at > from.at)!
  const passed = ((back.timestamp - from.timestamp) >>> 0) / 8
  assert.ok(Math.abs(passed - (back.at - from.at)) <= 20, `${passed} ms of ${back.at - from.at}`)
})

test('Opus and G.722 members receive G.711 members and each other', async () => {
  const opus = await WarmOpus.open(10, {}, [16_000, 48_000])
  const media = new VirtualMedia({}, 7, opus)
  const asOpus = { codec: 'opus', payloadType: 111, accept: [{ payloadType: 111, codec: 'opus' }] } as const
  const asG722 = { codec: 'G722', payloadType: 9, accept: [{ payloadType: 9, codec: 'G722' }] } as const
  const talkers = [
    new Talker(media, 'opus-1', 4100, 500, asOpus, opus),
    new Talker(media, 'opus-2', 4110, 900, asOpus, opus),
    new Talker(media, 'g722', 4120, 1300, asG722, opus),
    new Talker(media, 'pcmu', 4130, 1700, {}, opus),
    new Talker(media, 'quiet', 4140, undefined, asOpus, opus),
    new Talker(media, 'quiet too', 4150, undefined, asOpus, opus),
  ]
  for (const talker of talkers) media.do({ type: 'join', session: talker.name, room: 'r', muted: false })
  media.run(3000, now => {
    if (now % 20 === 0) for (const talker of talkers) talker.speak()
  })
  for (const hearer of talkers) {
    const levelOf = hearer.hear()
    for (const talker of talkers) {
      if (talker.hz === undefined) continue
      const level = levelOf(talker.hz)
      const isThere = hearer !== talker
      assert.ok(isThere ? level > clear - 3 : level < -38, `${hearer.name} of ${talker.name}: ${level}`)
    }
  }
  const [one, two] = talkers.slice(4).map(talker => talker.peer.received().slice(-50))
  assert.equal(
    one!.map(({ payload }) => Buffer.from(payload).toString('hex')),
    two!.map(({ payload }) => Buffer.from(payload).toString('hex')),
    'who is silent hears the same bytes',
  )
  for (const talker of talkers) {
    media.do({ type: 'close', session: talker.name })
    talker.free()
  }
  opus.close()
  assert.equal([opus.lib.counters.encoders, opus.lib.counters.decoders], [0, 0], 'every coder is freed')
})

test.run()
