import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { BrowserLegs } from '../../../rtp/browser/browser-legs.ts'
import type { BrowserLink } from '../../../rtp/browser/browser-link.ts'
import type { DatagramSocket } from '../../../rtp/net/network.ts'
import { PortPool } from '../../../rtp/net/port-pool.ts'
import { VirtualNetwork } from '../bed/virtual-network.ts'
import { credentials, ours } from './browser-link-bed.ts'

/** Another program takes a port in the moment in which it is bound to no address. */
class ContestedNetwork extends VirtualNetwork {
  /** How many ports it takes so. */
  thefts = 0
  readonly #released = new Set<number>()

  override bind(port: number, done: (socket: DatagramSocket | undefined) => void): void {
    const isAgain = this.#released.has(port)
    this.#released.add(port)
    if (isAgain && !this.taken.has(port) && this.thefts > 0) {
      this.thefts--
      this.taken.add(port)
    }
    super.bind(port, done)
  }
}

const opening = { ...credentials, addresses: ['127.0.0.1'] }

function legs(thefts: number, pairs: number) {
  const network = new ContestedNetwork()
  network.thefts = thefts
  const ports = new PortPool(network, { ports: [30_000, 30_000 + 2 * pairs - 1] }, () => 0)
  const browsers = new BrowserLegs(network, ports, { certificate: ours, randomBytes })
  const open = () => {
    const links: (BrowserLink | undefined)[] = []
    browsers.open(opening, link => links.push(link))
    assert.is(links.length, 1, 'answered once')
    return links[0]
  }
  return { network, ports, open }
}

test('the port of browser legs that another program takes while it is bound again: the next pair is tried', () => {
  const { network, ports, open } = legs(2, 10)
  assert.ok(open())
  assert.is(ports.free, 9, 'only what is used is missing')
  assert.equal([...network.sockets.keys()], [30_005, 30_004])
})

test('when none is to be had nothing is kept, and the next leg finds what is free by then', () => {
  const { network, ports, open } = legs(3, 3)
  assert.is(open(), undefined)
  assert.is(ports.free, 3)
  assert.is(network.sockets.size, 0)
  network.taken.clear()
  assert.ok(open())
  assert.is(ports.free, 2)
})

test.run()
