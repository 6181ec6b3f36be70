import { Agent, request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import type { Answer } from '../rig/beds/switch-process.ts'
import { ContractWalk } from '../rig/probes/contract.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// The limits of docs/api.md, really reached.
const limits = suite('contract: limits')

let bed: SwitchBed
let walk: ContractWalk
let callee: BedAccount

limits.before(async () => {
  bed = await SwitchBed.open({ balance: '100000' })
  callee = await BedAccount.make(bed.on)
  await callee.webhook('voice_inbound', bed.customer.on('/callee', '<Response><Pause length="300"/></Response>'))
  bed.customer.on('/caller', '<Response><Pause length="300"/></Response>')
  walk = await ContractWalk.open(bed.on)
})

limits.after(async () => {
  await bed?.close()
})

const place = (of = bed.account): Promise<Answer> =>
  walk.ask('POST', '/calls/originate', {
    key: of.key,
    body: { to: callee.number, from: of.number, url: bed.customer.url('/caller') },
  })
const live = async () => (await bed.on.operator('GET', `/accounts/${bed.account.uuid}`)).body.live_calls

/** Orders of one second: on a busy machine they may take longer, which shows nothing, and another account tries. */
async function burst(attempts = 5): Promise<{ of: BedAccount; answers: readonly Answer[] }> {
  const of = await BedAccount.make(bed.on)
  const started = Date.now()
  const answers = await Promise.all(Array.from({ length: 25 }, () => place(of)))
  return Date.now() - started < 1000 || attempts === 1 ? { of, answers } : burst(attempts - 1)
}

limits('10 new calls a second: the eleventh is LIMIT.0430, and a second later it may', async () => {
  const { of, answers } = await burst()
  const placed = answers.filter(answer => answer.status === 201)
  const refused = answers.filter(answer => answer.status !== 201)
  assert.is(placed.length, 10)
  for (const { status, body, headers } of refused) {
    assert.equal([status, body.code, headers.get('retry-after')], [429, 'LIMIT.0430', '1'])
    assert.match(body.detail, /^LIMIT\.0430: /)
  }
  await sleep(1050)
  assert.is((await place(of)).status, 201)
})

limits(
  '50 live calls: the next is LIMIT.0429, and one that ends makes room; what the provider raises counts',
  async () => {
    await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, { max_calls_per_second: 1000 })
    const before = await live()
    const answers = await Promise.all(Array.from({ length: 70 }, () => place()))
    assert.is(answers.filter(answer => answer.status === 201).length, 50 - before)
    for (const { status, body, headers } of answers.filter(answer => answer.status !== 201))
      assert.equal([status, body.code, headers.get('retry-after')], [429, 'LIMIT.0429', '1'])
    assert.is(await live(), 50)
    const sid = answers.find(answer => answer.status === 201)?.body.sid
    await walk.ask('POST', '/calls/hangup', { key: bed.account.key, body: { sid } })
    await until('room', async () => (await live()) === 49)
    assert.is((await place()).status, 201)
    assert.is((await place()).body.code, 'LIMIT.0429')
    await bed.on.operator('PATCH', `/accounts/${bed.account.uuid}`, { max_concurrent_calls: 51 })
    assert.is((await place()).status, 201)
    // Refused calls have left nothing: what is listed is what was placed.
    const { total } = (await walk.ask('GET', '/calls/?limit=1', { key: bed.account.key })).body
    assert.is(total, before + (50 - before) + 2)
  },
)

limits('pages: 50 rows when nothing is said, 200 at most', async () => {
  const list = async (query: string) => (await walk.ask('GET', `/calls/${query}`, { key: bed.account.key })).body
  const usual = await list('')
  assert.equal([usual.limit, usual.calls.length], [50, 50])
  assert.ok((await list('?limit=200')).calls.length > 50)
  assert.is((await list('?limit=1')).calls.length, 1)
})

limits(
  '20 unknown keys a minute from one address; X-Forwarded-For is not believed; good keys and no key go on',
  async () => {
    for (let count = 1; count <= 20; count++) {
      const headers = { 'x-forwarded-for': `203.0.113.${count}`, forwarded: `for=203.0.113.${count}` }
      assert.is((await walk.ask('GET', '/account/', { key: `vk_wrong_${count}`, headers })).status, 401)
    }
    for (const path of ['/account/', '/numbers/', '/operator/accounts']) {
      for (const from of ['198.51.100.7', '127.0.0.1, 198.51.100.8', '']) {
        const headers = { 'x-forwarded-for': from, 'x-real-ip': from, 'cf-connecting-ip': from }
        const answer = await walk.ask('GET', path, { key: 'vk_wrong_21', headers })
        assert.is(answer.status, 429)
        assert.ok(Number(answer.headers.get('retry-after')) <= 60)
      }
    }
    assert.is((await walk.ask('GET', '/account/', { key: bed.account.key })).status, 200)
    assert.is((await walk.ask('GET', '/account/')).status, 401)
    assert.is((await walk.ask('GET', '/health/')).status, 200)
  },
)

limits('3000 requests a minute over all keys of an account; another account is not concerned', async () => {
  const fresh = await BedAccount.make(bed.on)
  const second = (await walk.ask('POST', '/keys/create', { key: fresh.key, body: { name: 'second' } })).body.key
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const status = (key: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` }
      const asked = request(`${bed.on.baseUrl}/stream/token`, { method: 'POST', agent, headers })
      asked.on('response', answer => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode ?? 0))
      })
      asked.on('error', reject)
      asked.end()
    })
  // Acquiring its number and making the key were the first two.
  const started = Date.now()
  const statuses: number[] = []
  let left = 3100
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left-- > 0) statuses.push(await status(left % 2 === 0 ? fresh.key : second))
    }),
  )
  agent.destroy()
  assert.ok(Date.now() - started < 50_000, 'all within one window')
  assert.is(statuses.filter(each => each === 200).length, 2998)
  assert.is(statuses.filter(each => each === 429).length, 102)
  for (const key of [fresh.key, second]) {
    const answer = await walk.ask('GET', '/account/', { key })
    assert.is(answer.status, 429)
    assert.ok(Number(answer.headers.get('retry-after')) <= 60)
  }
  assert.is((await walk.ask('GET', '/account/', { key: bed.account.key })).status, 200)
})

limits.run()
