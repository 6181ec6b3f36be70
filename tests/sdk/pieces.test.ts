import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { bundleSdk } from '../../api/phone/sdk-bundle.ts'
import { backoffMs } from '../../sdk/backoff.ts'
import { decodeToken, describeFailure, isExpired, PhoneError } from '../../sdk/index.ts'
import { openLog, withoutSecrets } from '../../sdk/log.ts'
import { qualityBetween, sampleOf } from '../../sdk/media/quality.ts'
import { readAddress } from '../../sdk/signaling/read.ts'
import { claims, tokenFor } from './bed/sdk-phone-bed.ts'

test('decodeToken gives the claims; isExpired goes by exp', () => {
  const token = tokenFor({ exp: 2_000 })
  assert.equal(decodeToken(token), { ...claims, exp: 2_000 })
  assert.ok(isExpired(token))
  assert.ok(isExpired(token, 2_000_000))
  assert.not(isExpired(token, 1_999_999))
  assert.not(isExpired(tokenFor()))
  assert.equal(decodeToken(tokenFor({ ext: 'Zoë' })).ext, 'Zoë')
})

test('what is no token throws token.invalid and counts as expired', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const bad = [
    '',
    'a.b',
    'a.b.c',
    `a.${part([])}.c`,
    `a.${part(null)}.c`,
    `a.${part({ ...claims })}.c`,
    'a..c',
    `a.${part({ ...claims, exp: 'x' })}.c`,
  ]
  for (const token of [...bad, undefined as never, 7 as never]) {
    assert.throws(
      () => decodeToken(token),
      (fault: unknown) => fault instanceof PhoneError && fault.code === 'token.invalid',
    )
    assert.ok(isExpired(token))
  }
})

test('describeFailure: one line for everything that events carry', () => {
  const says = (reason: Parameters<typeof describeFailure>[0], words: RegExp) =>
    assert.match(describeFailure(reason), words, JSON.stringify(reason))
  says({ cause: '402 Payment Required', by: 'remote', status: 402 }, /not enough balance/)
  says({ cause: '402 x', by: 'remote', status: 402, code: 'BILL.0402' }, /not enough balance/)
  says({ cause: '403 Forbidden', by: 'remote', status: 403, code: 'END.4403' }, /suspended/)
  says({ cause: '403 Forbidden', by: 'remote', status: 403, code: 'END.4433' }, /destination/)
  says({ cause: '503 x', by: 'remote', status: 503, code: 'END.4429' }, /limit of calls at once/)
  says({ cause: '503 x', by: 'remote', status: 503, code: 'END.5503' }, /restarted/)
  says({ cause: '486 Busy Here', by: 'remote', status: 486, code: 'END.0486' }, /busy/)
  says({ cause: '480 x', by: 'remote', status: 480, code: 'END.1480' }, /not signed in/)
  says({ cause: 'Hung up', by: 'remote', code: 'END.0211' }, /balance ran out/)
  says({ cause: 'Hung up', by: 'local' }, /has ended/)
  says({ cause: 'Microphone refused', by: 'device' }, /not allowed to use the microphone/)
  says({ cause: 'x', by: 'remote', code: 'END.9999', status: 404 }, /not in service/)
  says('SIP/2.0 486 Busy Here', /busy/)
  says('603 Declined', /declined/)
  says('END.0404', /not in service/)
  says(488, /no audio format/)
  says(599, /599/)
  says(433, /433/)
  says(new Error('boom'), /boom/)
  says(new PhoneError('sign-in.failed', 'x', { status: 401 }), /sign-in was refused/)
  says('toString', /could not be completed/)
  says({ cause: 'constructor', by: 'local', code: '__proto__' }, /could not be completed/)
  // A sentence of its own, although the code says only that the call was cancelled.
  says({ cause: 'Answered elsewhere', by: 'remote', code: 'END.0487' }, /answered on another phone/)
  const text = 'The phone token is not valid'
  says({ cause: '403 Forbidden', by: 'remote', status: 403, code: 'END.0403', text }, /token is no longer valid/)
  says({ cause: 'Revoked', by: 'remote' }, /token is no longer valid/)
  says({ cause: '403 Forbidden', by: 'remote', status: 403, code: 'END.0403' }, /not allowed/)
  says(undefined, /could not be completed/)
  says(null, /could not be completed/)
})

test('describeFailure never throws, whatever a page hands it', () => {
  const thrower = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )
  const odd: unknown[] = [{}, [], true, false, 1n, Symbol('x'), () => 1, thrower, Object.create(null), Number.NaN, '']
  const fields = [undefined, null, 0, -1, 1e9, Number.NaN, {}, [], 'toString', '__proto__', Symbol('x')]
  for (const name of ['cause', 'code', 'status', 'text', 'by']) for (const value of fields) odd.push({ [name]: value })
  odd.push(Object.assign(new Error('x'), { message: undefined }), Object.assign(new Error('x'), { message: 7 }))
  for (const input of odd) assert.type(describeFailure(input as never), 'string')
})

test('every reason code of the switch has its sentence, and no two lines', () => {
  const codes =
    readFileSync(new URL('../../core/model/end-reason.ts', import.meta.url), 'utf8').match(/END\.\d{4}/g) ?? []
  assert.ok(codes.length > 30)
  for (const code of new Set(codes)) {
    const words = describeFailure({ cause: '', by: 'remote', code })
    assert.not.match(words, /could not be completed\.$/, code)
    assert.not.match(words, /\n/)
  }
})

test('backoff doubles to 20 s and is spread over its upper half', () => {
  assert.is(backoffMs(0, 0), 250)
  assert.is(backoffMs(0, 1), 500)
  assert.is(backoffMs(3, 1), 4_000)
  for (let attempt = 0; attempt < 100; attempt++) assert.ok(backoffMs(attempt, 1) <= 20_000)
})

test('addresses are read in every spelling, and none throws', () => {
  assert.equal(readAddress('"A \\"B\\" <x>" <sip:+254@h;p=1>;x=1;tag=t1;y=2'), {
    displayName: 'A "B" <x>',
    uri: 'sip:+254@h;p=1',
    user: '+254',
    tag: 't1',
  })
  assert.equal(readAddress('sip:1001@h;tag=t'), { displayName: '', uri: 'sip:1001@h', user: '1001', tag: 't' })
  assert.equal(readAddress('Ann <sip:a%40b@h?X=y>'), {
    displayName: 'Ann',
    uri: 'sip:a%40b@h?X=y',
    user: 'a@b',
    tag: '',
  })
  assert.equal(readAddress('<sip:h>').user, '')
  assert.equal(readAddress('<sip:%zz@h>').user, '%zz')
  let seed = 7
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff)
  const alphabet = '<>";=@:\\%, atgsip\u0000'
  for (let round = 0; round < 5_000; round++)
    readAddress(Array.from({ length: next() % 40 }, () => alphabet[next() % alphabet.length]).join(''))
})

test('the log hides tokens, keeps to its level, and survives its sink', () => {
  const message = 'REGISTER x\r\nAuthorization: Bearer abc.def\r\nproxy-authorization: Bearer ghi\r\nTo: x\r\n'
  assert.not.match(withoutSecrets(message), /abc|ghi/)
  assert.match(withoutSecrets(message), /To: x/)
  const heard: string[] = []
  const log = openLog('info', level => {
    heard.push(level)
    throw new Error('sink')
  })
  log.error('x')
  log.info('x')
  log.debug('x')
  assert.equal(heard, ['error', 'info'])
})

test('quality: loss, delay and jitter lower the opinion; silence does not divide by zero', () => {
  const at = (received: number, lost: number, jitter: number, roundTrip: number, atMs: number) =>
    sampleOf(
      new Map<string, Record<string, unknown>>([
        [
          'i',
          {
            type: 'inbound-rtp',
            kind: 'audio',
            packetsReceived: received,
            packetsLost: lost,
            jitter,
            bytesReceived: received * 100,
          },
        ],
        ['p', { type: 'candidate-pair', nominated: true, state: 'succeeded', currentRoundTripTime: roundTrip }],
      ]),
      atMs,
    )
  const mos = (lost: number, jitter: number, roundTrip: number) =>
    qualityBetween(at(0, 0, 0, 0, 0), at(100, lost, jitter, roundTrip, 2000)).mos
  assert.ok(mos(0, 0, 0.02) > 4.3)
  assert.ok(mos(5, 0, 0.02) < mos(1, 0, 0.02))
  assert.ok(mos(0, 0.1, 0.02) < mos(0, 0, 0.02))
  assert.ok(mos(0, 0, 0.8) < 3.8)
  assert.ok(mos(100, 1, 3) >= 1)
  const silent = qualityBetween(at(5, 0, 0, 0, 0), at(5, 0, 0, 0, 0))
  assert.equal([silent.lossPercent, silent.receivedBitrate], [0, 0])
  assert.equal([silent.mos, silent.noMedia], [1, true], 'what nobody hears is not excellent')
  const lost = qualityBetween(at(5, 0, 0, 0, 0), at(5, 100, 0, 0, 2000))
  assert.equal([lost.mos, lost.noMedia, lost.lossPercent], [1, true, 100])
  assert.is(qualityBetween(at(5, 0, 0, 0, 0), at(6, 0, 0, 0, 2000)).noMedia, false)
  assert.is(qualityBetween(at(0, 0, 0, 0, 0), at(100, 0, 0, 0, 1000)).receivedBitrate, 80_000)
})

test('the SDK is under 25 kB gzipped, with all of our SIP core that it needs', async () => {
  const { code } = await bundleSdk()
  // At the level that web servers use.
  const size = gzipSync(code).length
  assert.ok(size < 25_000, `${size} bytes`)
  assert.not.match(code, /\bBuffer\b|node:|require\(/)
  assert.not.match(code, /^import /m)
})

test.run()
