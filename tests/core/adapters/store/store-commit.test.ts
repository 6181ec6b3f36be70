import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { databaseFile, openDatabase } from '../../../../core/adapters/store/database.ts'
import type { LoggedEvent } from '../../../../core/adapters/store/events.ts'
import { GroupCommit } from '../../../../core/adapters/store/group-commit.ts'
import type { HoldUuid } from '../../../../core/model/ids.ts'
import {
  addAccount,
  callOf,
  eventOf,
  holdOf,
  legOf,
  openBed,
  type StoreBed,
  startUnix,
  wallet,
} from '../../bed/store-bed.ts'

const withBed = (name: string, run: (bed: StoreBed) => Promise<void>) =>
  test(name, async () => {
    const bed = openBed()
    try {
      await run(bed)
    } finally {
      bed.close()
    }
  })

const refused = { ok: false, refused: 'insufficient-funds' }

withBed('a unit is whole: call, leg, hold and event stand together', async bed => {
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 100_000, startUnix)
  const call = callOf(account, { customPayload: { order: 7 } })
  const leg = legOf(call)
  const received: LoggedEvent[] = []
  bed.events.subscribe(logged => received.push(logged))
  const event = eventOf(call, 'CALL.0100')
  const result = await bed.calls.commit([
    { type: 'hold.open', hold: holdOf(call, leg) },
    { type: 'call.insert', call },
    { type: 'leg.insert', leg },
    { type: 'event.append', event },
  ])
  assert.equal(result, { ok: true })
  assert.equal(await bed.calls.get(account, call.uuid), call)
  assert.equal(await bed.calls.getBySid(account, call.sid), call)
  assert.equal(await bed.calls.legsOf(call.uuid), [leg])
  assert.equal(wallet(bed.database, account), { balance: 100_000, held: 30_000 })
  assert.equal(received, [{ seq: 1, event }])
  assert.equal(bed.events.after(account, 0, 10), received)
  assert.is(bed.calls.liveCount(account), 1)
})

withBed(
  'a unit that needs a call is refused with the unit that was to store that call, in one commit or after it',
  async bed => {
    const account = addAccount(bed.database)
    for (const isTogether of [true, false]) {
      const call = callOf(account)
      const leg = legOf(call)
      const dialled = { ...legOf(call), role: 'callee' } as const
      const first = bed.calls.commit([
        { type: 'call.insert', call },
        { type: 'leg.insert', leg },
        { type: 'hold.open', hold: holdOf(call, leg) },
      ])
      if (!isTogether) await first
      const second = bed.calls.commit([
        { type: 'call.exists', uuid: call.uuid },
        { type: 'leg.insert', leg: dialled },
        { type: 'event.append', event: eventOf(call, 'DIAL.0100') },
      ])
      assert.equal(await first, refused)
      assert.equal(await second, { ok: false, refused: 'unknown-call' })
      assert.equal(await bed.calls.legsOf(call.uuid), [])
    }
    const call = callOf(account)
    const dialled = legOf(call)
    const both = await Promise.all([
      bed.calls.commit([{ type: 'call.insert', call }]),
      bed.calls.commit([
        { type: 'call.exists', uuid: call.uuid },
        { type: 'leg.insert', leg: dialled },
      ]),
    ])
    assert.equal(both, [{ ok: true }, { ok: true }])
    assert.equal(await bed.calls.legsOf(call.uuid), [dialled])
  },
)
withBed('rows that a unit inserts and updates have their last state, and its events their order', async bed => {
  const [account, other] = [addAccount(bed.database), addAccount(bed.database)]
  await bed.ledger.credit(account, 100_000, startUnix)
  const [call, beside] = [callOf(account), callOf(other)]
  const [leg, known] = [legOf(call), legOf(call)]
  const hold = holdOf(call, leg)
  await bed.calls.commit([{ type: 'leg.insert', leg: known }])
  const events = [call, call, beside, beside, call].map(of => eventOf(of, 'CALL.0100'))
  const [first, second, third, fourth, fifth] = events
  const settled = { charge: 20_000, talkSeconds: 3, billedSeconds: 60 }
  await bed.calls.commit([
    { type: 'call.insert', call },
    { type: 'event.append', event: first! },
    { type: 'call.insert', call: beside },
    { type: 'hold.open', hold },
    { type: 'leg.insert', leg },
    { type: 'hold.settle', uuid: hold.uuid, ...settled },
    // What a row is known by, and its cost, are fixed.
    {
      type: 'call.update',
      uuid: call.uuid,
      set: { status: 'ringing', cost: 7, createdUnix: 7 },
    },
    { type: 'call.update', uuid: call.uuid, set: { status: 'answered', answeredUnix: startUnix + 5 } },
    { type: 'leg.update', uuid: leg.uuid, set: { reasonCode: 'END.0200', callUuid: beside.uuid } },
    { type: 'leg.update', uuid: known.uuid, set: { answeredUnix: startUnix + 9 } },
    ...[second, third, fourth, fifth].map(event => ({ type: 'event.append', event: event! }) as const),
  ])
  const expected = { ...call, status: 'answered', cost: 20_000, answeredUnix: startUnix + 5 }
  assert.equal(await bed.calls.get(account, call.uuid), expected)
  assert.equal(await bed.calls.get(other, beside.uuid), beside)
  assert.equal(await bed.calls.legsOf(call.uuid), [
    { ...known, answeredUnix: startUnix + 9 },
    { ...leg, reasonCode: 'END.0200' },
  ])
  const logged = (uuid: typeof account) => bed.events.after(uuid, 0, 10).map(({ seq, event }) => [seq, event.uuid])
  assert.equal(logged(account), [
    [1, first!.uuid],
    [2, second!.uuid],
    [3, fifth!.uuid],
  ])
  assert.equal(logged(other), [
    [1, third!.uuid],
    [2, fourth!.uuid],
  ])
  assert.is(bed.events.lastSeq(account), 3)
})

withBed('a refused hold undoes its unit and nobody else', async bed => {
  const [poor, rich] = [addAccount(bed.database), addAccount(bed.database)]
  await bed.ledger.credit(rich, 100_000, startUnix)
  const units = [poor, rich, poor, rich].map(account => {
    const call = callOf(account)
    const leg = legOf(call)
    return { call, leg, hold: holdOf(call, leg) }
  })
  const received: string[] = []
  bed.events.subscribe(({ event }) => received.push(String(event.callUuid)))
  const before = bed.database.counters.transactions
  const results = await Promise.all(
    units.map(({ call, leg, hold }) =>
      bed.calls.commit([
        { type: 'call.insert', call },
        { type: 'event.append', event: eventOf(call, 'CALL.0100') },
        { type: 'leg.insert', leg },
        { type: 'hold.open', hold },
      ]),
    ),
  )
  assert.equal(results, [refused, { ok: true }, refused, { ok: true }])
  assert.is(bed.database.counters.transactions, before + 1, 'one transaction for all four')
  assert.equal(received, [units[1]!.call.uuid, units[3]!.call.uuid])
  assert.is(await bed.calls.get(poor, units[0]!.call.uuid), undefined)
  assert.equal(bed.events.after(poor, 0, 10), [])
  assert.equal(wallet(bed.database, poor), { balance: 0, held: 0 })
  assert.equal(wallet(bed.database, rich), { balance: 100_000, held: 60_000 })
})

withBed(
  'when a unit throws, those beside it run once more, each is reported once, and the next refusals undo alone',
  async bed => {
    const account = addAccount(bed.database)
    const moment = async () => {
      const runs: string[] = []
      const reported: string[] = []
      const unit = (name: string, isRefused = false) =>
        bed.database.write(() => {
          runs.push(name)
          bed.events.append(eventOf(callOf(account), 'CALL.0100'))
          bed.database.afterCommit(() => reported.push(name))
          if (isRefused) throw new Error(`${name} is refused`)
          return name
        })
      const results = await Promise.allSettled([unit('first'), unit('second', true), unit('third')])
      assert.equal(
        results.map(result => (result.status === 'fulfilled' ? result.value : (result.reason as Error).message)),
        ['first', 'second is refused', 'third'],
      )
      assert.equal(reported, ['first', 'third'])
      return runs
    }
    assert.equal(await moment(), ['first', 'second', 'first', 'second', 'third'])
    assert.equal(await moment(), ['first', 'second', 'third'])
    assert.equal(
      bed.events.after(account, 0, 10).map(({ seq }) => seq),
      [1, 2, 3, 4],
    )
  },
)

withBed('units that are undone wait when another process takes the write lock before they run again', async bed => {
  const file = join(bed.folder, databaseFile)
  const [sqlite, other] = [new BetterSqlite(file, { timeout: 0 }), new BetterSqlite(file)]
  try {
    const rollback = sqlite.prepare('ROLLBACK')
    const taking = {
      get inTransaction() {
        return sqlite.inTransaction
      },
      prepare: (text: string) =>
        text !== 'ROLLBACK'
          ? sqlite.prepare(text)
          : {
              run: () => {
                rollback.run()
                other.exec('BEGIN IMMEDIATE')
              },
            },
    }
    const group = new GroupCommit(taking as unknown as BetterSqlite.Database)
    const blocked: boolean[] = []
    group.onBlocked(isBlocked => {
      blocked.push(isBlocked)
      if (isBlocked) other.exec('COMMIT')
    })
    const setting = sqlite.prepare<[string]>("INSERT INTO settings (key, value) VALUES (?, '1')")
    const results = await Promise.allSettled([
      group.write(() => setting.run('kept')),
      group.write(() => setting.run('kept')),
    ])
    assert.equal(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    assert.equal(blocked, [true, false])
    assert.is(group.counters.transactions, 1)
  } finally {
    sqlite.close()
    other.close()
  }
})

withBed('of units with long rows there is one in a transaction, and others do not wait for them', async bed => {
  const before = bed.database.counters.transactions
  const done: string[] = []
  const note = (name: string) => () => {
    done.push(`${name} in ${bed.database.counters.transactions - before}`)
  }
  await Promise.all([
    bed.database.writeLong(() => {}).then(note('long 1')),
    bed.database.writeLong(() => {}).then(note('long 2')),
    bed.database.writeLong(() => {}).then(note('long 3')),
    bed.database.write(() => {}).then(note('short 1')),
    bed.database.write(() => {}).then(note('short 2')),
  ])
  assert.equal(done, ['short 1 in 1', 'short 2 in 1', 'long 1 in 1', 'long 2 in 2', 'long 3 in 3'])
})

withBed('a unit with long rows that throws rejects alone, and closing writes those that wait', async bed => {
  const account = addAccount(bed.database)
  const call = callOf(account)
  const thrown = bed.database.writeLong(() => {
    throw new Error('too long')
  })
  const written = bed.calls.commit([{ type: 'call.insert', call }])
  const last = bed.database.writeLong(() => 'last')
  bed.database.close()
  assert.is(await thrown.catch(fault => (fault as Error).message), 'too long')
  assert.equal(await written, { ok: true })
  assert.is(await last, 'last')
  assert.is(await bed.database.writeLong(() => {}).catch(() => 'closed'), 'closed')
})

withBed('a unit that breaks a rule of the tables rejects alone', async bed => {
  const account = addAccount(bed.database)
  const call = callOf(account)
  const twice = [1, 2, 3].map(() => bed.calls.commit([{ type: 'call.insert', call }]))
  const [first, second, third] = await Promise.allSettled(twice)
  assert.is(first?.status, 'fulfilled')
  assert.is(second?.status, 'rejected')
  assert.is(third?.status, 'rejected')
  const other = callOf(account)
  assert.equal(await bed.calls.commit([{ type: 'call.insert', call: other }]), { ok: true })
})

withBed('what the hold sees: balance, grace, credit, less what is held', async bed => {
  const account = addAccount(bed.database, { grace_amount: 5000, credit_limit: 15_000 })
  await bed.ledger.credit(account, 30_000, startUnix)
  const call = callOf(account)
  const leg = legOf(call)
  await bed.calls.commit([{ type: 'call.insert', call }])
  const hold = holdOf(call, leg, { amount: 30_000 })
  const commit = bed.calls.commit.bind(bed.calls)
  assert.equal(await commit([{ type: 'hold.open', hold }]), { ok: true })
  assert.equal(await commit([{ type: 'hold.grow', uuid: hold.uuid, amount: 20_001 }]), refused)
  assert.equal(await commit([{ type: 'hold.grow', uuid: hold.uuid, amount: 20_000 }]), { ok: true })
  assert.equal(await commit([{ type: 'hold.grow', uuid: hold.uuid, amount: 1 }]), refused)
  assert.equal(await commit([{ type: 'hold.grow', uuid: hold.uuid, amount: 0 }]), { ok: true })
  assert.equal(wallet(bed.database, account), { balance: 30_000, held: 50_000 })
})

withBed('two holds of one moment cannot both take the last shilling', async bed => {
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 30_000, startUnix)
  const units = [1, 2].map(() => {
    const call = callOf(account)
    return bed.calls.commit([
      { type: 'call.insert', call },
      { type: 'hold.open', hold: holdOf(call, legOf(call)) },
    ])
  })
  assert.equal(await Promise.all(units), [{ ok: true }, refused])
})

withBed('a hold is settled once: charge, rate and seconds in the ledger, cost on the call', async bed => {
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 100_000, startUnix)
  const call = callOf(account)
  const leg = legOf(call)
  const hold = holdOf(call, leg, { amount: 40_000 })
  await bed.calls.commit([
    { type: 'call.insert', call },
    { type: 'leg.insert', leg },
    { type: 'hold.open', hold },
  ])
  const settle = { type: 'hold.settle', uuid: hold.uuid, charge: 30_000, talkSeconds: 42, billedSeconds: 60 } as const
  assert.equal(await bed.calls.commit([settle]), { ok: true })
  assert.equal(await bed.calls.commit([settle]), { ok: true })
  assert.equal(wallet(bed.database, account), { balance: 70_000, held: 0 })
  assert.is((await bed.calls.get(account, call.uuid))?.cost, 30_000)
  const { lines, total } = await bed.ledger.statement(account, 10, 0)
  assert.is(total, 2)
  assert.is(lines[0]?.amount, -30_000)
  assert.is(lines[0]?.callUuid, call.uuid)
  assert.equal(lines[0]?.details, { leg: leg.uuid, rate: hold.rate, talkSeconds: 42, billedSeconds: 60 })
})

withBed('the cost of a call is moved by settlements only, and sums its dialled legs', async bed => {
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 100_000, startUnix)
  const call = callOf(account)
  const holds = [1, 2].map(() => holdOf(call, legOf(call)))
  await bed.calls.commit([
    { type: 'call.insert', call },
    ...holds.map(hold => ({ type: 'hold.open', hold }) as const),
    ...holds.map(
      ({ uuid }) => ({ type: 'hold.settle', uuid, charge: 10_000, talkSeconds: 20, billedSeconds: 20 }) as const,
    ),
    { type: 'call.update', uuid: call.uuid, set: { cost: 999, status: 'completed', endedUnix: startUnix + 20_000 } },
  ])
  const stored = await bed.calls.get(account, call.uuid)
  assert.is(stored?.cost, 20_000)
  assert.is(stored?.status, 'completed')
  assert.is(bed.calls.liveCount(account), 0)
})

withBed('faults of the caller reject: no such row, no such hold, an amount that is no whole number', async bed => {
  const account = addAccount(bed.database)
  const call = callOf(account)
  await bed.calls.commit([{ type: 'call.insert', call }])
  const wrong = [
    { type: 'call.update', uuid: callOf(account).uuid, set: { status: 'failed' } },
    { type: 'hold.settle', uuid: 'none' as HoldUuid, charge: 0, talkSeconds: 0, billedSeconds: 0 },
    { type: 'hold.grow', uuid: 'none' as HoldUuid, amount: 1 },
    { type: 'hold.open', hold: holdOf(call, legOf(call), { amount: 0.5 }) },
    { type: 'hold.open', hold: holdOf(call, legOf(call), { amount: -1 }) },
  ] as const
  for (const change of wrong) {
    const code = await bed.calls.commit([change]).then(
      () => 'committed',
      fault => fault.code,
    )
    assert.is(code, 'store.misuse', JSON.stringify(change))
  }
  assert.equal(wallet(bed.database, account), { balance: 0, held: 0 })
})

withBed('an event has its place in its account, without gaps, also beside refused units', async bed => {
  const account = addAccount(bed.database)
  const call = callOf(account)
  await bed.calls.commit([{ type: 'call.insert', call }])
  const append = (code: 'CALL.0100' | 'CALL.0180') => ({ type: 'event.append', event: eventOf(call, code) }) as const
  const hold = { type: 'hold.open', hold: holdOf(call, legOf(call)) } as const
  await Promise.all([
    bed.calls.commit([append('CALL.0100')]),
    bed.calls.commit([append('CALL.0180'), hold]),
    bed.calls.commit([append('CALL.0180'), append('CALL.0180')]),
  ])
  assert.equal(
    bed.events.after(account, 0, 10).map(({ seq }) => seq),
    [1, 2, 3],
  )
})

withBed(
  'a callback goes to the override of the number, else to the account, and only for codes that have one',
  async bed => {
    const account = addAccount(bed.database, { endpoint_status: 'https://a.example/status' })
    const silent = addAccount(bed.database)
    const number = {
      setup_fee: 0,
      account_uuid: account,
      is_active: 1,
      acquired_unix: startUnix,
      created_unix: startUnix,
    } as const
    bed.database.run(
      bed.database.sql.insertInto('numbers').values([
        { ...number, uuid: 'n1', number: '+254201000001', webhook_status: 'https://b.example/status' },
        { ...number, uuid: 'n2', number: '+254201000002', webhook_status: '' },
        { ...number, uuid: 'n3', number: '+254201000003', account_uuid: silent, webhook_status: 'https://c.example/' },
      ]),
    )
    const from = (number: string | null, owner = account) => eventOf(callOf(owner), 'CALL.0100', { number })
    const events = [
      from('+254201000001'),
      from('+254201000002'),
      from('+254201000003'),
      from(null),
      eventOf(callOf(account), 'DTMF.0100'),
      from(null, silent),
      from('+254201000003', silent),
    ]
    await bed.calls.commit(events.map(event => ({ type: 'event.append', event })))
    const pending = bed.outbox.pendingAfter(0, 100)
    assert.equal(
      pending.map(({ url, tries }) => [url, tries]),
      [
        ['https://b.example/status', 0],
        ['https://a.example/status', 0],
        ['https://a.example/status', 0],
        ['https://a.example/status', 0],
        ['https://c.example/', 0],
      ],
    )
    assert.equal(bed.outbox.message(pending[0]!.id), { event: events[0], signingSecret: 'secret' })
  },
)

withBed('a listener that throws stops neither the others nor the commit', async bed => {
  const account = addAccount(bed.database)
  const received: number[] = []
  bed.events.subscribe(() => {
    throw new Error('mine')
  })
  bed.events.subscribe(({ seq }) => received.push(seq))
  const call = callOf(account)
  await bed.calls.commit([{ type: 'event.append', event: eventOf(call, 'CALL.0100') }])
  assert.equal(received, [1])
})

withBed('what was committed is there after a restart, and one process at a time has the folder', async bed => {
  const account = addAccount(bed.database)
  const call = callOf(account)
  await bed.calls.commit([{ type: 'call.insert', call }])
  assert.throws(() => openDatabase(bed.folder), /another process/)
  const reader = openDatabase(bed.folder, { readOnly: true })
  assert.is(reader.all(reader.sql.selectFrom('calls').select('uuid')).length, 1)
  reader.close()
  const again = bed.reopen()
  assert.equal(await again.calls.get(account, call.uuid), call)
  again.close()
  const late = await bed.calls.commit([{ type: 'call.insert', call }]).then(
    () => 'committed',
    fault => fault.code,
  )
  assert.is(late, 'store.closed')
})

test.run()
