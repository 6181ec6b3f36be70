import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { codesOf, verifies } from '../rig/peers/customer.ts'
import { until } from '../rig/probes/wait.ts'

// POST /calls/originate: out, document on answer, record, cost, ledger, callbacks.
const originate = suite('originate')

let bed: SwitchBed
const to = '+255733000222'

originate.before(async () => {
  requirePeers('sipp', 'espeak-ng')
  bed = await SwitchBed.open({ prefixes: ['+255'] })
  await bed.tellStatus()
})

originate.after(() => bed?.close())

const finished = (sid: string) =>
  until('the call to end', async () => {
    const call = await bed.account.call(sid)
    return ['completed', 'failed'].includes(call?.status) && call
  })

originate('answered, document run to its end: record, cost, ledger and callbacks are right', async () => {
  bed.customer.on('/answered', '<Response><Pause length="2"/></Response>')
  const callee = await bed.callee()
  const before = expectStatus(await bed.account.api('GET', '/account/'), 200).body.wallet_balance
  const made = expectStatus(
    await bed.account.api(
      'POST',
      '/calls/originate',
      { to, from: bed.account.number, url: bed.customer.url('/answered'), customPayload: { order: 7 } },
      { 'idempotency-key': 'order-7' },
    ),
    201,
  ).body
  assert.is(made.status, 'initiated')
  assert.equal(made.customPayload, { order: 7 })
  const again = await bed.account.api(
    'POST',
    '/calls/originate',
    { to, from: bed.account.number, url: bed.customer.url('/answered'), customPayload: { order: 7 } },
    { 'idempotency-key': 'order-7' },
  )
  assert.is(again.status, 201)
  assert.equal(again.body, made)

  const post = await bed.customer.post('/answered')
  assert.ok(verifies(post, bed.customer.url('/answered'), await bed.account.secret()))
  assert.equal(post.body, {
    CallSid: made.sid,
    AccountSid: bed.account.uuid,
    Direction: 'outbound',
    From: bed.account.number,
    To: to,
    CallStatus: 'in-progress',
    customPayload: '{"order":7}',
  })
  const { code, errors } = await callee.done
  assert.is(code, 0, errors)
  const call = await finished(made.sid)
  assert.is(call.status, 'completed')
  assert.is(call.reason_code, 'END.0202')
  assert.ok(call.talk_seconds >= 2 && call.talk_seconds <= 3)
  // 1.50 to connect and a whole minute at 12.
  assert.is(call.cost, '13.50')
  const after = expectStatus(await bed.account.api('GET', '/account/'), 200).body.wallet_balance
  assert.is(Math.round((Number(before) - Number(after)) * 100), 1350)
  const ledger = expectStatus(await bed.on.operator('GET', `/accounts/${bed.account.uuid}/ledger`), 200)
  assert.ok(JSON.stringify(ledger.body).includes('-13.50'))
  const codes = await until('the callbacks', () => {
    const got = codesOf(bed.customer.to('/status'))
    return got.includes('CALL.0300') && got.includes('BILL.0200') && got
  })
  assert.equal(
    codes.filter(code => code.startsWith('CALL.')),
    ['CALL.0100', 'CALL.0180', 'CALL.0200', 'CALL.0300'],
  )
  const ids = bed.customer.to('/status').map(it => it.body.id)
  assert.is(new Set(ids).size, ids.length)
  for (const it of bed.customer.to('/status')) {
    assert.equal(it.body.customPayload, { order: 7 })
    assert.is(it.body.accountId, bed.account.uuid)
  }
  const check = await bed.on.cli('check')
  assert.is(check.code, 0, check.output)
})

originate('hang-up by the API ends it: END.0201, and again changes nothing', async () => {
  bed.customer.on('/long', '<Response><Pause length="60"/></Response>')
  const callee = await bed.callee()
  const made = expectStatus(
    await bed.account.api('POST', '/calls/originate', { to, from: bed.account.number, url: bed.customer.url('/long') }),
    201,
  ).body
  await bed.customer.post('/long')
  const ended = expectStatus(await bed.account.api('POST', '/calls/hangup', { sid: made.sid }), 200)
  assert.is(ended.body.sid, made.sid)
  const { code, errors } = await callee.done
  assert.is(code, 0, errors)
  const call = await finished(made.sid)
  assert.is(call.reason_code, 'END.0201')
  for (const [method, path, body] of [
    ['POST', '/calls/hangup', { sid: made.sid }],
    ['GET', `/calls/hangup/${made.sid}`, undefined],
    ['GET', `/calls/hangup?sid=${made.sid}`, undefined],
    ['GET', `/calls/${made.uuid}`, undefined],
  ] as const) {
    const answer = expectStatus(await bed.account.api(method, path, body), 200)
    assert.equal(answer.body, call)
  }
})

originate('no answer within the timeout: CANCEL, END.0408, nothing charged', async () => {
  const callee = await bed.callee({ scenario: 'callee-rings-on' })
  const made = expectStatus(
    await bed.account.api('POST', '/calls/originate', {
      to,
      from: bed.account.number,
      url: bed.customer.url('/answered'),
      timeout: 2,
    }),
    201,
  ).body
  const { code, errors } = await callee.done
  assert.is(code, 0, errors)
  const call = await finished(made.sid)
  assert.is(call.status, 'failed')
  assert.is(call.reason_code, 'END.0408')
  assert.is(call.cost, '0.00')
  const account2 = expectStatus(await bed.on.operator('GET', `/accounts/${bed.account.uuid}`), 200).body
  assert.is(account2.held_amount, '0.00')
  assert.is(account2.live_calls, 0)
})

originate('to a number of this switch: reached on-net through its voice_inbound webhook', async () => {
  bed.customer.posts.length = 0
  const second = await BedAccount.make(bed.on)
  await second.webhook('voice_inbound', bed.customer.on('/second', '<Response><Say>Karibu.</Say></Response>'))
  bed.customer.on('/first', '<Response><Pause length="30"/></Response>')
  const made = expectStatus(
    await bed.account.api('POST', '/calls/originate', {
      to: second.number,
      from: bed.account.number,
      url: bed.customer.url('/first'),
    }),
    201,
  ).body
  const post = await bed.customer.post('/second')
  assert.is(post.body.Direction, 'inbound')
  assert.is(post.body.From, bed.account.number)
  assert.is(post.body.To, second.number)
  await bed.customer.post('/first')
  const call = await finished(made.sid)
  assert.is(call.status, 'completed')
  assert.is(call.reason_code, 'END.0200')
  const far = await second.call()
  assert.is(far.status, 'completed')
  assert.is(far.reason_code, 'END.0202')
})

originate.run()
