import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { escapeUser, formatHostPort, formatUri, parseUri, subscriberOf } from '../../../sip/index.ts'
import { sameUri } from '../../../sip/uri/compare.ts'
import { escapeHeader, escapeParameter, unescapeUri } from '../../../sip/uri/escape.ts'
import { sipUri, uriParameterOf, userOf } from '../../../sip/uri/format.ts'
import { isIpv4, isIpv6, parseHostPort } from '../../../sip/uri/host.ts'
import type { Uri } from '../../../sip/uri/uri.ts'
import { inputs } from '../../fixtures/inputs.ts'
import { text } from '../bed/text.ts'

const uri = (from: string): Uri => {
  const parsed = parseUri(from)
  if (!parsed.ok) throw new Error(`${from}: ${parsed.reason} at ${parsed.at}`)
  return parsed.value
}

test('what is a URI comes back as it was written', () => {
  for (const from of [
    'sip:b.test',
    'sip:bob@b.test',
    'sips:bob:secret@b.test:5061;transport=tcp;lr?Subject=a%20b&Priority=urgent',
    'sip:[2001:db8::1]:5060',
    'sip:+254700000001;phone-context=evil@127.0.0.1;user=phone',
    'sip:#31#0700@b.test',
    'sip:@b.test',
    'tel:+254-700-000-001',
    'tel:7042;phone-context=example.com',
    'tel:*100#',
    'soap.beep://192.0.2.103:3002',
    'nobodyKnowsThisScheme:totallyopaquecontent',
    'urn:service:sos',
  ]) {
    assert.is(formatUri(uri(from)), from)
  }
  assert.is(formatUri(uri('SIP:b.test')), 'sip:b.test')
})

test('what is none is a fault', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['', 'bad-scheme'],
    ['bob', 'bad-scheme'],
    [':b', 'bad-scheme'],
    ['1sip:b', 'bad-scheme'],
    ['sip:a b@c.test', 'bad-scheme'],
    ['sip:"a"@c.test', 'bad-scheme'],
    ['sip:a\x00@c.test', 'bad-scheme'],
    ['sip:', 'bad-host'],
    ['sip:@', 'bad-host'],
    ['sip:a@', 'bad-host'],
    ['sip:2001:db8::10', 'bad-host'],
    ['sip:[2001:db8:::192.0.2.1]', 'bad-host'],
    ['sip:[2001:db8::10', 'bad-host'],
    ['sip:a@b.test:', 'bad-host'],
    ['sip:a@b.test:-1', 'bad-host'],
    ['sip:a@b.test:65536', 'bad-host'],
    [`sip:a@${'a'.repeat(256)}`, 'bad-host'],
    ['sip:a%4@b.test', 'bad-user'],
    ['sip:a%zz@b.test', 'bad-user'],
    ['sip:a:b:c@b.test', 'bad-user'],
    ['sip:a@b@c.test', 'bad-host'],
    ['sip:a@b.test;x=y@z', 'bad-parameter'],
    ['sip:a@b.test;', 'bad-parameter'],
    ['sip:a@b.test;;lr', 'bad-parameter'],
    ['sip:a@b.test;=1', 'bad-parameter'],
    ['sip:a@b.test?', 'bad-header'],
    ['tel:', 'bad-number'],
    ['tel:+', 'bad-number'],
    ['tel:alice', 'bad-number'],
    ['tel:1;', 'bad-parameter'],
    ['http:', 'bad-host'],
  ]
  for (const [from, reason] of rows) {
    const parsed = parseUri(from)
    assert.is(parsed.ok ? 'ok' : parsed.reason, reason, from)
  }
})

test('escapes are resolved once, as UTF-8', () => {
  assert.is(unescapeUri('%61%C3%A9%2541%'), 'aé%41%')
  assert.is(userOf(uri('sip:%2B254%20700@b.test')), '+254 700')
  assert.is(userOf(uri('tel:+254-(700).000')), '+254700000')
  assert.is(userOf(uri('urn:x')), undefined)
  assert.is(userOf(uri('sip:b.test')), undefined)
  assert.is(subscriberOf(uri('sip:+254700000111;npdi;rn=+254799@b.test;user=phone')), '+254700000111')
  assert.is(subscriberOf(uri('sip:+254-700.000(111)@b.test')), '+254700000111')
  assert.is(subscriberOf(uri('sip:alice;x=1@b.test')), 'alice;x=1')
  assert.is(subscriberOf(uri('sip:b.test')), undefined)
  const escaped = uri('sip:a@b.test;x=%3Bq;LR')
  assert.ok(escaped.kind === 'sip')
  assert.equal(
    ['x', 'lr', 'y'].map(name => uriParameterOf(escaped, name)),
    [';q', '', undefined],
  )
  assert.is(escapeUser('a@b é;+'), 'a%40b%20%C3%A9;+')
  assert.is(escapeParameter('a;b=c'), 'a%3Bb%3Dc')
  assert.is(escapeHeader('<sip:x>;a=1&'), '%3Csip:x%3E%3Ba%3D1%26')
  for (const plain of ['a@b', '%41', 'é;:', '\r\n']) assert.is(unescapeUri(escapeUser(plain)), plain)
})

test('equal by RFC 3261 §19.1.4', () => {
  const rows: readonly (readonly [boolean, string, string])[] = [
    [true, 'sip:%61lice@atlanta.com;transport=TCP', 'sip:alice@AtLanTa.CoM;Transport=tcp'],
    [true, 'sip:carol@chicago.com', 'sip:carol@chicago.com;newparam=5'],
    [true, 'sip:carol@chicago.com;newparam=5', 'sip:carol@chicago.com;security=on'],
    [
      true,
      'sip:biloxi.com;transport=tcp;method=REGISTER?to=sip:bob%40biloxi.com',
      'sip:biloxi.com;method=REGISTER;transport=tcp?to=sip:bob%40biloxi.com',
    ],
    [
      true,
      'sip:alice@atlanta.com?subject=project%20x&priority=urgent',
      'sip:alice@atlanta.com?priority=urgent&subject=project%20x',
    ],
    [false, 'SIP:ALICE@AtLanTa.CoM;Transport=udp', 'sip:alice@AtLanTa.CoM;Transport=UDP'],
    [false, 'sip:bob@biloxi.com', 'sip:bob@biloxi.com:5060'],
    [false, 'sip:bob@biloxi.com', 'sip:bob@biloxi.com;transport=udp'],
    [false, 'sip:bob@biloxi.com', 'sip:bob@biloxi.com:6000;transport=tcp'],
    [false, 'sip:carol@chicago.com', 'sip:carol@chicago.com?Subject=next%20meeting'],
    [false, 'sip:bob@phone21.boxesbybob.com', 'sip:bob@192.0.2.4'],
    [false, 'sip:carol@chicago.com;security=on', 'sip:carol@chicago.com;security=off'],
    [false, 'sip:a@b.test', 'sips:a@b.test'],
    [false, 'sip:a@b.test', 'sip:a:p@b.test'],
    [false, 'sip:a@b.test', 'sip:b.test'],
    [false, 'sip:a%3Bb@c.test', 'sip:a;b@c.test'],
    [true, 'sip:a%3bb@c.test', 'sip:a%3Bb@c.test'],
    [false, 'sip:a@b.test;maddr=192.0.2.1', 'sip:a@b.test'],
    [true, 'tel:+254-700', 'tel:+254700'],
    [false, 'tel:7042;phone-context=a', 'tel:7042;phone-context=b'],
    [false, 'tel:+254700', 'sip:+254700@b.test'],
    [true, 'URN:a', 'urn:a'],
    [false, 'urn:a', 'urn:A'],
  ]
  for (const [expected, a, b] of rows) {
    assert.is(sameUri(uri(a), uri(b)), expected, `${a} ${b}`)
    assert.is(sameUri(uri(b), uri(a)), expected, `${b} ${a}`)
  }
})

test('addresses and hosts', () => {
  for (const address of ['0.0.0.0', '255.255.255.255', '192.0.2.1']) assert.ok(isIpv4(address), address)
  for (const address of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '1.2.3.', '1.2.3.4 '])
    assert.not(isIpv4(address), address)
  for (const address of [
    '::',
    '::1',
    '1::',
    'a:b:c:d:e:f:0:1',
    '::ffff:192.0.2.1',
    '1:2:3:4:5:6:192.0.2.1',
    '2001:DB8::1',
  ]) {
    assert.ok(isIpv6(address), address)
  }
  for (const address of [
    '',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '12345::',
    'g::',
    '::192.0.2.1:1',
    '::1%eth0',
    '192.0.2.1',
  ]) {
    assert.not(isIpv6(address), address)
  }
  assert.equal(parseHostPort('a_b.test:1'), { host: 'a_b.test', port: 1 })
  for (const from of ['', ':1', '-a', 'a-', 'a b', 'é.test', 'a:0', 'a:1:2', '[::1]x', '[a]'])
    assert.is(parseHostPort(from), undefined, from)
  assert.is(formatHostPort('::1', 5060), '[::1]:5060')
})

test('built from parts', () => {
  assert.is(formatUri(sipUri('b.test')), 'sip:b.test')
  const parameters = [{ name: 'lr', value: undefined }]
  assert.is(formatUri(sipUri('::1', { user: 'a', port: 5070, parameters })), 'sip:a@[::1]:5070;lr')
})

test('URI seeds: a URI or a fault, and what parses comes back', () => {
  for (const { bytes } of inputs('uri-seeds')) {
    for (const line of text(bytes).split(/\r?\n/)) {
      const parsed = parseUri(line)
      if (parsed.ok) assert.equal(uri(formatUri(parsed.value)), parsed.value)
    }
  }
})

test.run()
