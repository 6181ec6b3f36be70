import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../rtp/index.ts'
import { linkBytesOf } from '../../rtp/mix/room-link.ts'
import { levelAt } from '../../rtp/tone/goertzel.ts'
import { openMedia } from '../../rtp/worker/index.ts'
import { SharedRooms } from '../../rtp/worker/shared-rooms.ts'
import { sine } from '../rtp/bed/audio-measure.ts'
import { EventLog, MediaPeer, sleep, testPorts } from '../rtp/bed/media-peer.ts'

// A room whose members live on different threads, over real sockets.

const hertz = [500, 900, 1300, 1700, 2100]

const tone = (hz: number, seconds: number): Uint8Array => {
  const pcm = sine(hz, 8000 * seconds, 8000, 4000)
  const bytes = new Uint8Array(pcm.length)
  pcmu.encodeInto(bytes, 0, pcm, 0, pcm.length)
  return bytes
}

/** The level of a tone in the `ms` before the last `beforeMs` that a remote has received, laid out by timestamps. */
const levelOf = (peer: MediaPeer, hz: number, beforeMs = 100, ms = 500): number => {
  const first = peer.received[0]!.timestamp
  const pcm = new Int16Array((peer.received.at(-1)!.timestamp - first) >>> 0)
  for (const { payload, timestamp } of peer.received) {
    pcmu.decodeInto(pcm, (timestamp - first) >>> 0, payload, 0, payload.length)
  }
  return levelAt(pcm, pcm.length - 8 * (beforeMs + ms), 8 * ms, hz, 8000)
}

test('the memory of a room is one for all threads, and given up with its last member', () => {
  const rooms = new SharedRooms(3)
  const one = rooms.join('a', 'r', 0)
  const two = rooms.join('b', 'r', 2)
  assert.is(one.memory, two.memory)
  assert.is(one.memory.byteLength, linkBytesOf(3))
  assert.equal([one.part, two.part, two.parts], [0, 2, 3])
  const other = rooms.join('c', 's', 0)
  assert.is.not(other.memory, one.memory)
  assert.is.not(other.phaseMs, one.phaseMs, 'their frames are due in different ticks')
  assert.is(rooms.join('a', 'r', 0).memory, one.memory, 'again, to be muted')
  rooms.join('a', 's', 0)
  rooms.leave('b')
  assert.is(rooms.size, 1)
  assert.is.not(rooms.join('b', 'r', 2).memory, one.memory)
  for (const session of ['a', 'b', 'c', 'nobody']) rooms.leave(session)
  assert.is(rooms.size, 0)
})

for (const workers of [0, 2]) {
  test(`each member receives all others and not itself, on any thread (${workers} threads)`, async () => {
    const log = new EventLog()
    const media = openMedia({ ports: testPorts(), address: '127.0.0.1', workers }, log.emit, error => {
      throw error
    })
    const peers: MediaPeer[] = []
    for (const n of hertz.keys()) {
      const peer = await MediaPeer.open()
      const session = `s${n}`
      // A call of its own each, so that they go to different threads.
      media.open(session, `call-${n}`)
      media.execute({ type: 'agree', session, agreement: peer.agreement(), talk: true })
      media.execute({ type: 'join', session, room: 'r', muted: n === 4 })
      peer.to = (await log.next('opened', session)).port
      peers.push(peer)
    }
    const counted = await media.counters()
    const used = counted.filter(({ sessions }) => sessions > 0)
    assert.is(used.length, Math.max(1, workers), 'the calls are on all threads')
    const speaking = Promise.all(hertz.map((hz, n) => peers[n]!.speak(tone(hz, 2))))
    await sleep(1400)
    for (const [n, peer] of peers.entries()) {
      for (const [m, hz] of hertz.entries()) {
        const level = levelOf(peer, hz)
        if (n === m || m === 4) assert.ok(level < -40, `${n} hears ${m}: ${level}`)
        else assert.ok(level > -20, `${n} does not hear ${m}: ${level}`)
      }
    }
    // Who leaves is gone on all threads, and the others stay.
    media.execute({ type: 'leave', session: 's0' })
    await speaking
    for (const peer of peers.slice(1)) assert.ok(levelOf(peer, hertz[0]!, 100, 300) < -40)
    assert.ok(levelOf(peers[1]!, hertz[2]!, 100, 300) > -20)
    await media.close()
    for (const peer of peers) peer.close()
  })
}

test.run()
