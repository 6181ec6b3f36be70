import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount, expectStatus, setRates } from '../rig/beds/account.ts'
import { type Answer, SwitchProcess } from '../rig/beds/switch-process.ts'
import { until } from '../rig/probes/wait.ts'

// Money under a rush, over real HTTP: what is admitted is what can be paid for, and the books balance after it.
const money = suite('Money')

let on: SwitchProcess
let callee: BedAccount
let document: string

money.before(async () => {
  on = await SwitchProcess.start()
  await setRates(on)
  callee = await BedAccount.make(on)
  // It rings through the rush: a call that is answered has more held for it, second by second.
  const body = '<Response><Pause length="6"/><Play digits="w"/><Pause length="2"/></Response>'
  document = expectStatus(await callee.api('POST', '/documents/', { name: 'hold', body }), 201).body.url
  await callee.webhook('voice_inbound', document)
})
money.after(() => on?.close())

/** An account with that balance, and caps that do not matter here. */
async function caller(balance: string): Promise<BedAccount> {
  const account = await BedAccount.make(on, { balance })
  const caps = { max_concurrent_calls: 1000, max_calls_per_second: 1000 }
  expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, caps), 200)
  return account
}

/** A switch on a busy machine asks to be tried again (503, LIMIT.0503): that is no answer about money. */
async function place(account: BedAccount, to: string): Promise<Answer> {
  for (;;) {
    const answer = await account.api('POST', '/calls/originate', { to, from: account.number, url: document })
    if (answer.status !== 503) return answer
    await sleep(200 + 800 * Math.random())
  }
}

money(
  'two hundred calls race on a balance for 17: exactly 17 are placed, the others are 402 and leave nothing',
  async () => {
    // +254 costs 3 a minute by the second: 0.05 are held for each when it is placed, and 0.04 are no call.
    const account = await caller('0.89')
    const answers = await Promise.all(Array.from({ length: 200 }, () => place(account, callee.number)))
    const placed = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status, body }) => status === 402 && body.code === 'BILL.0402')
    assert.equal([placed.length, refused.length], [17, 183])
    const list = async () => expectStatus(await account.api('GET', '/calls/?limit=200'), 200).body
    assert.is((await list()).total, 17)
    const { calls } = await until(
      'the end of all',
      async () => {
        const page = await list()
        return page.calls.every((call: { ended_at: string | null }) => call.ended_at !== null) && page
      },
      30_000,
    )
    const charged = calls.reduce((sum: number, call: { cost: string }) => sum + Number(call.cost), 0)
    const { wallet_balance, held_amount } = expectStatus(
      await on.operator('GET', `/accounts/${account.uuid}`),
      200,
    ).body
    assert.is(held_amount, '0.00')
    assert.ok(Number(wallet_balance) >= 0, wallet_balance)
    assert.ok(Math.abs(0.89 - charged - Number(wallet_balance)) < 1e-9, `${charged} charged, ${wallet_balance} left`)
  },
)

money('without money it is 402 before it is a call without a route; with money it is that call', async () => {
  const nowhere = '+255700000001'
  const poor = await caller('13.49')
  const refused = await place(poor, nowhere)
  assert.equal([refused.status, refused.body.code], [402, 'BILL.0402'])
  assert.is(expectStatus(await poor.api('GET', '/calls/'), 200).body.total, 0)
  const rich = await caller('13.50')
  const { uuid } = expectStatus(await place(rich, nowhere), 201).body
  const call = await until('its end', async () => {
    const { body } = await rich.api('GET', `/calls/${uuid}`)
    return body.status === 'failed' && body
  })
  assert.equal([call.reason_code, call.cost, call.quality], ['END.0503', '0.00', []])
  assert.is(expectStatus(await rich.api('GET', '/account/'), 200).body.wallet_balance, '13.50')
})

money('the books balance', async () => {
  const { code, output } = await on.cli('check')
  assert.is(code, 0, output)
})

money.run()
