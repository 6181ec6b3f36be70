import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { type Ask, assertShape, ContractWalk } from '../rig/probes/contract.ts'
import {
  accountFields,
  callFields,
  keyFields,
  numberFields,
  recordingFields,
  tokenFields,
  userFields,
  webhookFields,
} from '../rig/probes/contract-shapes.ts'
import { babble, wavOf } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// Every endpoint of docs/api.md over real HTTP, its fields written out here, each answer held
// against /openapi.json.
const walkThrough = suite('contract: endpoints')

let bed: SwitchBed
let walk: ContractWalk

walkThrough.before(async () => {
  bed = await SwitchBed.open({ env: { SAUTI_STUN: 'stun:stun.example.com:3478' }, prefixes: ['+1'] })
  walk = await ContractWalk.open(bed.on)
})

walkThrough.after(async () => {
  await bed?.close()
})

/** As the customer; the status must be what docs/api.md says. */
async function api(status: number, method: string, path: string, body?: unknown, ask: Ask = {}) {
  const answer = await walk.ask(method, path, { key: bed.account.key, body, ...ask })
  assert.is(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

walkThrough('/openapi.json is 3.1 and names every endpoint of docs/api.md; /docs opens', async () => {
  assert.match(walk.document.openapi, /^3\.1\./)
  const rows = `GET /health/ · GET /account/ · GET /account/webhooks · POST /account/webhooks · GET /account/webhooks/secret ·
    POST /account/webhooks/secret/rotate · POST /account/webhooks/endpoint · GET /numbers/ · GET /numbers/available ·
    POST /numbers/acquire · POST /numbers/release · POST /numbers/configure · GET /calls/ · POST /calls/originate ·
    POST /calls/hangup · GET /calls/hangup/{sid} · GET /calls/hangup · GET /calls/{uuid} · GET /users/ · POST /users/create ·
    POST /users/update · POST /users/delete · GET /keys/ · POST /keys/create · POST /keys/revoke · POST /phone-tokens/mint ·
    POST /phone-tokens/revoke · GET /recordings/ · POST /recordings/download · POST /recordings/delete · POST /stream/token ·
    GET /stream`
  for (const row of rows.split('·')) {
    const [method = '', path = ''] = row.trim().split(' ')
    assert.ok(walk.document.paths[path]?.[method.toLowerCase()], row.trim())
  }
  const docs = await bed.on.request('', 'GET', '/docs')
  assert.is(docs.status, 200)
  assert.match(docs.headers.get('content-type') ?? '', /^text\/html/)
})

walkThrough('health and account', async () => {
  const health = await walk.ask('GET', '/health/')
  assert.equal([health.status, health.body], [200, { status: 'ok' }])
  assertShape(await api(200, 'GET', '/account/'), accountFields, 'Account')
})

walkThrough('webhooks: each purpose by itself, defaults, clearing, the secret and its rotation', async () => {
  const fresh = await api(200, 'GET', '/account/webhooks')
  assertShape(fresh, webhookFields, 'WebhookConfig')
  assert.equal(fresh.endpoints, { voice_inbound: '', voice_outbound: '', status: '' })
  const [inbound, outbound, status] = ['/in', '/out', '/status'].map(path => bed.customer.url(path))
  await api(200, 'POST', '/account/webhooks', { url: inbound })
  await api(200, 'POST', '/account/webhooks/endpoint', { url: outbound, purpose: 'voice_outbound' })
  const set = await api(200, 'POST', '/account/webhooks', { purpose: 'status', url: status, nonsense: true })
  assert.equal(set.endpoints, { voice_inbound: inbound, voice_outbound: outbound, status })
  const fallback = { fallback_mode: 'message', fallback_value: 'Samahani.' }
  assert.is((await api(200, 'POST', '/account/webhooks', fallback)).fallback_value, 'Samahani.')
  assert.equal((await api(200, 'POST', '/account/webhooks', {})).endpoints, set.endpoints)
  assert.is((await api(200, 'POST', '/account/webhooks', { purpose: 'status', url: '' })).endpoints.status, '')
  assert.is((await api(200, 'POST', '/account/webhooks/endpoint', { url: '' })).endpoints.voice_inbound, '')
  const { signing_secret: secret } = await api(200, 'GET', '/account/webhooks/secret')
  const rotated = await api(200, 'POST', '/account/webhooks/secret/rotate')
  assert.is.not(rotated.signing_secret, secret)
  assert.equal(await api(200, 'GET', '/account/webhooks/secret'), rotated)
})

walkThrough('numbers: pool, acquire with its fee, configure, release', async () => {
  const added = (await bed.on.operator('POST', '/numbers', { number: '+254799000001', setup_fee: '12.50' })).body
  const pool = await api(200, 'GET', '/numbers/available')
  assert.equal(pool, [{ uuid: added.uuid, number: '+254799000001' }])
  const before = Number((await api(200, 'GET', '/account/')).wallet_balance)
  const number = await api(200, 'POST', '/numbers/acquire', { uuid: added.uuid })
  assertShape(number, numberFields, 'Number')
  assert.is(Number((await api(200, 'GET', '/account/')).wallet_balance), before - 12.5)
  assert.equal(number.webhook_inbound, { url: '', source: 'none' })
  const { uuid } = number
  const urls = { voice_inbound: 'https://a.test/in' }
  const configured = await api(200, 'POST', '/numbers/configure', { uuid, webhook_urls: urls, friendly_name: 'Desk' })
  assert.equal(configured.webhook_urls, { voice_inbound: 'https://a.test/in', voice_outbound: '', status: '' })
  assert.equal(configured.webhook_inbound, { url: 'https://a.test/in', source: 'custom' })
  const kept = await api(200, 'POST', '/numbers/configure', { uuid, webhook_urls: { status: 'https://a.test/s' } })
  assert.equal([kept.webhook_urls.voice_inbound, kept.friendly_name], ['https://a.test/in', 'Desk'])
  const owned = await api(200, 'GET', '/numbers/')
  assert.is(owned.length, 2)
  for (const each of owned) assertShape(each, numberFields, 'Number')
  assert.type((await api(200, 'POST', '/numbers/release', { uuid })).message, 'string')
  assert.is((await api(200, 'GET', '/numbers/available')).length, 1)
})

walkThrough('calls: originate, list with every filter, get, hang up in three ways', async () => {
  const second = await BedAccount.make(bed.on)
  await second.webhook(
    'voice_inbound',
    bed.customer.on('/callee', '<Response><Play asset="none"/><Pause length="60"/></Response>'),
  )
  const url = bed.customer.on('/caller', '<Response><Pause length="60"/></Response>')
  const order = { to: second.number, from: bed.account.number, url, timeout: 20, customPayload: { order: 7 } }
  const sids: string[] = []
  for (const [method, path] of [
    ['POST', ''],
    ['GET', '/{sid}'],
    ['GET', '?sid={sid}'],
  ] as const) {
    const call = await api(201, 'POST', '/calls/originate', order)
    assertShape(call, callFields, 'Call')
    assert.match(call.sid, /^CA[0-9A-HJKMNP-TV-Z]{16}$/)
    assert.equal([call.direction, call.status, call.customPayload], ['outbound', 'initiated', { order: 7 }])
    await until('the answer', async () => (await api(200, 'GET', `/calls/${call.uuid}`)).status === 'answered')
    const body = path === '' ? { sid: call.sid } : undefined
    const ended = await api(200, method, `/calls/hangup${path.replace('{sid}', call.sid)}`, body)
    assertShape(ended, callFields, 'Call')
    assert.equal([ended.status, ended.reason_code], ['completed', 'END.0201'])
    assert.equal(await api(200, 'POST', '/calls/hangup', { sid: call.sid }), ended)
    assert.equal(await api(200, 'GET', `/calls/${call.uuid}`), ended)
    sids.push(call.sid)
  }
  const list = async (query: string) => {
    const page = await api(200, 'GET', `/calls/${query}`)
    assertShape(page, { calls: 'array', total: 'integer', limit: 'integer', offset: 'integer' }, 'calls')
    for (const call of page.calls) assertShape(call, callFields, 'Call')
    return page
  }
  const all = await list('')
  assert.equal(
    all.calls.map((call: { sid: string }) => call.sid),
    sids.toReversed(),
  )
  assert.equal([all.total, all.limit, all.offset], [3, 50, 0])
  const { created_at: oldest } = all.calls[2]
  for (const [query, total, rows] of [
    ['?direction=outbound', 3, 3],
    ['?direction=inbound', 0, 0],
    ['?direction=internal', 0, 0],
    ['?status=completed', 3, 3],
    ['?status=failed', 0, 0],
    [`?search=${second.number.slice(4)}`, 3, 3],
    [`?search=${encodeURIComponent(bed.account.number)}`, 3, 3],
    ['?search=999999999999', 0, 0],
    [`?from_dt=${oldest}`, 3, 3],
    [`?to_dt=${oldest}`, 1, 1],
    ['?to_dt=2001-01-01T00:00:00Z', 0, 0],
    ['?limit=2', 3, 2],
    ['?limit=200&offset=2', 3, 1],
    ['?offset=10', 3, 0],
  ] as const) {
    const page = await list(query)
    assert.equal([page.total, page.calls.length], [total, rows], query)
  }
})

walkThrough('end-users and phone tokens', async () => {
  const user = await api(201, 'POST', '/users/create', { email: 'amina@example.com' })
  assertShape(user, userFields, 'EndUser')
  assert.equal([user.display_name, user.is_active, user.is_registered], ['', true, false])
  assert.match(user.extension_number, /^\d{4,}$/)
  assert.equal(await api(200, 'GET', '/users/'), [user])
  const changed = await api(200, 'POST', '/users/update', { uuid: user.uuid, display_name: 'Amina', is_active: null })
  assert.equal([changed.display_name, changed.is_active], ['Amina', true])

  const minted = await api(200, 'POST', '/phone-tokens/mint', { uuid: user.uuid })
  assertShape(minted, { token: 'string', phone_token: 'object', iceServers: 'array' }, 'mint')
  assertShape(minted.phone_token, tokenFields, 'PhoneToken')
  const claims = JSON.parse(Buffer.from(minted.token.split('.')[1], 'base64url').toString())
  assert.equal([claims.sub, claims.ext, claims.acc], [user.uuid, user.extension_number, bed.account.uuid])
  assert.equal([claims.jti, claims.exp - claims.iat, claims.max_concurrent], [minted.phone_token.uuid, 3600, 1])
  for (const server of minted.iceServers) assert.ok([server.urls].flat().every(url => /^(stun|turn)s?:/.test(url)))
  const most = { uuid: user.uuid, ttl_seconds: 60, max_concurrent: 10 }
  assert.is((await api(200, 'POST', '/phone-tokens/mint', most)).phone_token.max_concurrent, 10)
  await api(200, 'POST', '/phone-tokens/mint', { uuid: user.uuid, ttl_seconds: null, max_concurrent: null })
  const revoked = await api(200, 'POST', '/phone-tokens/revoke', { uuid: minted.phone_token.uuid })
  assert.type(revoked.message, 'string')
  assert.type((await api(200, 'POST', '/users/delete', { uuid: user.uuid })).message, 'string')
  assert.equal(await api(200, 'GET', '/users/'), [])
})

walkThrough('API keys', async () => {
  const made = await api(201, 'POST', '/keys/create', { name: 'Backend' })
  assertShape(made, { ...keyFields, key: 'string' }, 'ApiKey')
  assert.ok(made.key.startsWith(made.prefix))
  assert.is((await walk.ask('GET', '/account/', { key: made.key })).status, 200)
  const listed = await api(200, 'GET', '/keys/')
  for (const key of listed) {
    assertShape(key, keyFields, 'ApiKey')
    assert.not.ok('key' in key)
  }
  assert.type((await api(200, 'POST', '/keys/revoke', { uuid: made.uuid })).message, 'string')
  assert.is((await api(200, 'GET', '/keys/')).find((key: { uuid: string }) => key.uuid === made.uuid).is_active, false)
  assert.is((await walk.ask('GET', '/account/', { key: made.key })).status, 401)
})

walkThrough('recordings: made by <Record>, listed, downloaded by a link without a key, deleted', async () => {
  const second = await BedAccount.make(bed.on)
  await second.webhook(
    'voice_inbound',
    bed.customer.on('/talks', '<Response><Play asset="tone"/><Play asset="tone"/></Response>'),
  )
  const tone = await second.api('PUT', '/assets/tone', wavOf(babble(2, 5)), { 'content-type': 'audio/wav' })
  assert.is(tone.status, 201)
  const url = bed.customer.on('/records', '<Response><Record playBeep="false" maxLength="1"/></Response>')
  const call = await api(201, 'POST', '/calls/originate', { to: second.number, from: bed.account.number, url })
  const recording = await until('the recording', async () => {
    const [newest] = await api(200, 'GET', `/recordings/?call_uuid=${call.uuid}`)
    return newest?.size_bytes > 0 && newest
  })
  assertShape(recording, recordingFields, 'Recording')
  assert.equal([recording.call_sid, recording.media_format], [call.sid, 'wav'])
  assert.equal(await api(200, 'GET', '/recordings/?limit=200'), [recording])
  assert.equal(await api(200, 'GET', '/recordings/?offset=1'), [])
  const link = await api(200, 'POST', '/recordings/download', { uuid: recording.uuid })
  assert.equal([typeof link.url, link.expires_in], ['string', 300])
  assert.is(
    (await api(200, 'POST', '/recordings/download', { uuid: recording.uuid, ttl_seconds: 86_400 })).expires_in,
    86_400,
  )
  const whole = await fetch(link.url)
  assert.equal([whole.status, (await whole.arrayBuffer()).byteLength], [200, recording.size_bytes])
  const part = await fetch(link.url, { headers: { range: 'bytes=0-3' } })
  assert.equal([part.status, await part.text()], [206, 'RIFF'])
  const head = await fetch(link.url, { method: 'HEAD' })
  assert.equal([head.status, head.headers.get('content-length')], [200, String(recording.size_bytes)])
  assert.is((await fetch(link.url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')))).status, 403)
  assert.type((await api(200, 'POST', '/recordings/delete', { uuid: recording.uuid })).message, 'string')
  assert.equal(await api(200, 'GET', '/recordings/'), [])
  await api(410, 'POST', '/recordings/download', { uuid: recording.uuid })
  assert.is((await fetch(link.url)).status, 410)
})

walkThrough.run()
