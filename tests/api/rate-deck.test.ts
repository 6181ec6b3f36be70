import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed, operatorKey } from './bed/api-bed.ts'

// A rate deck of some megabytes is parsed and validated by a thread of its own; what it answers is the same.

const row = (prefix: string, more: object = {}) => ({ prefix, direction: 'outbound', rate_per_minute: '1.5', ...more })
const rows = (count: number) => Array.from({ length: count }, (_, at) => row(`+9${String(at).padStart(5, '0')}`))

test('a long body and a short one are refused with the same words', async () => {
  const bed = await ApiBed.open()
  const put = (raw: string | Buffer) =>
    bed.ask('PUT', '/operator/rates', { key: operatorKey, raw, headers: { 'content-type': 'application/json' } })
  const long = rows(400)
  const last = long.length
  const wrong = [
    row('x'),
    row('+1', { rate_per_minute: 3 }),
    row('+1', { increment_seconds: 0 }),
    row('sip:', { direction: 'inbound' }),
    {},
  ]
  for (const each of wrong) {
    const [short, same] = [
      await put(JSON.stringify({ rates: [each] })),
      await put(JSON.stringify({ rates: [...long, each] })),
    ]
    assert.equal([short.status, same.status], [422, 422])
    assert.is(same.text.replaceAll(`rates[${last}]`, 'rates[0]'), short.text)
  }
  const pad = ' '.repeat(20_000)
  const deep = `{"rates":${'['.repeat(100)}${']'.repeat(100)}}`
  const bodies = ['{', '[]', 'null', '{"rates":1}', '{"rates":[{"prefix":"\\ud800"}]}', deep, '']
  for (const body of bodies) {
    const [short, same] = [await put(body), await put(body + pad)]
    if (body === '') assert.equal([short.status, same.status], [422, 400])
    else assert.equal([same.status, same.text], [short.status, short.text])
  }
  assert.is(
    (await put(Buffer.concat([Buffer.from(`{"rates":[],"x":"${pad}`), Buffer.from([0xff]), Buffer.from('"}')]))).status,
    400,
  )
  assert.equal((await bed.operator('GET', '/operator/rates')).body, { rates: [] })
  await bed.close()
})

test('the thread of calls parses and writes no more than some rates of a deck at once', async () => {
  const bed = await ApiBed.open()
  const payload = JSON.stringify({ rates: rows(12_000) })
  const { parse, stringify } = JSON
  let longest = 0
  const seen = <Result>(result: Result, text: unknown): Result => {
    if (typeof text === 'string') longest = Math.max(longest, text.length)
    return result
  }
  JSON.parse = (text, reviver) => seen(parse(text, reviver), text)
  JSON.stringify = ((value: unknown) => {
    const text = stringify(value)
    return seen(text, text)
  }) as typeof stringify
  try {
    const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
    const answer = await bed.app.inject({ method: 'PUT', url: '/operator/rates', headers, payload })
    assert.is(answer.statusCode, 200)
  } finally {
    JSON.parse = parse
    JSON.stringify = stringify
  }
  assert.ok(longest < payload.length / 10, `${longest} characters at once, of ${payload.length}`)
  assert.is((await bed.operator('GET', '/operator/rates')).body.rates.length, 12_000)
  await bed.close()
})

test.run()
