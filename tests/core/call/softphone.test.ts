import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../../core/billing/destinations.ts'
import { acme, own } from '../bed/acme.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { hook, rigWith } from '../bed/softphone-bed.ts'

const dialWhatWasDialled = '<Response><Dial><Number>+254722222222</Number></Dial></Response>'

const ends = (rig: CallBed, legId: string) =>
  rig
    .of('leg.end')
    .flatMap(({ legId: id, reason, status, retryAfterSeconds }) =>
      id === legId ? [{ reason, ...(status && { status }), ...(retryAfterSeconds && { retryAfterSeconds }) }] : [],
    )

test('a softphone calls out: rung at once, webhook with endUser, From is the account’s number, bridged, billed by the leg', () => {
  const rig = rigWith(dialWhatWasDialled)
  rig.own(own('+254700000003', '', false))
  const user = rig.user('1001')
  rig.peers.set('+254722222222', { ringAfter: 50, answerAfter: 500, byeAfter: 30_000 })
  const legId = rig.dialFrom(user, '0722222222', { customPayload: '{"order":7}' })
  rig.run(10)
  assert.is(rig.of('leg.ring').length, 1)
  rig.run(60_000)
  const [post] = rig.posts
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
  const call = rig.store.call()
  assert.is(call.direction, 'outbound')
  assert.is(call.status, 'completed')
  assert.is(call.reasonCode, 'END.0200')
  assert.equal(call.customPayload, { order: 7 })
  assert.is(call.cost, 30_000)
  assert.is(rig.of('leg.answer')[0]?.legId, legId)
  const [dial] = rig.of('leg.dial')
  assert.equal(dial?.from, { user: '+254700000001', displayName: '' })
  assert.equal(rig.codes().slice(0, 2), ['CALL.0100', 'CALL.0180'])
  assert.equal(rig.store.events[0]?.customPayload, { order: 7 })
  assert.ok(rig.exchange.isEmpty)
})

test('what an action callback says is as it is then, and still names the end-user', () => {
  const rig = rigWith('<Response><Dial action="/after"><Number>+254722222222</Number></Dial></Response>')
  rig.documents.set('https://acme.test/after', '<Response/>')
  rig.peers.set('+254722222222', { endAfter: 500 })
  rig.dialFrom(rig.user('1001'), '+254722222222')
  rig.run(60_000)
  const after = rig.posts[1]?.fields ?? {}
  assert.is(after.CallStatus, 'ringing')
  assert.is(after.DialCallStatus, 'busy')
  assert.is((after.endUser as { uuid: string }).uuid, 'user-1001')
})

test('a number’s own voice_outbound goes before the account’s', () => {
  const rig = rigWith('<Response/>')
  const number = own('+254700000001')
  rig.own({ ...number, webhookUrls: { ...number.webhookUrls, voice_outbound: 'https://acme.test/number' } })
  rig.dialFrom(rig.user('1001'), '+254722222222')
  rig.run(1_000)
  assert.is(rig.posts[0]?.url, 'https://acme.test/number')
})

test('without a number the extension stands for it', () => {
  const rig = rigWith(dialWhatWasDialled)
  rig.store.numbers.clear()
  rig.dialFrom(rig.user('1001'), '+254722222222')
  rig.run(1_000)
  assert.is(rig.posts[0]?.fields.From, '1001')
})

test('extension to extension: internal, free, the callee sees who it is; all phones ring, the first answer wins', () => {
  const rig = rigWith('<Response><Dial><Number>1002</Number></Dial></Response>')
  rig.user('1002', ['desk', 'laptop', 'mobile'])
  rig.peers.set('desk', { ringAfter: 20 })
  rig.peers.set('laptop', { ringAfter: 20, answerAfter: 1_000, byeAfter: 5_000 })
  rig.peers.set('mobile', { ringAfter: 20, endAfter: 400 })
  rig.dialFrom(rig.user('1001'), '1002')
  rig.run(800)
  assert.is(rig.of('leg.dial').length, 3)
  assert.ok(rig.of('leg.dial').every(({ from }) => from.user === '1001' && from.displayName === 'User 1001'))
  assert.ok(
    rig
      .of('media.open')
      .filter(({ offer }) => offer === undefined)
      .every(open => open.webrtc && !open.onNet),
  )
  rig.run(60_000)
  const call = rig.store.call()
  assert.equal([call.direction, call.toNumber, call.status, call.cost], ['internal', '1002', 'completed', 0])
  const reasons = [...rig.store.legs.values()].map(({ reasonCode }) => reasonCode).sort()
  assert.equal(reasons, ['END.0200', 'END.0200', 'END.0486', 'END.0487'])
  assert.is(rig.store.holds.size, 0)
  assert.ok(rig.exchange.isEmpty)
})

const refusals: readonly [what: string, make: (rig: CallBed) => string, ended: object, set?: Partial<typeof acme>][] = [
  ['suspended', () => '+254722222222', { reason: 'END.4403' }, { status: 'suspended' }],
  ['no webhook', () => '+254722222222', { reason: 'END.3404', status: 404 }, { endpoints: acme.endpoints }],
  ['no capacity', () => '+254722222222', { reason: 'END.4429', retryAfterSeconds: 1 }, { maxConcurrentCalls: 0 }],
  ['rate cap', () => '+254722222222', { reason: 'END.4430', retryAfterSeconds: 1 }, { maxCallsPerSecond: 0 }],
  [
    'destination',
    rig => {
      rig.destinations = new Destinations(['+2547'], [])
      return '+254722222222'
    },
    { reason: 'END.4433' },
  ],
  [
    'funds',
    rig => {
      const account = rig.store.accounts.get(acme.uuid)
      if (account !== undefined) account.balance = 29_999
      return '+254722222222'
    },
    { reason: 'END.0402' },
  ],
]
for (const [what, make, ended, set] of refusals) {
  test(`refused: ${what}; the customer sees the call and its reason, and no server is asked`, () => {
    const rig = rigWith(dialWhatWasDialled, set)
    const to = make(rig)
    const legId = rig.dialFrom(rig.user('1001'), to)
    rig.run(1_000)
    assert.equal(ends(rig, legId), [ended])
    assert.equal(rig.posts, [])
    assert.equal(rig.of('leg.ring'), [])
    const call = rig.store.call()
    assert.equal([call.status, call.reasonCode, call.cost], ['failed', (ended as { reason: string }).reason, 0])
    assert.equal(rig.codes(), ['CALL.0100', 'CALL.0400'])
    assert.ok(rig.exchange.isEmpty)
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
    const rig = rigWith(dialWhatWasDialled)
    const legId = rig.dialFrom(rig.user('1001'), to, payload === undefined ? {} : { customPayload: payload })
    rig.run(1_000)
    assert.equal(ends(rig, legId), [{ reason }])
    assert.is(rig.store.calls.size, 0)
  }
  const rig = rigWith(dialWhatWasDialled)
  const user = rig.user('1001')
  rig.store.users.clear()
  const legId = rig.dialFrom(user, '+254722222222')
  rig.run(1_000)
  assert.equal(ends(rig, legId), [{ reason: 'END.0403' }])
  assert.is(rig.store.calls.size, 0)
})

test('500 characters of payload pass, counted as characters', () => {
  const rig = rigWith('<Response/>')
  rig.dialFrom(rig.user('1001'), '+254722222222', { customPayload: '😀'.repeat(500) })
  rig.run(1_000)
  assert.equal(rig.store.call().customPayload, { value: '😀'.repeat(500) })
})

test('an inactive end-user: 403', () => {
  const rig = rigWith(dialWhatWasDialled)
  const legId = rig.dialFrom(rig.user('1001', [], { isActive: false }), '+254722222222')
  rig.run(1_000)
  assert.equal(ends(rig, legId), [{ reason: 'END.0403' }])
})

test('calls between end-users need no money', () => {
  const rig = rigWith('<Response><Dial><Number>1002</Number></Dial></Response>')
  rig.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_outbound: hook } }, 0)
  rig.user('1002', ['desk'])
  rig.peers.set('desk', { answerAfter: 100, byeAfter: 1_000 })
  rig.dialFrom(rig.user('1001'), '1002')
  rig.run(60_000)
  assert.is(rig.store.call().status, 'completed')
})

test('a token’s own limit: 486 to the next call, and free again when the first has ended', () => {
  const rig = rigWith('<Response><Pause length="60"/></Response>')
  const user = rig.user('1001')
  const first = rig.dialFrom(user, '+254722222222')
  rig.run(100)
  const second = rig.dialFrom(user, '+254722222222')
  rig.run(100)
  assert.equal(ends(rig, second), [{ reason: 'END.0486' }])
  const other = rig.dialFrom(user, '+254722222222', { tokenUuid: 'another', maxConcurrent: 2 })
  rig.hangUpCaller(first)
  rig.run(100)
  const third = rig.dialFrom(user, '+254722222222')
  rig.run(100)
  assert.equal([...ends(rig, other), ...ends(rig, third)], [])
})

for (const [document, reason, status] of [
  [{ fault: 'timeout' } as const, 'END.3408', 503],
  [{ fault: 'status' } as const, 'END.3502', 503],
  ['not xml', 'END.3422', 503],
  [{ fault: 'not-found' } as const, 'END.3404', 404],
] as const) {
  test(`${reason} with fallback drop is ${status} to a softphone, with its own code`, () => {
    const rig = rigWith('')
    rig.documents.set(hook, document)
    const legId = rig.dialFrom(rig.user('1001'), '+254722222222')
    rig.run(20_000)
    assert.equal(ends(rig, legId), [{ reason, status }])
    assert.is(rig.store.call().reasonCode, reason)
  })
}

test('an inbound caller is refused as before: 603', () => {
  const rig = rigWith('')
  rig.documents.set('https://acme.test/in', { fault: 'status' })
  const legId = rig.call('+254700000001')
  rig.run(1_000)
  assert.equal(ends(rig, legId), [{ reason: 'END.3502' }])
})

test('draining: 503 with Retry-After, no row', () => {
  const rig = rigWith(dialWhatWasDialled)
  rig.send({ type: 'exchange.drain', deadline: rig.now + 60_000 })
  const legId = rig.dialFrom(rig.user('1001'), '+254722222222')
  rig.run(100)
  assert.equal(ends(rig, legId), [{ reason: 'END.5503', retryAfterSeconds: 30 }])
  assert.is(rig.store.calls.size, 0)
})

test('the caller gives up while its webhook is asked', () => {
  const rig = rigWith('never')
  rig.documents.set(hook, 'never')
  const legId = rig.dialFrom(rig.user('1001'), '+254722222222')
  rig.run(500)
  rig.hangUpCaller(legId)
  rig.run(20_000)
  assert.is(rig.store.call().reasonCode, 'END.0487')
  assert.ok(rig.exchange.isEmpty)
})

test('a BYE of the callee, of the caller, and by the API: every leg ends, every row closes', () => {
  for (const end of ['callee', 'caller', 'api'] as const) {
    const rig = rigWith('<Response><Dial><Number>1002</Number></Dial></Response>')
    rig.user('1002', ['desk'])
    rig.peers.set('desk', { answerAfter: 100, ...(end === 'callee' ? { byeAfter: 2_000 } : {}) })
    const legId = rig.dialFrom(rig.user('1001'), '1002')
    rig.run(1_500)
    assert.is(rig.store.call().status, 'answered')
    if (end === 'caller') rig.hangUpCaller(legId)
    if (end === 'api') rig.send({ type: 'call.hangup', callId: rig.store.call().uuid })
    rig.run(60_000)
    assert.is(rig.store.call().reasonCode, end === 'api' ? 'END.0201' : 'END.0200')
    assert.ok([...rig.store.legs.values()].every(({ endedUnix }) => endedUnix !== null))
    assert.ok(rig.exchange.isEmpty)
  }
})

test.run()
