import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemRandom } from '../../../../core/adapters/system/system-clock.ts'
import { uuidV7 } from '../../../../core/adapters/system/uuid-v7.ts'

test('the example of RFC 9562 appendix A.6', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex')
  assert.is(uuidV7(0x017f22e279b0, random), '017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('whatever the random octets are, version and variant are those of the RFC', () => {
  for (const octet of [0, 0x7f, 0x80, 0xff])
    assert.match(
      uuidV7(1, new Uint8Array(10).fill(octet)),
      /^00000000-0001-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
})

test('later ones are greater as text, and no two are the same', () => {
  assert.ok(uuidV7(1_700_000_000_000, new Uint8Array(10).fill(255)) < uuidV7(1_700_000_000_001, new Uint8Array(10)))
  assert.is(new Set(Array.from({ length: 5000 }, () => systemRandom.uuid())).size, 5000)
})

test.run()
