import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Switch, SwitchError } from '../../core/embedding/index.ts'
import { freeMediaPorts } from '../rig/probes/ports.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-embedding-people-'))
const sauti = await Switch.open({
  data: folder,
  sip: ['udp:127.0.0.1:0'],
  mediaPorts: freeMediaPorts(),
  mediaWorkers: 0,
})
const { account } = await sauti.accounts.create({ name: 'People', balance: '100.00' })
const poor = (await sauti.accounts.create({ name: 'Poor' })).account
await sauti.rates.replace([{ prefix: '+254', perMinute: '3.00' }])

test.after(async () => {
  await sauti.close()
  rmSync(folder, { recursive: true, force: true })
})

async function refusedAs(code: string, promise: Promise<unknown>): Promise<void> {
  const fault = await promise.then(
    () => undefined,
    cause => cause,
  )
  assert.instance(fault, SwitchError)
  assert.is(fault.code, code)
}

test('end-users: made once an address, listed, deactivated, removed; of their account alone', async () => {
  const amina = await sauti.endUsers.create(account.uuid, { email: 'amina@shamba.example', displayName: 'Amina' })
  assert.match(amina.extension, /^\d+$/)
  await refusedAs('exists', sauti.endUsers.create(account.uuid, { email: amina.email, displayName: 'Other' }))
  assert.equal(await sauti.endUsers.list(account.uuid), [amina])
  assert.equal(await sauti.endUsers.list(poor.uuid), [])
  await refusedAs('not-found', sauti.endUsers.update(poor.uuid, amina.uuid, { displayName: 'Mine' }))

  const token = await sauti.endUsers.mintToken(account.uuid, amina.uuid, { ttlSeconds: 60 })
  assert.match(token.token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  assert.ok(token.expiresUnix > Date.now() && token.expiresUnix <= Date.now() + 60_000)
  await refusedAs('not-found', sauti.endUsers.revokeToken(poor.uuid, token.uuid))
  await sauti.endUsers.revokeToken(account.uuid, token.uuid)
  await refusedAs('config.invalid', sauti.endUsers.mintToken(account.uuid, amina.uuid, { ttlSeconds: 0 }))
  await refusedAs('not-found', sauti.endUsers.mintToken(poor.uuid, amina.uuid))

  assert.is((await sauti.endUsers.update(account.uuid, amina.uuid, { isActive: false })).isActive, false)
  await refusedAs('inactive', sauti.endUsers.mintToken(account.uuid, amina.uuid))
  await sauti.endUsers.remove(account.uuid, amina.uuid)
  await refusedAs('not-found', sauti.endUsers.remove(account.uuid, amina.uuid))
  assert.equal(await sauti.endUsers.list(account.uuid), [])
})

test('destinations: both lists are replaced whole; what is wrong changes nothing', async () => {
  await sauti.destinations.replace({ blocked: ['+2547'], allowed: ['+25471'] })
  assert.equal(await sauti.destinations.get(), { blocked: ['+2547'], allowed: ['+25471'] })
  await refusedAs('destination.invalid', sauti.destinations.replace({ blocked: ['abc'], allowed: [] }))
  await refusedAs('destination.invalid', sauti.destinations.replace({ blocked: ['+254'], allowed: ['254'] }))
  assert.equal((await sauti.destinations.get()).blocked, ['+2547'], 'what is refused changes nothing')
})

test.run()
