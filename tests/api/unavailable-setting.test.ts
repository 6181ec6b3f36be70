import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { unavailableSetting } from '../../api/cli/unavailable-setting.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'

const none = { databaseUrl: undefined }

test('what this version does not do is named, with what to do', () => {
  assert.is(unavailableSetting(none, { SAUTI_DATA: 'data', SAUTI_NATS_URL: '', SAUTI_S3_URL: undefined }), undefined)
  const databaseUrl = 'postgres://user:secret@host/sauti'
  const sentence = unavailableSetting({ databaseUrl }, { SAUTI_DATABASE_URL: databaseUrl }) ?? ''
  assert.match(sentence, /^SAUTI_DATABASE_URL: PostgreSQL is not available yet; leave it out/)
  assert.not.match(sentence, /secret/)
  for (const name of ['SAUTI_NATS_URL', 'SAUTI_S3_URL', 'SAUTI_S3_BUCKET', 'SAUTI_S3_KEY', 'SAUTI_S3_SECRET']) {
    const found = unavailableSetting(none, { [name]: 'secret' }) ?? ''
    assert.ok(found.startsWith(`${name}: `), name)
    assert.not.match(found, /secret/)
  }
})

test('a switch does not start with storage that it would not use', async () => {
  const on = await SwitchProcess.start({ SAUTI_S3_URL: 'http://127.0.0.1:9000' }).then(
    started => started.close().then(() => 'it started'),
    (fault: Error) => fault.message,
  )
  assert.match(on, /ended with 1/)
  assert.match(on, /SAUTI_S3_URL: recordings in S3 are not available yet/)
})

test.run()
