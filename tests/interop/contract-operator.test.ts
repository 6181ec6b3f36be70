import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { type Ask, assertShape, ContractWalk, type Shape } from '../rig/probes/contract.ts'
import { babble, wavOf } from '../rig/probes/tone.ts'

// Over real HTTP: the operator's side, hosted documents, assets.
const operator = suite('contract: operator, documents, assets')

const accountFields: Shape = {
  uuid: 'string',
  name: 'string',
  wallet_balance: 'money',
  status: 'string',
  grace_amount: 'money',
  credit_limit: 'money',
  max_concurrent_calls: 'integer',
  max_calls_per_second: 'integer',
  max_inbound_calls: 'integer',
  max_dialled_legs: 'integer',
  max_asset_bytes: 'integer',
  max_recording_bytes: 'integer',
  max_documents: 'integer',
  max_end_users: 'integer',
  max_live_tokens: 'integer',
  max_stream_connections: 'integer',
  usage: 'object',
  held_amount: 'money',
  live_calls: 'integer',
  created_at: 'timestamp',
}
const documentFields: Shape = {
  uuid: 'string',
  name: 'string',
  url: 'string',
  body: 'string',
  problems: 'array',
  created_at: 'timestamp',
  updated_at: 'timestamp',
}
const unknownUuid = '00000000-0000-4000-8000-000000000000'

let on: SwitchProcess
let walk: ContractWalk
let key: string

operator.before(async () => {
  on = await SwitchProcess.start()
  walk = await ContractWalk.open(on)
})

operator.after(() => on?.close())

async function ask(status: number, method: string, path: string, body?: unknown, given: Ask = {}): Promise<any> {
  const answer = await walk.ask(method, path, { key: on.operatorKey, body, ...given })
  assert.is(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const own = (status: number, method: string, path: string, body?: unknown) => ask(status, method, path, body, { key })

operator('accounts: make, list, change, credit once by reference, API keys, ledger', async () => {
  const made = await ask(201, 'POST', '/operator/accounts', { name: 'Shamba' })
  assertShape(made.account, accountFields, 'account')
  key = made.key
  const { uuid, wallet_balance: balance, max_concurrent_calls: calls, max_calls_per_second: rate } = made.account
  assert.equal([balance, calls, rate], ['0.00', 50, 10])
  const rich = await ask(201, 'POST', '/operator/accounts', {
    name: 'Tajiri',
    wallet_balance: '12.5',
    grace_amount: '1',
    credit_limit: '0.0375',
    max_concurrent_calls: 2,
    max_calls_per_second: 1,
  })
  const { wallet_balance: first, grace_amount: grace, credit_limit: credit } = rich.account
  assert.equal([first, grace, credit], ['12.50', '1.00', '0.0375'])
  const page = await ask(200, 'GET', '/operator/accounts?limit=1')
  assert.equal([page.total, page.limit, page.accounts.length], [2, 1, 1])
  const path = `/operator/accounts/${uuid}`
  assert.is((await ask(200, 'PATCH', path, { name: 'Shamba Ltd', grace_amount: '5' })).name, 'Shamba Ltd')
  const topUp = { amount: '100', reference: 'mpesa-1' }
  assert.is((await ask(200, 'POST', `${path}/credit`, topUp)).wallet_balance, '100.00')
  assert.is((await ask(200, 'POST', `${path}/credit`, topUp)).wallet_balance, '100.00')
  assert.is((await ask(200, 'POST', `${path}/credit`, { amount: '-0.5' })).wallet_balance, '99.50')
  assert.match((await ask(201, 'POST', `${path}/keys`, { name: 'second' })).key, /^vk_/)
  const ledger = await ask(200, 'GET', `${path}/ledger`)
  assert.equal(
    [ledger.total, ledger.entries.map((entry: { amount: string }) => entry.amount)],
    [2, ['-0.50', '100.00']],
  )
  assert.is((await ask(200, 'GET', path)).wallet_balance, '99.50')
  for (const each of [`/operator/accounts/${unknownUuid}`, `/operator/accounts/${unknownUuid}/ledger`])
    await ask(404, 'GET', each)
  await ask(422, 'POST', '/operator/accounts', { name: 'x', wallet_balance: 12 })
  await ask(422, 'PATCH', path, { status: 'asleep' })
})

operator('numbers: add, twice is 409, an owned one cannot be taken away', async () => {
  const number = await ask(201, 'POST', '/operator/numbers', { number: '+254711000001', setup_fee: '1.5' })
  assert.equal([number.setup_fee, number.account], ['1.50', null])
  await ask(409, 'POST', '/operator/numbers', { number: '+254711000001' })
  await ask(422, 'POST', '/operator/numbers', { number: '0711000001' })
  await own(200, 'POST', '/numbers/acquire', { uuid: number.uuid })
  await ask(409, 'DELETE', `/operator/numbers/${number.uuid}`)
  await own(200, 'POST', '/numbers/release', { uuid: number.uuid })
  await ask(200, 'DELETE', `/operator/numbers/${number.uuid}`)
  await ask(404, 'DELETE', `/operator/numbers/${number.uuid}`)
  assert.is((await ask(200, 'GET', '/operator/numbers')).total, 0)
})

operator('trunks: make, change, remove; the password is never reported', async () => {
  const order = {
    name: 'carrier',
    host: '127.0.0.1',
    port: 5999,
    prefixes: ['254'],
    password: 'secret',
    inbound_hosts: ['10.0.0.0/8'],
  }
  const trunk = await ask(201, 'POST', '/operator/trunks', order)
  const fields =
    'name host port transport username password register inbound_hosts prefixes strip prepend priority weight max_calls max_cps media_hosts media_source codecs options_ping_seconds srtp'
  for (const field of fields.split(' ')) assert.ok(field in trunk, field)
  assert.equal([trunk.prefixes, trunk.transport, trunk.srtp], [['+254'], 'udp', 'off'])
  assert.not.ok(JSON.stringify(trunk).includes('secret'))
  const path = `/operator/trunks/${trunk.uuid}`
  assert.is((await ask(200, 'PATCH', path, { priority: 5 })).priority, 5)
  assert.is((await ask(200, 'GET', path)).host, '127.0.0.1')
  assert.is((await ask(200, 'GET', '/operator/trunks')).total, 1)
  const all = await ask(200, 'PATCH', path, { prefixes: ['+', '+255', ''] })
  assert.equal(all.prefixes, ['+', '+255', '+'])
  await ask(422, 'PATCH', path, { prefixes: ['abc'] })
  await ask(422, 'PATCH', path, { transport: 'sctp' })
  await ask(200, 'DELETE', path)
  await ask(404, 'GET', path)
})

operator('rates and destinations: the whole deck; "254" means "+254"', async () => {
  const rates = [{ prefix: '254', direction: 'outbound', rate_per_minute: '3' }]
  const deck = await ask(200, 'PUT', '/operator/rates', { rates })
  const full = {
    prefix: '+254',
    direction: 'outbound',
    rate_per_minute: '3.00',
    increment_seconds: 60,
    minimum_seconds: 0,
    connection_fee: '0.00',
  }
  assert.equal(deck, { rates: [full] })
  assert.equal(await ask(200, 'GET', '/operator/rates'), deck)
  await ask(422, 'PUT', '/operator/rates', { rates: [{ ...rates[0], rate_per_minute: 3 }] })
  const lists = { blocked: ['+25490'], allowed: ['88161'] }
  const kept = await ask(200, 'PUT', '/operator/destinations', lists)
  assert.ok(kept.allowed.includes('+88161') || kept.allowed.includes('88161'))
  assert.equal(await ask(200, 'GET', '/operator/destinations'), kept)
})

operator('live calls, drain, metrics', async () => {
  assert.equal(await ask(200, 'GET', '/operator/calls'), { calls: [], total: 0, limit: 50, offset: 0 })
  assert.equal(await ask(200, 'GET', '/operator/drain'), { draining: false, live_calls: 0 })
  assert.equal(await ask(200, 'POST', '/operator/drain'), { draining: true, live_calls: 0 })
  assert.equal(await ask(200, 'DELETE', '/operator/drain'), { draining: false, live_calls: 0 })
  assert.match(await ask(200, 'GET', '/metrics'), /^# HELP /m)
})

operator('captures of audio: begun for an account, listed, ended; what is not there is 404', async () => {
  const [account] = (await ask(200, 'GET', '/operator/accounts?limit=1')).accounts
  const capture = await ask(201, 'POST', '/operator/captures', { account: account.uuid, seconds: 60 })
  assert.equal(await ask(200, 'GET', '/operator/captures'), [capture])
  await ask(200, 'DELETE', `/operator/captures/${capture.uuid}`)
  assert.equal(await ask(200, 'GET', '/operator/captures'), [])
  await ask(404, 'DELETE', `/operator/captures/${capture.uuid}`)
  await ask(404, 'POST', '/operator/captures', { account: unknownUuid })
  await ask(404, 'POST', '/operator/captures', { call: unknownUuid })
  for (const order of [{}, { account: account.uuid, call: unknownUuid }, { account: account.uuid, seconds: 3601 }])
    await ask(422, 'POST', '/operator/captures', order)
})

operator('hosted documents: made, problems reported, changed, deleted; check without hosting', async () => {
  const body = '<Response><Say>Karibu {{From}}</Say></Response>'
  const made = await own(201, 'POST', '/documents/', { name: 'Greeting', body })
  assertShape(made, documentFields, 'document')
  assert.ok(made.url.startsWith(`${on.baseUrl}/`))
  const path = `/documents/${made.uuid}`
  const changed = await own(200, 'PUT', path, { name: 'Greeting', body: '<Response><Shout/></Response>' })
  assert.equal([changed.url, changed.problems[0].code], [made.url, 'DOC.0422'])
  assert.equal(await own(200, 'GET', path), changed)
  assert.is((await own(200, 'GET', '/documents/')).total, 1)
  assert.equal(await own(200, 'POST', '/documents/check', { body }), { valid: true, problems: [] })
  const bad = await own(200, 'POST', '/documents/check', { body: '<Response><Say>' })
  assert.equal([bad.valid, bad.problems[0].code], [false, 'DOC.0400'])
  await own(422, 'POST', '/documents/', { name: 'Long', body: 'x'.repeat(65_537) })
  await own(200, 'DELETE', path)
  await own(404, 'GET', path)
})

operator('assets: the bytes decide; what is no audio is 415 or 422', async () => {
  const wav = wavOf(babble(1, 1))
  const put = (slug: string, bytes: Uint8Array) =>
    walk.ask('PUT', `/assets/${slug}`, { key, body: bytes, headers: { 'content-type': 'audio/wav' } })
  const { status, body } = await put('welcome', wav)
  assert.is(status, 201)
  assertShape(body, { slug: 'string', media_format: 'string', size_bytes: 'integer', created_at: 'timestamp' }, 'asset')
  assert.equal([body.duration_seconds, body.size_bytes], [1, wav.length])
  assert.is((await own(200, 'GET', '/assets/')).total, 1)
  const got = await fetch(`${on.baseUrl}/assets/welcome`, { headers: { authorization: `Bearer ${key}` } })
  assert.ok(Buffer.from(await got.arrayBuffer()).equals(Buffer.from(wav)))
  for (const bytes of [Buffer.from('no audio'), Buffer.alloc(0), wav.subarray(0, 30)])
    assert.ok([415, 422].includes((await put('bad', bytes)).status))
  assert.is((await put('Bad_Slug', wav)).status, 422)
  await own(200, 'DELETE', '/assets/welcome')
  await own(404, 'DELETE', '/assets/welcome')
})

operator('the console and the tools of the portal answer as described', async () => {
  assert.ok((await ask(200, 'GET', '/operator/figures')).samples !== null)
  const { changes } = await ask(200, 'GET', '/operator/changes?limit=1')
  assert.equal(Object.keys(changes[0]).sort(), [
    'action',
    'actor',
    'address',
    'after',
    'before',
    'created_at',
    'id',
    'path',
  ])
  const trunk = await ask(201, 'POST', '/operator/trunks', { name: 'in only', inbound_hosts: ['192.0.2.7'] })
  const states = await ask(200, 'GET', '/operator/trunks/states')
  assert.is(states.find(({ uuid }: { uuid: string }) => uuid === trunk.uuid).live_legs, 0)
  await ask(404, 'POST', `/operator/trunks/${unknownUuid}/test`)
  await ask(409, 'POST', `/operator/trunks/${trunk.uuid}/test`)
  await ask(200, 'DELETE', `/operator/trunks/${trunk.uuid}`)
  assert.is((await ask(200, 'GET', '/operator/routes?to=%2B254711000001')).number, '+254711000001')
  await ask(422, 'GET', '/operator/routes?to=254')
  await ask(404, 'GET', `/operator/calls/${unknownUuid}/dump`)
  await ask(200, 'GET', '/operator/sessions')
  await ask(404, 'DELETE', `/operator/sessions/${unknownUuid}`)
  const [account] = (await ask(200, 'GET', '/operator/accounts?limit=1')).accounts
  const link = await ask(201, 'POST', `/operator/accounts/${account.uuid}/link`, {})
  assert.match(link.url, /^http.*#/)
  await ask(404, 'POST', `/operator/accounts/${unknownUuid}/link`, {})

  assert.ok((await own(200, 'GET', '/documents/vocabulary')).verbs.length >= 10)
  const body = '<Response><Say>Karibu</Say></Response>'
  assert.match(JSON.stringify(await own(200, 'POST', '/documents/simulate', { body })), /Karibu/)
  const document = await own(201, 'POST', '/documents/', { name: 'Revised', body })
  await own(200, 'PUT', `/documents/${document.uuid}`, { name: 'Revised', body: '<Response><Hangup/></Response>' })
  const revisions = await own(200, 'GET', `/documents/${document.uuid}/revisions`)
  assert.equal(
    revisions.map((revision: { body: string }) => revision.body.includes('Karibu')),
    [false, true],
  )
  await own(404, 'GET', `/documents/${unknownUuid}/revisions`)
})

operator('every operation of the operator’s side was met', () => {
  const met = new Set([...walk.seen].map(line => line.split(' ').slice(0, 2).join(' ')))
  const missing = Object.entries(walk.document.paths)
    .filter(([path]) => path.startsWith('/operator') || path.startsWith('/documents') || path.startsWith('/assets'))
    .flatMap(([path, item]) => Object.keys(item).map(method => `${method.toUpperCase()} ${path}`))
    .filter(name => !met.has(name) && name !== 'GET /assets/{slug}')
  assert.equal(missing, [])
})

operator.run()
