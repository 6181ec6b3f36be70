import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { type Answer, SwitchProcess } from '../rig/beds/switch-process.ts'
import { ContractWalk } from '../rig/probes/contract.ts'

// What docs/api.md says of requests that cannot be read, of methods and of paths, over real HTTP.
const requests = suite('contract: requests')

let on: SwitchProcess
let walk: ContractWalk
let account: BedAccount

requests.before(async () => {
  on = await SwitchProcess.start()
  account = await BedAccount.make(on)
  walk = await ContractWalk.open(on)
})

requests.after(() => on?.close())

/** As `fetch` will not send it. */
function raw(method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${on.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${account.key}`, ...headers },
    })
    asked.on('response', answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () => {
        const given = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
        resolve({ status: answer.statusCode ?? 0, headers: given, body: JSON.parse(Buffer.concat(chunks).toString()) })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

requests('bodies and methods that cannot be read: 400, 405 with Allow, 413, 415', async () => {
  const type = { 'content-type': 'application/json' }
  for (const body of ['{', 'nonsense', '{"a":1,}', '\u0000'])
    assert.equal([(await raw('POST', '/keys/create', body, type)).status, body], [400, body])
  const big = await raw('POST', '/keys/create', JSON.stringify({ name: 'x'.repeat(1_100_000) }), type)
  assert.equal([big.status, typeof big.body.detail], [413, 'string'])
  assert.is(
    (await raw('POST', '/keys/create', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    415,
  )
  for (const [method, path, allow] of [
    ['DELETE', '/account/', /GET/],
    ['GET', '/calls/originate', /POST/],
    ['PUT', '/users/create', /POST/],
    ['POST', '/health/', /GET/],
  ] as const) {
    const answer = await raw(method, path, '')
    assert.is(answer.status, 405, `${method} ${path}`)
    assert.match(answer.headers.get('allow') ?? '', allow)
    assert.type(answer.body.detail, 'string')
  }
})

requests('a trailing slash makes no difference', async () => {
  for (const path of [
    '/account',
    '/numbers',
    '/calls',
    '/users',
    '/recordings',
    '/account/webhooks',
    '/numbers/available',
  ]) {
    const [bare, slash] = [
      await walk.ask('GET', path, { key: account.key }),
      await walk.ask('GET', `${path}/`, { key: account.key }),
    ]
    assert.equal([bare.status, slash.status, bare.body], [200, 200, slash.body], path)
  }
})

requests.run()
