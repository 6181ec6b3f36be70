import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'
import { isOfPortal } from './bed/portal-paths.ts'

// Every answer of `customer`, `operator` and `conforming` is compared with /openapi.json by the bed.
const bed = await ApiBed.open()
const unknownUuid = '00000000-0000-4000-8000-000000000000'
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

// Other files answer for these.
const otherPaths = /^\/(operator|numbers|calls|documents|hosted|users|phone-tokens|recordings|stream|metrics)\b/
const elsewhere = ['GET /assets/', 'GET /assets/{slug}', 'PUT /assets/{slug}', 'DELETE /assets/{slug}']

test('health needs no key, and reports problems', async () => {
  const good = await bed.conforming('GET', '/health/', { key: '' })
  assert.equal([good.status, good.body], [200, { status: 'ok' }])
  for (const trouble of [async () => false, () => Promise.reject(new Error('disk'))]) {
    bed.healthy = trouble
    const bad = await bed.conforming('GET', '/health', { key: '' })
    assert.equal([bad.status, bad.body], [503, { status: 'degraded' }])
  }
  bed.healthy = async () => true
})

test('account', async () => {
  const { body } = await bed.customer('GET', '/account/')
  assert.equal(body, { uuid: bed.accountUuid, name: 'Bed', wallet_balance: '1000.00', status: 'active' })
})

test('webhooks: only what is sent changes', async () => {
  const path = '/account/webhooks'
  const fresh = await bed.customer('GET', path)
  assert.equal(fresh.body, {
    endpoints: { voice_inbound: '', voice_outbound: '', status: '' },
    fallback_mode: 'message',
    fallback_value: 'We are sorry, an application error has occurred. Goodbye.',
    numbers: [],
  })
  await bed.customer('POST', path, { url: 'https://a.test/in' })
  await bed.customer('POST', path, { purpose: 'status', url: 'https://a.test/s' })
  await bed.customer('POST', '/account/webhooks/endpoint', { url: 'https://a.test/out', purpose: 'voice_outbound' })
  const set = await bed.customer('POST', path, { purpose: 'status', url: null })
  assert.equal(set.body.endpoints, {
    voice_inbound: 'https://a.test/in',
    voice_outbound: 'https://a.test/out',
    status: 'https://a.test/s',
  })
  assert.is(set.body.fallback_mode, 'message')
  assert.is((await bed.customer('POST', path, { url: '' })).body.endpoints.voice_inbound, '')
  assert.is((await bed.customer('POST', path, {})).status, 200)
})

test('fallbacks', async () => {
  const path = '/account/webhooks'
  const of = async (body: object) => {
    const answer = await bed.customer('POST', path, body)
    return [answer.status, answer.body.fallback_mode, answer.body.fallback_value]
  }
  assert.equal(await of({ fallback_mode: 'message', fallback_value: 'Samahani' }), [200, 'message', 'Samahani'])
  assert.equal(await of({ fallback_mode: 'message' }), [200, 'message', 'Samahani'])
  assert.equal((await of({ fallback_mode: 'play' }))[0], 422)
  assert.equal((await of({ fallback_mode: 'play', fallback_value: 'ftp://x' }))[0], 422)
  assert.equal(await of({ fallback_mode: 'play', fallback_value: 'https://a.test/s.wav' }), [
    200,
    'play',
    'https://a.test/s.wav',
  ])
  assert.equal(await of({ fallback_mode: 'drop' }), [200, 'drop', 'https://a.test/s.wav'])
  assert.equal(await of({ fallback_mode: null, fallback_value: 'ignored' }), [200, 'drop', 'https://a.test/s.wav'])
  assert.equal(await of({ fallback_mode: 'play' }), [200, 'play', 'https://a.test/s.wav'])
  assert.equal(await of({ fallback_mode: 'message' }), [200, 'message', ''], 'a URL is nothing to say')
  await of({ fallback_mode: 'message', fallback_value: 'Pole' })
  assert.equal(await of({ fallback_mode: 'drop' }), [200, 'drop', 'Pole'])
  assert.equal(await of({ fallback_mode: 'message' }), [200, 'message', 'Pole'], 'only what is sent changes')
  assert.equal((await of({ fallback_mode: 'sing' }))[0], 422)
})

test('signing secret: stable until it is rotated', async () => {
  const secret = async () => (await bed.customer('GET', '/account/webhooks/secret')).body.signing_secret
  const first = await secret()
  assert.is(await secret(), first)
  const rotated = await bed.customer('POST', '/account/webhooks/secret/rotate')
  assert.is.not(rotated.body.signing_secret, first)
  assert.is(await secret(), rotated.body.signing_secret)
  assert.ok(first.length >= 32)
})

test('keys: shown once, ten at most, revoked at once', async () => {
  const made = await bed.customer('POST', '/keys/create', { name: 'Server' })
  assert.is(made.status, 201)
  assert.match(made.body.key, /^vk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/)
  assert.ok(made.body.key.startsWith(made.body.prefix))
  assert.is(made.body.last_used_at, null)
  assert.is((await bed.ask('GET', '/account/', { key: made.body.key })).status, 200)
  const listed = (await bed.customer('GET', '/keys/')).body.find((key: { uuid: string }) => key.uuid === made.body.uuid)
  assert.match(listed.last_used_at, timestamp)
  assert.not('key' in listed)

  const more = []
  for (let count = 2; count < 10; count++)
    more.push((await bed.customer('POST', '/keys/create', { name: `k${count}` })).body)
  const eleventh = await bed.customer('POST', '/keys/create', { name: 'eleventh' })
  assert.is(eleventh.status, 409)
  assert.match(eleventh.body.detail, /limit of 10/)
  assert.is((await bed.operator('POST', `/operator/accounts/${bed.accountUuid}/keys`, { name: 'x' })).status, 409)
  assert.is((await bed.customer('POST', '/keys/revoke', { uuid: made.body.uuid })).status, 200)
  assert.is((await bed.ask('GET', '/account/', { key: made.body.key })).status, 401)
  assert.is((await bed.customer('POST', '/keys/revoke', { uuid: made.body.uuid })).status, 200)
  assert.is((await bed.customer('POST', '/keys/create', { name: 'freed' })).status, 201)
  assert.is((await bed.customer('POST', '/keys/revoke', { uuid: unknownUuid })).status, 404)
  for (const key of more) await bed.customer('POST', '/keys/revoke', { uuid: key.uuid })
  assert.is(
    bed.store.database.prepare<[], { n: number }>("SELECT count(*) n FROM api_keys WHERE hash LIKE 'vk_%'").get()?.n,
    0,
  )
})

test('keys: of the revoked ones the newest 100 stay; a session of a forgotten one stays ended', async () => {
  const { account, key } = (await bed.operator('POST', '/operator/accounts', { name: 'Keys' })).body
  const ask = (path: string, body: object) => bed.conforming('POST', path, { key, body })
  const made = []
  for (let count = 0; count < 102; count++) {
    made.push((await ask('/keys/create', { name: `k${count}` })).body)
    if (count > 0) await ask('/keys/revoke', { uuid: made[count].uuid })
  }
  const { secret } = await bed.repositories.portalSessions.open(
    { accountUuid: account.uuid, keyUuid: made[0].uuid, origin: 'key', address: '', userAgent: '' },
    Date.now(),
  )
  const kept = async () =>
    (await bed.conforming('GET', '/keys/', { key })).body.map(({ name }: { name: string }) => name)
  assert.equal((await kept()).slice(1), ['k0', ...made.slice(2).map(({ name }) => name)])

  // The oldest of all is still there just after it was revoked, so that to revoke it again is no fault.
  for (let turn = 0; turn < 2; turn++) assert.is((await ask('/keys/revoke', { uuid: made[0].uuid })).status, 200)
  assert.equal((await kept()).slice(1), ['k0', ...made.slice(3).map(({ name }) => name)])
  await ask('/keys/revoke', { uuid: (await ask('/keys/create', { name: 'last' })).body.uuid })
  assert.is((await ask('/keys/revoke', { uuid: made[0].uuid })).status, 404)
  assert.is((await bed.ask('GET', '/account/', { key: made[0].key })).status, 401)
  assert.is(await bed.repositories.portalSessions.find(secret, Date.now()), undefined)
})

test('every other operation of the document was answered with success', () => {
  const missing = bed
    .unanswered(path => !isOfPortal(path) && !otherPaths.test(path))
    .filter(name => !elsewhere.includes(name))
  assert.equal(missing, [])
})

test('no secret was logged', () => {
  assert.equal(bed.leaked(['hush', 'whsec_']), [])
})

test.after(() => bed.close())
test.run()
