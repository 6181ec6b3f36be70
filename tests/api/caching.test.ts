import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { wavOf } from '../rig/probes/tone.ts'
import { ApiBed } from './bed/api-bed.ts'

test('what a key shows is kept by no cache; audio of an asset is asked for again before each use', async () => {
  const bed = await ApiBed.open()
  const raw = Buffer.from(wavOf(new Int16Array(800)))
  await bed.conforming('PUT', '/assets/a', { raw, headers: { 'content-type': 'audio/wav' } })
  const kept = async (path: string, key = bed.key) =>
    String((await bed.ask('GET', path, { key })).headers['cache-control'])
  for (const path of ['/account/', '/calls/', '/events/', '/assets/', '/nothing', '/documents/nothing'])
    assert.is(await kept(path), 'private, no-store', path)
  assert.is(await kept('/account/', 'vk_wrong'), 'private, no-store')
  assert.is(String((await bed.operator('GET', '/operator/accounts')).headers['cache-control']), 'private, no-store')
  const audio = await bed.ask('GET', '/assets/a')
  assert.equal([audio.headers['cache-control'], audio.headers.vary], ['private, no-cache', 'cookie, authorization'])
  const again = await bed.ask('GET', '/assets/a', { headers: { 'if-none-match': String(audio.headers.etag) } })
  assert.equal([again.status, again.headers['cache-control']], [304, 'private, no-cache'])
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
  const other = await bed.ask('GET', '/assets/a', { key, headers: { 'if-none-match': String(audio.headers.etag) } })
  assert.is(other.status, 404)
  await bed.close()
})

test('an asset is replaced on the conditions of the request only (RFC 9110 §13.1)', async () => {
  const bed = await ApiBed.open()
  const put = (headers: Readonly<Record<string, string>>, samples = 800) =>
    bed.conforming('PUT', '/assets/a', { raw: Buffer.from(wavOf(new Int16Array(samples))), headers })
  const status = async (headers: Readonly<Record<string, string>>) => (await put(headers)).status
  const tagNow = async () => String((await bed.ask('GET', '/assets/a')).headers.etag)
  assert.is(await status({ 'if-match': '*' }), 412)
  assert.is((await bed.ask('GET', '/assets/a')).status, 404)
  assert.is(await status({ 'if-none-match': '*' }), 201)
  const first = await tagNow()
  assert.is(await status({ 'if-none-match': '*' }), 412)
  assert.is(await status({ 'if-none-match': first }), 412)
  assert.is(await status({ 'if-match': '"other"' }), 412)
  assert.is(await status({ 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }), 412)
  assert.is(await tagNow(), first)
  // Of GET alone (§13.1.3).
  const later = 'Fri, 01 Jan 2100 00:00:00 GMT'
  assert.is(await status({ 'if-match': first, 'if-modified-since': later }), 201)
  const second = await tagNow()
  const both = await Promise.all([put({ 'if-match': second }, 900), put({ 'if-match': second }, 1000)])
  assert.equal(both.map(answer => answer.status).sort(), [201, 412])
  assert.is(await status({}), 201)
  await bed.close()
})

test('the ETag of an upload is that of GET (RFC 9110 §9.3.4: the bytes are stored as they came)', async () => {
  const bed = await ApiBed.open()
  const put = (samples: number, headers: Readonly<Record<string, string>> = {}) =>
    bed.conforming('PUT', '/assets/a', { raw: Buffer.from(wavOf(new Int16Array(samples))), headers })
  const first = await put(800)
  assert.is(first.headers.etag, (await bed.ask('GET', '/assets/a')).headers.etag)
  assert.match(String(first.headers.etag), /^"[\w-]+"$/)
  // Without a GET in between, one program's next upload is on the condition of its last.
  const second = await put(900, { 'if-match': String(first.headers.etag) })
  assert.is(second.status, 201)
  assert.is((await put(1000, { 'if-match': String(first.headers.etag) })).status, 412)
  assert.is(second.headers.etag, (await bed.ask('GET', '/assets/a')).headers.etag)
  await bed.close()
})

test('an asset is deleted on the conditions of the request only (RFC 9110 §13.1)', async () => {
  const bed = await ApiBed.open()
  const put = (samples: number, headers: Readonly<Record<string, string>> = {}) =>
    bed.conforming('PUT', '/assets/a', { raw: Buffer.from(wavOf(new Int16Array(samples))), headers })
  const remove = (headers: Readonly<Record<string, string>>) => bed.conforming('DELETE', '/assets/a', { headers })
  const first = String((await put(800)).headers.etag)
  const second = String((await put(900)).headers.etag)
  for (const headers of [
    { 'if-match': first },
    { 'if-match': '"other"' },
    { 'if-none-match': '*' },
    { 'if-none-match': second },
    { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
  ]) {
    assert.is((await remove(headers)).status, 412, JSON.stringify(headers))
    assert.is((await bed.ask('GET', '/assets/a')).headers.etag, second)
  }
  // Of GET alone (§13.1.3).
  const later = 'Fri, 01 Jan 2100 00:00:00 GMT'
  assert.is((await remove({ 'if-match': second, 'if-modified-since': later })).status, 200)
  assert.is((await bed.ask('GET', '/assets/a')).status, 404)
  // What is not there is 404, whatever the conditions (§13.2.1: they apply where the answer would be 2xx).
  for (const headers of [{}, { 'if-match': '*' }, { 'if-none-match': '*' }])
    assert.is((await remove(headers)).status, 404, JSON.stringify(headers))
  const third = String((await put(800)).headers.etag)
  const both = await Promise.all([remove({ 'if-match': third }), put(900, { 'if-match': third })])
  assert.ok(both.filter(({ status }) => status < 300).length === 1, both.map(({ status }) => status).join())
  await bed.close()
})

test.run()
