import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { acme, rate } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

// A document that the switch hosts begins while the rows of its call are being stored; nothing leaves before they are durable.

const at = '+254700000001'
const far = '+254733333333'
const dial = `<Dial><Number>${far}</Number></Dial>`

/** `inbound`: what a caller by a trunk costs a minute; undefined: nothing. */
function bedWith(verbs: string, inbound?: number): CallBed {
  const bed = new CallBed()
  bed.knowsOwners = true
  bed.hostsDocuments = true
  bed.fetchLatencyMs = 0
  bed.commitLatencyMs = 50
  bed.rates = [
    rate('+2547', { direction: 'outbound' }),
    ...(inbound === undefined ? [] : [rate('+254', { direction: 'inbound', ratePerMinute: inbound })]),
  ]
  bed.documents.set('https://acme.test/in', `<Response>${verbs}</Response>`)
  return bed
}

/** What others notice: not the store, not what is read of one's own. */
const outside = (bed: CallBed): readonly string[] =>
  bed.commands
    .map(({ type }) => type)
    .filter(type => !/^(store\.|log$|verb\.began$|document\.fetch$|media\.open$|media\.close$|call\.over$)/.test(type))

const units = (bed: CallBed) => bed.of('store.commit').map(({ unit }) => unit.map(({ type }) => type))

test('the leg of a Dial is stored while its caller is, and its INVITE leaves when both are', () => {
  const bed = bedWith(dial)
  bed.peers.set(far, { answerAfter: 100, byeAfter: 5000 })
  bed.call(at)
  bed.run(49)
  assert.equal(units(bed), [
    ['call.insert', 'leg.insert', 'event.append', 'call.update', 'event.append'],
    ['call.exists', 'leg.insert', 'hold.open', 'event.append'],
  ])
  assert.equal(outside(bed), [])
  bed.run(3)
  assert.equal(outside(bed).slice(0, 2), ['leg.ring', 'leg.dial'])
  bed.run(20_000)
  assert.is(bed.store.call().reasonCode, 'END.0200')
  assert.equal(bed.codes().slice(0, 3), ['CALL.0100', 'CALL.0180', 'DIAL.0100'])
  expectAllEnded(bed)
})

for (const verbs of [
  '<Say>Hello</Say>',
  '<Play asset="jingle"/>',
  '<Pause length="1"/><Say>Hello</Say>',
  '<Record/>',
  '<Reject/>',
  '<Hangup/>',
  '<Redirect>https://elsewhere.test/more</Redirect>',
  '<Dial answerOnBridge="false"><Number>+254733333333</Number></Dial>',
  '<Dial><Conference>a</Conference></Dial>',
  '<Dial><Number>+882000000000</Number></Dial><Say>Sorry</Say>',
  '<Dial action="https://elsewhere.test/done"><Client>unknown</Client></Dial>',
  '<Frob/>',
]) {
  test(`nothing of ${verbs} leaves before the call is stored, however long that takes`, () => {
    const ends = [1, 20_000].map(commitLatencyMs => {
      const bed = bedWith(verbs)
      bed.commitLatencyMs = commitLatencyMs
      const caller = bed.call(at)
      bed.run(commitLatencyMs - 0.5)
      assert.equal(outside(bed), [])
      assert.equal(bed.posts.length, 1, 'its first document alone')
      bed.run(60_000)
      bed.hangUpCaller(caller)
      expectAllEnded(bed)
      return [bed.store.call().reasonCode, outside(bed).filter(type => !type.startsWith('audio.'))]
    })
    const [soon, late] = ends
    assert.equal(late, soon)
    const asked = bedWith(verbs)
    asked.hostsDocuments = false
    asked.commitLatencyMs = 1
    const caller = asked.call(at)
    asked.run(60_000)
    asked.hangUpCaller(caller)
    expectAllEnded(asked)
    assert.equal([asked.store.call().reasonCode, outside(asked).filter(type => !type.startsWith('audio.'))], soon)
  })
}

test('a caller who cannot be paid for: the document has never begun', () => {
  const ends = [true, false].map(hostsDocuments => {
    const bed = bedWith(`${dial}<Say>Hello</Say>`, 60_000)
    bed.hostsDocuments = hostsDocuments
    bed.store.addAccount(acme, 20_000)
    bed.call(at)
    bed.run(20_000)
    assert.is(bed.store.call().reasonCode, 'END.0402')
    assert.equal([...bed.store.holds.values()], [])
    assert.is(bed.store.legs.size, 1)
    expectAllEnded(bed)
    return [bed.codes(), outside(bed)]
  })
  assert.equal(ends[0], ends[1])
  assert.equal(ends[0]?.[1], ['leg.end'])
})

test('money for the caller but not for the dialled leg: the Dial fails as it does later', () => {
  const ends = [true, false].map(hostsDocuments => {
    const bed = bedWith(dial, 3000)
    bed.hostsDocuments = hostsDocuments
    bed.store.addAccount(acme, 4000)
    bed.call(at)
    bed.run(20_000)
    expectAllEnded(bed)
    return [bed.store.call().reasonCode, bed.codes(), outside(bed)]
  })
  assert.equal(ends[0], ends[1])
})

test('a database that fails writes nothing of the call and of its Dial', () => {
  const bed = bedWith(dial)
  bed.failCommits = true
  bed.call(at)
  bed.run(100_000)
  assert.equal([bed.store.calls.size, bed.store.legs.size, bed.store.holds.size], [0, 0, 0])
  assert.equal(
    bed.of('leg.end').map(({ reason }) => reason),
    ['END.5500'],
  )
  assert.ok(bed.exchange.isEmpty)
})

test('a row that alone fails takes the Dial with it', () => {
  const bed = bedWith(dial)
  bed.failCommits = true
  bed.call(at)
  // After the first unit, before the second.
  bed.at(50, () => {
    bed.failCommits = false
  })
  bed.run(49)
  assert.is(units(bed).length, 2)
  bed.run(100_000)
  assert.equal([bed.store.calls.size, bed.store.legs.size, bed.store.holds.size], [0, 0, 0])
  assert.is(bed.of('leg.dial').length, 0)
  assert.ok(bed.exchange.isEmpty)
})

test('a caller who hangs up while its rows are stored leaves closed rows, and no phone has rung', () => {
  for (const after of [0, 1, 25, 50, 51]) {
    const bed = bedWith(`${dial}<Say>Hello</Say>`)
    const caller = bed.call(at)
    bed.run(after)
    bed.hangUpCaller(caller)
    bed.run(100_000)
    assert.is(bed.store.call().reasonCode, 'END.0487')
    assert.ok(after >= 50 || bed.of('leg.dial').length === 0)
    assert.ok([...bed.store.holds.values()].every(({ charge }) => charge === 0))
    expectAllEnded(bed)
  }
})

test('a caller whose media cannot be used is refused once its call is stored, and no phone has rung', () => {
  const bed = bedWith(dial)
  bed.mediaFault = () => true
  bed.call(at)
  bed.run(49)
  assert.equal(outside(bed), [])
  bed.run(20_000)
  const [end] = bed.of('leg.end')
  assert.equal([end?.reason, bed.store.call().reasonCode], ['END.0488', 'END.0488'])
  assert.is(bed.of('leg.dial').length, 0)
  expectAllEnded(bed)
})

test('a placed call does not begin its document before it is answered', () => {
  const bed = bedWith(dial)
  bed.originate()
  bed.run(49)
  assert.equal(bed.posts, [])
})

test.run()
