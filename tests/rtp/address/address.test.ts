import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  formatAddress,
  formatPlace,
  ipv6Addresses,
  isIpv6,
  isUnicast,
  parseAddress,
} from '../../../rtp/address/address.ts'
import { isInRange, isPrivateAddress, parseNetworkRange } from '../../../rtp/address/network-range.ts'

const at = (text: string): number => {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`${text} is no address`)
  return address
}

test('an IPv6 address becomes a number and the same text again, in the form of RFC 5952', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['2001:db8::1', '2001:db8::1'],
    ['2001:0DB8:0:0:0:0:0:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['::1', '::1'],
    ['::', '::'],
    ['fe80::', 'fe80::'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ]
  for (const [written, formatted] of rows) {
    assert.is(formatAddress(at(written)), formatted)
    assert.is(at(written), at(formatted), 'one address, one number')
    assert.ok(isIpv6(at(written)))
  }
  assert.is(formatPlace(at('2001:db8::1'), 4000), '[2001:db8::1]:4000')
  assert.is(formatPlace(at('192.0.2.1'), 4000), '192.0.2.1:4000')
})

test('what is no address has no number', () => {
  const texts = ['', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '::1:2:3:4:5:6:7:8', '12345::', 'g::']
  for (const text of [...texts, '::1.2.3', '::1.2.3.256', 'fe80::1%eth0', '1.2.3', '240.0.0.1', '254.1.2.3'])
    assert.is(parseAddress(text), undefined, text)
})

test('media goes to one host', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ['192.0.2.1', true],
    ['2001:db8::1', true],
    ['::1', true],
    ['fd00::2', true],
    ['0.0.0.0', false],
    ['::', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['ff02::1', false],
    ['::ffff:192.0.2.1', false],
  ]
  for (const [text, expected] of rows) assert.is(isUnicast(at(text)), expected, text)
})

test('networks of both families, which hold no address of the other', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['2001:db8:1:2::/64', '2001:db8:1:2:ffff::1', true],
    ['2001:db8:1:2::/64', '2001:db8:1:3::1', false],
    ['2001:db8:8000::/33', '2001:db8:ffff::1', true],
    ['2001:db8:8000::/33', '2001:db8:7fff::1', false],
    ['2001:db8::1', '2001:db8::1', true],
    ['2001:db8::1', '2001:db8::2', false],
    ['::/0', '2001:db8::2', true],
    ['::/0', '192.0.2.1', false],
    ['0.0.0.0/0', '2001:db8::2', false],
    ['192.0.2.0/24', '192.0.2.9', true],
  ]
  for (const [network, address, expected] of rows) {
    const range = parseNetworkRange(network)
    assert.ok(range !== undefined, network)
    assert.is(isInRange(at(address), range), expected, `${address} in ${network}`)
  }
  for (const text of ['2001:db8::/129', '::/x', '::1/64/2', '192.0.2.0/33'])
    assert.is(parseNetworkRange(text), undefined)
  for (const text of ['::1', 'fd00::2', 'fe80::1', '10.1.2.3']) assert.ok(isPrivateAddress(at(text)), text)
  for (const text of ['2001:db8::1', 'fec0::1', '192.0.2.1']) assert.not.ok(isPrivateAddress(at(text)), text)
})

test('a flood of sources takes the numbers of addresses that are not used, and no number twice', () => {
  const live = at('2001:db8::7')
  const idle = at('2001:db8::8')
  for (let n = 1; n <= 60_000; n++) {
    ipv6Addresses.numberOf(0x20010db8, 0x66, n >>> 8, n)
    // One packet comes from there, one goes there.
    if (n % 1000 === 0) assert.is(at('2001:db8::7'), live, 'in use')
  }
  assert.is(formatAddress(live), '2001:db8::7')
  assert.is(formatAddress(idle), '', 'forgotten, and not another address by now')
  assert.is(isUnicast(idle), false)
  assert.is.not(at('2001:db8::8'), idle)
})

test.run()
