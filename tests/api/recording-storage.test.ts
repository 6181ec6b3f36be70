import { randomUUID } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecordingRecord } from '../../core/model/call-record.ts'
import type { AccountUuid, CallUuid, RecordingUuid, Sid } from '../../core/model/ids.ts'
import type { ByteRange } from '../../core/ports/recording-storage.ts'
import { ApiBed } from './bed/api-bed.ts'

// Ended recordings lie in a storage of the program's: the API serves their audio through it.

const audio = Buffer.from(Array.from({ length: 1000 }, (_, at) => at & 0xff))
const asked: { readonly path: string; readonly range: ByteRange }[] = []
let answer: 'audio' | 'nothing' | 'fault' = 'audio'

const bed = await ApiBed.open(
  {},
  {
    recordingStorage: {
      put: async () => assert.unreachable('the API stores nothing'),
      async get({ path }, range) {
        asked.push({ path, range })
        if (answer === 'fault') throw new Error('the bucket is unreachable')
        if (answer === 'nothing') return undefined
        return new Blob([audio.subarray(range.first, range.last + 1)]).stream()
      },
      delete: async () => assert.unreachable('a deletion is of the row; the purge removes the audio'),
    },
  },
)
test.after(() => bed.close())

const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }
const call = (await bed.customer('POST', '/calls/originate', order)).body

async function link(fields: Partial<RecordingRecord> = {}): Promise<string> {
  const uuid = randomUUID() as RecordingUuid
  const recording: RecordingRecord = {
    uuid,
    accountUuid: bed.accountUuid as AccountUuid,
    callUuid: call.uuid as CallUuid,
    callSid: call.sid as Sid,
    path: `2026/07/${uuid}.wav`,
    durationMs: 1500,
    sizeBytes: audio.length,
    mediaFormat: 'wav',
    createdUnix: Date.now(),
    expiresUnix: null,
    ...fields,
  }
  await bed.store.calls.commit([{ type: 'recording.insert', recording }])
  const { url } = (await bed.customer('POST', '/recordings/download', { uuid })).body
  return url.slice('http://voice.test'.length)
}
const download = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  bed.conforming(method, path, { key: '', headers })

test('whole, in part, its headers alone, and not again when it is known', async () => {
  const path = await link()
  const whole = await download(path)
  assert.equal(
    [whole.status, whole.headers['content-length'], whole.headers['content-type']],
    [200, '1000', 'audio/wav'],
  )
  assert.equal(asked.at(-1)?.range, { first: 0, last: 999 })
  const part = await download(path, { range: 'bytes=10-19' })
  assert.equal([part.status, part.headers['content-range']], [206, 'bytes 10-19/1000'])
  assert.equal(asked.at(-1)?.range, { first: 10, last: 19 })
  const before = asked.length
  const head = await download(path, {}, 'HEAD')
  assert.equal([head.status, head.headers['content-length']], [200, '1000'])
  assert.is((await download(path, { 'if-none-match': String(whole.headers.etag) })).status, 304)
  assert.is((await download(path, { range: 'bytes=5000-' })).status, 416)
  assert.is(asked.length, before, 'the storage is asked for bytes only')
})

test('the storage has it not: 404; it fails: 503, and the switch lives', async () => {
  const path = await link()
  answer = 'nothing'
  assert.is((await download(path)).status, 404)
  answer = 'fault'
  const failed = await download(path, { range: 'bytes=0-9' })
  assert.equal([failed.status, failed.headers['retry-after']], [503, '5'])
  assert.is(failed.headers['content-range'], undefined)
  answer = 'audio'
  assert.is((await download(path)).status, 200)
})

test('one that has not ended is not in the storage', async () => {
  const before = asked.length
  assert.is((await download(await link({ durationMs: null, sizeBytes: null }))).status, 404)
  assert.is(asked.length, before)
})

test.run()
