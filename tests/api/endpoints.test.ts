import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../core/billing/destinations.ts'
import { ApiBed, operatorKey } from './bed/api-bed.ts'

// Every answer of `customer`, `operator` and `conforming` is compared with /openapi.json by the bed.
const bed = await ApiBed.open()
const nobody = '00000000-0000-4000-8000-000000000000'
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('health is open, and tells trouble', async () => {
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
  assert.equal(await of({ fallback_mode: 'drop' }), [200, 'drop', ''])
  assert.equal(await of({ fallback_mode: null, fallback_value: 'ignored' }), [200, 'drop', ''])
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

test('a number from the pool to its owner and back', async () => {
  const pool = await bed.operator('POST', '/operator/numbers', { number: '+254711000001', setup_fee: '12.5' })
  assert.equal([pool.status, pool.body.setup_fee, pool.body.account], [201, '12.50', null])
  const { uuid } = pool.body
  const listed = await bed.customer('GET', '/numbers/available')
  assert.equal(listed.body, [{ uuid, number: '+254711000001' }])

  const acquired = await bed.customer('POST', '/numbers/acquire', { uuid })
  assert.is(acquired.status, 200)
  assert.match(acquired.body.acquired_at, timestamp)
  assert.equal(acquired.body.webhook_inbound, { url: '', source: 'none' })
  assert.is((await bed.customer('GET', '/account/')).body.wallet_balance, '987.50')
  assert.is((await bed.customer('POST', '/numbers/acquire', { uuid })).status, 409)
  assert.is((await bed.customer('POST', '/numbers/acquire', { uuid: nobody })).status, 404)
  assert.is((await bed.operator('DELETE', `/operator/numbers/${uuid}`)).status, 409)

  await bed.customer('POST', '/account/webhooks', { url: 'https://a.test/default' })
  assert.equal((await bed.customer('GET', '/numbers/')).body[0].webhook_inbound, {
    url: 'https://a.test/default',
    source: 'default',
  })
  const configure = (body: object) => bed.customer('POST', '/numbers/configure', { uuid, ...body })
  const custom = await configure({ webhook_urls: { voice_inbound: 'https://a.test/own' }, friendly_name: 'Front desk' })
  assert.equal(custom.body.webhook_inbound, { url: 'https://a.test/own', source: 'custom' })
  const more = await configure({ webhook_urls: { status: 'https://a.test/s', voice_outbound: null } })
  assert.equal(more.body.webhook_urls, {
    voice_inbound: 'https://a.test/own',
    voice_outbound: '',
    status: 'https://a.test/s',
  })
  assert.is(more.body.friendly_name, 'Front desk')
  assert.equal((await bed.customer('GET', '/account/webhooks')).body.numbers, [
    { number: '+254711000001', purpose: 'voice_inbound', url: 'https://a.test/own' },
    { number: '+254711000001', purpose: 'status', url: 'https://a.test/s' },
  ])
  assert.is((await configure({ webhook_urls: { voice_inbound: '' } })).body.webhook_inbound.source, 'default')
  assert.is((await configure({ webhook_urls: null, friendly_name: null })).body.friendly_name, 'Front desk')
  assert.is((await bed.customer('POST', '/numbers/configure', { uuid: nobody })).status, 404)

  assert.is((await bed.customer('POST', '/numbers/release', { uuid })).status, 200)
  assert.is((await bed.customer('POST', '/numbers/release', { uuid })).status, 404)
  assert.equal((await bed.customer('GET', '/numbers/')).body, [])
  const again = await bed.customer('POST', '/numbers/acquire', { uuid })
  assert.equal([again.body.friendly_name, again.body.webhook_urls.status], ['', ''])
  await bed.customer('POST', '/numbers/release', { uuid })
  assert.is((await bed.operator('DELETE', `/operator/numbers/${uuid}`)).status, 200)
  assert.is((await bed.operator('DELETE', `/operator/numbers/${uuid}`)).status, 404)
})

test('a number that cannot be paid for', async () => {
  const { uuid } = (await bed.operator('POST', '/operator/numbers', { number: '+254711000002', setup_fee: '100000' }))
    .body
  const refused = await bed.customer('POST', '/numbers/acquire', { uuid })
  assert.is(refused.status, 402)
  assert.is(refused.body.code, 'BILL.0402')
  assert.ok(refused.body.detail.startsWith('BILL.0402: '))
  assert.is((await bed.operator('POST', '/operator/numbers', { number: '+254711000002' })).status, 409)
  const all = await bed.operator('GET', '/operator/numbers')
  assert.equal([all.body.total, all.body.numbers[0].uuid], [1, uuid])
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
  assert.is((await bed.customer('POST', '/keys/revoke', { uuid: nobody })).status, 404)
  for (const key of more) await bed.customer('POST', '/keys/revoke', { uuid: key.uuid })
  assert.is(
    bed.store.database.prepare<[], { n: number }>("SELECT count(*) n FROM api_keys WHERE hash LIKE 'vk_%'").get()?.n,
    0,
  )
})

test('originate, read, list, hang up', async () => {
  const order = {
    to: '+254722000001',
    from: '+254700000001',
    url: 'https://a.test/v',
    customPayload: { a: [1, { b: null }] },
  }
  const made = await bed.customer('POST', '/calls/originate', { ...order, nonsense: 1 })
  assert.is(made.status, 201)
  const { sid, uuid } = made.body
  assert.equal(made.body.customPayload, { a: [1, { b: null }] })
  assert.equal([made.body.status, made.body.cost, made.body.reason_code], ['initiated', '0.00', ''])
  assert.equal((await bed.customer('GET', `/calls/${uuid}`)).body, made.body)
  assert.is((await bed.customer('GET', `/calls/${nobody}`)).status, 404)
  const live = await bed.operator('GET', '/operator/calls')
  assert.equal([live.body.total, live.body.calls[0].legs[0].number], [1, '+254722000001'])
  assert.is((await bed.operator('GET', `/operator/accounts/${bed.accountUuid}`)).body.live_calls, 1)

  const ended = await bed.customer('POST', '/calls/hangup', { sid })
  assert.equal(
    [ended.body.status, ended.body.reason_code, ended.body.reason_label],
    ['failed', 'END.0201', 'Hung up by API'],
  )
  assert.equal((await bed.customer('GET', `/calls/hangup/${sid}`)).body, ended.body)
  assert.equal((await bed.customer('GET', `/calls/hangup?sid=${sid}`)).body, ended.body)
  for (const [method, url, body] of [
    ['POST', '/calls/hangup', { sid: 'CA0000000000000000' }],
    ['GET', '/calls/hangup/CA0000000000000000', undefined],
    ['GET', '/calls/hangup?sid=CA0000000000000000', undefined],
  ] as const) {
    assert.is((await bed.customer(method, url, body)).status, 404)
  }
  assert.is((await bed.customer('GET', '/calls/hangup')).status, 422)
})

test('an extension is one of the account, and the call internal', async () => {
  const { users } = bed.repositories
  const amina = await users.create(
    bed.accountUuid as Parameters<typeof users.create>[0],
    { email: 'a@a.test', displayName: '' },
    1,
  )
  const order = { to: amina?.extensionNumber, from: '+254700000001', url: 'https://a.test/v' }
  const placed = await bed.customer('POST', '/calls/originate', order)
  assert.equal([placed.status, placed.body.direction], [201, 'internal'])
  const unknown = await bed.customer('POST', '/calls/originate', { ...order, to: '9999' })
  assert.equal([unknown.status, unknown.body.errors[0].field], [422, 'to'])
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Stranger' })).body
  assert.is((await bed.conforming('POST', '/calls/originate', { key, body: order })).status, 422)
})

test('the core refuses: its status, its code once in front, Retry-After', async () => {
  const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }
  for (const [status, code, wait] of [
    [402, 'BILL.0402', undefined],
    [402, 'BILL.0404', undefined],
    [403, 'END.0403', undefined],
    [422, '', undefined],
    [429, 'LIMIT.0429', '1'],
    [429, 'LIMIT.0430', '1'],
    [503, 'END.5503', '30'],
  ] as const) {
    for (const detail of ['because of it', `${code}: because of it`]) {
      bed.calls.refusal = { ok: false, status, code, detail: code === '' ? 'because of it' : detail }
      const refused = await bed.customer('POST', '/calls/originate', order)
      assert.is(refused.status, status)
      assert.is(refused.body.detail, code === '' ? 'because of it' : `${code}: because of it`)
      assert.is(refused.body.code, code === '' ? undefined : code)
      assert.is(refused.headers['retry-after'], wait)
    }
  }
  bed.calls.refusal = { ok: false, status: 422, code: '', detail: 'from: + and 7 to 15 digits' }
  const { body } = await bed.customer('POST', '/calls/originate', order)
  assert.equal(body, { detail: bed.calls.refusal.detail, errors: [{ field: 'from', message: '+ and 7 to 15 digits' }] })
  bed.calls.refusal = undefined
})

test('hosted documents', async () => {
  const body = '<Response><Say>Hello {{From}}</Say></Response>'
  const made = await bed.customer('POST', '/documents/', { name: 'Greeting', body })
  assert.is(made.status, 201)
  assert.match(made.body.url, /^http:\/\/voice\.test\/hosted\/[\w-]{32}$/)
  assert.equal(made.body.problems, [])
  const path = `/documents/${made.body.uuid}`
  assert.equal((await bed.customer('GET', path)).body, made.body)
  const changed = await bed.customer('PUT', path, { name: 'Greeting 2', body: '<Response><Shout/></Response>' })
  assert.is(changed.body.url, made.body.url)
  assert.equal(changed.body.problems[0].code, 'DOC.0422')
  const hosted = await bed.ask('POST', new URL(made.body.url).pathname, { key: '' })
  assert.equal([hosted.status, hosted.text], [200, '<Response><Shout/></Response>'])
  assert.equal(bed.repositories.documents.byUrl(`${made.body.url}?a=1#b`)?.uuid, made.body.uuid)
  assert.is(bed.repositories.documents.byUrl('http://voice.test/hosted/guess'), undefined)
  assert.is((await bed.ask('GET', '/hosted/guess', { key: '' })).status, 404)
  await bed.customer('POST', '/documents/', { name: 'Second', body: '<Response/>' })
  const page = await bed.customer('GET', '/documents/?limit=1')
  assert.equal([page.body.total, page.body.limit, page.body.offset, page.body.documents.length], [2, 1, 0, 1])
  assert.is((await bed.customer('DELETE', path)).status, 200)
  assert.is((await bed.customer('DELETE', path)).status, 404)
  assert.is((await bed.customer('GET', path)).status, 404)
  assert.is((await bed.customer('PUT', path, { name: 'x', body })).status, 404)
})

test('documents/check: what a placeholder will say is no problem before the call', async () => {
  const check = async (body: string) => (await bed.customer('POST', '/documents/check', { body })).body
  for (const inside of [
    '<Dial><Number>{{To}}</Number></Dial>',
    '<Dial callerId="{{From}}">{{ To }}</Dial>',
    '<Dial><Sip>{{customPayload}}</Sip></Dial>',
    '<Play>{{customPayload}}</Play><Redirect>{{customPayload}}</Redirect>',
  ])
    assert.equal(await check(`<Response>${inside}</Response>`), { valid: true, problems: [] }, inside)
  const unknown = await check('<Response><Dial>{{Too}}</Dial><Dial>{{To}</Dial></Response>')
  assert.equal([unknown.valid, unknown.problems.length], [true, 2])
  const document = { name: 'dials', body: '<Response><Dial><Number>{{To}}</Number></Dial></Response>' }
  assert.equal((await bed.customer('POST', '/documents/', document)).body.problems, [])
})

test('documents/check', async () => {
  const check = async (body: string) => (await bed.customer('POST', '/documents/check', { body })).body
  assert.equal(await check('<Response><Say>Hi</Say></Response>'), { valid: true, problems: [] })
  const bad = await check('<Response><Say>Hi</Response>')
  assert.is(bad.valid, false)
  assert.ok(bad.problems[0].line >= 1 && bad.problems[0].column >= 1)
})

test('operator: accounts', async () => {
  const made = await bed.operator('POST', '/operator/accounts', {
    name: 'Second',
    wallet_balance: '10.1234',
    grace_amount: '5',
    credit_limit: '2.50',
    max_concurrent_calls: 3,
    max_calls_per_second: 1,
  })
  assert.is(made.status, 201)
  const { account, key } = made.body
  assert.is((await bed.ask('GET', '/account/', { key })).body.wallet_balance, '10.1234')
  assert.equal(
    [account.grace_amount, account.credit_limit, account.held_amount, account.live_calls],
    ['5.00', '2.50', '0.00', 0],
  )
  const path = `/operator/accounts/${account.uuid}`
  const changed = await bed.operator('PATCH', path, { max_concurrent_calls: 7, wallet_balance: '999' })
  assert.equal([changed.body.max_concurrent_calls, changed.body.wallet_balance], [7, '10.1234'])
  assert.is((await bed.operator('PATCH', `/operator/accounts/${nobody}`, { name: 'x' })).status, 404)
  assert.is((await bed.operator('GET', `/operator/accounts/${nobody}`)).status, 404)

  const credit = (amount: string, reference?: string) =>
    bed.operator('POST', `${path}/credit`, { amount, ...(reference === undefined ? {} : { reference }) })
  assert.is((await credit('5', 'mpesa-1')).body.wallet_balance, '15.1234')
  assert.is((await credit('5', 'mpesa-1')).body.wallet_balance, '15.1234')
  assert.is((await credit('-20')).body.wallet_balance, '-4.8766')
  assert.is((await credit('0')).status, 422)
  assert.is((await bed.operator('POST', `/operator/accounts/${nobody}/credit`, { amount: '1' })).status, 404)
  const ledger = await bed.operator('GET', `${path}/ledger?limit=2`)
  assert.equal(
    ledger.body.entries.map((entry: { amount: string }) => entry.amount),
    ['-20.00', '5.00'],
  )
  assert.is(ledger.body.total, 3)

  const second = await bed.operator('POST', `${path}/keys`, { name: 'second' })
  assert.is((await bed.ask('GET', '/account/', { key: second.body.key })).status, 200)
  assert.is((await bed.operator('POST', `/operator/accounts/${nobody}/keys`, { name: 'x' })).status, 404)
  const list = await bed.operator('GET', '/operator/accounts?limit=1&offset=1')
  assert.equal([list.body.total, list.body.accounts.length], [3, 1])
})

test('a suspended account reads, but spends and calls nothing', async () => {
  const { account, key } = (await bed.operator('POST', '/operator/accounts', { name: 'S', wallet_balance: '5' })).body
  await bed.operator('PATCH', `/operator/accounts/${account.uuid}`, { status: 'suspended' })
  assert.is((await bed.conforming('GET', '/account/', { key })).body.status, 'suspended')
  assert.is((await bed.conforming('GET', '/calls/', { key })).status, 200)
  for (const [url, body] of [
    ['/calls/originate', { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }],
    ['/numbers/acquire', { uuid: nobody }],
  ] as const) {
    const refused = await bed.conforming('POST', url, { key, body })
    assert.equal([refused.status, refused.body.code], [403, 'BILL.0403'])
    assert.ok(refused.body.detail.startsWith('BILL.0403: '))
  }
})

test('operator: trunks', async () => {
  const made = await bed.operator('POST', '/operator/trunks', {
    name: 'Carrier',
    host: 'sip.carrier.test',
    prefixes: ['254'],
    password: 'hush',
    inbound_hosts: ['192.0.2.0/24', '2001:db8::1'],
  })
  assert.is(made.status, 201)
  assert.equal(made.body.prefixes, ['+254'])
  assert.is(made.body.password, '********')
  const path = `/operator/trunks/${made.body.uuid}`
  const changed = await bed.operator('PATCH', path, { ...made.body, priority: 5 })
  assert.is(changed.body.priority, 5)
  assert.is(bed.repositories.trunks.current()[0]?.password, 'hush')
  assert.equal((await bed.operator('GET', path)).body, changed.body)
  assert.is((await bed.operator('GET', '/operator/trunks')).body.total, 1)
  for (const bad of [
    { inbound_hosts: ['10.0.0.0/33'] },
    { inbound_hosts: ['a.test'] },
    { transport: 'sctp' },
    { port: 70000 },
    { name: '' },
    { prefixes: ['x'] },
    { strip: '3' },
  ]) {
    assert.is((await bed.operator('PATCH', path, bad)).status, 422, JSON.stringify(bad))
  }
  assert.is((await bed.operator('POST', '/operator/trunks', {})).status, 422)
  assert.is((await bed.operator('DELETE', path)).status, 200)
  for (const method of ['DELETE', 'GET']) assert.is((await bed.operator(method, path)).status, 404)
  assert.is((await bed.operator('PATCH', path, {})).status, 404)
})

test('operator: the rate deck is replaced whole', async () => {
  const put = await bed.operator('PUT', '/operator/rates', {
    rates: [
      { prefix: '254', direction: 'outbound', rate_per_minute: '3' },
      {
        prefix: '+2547',
        direction: 'outbound',
        rate_per_minute: '0.0375',
        increment_seconds: 1,
        minimum_seconds: 6,
        connection_fee: '1',
      },
    ],
  })
  assert.equal(put.body.rates[0], {
    prefix: '+254',
    direction: 'outbound',
    rate_per_minute: '3.00',
    increment_seconds: 60,
    minimum_seconds: 0,
    connection_fee: '0.00',
  })
  assert.is(put.body.rates[1].rate_per_minute, '0.0375')
  assert.equal((await bed.operator('GET', '/operator/rates')).body, put.body)
  const bad = await bed.operator('PUT', '/operator/rates', {
    rates: [{ prefix: '254', direction: 'outbound', rate_per_minute: 3 }],
  })
  assert.equal([bad.status, bad.body.errors[0].field], [422, 'rates[0].rate_per_minute'])
  assert.is((await bed.operator('GET', '/operator/rates')).body.rates.length, 2)
  const large = Array.from({ length: 20_000 }, (_, at) => ({
    prefix: String(100_000 + at),
    direction: 'outbound',
    rate_per_minute: '1',
  }))
  assert.is((await bed.operator('PUT', '/operator/rates', { rates: large })).body.rates.length, 20_000)
  assert.equal((await bed.operator('PUT', '/operator/rates', { rates: [] })).body, { rates: [] })
})

test('operator: destinations; premium and satellite stay blocked until allowed', async () => {
  const fresh = await bed.operator('GET', '/operator/destinations')
  assert.ok(fresh.body.blocked.includes('+881'))
  const put = await bed.operator('PUT', '/operator/destinations', { blocked: ['7'], allowed: ['+8816'] })
  assert.equal(put.body, { blocked: ['+7'], allowed: ['+8816'] })
  assert.equal((await bed.operator('GET', '/operator/destinations')).body, put.body)
  const mayCall = (number: string) => {
    const { blocked, allowed } = bed.repositories.destinations.current()
    return new Destinations(blocked, allowed).allows(number)
  }
  assert.equal(['+8816123', '+8811234', '+7123', '+254722'].map(mayCall), [true, false, false, true])
  await bed.operator('PUT', '/operator/destinations', { blocked: fresh.body.blocked, allowed: ['+881'] })
  assert.equal(['+8811234', '+870123'].map(mayCall), [true, false])
  assert.is((await bed.operator('PUT', '/operator/destinations', { blocked: ['x'], allowed: [] })).status, 422)
})

test('operator: drain', async () => {
  assert.is((await bed.operator('POST', '/operator/drain', { seconds: 5 })).body.draining, true)
  assert.is((await bed.operator('DELETE', '/operator/drain')).body.draining, false)
  assert.is((await bed.operator('POST', '/operator/drain')).body.draining, true)
  assert.is((await bed.operator('DELETE', '/operator/drain')).body.draining, false)
  assert.is((await bed.operator('POST', '/operator/drain', { seconds: -1 })).status, 422)
})

test('every operation of the document was answered with success here or in another test of the folder', () => {
  const otherFiles = /^\/(hosted|users|phone-tokens|recordings|stream|metrics)\b/
  const elsewhere = ['GET /assets/', 'GET /assets/{slug}', 'PUT /assets/{slug}', 'DELETE /assets/{slug}']
  const missing = Object.entries(bed.document.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .map(method => `${method.toUpperCase()} ${path}`)
      .filter(name => !elsewhere.includes(name) && !otherFiles.test(path))
      .filter(name => ![200, 201].some(status => bed.seen.has(`${name} ${status}`))),
  )
  assert.equal(missing, [])
})

test('no secret was logged', () => {
  const text = JSON.stringify(bed.logged)
  for (const secret of [bed.key, operatorKey, 'hush', 'whsec_']) assert.not.match(text, secret)
})

test.after(() => bed.close())
test.run()
