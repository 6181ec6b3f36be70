import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import type { Answer } from '../rig/beds/switch-process.ts'
import { ContractWalk } from '../rig/probes/contract.ts'

// Every refusal of docs/errors.md over real HTTP.
const errors = suite('contract: errors')

const unknownUuid = '00000000-0000-4000-8000-000000000000'
let bed: SwitchBed
let walk: ContractWalk
let other: BedAccount
let poor: { key: string; uuid: string; number: string }

errors.before(async () => {
  bed = await SwitchBed.open()
  other = await BedAccount.make(bed.on)
  const made = await BedAccount.make(bed.on, { balance: '0' })
  poor = { key: made.key, uuid: made.uuid, number: made.number }
  walk = await ContractWalk.open(bed.on)
})

errors.after(async () => {
  await bed?.close()
})

async function refused(status: number, key: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await walk.ask(method, path, { key, body })
  assert.is(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer
}

async function made(key: string, path: string, body: unknown): Promise<any> {
  const answer = await walk.ask('POST', path, { key, body })
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** On-net, so that nothing but what is tried stands in its way. */
const order = (of: { number: string }) => ({
  to: of.number === other.number ? bed.account.number : other.number,
  from: of.number,
  url: bed.customer.url('/voice'),
})

errors('400: a phone token for an end-user of another account, or an inactive one', async () => {
  const theirs = await made(other.key, '/users/create', { email: 'a@a.test' })
  await refused(400, bed.account.key, 'POST', '/phone-tokens/mint', { uuid: theirs.uuid })
  const ours = await made(bed.account.key, '/users/create', { email: 'a@a.test' })
  await made(bed.account.key, '/users/update', { uuid: ours.uuid, is_active: false })
  await refused(400, bed.account.key, 'POST', '/phone-tokens/mint', { uuid: ours.uuid })
})

errors('402: what cannot be paid for is not placed, not given and not minted', async () => {
  assert.is((await refused(402, poor.key, 'POST', '/calls/originate', order(poor))).body.code, 'BILL.0402')
  const rateless = { ...order(bed.account), to: '+390612345678' }
  assert.is((await refused(402, bed.account.key, 'POST', '/calls/originate', rateless)).body.code, 'BILL.0404')
  const number = (await bed.on.operator('POST', '/numbers', { number: '+254799000002', setup_fee: '5000' })).body
  const broke = await refused(402, bed.account.key, 'POST', '/numbers/acquire', { uuid: number.uuid })
  assert.match(broke.body.detail, /^BILL\./)
  const user = await made(poor.key, '/users/create', { email: 'p@a.test' })
  assert.match((await refused(402, poor.key, 'POST', '/phone-tokens/mint', { uuid: user.uuid })).body.detail, /^BILL\./)
  for (const key of [bed.account.key, poor.key]) assert.is((await walk.ask('GET', '/calls/', { key })).body.total, 0)
  assert.is((await walk.ask('GET', '/account/', { key: bed.account.key })).body.wallet_balance, '1000.00')
})

errors('403: a suspended account reads, but spends and places nothing; a caller ID that is not its own', async () => {
  for (const from of ['+254700000999', other.number]) {
    const answer = await refused(403, bed.account.key, 'POST', '/calls/originate', { ...order(bed.account), from })
    assert.is(answer.body.code, 'END.0403')
  }
  const blocked = { ...order(bed.account), to: '+881612345678' }
  assert.is((await refused(403, bed.account.key, 'POST', '/calls/originate', blocked)).body.code, 'END.4433')
  const { uuid } = await made(other.key, '/users/create', { email: 'b@a.test' })
  const pool = (await bed.on.operator('POST', '/numbers', { number: '+254799000003' })).body
  await bed.on.operator('PATCH', `/accounts/${other.uuid}`, { status: 'suspended' })
  for (const [path, body] of [
    ['/calls/originate', order(other)],
    ['/numbers/acquire', { uuid: pool.uuid }],
    ['/phone-tokens/mint', { uuid }],
  ] as const) {
    const answer = await refused(403, other.key, 'POST', path, body)
    assert.match(answer.body.detail, /^BILL\.0403/)
  }
  const { body } = await walk.ask('GET', '/account/', { key: other.key })
  assert.is(body.status, 'suspended')
  await bed.on.operator('PATCH', `/accounts/${other.uuid}`, { status: 'active' })
})

errors('404: unknown, and what is another account’s', async () => {
  const theirs = await made(other.key, '/keys/create', { name: 'theirs' })
  for (const [method, path, body] of [
    ['POST', '/numbers/acquire', { uuid: unknownUuid }],
    ['POST', '/numbers/release', { uuid: other.numberUuid }],
    ['POST', '/numbers/configure', { uuid: other.numberUuid }],
    ['GET', `/calls/${unknownUuid}`],
    ['POST', '/calls/hangup', { sid: 'CA0000000000000000' }],
    ['GET', '/calls/hangup/CA0000000000000000'],
    ['GET', '/calls/hangup?sid=CA0000000000000000'],
    ['POST', '/users/update', { uuid: unknownUuid }],
    ['POST', '/users/delete', { uuid: unknownUuid }],
    ['POST', '/keys/revoke', { uuid: theirs.uuid }],
    ['POST', '/phone-tokens/mint', { uuid: unknownUuid }],
    ['POST', '/phone-tokens/revoke', { uuid: unknownUuid }],
    ['POST', '/recordings/download', { uuid: unknownUuid }],
    ['POST', '/recordings/delete', { uuid: unknownUuid }],
    ['GET', `/documents/${unknownUuid}`],
    ['GET', '/assets/none'],
  ] as const) {
    await refused(404, bed.account.key, method, path, body)
  }
  assert.is((await walk.ask('GET', '/account/', { key: theirs.key })).status, 200)
  const nowhere = await bed.on.request(bed.account.key, 'GET', '/nowhere')
  assert.equal([nowhere.status, typeof nowhere.body.detail], [404, 'string'])
})

errors('409: taken, twice, and the eleventh key', async () => {
  const pool = (await bed.on.operator('POST', '/numbers', { number: '+254799000004' })).body
  await made(other.key, '/numbers/acquire', { uuid: pool.uuid })
  await refused(409, bed.account.key, 'POST', '/numbers/acquire', { uuid: pool.uuid })
  await made(bed.account.key, '/users/create', { email: 'Twice@a.test' })
  await refused(409, bed.account.key, 'POST', '/users/create', { email: 'twice@a.test' })
  // The account's first key is one of the ten.
  const keys = []
  for (let count = 2; count <= 10; count++)
    keys.push(await made(bed.account.key, '/keys/create', { name: `key ${count}` }))
  const eleventh = await refused(409, bed.account.key, 'POST', '/keys/create', { name: 'eleventh' })
  assert.match(eleventh.body.detail, /\b10\b/)
  await made(bed.account.key, '/keys/revoke', { uuid: keys[0].uuid })
  await made(bed.account.key, '/keys/create', { name: 'freed at once' })
})

errors('401: one answer for a missing, malformed, unknown and revoked key', async () => {
  const revoked = await made(other.key, '/keys/create', { name: 'revoked' })
  await made(other.key, '/keys/revoke', { uuid: revoked.uuid })
  const answers = []
  for (const authorization of [undefined, 'Basic dTpw', 'Bearer', 'Bearer nonsense', `Bearer ${revoked.key}`]) {
    const answer = await walk.ask('GET', '/account/', { headers: authorization === undefined ? {} : { authorization } })
    answers.push([answer.status, answer.body, answer.headers.get('www-authenticate')])
  }
  for (const answer of answers) assert.equal(answer, [401, { detail: 'Invalid or missing API key.' }, 'Bearer'])
  await refused(401, bed.account.key, 'GET', '/operator/accounts')
  await refused(401, bed.on.operatorKey, 'GET', '/account/')
})

errors('422: every field of the API keeps its type and its limits, and says which it was', async () => {
  const o = order(bed.account)
  const rows: readonly [path: string, field: string, bodies: readonly object[]][] = [
    [
      '/calls/originate',
      'to',
      [
        { ...o, to: '0722' + 'x' },
        { ...o, to: '+25' },
        { ...o, to: 7 },
        { from: o.from, url: o.url },
      ],
    ],
    [
      '/calls/originate',
      'from',
      [
        { ...o, from: '' },
        { ...o, from: null },
      ],
    ],
    [
      '/calls/originate',
      'url',
      [
        { ...o, url: 'ftp://a.test' },
        { ...o, url: '' },
      ],
    ],
    [
      '/calls/originate',
      'timeout',
      [
        { ...o, timeout: 0 },
        { ...o, timeout: 301 },
        { ...o, timeout: '30' },
      ],
    ],
    [
      '/calls/originate',
      'customPayload',
      [
        { ...o, customPayload: 'x'.repeat(8193) },
        { ...o, customPayload: 7 },
        { ...o, customPayload: { order: 2 ** 53 } },
      ],
    ],
    ['/calls/hangup', 'sid', [{}, { sid: 7 }]],
    ['/numbers/acquire', 'uuid', [{}, { uuid: 7 }]],
    ['/account/webhooks', 'purpose', [{ purpose: 'sms' }]],
    ['/account/webhooks', 'url', [{ url: 'not a url' }, { url: 7 }]],
    ['/account/webhooks', 'fallback_mode', [{ fallback_mode: 'sing' }]],
    ['/account/webhooks/endpoint', 'url', [{}, { url: null }]],
    ['/users/create', 'email', [{}, { email: 'nobody' }]],
    ['/users/update', 'is_active', [{ uuid: unknownUuid, is_active: 'true' }]],
    ['/keys/create', 'name', [{}, { name: '' }]],
    [
      '/phone-tokens/mint',
      'ttl_seconds',
      [
        { uuid: unknownUuid, ttl_seconds: 3601 },
        { uuid: unknownUuid, ttl_seconds: 0 },
      ],
    ],
    [
      '/phone-tokens/mint',
      'max_concurrent',
      [
        { uuid: unknownUuid, max_concurrent: 11 },
        { uuid: unknownUuid, max_concurrent: 0 },
      ],
    ],
    [
      '/recordings/download',
      'ttl_seconds',
      [
        { uuid: unknownUuid, ttl_seconds: 86_401 },
        { uuid: unknownUuid, ttl_seconds: 0 },
      ],
    ],
  ]
  for (const [path, field, bodies] of rows) {
    for (const body of bodies) {
      const answer = await refused(422, bed.account.key, 'POST', path, body)
      assert.is(answer.body.errors[0].field, field, `${path} ${JSON.stringify(body)}`)
      assert.ok(answer.body.detail.startsWith(`${field}: `))
    }
  }
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'status=over',
    'direction=up',
    'from_dt=yesterday',
  ]) {
    const answer = await refused(422, bed.account.key, 'GET', `/calls/?${query}`)
    assert.is(answer.body.errors[0].field, query.split('=')[0])
  }
  for (const query of ['limit=0', 'limit=201', 'offset=-1'])
    await refused(422, bed.account.key, 'GET', `/recordings/?${query}`)
})

errors('503 while draining: health says degraded, new calls are refused, reads go on', async () => {
  assert.equal(
    (await walk.ask('POST', '/operator/drain', { key: bed.on.operatorKey, body: { seconds: 60 } })).body.draining,
    true,
  )
  const health = await walk.ask('GET', '/health/')
  assert.equal([health.status, health.body], [503, { status: 'degraded' }])
  const answer = await refused(503, bed.account.key, 'POST', '/calls/originate', order(bed.account))
  assert.is(answer.body.code, 'END.5503')
  assert.is((await walk.ask('GET', '/account/', { key: bed.account.key })).status, 200)
  await walk.ask('DELETE', '/operator/drain', { key: bed.on.operatorKey })
  assert.is((await walk.ask('GET', '/health/')).status, 200)
})

errors.run()
