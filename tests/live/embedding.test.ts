import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { response } from '../../core/document-builder/index.ts'
import { Switch, SwitchError, type SwitchEvent } from '../../core/embedding/index.ts'
import { freeMediaPorts } from '../rig/probes/ports.ts'

// A program with a switch in it: real store, real media over loopback, documents from functions, no HTTP.

const first = '+254700000001'
const second = '+254700000002'
const folder = mkdtempSync(join(tmpdir(), 'sauti-embedding-'))
const sauti = await Switch.open({
  data: folder,
  sip: ['udp:127.0.0.1:0'],
  mediaPorts: freeMediaPorts(),
  mediaWorkers: 0,
})
const { account, key } = await sauti.accounts.create({ name: 'Embedder', balance: '100.00' })
await sauti.rates.replace([{ prefix: '+254', perMinute: '3.00' }])
for (const number of [first, second]) await sauti.numbers.add(number, { account: account.uuid })

test.after(async () => {
  await sauti.close()
  rmSync(folder, { recursive: true, force: true })
})

async function eventsUntil(isLast: (event: SwitchEvent) => boolean, after?: number): Promise<SwitchEvent[]> {
  const seen: SwitchEvent[] = []
  const signal = AbortSignal.timeout(20_000)
  for await (const event of sauti.events({
    account: account.uuid,
    signal,
    ...(after === undefined ? {} : { after }),
  })) {
    seen.push(event)
    if (isLast(event)) return seen
  }
  throw new Error(`not seen; ${seen.map(({ code }) => code).join()}`)
}

const refusal = (promise: Promise<unknown>): Promise<SwitchError> =>
  promise.then(
    () => assert.unreachable('nothing was refused'),
    fault => {
      assert.instance(fault, SwitchError)
      return fault as SwitchError
    },
  ) as Promise<SwitchError>

test('functions give the documents of both ends of a call, and of an action', async () => {
  const asked: string[] = []
  const stop = sauti.onCall(
    async call => {
      asked.push(`${call.direction} ${call.path}`)
      if (call.path === '/after') return response().hangup()
      return response()
        .gather({ numDigits: 1, timeout: 1, action: '/after' }, prompt => prompt.pause(0))
        .redirect('/after')
    },
    { number: second },
  )
  const ended = eventsUntil(event => event.code === 'CALL.0300' && event.data.direction === 'outbound')
  const placed = await sauti.calls.originate({
    account: account.uuid,
    to: second,
    from: first,
    document: call => response().say(`Hello ${call.to}`).pause(3),
    customPayload: { order: 7 },
  })
  assert.is(placed.direction, 'outbound')
  assert.equal(placed.customPayload, { order: 7 })
  assert.is(sauti.calls.live()[0]?.call.sid, placed.sid)
  const seen = await ended
  stop()
  assert.equal(asked, ['inbound /', 'inbound /after'])
  const last = seen.at(-1)!
  assert.is(last.account, account.uuid)
  assert.is(last.sid, placed.sid)
  assert.is((await sauti.calls.get(account.uuid, placed.uuid))?.status, 'completed')
  assert.is((await sauti.accounts.get(account.uuid))?.balance, '97.00')
  const numbers = seen.map(({ seq }) => seq)
  assert.equal(
    numbers,
    numbers.map((_, at) => numbers[0]! + at),
  )
})

test('events are read again from any place, and go on with what happens', async () => {
  const [one, two] = await eventsUntil(event => event.seq === 2, 0)
  assert.equal([one?.seq, two?.seq], [1, 2])
  const live = eventsUntil(event => event.code === 'CALL.0400' || event.code === 'CALL.0300', (await last()).seq)
  const call = await sauti.calls.originate({
    account: account.uuid,
    to: second,
    from: first,
    document: response().hangup(),
  })
  assert.is((await live).at(0)?.sid, call.sid)
})

async function last(): Promise<SwitchEvent> {
  let newest: SwitchEvent | undefined
  const signal = AbortSignal.timeout(300)
  for await (const event of sauti.events({ account: account.uuid, after: 0, signal })) newest = event
  return newest!
}

test('a function that throws runs the fallback', async () => {
  const stop = sauti.onCall(() => {
    throw new Error('no idea')
  })
  const ended = eventsUntil(event => /^CALL\.0[34]00$/.test(event.code) && event.data.direction === 'inbound')
  await sauti.calls.originate({ account: account.uuid, to: second, from: first, document: response().pause(60) })
  const seen = await ended
  stop()
  assert.is(seen.at(-1)?.data.reason_code, 'END.3502')
})

test('refusals have a code and a sentence', async () => {
  const place = { account: account.uuid, to: '+33612345678', from: first, document: response() }
  assert.match((await refusal(sauti.calls.originate(place))).message, /^BILL\.0404/)
  assert.is((await refusal(sauti.calls.originate({ ...place, url: 'https://x.test' }))).code, 'config.invalid')
  assert.is((await refusal(sauti.numbers.add(first))).code, 'exists')
  assert.is((await refusal(sauti.numbers.remove(first))).code, 'owned')
  assert.is((await refusal(sauti.numbers.acquire(account.uuid, '+254700000999'))).code, 'not-found')
  assert.is((await refusal(sauti.numbers.acquire('nobody', first))).code, 'not-found')
  assert.is((await refusal(sauti.numbers.add('+254700000998', { account: 'nobody' }))).code, 'not-found')
  assert.is((await sauti.numbers.list()).total, 2, 'what is refused adds nothing')
  for (const wrong of ['07', '+0700000001', '+1234567890123456'])
    assert.is((await refusal(sauti.numbers.add(wrong))).code, 'number.invalid', wrong)
  assert.is((await refusal(sauti.rates.replace([{ prefix: 'x', perMinute: '3.00' }]))).code, 'rate.invalid')
  assert.equal(
    (await sauti.rates.list()).map(rate => rate.prefix),
    ['+254'],
  )
  assert.is((await refusal(sauti.accounts.credit(account.uuid, 'lots'))).code, 'money.invalid')
  assert.is((await refusal(sauti.accounts.update('nobody', { name: 'x' }))).code, 'not-found')
  const open = await refusal(
    Switch.open({ sip: ['udp:0.0.0.0'], mediaPorts: [10_001, 3], settings: { 'media.colour': 1 } }),
  )
  assert.is(open.code, 'config.invalid')
  for (const part of ['sip', 'mediaPorts', 'media.colour']) assert.match(open.message, part)
  assert.match(key, /^vk_/)
})

test('options that have no meaning are refused by name, with the one that was meant', async () => {
  const open = async (options: object) => (await refusal(Switch.open(options))).message
  const message = await open({ reelm: 'x', sip_listen: ['udp:0.0.0.0:5060'], drainSeconds: 5 })
  assert.match(
    message,
    /^"reelm" is no option; did you mean "realm"\?; "sip_listen" is no option; "drainSeconds" is no/,
  )
  assert.match(message, /known are data, sip, realm, .*recordings; any other setting goes into "settings" by its path$/)
  assert.match(await open({ tls: { cert: 'a.pem', keys: 'b.pem' } }), /tls: "keys" is no option; did you mean "key"\?/)
  assert.match(await open({ tls: { cert: 'a.pem' } }), /tls\.key: certificate and key are needed together/)
  assert.match(await open({ tls: 'a.pem' }), /^tls: must be \{ cert, key \}/)
  assert.match(await open({ settings: { 'media.time_seconds': 30 } }), /did you mean "media\.timeout_seconds"\?/)
  assert.match(await open({ settings: { 'sip.listen.udp': 5060 } }), /sip\.listen\.udp: is no setting/)
  assert.match(await open({ mediaPorts: 'many' }), /^mediaPorts: "many" must be first-last/)
  const order = { account: account.uuid, to: second, from: first, document: response(), timout: '5s' }
  assert.match((await refusal(sauti.calls.originate(order))).message, /originate: "timout" .* "timeout"/)
  const fields = { name: 'x', blance: '5' }
  assert.match((await refusal(sauti.accounts.create(fields))).message, /accounts\.create: "blance" .* "balance"/)
})

test('events that could never come are refused at once', async () => {
  const wrong = (options: object, text: RegExp) => {
    try {
      sauti.events(options)
      assert.unreachable('nothing was refused')
    } catch (fault) {
      assert.instance(fault, SwitchError)
      assert.is((fault as SwitchError).code, 'config.invalid')
      assert.match((fault as SwitchError).message, text)
    }
  }
  for (const after of [Number.NaN, -5, 'x', 1.5, null])
    wrong(
      { account: account.uuid, after },
      /^events: after must be 0 \(from the first event\) or the seq of an event, not /,
    )
  wrong({ after: 0 }, /^events: after needs account/)
  wrong({ account: '' }, /^events: account must be the uuid of an account, not ""$/)
  wrong({ account: null }, /account must be the uuid/)
  wrong({ acount: account.uuid }, /^events: "acount" is no option; did you mean "account"\?/)
  wrong({ signal: 'x' }, /signal must be an AbortSignal/)
  for (const options of [{ account: 'none' }, { account: 'none', after: 0 }]) {
    const fault = await refusal(sauti.events(options).next())
    assert.is(fault.code, 'not-found')
    assert.is(fault.message, 'events: there is no account "none"')
  }
})

test('accounts, numbers, trunks and rates are made, changed and listed', async () => {
  const changed = await sauti.accounts.update(account.uuid, {
    grace: '5.00',
    maxConcurrentCalls: 3,
    maxInboundCalls: 7,
  })
  assert.equal([changed.grace, changed.maxConcurrentCalls, changed.maxInboundCalls], ['5.00', 3, 7])
  assert.is((await sauti.accounts.list()).total, 1)
  const trunk = await sauti.trunks.create({ name: 'carrier', host: 'sip.example.com', prefixes: ['+'] })
  assert.is((await sauti.trunks.update(trunk.uuid, { priority: 2 })).priority, 2)
  assert.is((await sauti.trunks.list()).length, 1)
  await sauti.trunks.remove(trunk.uuid)
  assert.equal(await sauti.rates.list(), [
    {
      prefix: '+254',
      direction: 'outbound',
      perMinute: '3.00',
      incrementSeconds: 60,
      minimumSeconds: 0,
      connectionFee: '0.00',
    },
  ])
  assert.equal(
    (await sauti.numbers.owned(account.uuid)).map(({ number }) => number),
    [first, second],
  )
  assert.ok(await sauti.health())
})

test.run()
