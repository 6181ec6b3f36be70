import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../core/adapters/store/check.ts'
import type { AccountUuid, CallUuid, RecordingUuid, Sid } from '../../core/model/ids.ts'
import { defaultSettings } from '../../core/model/settings.ts'
import { wavOf } from '../rig/probes/tone.ts'
import { ApiBed } from './bed/api-bed.ts'
import { StreamReader } from './bed/stream-reader.ts'

// "Quotas of an account" (docs/errors.md): settings, per account, 409 with a sentence, ACCT.0100 at 80 %.
const bed = await ApiBed.open({ quotas: { ...defaultSettings.quotas, documents: 5 } })
await bed.app.listen({ host: '127.0.0.1', port: 0 })
const account = bed.accountUuid as AccountUuid
const path = `/operator/accounts/${account}`
const state = async () => (await bed.operator('GET', path)).body
const allow = async (fields: object) => (await bed.operator('PATCH', path, fields)).body
const notices = () =>
  bed.store.events
    .after(account, 0, 1000)
    .filter(({ event }) => event.code === 'ACCT.0100')
    .map(({ event }) => [event.data.quota, event.data.used, event.data.limit])
const document = () => bed.customer('POST', '/documents/', { name: 'd', body: '<Response/>' })

test('documents: the setting is the default, the sentence names the quota, deleting makes room', async () => {
  for (let made = 0; made < 5; made++) assert.is((await document()).status, 201)
  const refused = await document()
  assert.is(refused.status, 409)
  assert.match(refused.body.detail, /at most 5 hosted documents \(quota max_documents\)/)
  assert.equal(notices(), [['documents', 4, 5]])
  const { body } = await bed.customer('GET', '/documents/')
  assert.is((await bed.customer('DELETE', `/documents/${body.documents[0].uuid}`)).status, 200)
  assert.is((await state()).usage.documents, 4)
  assert.is((await document()).status, 201)
  assert.is(notices().length, 1, 'an account that goes back and forth is notified once an hour')
})

test('the operator raises and lowers it for an account, and null is the setting again', async () => {
  assert.is((await state()).max_documents, 5)
  assert.is((await allow({ max_documents: 6 })).max_documents, 6)
  assert.is((await document()).status, 201)
  assert.is((await allow({ max_documents: 0 })).max_documents, 0)
  assert.is((await document()).status, 409)
  const changed = await bed.customer('GET', '/documents/')
  assert.is(changed.body.total, 6, 'what is there stays')
  assert.is((await allow({ max_documents: null })).max_documents, 5)
  assert.is((await bed.operator('PATCH', path, { max_documents: -1 })).status, 422)
  assert.is((await bed.operator('PATCH', path, { max_documents: '7' })).status, 422)
  const made = await bed.operator('POST', '/operator/accounts', { name: 'Small', max_end_users: 0 })
  const { key } = made.body
  assert.is((await bed.conforming('POST', '/users/create', { key, body: { email: 'a@b.example' } })).status, 409)
})

test('end-users and live tokens', async () => {
  await allow({ max_end_users: 2, max_live_tokens: 2 })
  const user = (await bed.customer('POST', '/users/create', { email: 'a@example.com' })).body
  await bed.customer('POST', '/users/create', { email: 'b@example.com' })
  const refused = await bed.customer('POST', '/users/create', { email: 'c@example.com' })
  assert.equal([refused.status, /end-users \(quota max_end_users\)/.test(refused.body.detail)], [409, true])
  const duplicate = await bed.customer('POST', '/users/create', { email: 'a@example.com' })
  assert.match(duplicate.body.detail, /already has an end-user/)
  const mint = () => bed.customer('POST', '/phone-tokens/mint', { uuid: user.uuid })
  const first = (await mint()).body.phone_token.uuid
  assert.is((await mint()).status, 200)
  const full = await mint()
  assert.equal([full.status, /phone tokens.*max_live_tokens/.test(full.body.detail)], [409, true])
  await bed.customer('POST', '/phone-tokens/revoke', { uuid: first })
  assert.is((await state()).usage.live_tokens, 1)
  assert.is((await mint()).status, 200)
  await bed.customer('POST', '/users/delete', { uuid: user.uuid })
  const { usage } = await state()
  assert.equal([usage.end_users, usage.live_tokens], [1, 0])
})

test('assets: by their bytes; replacing counts the difference; many at once do not pass together', async () => {
  const audio = Buffer.from(wavOf(new Int16Array(800)))
  const size = audio.length
  const put = (slug: string) =>
    bed.conforming('PUT', `/assets/${slug}`, { raw: audio, headers: { 'content-type': 'audio/wav' } })
  await allow({ max_asset_bytes: 3 * size + 10 })
  const statuses = (await Promise.all(['a', 'b', 'c', 'd', 'e'].map(put))).map(({ status }) => status)
  assert.is(statuses.filter(status => status === 201).length, 3)
  assert.is(statuses.filter(status => status === 409).length, 2)
  assert.is((await state()).usage.asset_bytes, 3 * size)
  const there = (await bed.customer('GET', '/assets/')).body.assets[0].slug
  assert.is((await put(there)).status, 201, 'in the place of itself')
  assert.match((await put('f')).body.detail, /bytes of assets \(quota max_asset_bytes\)/)
  assert.is((await bed.customer('GET', '/assets/f')).status, 404)
  await bed.customer('DELETE', `/assets/${there}`)
  assert.is((await put('f')).status, 201)
})

test('recordings: counted when their size is known, reported at 80 %, free when the file is gone', async () => {
  await allow({ max_recording_bytes: 1000 })
  const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }
  const call = (await bed.customer('POST', '/calls/originate', order)).body
  const record = async (uuid: string, sizeBytes: number) => {
    const recording = {
      uuid: uuid as RecordingUuid,
      accountUuid: account,
      callUuid: call.uuid as CallUuid,
      callSid: call.sid as Sid,
      path: `2026/07/${uuid}.wav`,
      durationMs: null,
      sizeBytes: null,
      mediaFormat: 'wav' as const,
      createdUnix: Date.now(),
      expiresUnix: null,
    }
    await bed.store.calls.commit([{ type: 'recording.insert', recording }])
    await bed.store.calls.commit([
      {
        type: 'recording.update',
        uuid,
        accountUuid: bed.accountUuid as AccountUuid,
        set: { durationMs: 5, sizeBytes },
      },
    ])
  }
  await record('one', 700)
  assert.is((await state()).usage.recording_bytes, 700)
  await record('two', 150)
  assert.equal(notices().at(-1), ['recording_bytes', 850, 1000])
  assert.is((await bed.store.calls.account(account))?.recordingBytes, 850)
  // The account needs the room: the file goes at once, not after seven days.
  await bed.customer('POST', '/recordings/delete', { uuid: 'one' })
  assert.equal(
    (await bed.repositories.recordings.due(Date.now(), 10)).map(({ uuid }) => uuid),
    ['one'],
  )
  await bed.repositories.recordings.purged('one', Date.now())
  assert.is((await state()).usage.recording_bytes, 150)
  await bed.customer('POST', '/recordings/delete', { uuid: 'two' })
  assert.equal(bed.repositories.recordings.due(Date.now(), 10), [])
})

test('streams: 409 at the upgrade beyond the quota, and what is open is shown', async () => {
  await allow({ max_stream_connections: 2 })
  const { port } = bed.app.server.address() as AddressInfo
  const { token } = (await bed.customer('POST', '/stream/token')).body
  const url = `ws://127.0.0.1:${port}/stream?token=${token}`
  const readers = [await StreamReader.open(url), await StreamReader.open(url)]
  const refused = await StreamReader.refusal(url)
  assert.equal([refused.status, /max_stream_connections/.test(JSON.stringify(refused))], [409, true])
  assert.is((await state()).usage.stream_connections, 2)
  for (const reader of readers) reader.close()
})

test('the books say the same', () => {
  assert.equal(checkBooks(bed.store.database), [])
})

test.after(() => bed.close())

test.run()
