import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount, expectStatus, setRates } from '../rig/beds/account.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { NameServer } from '../rig/fakes/name-server.ts'
import { until } from '../rig/probes/wait.ts'

// One account's webhooks have names whose servers hang: another's, which needs a name too, are as fast as before.
const names = suite('Names apart')

/** An account with a call to its own number: how long its webhook, asked for by a name, took to run. */
class Customer {
  readonly account: BedAccount
  readonly #arrived: ReadonlyMap<string, number>
  readonly #port: number

  constructor(account: BedAccount, port: number, arrived: Map<string, number>) {
    this.account = account
    this.#port = port
    this.#arrived = arrived
  }

  /** Milliseconds from the order to its webhook. */
  async webhookMs(name: string): Promise<number> {
    const path = `/${name}`
    const begun = performance.now()
    await this.#call(`http://${name}:${this.#port}${path}`)
    const at = await until(`the webhook of ${name}`, () => this.#arrived.get(path), 30_000)
    return at - begun
  }

  hang(name: string): Promise<void> {
    return this.#call(`http://${name}:${this.#port}/`)
  }

  async #call(url: string): Promise<void> {
    const { number } = this.account
    expectStatus(await this.account.api('POST', '/calls/originate', { to: number, from: number, url }), 201)
  }
}

/** One that calls as often as the test likes, to its own number, which is answered at once. */
async function busyAccount(on: SwitchProcess): Promise<BedAccount> {
  const account = await BedAccount.make(on)
  const caps = { max_concurrent_calls: 500, max_inbound_calls: 500, max_calls_per_second: 100 }
  expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, caps), 200)
  await account.hosts('voice_inbound', '<Play asset="none"/><Pause length="60"/>')
  return account
}

names('12 and 50 hanging names of one account leave the webhooks of another as they were', async () => {
  const server = await NameServer.open(({ name, type }) => {
    if (name.endsWith('.hangs.test')) return { isSilent: true }
    return type === 'A' ? { addresses: ['127.0.0.1'], ttlSeconds: 1 } : {}
  })
  const arrived = new Map<string, number>()
  const web = createServer((request, response) => {
    arrived.set(request.url ?? '', performance.now())
    response.writeHead(200, { 'content-type': 'application/xml' }).end('<Response><Hangup/></Response>')
  })
  web.listen(0, '127.0.0.1')
  await until('the web server', () => web.listening)
  const { port } = web.address() as AddressInfo
  const on = await SwitchProcess.start({ SAUTI_DNS: server.address })
  try {
    await setRates(on)
    const [a, b] = [
      new Customer(await busyAccount(on), port, arrived),
      new Customer(await busyAccount(on), port, arrived),
    ]
    let at = 0
    const several = async () => {
      const took: number[] = []
      for (let times = 0; times < 8; times++) took.push(await b.webhookMs(`n${++at}.b.test`))
      return Math.max(...took)
    }
    await several()
    const before = await several()
    const said = [`before ${before.toFixed(0)} ms`]
    for (const hanging of [12, 50]) {
      for (let each = 0; each < hanging; each++) {
        await a.hang(`n${hanging}-${each}.hangs.test`)
      }
      const during = await several()
      said.push(`${hanging} hanging: ${during.toFixed(0)} ms`)
      // A name that hangs is given up after four seconds; others do not wait for that.
      assert.ok(during < 4000, said.join(', '))
    }
  } finally {
    await on.close()
    web.closeAllConnections()
    web.close()
    await server.close()
  }
})

names.run()
