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
  { externalAddress, bindAddress }: { readonly externalAddress?: string; readonly bindAddress?: string } = {},
) => {
  const options: AddressOptions = {
    settings: { externalAddress, media },
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
  assert.is(addressOf('192.0.2.9', '192.0.2.1', { externalAddress: '203.0.113.7' }), '203.0.113.7')
  assert.is(addressOf('192.0.2.9', '192.0.2.1', { bindAddress: '192.0.2.2' }), '192.0.2.2')
  assert.is(addressOf('192.0.2.9', '192.0.2.1', { bindAddress: '0.0.0.0' }), '192.0.2.1')
  assert.is(addressOf('127.0.0.5', undefined), '127.0.0.1')
})

test('SIP over IPv6: media is promised where it is, at an IPv4 address', () => {
  assert.is(addressOf('::1', '::1'), '127.0.0.1')
  assert.is(addressOf('[::1]', undefined), '127.0.0.1')
  for (const peer of ['2001:db8::9', '[2001:db8::9]', 'fe80::1']) {
    for (const local of ['2001:db8::1', undefined]) assert.ok(isIPv4(addressOf(peer, local)), `${peer}, ${local}`)
  }
  assert.ok(isIPv4(addressOf('192.0.2.9', '192.0.2.1', { externalAddress: '2001:db8::7' })))
})

test.run()
