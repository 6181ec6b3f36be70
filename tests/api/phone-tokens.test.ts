import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openRepositories } from '../../core/adapters/store/repositories.ts'
import type { AccountUuid } from '../../core/model/ids.ts'
import { ApiBed } from './bed/api-bed.ts'

const turnSecret = 'the secret of coturn'
const bed = await ApiBed.open({
  ice: {
    stun: ['stun:a.test:3478', 'stun:b.test'],
    turn: ['turn:t.test:3478?transport=udp', 'turns:t.test'],
    turnSecret,
  },
  sip: { listeners: [], realm: 'sip.voice.test' },
})
const unknownUuid = '00000000-0000-4000-8000-000000000000'
const folder = bed.store.database.folder
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other', wallet_balance: '10' })).body
const user = (await bed.customer('POST', '/users/create', { email: 'amina@example.com' })).body
const mint = (body: object = {}, key = bed.key) =>
  bed.conforming('POST', '/phone-tokens/mint', { key, body: { uuid: user.uuid, ...body } })
const revoke = (uuid: string, key = bed.key) => bed.conforming('POST', '/phone-tokens/revoke', { key, body: { uuid } })
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const mintAt = (endUserUuid: string, unixMs: number) =>
  bed.repositories.phoneTokens.mint(
    bed.accountUuid as AccountUuid,
    { endUserUuid, ttlSeconds: 60, maxConcurrent: 1, realm: 'sip.voice.test' },
    unixMs,
  )
const isUsable = (token: string, unixMs = Date.now()) => bed.repositories.phoneTokens.read(token, unixMs)?.isUsable

test('minting: the claims of the decisions, and the record beside them', async () => {
  const { status, body, headers } = await mint()
  assert.is(status, 200)
  assert.is(headers['cache-control'], 'no-store')
  const claims = claimsOf(body.token)
  assert.equal(Object.keys(claims), ['iss', 'sub', 'ext', 'acc', 'jti', 'max_concurrent', 'iat', 'exp'])
  assert.equal(
    [claims.iss, claims.sub, claims.ext, claims.acc, claims.jti, claims.max_concurrent],
    ['sip.voice.test', user.uuid, user.extension_number, bed.accountUuid, body.phone_token.uuid, 1],
  )
  assert.is(claims.exp - claims.iat, 3600)
  assert.ok(Math.abs(claims.iat - Date.now() / 1000) < 5)
  assert.equal(JSON.parse(Buffer.from(body.token.split('.')[0], 'base64url').toString()), { alg: 'HS256', typ: 'JWT' })
  assert.equal(
    { ...body.phone_token, uuid: '', expires_at: '', created_at: '' },
    {
      uuid: '',
      end_user: user.uuid,
      extension_number: user.extension_number,
      max_concurrent: 1,
      is_valid: true,
      expires_at: '',
      revoked_at: null,
      created_at: '',
    },
  )
  assert.is(Date.parse(body.phone_token.expires_at), claims.exp * 1000)
  assert.is(isUsable(body.token), true)
  assert.is(isUsable(body.token, claims.exp * 1000), false)
})

test('iceServers: STUN as it is set, TURN with credentials that coturn takes', async () => {
  const { body } = await mint({ ttl_seconds: 60 })
  const [stun, turn, ...more] = body.iceServers
  assert.equal(more, [])
  assert.equal(stun, { urls: ['stun:a.test:3478', 'stun:b.test'] })
  assert.equal(turn.urls, ['turn:t.test:3478?transport=udp', 'turns:t.test'])
  assert.is(turn.username, `${claimsOf(body.token).exp}:${user.uuid}`)
  assert.is(turn.credential, createHmac('sha1', turnSecret).update(turn.username).digest('base64'))
})

test('lifetime and concurrency have their bounds, null is the default', async () => {
  for (const [field, least, most, fallback] of [
    ['ttl_seconds', 1, 3600, 3600],
    ['max_concurrent', 1, 10, 1],
  ] as const) {
    const got = async (value: unknown) => {
      const { status, body } = await mint({ [field]: value })
      if (status !== 200) return [status, body.errors[0].field]
      const claims = claimsOf(body.token)
      return field === 'ttl_seconds' ? claims.exp - claims.iat : claims.max_concurrent
    }
    assert.equal(await Promise.all([least, most, null].map(got)), [least, most, fallback])
    for (const bad of [0, -1, most + 1, 1.5, '1', true, []]) assert.equal(await got(bad), [422, field])
  }
  assert.is((await bed.conforming('POST', '/phone-tokens/mint', { body: {} })).status, 422)
})

test('refused: another account’s user, an inactive or unknown one, an account without money, a suspended one', async () => {
  assert.is((await mint({}, other.key)).status, 400)
  assert.is((await mint({ uuid: unknownUuid })).status, 404)
  const idle = (await bed.customer('POST', '/users/create', { email: 'idle@example.com' })).body
  await bed.customer('POST', '/users/update', { uuid: idle.uuid, is_active: false })
  assert.is((await mint({ uuid: idle.uuid })).status, 400)

  const poor = (await bed.operator('POST', '/operator/accounts', { name: 'Poor' })).body
  const theirs = (await bed.conforming('POST', '/users/create', { key: poor.key, body: { email: 'p@example.com' } }))
    .body
  const refused = await mint({ uuid: theirs.uuid }, poor.key)
  assert.equal([refused.status, refused.body.code], [402, 'BILL.0402'])
  assert.ok(refused.body.detail.startsWith('BILL.0402: '))
  const path = `/operator/accounts/${poor.account.uuid}`
  await bed.operator('PATCH', path, { grace_amount: '0.01' })
  assert.is((await mint({ uuid: theirs.uuid }, poor.key)).status, 200)
  await bed.operator('PATCH', path, { status: 'suspended' })
  const suspended = await mint({ uuid: theirs.uuid }, poor.key)
  assert.equal([suspended.status, suspended.body.code], [403, 'BILL.0403'])
})

test('a revoked token is unusable at once, and listeners are notified once', async () => {
  const received: string[] = []
  const stop = bed.repositories.phoneTokens.onRevoked(({ uuid }) => received.push(uuid))
  const { token, phone_token: record } = (await mint()).body
  assert.is((await revoke(record.uuid, other.key)).status, 404)
  assert.is(isUsable(token), true)
  assert.is((await revoke(record.uuid)).status, 200)
  assert.is(isUsable(token), false)
  assert.is((await revoke(record.uuid)).status, 200)
  assert.equal(received, [record.uuid])
  assert.is((await revoke(unknownUuid)).status, 404)
  stop()
})

test('deactivating or deleting the user ends all of its tokens, for good', async () => {
  const cells = (await bed.customer('POST', '/users/create', { email: 'many@example.com' })).body
  const minted = await Promise.all([1, 2, 3].map(async () => (await mint({ uuid: cells.uuid })).body.token))
  assert.is(bed.repositories.phoneTokens.usableOf(cells.extension_number, Date.now()).length, 3)
  await bed.customer('POST', '/users/update', { uuid: cells.uuid, is_active: false })
  await bed.customer('POST', '/users/update', { uuid: cells.uuid, is_active: true })
  for (const token of minted) assert.is(isUsable(token), false)
  const last = (await mint({ uuid: cells.uuid })).body.token
  await bed.customer('POST', '/users/delete', { uuid: cells.uuid })
  assert.is(isUsable(last), undefined)
  assert.equal(bed.repositories.phoneTokens.usableOf(cells.extension_number, Date.now()), [])
})

test('an end-user has at most 100 valid tokens: one more is refused until one is revoked or has expired', async () => {
  const { uuid } = (await bed.customer('POST', '/users/create', { email: 'loud@example.com' })).body
  const first = (await mint({ uuid })).body.phone_token
  for (let count = 1; count < 100; count++) assert.is((await mint({ uuid })).status, 200)
  const refused = await mint({ uuid })
  assert.equal(
    [refused.status, refused.body.detail],
    [
      409,
      'The end-user already has 100 phone tokens that are valid now, the limit of 100; revoke one, or retry once one has expired.',
    ],
  )
  assert.is((await mint()).status, 200, 'another end-user of the account')
  await revoke(first.uuid)
  assert.is((await mint({ uuid })).status, 200)
  assert.is((await mint({ uuid })).status, 409)
  assert.is((await mintAt(uuid, Date.now() + 3_601_000)).ok, true)
})

test('of revoked and expired tokens of an end-user the last 100 are kept; an older one stays refused', async () => {
  const { uuid } = (await bed.customer('POST', '/users/create', { email: 'restless@example.com' })).body
  const count = bed.store.database.prepare<[string], { n: number }>(
    'SELECT count(*) n FROM phone_tokens WHERE end_user_uuid = ?',
  )
  const first = (await mint({ uuid })).body
  for (let turn = 0; turn < 102; turn++) await revoke((await mint({ uuid })).body.phone_token.uuid)
  // The oldest of all, and the last that was revoked.
  await revoke(first.phone_token.uuid)
  assert.is((await mint({ uuid })).status, 200)
  assert.is(count.get(uuid)?.n, 101)
  assert.is(isUsable(first.token), false)
  for (let turn = 1; turn <= 102; turn++) await mintAt(uuid, Date.now() + 3_600_000 + turn * 60_000)
  assert.is(count.get(uuid)?.n, 101)
  assert.is(isUsable(first.token), undefined)
  assert.is((await revoke(first.phone_token.uuid)).status, 404)
})

test('no altered token is taken, whichever character it is', async () => {
  const { token } = (await mint()).body
  for (let at = 0; at < token.length; at++) {
    for (const wrong of [token[at] === 'A' ? 'B' : 'A', '.', ''].filter(text => text !== token[at])) {
      const altered = token.slice(0, at) + wrong + token.slice(at + 1)
      assert.is(bed.repositories.phoneTokens.read(altered, Date.now()), undefined, `${at} ${wrong}`)
    }
  }
  const payload = token.split('.')[1]
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  for (const forged of [`${none}.${payload}.`, `${token}=`, `${token}.x`, '', '..', 'x'.repeat(10_000)]) {
    assert.is(bed.repositories.phoneTokens.read(forged, Date.now()), undefined, forged.slice(0, 50))
  }
})

test('the text of a token can be made again from its row: what a digest needs to know of it', async () => {
  const { token, phone_token: record } = (await mint({ max_concurrent: 3 })).body
  const [newest] = bed.repositories.phoneTokens
    .usableOf(user.extension_number, Date.now())
    .filter(({ uuid }) => uuid === record.uuid)
  assert.ok(newest)
  assert.is(bed.repositories.phoneTokens.textOf(newest, 'sip.voice.test'), token)
})

test('the key outlives the process, is readable for its user only, and stands in no answer', async () => {
  const { token } = (await mint()).body
  const again = openRepositories(bed.store, 'http://voice.test')
  assert.is(again.phoneTokens.read(token, Date.now())?.isUsable, true)
  const file = join(folder, 'signing.key')
  assert.is(statSync(file).mode & 0o777, 0o600)
  assert.is(Buffer.from(readFileSync(file, 'utf8'), 'base64url').length, 32)
})

test('what expired long ago is forgotten', async () => {
  const { phone_token: record } = (await mint({ ttl_seconds: 1 })).body
  const day = 24 * 3_600_000
  await bed.repositories.phoneTokens.forgetOld(Date.now() + 29 * day)
  assert.is((await revoke(record.uuid)).status, 200)
  await bed.repositories.phoneTokens.forgetOld(Date.now() + 31 * day)
  assert.is((await revoke(record.uuid)).status, 404)
})

test.after(() => bed.close())
test.run()
