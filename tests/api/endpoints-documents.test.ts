import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'
import { isOfPortal } from './bed/portal-paths.ts'

// Every answer of `customer`, `operator` and `conforming` is compared with /openapi.json by the bed.
const bed = await ApiBed.open()

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
  assert.equal((await bed.repositories.documents.byUrl(`${made.body.url}?a=1#b`))?.uuid, made.body.uuid)
  assert.is(await bed.repositories.documents.byUrl('http://voice.test/hosted/guess'), undefined)
  assert.is((await bed.ask('GET', '/hosted/guess', { key: '' })).status, 404)
  await bed.customer('POST', '/documents/', { name: 'Second', body: '<Response/>' })
  const page = await bed.customer('GET', '/documents/?limit=1')
  assert.equal([page.body.total, page.body.limit, page.body.offset, page.body.documents.length], [2, 1, 0, 1])
  const [{ name }] = page.body.documents
  const found = await bed.customer('GET', `/documents/?search=${encodeURIComponent(name.toUpperCase())}`)
  assert.ok(found.body.documents.some((each: { name: string }) => each.name === name))
  assert.is((await bed.customer('GET', '/documents/?search=no%25such')).body.total, 0)
  assert.is((await bed.customer('DELETE', path)).status, 200)
  assert.is((await bed.customer('DELETE', path)).status, 404)
  assert.is((await bed.customer('GET', path)).status, 404)
  assert.is((await bed.customer('PUT', path, { name: 'x', body })).status, 404)
})

test('a hosted document that is asked for with a body: what can be answered is described', async () => {
  const { url } = (await bed.customer('POST', '/documents/', { name: 'Asked', body: '<Response/>' })).body
  const ask = (raw: string, type: string) =>
    bed.conforming('POST', new URL(url).pathname, { key: '', raw, headers: { 'content-type': type } })
  assert.is((await ask('{"CallSid":"CA1"}', 'application/json')).status, 200)
  assert.is((await ask('{', 'application/json')).status, 400)
  assert.is((await ask(`"${'a'.repeat(1_100_000)}"`, 'application/json')).status, 413)
  assert.is((await ask('CallSid=CA1', 'application/x-www-form-urlencoded')).status, 415)
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

test('every operation of these paths was answered with success', () => {
  assert.equal(
    bed.unanswered(path => !isOfPortal(path) && path.startsWith('/documents')),
    [],
  )
})

test('no secret was logged', () => {
  assert.equal(bed.leaked(['hush', 'whsec_']), [])
})

test.after(() => bed.close())
test.run()
