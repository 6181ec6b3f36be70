import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opusSilenceInto } from '../../../rtp/codec/opus.ts'
import { frame } from '../bed/rtp-packet.ts'
import { bridged } from '../bed/virtual-peer.ts'

// What one remote may send: as much as a talker whose network stalls now and then, and no more.

const opus = { codec: 'opus', payloadType: 111, accept: [{ payloadType: 111, codec: 'opus' }] } as const
const excessOf = ({ media }: ReturnType<typeof bridged>) => media.engine.counters.excess
const endOf = ({ media }: ReturnType<typeof bridged>) => {
  media.do({ type: 'close', session: 'a' })
  return media.take('closed')[0]!.stats
}

test('a minute of audio a second: what is more than one and a half seconds of it is left out, and counted', () => {
  const pair = bridged(opus, opus)
  const long = new Uint8Array(62)
  opusSilenceInto(long, 0, 5760)
  let sent = 0
  pair.media.run(10_000, () => {
    for (let n = 0; n < 2; n++, sent++) pair.a.say(long, { payloadType: 111, timestamp: 5760 * sent })
  })
  const { packetsReceived, packetsDropped } = endOf(pair)
  // 10 s at once, and a second and a half each second.
  assert.ok(packetsReceived <= (10_000 + 1.5 * 10_000) / 120 + 1, String(packetsReceived))
  assert.ok(packetsReceived > 190, String(packetsReceived))
  assert.is(packetsDropped, sent - packetsReceived)
  assert.is(excessOf(pair), packetsDropped)
})

test('packets without audio are bounded by their number', () => {
  const pair = bridged()
  let sent = 0
  pair.media.run(10_000, () => {
    for (let n = 0; n < 10; n++, sent++) pair.a.say(new Uint8Array(0))
  })
  const { packetsReceived } = endOf(pair)
  assert.ok(packetsReceived <= 1000 + 500 * 10 + 3, String(packetsReceived))
  assert.is(excessOf(pair), sent - packetsReceived)
})

test('nothing is left out of what talkers send: packets of 5 ms, doubles, stalls of nine seconds, holds', () => {
  for (const packetMs of [5, 10, 20, 60]) {
    const pair = bridged()
    const payload = frame(1, 8 * packetMs)
    let waiting = 0
    pair.media.run(60_000, now => {
      if (now % packetMs !== 0) return
      waiting++
      // Stalls of nine seconds, or of 900 packets, after which all comes together.
      if (now % 20_000 < Math.min(9000, 900 * packetMs)) return
      for (; waiting > 0; waiting--) pair.a.say(payload)
    })
    assert.is(excessOf(pair), 0, `${packetMs} ms`)
  }
  const pair = bridged()
  let time = 0
  pair.media.run(30_000, now => {
    if (now % 20 !== 0) return
    // A jump by an hour after a hold, and each packet twice.
    if (now % 10_000 === 0) time += 3600 * 8000
    const { sequence } = pair.a
    pair.a.say(frame(2), { timestamp: time >>> 0 })
    if (now % 40 === 0) pair.a.say(frame(2), { timestamp: time >>> 0, sequence })
    time += 160
  })
  assert.is(excessOf(pair), 0)
})

test('reports: some times a second, as feedback comes; a flood is left out, and counted', () => {
  const pair = bridged()
  const report = Uint8Array.of(0x80, 201, 0, 1, 0, 0, 0, 9)
  const arrive = () => pair.media.network.arrive(pair.a.to + 1, report, pair.a.address, pair.a.port + 1)
  pair.media.run(10_000, now => {
    if (now % 100 === 0) arrive()
  })
  assert.is(excessOf(pair), 0)
  let sent = 0
  pair.media.run(10_000, () => {
    for (let n = 0; n < 5; n++, sent++) arrive()
  })
  assert.ok(excessOf(pair) >= sent - 40 - 20 * 10 - 1, `${excessOf(pair)} of ${sent}`)
  assert.is(endOf(pair).packetsDropped, excessOf(pair))
})

test.run()
