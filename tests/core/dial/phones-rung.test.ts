import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallBed } from '../bed/call-bed.ts'
import { bedWith } from '../bed/softphone-bed.ts'

const clients = ['1002', '1002@acme.test', 'user-1002']
for (const client of clients) {
  test(`Dial of the Client ${client}`, () => {
    const bed = bedWith('')
    bed.user('1002', ['desk'])
    bed.documents.set('https://acme.test/in', `<Response><Dial><Client>${client}</Client></Dial></Response>`)
    bed.peers.set('desk', { answerAfter: 100, byeAfter: 1_000 })
    bed.call('+254700000001')
    bed.run(60_000)
    assert.is(bed.store.call().status, 'completed')
    assert.equal(bed.of('leg.dial')[0]?.from, { user: '+254711111111', displayName: '' })
  })
}

test('an inbound caller’s number may be shown to softphones only', () => {
  for (const [child, seen] of [
    ['<Client>1002</Client>', '+254711111111'],
    ['<Number>1002</Number>', '+254711111111'],
    ['<Number>+254722222222</Number>', '+254700000001'],
  ]) {
    const bed = bedWith('')
    bed.user('1002', ['desk'])
    bed.documents.set('https://acme.test/in', `<Response><Dial callerId="+254711111111">${child}</Dial></Response>`)
    bed.call('+254700000001')
    bed.run(1_000)
    assert.is(bed.of('leg.dial')[0]?.from.user, seen)
  }
})

test('not registered, unknown or not active: END.1480, and the next child may answer', () => {
  const bed = bedWith('')
  bed.user('1002')
  bed.user('1003', ['desk'], { isActive: false })
  const children = '<Client>1002</Client><Client>1003</Client><Client>nobody</Client><Number>1999</Number>'
  bed.documents.set('https://acme.test/in', `<Response><Dial action="/after">${children}</Dial></Response>`)
  bed.documents.set('https://acme.test/after', '<Response/>')
  bed.call('+254700000001')
  bed.run(5_000)
  assert.is(bed.posts[1]?.fields.DialCallStatus, 'no-answer')
  assert.is(bed.posts[1]?.fields.DialReasonCode, 'END.1480')
  assert.is(bed.of('leg.dial').length, 0)
})

test('in turn: all phones of one user, and only when they have all ended those of the next', () => {
  const bed = bedWith('')
  bed.user('1002', ['a', 'b'])
  bed.user('1003', ['c'])
  for (const name of ['a', 'b']) bed.peers.set(name, { ringAfter: 10, endAfter: name === 'a' ? 100 : 900 })
  bed.peers.set('c', { answerAfter: 100, byeAfter: 500 })
  const children = '<Client>1002</Client><Client>1003</Client>'
  bed.documents.set('https://acme.test/in', `<Response><Dial sequential="true">${children}</Dial></Response>`)
  bed.call('+254700000001')
  bed.run(700)
  assert.is(bed.of('leg.dial').length, 2)
  bed.run(60_000)
  assert.is(bed.of('leg.dial').length, 3)
  assert.is(bed.store.call().reasonCode, 'END.0200')
})

test('the phones of many clients count as legs: 20 ring, at least one of each client, and the rest fail with END.3482', () => {
  const bed = bedWith('')
  const devices = Array.from({ length: 10 }, (_, at) => `device-${at}`)
  const users = Array.from({ length: 10 }, (_, at) => String(1010 + at))
  for (const user of users) {
    const names = devices.map(name => `${user}-${name}`)
    bed.user(user, names)
    for (const name of names) bed.peers.set(name, { ringAfter: 10 })
  }
  const children = users.map(user => `<Client>${user}</Client>`).join('')
  bed.documents.set('https://acme.test/in', `<Response><Dial timeout="5">${children}</Dial></Response>`)
  bed.call('+254700000001')
  bed.run(1_000)
  const rung = bed.of('leg.dial').map(({ target }) => (target.kind === 'phone' ? target.binding.id.slice(0, 4) : ''))
  assert.is(rung.length, 20)
  assert.equal([...new Set(rung)].sort(), users)
  bed.run(60_000)
  const refused = bed.store.events.filter(({ code, data }) => code === 'DIAL.0400' && data.reason_code === 'END.3482')
  assert.is(refused.length, 80)
  assert.ok(bed.exchange.isEmpty)
})

test('phones that were rung and have ended leave room: a document may ring its agents again and again', () => {
  const bed = bedWith('')
  bed.user('1002', ['a', 'b'])
  for (const name of ['a', 'b']) bed.peers.set(name, { ringAfter: 10, endAfter: 50 })
  const dial = '<Dial><Client>1002</Client></Dial>'
  bed.documents.set('https://acme.test/in', `<Response>${dial.repeat(30)}</Response>`)
  bed.call('+254700000001')
  bed.run(60_000)
  assert.is(bed.of('leg.dial').length, 60)
})

test('originate to an extension rings all its phones; the first answer gets the document', () => {
  const bed = bedWith('')
  bed.user('1002', ['desk', 'laptop'])
  bed.peers.set('desk', { ringAfter: 20 })
  bed.peers.set('laptop', { ringAfter: 30, answerAfter: 500, byeAfter: 5_000 })
  bed.documents.set('https://acme.test/out', '<Response><Pause length="60"/></Response>')
  const request = bed.originate({ to: '1002' })
  bed.run(60_000)
  assert.is(bed.replies.get(request)?.ok, true)
  const call = bed.store.call()
  assert.equal([call.direction, call.status, call.reasonCode, call.cost], ['internal', 'completed', 'END.0200', 0])
  assert.is(bed.posts.length, 1)
  assert.equal([...bed.store.legs.values()].map(({ reasonCode }) => reasonCode).sort(), ['END.0200', 'END.0487'])
  assert.ok(bed.exchange.isEmpty)
})

test('originate to an extension: all phones refuse, the most telling reason is the call’s', () => {
  const bed = bedWith('')
  bed.user('1002', ['desk', 'laptop'])
  bed.peers.set('desk', { endAfter: 100, cause: { kind: 'response', status: 480 } })
  bed.peers.set('laptop', { endAfter: 200, cause: { kind: 'response', status: 486 } })
  bed.originate({ to: '1002' })
  bed.run(60_000)
  assert.is(bed.store.call().reasonCode, 'END.0486')
  assert.ok(bed.exchange.isEmpty)
})

test('originate to an extension: rings out, is hung up while it rings, or finds no phone', () => {
  for (const [phones, act, reason] of [
    [['desk', 'laptop'], () => {}, 'END.0408'],
    [[], () => {}, 'END.1480'],
    [
      ['desk', 'laptop'],
      (bed: CallBed) => bed.send({ type: 'call.hangup', callId: bed.store.call().uuid }),
      'END.0201',
    ],
  ] as const) {
    const bed = bedWith('')
    bed.user('1002', phones)
    for (const phone of phones) bed.peers.set(phone, { ringAfter: 20 })
    bed.originate({ to: '1002', timeoutSeconds: 5 })
    bed.run(1_000)
    act(bed)
    bed.run(60_000)
    assert.is(bed.store.call().reasonCode, reason)
    assert.ok(bed.exchange.isEmpty)
  }
})

test.run()
