import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { levelAt, pcma, pcmu } from '../../rtp/index.ts'
import type { Agreement } from '../../rtp/worker/index.ts'
import { sine } from './audio-measure.ts'
import { agreed, VirtualMedia, VirtualPeer } from './virtual-media.ts'

// Rooms of the engine, over the virtual network: what each member is sent.

const clear = -20
const gone = -45

/** A far end that says a tone of its own, or nothing, and decodes what it hears. */
class Guest {
  readonly peer: VirtualPeer
  readonly media: VirtualMedia
  readonly name: string
  readonly law: typeof pcmu
  readonly #payloadType: number
  #tone: Int16Array | undefined
  #at = 0

  constructor(media: VirtualMedia, n: number, hz: number | undefined, changes: Partial<Agreement> = {}) {
    this.media = media
    this.name = `guest-${n}`
    this.peer = new VirtualPeer(media, this.name, 4000 + 10 * n).open()
    this.#payloadType = changes.payloadType ?? 0
    this.law = this.#payloadType === 8 ? pcma : pcmu
    this.says(hz)
    const agreement = agreed(this.peer.port, changes)
    media.do({ type: 'agree', session: this.name, agreement, talk: true })
  }

  says(hz: number | undefined): void {
    this.#tone = hz === undefined ? undefined : sine(hz, 8000, 8000, 4000)
  }

  join(room = 'r', muted = false): this {
    this.media.do({ type: 'join', session: this.name, room, muted })
    return this
  }

  leave(): void {
    this.media.do({ type: 'leave', session: this.name })
  }

  /** Every 20 ms. */
  speak(now: number): void {
    if (now % 20 !== 0 || this.#tone === undefined) return
    const payload = new Uint8Array(160)
    this.law.encodeInto(payload, 0, this.#tone, this.#at, 160)
    this.#at = (this.#at + 160) % 8000
    this.peer.say(payload, { payloadType: this.#payloadType })
  }

  /** What it has heard from `from` on, laid out by timestamps. */
  heard(from = 0): Int16Array {
    const packets = this.peer.heard().filter(packet => packet.at >= from && packet.payloadType === this.#payloadType)
    const first = packets[0]
    const pcm = new Int16Array(first === undefined ? 0 : ((packets.at(-1)!.timestamp - first.timestamp) | 0) + 480)
    for (const { payload, timestamp } of packets) {
      this.law.decodeInto(pcm, (timestamp - first!.timestamp) | 0, payload, 0, payload.length)
    }
    return pcm
  }

  /** The level of a tone in the last half second. */
  levelOf(hz: number): number {
    const pcm = this.heard(this.media.now - 700)
    return levelAt(pcm, 400, 4000, hz, 8000)
  }
}

const run = (guests: readonly Guest[], ms: number): void => {
  guests[0]!.media.run(ms, now => {
    for (const guest of guests) guest.speak(now)
  })
}

const tones = [500, 900, 1300, 1700, 2100]

test('each hears all others and not itself; packets every 20 ms, without a gap', () => {
  const media = new VirtualMedia()
  const guests = tones.map((hz, n) => new Guest(media, n, hz, n % 2 === 0 ? {} : law).join())
  run(guests, 1500)
  for (const [n, guest] of guests.entries()) {
    for (const [m, hz] of tones.entries()) {
      const level = guest.levelOf(hz)
      if (n === m) assert.ok(level < gone, `${n} hears itself: ${level}`)
      else assert.ok(level > clear, `${n} does not hear ${m}: ${level}`)
    }
    const packets = guest.peer.heard().filter(({ at }) => at > 1300)
    for (const [i, packet] of packets.entries()) {
      if (i === 0) continue
      assert.is((packet.timestamp - packets[i - 1]!.timestamp) >>> 0, 160)
      assert.is(packet.at - packets[i - 1]!.at, 20)
    }
  }
})

const law = { codec: 'PCMA', payloadType: 8, accept: [{ payloadType: 8, codec: 'PCMA' }] } as const

test('a muted member hears and is not heard, until it may speak; who leaves is heard no more, and hears nothing', () => {
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

test('a room tone is heard by all; a play interrupts what one hears, and the mix goes on behind it', () => {
  const media = new VirtualMedia()
  const guests = [undefined, 900].map((hz, n) => new Guest(media, n, hz).join())
  const [a, b] = guests as [Guest, Guest]
  run(guests, 500)
  media.do({ type: 'room-tone', session: b.name, tone: 'enter' })
  run(guests, 400)
  const around = (guest: Guest) => levelAt(guest.heard(1400), 1840, 800, 880, 8000)
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
  const packets = a.peer.heard()
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
    const packets = guest.peer.heard().filter(({ at }) => at > 1300)
    for (const [i, packet] of packets.entries()) {
      if (i > 0) assert.is((packet.timestamp - packets[i - 1]!.timestamp) >>> 0, 8 * lengths[n]!)
    }
  }
})

test('a recording of one leg holds what it says and what it hears of the room', () => {
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

test.run()
