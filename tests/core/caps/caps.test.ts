import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { StartPacer } from '../../../core/caps/start-pacer.ts'
import { causeOfRefusal } from '../../../core/contract/originate-order.ts'
import type { AccountProfile } from '../../../core/model/account.ts'
import type { AccountUuid, LegUuid } from '../../../core/model/ids.ts'
import { acme, own } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'
import { action, at, dialling, dialTo, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

// What others and its documents make of an account is bounded.
const set = (bed: CallBed, fields: Partial<AccountProfile>) => {
  const account = bed.store.accounts.get(acme.uuid)
  if (account !== undefined) account.profile = { ...account.profile, ...fields }
}
const ends = (bed: CallBed, legId: LegUuid) =>
  bed.of('leg.end').flatMap(({ type: _, legId: id, ...end }) => (id === legId ? [end] : []))
const failed = (bed: CallBed) =>
  bed.store.events.filter(({ code }) => code === 'DIAL.0400').map(({ data }) => data.reason_code)
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+25472000000${n}`)

test('more inbound calls than max_inbound_calls: 480, END.4429, kept for their owner; who is there stays', () => {
  const bed = dialling('<Pause length="20"/>')
  set(bed, { maxInboundCalls: 2 })
  // All in one moment: none of their rows is written when the next one comes.
  const legs = [bed.call(at), bed.call(at), bed.call(at), bed.call(at)]
  bed.run(1000)
  const refused = { reason: 'END.4429', status: 480, retryAfterSeconds: 1, withoutQ850: true }
  assert.equal(
    legs.map(legId => ends(bed, legId)),
    [[], [], [refused], [refused]],
  )
  assert.is([...bed.store.calls.values()].filter(call => call.reasonCode === 'END.4429').length, 2)
  bed.hangUpCaller(legs[0]!)
  bed.run(1000)
  const next = bed.call(at)
  bed.run(1000)
  assert.equal(ends(bed, next), [], 'a place is free again')
  expectAllEnded(bed)
})

test('an on-net call counts for the called account; its caller finds the number unavailable', () => {
  const bed = dialling(`<Dial action="/after"><Number>${other}</Number></Dial>`)
  const globex = 'globex' as AccountUuid
  bed.store.addAccount({ ...acme, uuid: globex, maxInboundCalls: 0 }, 0)
  bed.store.numbers.set(other, { account: globex, number: own(other) })
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.store.call(call => call.accountUuid === globex).reasonCode, 'END.4429')
  assert.equal([action(bed).DialCallStatus, action(bed).DialReasonCode], ['no-answer', 'END.0480'])
})

test('more live legs than max_dialled_legs: the leg is failed, END.4429; its place is free when one has ended', () => {
  const bed = dialling(dialTo(...numbers(5)))
  set(bed, { maxDialledLegs: 3 })
  for (const number of numbers(5)) bed.peers.set(number, { ringAfter: 10, endAfter: 5000 })
  const first = bed.call(at)
  bed.run(1000)
  assert.is(bed.dialled.length, 3)
  assert.equal(failed(bed), ['END.4429', 'END.4429'])
  const second = bed.call(at)
  bed.run(1000)
  assert.is(bed.dialled.length, 3, 'another call of the account finds no place')
  assert.ok(bed.posts.some(({ fields }) => fields.DialReasonCode === 'END.4429'))
  for (const caller of [first, second]) bed.hangUpCaller(caller)
  bed.run(1000)
  bed.call(at)
  bed.run(2000)
  assert.is(bed.dialled.length, 3)
  expectAllEnded(bed)
})

test('every contact of an end-user that is rung is a leg', () => {
  const bed = dialling('<Dial action="/after"><Client>1001</Client></Dial>')
  set(bed, { maxDialledLegs: 4 })
  bed.user('1001', ['a', 'b', 'c', 'd', 'e', 'f'])
  bed.call(at)
  bed.run(1000)
  assert.is(bed.dialled.length, 4)
  assert.equal(failed(bed), ['END.4429', 'END.4429'])
  expectAllEnded(bed)
})

test('a place under max_dialled_legs is kept until the leg has really ended', () => {
  const bed = dialling(dialTo(far))
  set(bed, { maxDialledLegs: 1 })
  bed.endLatencyMs = 10_000
  bed.peers.set(far, { ringAfter: 10 })
  const first = bed.call(at)
  bed.run(1000)
  bed.hangUpCaller(first)
  bed.run(1000)
  bed.call(at)
  bed.run(1000)
  assert.equal(failed(bed), ['END.0487', 'END.4429'])
  bed.run(30_000)
  bed.call(at)
  bed.run(1000)
  assert.is(bed.of('leg.dial').length, 2)
  expectAllEnded(bed)
})

test('legs to trunks begin at max_calls_per_second: one waits a second for its turn, then it is failed, END.4430', () => {
  const bed = dialling(dialTo(...numbers(7)))
  set(bed, { maxCallsPerSecond: 2 })
  const begun: number[] = []
  bed.call(at)
  for (let ms = 0; ms < 3000; ms += 10) {
    bed.run(10)
    while (begun.length < bed.of('leg.dial').length) begun.push(bed.now)
  }
  assert.is(begun.length, 4)
  assert.ok(begun[1]! - begun[0]! < 20 && begun[3]! - begun[2]! < 20)
  assert.ok(begun[2]! - begun[0]! >= 990 && begun[2]! - begun[0]! <= 1010, String(begun))
  assert.equal(failed(bed), ['END.4430', 'END.4430', 'END.4430'])
  expectAllEnded(bed)
})

test('who is cancelled while it waits gives its turn to another, and costs nothing', () => {
  const bed = dialling(dialTo(...numbers(2)))
  set(bed, { maxCallsPerSecond: 1 })
  const first = bed.call(at)
  bed.run(300)
  assert.is(bed.of('leg.dial').length, 1)
  bed.hangUpCaller(first)
  bed.run(100)
  assert.equal(failed(bed), ['END.0487', 'END.0487'])
  assert.is(bed.store.legs.size, 2, 'the caller and the one that was dialled')
  bed.call(at)
  bed.run(1000)
  assert.is(bed.of('leg.dial').length, 2)
  expectAllEnded(bed)
})

test('a trunk that fails: the next one is tried in its turn, and the rows are those of each attempt', () => {
  const bed = dialling(dialTo(far))
  set(bed, { maxCallsPerSecond: 1 })
  bed.trunks = [
    { ...bed.trunks[0]!, priority: 1 },
    { ...bed.trunks[0]!, uuid: 't2' as never, name: 't2', priority: 2 },
  ]
  bed.peers.set(`t1:${far}`, { endAfter: 100, cause: { kind: 'response', status: 503 } })
  bed.peers.set(`t2:${far}`, { answerAfter: 100, byeAfter: 1000 })
  bed.call(at)
  bed.run(600)
  assert.is(bed.of('leg.dial').length, 1)
  bed.run(1000)
  assert.is(bed.of('leg.dial').length, 2)
  expectAllEnded(bed)
  assert.is(action(bed).DialCallStatus, 'completed')
  assert.equal(
    [...bed.store.legs.values()].map(({ trunkName, reasonCode }) => [trunkName, reasonCode]),
    [
      ['t1', 'END.0202'],
      ['t1', 'END.0503'],
      ['t2', 'END.0200'],
    ],
  )
})

test('the end of a call while its next trunk waits for a turn closes each row once', () => {
  const bed = dialling(dialTo(far))
  set(bed, { maxCallsPerSecond: 1 })
  bed.trunks = [
    { ...bed.trunks[0]!, priority: 1 },
    { ...bed.trunks[0]!, uuid: 't2' as never, name: 't2', priority: 2 },
  ]
  bed.peers.set(`t1:${far}`, { endAfter: 100, cause: { kind: 'response', status: 503 } })
  const caller = bed.call(at)
  bed.run(500)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
  assert.is(bed.of('leg.dial').length, 1)
  assert.equal(failed(bed), ['END.0487'])
})

test('one call whose numbers dial one another, ten times each, makes at most 20 on-net legs', () => {
  const bed = new CallBed()
  bed.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  const tenTimes = (number: string) =>
    `<Response><Dial action="/after">${`<Number>${number}</Number>`.repeat(10)}</Dial></Response>`
  bed.documents.set('https://acme.test/in', tenTimes(other))
  bed.documents.set('https://acme.test/other', tenTimes(at))
  bed.call(at)
  bed.run(60_000)
  assert.is(bed.store.calls.size, 21)
  assert.is(failed(bed).filter(reason => reason === 'END.3482').length >= 10, true)
  expectAllEnded(bed)
  assert.is(bed.store.calls.size, 21)
  // Another origin call has its own.
  bed.call(at)
  expectAllEnded(bed)
  assert.is(bed.store.calls.size, 42)
})

test('a loop through an action, one after the other, ends as well', () => {
  const bed = new CallBed()
  bed.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/other') })
  bed.documents.set('https://acme.test/in', `<Response><Dial action="/in"><Number>${other}</Number></Dial></Response>`)
  bed.documents.set('https://acme.test/other', '<Response><Pause length="1"/><Hangup reason="busy"/></Response>')
  bed.call(at)
  expectAllEnded(bed, 600_000)
  assert.is(bed.store.calls.size, 21)
  assert.is(bed.posts.find(({ fields }) => fields.DialReasonCode === 'END.3482') !== undefined, true)
})

test('a trunk may be dialled from the depth at which no on-net number may', () => {
  const bed = new CallBed()
  const chain = Array.from({ length: 9 }, (_, n) => `+25470000010${n}`)
  for (const [n, number] of chain.entries()) {
    bed.store.numbers.set(number, { account: acme.uuid, number: own(number, `https://acme.test/${n}`) })
    bed.documents.set(
      `https://acme.test/${n}`,
      `<Response><Dial><Number>${chain[n + 1] ?? '+254722222222'}</Number></Dial></Response>`,
    )
  }
  bed.call(chain[0]!)
  bed.run(5000)
  assert.is(bed.of('leg.dial').length, 1)
  expectAllEnded(bed)
})

test('a refused call costs no turn: what is refused for money, then one that is paid for', () => {
  const bed = new CallBed()
  set(bed, { maxCallsPerSecond: 1 })
  const account = bed.store.accounts.get(acme.uuid)!
  account.balance = 0
  const poor = [bed.originate(), bed.originate()]
  bed.run(100)
  account.balance = 10_000_000
  const paid = bed.originate()
  bed.run(100)
  const fast = bed.originate()
  bed.run(100)
  assert.equal(
    [...poor, paid, fast].map(id => {
      const reply = bed.replies.get(id)
      return reply?.ok === false ? causeOfRefusal(reply) : reply?.ok
    }),
    ['BILL.0402', 'BILL.0402', true, 'LIMIT.0430'],
  )
  expectAllEnded(bed)
})

test('money that two calls race for: the loser is refused for money and gives its place and its moment back', () => {
  const bed = new CallBed()
  set(bed, { maxCallsPerSecond: 2, maxConcurrentCalls: 2 })
  bed.store.accounts.get(acme.uuid)!.balance = 30_000
  const requests = [bed.originate(), bed.originate()]
  bed.run(100)
  bed.store.accounts.get(acme.uuid)!.balance = 10_000_000
  requests.push(bed.originate())
  bed.run(100)
  assert.equal(
    requests.map(id => {
      const reply = bed.replies.get(id)
      return reply?.ok === false ? causeOfRefusal(reply) : reply?.ok
    }),
    [true, 'BILL.0402', true],
  )
  expectAllEnded(bed)
})

test('turns: in every window of a second no more than the limit, in the order in which they were asked for', () => {
  const turns = new StartPacer()
  const given: number[] = []
  for (let now = 0; now < 10_000; now += 37) {
    const turn = turns.take('a', 5, now, 1000)
    if (turn !== undefined) given.push(turn)
  }
  assert.equal(
    given,
    [...given].sort((a, b) => a - b),
  )
  for (const from of given) assert.ok(given.filter(at => at >= from && at < from + 1000).length <= 5)
  assert.ok(given.length >= 50, String(given.length))
  assert.is(turns.take('b', 0, 0, 1000), undefined)
})

test.run()
