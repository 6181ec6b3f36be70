import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { e164Of, isE164, isExtension, longestPrefix, presentedNumber } from '../../../core/routing/e164.ts'
import { numberForTrunk, routesTo } from '../../../core/routing/routes.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const written: readonly [string, string | undefined][] = [
  ['+254700000001', '+254700000001'],
  ['254700000001', '+254700000001'],
  ['00254700000001', '+254700000001'],
  ['0700000001', '+254700000001'],
  ['+1', undefined],
  ['+0254700000001', undefined],
  ['+12345678901234567', undefined],
  ['12', undefined],
  ['1001', undefined],
  ['', undefined],
  ['+', undefined],
  ['bob', undefined],
  ['+254 700 000 001', undefined],
  ['+254700000001;phone-context=evil', undefined],
  ['+254700000001@evil.test', undefined],
  ['+25470000000x', undefined],
  ['٢٥٤٧٠٠٠٠٠٠٠١', undefined],
]

test('what a user part can mean as E.164', () => {
  for (const [user, expected] of written) assert.is(e164Of(user), expected, user)
})

test('numbers and extensions are distinguished', () => {
  assert.ok(isE164('+2547000'))
  assert.not.ok(isE164('2547000000'))
  assert.ok(isExtension('1001'))
  assert.not.ok(isExtension('+1001'))
  assert.not.ok(isExtension('0100'))
  assert.is(presentedNumber('anonymous'), 'anonymous')
  assert.is(presentedNumber('254711111111'), '+254711111111')
})

test('prefixes are the same with and without plus, and the empty one fits all', () => {
  assert.is(longestPrefix('+254700', ['+254', '2547', '+1']), 5)
  assert.is(longestPrefix('+254700', ['']), 0)
  assert.is(longestPrefix('+254700', ['+1']), undefined)
  assert.is(longestPrefix('+254700', []), undefined)
})

test('longest prefix, then priority, then weight', () => {
  const trunks = [
    trunk('default', { prefixes: [''] }),
    trunk('kenya-backup', { prefixes: ['+254'], priority: 2 }),
    trunk('kenya', { prefixes: ['254'], priority: 1 }),
    trunk('safaricom', { prefixes: ['+2547'], priority: 9 }),
    trunk('other', { prefixes: ['+255'] }),
  ]
  const order = routesTo('+254700000001', trunks, () => 0).map(({ name }) => name)
  assert.equal(order, ['safaricom', 'kenya', 'kenya-backup', 'default'])
})

test('weights share the first place, and everybody stands somewhere', () => {
  const random = seeded(7)
  const trunks = [trunk('three', { weight: 3 }), trunk('one', { weight: 1 }), trunk('none', { weight: 0 })]
  const first = { three: 0, one: 0, none: 0 }
  for (let draw = 0; draw < 4000; draw++) {
    const order = routesTo('+254700000001', trunks, random)
    assert.is(order.length, 3)
    assert.is(order[2]?.name, 'none')
    first[order[0]!.name as 'one']++
  }
  assert.is(first.none, 0)
  assert.ok(Math.abs(first.three / first.one - 3) < 0.4, `${first.three} to ${first.one}`)
})

test('a trunk that takes the number in a form of its own', () => {
  assert.is(numberForTrunk('+254700000001', trunk('t')), '+254700000001')
  assert.is(numberForTrunk('+254700000001', trunk('t', { strip: 1 })), '254700000001')
  assert.is(numberForTrunk('+254700000001', trunk('t', { strip: 4, prepend: '0' })), '0700000001')
})

test.run()
