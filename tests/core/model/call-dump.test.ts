import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { withoutPassword, withoutSecrets } from '../../../core/model/call-dump.ts'

test('a URL in a dump has no user, password, query or token', () => {
  for (const [url, shown] of [
    ['https://shamba.example/voice', 'https://shamba.example/voice'],
    ['https://me:secret@shamba.example:8443/voice?token=secret#x', 'https://shamba.example:8443/voice?…'],
    ['http://127.0.0.1:8080/hosted/EFDYJWypQoFrvKNWPoY737FUBHeHjiob', 'http://127.0.0.1:8080/hosted/EFDY…'],
    ['', ''],
  ] as const)
    assert.is(withoutSecrets(url), shown)
})

test('a SIP URI in a dump has no password', () => {
  assert.is(withoutPassword('sip:me:secret@host;lr'), 'sip:me:…@host;lr')
  assert.is(withoutPassword('<sips:me:secret@host>'), '<sips:me:…@host>')
  assert.is(withoutPassword('sip:me@host:5060'), 'sip:me@host:5060')
  assert.is(withoutPassword('+254700000101'), '+254700000101')
})

test.run()
