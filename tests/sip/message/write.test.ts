import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isUsualAddress, parseNameAddr, tagOf, tagOfAddress, uriOfUsual } from '../../../sip/header/name-addr.ts'
import { formatMessage } from '../../../sip/message/format.ts'
import type { SipMessage } from '../../../sip/message/message.ts'
import { writeMessage } from '../../../sip/message/write.ts'
import { formatUri } from '../../../sip/uri/format.ts'

const values = [
  '',
  'plain',
  '"Zoë" <sip:zoe@a.test>',
  'two\r\nlines\nand\rmore',
  '大停電',
  '\u0000\u007f\u0080',
  '💬'.repeat(9),
  'x'.repeat(9000),
]

test('writeMessage writes the bytes of formatMessage, whatever a value holds and however long it is', () => {
  for (const value of values) {
    for (const body of [new Uint8Array(0), new Uint8Array([1, 2, 250]), new Uint8Array(20_000).fill(7)]) {
      const headers = [
        { name: 'Via', value: 'SIP/2.0/UDP a.test' },
        { name: 'X-Odd', value },
        { name: 'l', value: '1' },
        { name: 'Content-Length', value: '99' },
      ]
      const messages: readonly SipMessage[] = [
        { kind: 'request', method: 'INVITE', uri: `sip:${value}`, headers, body },
        { kind: 'response', status: 200, reason: value, headers, body },
      ]
      for (const message of messages) assert.equal(writeMessage(message), formatMessage(message))
    }
  }
})

test('what has been written is not written over by the next message', () => {
  const options = (uri: string): SipMessage => ({
    kind: 'request',
    method: 'OPTIONS',
    uri,
    headers: [],
    body: new Uint8Array(0),
  })
  const first = writeMessage(options('sip:first'))
  writeMessage(options('sip:second'))
  assert.is(new TextDecoder().decode(first), 'OPTIONS sip:first SIP/2.0\r\n\r\n')
})

const parts = {
  display: ['', '"Rig" ', '"a b"', '"', '"a\\"b" ', 'Rig ', ' ', '"ü" '],
  open: ['<', '', '<<'],
  uri: [
    'sip:+254700000001@127.0.0.1:5070',
    'sip:a-b.test',
    'sip:bob@b-.test',
    'sip:bob@.test',
    'sip:bob@[::1]:5060',
    'sip:bob@b.test:0',
    'sip:bob@b.test:65536',
    'sip:bob@b.test:59999',
    'sip:bob@b.test;transport=UDP;lr',
    'sip:bob@b.test?a=b',
    'sip:b%6fb@b.test',
    'sips:bob@b.test',
    'SIP:bob@b.test',
    'tel:+254700000001',
    'sip:bob@b.test;=x',
    `sip:${'a'.repeat(240)}@b.test`,
  ],
  close: ['>', '', '>>'],
  parameters: [
    '',
    ';tag=abc',
    ';Tag=abc',
    ';tag',
    ';x=1;tag=abc',
    ';tag=a;tag=b',
    ';tag="q"',
    '; tag = abc',
    ';;',
    ';tag=',
  ],
}

test('an address in the usual form is what the parser makes of it', () => {
  let usual = 0
  for (const display of parts.display)
    for (const open of parts.open)
      for (const uri of parts.uri)
        for (const close of parts.close)
          for (const parameters of parts.parameters) {
            const text = display + open + uri + close + parameters
            const parsed = parseNameAddr(text)
            assert.is(tagOfAddress(text), parsed.ok ? (tagOf(parsed.value) ?? '') : undefined, text)
            if (!isUsualAddress(text)) continue
            usual++
            assert.ok(parsed.ok && parsed.value.uri.kind === 'sip', text)
            if (parsed.ok) assert.is(uriOfUsual(text), formatUri(parsed.value.uri), text)
          }
  assert.ok(usual > 50, `${usual} of them are usual`)
})

test.run()
