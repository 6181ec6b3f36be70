import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { stunAttributes } from '../../../rtp/stun/attributes.ts'
import {
  attributeOf,
  fingerprintFits,
  integrityFits,
  mostAttributes,
  parseStun,
  type StunMessage,
  usernameOf,
} from '../../../rtp/stun/message.ts'
import { mappedOf, StunWriter } from '../../../rtp/stun/writer.ts'
import { inputs } from '../../fixtures/inputs.ts'
import { hex } from '../../fixtures/media-attacks.ts'
import { stunVectors } from '../../fixtures/rfc-vectors.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const parsed = (bytes: Uint8Array): StunMessage => {
  const result = parseStun(bytes)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}
const keyOf = (password: string) => new Uint8Array(Buffer.from(password))

test('the vectors of RFC 5769: integrity by short-term and long-term key, fingerprint', () => {
  const { shortTerm, longTerm } = stunVectors
  const longKey = new Uint8Array(createHash('md5').update(longTerm.credentials).digest())
  for (const [message, key, fingerprint] of [
    [parsed(hex(shortTerm.hex)), keyOf(shortTerm.password), true],
    [parsed(hex(longTerm.hex)), longKey, undefined],
  ] as const) {
    assert.equal([message.class, message.method], ['request', 1])
    assert.is(integrityFits(message, key), true)
    assert.is(integrityFits(message, keyOf('another')), false)
    assert.is(fingerprintFits(message), fingerprint)
  }
  assert.is(usernameOf(parsed(hex(shortTerm.hex))), 'evtj:h6vY')
})

test('what is written reads back, sealed; no altered bit keeps both seals', () => {
  const id = Uint8Array.from({ length: 12 }, (_, i) => i + 1)
  const into = new Uint8Array(500)
  const length = new StunWriter(into, 'request', 1, id)
    .text(stunAttributes.username, 'ours:their')
    .word(stunAttributes.priority, 0x6e7f00ff)
    .bytes(stunAttributes.iceControlling, new Uint8Array(8).fill(9))
    .bytes(stunAttributes.useCandidate, new Uint8Array(0))
    .mapped((192 << 24) | (0 << 16) | (2 << 8) | 1, 32853)
    .seal(keyOf('secret'))
  const bytes = into.slice(0, length)
  const message = parsed(bytes)
  assert.is(usernameOf(message), 'ours:their')
  assert.is(integrityFits(message, keyOf('secret')), true)
  assert.is(fingerprintFits(message), true)
  const mapped = attributeOf(message, stunAttributes.xorMappedAddress)
  assert.ok(mapped)
  assert.equal(mappedOf(message, mapped), { address: (192 << 24) | (2 << 8) | 1, port: 32853 })
  for (let bit = 0; bit < length * 8; bit++) {
    const altered = bytes.slice()
    altered[bit >> 3]! ^= 1 << (bit & 7)
    const result = parseStun(altered)
    assert.not(result.ok && integrityFits(result.value, keyOf('secret')) && fingerprintFits(result.value))
  }
})

test('classes and methods have their bits (RFC 8489 §5)', () => {
  for (const kind of ['request', 'indication', 'success', 'error'] as const) {
    for (const method of [1, 3, 0x0f, 0x70, 0x80, 0xfff]) {
      const into = new Uint8Array(40)
      const length = new StunWriter(into, kind, method, new Uint8Array(12)).fingerprint()
      const message = parsed(into.slice(0, length))
      assert.equal([message.class, message.method], [kind, method])
    }
  }
})

test('bytes that are no message give the kind of fault', () => {
  const good = new Uint8Array(64)
  const length = new StunWriter(good, 'request', 1, new Uint8Array(12)).word(1, 2).fingerprint()
  const bytes = good.slice(0, length)
  const change = (at: number, value: number) => Object.assign(bytes.slice(), { [at]: value })
  const reason = (input: Uint8Array) => {
    const result = parseStun(input)
    return result.ok ? 'ok' : result.reason
  }
  assert.is(reason(bytes), 'ok')
  assert.is(reason(bytes.slice(0, 19)), 'too-short')
  assert.is(reason(change(0, 0x40)), 'bad-header')
  assert.is(reason(change(4, 0)), 'bad-header')
  assert.is(reason(change(3, 2)), 'bad-length')
  assert.is(reason(change(23, 200)), 'bad-attribute')
  const many = new Uint8Array(20 + 4 * (mostAttributes + 1))
  const writer = new StunWriter(many, 'request', 1, new Uint8Array(12))
  for (let i = 0; i <= mostAttributes; i++) writer.bytes(0x8001, new Uint8Array(0))
  assert.is(reason(many), 'too-many-attributes')
})

test('seeds and their mutations never throw', () => {
  const random = seeded(17)
  for (const { bytes } of (['stun-seeds', 'media-attacks'] as const).flatMap(inputs)) {
    for (let round = 0; round < 50; round++) {
      const mutated = bytes.slice(0, round === 0 ? bytes.length : Math.floor(random() * (bytes.length + 1)))
      for (let i = round % 5; i > 0 && mutated.length > 0; i--) {
        mutated[Math.floor(random() * mutated.length)] = random() * 256
      }
      const result = parseStun(mutated)
      if (!result.ok) continue
      usernameOf(result.value)
      fingerprintFits(result.value)
      integrityFits(result.value, keyOf('key'))
    }
  }
})

test.run()
