import assert from 'node:assert/strict'
import test from 'node:test'
import { Simulation } from 'sauti/testing'
import { supportQueue } from './support-queue.ts'

test('the customer waits for the agent, and is thanked when the agent leaves', async () => {
  const sauti = new Simulation({ documents: supportQueue })
  const customer = sauti.call()
  await customer.hears('shortly')
  await customer.hears('hold-music')
  await sauti.run('10s')
  const agent = await sauti.originate({ to: '+254711000301', path: '/agent' })
  await Promise.all([agent.hears('support'), customer.hears('support')])
  await sauti.run('1m')
  await agent.hangUp()
  await customer.hears('Thank you for calling')
  assert.equal((await customer.ended()).label, 'Call flow finished')
})
