import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callEnvironment } from '../../../../core/adapters/exchange/environment.ts'
import { ExchangeRunner } from '../../../../core/adapters/exchange/index.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { systemClock, systemRandom } from '../../../../core/adapters/system/system-clock.ts'
import { RateDeck } from '../../../../core/billing/rate-deck.ts'
import type { ExchangeEvent } from '../../../../core/contract/exchange-event.ts'
import { causeOfRefusal } from '../../../../core/contract/originate-order.ts'
import { Exchange } from '../../../../core/exchange/exchange.ts'
import type { LegUuid, TrunkUuid } from '../../../../core/model/ids.ts'
import type { MediaCommand } from '../../../../core/ports/media.ts'
import type { SignalingCommand } from '../../../../core/ports/signaling.ts'
import type { CallStore } from '../../../../core/ports/store.ts'
import { MemoryStore } from '../../../../core/testing/memory-store.ts'
import { trunk } from '../../../rig/beds/trunk.ts'
import { until } from '../../../rig/probes/wait.ts'
import { acme, own, rate } from '../../bed/acme.ts'

const number = '+254700000001'

interface Bed {
  readonly runner: ExchangeRunner
  readonly exchange: Exchange
  readonly store: MemoryStore
  readonly signals: SignalingCommand[]
  readonly errors: string[]
  offer(legId: string): void
}

interface Faults {
  readonly media?: (command: MediaCommand) => void
  readonly signaling?: (command: SignalingCommand) => void
  readonly commit?: () => void
}

function bed(faults: Faults = {}): Bed {
  const store = new MemoryStore()
  store.addAccount(acme, 1_000_000)
  store.numbers.set(number, { account: acme.uuid, number: own(number) })
  const errors: string[] = []
  const log = { error: (_: unknown, message: string) => errors.push(message), warn() {}, info() {}, debug() {} }
  const [trunks, deck, destinations] = [[trunk('t1')], new RateDeck([rate('+')]), { blocked: [], allowed: [] }]
  const exchange = new Exchange(
    callEnvironment({
      knownOwner: () => undefined,
      isHosted: () => false,
      clock: systemClock,
      random: systemRandom,
      trunks: () => trunks,
      deck: () => deck,
      destinations: () => destinations,
      bindingsOf: () => [],
      sipTarget: () => undefined,
      recordingsFolder: join(tmpdir(), 'sauti-runner-never-made'),
      recordingQuota: 1_000_000,
      recordingDays: 90,
    }),
  )
  const callStore: CallStore = {
    commit: async unit => {
      faults.commit?.()
      return store.commit(unit)
    },
    account: async uuid => store.accounts.get(uuid)?.profile,
    numberOwner: async e164 => store.ownerOf(e164),
    knownOwner: () => undefined,
    firstNumber: async () => undefined,
    spendable: async () => 0,
    ownedNumber: async (_account, e164) => store.numbers.get(e164)?.number,
    endUser: async () => undefined,
  }
  const runner = new ExchangeRunner({ exchange, store: callStore, clock: systemClock, log })
  const signals: SignalingCommand[] = []
  runner.connect({
    signaling: {
      execute: command => {
        signals.push(command)
        faults.signaling?.(command)
        // A port that answers from within execute must not be handled in the middle of another event.
        if (command.type === 'leg.end') {
          runner.post({ type: 'leg.ended', legId: command.legId, cause: { kind: 'bye' } })
        }
      },
    },
    media: { execute: command => faults.media?.(command) },
    documents: {
      execute: ({ callId, requestId }) => {
        const bytes = new TextEncoder().encode('<Response><Say>Hello</Say></Response>')
        const event: ExchangeEvent = { type: 'document.fetched', callId, requestId, bytes }
        setTimeout(() => runner.post(event), 1)
      },
      abandon: () => {},
    },
    audio: { execute: () => {}, abandon: () => {} },
  })
  return {
    runner,
    exchange,
    store,
    signals,
    errors,
    offer: legId =>
      runner.post({
        type: 'leg.offered',
        legId: legId as LegUuid,
        trunkId: 't1' as TrunkUuid,
        from: { user: '+254711111111', displayName: '' },
        to: number,
        sdp: 'offer',
      }),
  }
}

const soon = (ms = 30) => new Promise(resolve => setTimeout(resolve, ms))

test('a port that throws ends the call that asked, is logged, and harms no other', async () => {
  let opened = 0
  const { runner, exchange, store, errors, offer } = bed({
    media: command => {
      if (command.type === 'media.open' && ++opened === 2) throw new Error('made so')
    },
  })
  offer('sound')
  await until('the media of the sound call', () => opened === 1)
  offer('broken')
  await until('the end of the other', () => errors.length > 0 && exchange.live().length === 1)
  assert.is(exchange.live().length, 1)
  assert.equal(errors, ['a port has failed'])
  assert.is(store.call(call => call.reasonCode === 'END.5500').status, 'failed')
  runner.close()
})

test('what comes at once is not worked off in one turn, it says so meanwhile, and the order stays', async () => {
  const opened: string[] = []
  const { runner, offer } = bed({
    media: command => {
      if (command.type !== 'media.open') return
      opened.push(command.legId)
      // As long as some dozen calls take.
      for (const until = performance.now() + 5; performance.now() < until; );
    },
  })
  const legs = Array.from({ length: 20 }, (_, at) => `leg-${at}`)
  for (const leg of legs) offer(leg)
  // The store answers each of them in a turn of its own; from then on their media is opened.
  let turns = 0
  let wasBehind = false
  while (opened.length < legs.length) {
    const before = opened.length
    await new Promise(resolve => setImmediate(resolve))
    wasBehind ||= runner.isBehind
    if (opened.length > before) turns++
  }
  assert.ok(turns >= 5, `${turns} turns`)
  assert.ok(wasBehind)
  assert.equal(opened, legs)
  runner.close()
})

test('deadlines that pass at once are not worked off in one turn, and what came before them counts before', async () => {
  const ended: LegUuid[] = []
  const { runner, exchange, offer, store } = bed({
    signaling: command => {
      if (command.type !== 'leg.end') return
      ended.push(command.legId)
      for (const until = performance.now() + 5; performance.now() < until; );
    },
  })
  const legs = Array.from({ length: 20 }, (_, at) => `leg-${at}` as LegUuid)
  for (const leg of legs) offer(leg)
  await until('all calls', () => exchange.live().length === legs.length && store.calls.size === legs.length)
  runner.post({ type: 'exchange.drain', deadline: systemClock.now() })
  // The loop is held until the deadline has passed; an event that comes meanwhile was there before.
  for (const until = performance.now() + 5; performance.now() < until; );
  runner.post({ type: 'leg.ended', legId: legs[7]!, cause: { kind: 'bye' } })
  let turns = 0
  while (exchange.live().length > 0) {
    const before = ended.length
    await new Promise(resolve => setImmediate(resolve))
    if (ended.length > before) turns++
  }
  assert.ok(turns >= 5, `${turns} turns`)
  assert.is(new Set(ended).size, legs.length - 1, 'the one that hung up was not ended once more')
  assert.is(store.calls.size, legs.length)
  runner.close()
})

test('a store that rejects ends the call, and the caller gets a final response', async () => {
  let isBroken = true
  const { runner, exchange, signals, offer } = bed({
    commit: () => {
      if (isBroken) throw new Error('disk full')
    },
  })
  offer('one')
  await until('its end', () => exchange.isEmpty)
  assert.equal(
    signals.map(command => command.type === 'leg.end' && command.reason),
    ['END.5500'],
  )
  isBroken = false
  offer('two')
  await until('the ring of the other', () => signals.some(({ type }) => type === 'leg.ring'))
  assert.is(exchange.live().length, 1)
  runner.close()
})

test('what waits is answered when the runner closes, and nothing is sent after it', async () => {
  const { runner, exchange, signals, offer } = bed()
  offer('one')
  await until('its ring', () => signals.some(({ type }) => type === 'leg.ring'))
  const [call] = exchange.live()
  const ended = runner.hangUp(call!)
  const placing = runner.originate({ accountId: acme.uuid, to: '+254722222222', from: number, url: 'https://x.test/' })
  runner.close()
  await ended
  const result = await placing
  assert.is(result.ok === false && causeOfRefusal(result), 'END.5503')
  const before = signals.length
  offer('two')
  await soon()
  assert.is(signals.length, before)
  const late = await runner.originate({ accountId: acme.uuid, to: '+254722222222', from: number, url: 'x' })
  assert.is(late.ok, false)
})

test('a hang-up resolves once the last row is durable', async () => {
  const { runner, exchange, store, signals, offer } = bed()
  offer('one')
  await until('its ring', () => signals.some(({ type }) => type === 'leg.ring'))
  await runner.hangUp(exchange.live()[0]!)
  assert.is(store.call().reasonCode, 'END.0201')
  await soon()
  runner.close()
})

test('events that come before the ports are joined wait for them', async () => {
  const { exchange, store } = bed()
  const early = new ExchangeRunner({
    exchange,
    store: { commit: async () => ({ ok: true }) } as never as CallStore,
    clock: systemClock,
    log: silentLog,
  })
  early.post({ type: 'exchange.drain', deadline: systemClock.now() + 1000 })
  assert.not.ok(exchange.isDraining)
  const deaf = { execute: () => {}, abandon: () => {} }
  early.connect({ signaling: deaf, media: deaf, audio: deaf, documents: deaf })
  assert.ok(exchange.isDraining)
  assert.is(store.calls.size, 0)
  early.close()
})

test.run()
