import { randomUUID } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { get, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecordingRecord } from '../../core/model/call-record.ts'
import type { AccountUuid, CallUuid, RecordingUuid, Sid } from '../../core/model/ids.ts'
import { ApiBed, type Reply } from './bed/api-bed.ts'

const bed = await ApiBed.open()
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other', wallet_balance: '10' })).body
const unknownUuid = '00000000-0000-4000-8000-000000000000'
const recordings = join(bed.store.database.folder, 'recordings')
const audio = Buffer.from(Array.from({ length: 1000 }, (_, at) => at & 0xff))
writeFileSync(join(bed.store.database.folder, 'outside.wav'), 'secret')

const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v', customPayload: { order: 7 } }
const call = (await bed.customer('POST', '/calls/originate', order)).body
let made = 0

async function record(fields: Partial<RecordingRecord> = {}, bytes: Buffer | 'no file' = audio) {
  const uuid = randomUUID() as RecordingUuid
  const recording: RecordingRecord = {
    uuid,
    accountUuid: bed.accountUuid as AccountUuid,
    callUuid: call.uuid as CallUuid,
    callSid: call.sid as Sid,
    path: `2026/07/${uuid}.wav`,
    durationMs: 1499,
    sizeBytes: audio.length,
    mediaFormat: 'wav',
    createdUnix: Date.now() + made++,
    expiresUnix: Date.now() + 3_600_000,
    ...fields,
  }
  const file = join(recordings, recording.path)
  if (bytes !== 'no file') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
  await bed.store.calls.commit([{ type: 'recording.insert', recording }])
  return recording
}

const link = async (uuid: string, ttl?: number): Promise<string> => {
  const body = { uuid, ...(ttl === undefined ? {} : { ttl_seconds: ttl }) }
  return (await bed.customer('POST', '/recordings/download', body)).body.url
}
const pathOf = (url: string) => url.slice('http://voice.test'.length)
const download = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  bed.conforming(method, pathOf(url), { key: '', headers })
const remove = (uuid: string) => bed.customer('POST', '/recordings/delete', { uuid })
const bytesOf = (reply: Reply) => Number(reply.headers['content-length'])

test('the list says who called whom, where it is asked for', async () => {
  const { uuid } = await record()
  const { body } = await bed.customer('GET', '/recordings/?numbers=true&limit=1')
  assert.equal([body[0].uuid, body[0].from_number, body[0].to_number], [uuid, call.from_number, call.to_number])
  assert.is('from_number' in (await bed.customer('GET', '/recordings/?limit=1')).body[0], false)
  await remove(uuid)
})

test('the list: newest first, its pages, its filter, its shape', async () => {
  const first = await record()
  const second = await record({
    durationMs: null,
    sizeBytes: null,
    expiresUnix: null,
    callUuid: randomUUID() as CallUuid,
  })
  const third = await record()
  const { body } = await bed.customer('GET', '/recordings/')
  const uuids = (rows: { uuid: string }[]) => rows.map(({ uuid }) => uuid)
  assert.equal(uuids(body), [third.uuid, second.uuid, first.uuid])
  assert.equal(body[2], {
    uuid: first.uuid,
    call_uuid: call.uuid,
    call_sid: call.sid,
    duration_seconds: 1,
    size_bytes: 1000,
    media_format: 'wav',
    storage_backend: 'local',
    expires_at: new Date(first.expiresUnix ?? 0).toISOString(),
    created_at: new Date(first.createdUnix).toISOString(),
  })
  assert.equal([body[1].duration_seconds, body[1].size_bytes, body[1].expires_at], [null, null, null])
  const page = async (query: string) => uuids((await bed.customer('GET', `/recordings?${query}`)).body)
  assert.equal(await page('limit=1&offset=1'), [second.uuid])
  assert.equal(await page(`call_uuid=${call.uuid}`), [third.uuid, first.uuid])
  assert.equal(await page(`call_uuid=${unknownUuid}`), [])
  for (const bad of ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'call_uuid=']) {
    assert.is((await bed.customer('GET', `/recordings?${bad}`)).status, 422, bad)
  }
  assert.equal((await bed.conforming('GET', '/recordings', { key: other.key })).body, [])
})

test('a link downloads without a key, whole or its head', async () => {
  const { uuid, callSid } = await record()
  const answer = await bed.customer('POST', '/recordings/download', { uuid })
  assert.equal([answer.status, answer.body.expires_in], [200, 300])
  assert.match(answer.body.url, new RegExp(`^http://voice\\.test/recordings/files/${uuid}\\?`))
  const whole = await bed.app.inject({ url: pathOf(answer.body.url) })
  assert.is(whole.statusCode, 200)
  assert.ok(whole.rawPayload.equals(audio))
  assert.is(whole.headers['content-type'], 'audio/wav')
  assert.is(whole.headers['accept-ranges'], 'bytes')
  assert.is(whole.headers['content-disposition'], `inline; filename="${callSid}-${uuid}.wav"`)
  assert.match(String(whole.headers['content-security-policy']), /^sandbox allow-same-origin; default-src 'none'/)
  assert.is(whole.headers['x-content-type-options'], 'nosniff')
  const head = await download(answer.body.url, {}, 'HEAD')
  assert.equal([head.status, bytesOf(head), head.text], [200, 1000, ''])
  assert.is((await download(answer.body.url, { range: 'bytes=0-1' }, 'HEAD')).status, 200)
})

const ranges: readonly [range: string, status: number, contentRange: string | undefined, bytes: number][] = [
  ['bytes=0-', 206, 'bytes 0-999/1000', 1000],
  ['bytes=0-0', 206, 'bytes 0-0/1000', 1],
  ['bytes=10-19', 206, 'bytes 10-19/1000', 10],
  ['bytes=990-5000', 206, 'bytes 990-999/1000', 10],
  ['bytes=999-', 206, 'bytes 999-999/1000', 1],
  ['bytes=-500', 206, 'bytes 500-999/1000', 500],
  ['bytes=-5000', 206, 'bytes 0-999/1000', 1000],
  ['Bytes=0-9', 206, 'bytes 0-9/1000', 10],
  ['bytes=1000-', 416, 'bytes */1000', 0],
  ['bytes=5000-6000', 416, 'bytes */1000', 0],
  ['bytes=-0', 416, 'bytes */1000', 0],
  ['bytes=20-10', 200, undefined, 1000],
  ['bytes=-', 200, undefined, 1000],
  ['bytes=a-b', 200, undefined, 1000],
  ['bytes=0-1,5-6', 200, undefined, 1000],
  ['lines=0-1', 200, undefined, 1000],
  ['bytes=99999999999999999999-', 200, undefined, 1000],
]
for (const [range, status, contentRange, length] of ranges) {
  test(`Range: ${range}`, async () => {
    const url = await link((await record()).uuid)
    const part = await bed.app.inject({ url: pathOf(url), headers: { range } })
    const conforming = await download(url, { range })
    assert.equal([part.statusCode, conforming.status, part.headers['content-range']], [status, status, contentRange])
    if (status === 416) return
    const first = Number(/\d+/.exec(contentRange ?? '0')?.[0])
    assert.ok(part.rawPayload.equals(audio.subarray(first, first + length)))
    assert.is(Number(part.headers['content-length']), length)
  })
}

test('If-Range: a part only of the same file', async () => {
  const url = await link((await record()).uuid)
  const tag = String((await download(url)).headers.etag)
  assert.is((await download(url, { range: 'bytes=0-1', 'if-range': tag })).status, 206)
  assert.is((await download(url, { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200)
})

test('conditions: 304 for what is known already, 412 for what is no longer so, in the order of RFC 9110 §13.2.2', async () => {
  const url = await link((await record()).uuid)
  const known = (await download(url)).headers
  const tag = String(known.etag)
  const written = String(known['last-modified'])
  const before = new Date(Date.parse(written) - 1000).toUTCString()
  const cases: readonly [headers: Record<string, string>, status: number][] = [
    [{ 'if-none-match': tag }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': `"a,b", W/${tag}` }, 304],
    [{ 'if-none-match': tag, range: 'bytes=0-1' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-none-match': '"other"', 'if-modified-since': written }, 200],
    [{ 'if-none-match': tag, 'if-modified-since': before }, 304],
    [{ 'if-modified-since': written }, 304],
    [{ 'if-modified-since': before }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-match': tag }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': `W/${tag}` }, 412],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': tag, 'if-unmodified-since': before }, 200],
    [{ 'if-unmodified-since': before }, 412],
    [{ 'if-unmodified-since': written }, 200],
    [{ 'if-match': tag, 'if-none-match': tag }, 304],
  ]
  for (const [headers, status] of cases) {
    const reply = await download(url, headers)
    const head = await bed.ask('HEAD', pathOf(url), { key: '', headers })
    assert.equal([reply.status, head.status], [status, status], JSON.stringify(headers))
    if (status !== 304) continue
    assert.equal([reply.text, reply.headers.etag, reply.headers['content-type']], ['', tag, undefined])
  }
})

test('an empty file', async () => {
  const url = await link((await record({}, Buffer.alloc(0))).uuid)
  const whole = await download(url)
  assert.equal([whole.status, whole.text, bytesOf(whole)], [200, '', 0])
  assert.is((await download(url, { range: 'bytes=0-' })).status, 416)
})

test('an altered link opens nothing, whichever character it is', async () => {
  const [mine, theirs] = [await record(), await record()]
  const url = pathOf(await link(mine.uuid))
  const base = '/recordings/files/'.length
  for (let at = base; at < url.length; at++) {
    for (const wrong of [url[at] === '1' ? '2' : '1', '', '%00', url[at]?.toUpperCase(), '/']) {
      if (wrong === undefined || wrong === url[at]) continue
      const altered = url.slice(0, at) + wrong + url.slice(at + 1)
      const { statusCode } = await bed.app.inject({ url: altered })
      assert.ok([400, 403, 404].includes(statusCode), `${statusCode} ${altered}`)
    }
  }
  const of = new URL(url, 'http://voice.test').searchParams
  const [expires, signature] = [String(of.get('expires')), String(of.get('signature'))]
  const path = `/recordings/files/${mine.uuid}`
  for (const altered of [
    path,
    `${path}?expires=${expires}`,
    `${path}?signature=${signature}`,
    `${path}?expires=${Number(expires) + 1}&signature=${signature}`,
    `${path}?expires=0${expires}&signature=${signature}`,
    `${path}?expires=%2B${expires}&signature=${signature}`,
    `${path}?expires=${expires}.0&signature=${signature}`,
    `${path}?expires=${expires}&signature=${signature}%3D`,
    `${path}?expires=${expires}&expires=${expires}&signature=${signature}`,
    `${path}?expires=${expires}&signature=${signature}&signature=${signature}`,
    `${path}?expires=${expires}&signature=${signature}&more=1`,
    `${path}?expires=${expires}&signature=`,
    `${path}?expires[]=${expires}&signature=${signature}`,
    `/recordings/files/${theirs.uuid}?expires=${expires}&signature=${signature}`,
    `/recordings/files/${unknownUuid}?expires=${expires}&signature=${signature}`,
  ]) {
    const refused = await bed.conforming('GET', altered, { key: '' })
    assert.is(refused.status, 403, altered)
    assert.is((await bed.app.inject({ method: 'HEAD', url: altered })).statusCode, 403)
  }
})

test('an expired link opens nothing', async () => {
  const { uuid } = await record()
  const sign = (expiresUnix: number) =>
    new URLSearchParams({ ...bed.repositories.recordingLinks.sign(uuid, expiresUnix) })
  assert.is((await download(`http://voice.test/recordings/files/${uuid}?${sign(Date.now() - 1000)}`)).status, 403)
  assert.is((await download(`http://voice.test/recordings/files/${uuid}?${sign(Date.now() + 1000)}`)).status, 200)
  const proof = bed.repositories.recordingLinks.sign(uuid, 1_000_500)
  const isValidAt = (unixMs: number) => bed.repositories.recordingLinks.isValid(uuid, proof, unixMs)
  assert.equal([isValidAt(1_000_499), isValidAt(1_000_500)], [true, false], 'to the millisecond')
  assert.is(bed.repositories.recordingLinks.isValid(uuid, { expires: '1000', signature: '' }, 0), false)
})

test('ttl_seconds has its bounds', async () => {
  const { uuid } = await record()
  for (const ttl of [1, 86_400]) {
    const { body } = await bed.customer('POST', '/recordings/download', { uuid, ttl_seconds: ttl })
    assert.is(body.expires_in, ttl)
    const expires = Number(new URL(body.url).searchParams.get('expires'))
    assert.ok(Math.abs(expires - Date.now() / 1000 - ttl) < 5)
  }
  for (const ttl of [0, 86_401, 1.5, '60', null]) {
    assert.is((await bed.customer('POST', '/recordings/download', { uuid, ttl_seconds: ttl })).status, 422)
  }
})

test('deleted: 410, gone from the list, reported once with the call’s own payload', async () => {
  const { uuid } = await record()
  const url = await link(uuid)
  const theirs = { key: other.key, body: { uuid } }
  assert.is((await bed.conforming('POST', '/recordings/delete', theirs)).status, 404)
  assert.is((await bed.conforming('POST', '/recordings/download', theirs)).status, 404)
  assert.is((await remove(uuid)).status, 200)
  assert.is((await remove(uuid)).status, 200)
  assert.is((await bed.customer('POST', '/recordings/download', { uuid })).status, 410)
  assert.is((await download(url)).status, 410)
  const listed = (await bed.customer('GET', '/recordings?limit=200')).body
  assert.not.ok(listed.some((row: { uuid: string }) => row.uuid === uuid))
  const reported = bed.store.events
    .after(bed.accountUuid as AccountUuid, 0, 1000)
    .filter(({ event }) => (event.data.recording as { uuid: string } | undefined)?.uuid === uuid)
  assert.equal(
    reported.map(({ event }) => [event.code, event.sid, event.customPayload]),
    [['REC.0300', call.sid, { order: 7 }]],
  )
  for (const path of ['/recordings/delete', '/recordings/download']) {
    assert.is((await bed.customer('POST', path, { uuid: unknownUuid })).status, 404)
    assert.is((await bed.customer('POST', path, {})).status, 422)
  }
})

test('past its expiry a recording is gone, although its file may wait for the purge', async () => {
  const { uuid } = await record({ expiresUnix: Date.now() - 1 })
  assert.is((await bed.customer('POST', '/recordings/download', { uuid })).status, 410)
})

test('no path leads out of the folder, no symbolic link is followed, a missing file is 404', async () => {
  for (const path of ['../outside.wav', '../../etc/passwd', 'a/../../outside.wav', '..', '']) {
    const { uuid } = await record({ path }, 'no file')
    const answer = await download(await link(uuid))
    assert.is(answer.status, 404, path)
    assert.not.match(answer.text, 'secret')
  }
  symlinkSync('../outside.wav', join(recordings, 'link.wav'))
  assert.is((await download(await link((await record({ path: 'link.wav' }, 'no file')).uuid))).status, 404)
  const missing = await record({ path: 'missing.wav' }, 'no file')
  assert.is((await download(await link(missing.uuid))).status, 404)
  const folder = await record({ path: '2026/07' }, 'no file')
  assert.is((await download(await link(folder.uuid))).status, 404)
})

test('over real HTTP: HEAD has no body, a range is sent alone, and a reader that leaves harms no other', async () => {
  const large = Buffer.alloc(4 * 1024 * 1024, 7)
  const url = pathOf(await link((await record({}, large)).uuid))
  await bed.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = bed.app.server.address() as AddressInfo
  const ask = (method: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; length: string | undefined; bytes: number }>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path: url, method, headers }, answer => {
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        answer.on('end', () => resolve({ status: answer.statusCode, length: answer.headers['content-length'], bytes }))
      })
      asked.on('error', reject).end()
    })
  const size = String(large.length)
  assert.equal(await ask('HEAD'), { status: 200, length: size, bytes: 0 })
  assert.equal(await ask('GET', { range: 'bytes=-500' }), { status: 206, length: '500', bytes: 500 })
  await new Promise<void>(resolve => {
    const leaving = get({ host: '127.0.0.1', port, path: url }, answer => {
      answer.once('data', () => leaving.destroy())
      answer.on('error', () => {})
      answer.on('close', () => resolve())
    })
  })
  assert.equal(await ask('GET'), { status: 200, length: size, bytes: large.length })
  assert.equal(
    bed.logged.filter(({ level }) => level === 'error'),
    [],
  )
})

test.after(() => bed.close())
test.run()
