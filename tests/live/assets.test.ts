import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from '../api/bed/api-bed.ts'

const bed = await ApiBed.open()
const folder = join(bed.store.database.folder, 'assets', bed.accountUuid)

/** 8 kHz, 16 bit, mono. */
function wav(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * 16_000)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
const put = (slug: string, raw: Buffer | string, type = 'audio/wav') =>
  bed.conforming('PUT', `/assets/${slug}`, { raw, headers: { 'content-type': type } })

test('put, list, get, replace, delete', async () => {
  const made = await put('welcome', wav(2))
  assert.equal(
    [made.status, made.body.slug, made.body.media_format, made.body.duration_seconds, made.body.size_bytes],
    [201, 'welcome', 'wav', 2, 32_044],
  )
  const got = await bed.app.inject({ url: '/assets/welcome', headers: { authorization: `Bearer ${bed.key}` } })
  assert.equal([got.statusCode, got.headers['content-type']], [200, 'audio/wav'])
  assert.ok(got.rawPayload.equals(wav(2)))
  assert.is((await put('welcome', wav(1), 'application/json')).body.duration_seconds, 1)
  assert.is((await put('farewell', wav(1), 'application/x-www-form-urlencoded')).status, 201)
  const page = await bed.customer('GET', '/assets/')
  assert.equal([page.body.total, page.body.assets.length], [2, 2])
  assert.equal(readdirSync(folder).sort(), ['farewell', 'welcome'])
  assert.is(statSync(join(folder, 'welcome')).mode & 0o777, 0o600)
  assert.is(statSync(folder).mode & 0o777, 0o700)
  const stored = await bed.repositories.assets.find(bed.accountUuid as never, 'welcome')
  assert.is(stored && bed.repositories.assets.fileOf(stored), join(folder, 'welcome'))
  assert.is((await bed.customer('DELETE', '/assets/welcome')).status, 200)
  assert.not(existsSync(join(folder, 'welcome')))
  assert.is((await bed.customer('DELETE', '/assets/welcome')).status, 404)
  assert.is((await bed.customer('GET', '/assets/welcome')).status, 404)
})

test('what is no audio is refused, and the old asset stays', async () => {
  await put('kept', wav(1))
  const broken = wav(1)
  broken.writeUInt16LE(999, 20)
  for (const [bytes, status] of [
    ['', 422],
    ['hello', 415],
    [Buffer.from('OggS and no more'), 422],
    [Buffer.from('fLaC and no more'), 415],
    [Buffer.from('ID3 and no more'), 422],
    [wav(1).subarray(0, 20), 422],
    [broken, 415],
  ] as const) {
    const refused = await put('kept', bytes)
    assert.is(refused.status, status)
  }
  assert.ok(readFileSync(join(folder, 'kept')).equals(wav(1)))
  assert.equal(
    readdirSync(folder).filter(name => name.endsWith('.part')),
    [],
  )
})

test('MP3 is recognized by its bytes, kept as uploaded, and has its real duration', async () => {
  // Frames of 128 kbit/s at 44,100 Hz that hold nothing: 26 ms each.
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0xc4])
  const mp3 = Buffer.concat(new Array<Buffer>(80).fill(frame))
  const made = await put('jingle', mp3, 'application/octet-stream')
  assert.is(made.status, 201)
  assert.is(made.body.media_format, 'mp3')
  assert.ok(Math.abs(Number(made.body.duration_seconds) - 2.09) < 0.06)
  const got = await bed.app.inject({ url: '/assets/jingle', headers: { authorization: `Bearer ${bed.key}` } })
  assert.is(got.headers['content-type'], 'audio/mpeg')
  assert.ok(got.rawPayload.equals(mp3))
  assert.is((await bed.customer('DELETE', '/assets/jingle')).status, 200)
})

test('20 MB is the limit, 1 MB is not', async () => {
  assert.is((await put('large', wav(120))).status, 201)
  const over = await bed.ask('PUT', '/assets/over', {
    raw: Buffer.alloc(20 * 1024 * 1024 + 1),
    headers: { 'content-type': 'audio/wav' },
  })
  assert.is(over.status, 413)
})

test('a slug never leaves its folder', async () => {
  for (const slug of ['..%2f..%2fpasswd', '%2e%2e', 'a%2fb', 'A', 'a b', 'a.wav', 'ä', 'a'.repeat(65), '%00', 'a%0a']) {
    const answer = await bed.ask('PUT', `/assets/${slug}`, { raw: wav(1), headers: { 'content-type': 'audio/wav' } })
    assert.ok([400, 404, 405, 414, 422].includes(answer.status), `${slug}: ${answer.status}`)
    assert.type(answer.body.detail, 'string')
  }
  assert.equal(readdirSync(join(bed.store.database.folder, 'assets')), [bed.accountUuid])
})

test('accounts do not see one another', async () => {
  await put('mine', wav(1))
  const document = (await bed.customer('POST', '/documents/', { name: 'Mine', body: '<Response/>' })).body
  const call = (
    await bed.customer('POST', '/calls/originate', {
      to: '+254722000001',
      from: '+254700000001',
      url: 'https://a.test/',
    })
  ).body
  const number = await bed.ownNumber()
  const apiKey = (await bed.customer('GET', '/keys/')).body[0]
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
  for (const [method, url, body] of [
    ['GET', '/assets/mine', undefined],
    ['DELETE', '/assets/mine', undefined],
    ['GET', `/documents/${document.uuid}`, undefined],
    ['PUT', `/documents/${document.uuid}`, { name: 'x', body: 'x' }],
    ['DELETE', `/documents/${document.uuid}`, undefined],
    ['GET', `/calls/${call.uuid}`, undefined],
    ['POST', '/calls/hangup', { sid: call.sid }],
    ['GET', `/calls/hangup/${call.sid}`, undefined],
    ['POST', '/numbers/release', { uuid: number.uuid }],
    ['POST', '/numbers/configure', { uuid: number.uuid, friendly_name: 'x' }],
    ['POST', '/keys/revoke', { uuid: apiKey.uuid }],
  ] as const) {
    assert.is((await bed.conforming(method, url, { key, body })).status, 404, `${method} ${url}`)
  }
  for (const url of ['/calls/', '/assets/', '/documents/'])
    assert.is((await bed.conforming('GET', url, { key })).body.total, 0)
  assert.equal((await bed.conforming('GET', '/numbers/', { key })).body, [])
  assert.is((await bed.customer('GET', `/calls/${call.uuid}`)).body.status, 'initiated')
})

test('end-users: one email an account, extensions of the switch from 1001, none given twice', async () => {
  const { users } = bed.repositories
  const account = bed.accountUuid as Parameters<typeof users.create>[0]
  const amina = await users.create(account, { email: 'amina@a.test', displayName: 'Amina' }, 1)
  assert.is(amina?.extensionNumber, '1001')
  assert.is(await users.create(account, { email: 'AMINA@a.test', displayName: '' }, 2), undefined)
  assert.is(await users.remove(account, amina?.uuid ?? ''), true)
  const juma = await users.create(account, { email: 'amina@a.test', displayName: 'Juma' }, 3)
  assert.is(juma?.extensionNumber, '1002')
  assert.is((await users.change(account, juma?.uuid ?? '', { isActive: false }))?.isActive, false)
  assert.equal(
    (await users.list(account)).map(user => user.displayName),
    ['Juma'],
  )
})

test.after(() => bed.close())
test.run()
