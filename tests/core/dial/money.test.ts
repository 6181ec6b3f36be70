import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { trunk } from '../../rig/beds/trunk.ts'
import { acme, rate } from '../bed/acme.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { action, at, dialling, dialTo, far } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'
import { placing, to } from '../bed/placed-bed.ts'

test('a timer that fires late costs no further increment: the charge ends at the last second', () => {
  const limited = dialling(`<Dial action="/after" timeLimit="60"><Number>${far}</Number></Dial>`)
  limited.timerLateMs = 7
  limited.peers.set(far, { ringAfter: 100, answerAfter: 500 })
  limited.call(at)
  limited.run(90_000)
  assert.is(action(limited).DialCallDuration, 60)
  assert.is(limited.store.call().cost, 30_000)

  const poor = dialling(dialTo(far))
  poor.timerLateMs = 7
  poor.store.addAccount(acme, 65_000)
  poor.peers.set(far, { answerAfter: 100 })
  poor.call(at)
  poor.run(180_000)
  assert.is(poor.store.call().reasonCode, 'END.0211')
  const reported = poor.store.events.filter(event => event.code === 'DIAL.0300').map(event => event.data.talk_seconds)
  assert.equal([poor.store.call().cost, reported], [60_000, [120]])
})

test('however late a timer fires, a leg ends, and is charged, with the last second that was paid', () => {
  const bed = dialling(dialTo(far))
  bed.timerLateMs = 20_000
  bed.store.addAccount(acme, 30_000)
  // The hold is to be grown at 45 s; at 65 s both that timer and the BYE are dealt with.
  bed.peers.set(far, { answerAfter: 100, byeAfter: 60_050 })
  bed.call(at)
  bed.run(180_000)
  assert.is(bed.store.call().cost, 30_000)
  assert.is(bed.store.accounts.get(acme.uuid)?.balance, 0)
  const leg = [...bed.store.legs.values()].find(({ role, trunkName }) => role === 'callee' && trunkName !== '')
  assert.is((leg?.endedUnix ?? 0) - (leg?.answeredUnix ?? 0), 60_000)
})

test('money is not used up while the ledger does not answer: the leg is cut at the last second that was paid', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { answerAfter: 100 })
  bed.call(at)
  bed.run(40_000)
  bed.commitLatencyMs = 3_600_000
  bed.run(30_000)
  assert.is(bed.of('leg.end').at(-1)?.reason, 'END.0211')
  bed.run(2 * 3_600_000)
  assert.is(bed.store.call().reasonCode, 'END.0211')
  assert.is(bed.store.call().cost, 30_000)
  expectAllEnded(bed)
})

test('a database that fails when the hold is to grow ends no call: it is asked again until the last second that was paid', () => {
  for (const isBackIn of [10_000, 30_000]) {
    const bed = dialling(dialTo(far))
    bed.peers.set(far, { answerAfter: 100, byeAfter: 90_000 })
    bed.call(at)
    bed.run(40_000)
    bed.failCommits = true
    bed.run(isBackIn)
    bed.failCommits = false
    bed.run(120_000)
    const isInTime = isBackIn === 10_000
    assert.is(bed.store.call().reasonCode, isInTime ? 'END.0202' : 'END.0211', `${isBackIn}`)
    assert.is(bed.store.call().cost, isInTime ? 60_000 : 30_000)
    assert.ok(bed.exchange.isEmpty)
  }
})

/** A Dial runs to where `isThere`; until then all is written. */
function runTo(bed: CallBed, isThere: () => boolean): void {
  for (let ms = 0; !isThere(); ms++) {
    assert.ok(ms < 10_000, 'it comes to that')
    bed.run(1)
  }
}

/** Every row that was begun is closed, every hold settled, and the money is where the holds say. */
function expectClosed(bed: CallBed, balance: number): void {
  bed.run(120_000)
  assert.ok(bed.exchange.isEmpty, bed.logged.join('; '))
  const { endedUnix, reasonCode } = bed.store.call()
  assert.ok(endedUnix !== null)
  assert.is(reasonCode, 'END.5500')
  assert.ok([...bed.store.legs.values()].every(leg => leg.endedUnix !== null && leg.reasonCode !== ''))
  assert.ok([...bed.store.holds.values()].every(({ charge }) => charge !== undefined))
  const account = bed.store.accounts.get(acme.uuid)
  assert.equal([account?.balance, account?.held], [balance - bed.store.charged, 0])
}

test('a database that fails while a leg is placed: the leg never was, and all that was is closed', () => {
  for (const sequence of ['first', 'second trunk']) {
    const bed = dialling(dialTo(far))
    bed.rates.push(rate('+254', { direction: 'inbound' }))
    bed.trunks = [trunk('t1'), trunk('t2', { priority: 2 })]
    bed.peers.set(far, { endAfter: 100, cause: { kind: 'response', status: 503 } })
    bed.call(at)
    const placed = sequence === 'first' ? 0 : 1
    const places = () => bed.of('store.commit').filter(({ unit }) => unit.some(change => change.type === 'hold.open'))
    // The caller's own leg is the first of them.
    runTo(bed, () => places().length === placed + 2)
    bed.failCommits = true
    bed.run(5)
    bed.failCommits = false
    expectClosed(bed, 10_000_000)
    assert.is(bed.store.legs.size, placed + 1, sequence)
  }
})

test('a leg whose unit failed is announced by the same event again: the unit may have been written all the same', () => {
  const bed = dialling(dialTo(far))
  bed.call(at)
  const announced = () =>
    bed.of('store.commit').flatMap(({ unit }) => {
      const events = unit.flatMap(change => (change.type === 'event.append' ? change : []))
      return events.filter(({ event }) => event.code === 'DIAL.0100')
    })
  runTo(bed, () => announced().length === 1)
  bed.failCommits = true
  bed.run(5)
  bed.failCommits = false
  bed.run(120_000)
  assert.ok(bed.exchange.isEmpty, bed.logged.join('; '))
  const [first, ...again] = announced()
  assert.ok(again.length > 0)
  // The object itself is what the store knows it by.
  assert.ok(again.every(change => change === first))
})

test('a database that fails while a placed call goes on by another trunk: what was is closed', () => {
  const bed = placing()
  bed.trunks = [trunk('t1'), trunk('t2', { priority: 2 })]
  bed.peers.set(to, { endAfter: 100, cause: { kind: 'response', status: 503 } })
  bed.originate()
  runTo(bed, () => bed.of('store.commit').some(({ unit }) => unit[0]?.type === 'leg.insert'))
  bed.failCommits = true
  bed.run(5)
  bed.failCommits = false
  expectClosed(bed, 10_000_000)
  assert.is(bed.store.legs.size, 1)
})

test('a database that fails while a leg is cancelled and placed at once: the call’s last unit is right', () => {
  const bed = dialling(dialTo(far))
  const caller = bed.call(at)
  runTo(bed, () => bed.of('store.commit').some(({ unit }) => unit.some(change => change.type === 'hold.open')))
  bed.failCommits = true
  bed.hangUpCaller(caller)
  bed.run(5)
  bed.failCommits = false
  bed.run(120_000)
  assert.ok(bed.exchange.isEmpty)
  assert.ok(bed.store.call().endedUnix !== null)
  assert.is(bed.store.legs.size, 1)
  assert.is(bed.store.holds.size, 0)
})

test('a database that fails when a dialled leg ends: the call’s last unit closes the leg, at its own end', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { answerAfter: 100, byeAfter: 5000 })
  bed.call(at)
  const ends = () => bed.of('store.commit').some(({ unit }) => unit.some(change => change.type === 'hold.settle'))
  runTo(bed, ends)
  bed.failCommits = true
  bed.run(5)
  bed.failCommits = false
  expectClosed(bed, 10_000_000)
  assert.is(bed.store.charged, 30_000)
  assert.is(bed.codes().filter(code => code === 'BILL.0200').length, 1)
})

test('a database that fails when a leg is answered: the rows tell the answer all the same', () => {
  const bed = dialling(dialTo(far))
  bed.peers.set(far, { answerAfter: 100 })
  bed.call(at)
  const leg = () => [...bed.store.legs.values()].at(-1)
  const answers = () =>
    bed.of('store.commit').some(({ unit }) => unit[0]?.type === 'leg.update' && unit[0].uuid === leg()?.uuid)
  runTo(bed, answers)
  bed.failCommits = true
  bed.run(5)
  bed.failCommits = false
  expectClosed(bed, 10_000_000)
  assert.is(bed.store.charged, 30_000)
  assert.type(leg()?.answeredUnix, 'number')
  assert.type(bed.store.call().answeredUnix, 'number')
})

test('a BYE in the moment of the answer costs the fee and the least time', () => {
  for (const isDial of [true, false]) {
    const bed = isDial ? dialling(dialTo(far)) : placing()
    bed.rates = [rate('+254', { connectionFee: 1000, incrementSeconds: 1, minimumSeconds: 30 })]
    bed.peers.set(isDial ? far : to, { answerAfter: 100 })
    if (isDial) bed.call(at)
    else bed.originate()
    const [legId] = (() => {
      runTo(bed, () => bed.dialled.length > 0)
      return bed.dialled
    })()
    if (legId === undefined) throw new Error('nothing was dialled')
    bed.run(50)
    bed.send({ type: 'leg.answered', legId, sdp: 'answer' })
    bed.endLeg(legId, { kind: 'bye' })
    expectAllEnded(bed)
    assert.is(bed.store.charged, 16_000)
    assert.is([...bed.store.holds.values()].at(-1)?.talkSeconds, 1)
    const leg = [...bed.store.legs.values()].at(-1)
    assert.is(leg?.endedUnix, (leg?.answeredUnix ?? 0) + 1)
    if (!isDial) assert.is(bed.store.call().talkSeconds, 1)
  }
})

test('money that comes while the last of it runs out is taken, up to the last second', () => {
  for (const toppedUpAt of [50_000, 55_000, 58_900]) {
    const bed = dialling(dialTo(far))
    bed.store.addAccount(acme, 65_000)
    bed.peers.set(far, { answerAfter: 100 })
    bed.call(at)
    bed.run(60_000 + toppedUpAt)
    const account = bed.store.accounts.get(acme.uuid)
    if (account !== undefined) account.balance += 30_000
    bed.run(50_000)
    assert.is(bed.store.call().reasonCode, '', `topped up at ${toppedUpAt}`)
    bed.run(60_000)
    assert.equal([bed.store.call().reasonCode, bed.store.call().cost], ['END.0211', 90_000])
  }
})

test('money that runs out: reported, warned, cut at the last paid second', () => {
  const bed = dialling(dialTo(far))
  bed.store.addAccount(acme, 65_000)
  bed.peers.set(far, { answerAfter: 100 })
  bed.call(at)
  bed.run(60_000)
  expectAllEnded(bed)
  const call = bed.store.call()
  assert.is(call.reasonCode, 'END.0211')
  assert.is(call.cost, 60_000)
  assert.is(call.talkSeconds, 120)
  assert.is(bed.store.accounts.get(acme.uuid)?.balance, 5000)
  assert.equal(
    bed.codes().filter(code => code.startsWith('BILL')),
    ['BILL.0100', 'BILL.0200'],
  )
  const tone = bed.of('media.play').find(play => play.source.kind === 'tone' && play.source.tone === 'warning')
  assert.ok(tone !== undefined)
})

test('a wallet that is topped up after the warning keeps the call', () => {
  const bed = dialling(dialTo(far))
  bed.store.addAccount(acme, 30_000)
  bed.peers.set(far, { answerAfter: 100, byeAfter: 90_000 })
  bed.call(at)
  bed.run(48_000)
  bed.store.accounts.get(acme.uuid)!.balance += 100_000
  expectAllEnded(bed)
  assert.is(bed.store.call().reasonCode, 'END.0202')
  assert.is(bed.store.call().cost, 60_000)
})

test.run()
