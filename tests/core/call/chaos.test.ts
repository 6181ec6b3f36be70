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

function world(seed: number): { rig: CallBed; balance: number } {
  const random = seeded(seed)
  const rig = new CallBed({ seed, jitter: true })
  const balance = pick(random, [10_000_000, 500_000, 60_000])
  rig.store.addAccount(
    {
      ...acme,
      fallbackMode: pick(random, ['message', 'drop', 'play'] as const),
      fallbackValue: 'https://x.test/sorry.wav',
    },
    balance,
  )
  for (const number of numbers) rig.own(own(number, `https://acme.test/${number}`))
  rig.rates = [
    rate('+254', { incrementSeconds: pick(random, [1, 6, 60]), minimumSeconds: pick(random, [0, 10]) }),
    ...(maybe(random, 0.5) ? [rate('+254', { direction: 'inbound', ratePerMinute: 3000, incrementSeconds: 1 })] : []),
  ]
  rig.trunks = [
    trunk('t1', { maxCalls: pick(random, [0, 2]) }),
    trunk('t2', { priority: 1 }),
    trunk('t3', { priority: 1, weight: 5 }),
  ]
  rig.endLatencyMs = pick(random, [1, 40, 800])
  rig.commitLatencyMs = pick(random, [1, 5, 60])
  rig.fetchLatencyMs = pick(random, [5, 100, 2000])
  for (const name of ['t1', 't2', 't3']) {
    for (const number of farNumbers) rig.peers.set(`${name}:${number}`, peer(random))
  }
  rig.peers.set('sip:a@b.test', peer(random))
  for (const url of [...numbers, 'more', 'out']) rig.documents.set(`https://acme.test/${url}`, document(random))
  return { rig, balance }
}

function disturb(rig: CallBed, random: Random): void {
  const legs = [...rig.sipLegs.keys()]
  const leg = legs.length === 0 ? ('nobody' as LegUuid) : pick(random, legs)
  const live = rig.exchange.live()
  const things = [
    () => rig.press(leg, pick(random, [...'0123456789*#'])),
    () => rig.send({ type: 'leg.digit', legId: leg, digit: '*', durationMs: 80 }),
    () => rig.send({ type: 'leg.reoffered', legId: leg, sdp: 'hold' }),
    () => rig.send({ type: 'leg.ringing', legId: leg }),
    () => rig.send({ type: 'leg.early', legId: leg, sdp: 'again', ringing: true }),
    () => (rig.sipLegs.get(leg) === 'in' ? rig.hangUpCaller(leg) : rig.endLeg(leg, { kind: 'bye' })),
    () => {
      if (live.length > 0 && maybe(random, 0.3)) {
        rig.send({ type: 'call.hangup', callId: pick(random, live).callId })
      }
    },
    () => {
      if (maybe(random, 0.1)) rig.send({ type: 'media.timeout', legId: leg })
    },
    () => {
      if (maybe(random, 0.1)) rig.send({ type: 'media.failed', legId: leg, fault: 'internal', reoffer: false })
    },
  ]
  pick(random, things)()
}

test(`${seeds} seeded worlds of ${callsPerWorld} calls end with every row closed and every shilling accounted for`, () => {
  let ended = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const { rig, balance } = world(seed)
    const random = seeded(seed + 100_000)
    const requests: string[] = []
    for (let call = 0; call < callsPerWorld; call++) {
      if (maybe(random, 0.6)) {
        rig.call(pick(random, numbers), { sdp: maybe(random, 0.8) ? 'offer' : undefined })
      } else requests.push(rig.originate({ to: pick(random, [...farNumbers, ...numbers]), from: numbers[0]! }))
      for (let moment = 0; moment < 5; moment++) {
        rig.run(upTo(random, 900))
        disturb(rig, random)
      }
    }
    if (maybe(random, 0.2)) rig.send({ type: 'exchange.drain', deadline: rig.now + upTo(random, 5000) })
    rig.run(60_000)
    for (const call of rig.exchange.live()) rig.send({ type: 'call.hangup', callId: call.callId })
    rig.run(120_000)

    const why = `seed ${seed}`
    assert.equal(rig.logged, [], why)
    assert.ok(rig.exchange.isEmpty, why)
    assert.is(rig.exchange.deadline(), undefined, why)
    assert.is(rig.sessions.size, 0, why)
    assert.is(rig.sipLegs.size, 0, why)
    for (const request of requests) assert.ok(rig.replies.has(request), why)
    let talked = 0
    for (const call of rig.store.calls.values()) {
      ended++
      assert.ok(call.status === 'completed' || call.status === 'failed', why)
      assert.is.not(call.reasonCode, '', why)
      assert.is(call.status === 'completed', call.answeredUnix !== null, why)
      const codes = rig.codes(call.uuid)
      assert.is(codes[0], 'CALL.0100', why)
      assert.is(codes.filter(code => code === 'CALL.0300' || code === 'CALL.0400').length, 1, why)
      const dials = (suffixes: RegExp) => codes.filter(code => suffixes.test(code)).length
      assert.is(dials(/^DIAL\.0100$/), dials(/^DIAL\.0[34]00$/), why)
      talked += call.cost
    }
    for (const leg of rig.store.legs.values()) assert.is.not(leg.endedUnix, null, why)
    for (const hold of rig.store.holds.values()) {
      assert.type(hold.charge, 'number', why)
      assert.ok(hold.charge! <= hold.amount, `${why}: ${hold.charge} of ${hold.amount}`)
    }
    for (const recording of rig.store.recordings.values()) assert.is.not(recording.durationMs, null, why)
    assert.is(talked, rig.store.charged, why)
    const account = rig.store.accounts.get(acme.uuid)!
    assert.is(account.held, 0, why)
    assert.is(account.balance, balance - rig.store.charged, why)
    assert.ok(account.balance >= 0, why)
  }
  assert.ok(ended > seeds * callsPerWorld * 0.6)
})

test('a fault of ours in one call ends that call with END.5500 and touches no other', () => {
  const rig = new CallBed()
  rig.documents.set('https://acme.test/in', '<Response><Say loop="0">x</Say></Response>')
  rig.call(numbers[0]!)
  const victim = rig.call(numbers[0]!)
  rig.run(500)
  const call = rig.exchange.callOfLeg(victim)!
  Object.defineProperty(call, 'event', {
    value: () => {
      Reflect.deleteProperty(call, 'event')
      throw new Error('made so')
    },
    configurable: true,
  })
  rig.press(victim, '1')
  rig.run(2000)
  assert.is(rig.exchange.counters.crashed, 1)
  assert.ok(rig.logged[0]?.includes('made so'))
  assert.is(rig.exchange.live().length, 1)
  assert.is(rig.store.call(other => other.reasonCode === 'END.5500').status, 'completed')
})

test('events for calls that are gone, or never were, are absorbed and counted', () => {
  const rig = new CallBed()
  const legId = 'nobody' as LegUuid
  rig.send({ type: 'leg.ended', legId, cause: { kind: 'bye' } })
  rig.send({ type: 'media.opened', legId, sdp: '' })
  rig.send({ type: 'leg.answered', legId, sdp: '' })
  assert.is(rig.exchange.counters.absorbed, 3)
  assert.equal(rig.commands, [])
})

test('a fault in the timer of one call ends that call and no other, and is counted as one of an event is', () => {
  const rig = new CallBed()
  rig.documents.set('https://acme.test/in', '<Response><Say loop="0">x</Say></Response>')
  rig.call(numbers[0]!)
  const victim = rig.call(numbers[0]!)
  rig.run(500)
  const call = rig.exchange.callOfLeg(victim)!
  call.timers.set('made', call.now(), () => {
    throw new Error('made so')
  })
  // The heap of deadlines learns of it with the call's next event.
  rig.press(victim, '1')
  rig.run(2000)
  assert.is(rig.exchange.counters.crashed, 1)
  assert.ok(rig.logged[0]?.includes('made so'))
  assert.is(rig.exchange.live().length, 1)
  assert.is(rig.store.call(other => other.reasonCode === 'END.5500').status, 'completed')
})

test.run()
