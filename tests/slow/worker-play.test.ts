import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu, wavHeader } from '../../rtp/index.ts'
import { openMedia } from '../../rtp/worker/index.ts'
import { until } from '../rig/probes/wait.ts'
import { EventLog, MediaPeer, noise, testPorts } from '../rtp/bed/media-peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-play-'))
test.after(() => rmSync(folder, { recursive: true }))

const speech = (samples: number): Int16Array => {
  const bytes = noise(samples * 2, 7)
  return new Int16Array(bytes.buffer, 0, samples)
}
const wav = (name: string, pcm: Int16Array): string => {
  const path = join(folder, name)
  const format = { encoding: 'pcm16', sampleRate: 8000, channels: 1 } as const
  writeFileSync(
    path,
    Buffer.concat([wavHeader(format, pcm.length * 2), new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.length * 2)]),
  )
  return path
}

for (const [name, options] of [
  ['batched sockets', { sockets: 'auto', workers: 0 }],
  ['node:dgram', { sockets: 'dgram', workers: 0 }],
  ['a thread', { sockets: 'auto', workers: 1 }],
] as const) {
  test(`a file plays bit-exact, 50 packets a second, one stream (${name})`, async () => {
    const log = new EventLog()
    const media = openMedia({ ports: testPorts(), address: '127.0.0.1', ...options }, log.emit, error => {
      throw error
    })
    const peer = await MediaPeer.open()
    const pcm = speech(8000 + 77)
    media.open('a', 'call')
    media.execute({
      type: 'play',
      session: 'a',
      play: 'p1',
      source: { kind: 'file', path: wav(`${name}.wav`, pcm) },
      loop: 1,
    })
    media.execute({ type: 'agree', session: 'a', agreement: peer.agreement(), talk: false })
    const opened = await log.next('opened')
    assert.is(opened.port % 2, 0)
    const played = await log.next('played')
    assert.ok(played.completed)
    const playedAt = performance.now()
    const soFar = peer.received.length
    await until('silence after it', () => peer.received.length > soFar + 8)
    const expected = new Uint8Array(pcm.length)
    pcmu.encodeInto(expected, 0, pcm, 0, pcm.length)
    const all = Buffer.concat(peer.received.map(packet => packet.payload))
    const at = all.indexOf(Buffer.from(expected))
    assert.ok(at >= 0 && at % 160 === 0, `the prompt is heard whole, on a frame's boundary: ${at}`)
    const rest = all.subarray(at + expected.length)
    assert.ok(rest.length >= 160 * 5 && rest.every(byte => byte === 0xff), 'then silence')
    for (const [i, packet] of peer.received.entries()) {
      assert.is(packet.payload.length, 160)
      assert.is(packet.port, opened.port)
      const before = peer.received[i - 1]
      if (before === undefined) continue
      assert.is(packet.sequence, (before.sequence + 1) & 0xffff)
      assert.is(packet.timestamp, (before.timestamp + 160) >>> 0)
      assert.is(packet.ssrc, before.ssrc)
    }
    const first = peer.received[0]!
    assert.ok(first.marker)
    const last = peer.received.at(-1)!
    // Each packet is there once, by its number. `npm run bench soak` measures the pacing on a quiet machine.
    const rate = (peer.received.length - 1) / ((last.at - first.at) / 1000)
    assert.ok(rate > 30 && rate < 70, `${rate} packets a second`)
    // Played when its last frame, which began at 1000 ms, has passed.
    assert.ok(playedAt - peer.received[at / 160]!.at > 1010)
    media.execute({ type: 'close', session: 'a' })
    const { stats } = await log.next('closed')
    // Its last frame may still have waited for its tick.
    await until('the last packet', () => peer.received.length >= stats.packetsSent)
    await until('goodbye by RTCP', () => peer.reports.length >= 1)
    assert.is(peer.received.length, stats.packetsSent)
    await media.close()
    peer.close()
  })
}

test.run()
