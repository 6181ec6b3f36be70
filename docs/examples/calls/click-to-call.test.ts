import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { clickToCall } from './click-to-call.ts'

const rates = [{ prefix: '+254', perMinute: '3.00', incrementSeconds: 1 }]

test('agent and customer talk, and both legs are paid', async () => {
  const sauti = new Simulation({ documents: clickToCall, rates })
  const agent = await sauti.originate({ to: '+254711000401', customPayload: '+254711000402' })
  await agent.hears('Connecting')
  const customer = await sauti.dials('+254711000402')
  await agent.hears('+254711000402')
  await sauti.run('30s')
  await customer.hangUp()
  const { reason, cost } = await agent.ended()
  assert.equal(reason, 'END.0202')
  assert.ok(Number(cost) > 3, cost)
})

test('the customer is busy', async () => {
  const sauti = new Simulation({ documents: clickToCall, remotes: { '+254711000402': 'busy' } })
  const agent = await sauti.originate({ to: '+254711000401', customPayload: '+254711000402' })
  await agent.hears('does not answer')
})
