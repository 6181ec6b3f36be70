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

test.run()
