import { isIPv4 } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AddressOptions, ownAddresses } from '../../../../core/adapters/media/own-addresses.ts'
import type { CallUuid, LegUuid } from '../../../../core/model/ids.ts'
import { defaultSettings } from '../../../../core/model/settings.ts'

const { media } = defaultSettings

const addressOf = (
  toward: string,
  local: string | undefined,
  { external = [], bindAddress }: { readonly external?: readonly string[]; readonly bindAddress?: string } = {},
) => {
  const options: AddressOptions = {
    settings: { externalAddresses: external, media },
    localAddressFor: () => local,
    ...(bindAddress === undefined ? {} : { bindAddress }),
  }
  return ownAddresses(
    { type: 'media.open', legId: 'leg' as LegUuid, callId: 'call' as CallUuid, toward },
    undefined,
    options,
  )[0]
}

test('the address on the way to the peer, unless one is set', () => {
  assert.is(addressOf('192.0.2.9', '192.0.2.1'), '192.0.2.1')
  assert.is(addressOf('192.0.2.9', '192.0.2.1', { external: ['203.0.113.7'] }), '203.0.113.7')
  assert.is(addressOf('192.0.2.9', '192.0.2.1', { bindAddress: '192.0.2.2' }), '192.0.2.2')
  assert.is(addressOf('192.0.2.9', '192.0.2.1', { bindAddress: '0.0.0.0' }), '192.0.2.1')
  assert.is(addressOf('127.0.0.5', undefined), '127.0.0.1')
})

test('a peer of IPv6 gets an address of IPv6, its external one where one is set', () => {
  assert.is(addressOf('2001:db8::9', '2001:db8::1'), '2001:db8::1')
  assert.is(addressOf('[2001:db8::9]', '2001:db8::1'), '2001:db8::1')
  assert.is(addressOf('2001:db8::9', '2001:db8::1', { external: ['203.0.113.7'] }), '2001:db8::1')
  const both = { external: ['203.0.113.7', '2001:db8::7'] }
  assert.is(addressOf('2001:db8::9', '2001:db8::1', both), '2001:db8::7')
  assert.is(addressOf('192.0.2.9', '192.0.2.1', both), '203.0.113.7')
  assert.ok(isIPv4(addressOf('192.0.2.9', '192.0.2.1', { external: ['2001:db8::7'] })))
})

test('a name that leads to IPv6 alone', () => {
  assert.is(addressOf('six.carrier.test', '2001:db8::1'), '2001:db8::1')
  assert.is(addressOf('four.carrier.test', '192.0.2.1'), '192.0.2.1')
  assert.ok(isIPv4(addressOf('unknown.carrier.test', undefined)))
})

test.run()
