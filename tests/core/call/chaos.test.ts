import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LegUuid } from '../../../core/model/ids.ts'
import type { Peer } from '../../../core/testing/simulated-signaling.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { acme, own, rate } from '../bed/acme.ts'
import { CallBed, type Document } from '../bed/call-bed.ts'

// Seeded worlds in which everything happens at any moment. Whatever the order: at the end every row is closed, every
// hold settled once, the wallets agree with what was charged, and no leg, deadline or media session is left.

const seeds = 250
const callsPerWorld = 12
const numbers = ['+254700000001', '+254700000002', '+254700000003']
const farNumbers = ['+254733333331', '+254733333332', '+254733333333', '+254733333334']

type Random = () => number

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const maybe = (random: Random, chance: number) => random() < chance
const upTo = (random: Random, most: number) => Math.floor(random() * most)

function verbs(random: Random): string {
  const kinds = [
    () => '<Say>Hello there</Say>',
    () => '<Play asset="jingle"/>',
    () => '<Play asset="missing"/>',
    () => `<Pause length="${upTo(random, 5)}"/>`,
    () => `<Record maxLength="${1 + upTo(random, 20)}"/>`,
    () => '<Record action="/more"/>',
    () => '<Redirect>/more</Redirect>',
    () => `<Hangup${pick(random, ['', ' reason="busy"', ' reason="rejected"'])}/>`,
    () => dial(random),
    () => dial(random),
    () => conference(random),
  ]
  return Array.from({ length: 1 + upTo(random, 4) }, () => pick(random, kinds)()).join('')
}

function dial(random: Random): string {
  const children = Array.from({ length: 1 + upTo(random, 4) }, () => {
    const digits = maybe(random, 0.2) ? ' sendDigits="w1"' : ''
    const number = pick(random, [...farNumbers, ...numbers, '1001', '+882000000000'])
    return maybe(random, 0.1) ? '<Sip>sip:a@b.test</Sip>' : `<Number${digits}>${number}</Number>`
  })
  const attributes = [
    maybe(random, 0.5) ? ' action="/more"' : '',
    ` timeout="${1 + upTo(random, 8)}"`,
    maybe(random, 0.4) ? ' sequential="true"' : '',
    maybe(random, 0.3) ? ' answerOnBridge="false"' : '',
    maybe(random, 0.3) ? ' hangupOnStar="true"' : '',
    maybe(random, 0.2) ? ` timeLimit="${1 + upTo(random, 10)}"` : '',
  ]
  return `<Dial${attributes.join('')}>${children.join('')}</Dial>`
}

function conference(random: Random): string {
  const flag = (name: string, chance: number) => (maybe(random, chance) ? ` ${name}="${maybe(random, 0.5)}"` : '')
  const dial = [
    maybe(random, 0.5) ? ' action="/more"' : '',
    ` timeLimit="${1 + upTo(random, 20)}"`,
    maybe(random, 0.3) ? ' hangupOnStar="true"' : '',
    maybe(random, 0.3) ? ` record="${pick(random, ['record-from-answer', 'record-from-answer-dual'])}"` : '',
  ]
  const attributes = [
    flag('muted', 0.3),
    flag('startOnEnter', 0.6),
    flag('endOnExit', 0.4),
    maybe(random, 0.3) ? ` beep="${pick(random, ['false', 'onEnter', 'onExit'])}"` : '',
    maybe(random, 0.4) ? ` waitAsset="${pick(random, ['jingle', 'missing', 'ke', 'silence'])}"` : '',
    maybe(random, 0.3) ? ` maxMembers="${2 + upTo(random, 3)}"` : '',
  ]
  return `<Dial${dial.join('')}><Conference${attributes.join('')}>${pick(random, ['a', 'b'])}</Conference></Dial>`
}

function peer(random: Random): Peer {
  return {
    ...(maybe(random, 0.6) ? { ringAfter: upTo(random, 500) } : {}),
    ...(maybe(random, 0.3) ? { earlyAfter: upTo(random, 1000) } : {}),
    ...(maybe(random, 0.6) ? { answerAfter: upTo(random, 5000) } : {}),
    ...(maybe(random, 0.6) ? { byeAfter: upTo(random, 40_000) } : {}),
    ...(maybe(random, 0.3)
      ? {
          endAfter: upTo(random, 6000),
          cause: pick(random, [
            { kind: 'response', status: 486 },
            { kind: 'response', status: 503 },
            { kind: 'response', status: 408 },
            { kind: 'timeout' },
            { kind: 'unreachable' },
            { kind: 'auth-failed' },
          ] as const),
        }
      : {}),
  }
}

function document(random: Random): Document {
  if (maybe(random, 0.05)) return { fault: 'timeout' }
  if (maybe(random, 0.03)) return '<Respon'
  return `<Response>${verbs(random)}</Response>`
}

function world(seed: number): { bed: CallBed; balance: number } {
  const random = seeded(seed)
  const bed = new CallBed({ seed, jitter: true })
  const balance = pick(random, [10_000_000, 500_000, 60_000])
  bed.store.addAccount(
    {
      ...acme,
      fallbackMode: pick(random, ['message', 'drop', 'play'] as const),
      fallbackValue: 'https://x.test/sorry.wav',
    },
    balance,
  )
  for (const number of numbers) bed.own(own(number, `https://acme.test/${number}`))
  bed.rates = [
    rate('+254', { incrementSeconds: pick(random, [1, 6, 60]), minimumSeconds: pick(random, [0, 10]) }),
    ...(maybe(random, 0.5) ? [rate('+254', { direction: 'inbound', ratePerMinute: 3000, incrementSeconds: 1 })] : []),
  ]
  bed.trunks = [
    trunk('t1', { maxCalls: pick(random, [0, 2]) }),
    trunk('t2', { priority: 1 }),
    trunk('t3', { priority: 1, weight: 5 }),
  ]
  bed.hostsDocuments = maybe(random, 0.5)
  bed.endLatencyMs = pick(random, [1, 40, 800])
  bed.commitLatencyMs = pick(random, [1, 5, 60])
  bed.fetchLatencyMs = pick(random, [5, 100, 2000])
  for (const name of ['t1', 't2', 't3']) {
    for (const number of farNumbers) bed.peers.set(`${name}:${number}`, peer(random))
  }
  bed.peers.set('sip:a@b.test', peer(random))
  for (const url of [...numbers, 'more', 'out']) bed.documents.set(`https://acme.test/${url}`, document(random))
  return { bed, balance }
}

function disturb(bed: CallBed, random: Random): void {
  const legs = [...bed.sipLegs.keys()]
  const leg = legs.length === 0 ? ('nobody' as LegUuid) : pick(random, legs)
  const live = bed.exchange.live()
  const things = [
    () => bed.press(leg, pick(random, [...'0123456789*#'])),
    () => bed.send({ type: 'leg.digit', legId: leg, digit: '*', durationMs: 80 }),
    () => bed.send({ type: 'leg.reoffered', legId: leg, sdp: 'hold' }),
    () => bed.send({ type: 'leg.ringing', legId: leg }),
    () => bed.send({ type: 'leg.early', legId: leg, sdp: 'again', ringing: true }),
    () => (bed.sipLegs.get(leg) === 'in' ? bed.hangUpCaller(leg) : bed.endLeg(leg, { kind: 'bye' })),
    () => {
      if (live.length > 0 && maybe(random, 0.3)) {
        bed.send({ type: 'call.hangup', callId: pick(random, live).callId })
      }
    },
    () => {
      if (maybe(random, 0.1)) bed.send({ type: 'media.timeout', legId: leg })
    },
    () => {
      if (maybe(random, 0.1)) bed.send({ type: 'media.failed', legId: leg, fault: 'internal', reoffer: false })
    },
  ]
  pick(random, things)()
}

test(`${seeds} seeded worlds of ${callsPerWorld} calls end with every row closed and every shilling accounted for`, () => {
  let ended = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const { bed, balance } = world(seed)
    const random = seeded(seed + 100_000)
    const requests: string[] = []
    for (let call = 0; call < callsPerWorld; call++) {
      if (maybe(random, 0.6)) {
        bed.call(pick(random, numbers), { sdp: maybe(random, 0.8) ? 'offer' : undefined })
      } else requests.push(bed.originate({ to: pick(random, [...farNumbers, ...numbers]), from: numbers[0]! }))
      for (let moment = 0; moment < 5; moment++) {
        bed.run(upTo(random, 900))
        disturb(bed, random)
      }
    }
    if (maybe(random, 0.2)) bed.send({ type: 'exchange.drain', deadline: bed.now + upTo(random, 5000) })
    bed.run(60_000)
    for (const call of bed.exchange.live()) bed.send({ type: 'call.hangup', callId: call.callId })
    bed.run(120_000)

    const why = `seed ${seed}`
    assert.equal(bed.logged, [], why)
    assert.ok(bed.exchange.isEmpty, why)
    assert.is(bed.exchange.deadline(), undefined, why)
    assert.is(bed.sessions.size, 0, why)
    assert.is(bed.sipLegs.size, 0, why)
    for (const request of requests) assert.ok(bed.replies.has(request), why)
    let talked = 0
    for (const call of bed.store.calls.values()) {
      ended++
      assert.ok(call.status === 'completed' || call.status === 'failed', why)
      assert.is.not(call.reasonCode, '', why)
      assert.is(call.status === 'completed', call.answeredUnix !== null, why)
      const codes = bed.codes(call.uuid)
      assert.is(codes[0], 'CALL.0100', why)
      assert.is(codes.filter(code => code === 'CALL.0300' || code === 'CALL.0400').length, 1, why)
      const dials = (suffixes: RegExp) => codes.filter(code => suffixes.test(code)).length
      assert.is(dials(/^DIAL\.0100$/), dials(/^DIAL\.0[34]00$/), why)
      talked += call.cost
    }
    for (const leg of bed.store.legs.values()) assert.is.not(leg.endedUnix, null, why)
    for (const hold of bed.store.holds.values()) {
      assert.type(hold.charge, 'number', why)
      assert.ok(hold.charge! <= hold.amount, `${why}: ${hold.charge} of ${hold.amount}`)
    }
    for (const recording of bed.store.recordings.values()) assert.is.not(recording.durationMs, null, why)
    assert.is(talked, bed.store.charged, why)
    const account = bed.store.accounts.get(acme.uuid)!
    assert.is(account.held, 0, why)
    assert.is(account.balance, balance - bed.store.charged, why)
    assert.ok(account.balance >= 0, why)
  }
  assert.ok(ended > seeds * callsPerWorld * 0.6)
})

test('a fault of ours in one call ends that call with END.5500 and touches no other', () => {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', '<Response><Say loop="0">x</Say></Response>')
  bed.call(numbers[0]!)
  const victim = bed.call(numbers[0]!)
  bed.run(500)
  const call = bed.exchange.callOfLeg(victim)!
  Object.defineProperty(call, 'event', {
    value: () => {
      Reflect.deleteProperty(call, 'event')
      throw new Error('made so')
    },
    configurable: true,
  })
  bed.press(victim, '1')
  bed.run(2000)
  assert.is(bed.exchange.counters.crashed, 1)
  assert.ok(bed.logged[0]?.includes('made so'))
  assert.is(bed.exchange.live().length, 1)
  assert.is(bed.store.call(other => other.reasonCode === 'END.5500').status, 'completed')
})

test('a fault in the end of a call too: its legs end, and requests that wait for its end get it', () => {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', '<Response><Say loop="0">x</Say></Response>')
  const victim = bed.call(numbers[0]!)
  bed.run(500)
  const call = bed.exchange.callOfLeg(victim)!
  Object.defineProperty(call, 'finish', {
    value: () => {
      throw new Error('made so')
    },
  })
  bed.send({ type: 'call.hangup', callId: call.callId })
  bed.run(2000)
  assert.is(bed.sipLegs.size, 0)
  assert.equal(
    bed.over.map(({ sid }) => sid),
    [call.sid],
  )
})

test('events for calls that are gone, or never were, are absorbed and counted', () => {
  const bed = new CallBed()
  const legId = 'nobody' as LegUuid
  bed.send({ type: 'leg.ended', legId, cause: { kind: 'bye' } })
  bed.send({ type: 'media.opened', legId, sdp: '' })
  bed.send({ type: 'leg.answered', legId, sdp: '' })
  assert.is(bed.exchange.counters.absorbed, 3)
  assert.equal(bed.commands, [])
})

test('a fault in the timer of one call ends that call and no other, and is counted as one of an event is', () => {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', '<Response><Say loop="0">x</Say></Response>')
  bed.call(numbers[0]!)
  const victim = bed.call(numbers[0]!)
  bed.run(500)
  const call = bed.exchange.callOfLeg(victim)!
  call.timers.set('made', call.now(), () => {
    throw new Error('made so')
  })
  // The heap of deadlines learns of it with the call's next event.
  bed.press(victim, '1')
  bed.run(2000)
  assert.is(bed.exchange.counters.crashed, 1)
  assert.ok(bed.logged[0]?.includes('made so'))
  assert.is(bed.exchange.live().length, 1)
  assert.is(bed.store.call(other => other.reasonCode === 'END.5500').status, 'completed')
})

test.run()
