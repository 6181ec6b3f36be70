import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { EndpointOutput } from '../../../sip/endpoint/input.ts'
import { defaultLimits, defaultTimers, Endpoint } from '../../../sip/index.ts'
import { defaultTransportLimits, SipTransport } from '../../../sip/transport/index.ts'

test('a fault that a timer sets off is told, and the timers after it run', async () => {
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
    externalAddress: undefined,
    limits: defaultTransportLimits,
    dns: { naptr: async () => [], srv: async () => [], addresses: async () => [] },
    clock: {
      now: () => 10,
      at: (deadline, fire) => {
        if (deadline === 5) alarms.push(fire)
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
  alarms.shift()?.()
  assert.is(due, 0)
  await driver.close()
})

test.run()
