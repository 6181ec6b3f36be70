import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../../core/billing/destinations.ts'
import { acme, own } from '../bed/acme.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { bedWith, hook } from '../bed/softphone-bed.ts'

const dialWhatWasDialled = '<Response><Dial><Number>+254722222222</Number></Dial></Response>'

const ends = (bed: CallBed, legId: string) =>
  bed
    .of('leg.end')
    .flatMap(({ legId: id, reason, status, retryAfterSeconds }) =>
      id === legId ? [{ reason, ...(status && { status }), ...(retryAfterSeconds && { retryAfterSeconds }) }] : [],
    )

test('a softphone calls out: rung at once, webhook with endUser, From is the account’s number, bridged, billed by the leg', () => {
  const bed = bedWith(dialWhatWasDialled)
  bed.own(own('+254700000003', '', false))
  const user = bed.user('1001')
  bed.peers.set('+254722222222', { ringAfter: 50, answerAfter: 500, byeAfter: 30_000 })
  const legId = bed.dialFrom(user, '0722222222', { customPayload: '{"order":7}' })
  bed.run(10)
  assert.is(bed.of('leg.ring').length, 1)
  bed.run(60_000)
  const [post] = bed.posts
  assert.is(post?.url, hook)
  const { CallSid, ...fields } = post?.fields ?? {}
  assert.type(CallSid, 'string')
  assert.equal(fields, {
    AccountSid: 'acme',
    Direction: 'outbound',
    From: '+254700000001',
    To: '+254722222222',
    CallStatus: 'in-progress',
    customPayload: '{"order":7}',
    endUser: { uuid: 'user-1001', email: '1001@acme.test', display_name: 'User 1001', extension_number: '1001' },
  })
  const call = bed.store.call()
  assert.is(call.direction, 'outbound')
  assert.is(call.status, 'completed')
  assert.is(call.reasonCode, 'END.0200')
  assert.equal(call.customPayload, { order: 7 })
  assert.is(call.cost, 30_000)
  assert.is(bed.of('leg.answer')[0]?.legId, legId)
  const [dial] = bed.of('leg.dial')
  assert.equal(dial?.from, { user: '+254700000001', displayName: '' })
  assert.equal(bed.codes().slice(0, 2), ['CALL.0100', 'CALL.0180'])
  assert.equal(bed.store.events[0]?.customPayload, { order: 7 })
  assert.ok(bed.exchange.isEmpty)
})

test('what an action callback says is as it is then, and still names the end-user', () => {
  const bed = bedWith('<Response><Dial action="/after"><Number>+254722222222</Number></Dial></Response>')
  bed.documents.set('https://acme.test/after', '<Response/>')
  bed.peers.set('+254722222222', { endAfter: 500 })
  bed.dialFrom(bed.user('1001'), '+254722222222')
  bed.run(60_000)
  const after = bed.posts[1]?.fields ?? {}
  assert.is(after.CallStatus, 'ringing')
  assert.is(after.DialCallStatus, 'busy')
  assert.is((after.endUser as { uuid: string }).uuid, 'user-1001')
})

test('a number’s own voice_outbound goes before the account’s', () => {
  const bed = bedWith('<Response/>')
  const number = own('+254700000001')
  bed.own({ ...number, webhookUrls: { ...number.webhookUrls, voice_outbound: 'https://acme.test/number' } })
  bed.dialFrom(bed.user('1001'), '+254722222222')
  bed.run(1_000)
  assert.is(bed.posts[0]?.url, 'https://acme.test/number')
})

test('without a number the extension stands for it', () => {
  const bed = bedWith(dialWhatWasDialled)
  bed.store.numbers.clear()
  bed.dialFrom(bed.user('1001'), '+254722222222')
  bed.run(1_000)
  assert.is(bed.posts[0]?.fields.From, '1001')
})

test('extension to extension: internal, free, the callee sees who it is; all phones ring, the first answer wins', () => {
  const bed = bedWith('<Response><Dial><Number>1002</Number></Dial></Response>')
  bed.user('1002', ['desk', 'laptop', 'mobile'])
  bed.peers.set('desk', { ringAfter: 20 })
  bed.peers.set('laptop', { ringAfter: 20, answerAfter: 1_000, byeAfter: 5_000 })
  bed.peers.set('mobile', { ringAfter: 20, endAfter: 400 })
  bed.dialFrom(bed.user('1001'), '1002')
  bed.run(800)
  assert.is(bed.of('leg.dial').length, 3)
  assert.ok(bed.of('leg.dial').every(({ from }) => from.user === '1001' && from.displayName === 'User 1001'))
  assert.ok(
    bed
      .of('media.open')
      .filter(({ offer }) => offer === undefined)
      .every(open => open.webrtc && !open.onNet),
  )
  bed.run(60_000)
  const call = bed.store.call()
  assert.equal([call.direction, call.toNumber, call.status, call.cost], ['internal', '1002', 'completed', 0])
  const reasons = [...bed.store.legs.values()].map(({ reasonCode }) => reasonCode).sort()
  assert.equal(reasons, ['END.0200', 'END.0200', 'END.0486', 'END.0487'])
  assert.is(bed.store.holds.size, 0)
  assert.ok(bed.exchange.isEmpty)
})

const refusals: readonly [what: string, make: (bed: CallBed) => string, ended: object, set?: Partial<typeof acme>][] = [
  ['suspended', () => '+254722222222', { reason: 'END.4403' }, { status: 'suspended' }],
  ['no webhook', () => '+254722222222', { reason: 'END.3404', status: 404 }, { endpoints: acme.endpoints }],
  ['no capacity', () => '+254722222222', { reason: 'END.4429', retryAfterSeconds: 1 }, { maxConcurrentCalls: 0 }],
  ['rate cap', () => '+254722222222', { reason: 'END.4430', retryAfterSeconds: 1 }, { maxCallsPerSecond: 0 }],
  [
    'destination',
    bed => {
      bed.destinations = new Destinations(['+2547'], [])
      return '+254722222222'
    },
    { reason: 'END.4433' },
  ],
  [
    'funds',
    bed => {
      const account = bed.store.accounts.get(acme.uuid)
      if (account !== undefined) account.balance = 29_999
      return '+254722222222'
    },
    { reason: 'END.0402' },
  ],
]
for (const [what, make, ended, set] of refusals) {
  test(`refused: ${what}; the customer sees the call and its reason, and no server is asked`, () => {
    const bed = bedWith(dialWhatWasDialled, set)
    const to = make(bed)
    const legId = bed.dialFrom(bed.user('1001'), to)
    bed.run(1_000)
    assert.equal(ends(bed, legId), [ended])
    assert.equal(bed.posts, [])
    assert.equal(bed.of('leg.ring'), [])
    const call = bed.store.call()
    assert.is(bed.of('leg.end').find(({ legId: id }) => id === legId)?.sid, call.sid)
    assert.equal([call.status, call.reasonCode, call.cost], ['failed', (ended as { reason: string }).reason, 0])
    assert.equal(bed.codes(), ['CALL.0100', 'CALL.0400'])
    assert.ok(bed.exchange.isEmpty)
  })
}

test('refused without a row: an unknown callee, an invalid number, a payload that is too long', () => {
  const long = 'x'.repeat(501)
  for (const [to, payload, reason] of [
    ['', undefined, 'END.0484'],
    ['x'.repeat(201), undefined, 'END.0484'],
    ['+254722222222', long, 'END.0400'],
    ['+254722222222', 'a\u0001b', 'END.0400'],
  ] as const) {
    const bed = bedWith(dialWhatWasDialled)
    const legId = bed.dialFrom(bed.user('1001'), to, payload === undefined ? {} : { customPayload: payload })
    bed.run(1_000)
    assert.equal(ends(bed, legId), [{ reason }])
    assert.is(bed.of('leg.end')[0]?.sid, undefined)
    assert.is(bed.store.calls.size, 0)
  }
  const bed = bedWith(dialWhatWasDialled)
  const user = bed.user('1001')
  bed.store.users.clear()
  const legId = bed.dialFrom(user, '+254722222222')
  bed.run(1_000)
  assert.equal(ends(bed, legId), [{ reason: 'END.0403' }])
  assert.is(bed.store.calls.size, 0)
})

test('500 characters of payload pass, counted as characters', () => {
  const bed = bedWith('<Response/>')
  bed.dialFrom(bed.user('1001'), '+254722222222', { customPayload: '😀'.repeat(500) })
  bed.run(1_000)
  assert.equal(bed.store.call().customPayload, { value: '😀'.repeat(500) })
})

test('an inactive end-user: 403', () => {
  const bed = bedWith(dialWhatWasDialled)
  const legId = bed.dialFrom(bed.user('1001', [], { isActive: false }), '+254722222222')
  bed.run(1_000)
  assert.equal(ends(bed, legId), [{ reason: 'END.0403' }])
})

test('calls between end-users need no money', () => {
  const bed = bedWith('<Response><Dial><Number>1002</Number></Dial></Response>')
  bed.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_outbound: hook } }, 0)
  bed.user('1002', ['desk'])
  bed.peers.set('desk', { answerAfter: 100, byeAfter: 1_000 })
  bed.dialFrom(bed.user('1001'), '1002')
  bed.run(60_000)
  assert.is(bed.store.call().status, 'completed')
})

test('a token’s own limit: 486 to the next call, and free again when the first has ended', () => {
  const bed = bedWith('<Response><Pause length="60"/></Response>')
  const user = bed.user('1001')
  const first = bed.dialFrom(user, '+254722222222')
  bed.run(100)
  const second = bed.dialFrom(user, '+254722222222')
  bed.run(100)
  assert.equal(ends(bed, second), [{ reason: 'END.0486' }])
  const other = bed.dialFrom(user, '+254722222222', { tokenUuid: 'another', maxConcurrent: 2 })
  bed.hangUpCaller(first)
  bed.run(100)
  const third = bed.dialFrom(user, '+254722222222')
  bed.run(100)
  assert.equal([...ends(bed, other), ...ends(bed, third)], [])
})

for (const [document, reason, status] of [
  [{ fault: 'timeout' } as const, 'END.3408', 503],
  [{ fault: 'status' } as const, 'END.3502', 503],
  ['not xml', 'END.3422', 503],
  [{ fault: 'not-found' } as const, 'END.3404', 404],
] as const) {
  test(`${reason} with fallback drop is ${status} to a softphone, with its own code`, () => {
    const bed = bedWith('')
    bed.documents.set(hook, document)
    const legId = bed.dialFrom(bed.user('1001'), '+254722222222')
    bed.run(20_000)
    assert.equal(ends(bed, legId), [{ reason, status }])
    assert.is(bed.store.call().reasonCode, reason)
  })
}

test('an inbound caller is refused as before: 603', () => {
  const bed = bedWith('')
  bed.documents.set('https://acme.test/in', { fault: 'status' })
  const legId = bed.call('+254700000001')
  bed.run(1_000)
  assert.equal(ends(bed, legId), [{ reason: 'END.3502' }])
})

test('draining: 503 with Retry-After, no row', () => {
  const bed = bedWith(dialWhatWasDialled)
  bed.send({ type: 'exchange.drain', deadline: bed.now + 60_000 })
  const legId = bed.dialFrom(bed.user('1001'), '+254722222222')
  bed.run(100)
  assert.equal(ends(bed, legId), [{ reason: 'END.5503', retryAfterSeconds: 30 }])
  assert.is(bed.store.calls.size, 0)
})

test('the caller gives up while its webhook is asked', () => {
  const bed = bedWith('never')
  bed.documents.set(hook, 'never')
  const legId = bed.dialFrom(bed.user('1001'), '+254722222222')
  bed.run(500)
  bed.hangUpCaller(legId)
  bed.run(20_000)
  assert.is(bed.store.call().reasonCode, 'END.0487')
  assert.ok(bed.exchange.isEmpty)
})

test('a BYE of the callee, of the caller, and by the API: every leg ends, every row closes', () => {
  for (const end of ['callee', 'caller', 'api'] as const) {
    const bed = bedWith('<Response><Dial><Number>1002</Number></Dial></Response>')
    bed.user('1002', ['desk'])
    bed.peers.set('desk', { answerAfter: 100, ...(end === 'callee' ? { byeAfter: 2_000 } : {}) })
    const legId = bed.dialFrom(bed.user('1001'), '1002')
    bed.run(1_500)
    assert.is(bed.store.call().status, 'answered')
    if (end === 'caller') bed.hangUpCaller(legId)
    if (end === 'api') bed.send({ type: 'call.hangup', callId: bed.store.call().uuid })
    bed.run(60_000)
    assert.is(bed.store.call().reasonCode, end === 'api' ? 'END.0201' : 'END.0200')
    assert.ok([...bed.store.legs.values()].every(({ endedUnix }) => endedUnix !== null))
    assert.ok(bed.exchange.isEmpty)
  }
})

test.run()
