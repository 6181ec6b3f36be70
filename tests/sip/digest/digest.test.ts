import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { DigestAlgorithm } from '../../../sip/digest/algorithm.ts'
import { answerChallenge, chooseChallenges } from '../../../sip/digest/answer-challenge.ts'
import { formatChallenges, parseChallenge } from '../../../sip/digest/challenge.ts'
import { checkCredentials } from '../../../sip/digest/check.ts'
import { parseCredentials } from '../../../sip/digest/credentials.ts'
import { checkNonce, createNonce, type NonceRules } from '../../../sip/digest/nonce.ts'
import { NonceCounts } from '../../../sip/digest/nonce-counts.ts'
import { ha1Of, responseOf, sameDigest } from '../../../sip/digest/response.ts'
import { type Hash, hashNames, headersOf } from '../../../sip/index.ts'
import { inputs } from '../../fixtures/inputs.ts'
import { digestVectors, sha512Vector } from '../../fixtures/rfc-vectors.ts'
import { parsed } from '../bed/text.ts'

const hash: Hash = (algorithm, data) => createHash(hashNames[algorithm]).update(data).digest('hex')

const nonces: NonceRules = { hash, secret: 'a secret of thirty-two characters', lifetimeMs: 60_000 }
const realm = 'sauti "test"'
const user = {
  hash,
  username: 'al"ice',
  password: 'pä:ss',
  method: 'INVITE',
  uri: 'sip:+254700@b.test',
  cnonce: 'c',
  count: 1,
}
const rules = { nonces, realm, method: 'INVITE', requestUri: 'sip:+254700@b.test' }

interface Vector {
  readonly id: string
  readonly user: string
  readonly realm: string
  readonly pass: string
  readonly nonce: string
  readonly nc: string
  readonly cnonce: string
  readonly method: string
  readonly uri: string
  readonly response: string
}

const respond = (vector: Vector, algorithm: DigestAlgorithm): string =>
  responseOf(hash, {
    algorithm,
    ha1: ha1Of(hash, algorithm, vector.user, vector.realm, vector.pass),
    nonce: vector.nonce,
    method: vector.method,
    uri: vector.uri,
    client: { nc: vector.nc, cnonce: vector.cnonce },
  })

test('vectors of RFC 2617 §3.5 and RFC 7616 §3.9.1', () => {
  for (const vector of digestVectors) assert.is(respond(vector, 'MD5'), vector.response, vector.id)
  const sha = digestVectors.find(vector => vector.id.startsWith('rfc7616'))
  assert.ok(sha)
  // The RFC's second response, to the same fields.
  assert.is(respond(sha, 'SHA-256'), '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1')
})

test('the vector of RFC 7616 §3.9.2 for SHA-512-256, as erratum 4897 corrects it', () => {
  assert.is(respond(sha512Vector, 'SHA-512-256'), sha512Vector.response)
})

test('a challenge for each algorithm, the strongest first (RFC 8760 §2.4); the strongest is answered, in any order', () => {
  const values = formatChallenges({ realm, nonce: 'n' })
  assert.equal(
    values.map(value => /algorithm=([^,]+)/.exec(value)?.[1]),
    ['SHA-512-256', 'SHA-256', 'MD5'],
  )
  for (const offered of [values, values.toReversed()])
    assert.equal(
      chooseChallenges(offered).map(({ algorithm }) => algorithm),
      ['SHA-512-256'],
    )
})

test('without qop: RFC 3261 §22.4, the old form', () => {
  const ha1 = hash('MD5', 'bob:biloxi.com:zanzibar')
  const ha2 = hash('MD5', 'INVITE:sip:bob@biloxi.com')
  const fields = {
    algorithm: 'MD5',
    ha1,
    nonce: 'n',
    method: 'INVITE',
    uri: 'sip:bob@biloxi.com',
    client: undefined,
  } as const
  assert.is(responseOf(hash, fields), hash('MD5', `${ha1}:n:${ha2}`))
})

/** Challenge and answer, both ours. */
function exchange(at: number, algorithms: readonly DigestAlgorithm[], changed: Partial<typeof user> = {}) {
  const nonce = createNonce(nonces, realm, 'salt1', at)
  const [challenge] = chooseChallenges(formatChallenges({ realm, nonce, algorithms }))
  assert.ok(challenge)
  const credentials = parseCredentials(answerChallenge(challenge, { ...user, ...changed }))
  assert.ok(credentials.ok)
  return credentials.value
}

test('a challenge of ours, answered by us, checks', () => {
  for (const algorithms of [['MD5'], ['SHA-256'], ['SHA-512-256'], ['SHA-256', 'MD5']] as const) {
    const credentials = exchange(1000, algorithms)
    assert.is(credentials.algorithm, algorithms[0])
    assert.is(credentials.username, 'al"ice')
    assert.is(checkCredentials(credentials, user, rules, 2000), 'right')
    const ha1 = { [credentials.algorithm]: ha1Of(hash, credentials.algorithm, user.username, realm, user.password) }
    assert.is(checkCredentials(credentials, { ha1 }, rules, 2000), 'right')
    assert.is(checkCredentials(credentials, { ha1: {} }, rules, 2000), 'wrong')
  }
})

test('wrong: password, method, realm, another number; right: other parameters and port of the same target', () => {
  const credentials = exchange(1000, ['MD5'])
  assert.is(checkCredentials(credentials, { password: 'other' }, rules, 2000), 'wrong')
  assert.is(checkCredentials(credentials, user, { ...rules, method: 'BYE' }, 2000), 'wrong')
  assert.is(checkCredentials(credentials, user, { ...rules, realm: 'other' }, 2000), 'wrong')
  assert.is(checkCredentials(credentials, user, { ...rules, requestUri: 'sip:+8835100@b.test' }, 2000), 'wrong')
  assert.is(checkCredentials(credentials, user, { ...rules, requestUri: 'tel:+254700' }, 2000), 'wrong')
  assert.is(
    checkCredentials(credentials, user, { ...rules, requestUri: 'sip:+254700@B.test:5060;transport=tcp' }, 2000),
    'right',
  )
  assert.is(
    checkCredentials({ ...credentials, response: credentials.response.toUpperCase() }, user, rules, 2000),
    'right',
  )
  assert.is(checkCredentials({ ...credentials, response: '' }, user, rules, 2000), 'wrong')
})

test('stale: old, of another run, used before; never said of a wrong password', () => {
  const credentials = exchange(1000, ['SHA-256'])
  assert.is(checkCredentials(credentials, user, rules, 61_000), 'right')
  assert.is(checkCredentials(credentials, user, rules, 61_001), 'stale')
  assert.is(checkCredentials(credentials, { password: 'x' }, rules, 61_001), 'wrong')
  const restarted = { ...rules, nonces: { ...nonces, secret: 'another' } }
  assert.is(checkCredentials(credentials, user, restarted, 2000), 'stale')
  const replay = new NonceCounts()
  const once = { ...rules, replay }
  assert.is(checkCredentials(credentials, { password: 'x' }, once, 2000), 'wrong')
  assert.is(checkCredentials(credentials, user, once, 2000), 'right')
  assert.is(checkCredentials(credentials, user, once, 2000), 'stale')
  const second = exchange(1000, ['SHA-256'], { count: 2 })
  assert.is(checkCredentials(second, user, once, 2000), 'right')
  const [challenge] = formatChallenges({ realm, nonce: 'n', stale: true, algorithms: ['MD5'] })
  assert.is(challenge, 'Digest realm="sauti \\"test\\"", nonce="n", algorithm=MD5, qop="auth", stale=true')
})

test('nonces: sealed with time, salt and realm', () => {
  const nonce = createNonce(nonces, realm, 'abc', 123_456.7)
  assert.is(checkNonce(nonces, realm, nonce, 123_457), 'fresh')
  assert.is(checkNonce(nonces, realm, nonce, 123_456.7), 'fresh')
  assert.is(checkNonce(nonces, realm, nonce, 1_000_000), 'stale')
  assert.is(checkNonce(nonces, 'other', nonce, 123_457), 'foreign')
  const time = (123_456).toString(36)
  assert.ok(nonce.startsWith(`${time}.abc.`))
  for (let at = 0; at < nonce.length; at++) {
    const altered = `${nonce.slice(0, at)}${nonce[at] === '0' ? '1' : '0'}${nonce.slice(at + 1)}`
    assert.is(checkNonce(nonces, realm, altered, 123_457), 'foreign', altered)
  }
  for (const bad of ['', 'x', '..', `${nonce} `, nonce.repeat(2)])
    assert.is(checkNonce(nonces, realm, bad, 0), 'foreign')
  assert.is.not(createNonce(nonces, realm, 'a', 1), createNonce(nonces, realm, 'b', 1))
})

test('replay window: in order, a little out of order, never twice, bounded', () => {
  const replay = new NonceCounts(2)
  const accept = (nc: number, nonce = 'n') => replay.accept(nonce, nc)
  assert.equal(
    [1, 3, 2, 2, 3, 1, 40, 8, 9, 9, 40, 41].map(nc => accept(nc)),
    [true, true, true, false, false, false, true, false, true, false, false, true],
  )
  accept(1, 'b')
  accept(1, 'c')
  assert.is(accept(1, 'b'), false)
  assert.is(accept(41), true)
})

test('the strongest challenge of each realm is answered; what we cannot do is left out', () => {
  const chosen = chooseChallenges([
    'Digest realm="a", nonce="1", algorithm=MD5, qop="auth"',
    'Digest realm="a", nonce="2", algorithm=SHA-256, qop="auth-int, auth"',
    'Digest realm="a", nonce="3", algorithm=SHA-512, qop="auth"',
    'Digest realm="f", nonce="6", algorithm=sha-512-256, qop="auth"',
    'Digest realm="f", nonce="7", algorithm=SHA-256, qop="auth"',
    'Digest realm="b", nonce="4"',
    'Digest realm="c", nonce="5", qop="auth-int"',
    'Digest realm="d"',
    'Bearer realm="e"',
    'Digest ,,,',
  ])
  assert.equal(
    chosen.map(({ realm, nonce, algorithm, qopAuth }) => [realm, nonce, algorithm, qopAuth]),
    [
      ['a', '2', 'SHA-256', true],
      ['f', '6', 'SHA-512-256', true],
      ['b', '4', 'MD5', false],
    ],
  )
  const old = chosen[2]
  assert.ok(old)
  assert.not.match(answerChallenge(old, user), /qop|nc=|cnonce|algorithm/)
})

test('an answer echoes opaque and counts in hex', () => {
  const challenge = parseChallenge('Digest realm="r", nonce="n", opaque="o\\"p", algorithm=md5, qop=auth, stale=TRUE')
  assert.ok(challenge.ok && challenge.value.stale)
  const answer = answerChallenge(challenge.value, { ...user, count: 31 })
  assert.match(answer, 'opaque="o\\"p", qop=auth, nc=0000001f, cnonce="c"')
  assert.match(answer, 'algorithm=MD5')
})

test('credentials that are none', () => {
  const whole = 'Digest username="u", realm="r", nonce="n", uri="sip:b", response="x"'
  const rows: readonly (readonly [string, string])[] = [
    [whole, 'ok'],
    [`${whole}, qop=auth, nc=00000001, cnonce="c"`, 'ok'],
    [`${whole}, qop=auth, nc=1, cnonce="c"`, 'incomplete'],
    [`${whole}, qop=auth, nc=00000001`, 'incomplete'],
    [`${whole}, qop=auth-int, nc=00000001, cnonce="c"`, 'unknown-qop'],
    [`${whole}, algorithm=SHA-1`, 'unknown-algorithm'],
    [whole.replace('uri', 'u'), 'incomplete'],
    ['Bearer abc', 'other-scheme'],
    ['', 'unreadable'],
  ]
  for (const [value, expected] of rows) {
    const credentials = parseCredentials(value)
    assert.is(credentials.ok ? 'ok' : credentials.reason, expected, value)
  }
})

test('hostile Authorization fields are never right (CVE-2023-28098, CVE-2025-57767)', () => {
  let count = 0
  for (const { name, bytes } of inputs('advisories')) {
    for (const value of headersOf(parsed(bytes), 'Authorization')) {
      count++
      const credentials = parseCredentials(value)
      const verdict = credentials.ok ? checkCredentials(credentials.value, user, rules, 0) : 'wrong'
      assert.is(verdict, 'wrong', name)
    }
  }
  assert.ok(count >= 9)
})

test('digests are compared whole', () => {
  assert.ok(sameDigest('aF09', 'Af09'))
  assert.not(sameDigest('aF09', 'aF08'))
  assert.not(sameDigest('aF09', 'aF0'))
  assert.ok(sameDigest('', ''))
})

test('a name of more than 200 characters and a field of more than 512 are not read: names are remembered, fields hashed', () => {
  const fields = { username: '1001', realm: 'r', nonce: 'n', uri: 'sip:r', response: 'x', cnonce: 'c' }
  const read = (set: Partial<typeof fields>) => {
    const all = Object.entries({ ...fields, ...set }).map(([name, value]) => `${name}="${value}"`)
    const parsed = parseCredentials(`Digest ${all.join(', ')}, qop=auth, nc=00000001`)
    return parsed.ok ? 'read' : parsed.reason
  }
  assert.is(read({ username: 'x'.repeat(200) }), 'read')
  assert.is(read({ username: 'x'.repeat(201) }), 'unreadable')
  for (const name of ['realm', 'nonce', 'uri', 'response', 'cnonce']) {
    assert.is(read({ [name]: 'x'.repeat(512) }), 'read', name)
    assert.is(read({ [name]: 'x'.repeat(513) }), 'unreadable', name)
  }
})

test('a nonce for one source is foreign from another', () => {
  const nonce = createNonce(nonces, realm, 'abc', 1000, '192.0.2.1')
  assert.is(checkNonce(nonces, realm, nonce, 1001, '192.0.2.1'), 'fresh')
  assert.is(checkNonce(nonces, realm, nonce, 1001, '192.0.2.2'), 'foreign')
  assert.is(checkNonce(nonces, realm, nonce, 1001), 'foreign')
})

test.run()
