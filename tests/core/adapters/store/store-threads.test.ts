import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Database, openDatabase } from '../../../../core/adapters/store/database.ts'
import { StoreError } from '../../../../core/adapters/store/errors.ts'
import { type OpenedStore, openStore } from '../../../../core/adapters/store/threads/open-store.ts'
import { startWriter } from '../../../../core/adapters/store/threads/start-writer.ts'
import { TurnQueue } from '../../../../core/adapters/store/threads/turn-queue.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { systemClock } from '../../../../core/adapters/system/system-clock.ts'
import type { CallRecord } from '../../../../core/model/call-record.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid, Sid } from '../../../../core/model/ids.ts'
import { defaultSettings } from '../../../../core/model/settings.ts'
import { callOf, eventOf, holdOf, legOf } from '../../bed/store-bed.ts'
import { nextWriter, until } from '../../bed/writer-bed.ts'

const publicUrl = 'http://voice.test'

async function opened(work: (on: OpenedStore, folder: string) => Promise<void>, prepared?: string): Promise<void> {
  const folder = prepared ?? mkdtempSync(join(tmpdir(), 'sauti-threads-'))
  const on = await openStore({ folder, publicUrl, clock: systemClock, log: silentLog })
  try {
    await work(on, folder)
  } finally {
    await on.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const account = async ({ repositories }: OpenedStore, walletBalance = 1_000_000): Promise<AccountUuid> =>
  (await repositories.accounts.create({ name: 'Threads', walletBalance }, Date.now())).account.uuid

const freshCall = (owner: AccountUuid) =>
  callOf(owner, { uuid: randomUUID() as CallUuid, sid: randomUUID() as unknown as Sid })

test('what a resolved write said is seen by the next read of every thread', () =>
  opened(async on => {
    const owner = await account(on)
    const { calls, events, ledger, books } = on.store
    for (let nth = 1; nth <= 50; nth++) {
      const call = freshCall(owner)
      assert.equal(
        await calls.commit([
          { type: 'call.insert', call },
          { type: 'event.append', event: eventOf(call, 'CALL.0100', { uuid: randomUUID() }) },
        ]),
        { ok: true },
      )
      const [found, page, lastSeq] = await Promise.all([
        calls.get(owner, call.uuid),
        calls.list(owner, { limit: 1, offset: 0 }),
        events.lastSeq(owner),
      ])
      assert.equal(found, call)
      assert.is(page.total, nth)
      assert.is(lastSeq, nth)
    }
    assert.is((await ledger.statement(owner, 10, 0)).total, 1)
    assert.is(await calls.spendable(owner), 1_000_000)
    assert.ok((await books.problems()).length >= 0)
  }))

test('refusals and faults come back as they are: money, misuse, closed', async () => {
  let kept: OpenedStore | undefined
  await opened(async on => {
    kept = on
    const owner = await account(on, 100)
    const call = freshCall(owner)
    const leg = { ...legOf(call), uuid: randomUUID() as LegUuid }
    const hold = { ...holdOf(call, leg, { amount: 101 }), uuid: randomUUID() as HoldUuid }
    assert.equal(await on.store.calls.commit([{ type: 'hold.open', hold }]), {
      ok: false,
      refused: 'insufficient-funds',
    })
    const misused = await on.store.calls
      .commit([{ type: 'call.update', uuid: call.uuid, set: { ttsSeconds: 1 } }])
      .then(
        () => undefined,
        fault => fault,
      )
    assert.instance(misused, StoreError)
    assert.is(misused.code, 'store.misuse')
    assert.match(misused.message, call.uuid)
  })
  const late = await kept?.repositories.accounts.get('x').then(
    () => undefined,
    fault => fault,
  )
  assert.is(late?.code, 'store.closed')
})

test('memory is up to date before a change is answered: trunks, rates, destinations, tokens', () =>
  opened(async on => {
    const { trunks, rates, destinations, phoneTokens, users } = on.repositories
    let reported = 0
    trunks.watch(() => reported++)
    const trunk = await trunks.create({ name: 'carrier' }, Date.now())
    assert.equal(trunks.current(), [trunk])
    await trunks.change(trunk.uuid, { host: 'sip.test' })
    assert.is(trunks.get(trunk.uuid)?.host, 'sip.test')
    assert.is(await trunks.remove(trunk.uuid), true)
    assert.equal(trunks.current(), [])
    assert.is(reported, 3)
    const rate = { prefix: '+254', direction: 'outbound', ratePerMinute: 3, incrementSeconds: 1 } as const
    await rates.replace([{ ...rate, minimumSeconds: 0, connectionFee: 0 }])
    assert.is(rates.current()[0]?.prefix, '+254')
    await destinations.replace({ blocked: ['+888'], allowed: ['+881'] })
    assert.equal(destinations.current(), { blocked: ['+888'], allowed: ['+881'] })

    const owner = await account(on)
    const user = await users.create(owner, { email: 'a@example.com', displayName: 'A' }, Date.now())
    assert.ok(user)
    const order = { endUserUuid: user.uuid, ttlSeconds: 60, maxConcurrent: 1, realm: 'voice.test' }
    const minted = await phoneTokens.mint(owner, order, Date.now())
    assert.ok(minted.ok)
    assert.is(phoneTokens.read(minted.token, Date.now())?.isUsable, true)
    assert.is(phoneTokens.read(minted.token, Date.now() + 61_000)?.isUsable, false)
    const [presentable] = phoneTokens.presentableOf(user.extensionNumber, Date.now())
    assert.equal(presentable, { record: minted.record, isUsable: true })
    assert.is(phoneTokens.textOf(minted.record, 'voice.test'), minted.token)
    await users.change(owner, user.uuid, { isActive: false })
    assert.is(phoneTokens.read(minted.token, Date.now())?.isUsable, false)
    await users.change(owner, user.uuid, { isActive: true })
    assert.equal(phoneTokens.usableOf(user.extensionNumber, Date.now()), [minted.record])
    const revoked: string[] = []
    phoneTokens.onRevoked(({ uuid }) => revoked.push(uuid))
    await phoneTokens.revoke(owner, minted.record.uuid, Date.now())
    assert.equal(revoked, [minted.record.uuid])
    assert.equal(phoneTokens.usableOf(user.extensionNumber, Date.now()), [])
    assert.is(phoneTokens.read(minted.token, Date.now())?.isUsable, false)
    await users.remove(owner, user.uuid)
    assert.is(phoneTokens.read(minted.token, Date.now()), undefined)
    assert.is(phoneTokens.get(minted.record.uuid), undefined)
  }))

test('stored records are known after a start, and a second switch is refused: the folder is in use', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-threads-'))
  const first = await openStore({ folder, publicUrl, clock: systemClock, log: silentLog })
  const owner = await account(first)
  await first.repositories.trunks.create({ name: 'carrier' }, Date.now())
  const user = await first.repositories.users.create(owner, { email: 'a@example.com', displayName: '' }, Date.now())
  const order = { endUserUuid: user?.uuid ?? '', ttlSeconds: 60, maxConcurrent: 1, realm: 'voice.test' }
  const minted = await first.repositories.phoneTokens.mint(owner, order, Date.now())
  const call = freshCall(owner)
  await first.store.calls.commit([{ type: 'call.insert', call }])
  const second = await openStore({ folder, publicUrl, clock: systemClock, log: silentLog }).then(
    () => undefined,
    fault => fault,
  )
  assert.instance(second, StoreError)
  assert.is(second.code, 'store.locked')
  await first.close()
  await opened(async on => {
    assert.is(on.recovered.calls, 1)
    assert.is((await on.store.calls.get(owner, call.uuid))?.reasonCode, 'END.5410')
    assert.is(on.repositories.trunks.current()[0]?.name, 'carrier')
    assert.is(minted.ok && on.repositories.phoneTokens.read(minted.token, Date.now())?.isUsable, true)
  }, folder)
})

test('a request that cannot be copied fails alone; the others of its turn are served', () =>
  opened(async on => {
    const owner = await account(on)
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 20_000; level++) deep = { deep }
    const good = [freshCall(owner), freshCall(owner)]
    const commit = (call: CallRecord) => on.store.calls.commit([{ type: 'call.insert', call }])
    const [first, bad, last] = await Promise.allSettled([
      commit(good[0]!),
      commit({ ...freshCall(owner), customPayload: deep }),
      commit(good[1]!),
    ])
    assert.equal([first.status, last.status], ['fulfilled', 'fulfilled'])
    assert.is(bad.status === 'rejected' && bad.reason.code, 'store.misuse')
    for (const { uuid } of good) assert.is((await on.store.calls.get(owner, uuid))?.uuid, uuid)
  }))

test('answers that cannot be read end their thread: requests that wait fail, and the next thread answers', () =>
  opened(async (on, folder) => {
    const owner = await account(on)
    const call = freshCall(owner)
    await on.store.calls.commit([{ type: 'call.insert', call }])
    // The thread's stack is larger than ours: it can send what we cannot read.
    const levels = 6000
    const database = new BetterSqlite(join(folder, 'sauti.db'))
    const deep = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
    database.prepare('UPDATE calls SET custom_payload = ?').run(deep)
    database.close()
    const asked = [on.store.calls.get(owner, call.uuid), on.repositories.accounts.get(owner)]
    for (const answer of await Promise.allSettled(asked))
      assert.is(answer.status === 'rejected' && answer.reason.code, 'store.unusable')
    await sleep(1500)
    assert.is((await on.repositories.accounts.get(owner))?.uuid, owner)
  }))

test('events come in the order of their account, before the unit is answered', () =>
  opened(async on => {
    const owner = await account(on)
    const seqs: number[] = []
    on.store.events.subscribe(({ seq }) => seqs.push(seq))
    const call = freshCall(owner)
    await on.store.calls.commit([{ type: 'call.insert', call }])
    await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const event = eventOf(call, 'CALL.0180', { uuid: randomUUID() })
        await on.store.calls.commit([{ type: 'event.append', event }])
        assert.ok(seqs.includes(at + 1))
      }),
    )
    assert.equal(
      seqs,
      Array.from({ length: 100 }, (_, at) => at + 1),
    )
    assert.ok(on.store.counters.transactions < 60, `${on.store.counters.transactions} transactions`)
  }))

test('events are listed as texts, made by the thread that reads them: no payload crosses', () =>
  opened(async on => {
    const owner = await account(on)
    const call = freshCall(owner)
    const event = eventOf(call, 'CALL.0180', { uuid: randomUUID(), customPayload: { canary: true }, data: { a: 1 } })
    await on.store.calls.commit([
      { type: 'call.insert', call },
      { type: 'event.append', event },
    ])
    const [text = '', ...others] = await on.store.events.listTexts(owner, { limit: 200 })
    assert.equal(others, [])
    assert.not.match(text, /canary/)
    const { uuid: id, code, sid, createdUnix, data } = event
    const created_at = new Date(createdUnix).toISOString()
    assert.equal(JSON.parse(text), { seq: 1, id, code, event: 'call.ringing', sid, created_at, data })
  }))

test('an event comes back as the object that its unit brought: it crosses threads once', () =>
  opened(async on => {
    const owner = await account(on)
    const call = freshCall(owner)
    const told: unknown[] = []
    on.store.events.subscribe(logged => told.push(logged))
    const [first, undone, last] = [1, 2, 3].map(() => eventOf(call, 'CALL.0180', { uuid: randomUUID() }))
    const append = (event: typeof first) => ({ type: 'event.append', event: event! }) as const
    // Not waited for one after another: their answers overlap, and one unit fails.
    const [, failed] = await Promise.allSettled([
      on.store.calls.commit([{ type: 'call.insert', call }, append(first)]),
      on.store.calls.commit([append(undone), { type: 'call.insert', call }]),
      on.store.calls.commit([append(last)], false),
    ])
    assert.is(failed.status, 'rejected')
    assert.equal(told, [
      { seq: 1, event: first },
      { seq: 2, event: last },
    ])
    assert.is((told[0] as { readonly event: unknown }).event, first)
    assert.is((told[1] as { readonly event: unknown }).event, last)
    assert.equal(
      (await on.store.events.after(owner, 0, 10)).map(({ event }) => event.uuid),
      [first!.uuid, last!.uuid],
    )
  }))

test('a unit that nobody waits for shares the commit of the next one, in order, or is written soon by itself', () =>
  opened(async on => {
    const owner = await account(on)
    const { calls, counters: before } = on.store
    const call = freshCall(owner)
    let isFirstDurable = false
    const first = calls.commit([{ type: 'call.insert', call }], false).then(() => {
      isFirstDurable = true
    })
    // Turns of the event loop pass, and it still waits for company.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    assert.is(on.store.counters.units, before.units)
    // The second would be refused without the first.
    await calls.commit([{ type: 'call.update', uuid: call.uuid, set: { ttsSeconds: 7 } }])
    assert.ok(isFirstDurable)
    await first
    assert.is(on.store.counters.units - before.units, 2)
    assert.is(on.store.counters.transactions - before.transactions, 1)
    assert.equal(await calls.commit([{ type: 'call.update', uuid: call.uuid, set: { ttsSeconds: 8 } }], false), {
      ok: true,
    })
    assert.is((await calls.get(owner, call.uuid))?.ttsSeconds, 8)
  }))

test('a write lock of another process: units wait, reads do not, nothing is lost', () =>
  opened(async (on, folder) => {
    const owner = await account(on)
    const foreign = new BetterSqlite(join(folder, 'sauti.db'))
    foreign.exec('BEGIN IMMEDIATE')
    const calls = Array.from({ length: 20 }, () => freshCall(owner))
    let stored = 0
    const units = calls.map(async call => {
      await on.store.calls.commit([{ type: 'call.insert', call }])
      stored++
    })
    for (let waits = 0; on.store.isWritable && waits < 200; waits++) await sleep(10)
    assert.is(on.store.isWritable, false)
    assert.is((await on.repositories.accounts.get(owner))?.walletBalance, 1_000_000)
    assert.is((await on.store.calls.list(owner, { limit: 1, offset: 0 })).total, 0)
    assert.is(stored, 0)
    foreign.exec('COMMIT')
    foreign.close()
    await Promise.all(units)
    assert.is(on.store.isWritable, true)
    assert.is((await on.store.calls.list(owner, { limit: 1, offset: 0 })).total, 20)
  }))

test('close commits what was given', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-threads-'))
  const on = await openStore({ folder, publicUrl, clock: systemClock, log: silentLog })
  const owner = await account(on)
  const given = Array.from({ length: 10 }, () =>
    on.store.calls.commit([{ type: 'call.insert', call: freshCall(owner) }]),
  )
  await on.close()
  for (const result of await Promise.all(given)) assert.is(result.ok, true)
  const database = openDatabase(folder, { readOnly: true })
  assert.is(database.all(database.sql.selectFrom('calls').select('uuid')).length, 10)
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a writer that died is started again until it can be opened', async () => {
  let writer: Worker | undefined
  process.once('worker', worker => {
    writer = worker
  })
  await opened(async (on, folder) => {
    const owner = await account(on)
    await writer?.terminate()
    assert.is(on.store.isWritable, false)
    // Another process has taken the folder meanwhile.
    let other: Database | undefined
    for (let waits = 0; other === undefined && waits < 50; waits++) {
      try {
        other = openDatabase(folder)
      } catch {
        await sleep(10)
      }
    }
    assert.ok(other !== undefined, 'the lock is free once the thread is gone')
    await sleep(1500)
    assert.is(on.store.isWritable, false)
    other?.close()
    for (let waits = 0; !on.store.isWritable && waits < 500; waits++) await sleep(10)
    assert.is(on.store.isWritable, true)
    const call = freshCall(owner)
    assert.equal(await on.store.calls.commit([{ type: 'call.insert', call }]), { ok: true })
  })
})

test('a key whose mark could not be taken away, as the writer had died, can be used again', async () => {
  let writer: Worker | undefined
  process.once('worker', worker => {
    writer = worker
  })
  await opened(async on => {
    const owner = await account(on)
    const { idempotency } = on.repositories
    const begin = (key: string) => idempotency.begin(owner, key, 'f', Date.now())
    assert.is((await begin('refused')).state, 'begun')
    assert.is((await begin('running')).state, 'begun')
    await writer?.terminate()
    await idempotency.free(owner, 'refused')
    await begin('lost').then(
      () => assert.unreachable('the writer is not there'),
      () => {},
    )
    for (let waits = 0; !on.store.isWritable && waits < 500; waits++) await sleep(10)
    const states = await Promise.all([begin('refused'), begin('refused'), begin('running'), begin('lost')])
    assert.equal(
      states.map(({ state }) => state),
      ['begun', 'in-flight', 'in-flight', 'begun'],
    )
  })
})

test('a writer that dies after it committed the unit of a call, and before its answer: the call and its hold are ended', async () => {
  const writer = nextWriter()
  const folder = mkdtempSync(join(tmpdir(), 'sauti-threads-'))
  await opened(async on => {
    const { calls, books, events } = on.store
    const owner = await account(on)
    const begun = (call: CallRecord) => {
      const leg = { ...legOf(call), uuid: randomUUID() as LegUuid, answeredUnix: null, endedUnix: null }
      return { call, leg, hold: { ...holdOf(call, leg, { amount: 40_000 }), uuid: randomUUID() as HoldUuid } }
    }
    const legAndHold = ({ leg, hold }: ReturnType<typeof begun>) =>
      [
        { type: 'leg.insert', leg },
        { type: 'hold.open', hold },
      ] as const
    // A call that lives on, to which a leg is dialled.
    const [live, dialled] = [begun(freshCall(owner)), freshCall(owner)]
    await calls.commit([{ type: 'call.insert', call: live.call }, ...legAndHold(live)])
    const branch = begun(live.call)
    const [first, unwritten] = [begun(dialled), begun(freshCall(owner))]
    const look = openDatabase(folder, { readOnly: true })
    const held = () => look.all(look.sql.selectFrom('accounts').select('held'))[0]?.held
    assert.is(held(), 40_000)

    writer.silence()
    const committed = [
      calls.commit([
        { type: 'call.insert', call: first.call },
        ...legAndHold(first),
        { type: 'event.append', event: eventOf(first.call, 'CALL.0100', { uuid: randomUUID() }) },
      ]),
      calls.commit(legAndHold(branch)),
    ]
    await until(() => held() === 120_000)
    await writer.end()
    // The other thread is not there yet: this one was never given to any.
    const lost = [...committed, calls.commit([{ type: 'call.insert', call: unwritten.call }, ...legAndHold(unwritten)])]
    assert.equal(
      (await Promise.allSettled(lost)).map(answer => answer.status === 'rejected' && answer.reason.code),
      ['store.unusable', 'store.unusable', 'store.away'],
    )

    await until(() => held() === 40_000)
    assert.is(await calls.spendable(owner), 1_000_000 - 40_000)
    const ended = await calls.get(owner, first.call.uuid)
    assert.equal([ended?.status, ended?.reasonCode, ended?.cost], ['failed', 'END.5500', 0])
    assert.is((await calls.legsOf(first.call.uuid))[0]?.reasonCode, 'END.5500')
    assert.equal(
      (await events.after(owner, 0, 10)).map(({ event }) => event.code),
      ['CALL.0100', 'CALL.0400'],
    )
    assert.is(await calls.get(owner, unwritten.call.uuid), undefined)
    // What goes on is left alone.
    assert.is((await calls.get(owner, live.call.uuid))?.endedUnix, null)
    const [own, other] = await calls.legsOf(live.call.uuid)
    assert.equal([own?.endedUnix, other?.reasonCode], [null, 'END.5500'])
    assert.equal(await books.problems(), [])

    // Its own last unit follows, and settles what is left.
    const endedUnix = live.call.createdUnix + 1000
    await calls.commit([
      { type: 'leg.update', uuid: live.leg.uuid, set: { endedUnix, reasonCode: 'END.0487' } },
      { type: 'hold.settle', uuid: live.hold.uuid, charge: 0, talkSeconds: 0, billedSeconds: 0 },
      {
        type: 'call.update',
        uuid: live.call.uuid,
        set: { status: 'failed', reasonCode: 'END.0487', endedUnix, durationSeconds: 1, talkSeconds: 0 },
      },
    ])
    assert.equal(await books.problems(), [])
    assert.is(await calls.spendable(owner), 1_000_000)
    look.close()
  }, folder)
})

const startedBefore = (dataFolder: string) => startWriter({ ...defaultSettings, dataFolder, publicUrl })

test('a writer that was started before, and has opened by now, is the one that is used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-threads-'))
  return opened(async on => {
    await account(on)
    await on.close()
    const writer = startedBefore(folder)
    await until(() => existsSync(join(folder, 'sauti.db-wal')))
    await sleep(200)
    const again = await openStore({ folder, publicUrl, clock: systemClock, log: silentLog, writer })
    try {
      assert.is((await again.repositories.accounts.list({ limit: 1, offset: 0 })).total, 1)
    } finally {
      await again.close()
    }
    // It opens only when the lock of the folder was given back.
    await (await openStore({ folder, publicUrl, clock: systemClock, log: silentLog })).close()
  }, folder)
})

test('a writer that was started before and could not open, or has ended, fails the opening with its reason', () =>
  opened(async (_on, folder) => {
    const waiting = startedBefore(folder)
    await sleep(300)
    const withWriter = (writer: ReturnType<typeof startWriter>) =>
      openStore({ folder, publicUrl, clock: systemClock, log: silentLog, writer }).then(
        () => assert.unreachable('the folder is in use'),
        fault => fault,
      )
    const locked = await withWriter(waiting)
    assert.instance(locked, StoreError)
    assert.is(locked.code, 'store.locked')
    const ended = startedBefore(folder)
    await ended.terminate()
    assert.match(String(await withWriter(ended)), /ended with code/)
  }))

test('turns: one owner does not hold up another, and may not wait without end', async () => {
  const queue = new TurnQueue({ width: 2, widthOfOwner: 1, waitingOfOwner: 3, waiting: 5 })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (owner: string, name: string) =>
    queue.run(owner, () => {
      begun.push(name)
      return new Promise<void>(resolve => ends.push(resolve))
    })
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => '',
      fault => fault.code,
    )
  const first = ['a1', 'a2', 'a3', 'a4'].map(name => ask('a', name))
  assert.is(await codeOf(ask('a', 'a5')), 'store.too-many')
  const second = ['b1', 'b2'].map(name => ask('b', name))
  assert.equal(begun, ['a1', 'b1'])
  const third = ask('c', 'c1')
  assert.is(await codeOf(ask('d', 'd1')), 'store.busy')
  assert.equal(queue.counters, { running: 2, waiting: 5, refused: 2 })
  ends.shift()?.()
  await first[0]
  await sleep(0)
  assert.equal(begun, ['a1', 'b1', 'c1'], 'who has not had a turn comes first')
  for (let at = 0; at < 20 && queue.counters.running > 0; at++) {
    ends.shift()?.()
    await sleep(0)
  }
  await Promise.all([...first, ...second, third])
  assert.equal(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  assert.equal(queue.counters, { running: 0, waiting: 0, refused: 2 })
})

test('a task that fails gives its turn on', async () => {
  const queue = new TurnQueue({ width: 1, widthOfOwner: 1, waitingOfOwner: 3, waiting: 5 })
  const failing = queue.run('a', () => Promise.reject(new Error('disk')))
  const next = queue.run('a', () => Promise.resolve(7))
  assert.match(String(await failing.catch(fault => fault)), 'disk')
  assert.is(await next, 7)
})

test.run()
