import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { JitterBuffer } from '../../../rtp/jitter/jitter-buffer.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { type RtpOptions, rtp } from '../bed/rtp-packet.ts'

// A recorder takes out at once all that is due. No packet may make that longer than what packets can hold.

const frameUnits = 160
const pushTo = (buffer: JitterBuffer, now: number, options: RtpOptions, bytes = frameUnits): void => {
  const packet = rtp(new Uint8Array(bytes), options)
  buffer.push(packet, packet.length, now)
}

/** Takes out what is due. Returns how many pieces it was, and how long in all. */
const drain = (buffer: JitterBuffer, now: number): { readonly pieces: number; readonly ms: number } => {
  let pieces = 0
  let units = 0
  while (buffer.pull(now) !== 'waiting') {
    pieces++
    units += buffer.units
    assert.ok(pieces < 100_000, 'an end')
  }
  return { pieces, ms: units / 8 }
}

test('a late packet with a timestamp of another age moves nothing, nor lets others', () => {
  for (const ahead of [0, 40_000, 2 ** 20, 2 ** 30, 2 ** 31 - 1]) {
    const buffer = new JitterBuffer({ keepAll: true })
    for (let n = 0; n < 200; n++) {
      const now = 20 * n
      if (n !== 95 && n !== 111) pushTo(buffer, now, { sequence: n, timestamp: n * frameUnits })
      if (n === 110) {
        pushTo(buffer, now, { sequence: 95, timestamp: n * frameUnits + ahead })
        pushTo(buffer, now, { sequence: 111, timestamp: n * frameUnits + ahead })
      }
      const { ms } = drain(buffer, now)
      assert.ok(ms <= 200, `${ms} ms at once, by a timestamp ${ahead} ahead`)
    }
    assert.is(buffer.counters.lost, 1)
    assert.is(buffer.counters.late, 1)
  }
})

test('short packets and long holes are few pieces', () => {
  for (const bytes of [1, 2, 8, 40]) {
    const buffer = new JitterBuffer({ keepAll: true })
    let timestamp = 0
    for (let n = 0; n < 100; n++) {
      pushTo(buffer, 20 * n, { sequence: n, timestamp }, bytes)
      timestamp += 7990
      const { pieces } = drain(buffer, 20 * n)
      assert.ok(pieces <= 110, `${pieces} pieces of packets of ${bytes} bytes`)
    }
  }
})

test('whatever comes, in whatever order: what is due at once has an end soon', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const random = seeded(seed)
    const below = (limit: number): number => Math.floor(limit * random())
    const buffer = new JitterBuffer({ keepAll: true, capacity: random() < 0.5 ? 64 : 8 })
    const wild = 0.3 * random()
    let sequence = below(0x1_0000)
    let timestamp = below(2 ** 32)
    let ssrc = 1
    let now = 0
    for (let n = 0; n < 300; n++) {
      if (random() < wild) sequence = (sequence + [below(0x1_0000), below(300) + 65_386][below(2)]!) & 0xffff
      if (random() < wild) timestamp = (timestamp + [below(2 ** 32), 7990][below(2)]!) >>> 0
      if (random() < wild / 4) ssrc = below(3)
      const options = { sequence, timestamp, ssrc }
      if (random() < 0.9) pushTo(buffer, now, options, [1, 80, 160, 240, 480][below(5)]!)
      else buffer.note(rtp(new Uint8Array(4), options), now)
      sequence = (sequence + 1) & 0xffff
      timestamp = (timestamp + frameUnits) >>> 0
      if (random() < 0.7) now += random() < 0.03 ? below(3000) : 20
      if (random() < 0.5) continue
      const { pieces, ms } = drain(buffer, now + (random() < 0.05 ? 60_000 : 0))
      assert.ok(pieces <= 2000, `seed ${seed}: ${pieces} pieces, ${ms} ms`)
    }
  }
})

test.run()
