import { networkInterfaces } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatAddress, parseAddress } from '../../../rtp/address/address.ts'
import { loadLibC } from '../../../rtp/io/libc.ts'
import { openNetwork } from '../../../rtp/io/open-network.ts'
import type { DatagramNetwork, DatagramSocket } from '../../../rtp/net/network.ts'
import { noise, sleep } from '../bed/media-peer.ts'

const home4 = parseAddress('127.0.0.1')!
const home6 = () => parseAddress('::1')!
const hasIpv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))

const bind = (network: DatagramNetwork, address?: string, port = 0) =>
  new Promise<DatagramSocket | undefined>(resolve =>
    network.bind(port, resolve, address === undefined ? undefined : parseAddress(address)),
  )

const settle = async (network: DatagramNetwork, done: () => boolean) => {
  for (let i = 0; i < 200 && !done(); i++) {
    network.receive()
    network.flush()
    await sleep(5)
  }
}

const kinds = loadLibC() === undefined ? (['dgram'] as const) : (['mmsg', 'dgram'] as const)
if (hasIpv6)
  for (const sockets of kinds) {
    test(`${sockets}: packets of both families go and come beside each other, each with its source`, async () => {
      const network = openNetwork({ address: '127.0.0.1', sockets })
      const [a4, b4] = [await bind(network), await bind(network)]
      const [a6, b6] = [await bind(network, '::'), await bind(network, '::1')]
      assert.ok(a4 !== undefined && b4 !== undefined && a6 !== undefined && b6 !== undefined)
      const got = new Map<DatagramSocket, string[]>([
        [b4, []],
        [b6, []],
      ])
      const wrong: string[] = []
      for (const [socket, list] of got)
        socket.receiver = (packet, length, address, port) => {
          list.push(`${formatAddress(address)} ${port}`)
          if (Buffer.compare(packet.slice(0, length), noise(100 + list.length, list.length)) !== 0) wrong.push('bytes')
        }
      for (let n = 1; n <= 300; n++) {
        const bytes = noise(100 + n, n)
        for (const [from, to, home] of [
          [a4, b4, home4],
          [a6, b6, home6()],
        ] as const) {
          const slot = network.slot()
          slot.set(bytes)
          from.send(slot, bytes.length, home, to.port)
        }
        if (n % 25 === 0) await settle(network, () => got.get(b4)!.length === n && got.get(b6)!.length === n)
      }
      assert.equal(got.get(b4), Array(300).fill(`127.0.0.1 ${a4.port}`))
      assert.equal(got.get(b6), Array(300).fill(`::1 ${a6.port}`))
      assert.equal(wrong, [])
      assert.is(network.counters.unsent, 0)
      network.close()
    })

    test(`${sockets}: a port of IPv6 leaves the same one of IPv4 free`, async () => {
      const network = openNetwork({ address: '0.0.0.0', sockets })
      const six = await bind(network, '::')
      assert.ok(six !== undefined)
      const four = await bind(network, undefined, six.port)
      assert.is(four?.port, six.port)
      assert.is(await bind(network, '::', six.port), undefined)
      network.close()
    })

    test(`${sockets}: what would go to the other family is counted as unsent, and the next packet goes`, async () => {
      const network = openNetwork({ address: '127.0.0.1', sockets })
      const [four, six, to] = [await bind(network), await bind(network, '::'), await bind(network, '::1')]
      assert.ok(four !== undefined && six !== undefined && to !== undefined)
      let received = 0
      to.receiver = () => received++
      const send = (from: DatagramSocket, address: number) => {
        const slot = network.slot()
        slot.fill(1, 0, 20)
        from.send(slot, 20, address, to.port)
      }
      send(four, home6())
      send(six, home4)
      send(six, home6())
      await settle(network, () => received === 1 && network.counters.unsent >= 2)
      assert.is(received, 1)
      assert.ok(network.counters.unsent >= 2, `${network.counters.unsent}`)
      network.close()
    })
  }

test.run()
