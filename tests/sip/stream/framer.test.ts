import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatMessage, headerOf } from '../../../sip/index.ts'
import { messageLimits } from '../../../sip/message/limits.ts'
import { type Framed, StreamFramer } from '../../../sip/stream/framer.ts'
import { input } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { bytes, options, parsed, text } from '../bed/text.ts'

const message = (callId: string, body = ''): string =>
  `${options.replace('1@a.test', callId).replace('Length: 0', `Length: ${bytes(body).length}`)}${body}`

/** The outputs, one line each. */
const reported = (framed: readonly Framed[]): string[] =>
  framed.map(each => {
    switch (each.kind) {
      case 'message':
        return `${headerOf(each.message, 'Call-ID')} ${text(each.message.body)}`
      case 'fault':
        return `${each.fault.reason} ${each.fault.status ?? '-'} ${each.closes ? 'closes' : 'goes on'}`
      default:
        return each.kind
    }
  })

const push = (framer: StreamFramer, ...pieces: readonly (string | Uint8Array)[]): string[] =>
  pieces.flatMap(piece => reported(framer.push(typeof piece === 'string' ? bytes(piece) : piece)))

const conversation = `\r\n\r\n${message('a', 'héllo\r\n\r\n')}\r\n${message('b').replaceAll('\r\n', '\n')}${message('c', 'x')}\r\n\r\n\r\n`
const expected = ['pong', 'ping', 'a héllo\r\n\r\n', 'pong', 'b ', 'c x', 'pong', 'ping', 'pong']

test('messages after each other, with keep-alives between (RFC 3261 §18.3, RFC 5626 §3.5.1)', () => {
  assert.equal(push(new StreamFramer(), conversation), expected)
})

test('any split in two, and byte by byte, gives the same', () => {
  const data = bytes(conversation)
  for (let at = 0; at <= data.length; at++) {
    assert.equal(push(new StreamFramer(), data.subarray(0, at), data.subarray(at)), expected, `split at ${at}`)
  }
  const framer = new StreamFramer()
  assert.equal(
    [...data].flatMap(byte => push(framer, Uint8Array.of(byte))),
    expected,
  )
  assert.not(framer.waiting)
})

test('any split in three of a stream with a fault at its end', () => {
  const data = bytes(`${message('a', 'x')}OPTIONS sip:b@b.test SIP/7.0\r\nl: 2\r\n\r\nhi${message('b')}nonsense\r\n`)
  const wanted = ['a x', 'bad-version 505 goes on', 'b ', 'bad-start-line - closes']
  const random = seeded(18)
  for (let round = 0; round < 2000; round++) {
    const one = Math.floor(random() * data.length)
    const two = one + Math.floor(random() * (data.length - one))
    const framer = new StreamFramer()
    assert.equal(push(framer, data.subarray(0, one), data.subarray(one, two), data.subarray(two)), wanted)
    assert.ok(framer.closed)
  }
})

test('a message owns its bytes: later input does not change it', () => {
  const framer = new StreamFramer()
  const [first] = framer.push(bytes(`${message('a', 'body')}OPTIONS`))
  framer.push(bytes('x'.repeat(5000)))
  assert.ok(first?.kind === 'message' && text(first.message.body) === 'body')
  assert.equal(first.kind === 'message' && formatMessage(first.message), bytes(message('a', 'body')))
})

test('without a length there is no body, unless there is a type', () => {
  const bare = options.replace('Content-Length: 0\r\n', '')
  assert.equal(push(new StreamFramer(), bare + message('b')), ['1@a.test ', 'b '])
  assert.equal(push(new StreamFramer(), bare.replace('To:', 'c: text/plain\r\nTo:')), ['no-content-length 400 closes'])
})

test('a bad message whose end is known is a fault, and the stream goes on', () => {
  const framer = new StreamFramer()
  assert.equal(push(framer, message('a', 'xy').replace('To:', 'T o:'), message('b')), ['bad-header 400 goes on', 'b '])
  assert.not(framer.closed)
})

test('where the next message begins must be certain: two lengths, bad lengths, no SIP', () => {
  const rows: readonly (readonly [string, string])[] = [
    [options.replace('Length: 0', 'Length: 0\r\nl: 5'), 'bad-content-length 400 closes'],
    [options.replace('Length: 0', 'Length: -1'), 'bad-content-length 400 closes'],
    [options.replace('Length: 0', 'Length: many'), 'bad-content-length 400 closes'],
    ['GET / HTTP/1.1\r\n', 'bad-start-line - closes'],
    ['\x16\x03\x01\x02\x00\x01\x00\n', 'bad-start-line - closes'],
  ]
  for (const [data, wanted] of rows) {
    const framer = new StreamFramer()
    assert.equal(push(framer, data), [wanted])
    assert.ok(framer.closed)
    assert.equal(push(framer, message('b')), [])
  }
})

test('a message over the limit is reported as soon as that is known, with what its answer needs (RFC 3261 §21.5.7)', () => {
  const { bytes: limit } = messageLimits
  const longest = limit - bytes(options).length - 4
  const sized = (length: number | string) => options.replace('Length: 0', `Length: ${length}`)
  assert.is(bytes(sized(longest) + 'x'.repeat(longest)).length, limit)
  assert.equal(push(new StreamFramer(), sized(longest), 'x'.repeat(longest)), [`1@a.test ${'x'.repeat(longest)}`])
  const filled = (name: string, line: string) => options.replace(name, `${line.repeat(limit / line.length + 1)}${name}`)
  const rows: readonly (readonly [string, string])[] = [
    [sized(longest + 1), 'message-too-large 513 closes'],
    [sized(2 ** 40), 'message-too-large 513 closes'],
    [sized('9'.repeat(60)), 'message-too-large 513 closes'],
    [filled('Content-Length:', 'A: b\r\n'), 'message-too-large 513 closes'],
    [filled('Content-Length:', 'A: b\n'), 'message-too-large 513 closes'],
    [options.replace('Length: 0', `Length:${' '.repeat(limit)}`), 'message-too-large 513 closes'],
    [options.replace('\r\nContent', `\r\n${' folded\r\n'.repeat(limit / 9)}Content`), 'message-too-large - closes'],
    [options.replace('OPTIONS sip', 'OPTIONS\tsip') + 'x'.repeat(limit), 'bad-start-line - closes'],
    [`OPTIONS sip:${'x'.repeat(limit)}`, 'message-too-large - closes'],
    [filled('Via:', 'A: b\r\n'), 'message-too-large - closes'],
    [filled('From:', 'A: b\r\n'), 'message-too-large - closes'],
    [filled('To:', 'A: b\r\n'), 'message-too-large - closes'],
    [filled('Call-ID:', 'A: b\r\n'), 'message-too-large - closes'],
    [filled('CSeq:', 'A: b\r\n'), 'message-too-large - closes'],
    [sized(limit).replace(/^.*\r\n/, 'SIP/2.0 200 OK\r\n'), 'message-too-large - closes'],
  ]
  const random = seeded(513)
  for (const [data, wanted] of rows) {
    const whole = new StreamFramer()
    const [fault, ...more] = whole.push(bytes(data))
    assert.equal([...reported(fault === undefined ? [] : [fault]), more.length], [wanted, 0], data.slice(0, 300))
    assert.ok(whole.closed)
    assert.equal(push(whole, message('b')), [])
    const cut = new StreamFramer()
    const at = Math.floor(random() * data.length)
    assert.equal(push(cut, data.slice(0, at), data.slice(at)), [wanted], `cut at ${at}`)
    if (fault?.kind !== 'fault' || fault.fault.status === undefined) continue
    const { partial } = fault.fault
    const fields = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map(name => partial && headerOf(partial, name))
    assert.equal(fields, [
      'SIP/2.0/UDP a.test:5060;branch=z9hG4bK1',
      '<sip:alice@a.test>;tag=1',
      '<sip:bob@b.test>',
      '1@a.test',
      '1 OPTIONS',
    ])
  }
})

test('waiting says that part of a message is here', () => {
  const framer = new StreamFramer()
  assert.not(framer.waiting)
  push(framer, '\r\n')
  assert.not(framer.waiting)
  push(framer, 'O')
  assert.ok(framer.waiting)
  push(framer, message('a', 'xy').slice(1, -1))
  assert.ok(framer.waiting)
  assert.equal(push(framer, 'y'), ['a xy'])
  assert.not(framer.waiting)
})

test('clerr waits for its body; mcl01 closes with a 400 that can be answered', () => {
  const framer = new StreamFramer()
  assert.equal(push(framer, input('rfc4475', 'clerr.dat')), [])
  assert.ok(framer.waiting)
  const [fault] = new StreamFramer().push(input('rfc4475', 'mcl01.dat'))
  assert.ok(fault?.kind === 'fault' && fault.closes && fault.fault.status === 400)
  assert.is(
    fault.kind === 'fault' && fault.fault.partial && headerOf(fault.fault.partial, 'Call-ID'),
    'mcl01.fhn2323orihawfdoa3o4r52o3irsdf',
  )
})

test('time is linear in the bytes, however they come', () => {
  const started = performance.now()
  const long = options.replace('To:', `A: ${'x\r\n '.repeat(15_000)}\r\nTo:`)
  const framer = new StreamFramer()
  const count = [...bytes(long)].reduce((sum, byte) => sum + framer.push(Uint8Array.of(byte)).length, 0)
  assert.is(count, 1)
  assert.is(push(new StreamFramer(), '\r\n'.repeat(100_000)).length, 100_000)
  assert.is(push(new StreamFramer(), message('a').repeat(2000)).length, 2000)
  const body = 'y'.repeat(messageLimits.bytes - bytes(options).length - 4)
  const slow = new StreamFramer()
  const data = bytes(message('z', body))
  let messages = 0
  for (let at = 0; at < data.length; at += 7) messages += slow.push(data.subarray(at, at + 7)).length
  assert.is(messages, 1)
  assert.ok(performance.now() - started < 3000)
  assert.equal(parsed(message('a')).headers.length, 7)
})

test.run()
