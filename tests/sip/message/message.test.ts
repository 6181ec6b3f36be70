import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatMessage, headerOf, headersOf, parseMessage, type SipMessage } from '../../../sip/index.ts'
import {
  countOf,
  withBody,
  withHeader,
  withHeaderAdded,
  withHeaderOnTop,
  withHeaders,
  withoutHeader,
} from '../../../sip/message/headers.ts'
import { messageLimits } from '../../../sip/message/limits.ts'
import { validateRequest, validateResponse } from '../../../sip/message/validate.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { bytes, options, parsed, parsedRequest, text, wire } from '../bed/text.ts'

const reasonOf = (data: string): string => {
  const result = parseMessage(bytes(data))
  return result.ok ? 'ok' : result.reason
}

test('a request and a response, header fields in their order, bodies as bytes', () => {
  const request = parsedRequest(
    `${wire(
      'MESSAGE sip:b@b.test SIP/2.0',
      'X-Odd: 1',
      'Via: SIP/2.0/UDP a.test;branch=z9hG4bK1',
      'x-odd: 2',
      'Content-Length: 4',
      '',
    )}a\u00e9b`,
  )
  assert.is(request.method, 'MESSAGE')
  assert.equal(
    request.headers.map(header => header.name),
    ['X-Odd', 'Via', 'x-odd', 'Content-Length'],
  )
  assert.equal([...request.body], [0x61, 0xc3, 0xa9, 0x62])
  const response = parsed(wire('sip/2.0 183 Session Progress', 'Content-Length: 0', ''))
  assert.equal(response.kind === 'response' && [response.status, response.reason], [183, 'Session Progress'])
})

test('LF alone ends lines as well; line ends before the message are let pass (RFC 3261 §7.5)', () => {
  const lines = `\r\n\n${options.replaceAll('\r\n', '\n')}`
  assert.equal(parsed(lines), parsed(options))
})

test('compact forms and any case name the same header', () => {
  const forms: Readonly<Record<string, string>> = {
    Via: 'v',
    From: 'f',
    To: 't',
    'Call-ID': 'i',
    Contact: 'm',
    'Content-Length': 'l',
    'Content-Type': 'c',
    'Content-Encoding': 'e',
    Subject: 's',
    Supported: 'k',
    'Session-Expires': 'x',
    'Refer-To': 'r',
    'Referred-By': 'b',
    'Allow-Events': 'u',
    Event: 'o',
  }
  for (const [long, compact] of Object.entries(forms)) {
    for (const written of [long, compact, long.toUpperCase(), compact.toUpperCase(), long.toLowerCase()]) {
      const message: SipMessage = { ...parsed(options), headers: [{ name: written, value: 'x' }] }
      assert.is(headerOf(message, long), 'x', `${written} for ${long}`)
      assert.is(headerOf(message, compact), 'x', `${written} for ${compact}`)
      assert.is(headerOf(message, 'Via') === 'x', long === 'Via')
    }
  }
})

test('a list splits at its commas, not at those inside quotes or brackets; other headers never split', () => {
  const message: SipMessage = {
    ...parsed(options),
    headers: [
      { name: 'Contact', value: '"Doe, \\"J, R" <sip:a,b@c.test>;x="1,2" , <sip:d@e.test;y=1>,, ' },
      { name: 'm', value: '<sip:f@g.test>' },
      { name: 'Subject', value: 'one, two' },
      { name: 'WWW-Authenticate', value: 'Digest realm="a", nonce="b"' },
      { name: 'Supported', value: '' },
    ],
  }
  assert.equal(headersOf(message, 'Contact'), [
    '"Doe, \\"J, R" <sip:a,b@c.test>;x="1,2"',
    '<sip:d@e.test;y=1>',
    '<sip:f@g.test>',
  ])
  assert.equal(headersOf(message, 'Subject'), ['one, two'])
  assert.equal(headersOf(message, 'WWW-Authenticate'), ['Digest realm="a", nonce="b"'])
  assert.equal(headersOf(message, 'Supported'), [])
  assert.equal(headersOf(message, 'Require'), [])
  assert.is(countOf(message, 'Contact'), 2)
})

test('folded lines become one, wherever the fold is (RFC 3261 §7.3.1)', () => {
  const message = parsed(
    wire('OPTIONS sip:b@b.test SIP/2.0', 'Subject:', '\tone', '  two  ', ' ', ' three', 'To : <sip:b@b.test>', ''),
  )
  assert.is(headerOf(message, 'Subject'), 'one two  three')
  assert.is(headerOf(message, 'To'), '<sip:b@b.test>')
})

test('what is no message is a fault, with its place and what may be answered', () => {
  const rest = options.slice(options.indexOf('\r\n') + 2)
  const rows: readonly (readonly [string, string, number | undefined])[] = [
    ['', 'empty', undefined],
    ['\r\n\r\n', 'empty', undefined],
    ['GET / HTTP/1.1\r\n\r\n', 'bad-start-line', undefined],
    [`OPTIONS  sip:b@b.test SIP/2.0\r\n${rest}`, 'bad-start-line', 400],
    [`OPTIONS sip:b b@b.test SIP/2.0\r\n${rest}`, 'bad-start-line', 400],
    [`OPTIONS SIP/2.0\r\n${rest}`, 'bad-start-line', 400],
    [`OPT(IONS sip:b@b.test SIP/2.0\r\n${rest}`, 'bad-start-line', undefined],
    [`OPTIONS sip:b@b.test SIP/3.0\r\n${rest}`, 'bad-version', 505],
    [`OPTIONS sip:b@b.test SIP/2.00\r\n${rest}`, 'bad-version', 505],
    [`SIP/3.0 200 OK\r\n${rest}`, 'bad-version', undefined],
    [`SIP/2.0 99 No\r\n${rest}`, 'bad-start-line', undefined],
    [`SIP/2.0 700 No\r\n${rest}`, 'bad-start-line', undefined],
    [`SIP/2.0 2000 No\r\n${rest}`, 'bad-start-line', undefined],
    [` ${options}`, 'bad-start-line', undefined],
    [options.replace('Via', ' X: 1\r\nVia'), 'bad-header', 400],
    [options.replace('To:', 'T o:'), 'bad-header', 400],
    [options.replace('To:', 'To'), 'bad-header', 400],
    [options.replace('To:', ':'), 'bad-header', 400],
    [options.replace('Call-ID:', '\ufeffCall-ID:'), 'bad-header', 400],
    [options.replace('tag=1', 'tag=1\rX-Evil: 1'), 'bad-header', 400],
    [options.replace('Length: 0', 'Length: -1'), 'bad-content-length', 400],
    [options.replace('Length: 0', 'Length: 1 2'), 'bad-content-length', 400],
    [options.replace('Length: 0', 'Length: 99999999999999999999'), 'body-too-short', 400],
    [options.replace('Length: 0', 'Length: 0\r\nl: 0'), 'bad-content-length', 400],
    [options.replace('Length: 0', 'Length: 1'), 'body-too-short', 400],
    [options.slice(0, -4), 'head-unfinished', 400],
  ]
  for (const [data, reason, status] of rows) {
    const result = parseMessage(bytes(data))
    assert.not(result.ok, JSON.stringify(data))
    if (result.ok) continue
    assert.equal([result.reason, result.status], [reason, status], JSON.stringify(data))
    if (status !== undefined && data.includes('Via')) assert.ok(result.partial && headerOf(result.partial, 'Via'))
  }
})

test('limits: the head, the number of header fields', () => {
  const many = (count: number) => options.replace('Max-Forwards: 70\r\n', 'A: b\r\n'.repeat(count))
  assert.is(reasonOf(many(messageLimits.headers - 6)), 'ok')
  assert.is(reasonOf(many(messageLimits.headers)), 'too-many-headers')
  assert.is(reasonOf(options.replace('To:', `A: ${'x'.repeat(messageLimits.bytes)}\r\nTo:`)), 'message-too-large')
  const sized = (length: number) => `${options.replace('Length: 0', `Length: ${length}`)}${'x'.repeat(length)}`
  const longest = messageLimits.bytes - sized(10_000).length + 10_000
  assert.is(bytes(sized(longest)).length, messageLimits.bytes)
  assert.is(reasonOf(sized(longest)), 'ok')
  assert.is(reasonOf(sized(longest + 1)), 'message-too-large')
})

test('bytes beyond Content-Length are cut; without one the body is the rest (RFC 3261 §18.3)', () => {
  assert.is(text(parsed(`${options.replace('Length: 0', 'Length: 2')}hello\r\n`).body), 'he')
  assert.is(text(parsed(`${options.replace('Content-Length: 0\r\n', '')}hello`).body), 'hello')
  assert.is(parsed(`${options}\r\n\r\n`).body.length, 0)
  assert.is(text(parsed(`${options.replace('Length: 0', 'Length: 2')}hi\r\n`).body), 'hi')
})

test('validateRequest: every verdict', () => {
  const invite = options
    .replaceAll('OPTIONS', 'INVITE')
    .replace('Content-Length', 'Contact: <sip:alice@192.0.2.1>\r\nContent-Length')
  const rows: readonly (readonly [string, string])[] = [
    [options, 'ok'],
    [invite, 'ok'],
    [options.replace('Max-Forwards: 70\r\n', ''), 'ok'],
    [options.replace(/Via.*\r\n/, ''), '400 Missing Via'],
    [options.replace(/From.*\r\n/, ''), '400 Missing From'],
    [options.replace(/To.*\r\n/, ''), '400 Missing To'],
    [options.replace(/Call-ID.*\r\n/, ''), '400 Missing Call-ID'],
    [options.replace(/CSeq.*\r\n/, ''), '400 Missing CSeq'],
    [options.replace('To:', 'To: <sip:c@c.test>\r\nTo:'), '400 Multiple To'],
    [options.replace('CSeq:', 'cseq: 1 OPTIONS\r\nCSeq:'), '400 Multiple CSeq'],
    [options.replace('1@a.test', '1 @a.test'), '400 Bad Call-ID'],
    [options.replace('1 OPTIONS', '4294967296 OPTIONS'), '400 Bad CSeq'],
    [options.replace('1 OPTIONS', '-1 OPTIONS'), '400 Bad CSeq'],
    [options.replace('1 OPTIONS', 'OPTIONS'), '400 Bad CSeq'],
    [options.replace('1 OPTIONS', '1 INVITE'), '400 CSeq Method Mismatch'],
    [options.replace('1 OPTIONS', '1 options'), '400 CSeq Method Mismatch'],
    [options.replace('OPTIONS sip', 'NEW sip'), '501 Method Not Implemented'],
    [options.replace('bob@b.test SIP', 'bob@b.test?a=b SIP'), '400 Headers in Request-URI'],
    [options.replace('sip:bob@b.test SIP', 'sip: SIP'), '400 Bad Request-URI'],
    [options.replace('sip:bob@b.test SIP', 'bob SIP'), '400 Bad Request-URI'],
    [options.replace('sip:bob@b.test SIP', 'soap.beep://b.test SIP'), 'ok'],
    [options.replace('z9hG4bK1', 'z9hG4bK'), '400 Bad Via Branch'],
    [options.replace('Forwards: 70', 'Forwards: many'), '400 Bad Max-Forwards'],
    [options.replace('Forwards: 70', 'Forwards: 300'), 'ok'],
    [invite.replace(/Contact.*\r\n/, ''), '400 Bad Contact'],
    [invite.replace(/Contact.*\r\n/, 'Contact: *\r\n'), '400 Bad Contact'],
    [invite.replace(/Contact.*\r\n/, 'Contact: <tel:+254700000001>\r\n'), '400 Bad Contact'],
    [invite.replace('Contact: ', 'Contact: <sip:eve@192.0.2.9>, '), '400 Bad Contact'],
  ]
  for (const [data, expected] of rows) {
    const valid = validateRequest(parsedRequest(data))
    assert.is(valid.ok ? 'ok' : `${valid.status} ${valid.reason}`, expected, data)
  }
})

test('validateResponse wants the five fields and a branch', () => {
  const response = parsed(options.replace(/^.*\r\n/, 'SIP/2.0 200 OK\r\n'))
  assert.ok(response.kind === 'response' && validateResponse(response).ok)
  for (const name of ['Via', 'From', 'To', 'Call-ID', 'CSeq'])
    assert.not(validateResponse(withoutHeader(response, name)).ok)
  assert.not(validateResponse(withHeader(response, 'Via', 'SIP/2.0/UDP a.test')).ok)
})

test('constructors: in place, on top, added, removed, a body with its type and length', () => {
  const message = parsedRequest(options)
  const names = (changed: SipMessage) => changed.headers.map(header => `${header.name}=${header.value}`)
  assert.is(names(withHeader(message, 'Max-Forwards', '69'))[1], 'Max-Forwards=69')
  assert.is(names(withHeaderOnTop(message, 'Via', 'top'))[0], 'Via=top')
  assert.is(names(withHeaderAdded(message, 'Via', 'last')).at(-1), 'Via=last')
  const routes = withHeaders(withHeaderAdded(message, 'Route', 'c'), 'Route', ['a', 'b'])
  assert.equal(headersOf(routes, 'Route'), ['a', 'b'])
  assert.is(countOf(withHeaders(routes, 'route', []), 'Route'), 0)
  const full = withBody(message, bytes('v=0'), 'application/sdp')
  assert.equal([headerOf(full, 'c'), headerOf(full, 'l'), text(full.body)], ['application/sdp', '3', 'v=0'])
  const empty = withBody(full)
  assert.equal([headerOf(empty, 'c'), headerOf(empty, 'l'), empty.body.length], [undefined, '0', 0])
  assert.equal(names(message), names(parsedRequest(options)))
})

test('a line end inside a value cannot make another header field', () => {
  const evil = withHeader(parsedRequest(options), 'Subject', 'x\r\nRoute: <sip:evil.test>\r\n\r\nbody')
  const again = parsed(formatMessage(evil))
  assert.is(headerOf(again, 'Route'), undefined)
  assert.is(headerOf(again, 'Subject'), 'x Route: <sip:evil.test> body')
  const reason = parsed(
    formatMessage({ kind: 'response', status: 200, reason: 'a\nb: c', headers: [], body: bytes('') }),
  )
  assert.ok(reason.kind === 'response' && reason.reason === 'a b: c' && reason.headers.length === 0)
})

test('a wrong Content-Length is put right, a right one stays as it is written', () => {
  const message = { ...parsedRequest(options.replace('Length: 0', 'Length: 000')), body: bytes('') }
  assert.is(headerOf(parsed(formatMessage(message)), 'l'), '000')
  assert.is(headerOf(parsed(formatMessage({ ...message, body: bytes('four') })), 'l'), '4')
})

test('generated messages: parse of format is identity', () => {
  const random = seeded(3261)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const chars = [...'abcXYZ019-._~ \t"\\<>;:,@=()[]{}?/|#%&\u00e9\u4e2d\u{1f600}\x00\x7f']
  const word = (length: number, from: readonly string[] = chars) =>
    Array.from({ length: Math.floor(random() * length) }, () => pick(from))
      .join('')
      .trim()
  const token = () => `X${word(12, [..."abcXYZ019-.!%*_+`'~"])}`
  for (let round = 0; round < 2000; round++) {
    const headers = Array.from({ length: Math.floor(random() * 12) }, () => ({
      name: pick([token(), 'Via', 'v', 'FROM', 'cAll-Id', 'Subject']),
      value: word(60),
    }))
    const body = Uint8Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256))
    headers.push({ name: pick(['Content-Length', 'l', 'CONTENT-LENGTH']), value: String(body.length) })
    const message: SipMessage =
      random() < 0.5
        ? { kind: 'request', method: token(), uri: `sip:${word(20, [...'ab1.;=%?@:'])}`, headers, body }
        : { kind: 'response', status: 100 + Math.floor(random() * 600), reason: word(30), headers, body }
    assert.equal(parsed(formatMessage(message)), message)
  }
})

test('UTF-8 stays; bytes that are none do not end the message', () => {
  const data = bytes(options.replace('To: ', 'To: "Zoë 电话" '))
  assert.equal(formatMessage(parsed(data)), data)
  const broken = Uint8Array.from(data)
  broken[data.indexOf(0xc3)] = 0xff
  assert.ok(parseMessage(broken).ok)
})

test.run()
