import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { EndpointInput, EndpointOutput } from '../../../sip/endpoint/input.ts'
import type { CallEvent } from '../../../sip/endpoint/services/call-event.ts'
import { defaultLimits, defaultTimers, Endpoint } from '../../../sip/index.ts'
import { defaultTransportLimits, SipTransport } from '../../../sip/transport/index.ts'

test('a fault that a timer sets off is reported, and the timers after it run', async () => {
  let due = 2
  class Faulty extends Endpoint {
    override deadline(): number | undefined {
      return due > 0 ? 5 : undefined
    }
    override timeout(): readonly EndpointOutput[] {
      if (due-- === 2) throw new Error('a fault of ours')
      return []
    }
  }
  const endpoint = new Faulty({
    timers: defaultTimers,
    limits: defaultLimits,
    realm: 'sauti.test',
    userAgent: 'Sauti',
    random: length => new Uint8Array(length).fill(7),
    hash: (_algorithm, text) => text,
    newId: () => 'id',
  })
  const alarms: (() => void)[] = []
  const faults: string[] = []
  const driver = await SipTransport.open(endpoint, {
    listeners: [],
    externalAddresses: [],
    limits: defaultTransportLimits,
    dns: { naptr: async () => [], srv: async () => [], addresses: async () => [] },
    clock: {
      now: () => 10,
      at: (deadline, fire) => {
        if (deadline === 10) alarms.push(fire)
        return () => {}
      },
    },
    random: () => 0,
    onCall() {},
    onPeer() {},
    onFault: what => faults.push(what),
  })
  driver.run({ type: 'drain', on: false })
  alarms.shift()?.()
  assert.is(faults.length, 1)
  assert.match(faults[0] ?? '', /timer.*a fault of ours/)
  assert.is(endpoint.counters.faults, 1)
  alarms.shift()?.()
  assert.is(due, 0)
  await driver.close()
})

/** An endpoint whose `handle` fails for one kind of input, after it has made an output. */
async function faultyFor(type: EndpointInput['type']) {
  const flow = { transport: 'udp', address: '192.0.2.1', port: 5060, socket: 1, localHost: '', localPort: 0 } as const
  class Faulty extends Endpoint {
    override handle(input: EndpointInput, now: number): readonly EndpointOutput[] {
      if (input.type !== type) return super.handle(input, now)
      this.emit({ type: 'ringing', id: 'before the fault' })
      throw new Error('a fault of ours')
    }
  }
  const endpoint = new Faulty({
    timers: defaultTimers,
    limits: defaultLimits,
    realm: 'sauti.test',
    userAgent: 'Sauti',
    random: length => new Uint8Array(length).fill(7),
    hash: (_algorithm, text) => text,
    newId: () => 'id',
  })
  const faults: string[] = []
  const events: CallEvent[] = []
  const onCalls: ((event: CallEvent) => void)[] = []
  const driver = await SipTransport.open(endpoint, {
    listeners: [],
    externalAddresses: [],
    limits: defaultTransportLimits,
    dns: { naptr: async () => [], srv: async () => [], addresses: async () => [] },
    clock: { now: () => 10, at: () => () => {} },
    random: () => 0,
    onCall: event => {
      events.push(event)
      onCalls.shift()?.(event)
    },
    onPeer() {},
    onFault: what => faults.push(what),
  })
  return { endpoint, driver, flow, faults, events, onCalls }
}

test('a fault of an input from a timer is counted, and the outputs before it are carried out', async () => {
  const { endpoint, driver, flow, faults, events } = await faultyFor('flow-closed')
  driver.run({ type: 'flow-closed', flow })
  assert.is(endpoint.counters.faults, 1)
  assert.match(faults[0] ?? '', /flow-closed.*a fault of ours/)
  assert.equal(events, [{ type: 'ringing', id: 'before the fault' }])
  await driver.close()
})

test('a fault of a command goes to who gave it; of one that waited its turn, the call is reported as ended', async () => {
  const { endpoint, driver, faults, events, onCalls } = await faultyFor('ring')
  assert.throws(() => driver.run({ type: 'ring', id: 'own' }), /a fault of ours/)
  assert.is(endpoint.counters.faults, 0)
  events.length = 0
  // While the refusal of this call is reported, its owner gives another command.
  onCalls.push(() => driver.run({ type: 'ring', id: 'waiting' }))
  endpoint.emit({ type: 'ringing', id: 'another' })
  driver.run({ type: 'drain', on: false })
  assert.is(endpoint.counters.faults, 1)
  assert.is(faults.length, 1)
  assert.equal(
    events.filter(({ type }) => type === 'ended'),
    [{ type: 'ended', id: 'waiting', cause: { kind: 'unreachable' } }],
  )
  await driver.close()
})

test.run()
