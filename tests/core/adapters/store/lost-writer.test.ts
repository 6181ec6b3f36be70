import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Database, openDatabase } from '../../../../core/adapters/store/database.ts'
import { type OpenedStore, openStore } from '../../../../core/adapters/store/threads/open-store.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { systemClock } from '../../../../core/adapters/system/system-clock.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid, Sid } from '../../../../core/model/ids.ts'
import type { Change } from '../../../../core/ports/store.ts'
import { callOf, eventOf, holdOf, legOf } from '../../bed/store-bed.ts'
import { nextWriter, until } from '../../bed/writer-bed.ts'

// A writer that ends after a COMMIT and before it has reported it: what was written is there once, and known.

interface Bed extends OpenedStore {
  readonly folder: string
  readonly owner: AccountUuid
  readonly writer: ReturnType<typeof nextWriter>
  /** Looks at the files themselves. */
  readonly look: Database
  /** From now on the writer's news is lost; `work` is asked for, then it ends once `isThere` says that it was committed. */
  loses(
    work: () => readonly Promise<unknown>[],
    isThere: () => boolean,
  ): Promise<readonly PromiseSettledResult<unknown>[]>
  /** Another has taken its place. */
  replaced(): Promise<void>
}

async function withWriter(work: (bed: Bed) => Promise<void>): Promise<void> {
  const writer = nextWriter()
  const folder = mkdtempSync(join(tmpdir(), 'sauti-lost-'))
  const on = await openStore({ folder, publicUrl: 'http://voice.test', clock: systemClock, log: silentLog })
  const { account } = await on.repositories.accounts.create({ name: 'Lost', walletBalance: 1_000_000 }, Date.now())
  const endpoint = { purpose: 'status', url: 'https://a.example/status' } as const
  await on.repositories.webhookSettings.change(account.uuid, { endpoint })
  const look = openDatabase(folder, { readOnly: true })
  const bed: Bed = {
    ...on,
    folder,
    owner: account.uuid,
    writer,
    look,
    async loses(asked, isThere) {
      writer.silence()
      const answers = Promise.allSettled(asked())
      await until(isThere)
      await writer.end()
      return answers
    },
    replaced: () => until(() => on.store.isWritable),
  }
  try {
    await work(bed)
  } finally {
    look.close()
    await on.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const isLost = (answer: PromiseSettledResult<unknown> | undefined) =>
  answer?.status === 'rejected' && answer.reason.code === 'store.unusable'
const wasGivenToNone = (answer: PromiseSettledResult<unknown> | undefined) =>
  answer?.status === 'rejected' && answer.reason.code === 'store.away'

/** A call with a leg that is paid for; `opening` begins it, `closing` ends it, each the same objects whenever it is given. */
function paidCall(owner: AccountUuid) {
  const call = callOf(owner, { uuid: randomUUID() as CallUuid, sid: randomUUID() as unknown as Sid })
  const answeredUnix = call.createdUnix
  const leg = { ...legOf(call, { answeredUnix }), uuid: randomUUID() as LegUuid }
  const hold = { ...holdOf(call, leg, { amount: 40_000 }), uuid: randomUUID() as HoldUuid }
  const endedUnix = call.createdUnix + 60_000
  const event = (code: Parameters<typeof eventOf>[1]): Change => ({
    type: 'event.append',
    event: eventOf(call, code, { uuid: randomUUID() }),
  })
  const opening: readonly Change[] = [
    { type: 'call.insert', call },
    { type: 'leg.insert', leg },
    { type: 'hold.open', hold },
    event('CALL.0100'),
  ]
  const legClosing: readonly Change[] = [
    { type: 'leg.update', uuid: leg.uuid, set: { endedUnix, reasonCode: 'END.0200' } },
    { type: 'hold.settle', uuid: hold.uuid, charge: 30_000, talkSeconds: 60, billedSeconds: 60 },
    event('DIAL.0300'),
  ]
  const rowClosing: readonly Change[] = [
    {
      type: 'call.update',
      uuid: call.uuid,
      set: {
        status: 'completed',
        reasonCode: 'END.0200',
        answeredUnix,
        endedUnix,
        durationSeconds: 60,
        talkSeconds: 60,
      },
    },
    event('CALL.0300'),
  ]
  return { call, opening, legClosing, rowClosing }
}

const codesIn = (look: Database) =>
  look.all(look.sql.selectFrom('events').select('code').orderBy('id')).map(({ code }) => code)
const callbacksIn = (look: Database) => look.all(look.sql.selectFrom('outbox').select('id')).length
const balancesIn = (look: Database) => look.all(look.sql.selectFrom('accounts').select(['balance', 'held']))

test('a closing unit that was committed is found to be there when it is tried again: no event and no charge twice', () =>
  withWriter(async ({ owner, look, loses, replaced, store }) => {
    const { opening, legClosing, rowClosing } = paidCall(owner)
    const told: (readonly [number, string])[] = []
    store.events.subscribe(({ seq, event }) => told.push([seq, event.code]))
    await store.calls.commit(opening)
    const closing = [...legClosing, ...rowClosing]
    const [lost] = await loses(
      () => [store.calls.commit(closing, false)],
      () => codesIn(look).length === 3,
    )
    assert.ok(isLost(lost))
    await replaced()
    assert.equal(await store.calls.commit(closing, false), { ok: true })
    assert.equal(await store.calls.commit(closing, false), { ok: true }, 'nor when it is tried once more')
    const codes = ['CALL.0100', 'DIAL.0300', 'CALL.0300']
    assert.equal(codesIn(look), codes)
    assert.is(callbacksIn(look), 3)
    assert.equal(balancesIn(look), [{ balance: 970_000, held: 0 }])
    assert.equal(
      told,
      codes.map((code, at) => [at + 1, code] as const),
      'listeners get each event once, those too whose report was lost',
    )
    assert.equal(await store.books.problems(), [])
  }))

test('a closing unit that was not committed is written when it is tried again', () =>
  withWriter(async ({ owner, look, loses, replaced, store }) => {
    const [first, other] = [paidCall(owner), paidCall(owner)]
    await store.calls.commit(first.opening)
    const closing = [...first.legClosing, ...first.rowClosing]
    const [lost] = await loses(
      () => [],
      () => true,
    ).then(() => Promise.allSettled([store.calls.commit(closing, false)]))
    assert.ok(wasGivenToNone(lost))
    await replaced()
    assert.equal(await store.calls.commit(closing, false), { ok: true })
    assert.equal(codesIn(look), ['CALL.0100', 'DIAL.0300', 'CALL.0300'])
    assert.equal(balancesIn(look), [{ balance: 970_000, held: 0 }])
    assert.equal(await store.calls.commit(other.opening), { ok: true })
  }))

test('a leg whose closing was committed, and the rest that was not: the unit of both writes the rest alone', () =>
  withWriter(async ({ owner, look, loses, replaced, store }) => {
    const { call, opening, legClosing, rowClosing } = paidCall(owner)
    await store.calls.commit(opening)
    const [lost] = await loses(
      () => [store.calls.commit(legClosing, false)],
      () => codesIn(look).length === 2,
    )
    assert.ok(isLost(lost))
    const both = [...legClosing, ...rowClosing]
    // The other thread is not there yet.
    const [refused] = await Promise.allSettled([store.calls.commit(both, false)])
    assert.ok(wasGivenToNone(refused))
    await replaced()
    assert.equal(await store.calls.commit(both, false), { ok: true })
    assert.equal(codesIn(look), ['CALL.0100', 'DIAL.0300', 'CALL.0300'])
    assert.is(callbacksIn(look), 3)
    assert.equal(balancesIn(look), [{ balance: 970_000, held: 0 }])
    assert.is((await store.calls.get(owner, call.uuid))?.status, 'completed')
    assert.is((await store.calls.get(owner, call.uuid))?.cost, 30_000)
  }))

test('a second writer that dies as well: what the first had committed is known still', () =>
  withWriter(async ({ owner, look, loses, replaced, store }) => {
    const [first, second] = [paidCall(owner), paidCall(owner)]
    await store.calls.commit(first.opening)
    await store.calls.commit(second.opening)
    const closings = [first, second].map(({ legClosing, rowClosing }) => [...legClosing, ...rowClosing])
    await loses(
      () => [store.calls.commit(closings[0]!, false)],
      () => codesIn(look).length === 4,
    )
    const next = nextWriter()
    await replaced()
    next.silence()
    const lost = Promise.allSettled([store.calls.commit(closings[1]!, false)])
    await until(() => codesIn(look).length === 6)
    await next.end()
    assert.ok(isLost((await lost)[0]))
    await replaced()
    for (const closing of closings) assert.equal(await store.calls.commit(closing, false), { ok: true })
    assert.is(codesIn(look).length, 6)
    assert.equal(balancesIn(look), [{ balance: 940_000, held: 0 }])
  }))

test('callbacks that were committed are sent, though their report was lost', () =>
  withWriter(async ({ owner, look, loses, replaced, store }) => {
    let added = 0
    store.outbox.onAdded(() => added++)
    await loses(
      () => [store.calls.commit(paidCall(owner).opening)],
      () => callbacksIn(look) === 1,
    )
    assert.is(added, 0)
    await replaced()
    assert.ok(added > 0)
  }))

test('what was changed and not reported is in memory once another writer is there', () =>
  withWriter(async ({ owner, look, loses, replaced, repositories, store }) => {
    const { trunks, rates, destinations, phoneTokens, users, numbers } = repositories
    const carrier = await trunks.create({ name: 'carrier' }, Date.now())
    const signIn = async (email: string) => {
      const user = await users.create(owner, { email, displayName: '' }, Date.now())
      assert.ok(user)
      const order = { endUserUuid: user.uuid, ttlSeconds: 600, maxConcurrent: 1, realm: 'voice.test' }
      const minted = await phoneTokens.mint(owner, order, Date.now())
      assert.ok(minted.ok)
      return { user, order, ...minted }
    }
    const [kept, revoked, inactive, removed] = [
      await signIn('kept@a.example'),
      await signIn('revoked@a.example'),
      await signIn('inactive@a.example'),
      await signIn('removed@a.example'),
    ]
    const number = await numbers.add('+254700000001', 0, Date.now())
    assert.ok(number)
    await numbers.acquire(owner, number.uuid, Date.now())
    assert.is((await store.calls.numberOwner('+254700000001'))?.account.uuid, owner)
    let trunkReports = 0
    trunks.watch(() => trunkReports++)
    const ended: string[] = []
    phoneTokens.onRevoked(({ uuid }) => ended.push(uuid))

    const rate = { prefix: '+254', direction: 'outbound', ratePerMinute: 3, incrementSeconds: 1 } as const
    const countOf = (table: 'trunks' | 'rates' | 'destinations' | 'phone_tokens') =>
      look.all(look.sql.selectFrom(table).select(of => of.fn.countAll<number>().as('rows')))[0]?.rows
    const answers = await loses(
      () => [
        trunks.change(carrier.uuid, { host: 'sip.test' }),
        rates.replace([{ ...rate, minimumSeconds: 0, connectionFee: 0 }]),
        destinations.replace({ blocked: ['+888'], allowed: ['+881'] }),
        numbers.release(owner, number.uuid),
        phoneTokens.revoke(owner, revoked.record.uuid, Date.now()),
        users.change(owner, inactive.user.uuid, { isActive: false }),
        users.remove(owner, removed.user.uuid),
        phoneTokens.mint(owner, kept.order, Date.now()),
        trunks.create({ name: 'other' }, Date.now()),
      ],
      () => countOf('trunks') === 2 && countOf('rates') === 1,
    )
    assert.ok(answers.every(isLost))
    await replaced()
    assert.equal(
      trunks.current().map(({ name, host }) => [name, host]),
      [
        ['carrier', 'sip.test'],
        ['other', ''],
      ],
    )
    assert.is(trunkReports, 1)
    // A deck is built in pieces.
    await until(() => rates.current().length === 1)
    assert.is(rates.deck().find('outbound', '+254711000000')?.ratePerMinute, 3)
    assert.equal(destinations.current(), { blocked: ['+888'], allowed: ['+881'] })
    assert.is(await store.calls.numberOwner('+254700000001'), undefined)
    const isUsable = (token: string) => phoneTokens.read(token, Date.now())?.isUsable
    assert.equal(
      [kept, revoked, inactive, removed].map(({ token }) => isUsable(token)),
      [true, false, false, undefined],
    )
    assert.is(phoneTokens.usableOf(kept.user.extensionNumber, Date.now()).length, 2)
    // Registrations by these end.
    assert.equal(ended, [revoked.record.uuid, removed.record.uuid])
  }))

test('a writer that died while another process held the write lock: the next one can write', () =>
  withWriter(async ({ owner, folder, writer, replaced, store }) => {
    const foreign = new BetterSqlite(join(folder, 'sauti.db'))
    foreign.exec('BEGIN IMMEDIATE')
    const waiting = Promise.allSettled([store.calls.commit(paidCall(owner).opening)])
    await until(() => !store.isWritable)
    await writer.end()
    assert.ok(isLost((await waiting)[0]))
    foreign.exec('COMMIT')
    foreign.close()
    await replaced()
    assert.equal(await store.calls.commit(paidCall(owner).opening), { ok: true })
  }))

test.run()
