import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed, type Ask, operatorKey } from './bed/api-bed.ts'

const bed = await ApiBed.open()
const json = { 'content-type': 'application/json' }
const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }

test('malformed API keys: one text for all', async () => {
  const revoked = (await bed.customer('POST', '/keys/create', { name: 'r' })).body
  await bed.customer('POST', '/keys/revoke', { uuid: revoked.uuid })
  const presented = [
    undefined,
    'Basic dTpw',
    'Bearer',
    'Bearer ',
    'Bearer nonsense',
    `Bearer ${revoked.key}`,
    `Bearer vk_${'a'.repeat(8)}_${'b'.repeat(43)}`,
    `Bearer ${operatorKey}`,
    'Bearer \u00ff\u00fe',
    `Token ${bed.key}`,
  ]
  for (const authorization of presented) {
    const answer = await bed.ask('GET', '/account/', {
      key: '',
      headers: authorization === undefined ? {} : { authorization },
    })
    assert.equal(
      [answer.status, answer.text, answer.headers['www-authenticate']],
      [401, '{"detail":"Invalid or missing API key."}', 'Bearer'],
      String(authorization),
    )
  }
  for (const key of ['', bed.key, 'x']) assert.is((await bed.ask('GET', '/operator/accounts', { key })).status, 401)
  assert.is(
    (await bed.ask('GET', '/account/', { key: '', headers: { authorization: `bEARER   ${bed.key} ` } })).status,
    200,
  )
})

test('the API key is checked before the body: 401 also for a body that cannot be parsed', async () => {
  assert.is((await bed.ask('POST', '/keys/create', { key: '', raw: '{', headers: json })).status, 401)
})

const bodies: readonly [name: string, ask: Ask, status: number, detail: RegExp][] = [
  ['not JSON', { raw: '{"to":', headers: json }, 400, /not valid JSON/],
  ['text after JSON', { raw: '{} {}', headers: json }, 400, /not valid JSON/],
  [
    'not UTF-8',
    { raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), headers: json },
    400,
    /not valid UTF-8/,
  ],
  ['no body', {}, 422, /^body: must be object$/],
  ['empty body', { raw: '', headers: json }, 422, /^body: must be object$/],
  ['null', { raw: 'null', headers: json }, 422, /^body: must be object$/],
  ['an array', { raw: '[]', headers: json }, 422, /^body: must be object$/],
  ['a string', { raw: '"x"', headers: json }, 422, /^body: must be object$/],
  ['a form', { raw: 'to=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, /as JSON/],
  ['a bad content type', { raw: '{}', headers: { 'content-type': 'nonsense' } }, 415, /as JSON/],
  ['1 MB', { raw: `"${'a'.repeat(1024 * 1024 - 2)}"`, headers: json }, 422, /^body: must be object$/],
  ['over 1 MB', { raw: `"${'a'.repeat(1024 * 1024 - 1)}"`, headers: json }, 413, /larger than 1048576/],
  ['text of commas', { raw: `"${'\\",['.repeat(200_000)}"`, headers: json }, 422, /^body: must be object$/],
  ['thousands of values', { raw: `[${'1,'.repeat(40_000)}1]`, headers: json }, 413, /more than 10000 values/],
  ['thousands of lists', { raw: '['.repeat(80_000), headers: json }, 413, /more than 10000 values/],
  ['nothing', { body: {} }, 422, /^to: is required$/],
  ['to as a number', { body: { ...order, to: 254722000001 } }, 422, /^to: must be string$/],
  ['to as null', { body: { ...order, to: null } }, 422, /^to: must be string$/],
  ['to without plus', { body: { ...order, to: '254722000001' } }, 422, /^to: must be E\.164/],
  ['to of nobody', { body: { ...order, to: '1999' } }, 422, /^to: 1999 is neither/],
  ['to too short', { body: { ...order, to: '+123456' } }, 422, /^to: must be E\.164/],
  ['to too long', { body: { ...order, to: '+1234567890123456' } }, 422, /^to: must be E\.164/],
  ['to with a second line', { body: { ...order, to: '+254722000001\n' } }, 422, /^to: must be E\.164/],
  ['to in Arabic digits', { body: { ...order, to: '+٢٥٤٧٢٢٠٠٠٠٠١' } }, 422, /^to: must be E\.164/],
  ['timeout 0', { body: { ...order, timeout: 0 } }, 422, /^timeout: must be at least 1$/],
  ['timeout 301', { body: { ...order, timeout: 301 } }, 422, /^timeout: must be at most 300$/],
  ['timeout as text', { body: { ...order, timeout: '30' } }, 422, /^timeout: must be integer$/],
  ['timeout 1.5', { body: { ...order, timeout: 1.5 } }, 422, /^timeout: must be integer$/],
  ['timeout as an array', { body: { ...order, timeout: [30] } }, 422, /^timeout: must be integer$/],
  ['url without a scheme', { body: { ...order, url: 'a.test/v' } }, 422, /^url: must be an absolute/],
  ['url of a file', { body: { ...order, url: 'file:///etc/passwd' } }, 422, /^url: must be an absolute/],
  ['url with a space', { body: { ...order, url: 'https://a.test/ v' } }, 422, /^url: must be an absolute/],
  ['url that cannot be parsed', { body: { ...order, url: 'https://[::1/v' } }, 422, /^url: must be an absolute/],
  ['url too long', { body: { ...order, url: `https://a.test/${'a'.repeat(2048)}` } }, 422, /^url: must be an absolute/],
  [
    'payload too large',
    { body: { ...order, customPayload: { a: 'ä'.repeat(4096) } } },
    422,
    /^customPayload: must be at most 8 KB$/,
  ],
  ['payload a number', { body: { ...order, customPayload: 7 } }, 422, /^customPayload: must be object or string/],
  ['payload an array', { body: { ...order, customPayload: [] } }, 422, /^customPayload: must be object or string/],
]
for (const [name, ask, status, detail] of bodies) {
  test(`originate: ${name} is ${status}`, async () => {
    const answer = await bed.conforming('POST', '/calls/originate', ask)
    assert.is(answer.status, status)
    assert.match(answer.body.detail, detail)
    if (status === 422) assert.ok(answer.body.errors.length >= 1)
    assert.is(bed.calls.placed, 0)
  })
}

test('every problem is reported, the first in detail, at most twenty', async () => {
  const answer = await bed.customer('POST', '/calls/originate', { to: 1, from: '', timeout: 'x' })
  assert.equal(answer.body.errors.map((error: { field: string }) => error.field).sort(), [
    'from',
    'timeout',
    'to',
    'url',
  ])
  const rates = Array.from({ length: 500 }, () => ({}))
  const many = await bed.operator('PUT', '/operator/rates', { rates })
  assert.equal([many.status, many.body.errors.length], [422, 20])
})

test('a problem of a nullable field names the field itself, in words', async () => {
  const uuid = '00000000-0000-4000-8000-000000000000'
  const asked: readonly [path: string, body: object, field: string, message: RegExp][] = [
    ['/numbers/configure', { uuid, friendly_name: 5 }, 'friendly_name', /^must be string or null$/],
    ['/numbers/configure', { uuid, friendly_name: 'x'.repeat(201) }, 'friendly_name', /200 characters/],
    ['/numbers/configure', { uuid, webhook_urls: [] }, 'webhook_urls', /^must be object or null$/],
    [
      '/numbers/configure',
      { uuid, webhook_urls: { voice_inbound: 'nope' } },
      'webhook_urls.voice_inbound',
      /http or https URL/,
    ],
    ['/numbers/configure', { uuid, webhook_urls: { status: 7 } }, 'webhook_urls.status', /^must be string or null$/],
    ['/users/update', { uuid, is_active: 'false' }, 'is_active', /^must be boolean or null$/],
    ['/users/update', { uuid, display_name: 'a\nb' }, 'display_name', /one line/],
    ['/account/webhooks', { fallback_mode: 'shout' }, 'fallback_mode', /^must be one of message, play, drop$/],
    ['/account/webhooks', { url: 'nope' }, 'url', /http or https URL/],
  ]
  for (const [path, body, field, message] of asked) {
    const answer = await bed.customer('POST', path, body)
    assert.is(answer.status, 422)
    assert.is(answer.body.errors.length, 1, JSON.stringify(answer.body))
    assert.is(answer.body.errors[0].field, field)
    assert.match(answer.body.errors[0].message, message)
    assert.is(answer.body.detail, `${field}: ${answer.body.errors[0].message}`)
  }
})

test('what is at the limit passes', async () => {
  const accepted = [
    { ...order, to: '+1234567' },
    { ...order, to: '+123456789012345' },
    { ...order, timeout: 1 },
    { ...order, timeout: 300 },
    { ...order, customPayload: 'x'.repeat(8192) },
    { ...order, customPayload: null },
    { ...order, url: 'HTTP://127.0.0.1:9/v?a=b#c' },
  ]
  for (const body of accepted)
    assert.is((await bed.customer('POST', '/calls/originate', body)).status, 201, JSON.stringify(body).slice(0, 80))
})

test('prototype keys are dropped and change nothing', async () => {
  const raw = JSON.stringify(order).replace(
    '}',
    ',"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"customPayload":{"__proto__":{"a":1},"b":2}}',
  )
  const answer = await bed.conforming('POST', '/calls/originate', { raw, headers: json })
  assert.equal([answer.status, answer.body.customPayload], [201, { b: 2 }])
  assert.is(({} as Record<string, unknown>).isAdmin, undefined)
  assert.is((await bed.ask('GET', '/calls/?__proto__[limit]=1&constructor=1')).status, 200)
})

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`

test('JSON of more than 64 levels is 422 on every operation, with a key for once or without', async () => {
  const placing = (levels: number) =>
    `{"to":"+254722000001","from":"+254700000001","url":"https://a.test/v","customPayload":{"a":${nested(levels)}}}`
  assert.is((await bed.conforming('POST', '/calls/originate', { raw: placing(62), headers: json })).status, 201)
  const placed = bed.calls.placed
  const asked: readonly [method: 'POST' | 'PUT', path: string, raw: string, key?: string][] = [
    ['POST', '/calls/originate', placing(63)],
    ['POST', '/calls/originate', placing(3300)],
    ['POST', '/calls/originate', placing(4000)],
    ['POST', '/calls/originate', nested(9000)],
    ['POST', '/documents/check', `{"body":"<Response/>","more":${nested(3900)}}`],
    ['POST', '/account/webhooks', `{"more":${nested(3900, '{}')}}`],
    ['POST', '/operator/drain', `{"seconds":1,"more":${nested(30_000)}}`, operatorKey],
  ]
  for (const [method, path, raw, key] of asked) {
    for (const once of [{}, { 'idempotency-key': `deep-${raw.length}` }]) {
      const answer = await bed.ask(method, path, { raw, headers: { ...json, ...once }, ...(key ? { key } : {}) })
      assert.is(answer.status, 422, `${path}: ${answer.text.slice(0, 200)}`)
      assert.is(answer.body.detail, 'body: must have at most 64 levels of objects and lists')
    }
  }
  assert.is(bed.calls.placed, placed)
})

test('search is digits within either number; letters find nothing', async () => {
  const total = async (search: string) =>
    (await bed.customer('GET', `/calls/?search=${encodeURIComponent(search)}`)).body.total
  const all = (await bed.customer('GET', '/calls/')).body.total
  assert.is(await total('1234567'), 2)
  assert.is(await total('+123 456-7'), 2)
  assert.is(await total('abc'), 0)
  assert.is(await total(''), all)
  assert.is(await total('+'), all)
  assert.is(await total('%'), 0)
})

test('a fault of ours is 500 without internals, and is logged', async () => {
  const { listTexts } = bed.calls
  bed.calls.listTexts = () => Promise.reject(new Error('SQLITE_IOERR at /secret/path'))
  const answer = await bed.customer('GET', '/calls/')
  bed.calls.listTexts = listTexts
  assert.equal([answer.status, answer.text], [500, '{"detail":"The service could not answer this request."}'])
  assert.ok(bed.logged.some(entry => entry.level === 'error' && String(entry.fields.error).includes('SQLITE_IOERR')))
})

test('half of a surrogate pair is no text: 400, in a field, in a name of a field, deep inside', async () => {
  for (const raw of [
    '{"name":"\\ud800"}',
    '{"name":"a","\\uDFFFx":1}',
    '{"name":"a","x":[{"y":"\\udc00\\ud83d"}]}',
    '{"name":"\\\\\\ud800"}',
  ]) {
    const answer = await bed.conforming('POST', '/keys/create', { raw, headers: json })
    assert.equal([answer.status, answer.body.detail], [400, 'The body holds half of a surrogate pair.'], raw)
  }
  for (const raw of ['{"name":"\\ud83d\\ude00"}', '{"name":"\\\\ud800"}', '{"name":"a","x":"\\\\\\\\ud800"}']) {
    const made = await bed.conforming('POST', '/keys/create', { raw, headers: json })
    assert.is(made.status, 201, raw)
    await bed.customer('POST', '/keys/revoke', { uuid: made.body.uuid })
  }
})

test('a body where none is wanted is read as any other', async () => {
  for (const url of ['/stream/token', '/account/webhooks/secret/rotate', '/account/webhooks/test']) {
    const ask = (raw: string, type = 'application/json') =>
      bed.conforming('POST', url, { raw, headers: { 'content-type': type } })
    assert.is((await ask('{')).status, 400, url)
    assert.is((await ask('a', 'text/plain')).status, 415, url)
    assert.is((await ask(`"${'a'.repeat(1_100_000)}"`)).status, 413, url)
    assert.is((await ask('{"unknown":1}')).status, url.endsWith('test') ? 409 : 200, url)
  }
})

test('names: blank, controlled and oversized ones are refused, any script is welcome', async () => {
  for (const name of [
    '',
    '   ',
    'a\nb',
    'a\u0000b',
    'a\u0085b',
    'a\u2028b',
    'a\u2029b',
    '\u2003\u00a0',
    'x'.repeat(101),
    7,
    null,
    ['a'],
    {},
  ]) {
    assert.is((await bed.customer('POST', '/keys/create', { name })).status, 422, JSON.stringify(name))
  }
  for (const name of ['Ünï çødé', '携帯', '📞', "Robert'); DROP TABLE accounts;--"]) {
    const made = await bed.customer('POST', '/keys/create', { name })
    assert.equal([made.status, made.body.name], [201, name])
    await bed.customer('POST', '/keys/revoke', { uuid: made.body.uuid })
  }
})

test('money is a string with at most four decimals', async () => {
  for (const wallet of [100, '1e3', '1,000', '', ' 1', '1.', '.5', '1.00001', '-1', '9999999999', 'NaN', null]) {
    const answer = await bed.operator('POST', '/operator/accounts', { name: 'M', wallet_balance: wallet })
    assert.is(answer.status, 422, JSON.stringify(wallet))
  }
  for (const [amount, shown] of [
    ['0', '0.00'],
    ['12.5', '12.50'],
    ['0.0375', '0.0375'],
    ['999999999.9999', '999999999.9999'],
    ['007', '7.00'],
  ] as const) {
    const answer = await bed.operator('POST', '/operator/accounts', { name: 'M', wallet_balance: amount })
    assert.is(answer.body.account.wallet_balance, shown)
  }
})

test.after(() => bed.close())
test('a coded body is not read: 415, and what would do; identity is no coding', async () => {
  const ask = (coding: string, key = bed.key) =>
    bed.conforming('POST', '/keys/create', {
      key,
      raw: JSON.stringify({ name: 'k' }),
      headers: { ...json, 'content-encoding': coding },
    })
  for (const coding of ['gzip', 'br', 'deflate, gzip', 'GZIP', 'nonsense']) {
    const refused = await ask(coding)
    assert.equal([refused.status, refused.headers['accept-encoding']], [415, 'identity'], coding)
  }
  assert.is((await ask('gzip', 'no key')).status, 401)
  assert.is((await ask('identity')).status, 201)
})

test('a suspended account gets that answer before any fault of its request; reads and other operations are not refused so', async () => {
  const { account, key } = (await bed.operator('POST', '/operator/accounts', { name: 'S', wallet_balance: '5' })).body
  await bed.operator('PATCH', `/operator/accounts/${account.uuid}`, { status: 'suspended' })
  for (const path of ['/calls/originate', '/numbers/acquire', '/phone-tokens/mint']) {
    for (const body of [{}, { to: 5 }, { uuid: '' }, null]) {
      const refused = await bed.conforming('POST', path, { key, body })
      assert.equal([refused.status, refused.body.code], [403, 'BILL.0403'], `${path} ${JSON.stringify(body)}`)
    }
    assert.is((await bed.conforming('POST', path, { key, raw: '{', headers: json })).status, 400)
  }
  assert.is((await bed.conforming('POST', '/keys/create', { key, body: {} })).status, 422)
  assert.is((await bed.conforming('GET', '/account/', { key })).status, 200)
})

test.run()
