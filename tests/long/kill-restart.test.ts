import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, BedAccount, expectStatus, setRates } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { Customer, codesOf } from '../rig/peers/customer.ts'
import { Sipp } from '../rig/peers/sipp.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// kill -9 during 20 live calls, then a restart.
const killed = suite('kill -9')

const live = 20
let on: SwitchProcess
let customer: Customer
let account: BedAccount

killed.before(async () => {
  requirePeers('sipp')
  on = await SwitchProcess.start()
  customer = await Customer.open()
  await setRates(on)
  account = await BedAccount.make(on)
  // Their legs are dialled at once: none of them waits for another's turn.
  await on.operator('PATCH', `/accounts/${account.uuid}`, { max_calls_per_second: 1000 })
})

killed.after(async () => {
  await customer?.close()
  await on?.close()
})

killed('20 live calls: every row closed with END.5410 and billed, the ledger balances, recordings open', async () => {
  const calleePort = await freePort()
  await addTrunk(on, { name: 'out', port: calleePort, prefixes: ['+255'] })
  await account.webhook(
    'status',
    customer.on('/status', (_post, response) => response.writeHead(200).end()),
  )
  customer.on('/record', '<Response><Record timeout="0" playBeep="false"/></Response>')
  const callee = new Sipp({ scenario: 'callee', localPort: calleePort, rtpPort: await freePort(), calls: live + 1 })
  await callee.listening()
  const sids: string[] = []
  for (let at = 0; at < live; at++) {
    const made = await account.api('POST', '/calls/originate', {
      to: `+25570000${1000 + at}`,
      from: account.number,
      url: customer.url('/record'),
    })
    sids.push(expectStatus(made, 201).body.sid)
    await sleep(120)
  }
  await until('all calls to be recorded', () => customer.to('/record').length === live, 10_000)
  await sleep(2500)
  const balance = Number(expectStatus(await account.api('GET', '/account/'), 200).body.wallet_balance)
  const killedAt = Date.now()
  await on.kill('SIGKILL')
  callee.stop()

  const readyMs = await on.open()
  assert.ok(readyMs < 10_000, `ready after ${readyMs} ms`)
  const calls = expectStatus(await account.api('GET', '/calls/?limit=200'), 200).body.calls
  assert.is(calls.length, live)
  let charged = 0
  for (const call of calls) {
    assert.is(call.reason_code, 'END.5410', call.sid)
    assert.is(call.reason_label, 'Interrupted by restart')
    assert.is(call.status, 'completed')
    // Billed to the last second known: within two seconds of the kill, never after the restart.
    const talked = (killedAt - Date.parse(call.answered_at)) / 1000
    assert.ok(
      call.talk_seconds >= talked - 2 && call.talk_seconds <= talked + 1.1,
      `${call.talk_seconds} of ${talked} s`,
    )
    assert.is(call.cost, '13.50', 'a connection fee and one minute')
    charged += Number(call.cost)
  }
  const after = expectStatus(await on.operator('GET', `/accounts/${account.uuid}`), 200).body
  assert.is(Math.round((balance - charged - Number(after.wallet_balance)) * 100), 0)
  assert.is(after.held_amount, '0.00')
  assert.is(after.live_calls, 0)
  const check = await on.cli('check')
  assert.is(check.code, 0, check.output)
  await until('the callbacks of the interrupted calls', () => {
    const ended = customer.to('/status').filter(post => post.body.code === 'CALL.0300')
    return new Set(ended.map(post => post.body.sid)).size === live
  })
  assert.ok(codesOf(customer.to('/status')).includes('BILL.0200' as never))

  const files = readdirSync(join(on.dataFolder, 'recordings'), { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.wav'),
  )
  assert.is(files.length, live)
  for (const file of files) {
    const bytes = readFileSync(join(on.dataFolder, 'recordings', file))
    assert.is(bytes.toString('latin1', 0, 4), 'RIFF')
    const dataAt = bytes.indexOf('data')
    assert.ok(dataAt > 0)
    assert.ok(bytes.readUInt32LE(dataAt + 4) <= bytes.length - dataAt - 8, `${file} claims no more than it holds`)
  }
})

killed('restart with no call live: nothing changes, and calls go on', async () => {
  const before = expectStatus(await account.api('GET', '/calls/'), 200).body
  await on.kill('SIGKILL')
  await on.open()
  assert.equal(expectStatus(await account.api('GET', '/calls/'), 200).body, before)
  assert.is((await on.request('', 'GET', '/health/')).status, 200)
})

killed.run()
