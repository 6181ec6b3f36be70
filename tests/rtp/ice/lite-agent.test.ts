import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { iceCredentials } from '../../../rtp/ice/credentials.ts'
import { consentMs, LiteAgent, mostPaths } from '../../../rtp/ice/lite-agent.ts'
import { stunAttributes } from '../../../rtp/stun/attributes.ts'
import { attributeOf, fingerprintFits, integrityFits, parseStun } from '../../../rtp/stun/message.ts'
import { mappedOf, StunWriter } from '../../../rtp/stun/writer.ts'
import { inputs } from '../../fixtures/inputs.ts'

const ours = { ufrag: 'ourUfrag', password: 'our-password-of-24-chars' }
const later = { ufrag: 'newUfrag', password: 'new-password-of-24-chars' }
const keyOf = (password: string) => new Uint8Array(Buffer.from(password))
const host = (last: number) => (10 << 24) | last

interface Check {
  readonly user?: string
  readonly password?: string
  readonly nominates?: boolean
  readonly isControlled?: boolean
  readonly extra?: readonly number[]
}

const check = ({ user = 'ourUfrag:them', password = ours.password, ...more }: Check = {}) => {
  const into = new Uint8Array(1500)
  const writer = new StunWriter(
    into,
    'request',
    1,
    Uint8Array.from({ length: 12 }, (_, i) => i),
  )
    .text(stunAttributes.username, user)
    .word(stunAttributes.priority, 1)
    .bytes(more.isControlled ? stunAttributes.iceControlled : stunAttributes.iceControlling, new Uint8Array(8))
  if (more.nominates) writer.bytes(stunAttributes.useCandidate, new Uint8Array(0))
  for (const type of more.extra ?? []) writer.bytes(type, new Uint8Array(4))
  return into.slice(0, writer.seal(keyOf(password)))
}

class Bed {
  readonly agent = new LiteAgent(ours)
  now = 1000

  send(bytes: Uint8Array, address = host(1), port = 4000) {
    const parsed = parseStun(bytes)
    assert.ok(parsed.ok)
    const into = new Uint8Array(1500)
    const answer = this.agent.handle(parsed.value, address, port, into, this.now)
    assert.ok(answer.length <= bytes.length, 'an answer is never longer than its request')
    if (answer.length === 0) return { ...answer, response: undefined }
    const response = parseStun(into.slice(0, answer.length))
    assert.ok(response.ok)
    assert.is(fingerprintFits(response.value), true)
    return { ...answer, response: response.value }
  }

  get selected() {
    const path = this.agent.selected
    return path === undefined ? undefined : [path.address & 255, path.port]
  }
}

const codeOf = (bytes: Uint8Array | undefined, at: number | undefined) =>
  bytes === undefined || at === undefined ? undefined : bytes[at + 2]! * 100 + bytes[at + 3]!

test('a check is answered to where it came from, sealed by our password', () => {
  const bed = new Bed()
  bed.agent.setRemote('them')
  const { response, isValid } = bed.send(check(), host(7), 1234)
  assert.ok(isValid)
  assert.is(response?.class, 'success')
  assert.is(response && integrityFits(response, keyOf(ours.password)), true)
  const mapped = response && attributeOf(response, stunAttributes.xorMappedAddress)
  assert.equal(response && mapped && mappedOf(response, mapped), { address: host(7), port: 1234 })
  assert.equal(bed.selected, [7, 1234], 'a valid pair may be used before it is nominated')
})

test('what is not vouched for is dropped without an answer: password, names, class, seals', () => {
  const bed = new Bed()
  bed.agent.setRemote('them')
  const broken = check()
  broken[broken.length - 1]! ^= 1
  const response = new Uint8Array(200)
  const unasked = new StunWriter(response, 'success', 1, new Uint8Array(12))
    .text(stunAttributes.username, 'ourUfrag:them')
    .seal(keyOf(ours.password))
  const unsealed = new Uint8Array(200)
  const bare = new StunWriter(unsealed, 'request', 1, new Uint8Array(12))
    .text(stunAttributes.username, 'ourUfrag:them')
    .fingerprint()
  for (const bytes of [
    check({ password: 'wrong' }),
    check({ user: 'ourUfrag:another' }),
    check({ user: 'another:them' }),
    check({ user: 'ourUfrag' }),
    broken,
    response.slice(0, unasked),
    unsealed.slice(0, bare),
  ]) {
    assert.equal(bed.send(bytes), { length: 0, isValid: false, response: undefined })
  }
  assert.is(bed.agent.counters.dropped, 7)
  assert.is(bed.selected, undefined)
})

test('the latest nomination is where media goes; others only stay valid (RFC 8445 §7.3.1.5)', () => {
  const bed = new Bed()
  bed.send(check(), host(1))
  bed.send(check(), host(2))
  assert.equal(bed.selected, [1, 4000])
  bed.send(check({ nominates: true }), host(2))
  assert.equal(bed.selected, [2, 4000])
  bed.send(check(), host(1))
  assert.equal(bed.selected, [2, 4000])
  bed.send(check({ nominates: true }), host(3))
  assert.equal(bed.selected, [3, 4000], 'the remote changed its network')
  assert.is(bed.agent.paths.length, 3)
})

test('who believes to be controlled gets 487, unknown required attributes 420, and nothing changes', () => {
  const bed = new Bed()
  const conflict = bed.send(check({ isControlled: true, nominates: true })).response
  assert.is(codeOf(conflict?.bytes, conflict && attributeOf(conflict, stunAttributes.errorCode)?.at), 487)
  const unknown = bed.send(check({ extra: [0x7001, 0x7002, 0x8001] })).response
  assert.is(codeOf(unknown?.bytes, unknown && attributeOf(unknown, stunAttributes.errorCode)?.at), 420)
  const listed = unknown && attributeOf(unknown, stunAttributes.unknownAttributes)
  assert.equal(unknown && listed && [...unknown.bytes.slice(listed.at, listed.at + listed.length)], [0x70, 1, 0x70, 2])
  assert.is(bed.selected, undefined)
  assert.equal(bed.agent.counters, { checks: 0, dropped: 0, roleConflicts: 1, unknownAttributes: 1 })
  bed.send(check({ extra: Array.from({ length: 60 }, (_, i) => 0x7000 + i) }))
})

test('consent runs out after 30 s without a check (RFC 7675 §5.1) and comes back with one', () => {
  const bed = new Bed()
  bed.send(check({ nominates: true }), host(1))
  bed.now += consentMs - 1
  assert.not(bed.agent.expire(bed.now))
  bed.send(check(), host(1))
  bed.now += consentMs - 1
  assert.not(bed.agent.expire(bed.now))
  bed.now += 1
  assert.ok(bed.agent.expire(bed.now))
  assert.is(bed.selected, undefined)
  assert.not(bed.agent.expire(bed.now + 1), 'reported once')
  bed.send(check(), host(2))
  assert.equal(bed.selected, [2, 4000])
})

test('a restart: the old path carries media until the new run nominates one (RFC 8445 §9)', () => {
  const bed = new Bed()
  bed.agent.setRemote('them')
  bed.send(check({ nominates: true }), host(1))
  bed.agent.restart(later)
  bed.agent.setRemote('they2')
  assert.ok(bed.send(check(), host(1)).isValid, 'consent checks of the old run go on')
  assert.equal(bed.selected, [1, 4000])
  const again = { user: 'newUfrag:they2', password: later.password }
  assert.ok(bed.send(check(again), host(2)).isValid)
  assert.equal(bed.selected, [1, 4000])
  assert.ok(bed.agent.knows('ourUfrag') && bed.agent.knows('newUfrag'))
  bed.send(check({ ...again, nominates: true }), host(2))
  assert.equal(bed.selected, [2, 4000])
  assert.not(bed.send(check({ nominates: true }), host(3)).isValid, 'the old run is over')
  assert.not(bed.agent.knows('ourUfrag'))
})

test('until the new run has nominated, the old one chooses: a browser that never got our answer is followed to its new network', () => {
  const bed = new Bed()
  bed.agent.setRemote('them')
  bed.send(check({ nominates: true }), host(1))
  bed.agent.restart(later)
  bed.agent.setRemote('they2')
  bed.send(check(), host(2))
  assert.equal(bed.selected, [1, 4000], 'a check alone chooses nothing')
  bed.send(check({ nominates: true }), host(2))
  assert.equal(bed.selected, [2, 4000])
  bed.send(check({ user: 'newUfrag:they2', password: later.password, nominates: true }), host(3))
  assert.equal(bed.selected, [3, 4000])
  assert.not(bed.send(check({ nominates: true }), host(2)).isValid, 'the old run is over')
  assert.equal(bed.selected, [3, 4000])
})

test('a remote has so many addresses; the one that was silent for longest makes room, never the selected', () => {
  const bed = new Bed()
  bed.send(check({ nominates: true }), host(1))
  for (let i = 2; i < 40; i++) {
    bed.now += 10
    bed.send(check(), host(i))
  }
  assert.is(bed.agent.paths.length, mostPaths)
  assert.equal(bed.selected, [1, 4000])
  assert.ok(bed.agent.paths.some(path => path.address === host(39)))
})

test('names and passwords have the lengths of RFC 8445 §5.3 and only its characters', () => {
  const { ufrag, password } = iceCredentials(length => Uint8Array.from({ length }, (_, i) => i * 37))
  assert.match(ufrag, /^[A-Za-z0-9+/]{8}$/)
  assert.match(password, /^[A-Za-z0-9+/]{24}$/)
})

test('hostile checks are dropped or refused, and change nothing', () => {
  const bed = new Bed()
  for (const { bytes } of (['media-attacks', 'stun-seeds'] as const).flatMap(inputs)) {
    const parsed = parseStun(bytes)
    if (parsed.ok) assert.not(bed.send(bytes).isValid)
  }
  assert.is(bed.selected, undefined)
  assert.is(bed.agent.paths.length, 0)
})

test.run()
