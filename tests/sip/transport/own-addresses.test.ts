import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Flow } from '../../../sip/network/flow.ts'
import { OwnAddresses } from '../../../sip/transport/own-addresses.ts'
import type { UdpListener } from '../../../sip/transport/udp.ts'

const listener = (id: number, address: string) => ({ id, address, port: 5060 }) as unknown as UdpListener
const four = listener(1, '192.0.2.1')
const six = listener(2, '2001:db8::1')

const flowsOf = (own: OwnAddresses, name: string, ...addresses: readonly string[]): Promise<readonly Flow[]> => {
  const hops = addresses.map(address => ({ transport: 'udp' as const, address, port: 5060 }))
  return new Promise(done => own.flowsOf(name, hops, done))
}

test('an external address is written to peers of its family, and to no other', async () => {
  const own = new OwnAddresses(['203.0.113.7'], [four, six], [])
  const flows = await flowsOf(own, 'both.test', '192.0.2.9', '2001:db8::9')
  assert.equal(
    flows.map(({ address, localHost, socket }) => [address, localHost, socket]),
    [
      ['192.0.2.9', '203.0.113.7', 1],
      ['2001:db8::9', '[2001:db8::1]', 2],
    ],
  )
  assert.is(own.localAddressFor('192.0.2.9'), '203.0.113.7')
  assert.is(own.localAddressFor('2001:db8::9'), '2001:db8::1')
  assert.is(own.ownName('tcp', '2001:db8::1').host, '[2001:db8::1]')
  assert.is(
    new OwnAddresses(['203.0.113.7', '2001:db8::7'], [four, six], []).localHostFor('::', '2001:db8::9'),
    '[2001:db8::7]',
  )
})

test('a name is of the family of the first address that a socket leads to', async () => {
  const own = new OwnAddresses([], [six], [])
  assert.is(own.localAddressFor('both.test'), undefined)
  assert.equal(
    (await flowsOf(own, 'both.test', '192.0.2.9', '2001:db8::9')).map(({ address }) => address),
    ['2001:db8::9'],
  )
  assert.is(own.localAddressFor('both.test'), '2001:db8::1')
  const dual = new OwnAddresses([], [four, six], [])
  await flowsOf(dual, 'both.test', '192.0.2.9', '2001:db8::9')
  assert.is(dual.localAddressFor('both.test'), '192.0.2.1')
})

test.run()
