import { Switch } from 'sauti'
import { response } from 'sauti/documents'

const sauti = await Switch.open({ data: './data', sip: ['udp:127.0.0.1:0'], mediaPorts: [40_000, 40_199] })

// An account with two numbers, and what a minute costs: made once, and kept in the data folder.
const account = (await sauti.accounts.list()).rows[0] ?? (await firstAccount())

async function firstAccount() {
  const { account } = await sauti.accounts.create({ name: 'Shamba Ltd', balance: '100.00' })
  await sauti.rates.replace([{ prefix: '+254', perMinute: '3.00' }])
  await sauti.numbers.add('+254700000001', { account: account.uuid })
  await sauti.numbers.add('+254700000002', { account: account.uuid })
  return account
}

sauti.onCall(call => response().say(`Hello ${call.from}`).hangup())

const placed = await sauti.calls.originate({
  account: account.uuid,
  from: '+254700000001',
  to: '+254700000002',
  document: response().pause('1s').hangup(),
})
for await (const event of sauti.events({ account: account.uuid, after: 0, signal: AbortSignal.timeout(20_000) })) {
  console.log(event.code, event.sid)
  if (event.code === 'CALL.0300' && event.sid === placed.sid) break
}
await sauti.close()
