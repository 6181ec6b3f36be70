import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Parsed } from '../../../sip/base/parsed.ts'
import { splitList } from '../../../sip/grammar/comma-list.ts'
import { parameterOf, withoutParameter, withParameter } from '../../../sip/grammar/parameters.ts'
import { quote, unquote } from '../../../sip/grammar/quoted-string.ts'
import { isToken } from '../../../sip/grammar/token.ts'
import { acceptsType } from '../../../sip/header/accept.ts'
import { parseAssertedIdentity } from '../../../sip/header/asserted-identity.ts'
import { formatAuthentication, parseAuthentication } from '../../../sip/header/authentication.ts'
import { parseCallId } from '../../../sip/header/call-id.ts'
import { contactExpiresOf, contactPreferenceOf, formatContact, parseContact } from '../../../sip/header/contact.ts'
import { parseContentLength } from '../../../sip/header/content-length.ts'
import { formatMediaType, parseMediaType } from '../../../sip/header/content-type.ts'
import { formatCSeq, parseCSeq } from '../../../sip/header/cseq.ts'
import { formatDate, parseDate } from '../../../sip/header/date.ts'
import { parseExpires } from '../../../sip/header/expires.ts'
import { parseMaxForwards } from '../../../sip/header/max-forwards.ts'
import { formatNameAddr, parseNameAddr, tagOf, withTag } from '../../../sip/header/name-addr.ts'
import { formatRAck, parseRAck } from '../../../sip/header/rack.ts'
import { formatReason, parseReason, q850CauseOf } from '../../../sip/header/reason.ts'
import { parseRetryAfter } from '../../../sip/header/retry-after.ts'
import { isLooseRoute, parseRoute } from '../../../sip/header/route.ts'
import { parseRSeq } from '../../../sip/header/rseq.ts'
import { formatSessionExpires, parseMinSe, parseSessionExpires } from '../../../sip/header/session-expires.ts'
import { formatTokens, includesToken, parseTokens } from '../../../sip/header/token-list.ts'
import { branchOf, formatVia, parseVia, receivedOf, rportOf, withSource } from '../../../sip/header/via.ts'

const ok = <T>(result: Parsed<T>): T => {
  if (!result.ok) throw new Error(`${result.reason} at ${result.at}`)
  return result.value
}
const reason = (result: Parsed<unknown>): string => (result.ok ? 'ok' : result.reason)

test('Via: sent-by with and without port, IPv6, white space, parameters', () => {
  const rows: readonly (readonly [string, string, number | undefined, string])[] = [
    ['SIP/2.0/UDP a.test', 'a.test', undefined, 'UDP'],
    ['SIP/2.0/TCP a.test:5061;branch=z9hG4bK1', 'a.test', 5061, 'TCP'],
    ['SIP / 2.0 / tls  192.0.2.1 : 5060 ; branch = z9hG4bK1', '192.0.2.1', 5060, 'tls'],
    ['SIP/2.0/UDP [2001:db8::1]:5060;branch=z9hG4bK1', '2001:db8::1', 5060, 'UDP'],
    ['SIP/2.0/WSS abc_1.invalid;branch=z9hG4bK1;rport', 'abc_1.invalid', undefined, 'WSS'],
  ]
  for (const [text, host, port, transport] of rows) {
    const via = ok(parseVia(text))
    assert.equal([via.host, via.port, via.transport], [host, port, transport], text)
    assert.equal(ok(parseVia(formatVia(via))), via)
  }
  for (const text of [
    '',
    'SIP/2.0/UDP',
    'SIP/3.0/UDP a',
    'SIP/2.0/UDP a:0',
    'SIP/2.0/UDP a:65536',
    'SIP/2.0/UDP 2001:db8::1',
    'SIP/2.0/UDP a;;branch=1',
    'SIP/2.0/UDP a;branch=',
    'SIP/2.0/UDP a;"x"',
    'HTTP/2.0/UDP a',
    'SIP/2.0/UDP a b',
    'SIP/2.0/UDP [::1',
  ]) {
    assert.not(parseVia(text).ok, text)
  }
})

test('Via: received and rport are noted as RFC 3581 §4 says', () => {
  const note = (text: string) => formatVia(withSource(ok(parseVia(text)), '192.0.2.9', 6000))
  assert.is(note('SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bK1'), 'SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bK1')
  assert.is(note('SIP/2.0/UDP a.test;branch=z9hG4bK1'), 'SIP/2.0/UDP a.test;branch=z9hG4bK1;received=192.0.2.9')
  assert.is(
    note('SIP/2.0/UDP 192.0.2.9;rport;branch=z9hG4bK1'),
    'SIP/2.0/UDP 192.0.2.9;rport=6000;branch=z9hG4bK1;received=192.0.2.9',
  )
  assert.is(note('SIP/2.0/UDP a;received=10.0.0.1;RPORT=1'), 'SIP/2.0/UDP a;received=192.0.2.9;rport=6000')
  const via = ok(parseVia('SIP/2.0/UDP a;received=[2001:db8::1];rport;branch=x'))
  assert.equal([receivedOf(via), rportOf(via), branchOf(via)], ['2001:db8::1', 'asked', 'x'])
  assert.is(rportOf(ok(parseVia('SIP/2.0/UDP a;rport=99999'))), undefined)
})

test('name-addr: display names quoted, bare and missing; whose the parameters are', () => {
  const rows: readonly (readonly [string, string, string | undefined, number])[] = [
    ['<sip:a@b.test>;tag=1', '', '1', 0],
    ['sip:a@b.test;tag=1', '', '1', 0],
    ['Alice  B <sip:a@b.test;x=1>;tag=1', 'Alice B', '1', 1],
    ['"Al\\"ice, \\\\ <x>;" <sip:a@b.test>', 'Al"ice, \\ <x>;', undefined, 0],
    ['Zoë (office) @home <sip:a@b.test> ; Tag = 1', 'Zoë (office) @home', '1', 0],
    ['""<sip:a@b.test>', '', undefined, 0],
    ['caller<sip:a@b.test>;x="<;>";tag=1', 'caller', '1', 0],
  ]
  for (const [text, name, tag, uriParameters] of rows) {
    const address = ok(parseNameAddr(text))
    assert.equal([address.displayName, tagOf(address)], [name, tag], text)
    assert.ok(address.uri.kind === 'sip' && address.uri.parameters.length === uriParameters, text)
    assert.equal(ok(parseNameAddr(formatNameAddr(address))), address)
  }
  for (const text of [
    '',
    '"a <sip:a@b>',
    '"a" sip:a@b',
    'a, b <sip:a@b.test>',
    'sip:x@y <sip:a@b.test>',
    '<sip:a@b.test',
    '<sip:a@b.test>x',
    '< sip:a@b.test >',
    '<>',
    '<sip:a@b.test>;',
    '<sip:a@b.test>;;tag=1',
    'a',
  ]) {
    assert.not(parseNameAddr(text).ok, text)
  }
  assert.is(formatNameAddr(withTag(ok(parseNameAddr('<sip:a@b.test>;tag=1')), '2')), '<sip:a@b.test>;tag=2')
})

test('Contact: star, expires, q', () => {
  assert.is(ok(parseContact(' * ')), '*')
  assert.is(formatContact('*'), '*')
  const rows: readonly (readonly [string, number | undefined, number])[] = [
    ['<sip:a@b.test>', undefined, 1],
    ['<sip:a@b.test>;expires=3600;q=0.5', 3600, 0.5],
    ['<sip:a@b.test>;expires="60";q=.5', 60, 1],
    ['<sip:a@b.test>;expires=280297596632815;q=1.000', 0xffff_ffff, 1],
    ['<sip:a@b.test>;expires=soon;q=2', undefined, 1],
  ]
  for (const [text, expires, q] of rows) {
    const contact = ok(parseContact(text))
    if (contact === '*') throw new Error('star')
    assert.equal([contactExpiresOf(contact), contactPreferenceOf(contact)], [expires, q], text)
  }
})

test('Route: loose or strict', () => {
  assert.ok(isLooseRoute(ok(parseRoute('<sip:p.test;lr>'))))
  assert.ok(isLooseRoute(ok(parseRoute('<sip:p.test;LR=on>'))))
  assert.not(isLooseRoute(ok(parseRoute('<sip:p.test>;lr'))))
})

test('CSeq, Call-ID, Max-Forwards, Expires, Content-Length, RSeq', () => {
  assert.equal(ok(parseCSeq('0009  INVITE')), { sequence: 9, method: 'INVITE' })
  assert.is(formatCSeq({ sequence: 1, method: 'BYE' }), '1 BYE')
  assert.is(ok(parseCSeq('4294967295 A')).sequence, 4294967295)
  assert.is(reason(parseCSeq('4294967296 A')), 'cseq-overflow')
  for (const text of ['', '1', 'A', '1 A B', '-1 A', '1.5 A', '1 A('])
    assert.is(reason(parseCSeq(text)), 'bad-cseq', text)
  assert.is(ok(parseCallId('a@b')), 'a@b')
  for (const text of ['', 'a b', 'a\x00']) assert.is(reason(parseCallId(text)), 'bad-call-id')
  assert.equal([ok(parseMaxForwards('0')), ok(parseMaxForwards('070')), ok(parseMaxForwards('1000'))], [0, 70, 255])
  assert.is(reason(parseMaxForwards('-1')), 'bad-max-forwards')
  assert.equal([ok(parseExpires('0')), ok(parseExpires('9'.repeat(100)))], [0, 0xffff_ffff])
  assert.is(reason(parseExpires('1h')), 'bad-expires')
  assert.is(ok(parseContentLength('0150')), 150)
  for (const text of ['', '-1', '+1', '1 1', '0x1', '9'.repeat(20)]) assert.not(parseContentLength(text).ok, text)
  assert.is(ok(parseRSeq('1')), 1)
  for (const text of ['0', '', '4294967296']) assert.not(parseRSeq(text).ok, text)
  assert.equal(ok(parseRAck('776656 1 INVITE')), { rseq: 776656, sequence: 1, method: 'INVITE' })
  assert.is(formatRAck({ rseq: 1, sequence: 2, method: 'INVITE' }), '1 2 INVITE')
  for (const text of ['', '1 INVITE', '1 2 3 4', 'a 1 INVITE']) assert.not(parseRAck(text).ok, text)
})

test('media types and Accept', () => {
  const type = ok(parseMediaType('Multipart/Mixed ; boundary="a b"'))
  assert.equal([type.type, type.subtype, parameterOf(type.parameters, 'boundary')], ['multipart', 'mixed', 'a b'])
  assert.is(formatMediaType(type), 'multipart/mixed;boundary="a b"')
  for (const text of ['', 'text', 'text/', '/plain', 'text/plain;', 'multipart/mixed;`boundary']) {
    assert.is(parseMediaType(text).ok, text.includes('`'), text)
  }
  const rows: readonly (readonly [readonly string[] | undefined, boolean])[] = [
    [undefined, true],
    [[], false],
    [['text/plain'], false],
    [['application/SDP;level=1'], true],
    [['text/plain', 'application/*'], true],
    [['*/*;q=0.1'], true],
    [['text/nobodyKnowsThis'], false],
  ]
  for (const [values, expected] of rows) assert.is(acceptsType(values, 'application/sdp'), expected)
})

test('option tags', () => {
  const tags = parseTokens(['100rel, timer', ' Replaces ,,', 'no good', ''])
  assert.equal(tags, ['100rel', 'timer', 'Replaces'])
  assert.ok(includesToken(tags, 'replaces') && !includesToken(tags, 'path'))
  assert.is(formatTokens(tags), '100rel, timer, Replaces')
})

test('Reason: Q.850 wins wherever it stands', () => {
  const sip = ok(parseReason('SIP ;cause=200 ;text="Call completed, elsewhere"'))
  assert.equal([sip.protocol, sip.cause, sip.text], ['SIP', 200, 'Call completed, elsewhere'])
  assert.is(q850CauseOf(['SIP;cause=486', 'q.850;cause=17;text="User busy"']), 17)
  assert.is(q850CauseOf(['Q.850;cause=much', ';;', 'SIP;cause=1']), undefined)
  assert.is(formatReason({ protocol: 'Q.850', cause: 16, text: 'a "b"' }), 'Q.850;cause=16;text="a \\"b\\""')
})

test('Retry-After, Session-Expires, Min-SE, Date', () => {
  for (const text of ['18000;duration=3600', '120 (I am in a meeting)', ' 5 '])
    assert.ok(parseRetryAfter(text).ok, text)
  assert.not(parseRetryAfter('soon').ok)
  assert.equal(ok(parseSessionExpires('1800;refresher=UAC')), { seconds: 1800, refresher: 'uac' })
  assert.equal(ok(parseSessionExpires('90 ; x=1')), { seconds: 90, refresher: undefined })
  assert.is(formatSessionExpires({ seconds: 90, refresher: 'uas' }), '90;refresher=uas')
  assert.not(parseSessionExpires('x').ok)
  assert.is(ok(parseMinSe('90;lr')), 90)
  const unix = Date.UTC(2010, 10, 13, 23, 29, 0)
  assert.is(parseDate('Sat, 13 Nov 2010 23:29:00 GMT'), unix)
  assert.is(parseDate('13 nov 2010 23:29:00'), unix)
  assert.is(parseDate(formatDate(unix)), unix)
  for (const text of ['', 'today', 'Fri, 01 Jan 2010 16:00:00 EST', 'Fri, 01 anf 2010 16:00:00 GMT'])
    assert.is(parseDate(text), undefined)
})

test('P-Asserted-Identity: one or two', () => {
  assert.is(ok(parseAssertedIdentity(['"A" <sip:a@b.test>', 'tel:+254700000001'])).length, 2)
  assert.is(reason(parseAssertedIdentity(Array(3).fill('<sip:a@b.test>'))), 'too-many-identities')
})

test('authentication: parameters, one token, and what attackers send (CVE-2023-28098)', () => {
  const digest = ok(parseAuthentication('Digest  username="a\\"b" ,realm = "r", ,qop=auth,nc=00000001'))
  assert.equal(
    digest.parameters.map(({ name, value }) => `${name}=${value}`),
    ['username="a\\"b"', 'realm="r"', 'qop=auth', 'nc=00000001'],
  )
  assert.equal(ok(parseAuthentication(formatAuthentication(digest))), digest)
  const bearer = ok(parseAuthentication('Bearer eyJhbGciOi.J9-_~+/.x=='))
  assert.equal([bearer.scheme, bearer.token], ['Bearer', 'eyJhbGciOi.J9-_~+/.x=='])
  assert.is(formatAuthentication(bearer), 'Bearer eyJhbGciOi.J9-_~+/.x==')
  for (const text of [
    '',
    ',',
    'Digest a="b',
    'Digest a="b" c="d"',
    'Digest =x',
    'Digest a b=c',
    `Digest ${'a="b",'.repeat(2000)}`,
  ]) {
    assert.not(parseAuthentication(text).ok, text.slice(0, 30))
  }
  for (const text of ['Digest', 'Digest ', 'Digest ,,,,']) assert.equal(ok(parseAuthentication(text)).parameters, [])
})

test('parameters, quotes, tokens, lists', () => {
  const parameters = [
    { name: 'A', value: '1' },
    { name: 'b', value: undefined },
  ]
  assert.equal(withParameter(parameters, 'a', '2'), [{ name: 'a', value: '2' }, parameters[1]])
  assert.equal(withParameter(parameters, 'c', undefined).length, 3)
  assert.equal(withoutParameter(parameters, 'B'), [parameters[0]])
  assert.equal(
    [parameterOf(parameters, 'a'), parameterOf(parameters, 'b'), parameterOf(parameters, 'c')],
    ['1', '', undefined],
  )
  assert.is(unquote(quote('a"b\\c\r\nd')), 'a"b\\c d')
  assert.ok(isToken("a-.!%*_+`'~Z9") && !isToken('') && !isToken('é') && !isToken('a b'))
  assert.equal(splitList(' a, "b,c" ,<d,e>,,f "g'), ['a', '"b,c"', '<d,e>', 'f "g'])
})

test.run()
