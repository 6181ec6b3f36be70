import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inputs } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { VirtualNetwork } from '../bed/virtual-network.ts'

const sets = ['rfc4475', 'rfc5118', 'advisories', 'unauthorized-methods', 'toll-fraud', 'sip-seeds'] as const
const reason = { status: 480, q850: 16, text: 'x', code: 'END.0200' }
const rounds = 6000

const seeds = sets.flatMap(inputs).map(({ bytes }) => bytes)

test('bytes never throw, and whatever they began ends and leaves nothing', () => {
  const random = seeded(4711)
  const upTo = (n: number) => Math.floor(random() * n)
  const net = new VirtualNetwork(1)
  const station = net.station('192.0.2.1', [{ inboundHosts: ['192.0.2.9'] }])
  const flow = (address: string) => ({
    transport: 'udp' as const,
    address,
    port: 5060,
    socket: 1,
    localHost: '192.0.2.1',
    localPort: 5060,
  })
  const trusted = flow('192.0.2.9')
  const unknownSource = flow('198.51.100.1')
  station.onEvent = event => {
    if (event.type !== 'offered') return
    if (random() < 0.5) station.do({ type: 'answer', id: event.id, sdp: 'v=0' })
    else station.do({ type: 'ring', id: event.id })
    net.later(3000, () => station.do({ type: 'end', id: event.id, reason }))
  }
  for (let round = 0; round < rounds; round++) {
    const seed = seeds[upTo(seeds.length)] ?? new Uint8Array()
    const other = seeds[upTo(seeds.length)] ?? seed
    // Names of its own, or most would be taken for repetitions.
    const fresh = Buffer.from(seed).toString('latin1').replaceAll('z9hG4bK', `z9hG4bK${round}`)
    let bytes = new Uint8Array(Buffer.from(fresh.replace(/^(Call-ID|i): */im, `$1: ${round}.`), 'latin1')).slice(
      0,
      6000,
    )
    for (let change = upTo(6); change > 0 && bytes.length > 0; change--) {
      const at = upTo(bytes.length)
      switch (upTo(4)) {
        case 0:
          bytes[at] = upTo(256)
          break
        case 1:
          bytes = bytes.slice(0, at)
          break
        case 2:
          bytes.copyWithin(at, upTo(bytes.length))
          break
        default:
          bytes = Uint8Array.from([...bytes.subarray(0, at), ...other.subarray(upTo(other.length))].slice(0, 6000))
      }
    }
    station.do({ type: 'received', bytes, flow: round % 4 === 0 ? unknownSource : trusted })
    if (round % 50 === 0) net.run(500)
  }
  net.run(400_000)
  const { endpoint } = station
  const left = [endpoint.layer.clients.size, endpoint.layer.servers.size, endpoint.callCount, endpoint.tagCount]
  assert.equal([...left, endpoint.timers.running.length], [0, 0, 0, 0, 0])
  const offered = station.events.filter(event => event.type === 'offered').length
  const ended = station.events.filter(event => event.type === 'ended').length
  assert.ok(offered > 20, 'some of them are calls')
  assert.is(ended, offered)
})

test.run()
